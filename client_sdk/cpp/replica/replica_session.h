// ReplicaSession is the session of a client that simulates, without any I/O: the protocol's ClientEndpoint, a
// RollbackReplica or a PredictedReplica, a StepClock and VisualOffsets. Bytes go in and out through
// endpoint(). update(), called each frame, reads the endpoint's events and advances the world. A session that
// cannot keep up goes on in mode snapshot, with a SnapshotView in place of the world. Session
// (client_sdk/cpp/session.h) is its counterpart for clients that only show. Times are arguments in
// microseconds.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "client_sdk/cpp/replica/predicted_replica.h"
#include "client_sdk/cpp/replica/rollback_replica.h"
#include "client_sdk/cpp/replica/step_clock.h"
#include "client_sdk/cpp/replica/visual_offset.h"
#include "client_sdk/cpp/snapshot_view.h"
#include "protocol/session/client_endpoint.h"
#include "sim/comparison/state_comparison.h"
#include "takt/replica/replica_event.h"

namespace takt::client {

struct ReplicaSessionOptions {
  /// `mode` must not be snapshot (asserted); it decides ReplicaOptions::predicts.
  protocol::ClientOptions endpoint;
  ReplicaOptions replica;               ///< of modes rollback and lockstep
  PredictedOptions predicted;           ///< of mode predicted
  std::uint32_t input_delay_ticks = 0;  ///< between an own input and its tick, [0, 8]: fewer rollbacks
  /// Makes the game that the room runs; null = no game.
  std::function<std::unique_ptr<sim::Game>()> game;
};

/// The session is over, or never began.
struct ReplicaEnded {
  std::string reason;  ///< "timed_out", "mode_unsupported", "too_slow", ...
  std::string text;    ///< for a person
};
using ReplicaSessionEvent = std::variant<WorldEntered, ModeChanged, ReplicaEnded, RolledBack, Diverged,
                                         DesyncFound, ConfirmedMessage, protocol::CommandOutcomes>;

class ReplicaSession {
 public:
  /// Greatest ReplicaSessionOptions::input_delay_ticks.
  static constexpr std::uint32_t kInputDelayMax = 8;
  /// Fields of DesyncFound::text.
  static constexpr std::size_t kDesyncFieldsMax = 4;
  /// A session whose world is so far behind the confirmed ticks asks for mode snapshot: the machine steps
  /// fewer ticks than the room, and the server keeps 35 s of them. After kSnapshotRefusalsMax refusals it
  /// ends as "too_slow".
  static constexpr double kBehindMaxS = 10;
  /// A server refuses requests above its rate, which others of this client may have used up: the session asks
  /// again after kSnapshotRetryUs.
  static constexpr std::uint32_t kSnapshotRefusalsMax = 3;
  static constexpr std::uint64_t kSnapshotRetryUs = 1'000'000;
  /// World time that a server's log of confirmed ticks has, and a second of slack.
  static constexpr double kTicksMaxS = protocol::ConfirmedLog::kSeconds + 1;
  /// Real time of the room's ticks that may wait here beside those: more than kBehindMaxS at any speed,
  /// kCatchUpUs and the retries of a refused request take.
  static constexpr double kLagMaxS = 30;
  /// A client that is behind by more than kBehindMaxS may take so long without coming nearer.
  static constexpr std::uint64_t kCatchUpUs = 5'000'000;

  explicit ReplicaSession(ReplicaSessionOptions options);

  /// Valid until reconnect().
  [[nodiscard]] protocol::ClientEndpoint& endpoint() noexcept { return *endpoint_; }
  [[nodiscard]] const protocol::ClientEndpoint& endpoint() const noexcept { return *endpoint_; }
  /// The endpoint of a session after this one, which is over (ReplicaEnded), for reconnect(). Nothing changes
  /// here: a caller whose transport does not open drops it. `options` have a new nonce and seed. Their mode
  /// is ignored: the one of this session stays, or that of its beginning after mode snapshot. In modes
  /// rollback and lockstep the endpoint asks for inputs alone, if there is a world (resume).
  [[nodiscard]] std::unique_ptr<protocol::ClientEndpoint> make_endpoint(
      protocol::ClientOptions options) const;
  /// Another session begins with an endpoint of make_endpoint(), not null, which the caller connects. No
  /// update() may come between the two. In modes rollback and lockstep the world stays if the server has all
  /// ticks since and agrees with its hash. An image replaces it otherwise.
  void reconnect(std::unique_ptr<protocol::ClientEndpoint> endpoint);

  /// Reads what the endpoint has learnt and advances the world. Call it after bytes were handled, and each
  /// frame.
  void update(std::uint64_t now_us);
  [[nodiscard]] std::optional<ReplicaSessionEvent> next_event();

  /// Sends a command, which acts in the own world with the next update, after the input delay. Error
  /// kNotConnected before the world has caught up, else those of ClientEndpoint::send_input. Commands that
  /// players cannot send (join, leave) are refused as kOutOfRange.
  Result<std::uint32_t, protocol::Error> send(std::uint64_t now_us, sim::Command command);
  /// As ReplicaClient::switch_mode().
  Result<std::uint32_t, protocol::Error> switch_mode(std::uint64_t now_us, ReplicaMode mode,
                                                     std::string_view text);
  void leave(std::uint64_t now_us, std::string_view text = {}) { endpoint_->disconnect(now_us, text); }

