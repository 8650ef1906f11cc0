// ReplicaClient connects to a Takt server and computes the room itself: it begins with an image of the world,
// receives the inputs of each tick, and steps the same ticks to the same bits. In mode rollback the caller's
// commands act in the own world at once; the own world goes back and steps again when the inputs of others
// arrive. In mode lockstep the own world steps confirmed ticks alone. A world that differs from the server's
// is found by its hash, named, and replaced. In mode predicted the own world steps what is near the player's
// own bodies, and the server's snapshots correct it: for worlds too large to step whole. The server must
// offer the mode (takt serve --replicas, HostOptions::replicas). A machine that cannot keep up goes on in
// mode snapshot, in the same session (ModeChanged). takt::client::Client is for programs that compute nothing
// from the start.
//
//   auto client = takt::client::ReplicaClient::connect("udp://127.0.0.1:7777");
//   if (!client) return show(message(client.error()));
//   std::vector<takt::client::DrawnBody> bodies;
//   while (client->is_open()) {
//     client->wait(16);  // or poll() once a frame
//     while (auto const event = client->next_event()) handle(*event);
//     client->draw(bodies);
//     for (const takt::client::DrawnBody& body : bodies) draw(body);
//   }
//
// ReplicaClient has no thread: poll() and wait() do its network work and its steps on the caller's thread.
// One thread at a time may use it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "takt/client/client.h"
#include "takt/client/error.h"
#include "takt/core/result.h"
#include "takt/physics/world.h"
#include "takt/replica/replica_event.h"
#include "takt/sim/command.h"
#include "takt/sim/game.h"
#include "takt/sim/simulation.h"

namespace takt::client {

struct ReplicaClientOptions {
  /// Name, token, role, time-outs and what the server must have. The bounds of the interpolation buffer have
  /// no effect: nothing is interpolated.
  Options session;
  ReplicaMode mode = ReplicaMode::kRollback;
  /// Ticks from an own command to its tick, clamped to [0, 8]. A delay of n ticks saves rollbacks of others'
  /// worlds by n ticks, and the own command is seen n ticks later.
  std::uint32_t input_delay_ticks = 0;
  /// Mode predicted: distance from own bodies within which others are predicted, m, [0, 1e6] (clamped). Own
  /// are those that the player owns or grabs, and those that its commands named in the last 120 ticks.
  double area_radius_m = 20;
  /// Ticks that the own world steps ahead of the confirmed ones at most, clamped to [1, 1024]. It stands
  /// still above that.
  std::uint32_t ahead_ticks_max = 120;
  /// Confirmed ticks that one poll steps at most to catch up, at least 1: what a frame has time for.
  std::uint32_t catch_up_ticks = 20;
  StepOptions step;  ///< lanes and threads, which change no bit; a pool must outlive the client
  /// DesyncFound has a recording of the own states. It costs the memory of one more state and of the inputs
  /// of 17 s, at most 4 MiB. A desync costs the poll that finds it two rollbacks and the saving of two
  /// states, with memory for both and for the recording of at most 64 MiB: a large world stands still
  /// visibly. That is for tests and searches, not for a game that is shipped.
  bool keeps_desync_states = false;
  /// Makes the Game that the room runs; null = the room has none. The world's image is refused if the Game
  /// has another name.
  std::function<std::unique_ptr<sim::Game>()> game;
};

/// Counters begin with the world (WorldEntered), those of traffic at connect().
struct ReplicaClientStats {
  double rtt_ms = 0;  ///< smoothed round trip; 0 = not measured yet
  std::uint64_t received_bytes = 0;
  std::uint64_t sent_bytes = 0;
  double lead_ticks = 0;           ///< by which the own tick is ahead of the server's
  std::int32_t margin_ticks = 0;   ///< ticks by which the latest commands came early; below 0 late
  double visual_offset_max_m = 0;  ///< greatest distance between a drawn body and its body in the own world
  std::uint64_t rollbacks = 0;
  std::uint64_t resimulated_ticks = 0;
  std::uint64_t deepest_rollback_ticks = 0;
  std::uint64_t hashes_equal = 0;      ///< confirmed ticks at which own state and server's state were equal
  std::uint64_t hashes_different = 0;  ///< and at which they were not
  // In mode predicted:
  std::uint64_t bodies_compared = 0;   ///< states of predicted bodies that snapshots brought
  std::uint64_t bodies_corrected = 0;  ///< those of them that differed by more than 2^-9 m, or in a velocity
  double error_mean_m = 0;             ///< distance between the predicted and the server's position
  double error_max_m = 0;
  std::uint32_t area_bodies = 0;  ///< bodies near the own ones, now
};

class ReplicaClient {
 public:
  /// Opens a socket and begins to join, as Client::connect() does. Joining ends with WorldEntered or
  /// Disconnected; a server that does not offer the mode gives Disconnected with the reason
  /// "mode_unsupported". Errors: kBadUrl, kBadToken, kBadAddress, kNetwork, kOutOfRange (mode snapshot).
  [[nodiscard]] static Result<ReplicaClient, Failure> connect(std::string_view url,
                                                              const ReplicaClientOptions& options = {});
  ReplicaClient(ReplicaClient&&) noexcept;
  ReplicaClient& operator=(ReplicaClient&&) noexcept;
  ~ReplicaClient();  ///< does not leave(): over UDP the server keeps the player until its time-out

