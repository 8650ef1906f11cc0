// WorldPublisher owns a simulation, live or replayed, and fills the parts of a RoomUpdate that both cases
// share. Parts are snapshots, added and removed bodies, all bodies for newcomers, inspection data (contacts,
// joints, ropes), answers to queries, command outcomes and statistics. WorldPublisher also has the TickRate,
// the counters and the epoch, the number of the room's world. A ShadowWorld answers queries, lists contacts
// and joints, and computes the hash for statistics where a tick has none. Room and Playback own one
// WorldPublisher each; they decide which ticks run with which inputs. One thread at a time uses it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "protocol/link/rate_limiter.h"
#include "protocol/session/server_endpoint.h"
#include "server/body_directory.h"
#include "server/desync_desk.h"
#include "server/geometry_registry.h"
#include "server/playable.h"
#include "server/replica_feed.h"
#include "server/room_update.h"
#include "server/shadow_world.h"
#include "server/tick_rate.h"
#include "sim/comparison/recent_inputs.h"
#include "takt/core/assert.h"
#include "takt/sim/simulation.h"

namespace takt::server {

class WorldPublisher {
 public:
  /// `first_epoch`: of this world, at least 1 (asserted).
  explicit WorldPublisher(sim::Simulation simulation, std::uint32_t first_epoch = 1)
      : simulation_(std::move(simulation)), shadow_(std::make_unique<ShadowWorld>()), epoch_(first_epoch) {
    TAKT_ASSERT(first_epoch >= 1);
    shadow_->enter(simulation_, epoch_);
    replicas_.enter_world(simulation_.world().def().tick_rate_hz);
    directory_.fill(simulation_, geometries_);  // now, so that no tick has to
  }

  [[nodiscard]] sim::Simulation& simulation() noexcept { return simulation_; }
  [[nodiscard]] const sim::Simulation& simulation() const noexcept { return simulation_; }
  /// 1 for the first world; enter() adds 1.
  [[nodiscard]] std::uint32_t epoch() const noexcept { return epoch_; }
  [[nodiscard]] TickRate& tick_rate() noexcept { return tick_rate_; }
  [[nodiscard]] const TickRate& tick_rate() const noexcept { return tick_rate_; }
  [[nodiscard]] RoomCounters& counters() noexcept { return counters_; }
  [[nodiscard]] const RoomCounters& counters() const noexcept { return counters_; }
  /// Status of the last step of this world; default values before it.
  [[nodiscard]] const StepStatus& last_status() const noexcept { return last_status_; }
  /// Statistics of the present tick.
  [[nodiscard]] WorldStats stats() const;
  /// Waits until the observer has received every hash and image that it wanted. For the end of a room.
  void drain_shadow() { shadow_->drain(); }

  // ------------------------------------------------------------ who watches

  /// The sessions that simulate.
  [[nodiscard]] ReplicaFeed& replicas() noexcept { return replicas_; }
  /// Adds a Welcome for the player, with every body, to the next update. `mode_epoch`: of its session.
  void welcome(sim::PlayerId player, std::uint32_t mode_epoch) { newcomers_.push_back({player, mode_epoch}); }
  /// The player has an image instead of the bodies: it is told of those that come and go from now on.
  void follow(sim::PlayerId player, std::uint32_t mode_epoch) { followers_.push_back({player, mode_epoch}); }
  /// Withdraws a welcome() or follow() whose Welcome is not yet in an update.
  void turn_away(sim::PlayerId player) {
    std::erase_if(newcomers_, [&](const ImageReceiver& one) { return one.player == player; });
    std::erase_if(followers_, [&](const ImageReceiver& one) { return one.player == player; });
  }
  /// The player's session goes on in another mode: its client has nothing of the world any more, and a
  /// comparison of its state ends without a finding.
  void begin_anew(sim::PlayerId player) {
    turn_away(player);
    replicas_.remove(player);
    desyncs_.abandon(player);
  }
  /// Forgets a player that left, with its queries and inspections, and counts it in RoomCounters::left.
  void forget(sim::PlayerId player);
  /// Queues a player's queries. A later update has the answers.
  void handle_query(protocol::QueryArrived&& query);
  /// Findings whose state is kept are followed by reports with the states: kReportBurst at once, and one for
  /// kReportEveryS of world time; the first finding without one says so. `created_by`: of their recordings.
  /// Call it before the first tick.
  void want_desync_reports(std::string created_by) { reports_created_by_ = std::move(created_by); }
  static constexpr std::uint32_t kReportBurst = 8;
  static constexpr std::uint32_t kReportEveryS = 60;
  /// Continues the comparison with a client whose state differs. A later update has the answer.
  void handle_desync(const protocol::DesyncProbed& probed);
  /// Sets the longest query that is answered, m; longer ones are refused.
  void set_max_query_length_m(double max_length_m) { shadow_->set_max_query_length_m(max_length_m); }
  /// Replaces the internals (kInspect bits) that a player asked to see.
  void handle_inspect(const protocol::InspectArrived& inspect);
  /// Adds the outcome of a player's command to the next update, and counts it in RoomCounters::outcomes.
  void tell(sim::PlayerId player, const protocol::CommandOutcome& outcome);
  /// Adds the result of a player's Control to the next update.
  void answer(sim::PlayerId player, protocol::ControlResult result) {
    answers_.push_back({player, std::move(result)});
  }

