#include "server/shown_world.h"

#include "server/world_view.h"

namespace takt::server {

WorldFigures ShownWorld::figures() const {
  return {simulation_.tick(), simulation_.world().body_count(), last_status_.awake_body_count, last_status_.contact_count};
}

void ShownWorld::forget(sim::PlayerId player) {
  inspections_.erase(player);
  turn_away(player);
  queries_.forget(player);
  ++counters_.left;
}

bool ShownWorld::handle_event(protocol::ServerEvent& event) {
  if (auto* query = std::get_if<protocol::QueryArrived>(&event)) {
    queries_.handle(std::move(*query), epoch_, simulation_.tick());
    return true;
  }
  if (auto const* inspect = std::get_if<protocol::InspectArrived>(&event)) {
    inspections_[inspect->player] = inspect->what;
    return true;
  }
  return false;
}

void ShownWorld::tell(sim::PlayerId player, const protocol::InputOutcome& outcome) {
  ++counters_.outcomes[static_cast<std::size_t>(outcome.status)];
  outcomes_.push_back({player, outcome});
}

std::optional<protocol::ControlStatus> ShownWorld::apply(const protocol::Control& control) {
  auto const status = pace_.apply(control);
  if (status == protocol::ControlStatus::kDone) {
    has_changed_ = true;
    wants_stats_ = pace_.is_paused();
  }
  return status;
}

void ShownWorld::enter(sim::Simulation simulation) {
  queries_.refuse_all(simulation_.tick());
  simulation_ = std::move(simulation);
  last_status_ = {};
  geometries_.clear();
  ++epoch_;
  newcomers_.clear();
  has_changed_ = true;
  wants_stats_ = true;
}

void ShownWorld::begin_tick() {
  if (pace_.count_tick()) has_changed_ = wants_stats_ = true;  // the steps are over: clients' clocks stand at this tick
}

void ShownWorld::end_tick(const sim::TickResult& result, RoomUpdate& update) {
  last_status_ = result.status;
  update.broken_joints = list_broken_joints(simulation_);
  for (BodyId const body : result.spawned)
    if (is_nameable(body)) update.added.push_back(geometries_.describe(simulation_, body));
  for (BodyId const body : result.removed)
    if (is_nameable(body)) update.removed.push_back(body.to_u64());
}

void ShownWorld::finish(RoomUpdate& update, const UpdateWish& wish, std::optional<std::uint64_t> hash) {
  update.tick = simulation_.tick();
  update.epoch = epoch_;
  if (!newcomers_.empty()) {
    auto const bodies = geometries_.describe_all(simulation_);
    for (sim::PlayerId const player : newcomers_) update.welcomes.push_back({player, bodies});
    newcomers_.clear();
  }
  name_geometries(geometries_, update);
  update.outcomes = std::exchange(outcomes_, {});
  update.answers = std::exchange(answers_, {});
  update.replies = queries_.answer(simulation_.world());
  if (wish.snapshot) {
    if (list_states(simulation_, states_) > 0) ++counters_.bodies_hidden;
    update.snapshot = states_;
    update.ropes = list_ropes(simulation_, inspections_);
  }
  if (wish.inside) update.inside = look_inside(simulation_, inspections_);
  if (std::exchange(wants_stats_, false) || wish.stats) update.stats = figures().to_stats(hash ? *hash : simulation_.hash());
}

}  // namespace takt::server