  /// Joins again after Disconnected or Left, with the address and options of connect(), in the mode of the
  /// session before or, once a server refuses that, of connect(). The server takes it for a new player unless
  /// it knows one that is away. `token` replaces that of before; empty = the same. A server that has all
  /// confirmed ticks since, 30 s at most, sends these instead of an image in modes rollback and lockstep; the
  /// own world must have the server's hash. Until then the own world stands still. Errors: those of
  /// connect(), and kSessionOpen: the session is not over yet. An error changes nothing: the own world, the
  /// token and the point of the return stay, and the next call tries again.
  [[nodiscard]] Result<Unit, Failure> reconnect(std::string_view token = {});

  /// Handles the bytes that have arrived, sends what is due, and steps the own world to the present tick.
  void poll();
  /// Polls. If no bytes had arrived, waits up to `ms` milliseconds for bytes and polls again.
  void wait(std::uint32_t ms);

  /// Removes and returns the oldest event; none when there is no more. Events that nobody takes stay in
  /// memory; adjacent RolledBack events become one.
  [[nodiscard]] std::optional<ReplicaClientEvent> next_event();

  [[nodiscard]] bool is_open() const noexcept;  ///< joining, playing or leaving
  /// The own world has caught up with the room, or there is none in mode snapshot. Commands can be sent.
  [[nodiscard]] bool is_playing() const noexcept;
  /// Mode of the session now: that of connect(), or that of the last ModeChanged.
  [[nodiscard]] ReplicaMode mode() const noexcept;
  /// Asks the server to go on in another mode, such as back from mode snapshot. The result is a number that
  /// the answer, a ModeChanged, has as `request`. `text` is the reason, for the server's log. A mode that
  /// simulates is granted 10 s after the join or the last change or later. Errors: kNotConnected, kQueueFull.
  Result<std::uint32_t, ClientError> switch_mode(ReplicaMode mode, std::string_view text = {});
  [[nodiscard]] std::uint32_t player() const noexcept;  ///< the own player's id; 0 before WorldEntered

  /// The own world exists: from the first WorldEntered on, except between two worlds of the room and in mode
  /// snapshot.
  [[nodiscard]] bool has_world() const noexcept;
  /// The own world with its players and owners at its present tick. It must exist (asserted). Valid until the
  /// next poll.
  [[nodiscard]] const sim::Simulation& simulation() const;
  /// Ticks below it are confirmed by the server. In mode predicted, the tick of the newest snapshot.
  [[nodiscard]] std::uint64_t confirmed_tick() const noexcept;
  /// Replaces `out` by all bodies in id order as they are to be drawn: a body that a rollback moved goes to
  /// its new place within some frames. In mode snapshot, those of bodies(). Empty without a world. Call it at
  /// most once a poll.
  void draw(std::vector<DrawnBody>& out);
  /// In mode snapshot the bodies that the server tells of, as Client::bodies(); else empty. Valid until the
  /// next poll.
  [[nodiscard]] const std::vector<Body>& bodies();
  /// In mode snapshot, as Client::geometry().
  [[nodiscard]] const Geometry* geometry(std::uint64_t digest) const noexcept;

  /// Sends a command. In mode rollback it acts in the own world with the next poll, after the input delay.
  /// Returns the command's sequence, from 1 upwards. Errors: kNotConnected (also before is_playing()),
  /// kQueueFull, kNotFinite, kOutOfRange, kNotSendable (sim::ServerCommand).
  Result<std::uint32_t, ClientError> send(const sim::Command& command);

  /// Ends the session, as Client::leave() does. The event is then Left.
  void leave(std::string_view text = {});

  [[nodiscard]] ReplicaClientStats stats() const;

 private:
  struct Implementation;
  explicit ReplicaClient(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace takt::client