  // ------------------------------------------------------------ what plays

  /// Applies a control of speed, pause or steps (TickRate::apply); none for any other control.
  [[nodiscard]] std::optional<protocol::ControlStatus> apply(const protocol::Control& control);
  /// Replaces the world and begins the next epoch. No player is welcomed to it yet, and the waiting queries
  /// of the world before are refused.
  void enter(sim::Simulation simulation);
  /// Marks the room's state as changed, for take_change().
  void note_change() noexcept { has_changed_ = true; }
  /// Requests statistics with the next update, whatever its UpdateRequest.
  void want_stats() noexcept { wants_stats_ = true; }
  [[nodiscard]] bool has_changed() const noexcept { return has_changed_; }
  [[nodiscard]] bool wants_stats() const noexcept { return wants_stats_; }
  /// Returns has_changed() and clears it. The owner then fills RoomUpdate::change.
  [[nodiscard]] bool take_change() noexcept { return std::exchange(has_changed_, false); }

  // ------------------------------------------------------------ updates

  /// Counts a tick that is about to run down from the single steps. Call it before each step.
  void begin_tick();
  /// Adds the bodies and joints that a step changed to `update`. Call it after the step with its inputs and
  /// result, before finish().
  void end_tick(std::span<const sim::Input> inputs, const sim::TickResult& result, RoomUpdate& update);
  /// Starts a thread of the shadow world; call it once (asserted). Answers, inspections and statistics then
  /// come in a later update than the request for them. Without the thread they come in the same update.
  void start_shadow_thread();
  /// Sets who receives the hash of each later tick and the images of want_image(); null = nobody. It must
  /// outlive the publisher, or be replaced before its end.
  void set_observer(TickObserver* observer);
  /// Requests no further hashes for the observer. Hashes requested before still come.
  void stop_observing() noexcept { has_observer_ = false; }
  /// Requests an image of the next update's tick for the observer.
  void want_image() noexcept { wants_image_ = true; }
  /// Fills the fields that every update has, with or without a tick, but not RoomUpdate::change. `hash`: the
  /// hash of the present state, if it is known.
  void finish(RoomUpdate& update, const UpdateRequest& request, std::optional<std::uint64_t> hash);

 private:
  void look(RoomUpdate& update, const UpdateRequest& request, std::optional<std::uint64_t> hash);
  void conclude_desyncs(RoomUpdate& update);

  sim::Simulation simulation_;
  GeometryRegistry geometries_;  // of this epoch
  std::unique_ptr<ShadowWorld> shadow_;
  ReplicaFeed replicas_;
  DesyncDesk desyncs_;
  std::optional<std::string> reports_created_by_;      // none = no reports
  sim::RecentInputs recent_inputs_;                    // of this world, for reports
  protocol::TokenBucket reports_{1, kReportBurst, 0};  // by report_clock_us_
  std::uint64_t report_clock_us_ = 0;                  // world time / kReportEveryS, of all worlds
  bool is_report_left_out_ = false;                    // and no report since
  bool has_shadow_thread_ = false;
  bool has_observer_ = false;
  bool wants_image_ = false;
  std::uint64_t observed_tick_ = 0;             // the last whose hash the observer gets
  std::uint64_t hashed_tick_ = 0;               // the last that was hashed for replicas, if they want it
  std::vector<WorldStats> stats_without_hash_;  // ascending ticks
  TickRate tick_rate_;
  std::uint32_t epoch_;
  RoomCounters counters_;
  StepStatus last_status_;
  std::vector<ImageReceiver> newcomers_;
  std::vector<ImageReceiver> followers_;
  std::vector<sim::SpawnTicket> tickets_;  // of the tick that is being published
  BodyDirectory directory_;                // of this epoch
  std::map<sim::PlayerId, std::uint32_t> inspections_;
  std::vector<PlayerOutcome> outcomes_;  // since the last update, as answers_
  std::vector<ControlAnswer> answers_;
  bool has_changed_ = false;
  bool wants_stats_ = false;
  std::vector<protocol::BodyState> states_;                       // reused
  std::optional<std::vector<protocol::RopeState>> shadow_ropes_;  // for the next snapshot
  bool are_ropes_in_work_ = false;                                // of the shadow world
  std::uint64_t ropes_from_tick_ = 0;                             // an older list is not sent
};

}  // namespace takt::server
