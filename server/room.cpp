#include "server/room.h"

#include <algorithm>
#include <string>
#include <utility>

#include "protocol/limits.h"
#include "sim/replication.h"
#include "takt/core/assert.h"

namespace takt::server {
namespace {

bool is_nameable(protocol::BodyId id) noexcept { return BodyId::from_u64(id).index < protocol::kBodyIndexMax; }

}  // namespace

Result<Room, sim::SimError> Room::create(const sim::Scene& scene, const RoomOptions& options, std::unique_ptr<sim::Game> game) {
  TAKT_ASSERT(options.snapshot_every_ticks >= 1);
  auto simulation = sim::Simulation::create(scene, options.numbers, std::move(game));
  if (!simulation) return simulation.error();
  return Room(*std::move(simulation), options);
}

Result<Unit, sim::SimError> Room::start_recording(sim::ByteSink& sink, const sim::Scene& scene) {
  TAKT_ASSERT(!writer_);
  writer_.emplace(sink, options_.recording);
  return writer_->begin(simulation_, &scene);
}

Result<Unit, sim::SimError> Room::close_recording() {
  if (!writer_) return Unit{};
  return writer_->close();
}

void Room::handle_event(protocol::ServerEvent&& event) {
  if (auto* joined = std::get_if<protocol::PlayerJoined>(&event)) {
    queue_server_input(sim::JoinCommand{joined->player, false, std::move(joined->name)});
    joins_[server_sequence_] = joined->player;
  } else if (auto const* left = std::get_if<protocol::PlayerLeft>(&event)) {
    schedule_.remove_player(left->player);
    ++counters_.left;
    queue_server_input(sim::LeaveCommand{left->player});
  } else if (auto* inputs = std::get_if<protocol::InputsArrived>(&event)) {
    handle_inputs(std::move(*inputs));
  }
}

void Room::queue_server_input(sim::Command command) {
  server_inputs_.push_back({simulation_.tick(), sim::kServerPlayer, ++server_sequence_, std::move(command)});
}

void Room::handle_inputs(protocol::InputsArrived&& event) {
  using enum protocol::InputStatus;
  for (const protocol::Input& input : event.inputs) {
    protocol::InputOutcome const outcome = schedule_.add(simulation_.tick(), sim::to_input(input, event.player));
    if (outcome.status == kMoved) ++counters_.inputs_moved;
    if (outcome.status != kMoved && outcome.status != kApplied) ++counters_.inputs_refused;
    if (outcome.status != kApplied) tell(event.player, outcome);
  }
}

void Room::tell(sim::PlayerId player, const protocol::InputOutcome& outcome) { outcomes_.push_back({player, outcome}); }

RoomUpdate Room::step(bool want_stats) {
  schedule_.take(simulation_.tick(), inputs_);
  // The server's own come first: player 0 is the lowest.
  inputs_.insert(inputs_.begin(), std::make_move_iterator(server_inputs_.begin()), std::make_move_iterator(server_inputs_.end()));
  server_inputs_.clear();
  sim::TickOptions tick_options;
  tick_options.step = options_.step;
  tick_options.want_hash = want_stats || writer_.has_value();
  sim::TickResult const result = simulation_.step(inputs_, tick_options);
  last_status_ = result.status;
  if (writer_) (void)writer_->append(simulation_, inputs_, result);  // has_recording_failed() tells

  RoomUpdate update;
  update.tick = result.tick;
  note_refused(result, update);
  for (BodyId const body : result.spawned)
    if (is_nameable(body.to_u64())) update.added.push_back(info_of(body));
  for (BodyId const body : result.removed)
    if (is_nameable(body.to_u64())) update.removed.push_back(body.to_u64());
  add_welcomes(update);
  update.outcomes = std::exchange(outcomes_, {});
  if (result.tick % options_.snapshot_every_ticks == 0) {
    sim::list_body_states(simulation_.world(), states_);
    if (std::erase_if(states_, [](const protocol::BodyState& body) { return !is_nameable(body.id); }) > 0) ++counters_.bodies_hidden;
    update.snapshot = states_;
  }
  if (want_stats) {
    update.stats = protocol::ServerStats{result.tick, result.hash, simulation_.world().body_count(), last_status_.awake_body_count, 0, 0};
  }
  return update;
}

void Room::note_refused(const sim::TickResult& result, RoomUpdate& update) {
  auto const from_players =
      static_cast<std::uint64_t>(std::count_if(inputs_.begin(), inputs_.end(), [](const sim::Input& i) { return i.player != sim::kServerPlayer; }));
  std::uint64_t refused_count = 0;
  for (const sim::RefusedInput& refused : result.refused) {
    if (refused.player != sim::kServerPlayer) {
      ++refused_count;
      tell(refused.player, {refused.sequence, sim::input_status_of(refused.reason), result.tick - 1});
      continue;
    }
    if (auto const join = joins_.find(refused.sequence); join != joins_.end()) {
      update.kicks.push_back({join->second, std::string(message(refused.reason))});
      joins_.erase(join);
    }
  }
  counters_.inputs_refused += refused_count;
  counters_.inputs_applied += from_players - refused_count;
}

void Room::add_welcomes(RoomUpdate& update) {
  if (joins_.empty()) return;
  auto bodies = std::make_shared<std::vector<protocol::BodyInfo>>();
  std::vector<BodyId> ids;
  simulation_.world().list_bodies(ids);
  bodies->reserve(ids.size());
  for (BodyId const id : ids)
    if (is_nameable(id.to_u64())) bodies->push_back(info_of(id));
  for (auto const& [sequence, player] : joins_) {
    ++counters_.joined;
    // It may have left in the same tick; the gateway ignores players that are gone.
    update.welcomes.push_back({player, bodies});
  }
  joins_.clear();
}

protocol::BodyInfo Room::info_of(BodyId body) const {
  protocol::BodyInfo info = sim::body_info(simulation_, body);
  if (info.shapes.size() > protocol::kShapesPerBodyMax) info.shapes.resize(protocol::kShapesPerBodyMax);
  return info;
}

}  // namespace takt::server
