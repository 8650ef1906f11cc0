#include "server/world_publisher.h"

#include <algorithm>
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
  queries_.forget(player);
  ++counters_.left;
}

void WorldPublisher::handle_query(protocol::QueryArrived&& query) {
  queries_.handle(std::move(query), epoch_, simulation_.tick());
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
    wants_stats_ = tick_rate_.is_paused();
  }
  return status;
}

void WorldPublisher::enter(sim::Simulation simulation) {
  queries_.refuse_all(simulation_.tick());
  simulation_ = std::move(simulation);
  last_status_ = {};
  geometries_.clear();
  described_.reset();
  ++epoch_;
  newcomers_.clear();
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
  // Bodies of a player that left are nobody's if they stay. A game may change any body.
  bool const changes_owners =
      !simulation_.policy().despawn_on_leave && std::ranges::any_of(inputs, [](const sim::Input& input) {
        return std::holds_alternative<sim::LeaveCommand>(input.command);
      });
  if (!result.spawned.empty() || !result.removed.empty() || changes_owners || simulation_.game() != nullptr)
    described_.reset();
  update.broken_joints = list_broken_joints(simulation_);
  tickets_ = result.tickets;
  for (BodyId const body : result.spawned)
    if (is_nameable(body)) update.added.push_back(geometries_.describe(simulation_, body, tickets_));
  for (BodyId const body : result.removed)
    if (is_nameable(body)) update.removed.push_back(body.to_u64());
}

void WorldPublisher::finish(RoomUpdate& update, const UpdateRequest& request,
                            std::optional<std::uint64_t> hash) {
  update.tick = simulation_.tick();
  update.epoch = epoch_;
  if (!newcomers_.empty()) {
    if (described_ == nullptr) described_ = geometries_.describe_all(simulation_, tickets_);
    for (sim::PlayerId const player : newcomers_) update.welcomes.push_back({player, described_});
    newcomers_.clear();
    if (!tickets_.empty()) described_.reset();  // a ticket counts in its tick alone
  }
  tickets_.clear();
  name_geometries(geometries_, update);
  update.outcomes = std::exchange(outcomes_, {});
  update.answers = std::exchange(answers_, {});
  update.replies = queries_.answer(simulation_.world());
  if (request.snapshot) {
    if (list_states(simulation_, states_) > 0) ++counters_.bodies_hidden;
    update.snapshot = states_;
    update.ropes = list_ropes(simulation_, inspections_);
  }
  if (request.inside) update.inside = look_inside(simulation_, inspections_);
  if (std::exchange(wants_stats_, false) || request.stats)
    update.stats = stats().to_stats(hash ? *hash : simulation_.hash());
}

}  // namespace takt::server
