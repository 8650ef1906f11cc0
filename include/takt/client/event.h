// Event is a variant of the events of a client: Joined, Disconnected, BodySpawned, CommandOutcome,
// GameMessage, RoomChanged, QueryDone and others. Client::next_event() returns events in the order in which
// the client handled their messages, oldest first. A spawned body appears in Client::bodies() later than its
// event: when the render tick reaches the event's tick. A command that acted in its own tick causes no
// CommandOutcome. SpawnTicket connects a spawn with its BodySpawned.
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

/// The server has accepted this client. Bodies follow.
struct Joined {
  std::uint32_t player = 0;  ///< this client's id: BodySpawned::player of bodies that it spawns
  std::uint32_t tick_rate_hz = 0;
  std::uint64_t tick = 0;  ///< the server's tick at that time
  std::uint64_t scene_hash = 0;
  NumbersMode numbers = NumbersMode::kFloat;
  bool is_spectator = false;  ///< false from a server of an earlier version, which has no spectators
};
/// The session has ended after Client::leave(). No event follows.
struct Left {};
/// The session has ended without Client::leave(), or the client could not join. No event follows.
struct Disconnected {
  /// A stable word such as "timed_out", "connection_lost", "server_stopped", "server_full" or
  /// "version_mismatch".
  std::string reason;
  std::string text;  ///< for a person; may be empty
};
/// Connects a command of this client with the body that the command spawns. Client::spawn() returns the
/// ticket, and BodySpawned carries an equal one. A refused spawn has a CommandOutcome of the ticket's
/// sequence instead.
struct SpawnTicket {
  std::uint32_t sequence = 0;  ///< of the command; 0 = none. A new session counts from 1 again
  explicit operator bool() const noexcept { return sequence != 0; }
  friend bool operator==(const SpawnTicket&, const SpawnTicket&) = default;
};

/// The server has reported a body. Client::bodies() has it once the render tick reaches `tick`.
struct BodySpawned {
  BodyId body;
  std::uint64_t tick = 0;    ///< of the report: the body exists at this tick
  std::uint32_t player = 0;  ///< the player that owns it; 0 = nobody, as for the scene's bodies
  /// The spawn command of this client that created the body, or the custom command during which the server's
  /// Game created it for this player. Null for all other bodies.
  SpawnTicket ticket;
};
/// A body is gone. Client::bodies() has it until the render tick reaches `tick`.
struct BodyRemoved {
  BodyId body;
  std::uint64_t tick = 0;
};

/// A joint broke in the step to `tick`: it has no effect until it is enabled again.
struct JointBroken {
  JointId joint;
  std::uint64_t tick = 0;
};

/// The outcome of a command that did not act in its own tick. CommandOutcome::refusal has the exact reason.
enum class CommandStatus : std::uint8_t {
  kMoved = 1,  ///< acted in the later tick CommandOutcome::tick
  kRefusedInvalid = 2,
  kRefusedPermission = 3,
  kRefusedRate = 4,
  kRefusedUnknownBody = 5,
  kRefusedLate = 6,
  kRefusedLimit = 7,
  kRefusedEarly = 8,
};
[[nodiscard]] std::string_view message(CommandStatus status) noexcept;

/// The outcome of a command that was moved to a later tick or refused.
struct CommandOutcome {
  std::uint32_t sequence = 0;  ///< as send() returned it
  CommandStatus status = CommandStatus::kMoved;
  std::uint64_t tick = 0;  ///< at which it acted or was refused
  /// The exact reason of a refusal; `status` is a summary of it. kNone for a moved command, and when the
  /// server sends no reason.
  sim::Refusal refusal = sim::Refusal::kNone;
  std::string text;  ///< of sim::WorldAccess::refuse(), with kGameRefused; may be empty
};
/// Returns one line: the tick of a moved command, or the exact reason of a refusal and the game's text.
[[nodiscard]] std::string message(const CommandOutcome& outcome);

/// Statistics of the server, about once a second.
struct ServerReport {
  std::uint64_t tick = 0;
  std::uint64_t state_hash = 0;
  std::uint32_t body_count = 0;
  std::uint32_t awake_count = 0;
  std::uint32_t client_count = 0;
  std::uint32_t tick_time_us = 0;  ///< median of the last second
  std::uint32_t tick_time_p99_us = 0;
  std::uint32_t contact_count = 0;  ///< pairs of shapes that touch and are not asleep
  std::uint64_t dropped_ticks = 0;  ///< never run because the server fell behind, since its start
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

/// The state of the room has changed. The first one follows Joined. When the event is handled,
/// Client::room() already returns the newest state.
struct RoomChanged {
  Room room;
  /// True: all bodies of before are gone, without BodyRemoved; BodySpawned of the new ones follow.
  bool is_new_world = false;
};
/// The outcome of Client::pause(), step(), set_speed() or another call that controls the room.
struct ControlDone {
  std::uint32_t request = 0;  ///< as the call returned it
  bool is_done = false;       ///< true: the room did it, and `reason` is "done"
  std::string reason;         ///< a stable word: "done", "refused_permission", "refused_range",
                              ///< "refused_unknown_scene", "refused_not_here", "failed"
  std::string text;           ///< for a person; may be empty
};

/// A hit of a query; the members without a comment are as in QueryHit.
struct RemoteHit {
  BodyId body;
  std::uint32_t shape = 0;  ///< index in Body::shapes
  Position point;
  Vec3<double> normal;
  double fraction = 0;
  double distance_m = 0;
  std::uint32_t triangle = kNoTriangle;
};
/// The answer to one query of Client::query().
struct RemoteAnswer {
  /// A stable word: "answered", "refused_invalid" (a number or shape is not allowed), "refused_busy" (the
  /// queries before it in the request found or cost too much), "refused_work" (it needs more work than one
  /// query may: use a shorter ray or a smaller shape).
  std::string status;
  bool found = false;
  /// Number of hits that the query found; above the size of `hits` when the message was full (512 hits a
  /// request).
  std::uint32_t total = 0;
  std::vector<RemoteHit> hits;  ///< in the order of QueryMode; none in mode kAny
};
/// The outcome of Client::query().
struct QueryDone {
  std::uint32_t request = 0;  ///< as the call returned it
  /// A stable word: "answered", or the reason why the whole request was refused: "refused_rate" (too many
  /// queries a second), "refused_busy" (too many wait), "refused_late" (the world was replaced meanwhile).
  std::string status;
  std::uint64_t tick = 0;             ///< of the state that the answers are about
  std::vector<RemoteAnswer> answers;  ///< one for each query, in their order; empty when refused
};

using Event = std::variant<Joined, Left, Disconnected, BodySpawned, BodyRemoved, CommandOutcome, ServerReport,
                           GameMessage, RoomChanged, ControlDone, QueryDone, JointBroken>;

}  // namespace takt::client
