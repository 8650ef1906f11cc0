// Event is a variant of the events of a client: Joined, Disconnected, BodySpawned, CommandOutcome,
// GameMessage, RoomChanged, QueryDone and others. Client::next_event() returns events in the order in which
// the client handled their messages, oldest first. A spawned body appears in Client::bodies() later than its
// event: when the render time reaches the event's tick. A command that acted in its own tick causes no event.
// SpawnTicket connects a spawn with its BodySpawned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "takt/client/room.h"
#include "takt/physics/body.h"
#include "takt/physics/joint.h"
#include "takt/physics/query.h"
#include "takt/physics/world.h"
#include "takt/sim/error.h"

namespace takt::client {

/// We are in. Bodies follow.
struct Joined {
  std::uint32_t player = 0;  ///< our id: the player of bodies we spawn
  std::uint32_t tick_rate_hz = 0;
  std::uint64_t tick = 0;  ///< the server's when it let us in
  std::uint64_t scene_hash = 0;
  NumbersMode numbers = NumbersMode::kFloat;
  bool is_spectator = false;  ///< false from a server of an earlier version, which knows players alone
};
/// We left, as asked: nothing follows.
struct Left {};
/// It is over and not by our wish, or it never began. Nothing follows.
struct Disconnected {
  /// A stable word such as "timed_out", "connection_lost", "server_stopped", "server_full" or
  /// "version_mismatch".
  std::string reason;
  std::string text;  ///< for a person; may be empty
};
/// Connects a command of this client with the body that it spawns: Client::spawn() returns it, and
/// BodySpawned carries it. A refused spawn has a CommandOutcome with its sequence instead.
struct SpawnTicket {
  std::uint32_t sequence = 0;  ///< of the command; 0 = none. A new session counts anew
  explicit operator bool() const noexcept { return sequence != 0; }
  friend bool operator==(const SpawnTicket&, const SpawnTicket&) = default;
};

/// A body exists since `tick`; Client::bodies() shows it once the render time gets there.
struct BodySpawned {
  BodyId body;
  std::uint64_t tick = 0;
  std::uint32_t player = 0;  ///< who spawned it; 0 = the scene or the server
  /// Names the spawn command of this client that the body came from. A body that the server's Game created
  /// for this player during its custom command has that command's. Null for all other bodies.
  SpawnTicket ticket;
};
struct BodyRemoved {
  BodyId body;
  std::uint64_t tick = 0;
};

/// A joint broke in the step to `tick`: it holds nothing until it is enabled again.
struct JointBroken {
  JointId joint;
  std::uint64_t tick = 0;
};

/// The outcome of a command that did not act in the tick it was meant for.
enum class CommandStatus : std::uint8_t {
  kMoved = 1,  ///< acted, but in the later tick `tick`
  kRefusedInvalid = 2,
  kRefusedPermission = 3,
  kRefusedRate = 4,
  kRefusedUnknownBody = 5,
  kRefusedLate = 6,
  kRefusedLimit = 7,
  kRefusedEarly = 8,
};
[[nodiscard]] std::string_view message(CommandStatus status) noexcept;

struct CommandOutcome {
  std::uint32_t sequence = 0;  ///< as send() returned it
  CommandStatus status = CommandStatus::kMoved;
  std::uint64_t tick = 0;
  /// The exact reason of a refusal, of which `status` is a summary; message() of the outcome has a line for
  /// it. kNone when moved, and when the server does not tell.
  sim::Refusal refusal = sim::Refusal::kNone;
  std::string text;  ///< the game's own words to a kGameRefused, for a person; may be empty
};
/// One line for a person: the tick of a moved command, or the exact reason of a refusal and the game's words.
[[nodiscard]] std::string message(const CommandOutcome& outcome);

/// About once a second, what the server says of itself.
struct ServerReport {
  std::uint64_t tick = 0;
  std::uint64_t state_hash = 0;
  std::uint32_t body_count = 0;
  std::uint32_t awake_count = 0;
  std::uint32_t client_count = 0;
  std::uint32_t tick_time_us = 0;  ///< median of the last second
  std::uint32_t tick_time_p99_us = 0;
  std::uint32_t contact_count = 0;  ///< pairs of shapes that touch and are not asleep
  std::uint64_t dropped_ticks = 0;  ///< given up because the server fell behind, since its start
};
/// Bytes from the server's Game for this player or for all. Messages come in the order in which the Game sent
/// them, each once, after the BodySpawned of their tick.
struct GameMessage {
  std::uint64_t tick = 0;        ///< of the state after the step in which the Game sent it
  std::vector<std::byte> bytes;  ///< at most 1,000
  /// The bytes as text, for a Game that sends text. Valid as long as the event.
  [[nodiscard]] std::string_view text() const noexcept {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
};

/// The scene that plays, or its tick rate, has changed. The first one follows Joined. Client::room() returns
/// the same.
struct RoomChanged {
  Room room;
  bool is_new_world =
      false;  ///< every body of before is gone, without a BodyRemoved each; BodySpawned follow
};
/// Result of Client::pause(), step(), set_speed() or another call that controls the room.
struct ControlDone {
  std::uint32_t request = 0;  ///< as the call returned it
  bool is_done = false;
  std::string reason;  ///< a stable word: "done", "refused_permission", "refused_range",
                       ///< "refused_unknown_scene", "refused_not_here", "failed"
  std::string text;    ///< for a person; may be empty
};

/// The answer to one question of a query(). The engine's types, but that a shape is named by its index of
/// Body::shapes.
struct RemoteHit {
  BodyId body;
  std::uint32_t shape = 0;  ///< index of Body::shapes
  Position point;           ///< as in QueryHit, here and below
  Vec3<double> normal;
  double fraction = 0;
  double distance_m = 0;
  std::uint32_t triangle = kNoTriangle;
};
struct RemoteAnswer {
  /// A stable word: "answered", "refused_invalid" (a number or shape that may not be asked with),
  /// "refused_busy" (the questions before it found or cost too much), "refused_work" (it needs more work
  /// than one question may: ask closer by, or with a smaller shape).
  std::string status;
  bool found = false;
  std::uint32_t total =
      0;  ///< hits that there are; more than `hits` has when the message was full (512 a request)
  std::vector<RemoteHit> hits;  ///< sorted as the engine sorts them; none in mode kAny
};
/// The outcome of a query().
struct QueryDone {
  std::uint32_t request = 0;  ///< as the call returned it
  /// A stable word: "answered", or why the whole request was refused: "refused_rate" (too many questions a
  /// second), "refused_busy" (too many wait), "refused_late" (the world was replaced meanwhile).
  std::string status;
  std::uint64_t tick = 0;             ///< every answer is about the world as it stood at this tick
  std::vector<RemoteAnswer> answers;  ///< one for each question, in their order; empty when refused
};

using Event = std::variant<Joined, Left, Disconnected, BodySpawned, BodyRemoved, CommandOutcome, ServerReport,
                           GameMessage, RoomChanged, ControlDone, QueryDone, JointBroken>;

}  // namespace takt::client