  [[nodiscard]] sim::PlayerId player() const noexcept { return player_; }
  /// The world has caught up with the confirmed ticks, and follows; or there is none, in mode snapshot.
  [[nodiscard]] bool is_playing() const noexcept { return is_playing_; }
  /// An event has told the end of the session; farewells may still be sent.
  [[nodiscard]] bool has_ended() const noexcept { return has_ended_; }
  /// Mode of the session now.
  [[nodiscard]] protocol::ReplicationMode mode() const noexcept { return mode_; }
  [[nodiscard]] bool is_predicted() const noexcept { return mode_ == protocol::ReplicationMode::kPredicted; }
  [[nodiscard]] bool has_world() const noexcept {
    return is_predicted() ? predicted_.has_world() : replica_.has_world();
  }
  /// The own world at its present tick; there must be one (asserted).
  [[nodiscard]] const sim::Simulation& simulation() const {
    return is_predicted() ? predicted_.simulation() : replica_.simulation();
  }
  [[nodiscard]] std::uint64_t tick() const noexcept {
    return is_predicted() ? predicted_.tick() : replica_.tick();
  }
  /// Ticks below it are confirmed; in mode predicted, that of the newest snapshot.
  [[nodiscard]] std::uint64_t confirmed_tick() const noexcept {
    return is_predicted() ? predicted_.snapshot_tick() : replica_.confirmed_tick();
  }
  /// Without a world in mode predicted.
  [[nodiscard]] const RollbackReplica& replica() const noexcept { return replica_; }
  /// Without a world in other modes.
  [[nodiscard]] const PredictedReplica& predicted() const noexcept { return predicted_; }
  [[nodiscard]] const StepClock& clock() const noexcept { return clock_; }
  /// Ticks by which the latest inputs came early, as the server acknowledged; below 0 late.
  [[nodiscard]] std::int32_t margin_ticks() const noexcept { return margin_ticks_; }
  /// Every body as it is drawn, smoothed after rollbacks.
  void draw(std::vector<DrawnBody>& out);
  /// The world in mode snapshot; empty in others.
  [[nodiscard]] SnapshotView& view() noexcept { return view_; }
  [[nodiscard]] const SnapshotView& view() const noexcept { return view_; }
  [[nodiscard]] const VisualOffsets& offsets() const noexcept { return offsets_; }

 private:
  void handle(std::uint64_t now_us, protocol::ClientEvent&& event);
  void handle_image(std::uint64_t now_us, const protocol::JoinImageArrived& image);
  void handle_outcomes(const protocol::CommandOutcomes& outcomes);
  void handle_connected(const protocol::Accept& accept);
  void handle_room(const protocol::RoomChanged& changed);
  void handle_mode(std::uint64_t now_us, protocol::ModeSwitch&& told);
  void forget_world();
  void forget_lag();
  [[nodiscard]] protocol::ReplicationMode mode_after() const noexcept;
  void advance(std::uint64_t now_us);
  void advance_clock(std::uint64_t now_us);
  void show(std::uint64_t now_us);
  void handle_desync_answer(const protocol::DesyncAnswer& answer);
  void find_desync(std::uint64_t now_us);
  [[nodiscard]] bool is_too_slow(std::uint64_t now_us, double behind_ticks);
  void conclude_desync(std::string text);
  void end(std::uint64_t now_us, std::string reason, std::string_view text);

  ReplicaSessionOptions options_;
  std::unique_ptr<protocol::ClientEndpoint> endpoint_;  // not null
  protocol::ReplicationMode mode_;
  protocol::ReplicationMode first_mode_;  // of the first session
  RollbackReplica replica_;
  PredictedReplica predicted_;
  SnapshotView view_;
  StepClock clock_;
  VisualOffsets offsets_;
  sim::PlayerId player_ = 0;
  double ticks_per_s_ = 60;      // of the room, 0 while it is paused
  double max_ticks_per_s_ = 60;  // so far
  std::uint32_t tick_rate_hz_ = 60;
  std::uint32_t epoch_ = 0;                                            // of the room, 0 = not known
  std::uint32_t world_epoch_ = 0;                                      // of the own world, 0 = none
  double min_behind_ticks_ = std::numeric_limits<double>::infinity();  // while it is behind by too much
  std::uint64_t min_behind_us_ = 0;
  std::uint64_t advanced_us_ = 0;                  // the last advance()
  std::optional<std::uint32_t> snapshot_request_;  // for mode snapshot, because of min_behind_ticks_
  std::uint32_t snapshot_refusals_ = 0;            // of such requests
  std::uint64_t snapshot_retry_us_ = 0;            // no such request before
  std::uint64_t last_input_tick_ = 0;
  std::uint32_t sequence_offset_ = 0;  // Accept::input_offset
  std::int32_t margin_ticks_ = 0;
  struct Search {
    explicit Search(std::uint64_t tick_of_record) : tick(tick_of_record) {}
    std::uint64_t tick;
    sim::StateComparison states{kDesyncFieldsMax};
    std::string asked;        // path under way; empty = none
    sim::StateAnswer answer;  // own, to that path
  };
  std::optional<Search> search_;  // of the record that differs
  bool is_repair_due_ = false;    // an image is on its way
  bool is_playing_ = false;
  bool is_resuming_ = false;  // the world is of a session before, and far behind
  bool has_ended_ = false;
  bool is_mode_refused_ = false;  // the server has not mode_, or the token
  std::deque<ReplicaSessionEvent> events_;
};

}  // namespace takt::client
