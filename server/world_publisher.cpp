#include "server/world_publisher.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "server/world_view.h"

namespace takt::server {

WorldStats WorldPublisher::stats() const {
  return {simulation_.tick(), simulation_.world().body_count(), last_status_.awake_body_count,
          last_status_.contact_count};
}

void WorldPublisher::forget(sim::PlayerId player) {
  inspections_.erase(player);
  turn_away(player);
  replicas_.remove(player);
  desyncs_.forget(player);
  shadow_->forget(player);
  ++counters_.left;
}

void WorldPublisher::handle_query(protocol::QueryArrived&& query) {
  shadow_->handle_query(std::move(query), simulation_.tick());
}

void WorldPublisher::handle_desync(const protocol::DesyncProbed& probed) {
  bool const steps_confirmed = replicas_.contains(probed.player) && !replicas_.is_predicted(probed.player);
  if (probed.epoch != epoch_ || !steps_confirmed) return;
  if (auto probe = desyncs_.handle_probe(probed.player, probed.probe, simulation_.tick()))
    shadow_->handle_probe(*std::move(probe));
}

// Each desync ends with a fresh image, or with mode snapshot.
void WorldPublisher::conclude_desyncs(RoomUpdate& update) {
  update.desync_replies = desyncs_.take_replies();
  for (DesyncFinding& finding : desyncs_.take_findings()) {
    ++counters_.desyncs;
    sim::PlayerId const player = finding.player;
    if (reports_created_by_ && finding.is_state_kept) {
      if (reports_.take(report_clock_us_)) {
        is_report_left_out_ = false;
        shadow_->handle_report(
            {finding, sim::head_of(simulation_, nullptr, *reports_created_by_), recent_inputs_});
      } else {
        finding.is_report_left_out = !std::exchange(is_report_left_out_, true);
      }
    }
    update.desyncs.push_back(std::move(finding));
    std::uint64_t const window_ticks =
        std::uint64_t{DesyncDesk::kWindowS} * simulation_.world().def().tick_rate_hz;
    if (desyncs_.count_since(player, simulation_.tick() - std::min(simulation_.tick(), window_ticks)) >=
        DesyncDesk::kDesyncsMax) {
      update.mode_changes.push_back(
          {player, protocol::ReplicationMode::kSnapshot, "three desyncs in ten minutes"});
    } else {
      replicas_.welcome(player);
    }
  }
}

void WorldPublisher::handle_inspect(const protocol::InspectArrived& inspect) {
  inspections_[inspect.player] = inspect.what;
}

void WorldPublisher::tell(sim::PlayerId player, const protocol::CommandOutcome& outcome) {
  ++counters_.outcomes[static_cast<std::size_t>(outcome.status)];
  outcomes_.push_back({player, outcome});
}

std::optional<protocol::ControlStatus> WorldPublisher::apply(const protocol::Control& control) {
  auto const status = tick_rate_.apply(control);
  if (status == protocol::ControlStatus::kDone) {
    has_changed_ = true;
    wants_stats_ = wants_stats_ || tick_rate_.is_paused();
  }
  return status;
}

void WorldPublisher::enter(sim::Simulation simulation) {
  simulation_ = std::move(simulation);
  last_status_ = {};
  geometries_.clear();
  directory_.enter();
  shadow_ropes_.reset();
  are_ropes_in_work_ = false;
  ropes_from_tick_ = 0;
  ++epoch_;
  stats_without_hash_.clear();
  shadow_->enter(simulation_, epoch_);
  newcomers_.clear();
  followers_.clear();
  replicas_.enter_world(simulation_.world().def().tick_rate_hz);
  desyncs_.enter_world();
  recent_inputs_.clear();
  has_changed_ = true;
  wants_stats_ = true;
}

void WorldPublisher::begin_tick() {
  if (tick_rate_.count_tick())
    has_changed_ = wants_stats_ = true;  // the steps are over: clients' clocks stand at this tick
}

void WorldPublisher::end_tick(std::span<const sim::Input> inputs, const sim::TickResult& result,
                              RoomUpdate& update) {
  last_status_ = result.status;
  if (result.status.contacts_cut) ++counters_.contacts_cut_ticks;
  report_clock_us_ += 1'000'000u / (std::uint64_t{kReportEveryS} * simulation_.world().def().tick_rate_hz);
  if (replicas_.wants_ticks())
    update.confirmed.push_back(
        replicas_.confirm(result.tick - 1, inputs, reports_created_by_ ? &recent_inputs_ : nullptr));
  update.broken_joints = list_broken_joints(simulation_);
  tickets_ = result.tickets;
  for (BodyId const body : result.removed) {
    directory_.note_removed(body);
    if (is_nameable(body)) update.removed.push_back(body.to_u64());
  }
  for (BodyId const body : result.spawned) {
    if (!is_nameable(body)) continue;
    update.added.push_back(geometries_.describe(simulation_, body, tickets_));
    directory_.note_added(update.added.back());
  }
  // After the spawned bodies, whose owner may have left in the tick of their spawn.
  for (const sim::Input& input : inputs)
    if (auto const* leave = std::get_if<sim::LeaveCommand>(&input.command))
      directory_.note_left(leave->player);
  if (simulation_.game() != nullptr) directory_.refresh(simulation_);
}

void WorldPublisher::finish(RoomUpdate& update, const UpdateRequest& request,
                            std::optional<std::uint64_t> hash) {
  update.tick = simulation_.tick();
  update.epoch = epoch_;
  if (!newcomers_.empty()) {
    std::shared_ptr<const BodyList> const bodies = directory_.list(simulation_, geometries_, tickets_);
    for (auto const& [player, mode_epoch] : newcomers_)
      update.welcomes.push_back({player, bodies, mode_epoch});
    newcomers_.clear();
  }
  if (!followers_.empty()) {
    auto const no_bodies = std::make_shared<const BodyList>();
    for (auto const& [player, mode_epoch] : followers_)
      update.welcomes.push_back({player, no_bodies, mode_epoch});
    followers_.clear();
  }
  tickets_.clear();
  name_geometries(geometries_, update);
  update.outcomes = std::exchange(outcomes_, {});
  update.answers = std::exchange(answers_, {});
  if (request.snapshot) {
    if (list_states(simulation_, states_) > 0) ++counters_.bodies_hidden;
    update.snapshot = states_;
    list_mover_inputs(simulation_, update.movers);
    if (asks_for_ropes(inspections_)) update.ropes = list_ropes(simulation_, kRopesOnTick);
  }
  look(update, request, hash);
}

void WorldPublisher::start_shadow_thread() {
  has_shadow_thread_ = true;
  shadow_->start_thread();
}

void WorldPublisher::set_observer(TickObserver* observer) {
  has_observer_ = observer != nullptr;
  observed_tick_ = simulation_.tick();
  shadow_->set_observer(observer);
}

// The parts that come from the shadow world.
void WorldPublisher::look(RoomUpdate& update, const UpdateRequest& request,
                          std::optional<std::uint64_t> hash) {
  ShadowWorld::Wanted wanted;
  wanted.inside = request.inside && std::ranges::any_of(inspections_, [](auto const& asked) {
                    return (asked.second & (protocol::kInspectContacts | protocol::kInspectJoints)) != 0;
                  });
  // More ropes than a tick may read: those of the shadow world are a tick or more older than the snapshot.
  bool const lacks_ropes = request.snapshot && asks_for_ropes(inspections_) && !update.ropes;
  wanted.ropes = lacks_ropes && !are_ropes_in_work_;
  are_ropes_in_work_ = are_ropes_in_work_ || wanted.ropes;
  if (update.ropes || !asks_for_ropes(inspections_)) {
    shadow_ropes_.reset();
    ropes_from_tick_ = simulation_.tick();
  }
  if (std::exchange(wants_stats_, false) || request.stats) {
    wanted.hash = !hash;
    if (hash) {
      update.stats = stats().to_stats(*hash);
    } else if (stats_without_hash_.empty() || stats_without_hash_.back().tick != simulation_.tick()) {
      stats_without_hash_.push_back(stats());
    }
  }
  wanted.hash = wanted.hash || (has_observer_ && observed_tick_ != simulation_.tick());
  bool const is_new_tick = hashed_tick_ != simulation_.tick();
  wanted.hash = wanted.hash || (is_new_tick && replicas_.wants_hash(simulation_.tick()));
  observed_tick_ = hashed_tick_ = simulation_.tick();
  wanted.probes = is_new_tick && replicas_.wants_hash(simulation_.tick());
  wanted.join_image = replicas_.take_image_request();
  wanted.image = std::exchange(wants_image_, false);
  shadow_->end_tick(simulation_, wanted, inspections_);
  if (!has_shadow_thread_) shadow_->run();
  ShadowWorld::Results results = shadow_->take_results();
  update.replies = std::move(results.replies);
  update.inside = std::move(results.inside);
  if (results.ropes) {
    are_ropes_in_work_ = false;
    if (results.ropes->tick >= ropes_from_tick_) shadow_ropes_ = std::move(results.ropes->ropes);
  }
  if (lacks_ropes) update.ropes = std::exchange(shadow_ropes_, std::nullopt);
  if (results.join_image)
    update.images = replicas_.handle_image(results.join_image->tick, std::move(results.join_image->bytes));
  if (results.is_join_image_lost) replicas_.handle_image_lost();
  update.desync_reports = std::move(results.reports);
  for (ShadowWorld::ProbeResult& result : results.probes) desyncs_.handle_result(std::move(result));
  conclude_desyncs(update);
  for (auto const& [tick, tick_hash] : results.hashes) {
    replicas_.handle_hash(tick, tick_hash);
    auto const at = std::ranges::find(stats_without_hash_, tick, &WorldStats::tick);
    if (at == stats_without_hash_.end()) continue;
    update.stats = at->to_stats(tick_hash);
    stats_without_hash_.erase(stats_without_hash_.begin(), std::next(at));  // with those given up
  }
}

}  // namespace takt::server
