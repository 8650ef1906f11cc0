#include "server/room.h"

#include <algorithm>
#include <utility>

#include "protocol/limits.h"
#include "server/world_view.h"
#include "sim/replication.h"
#include "takt/core/assert.h"

namespace takt::server {

Room::Room(sim::Simulation simulation, const RoomOptions& options, Playing playing)
    : options_(options), simulation_(std::move(simulation)), playing_(std::move(playing)), schedule_(options.inputs) {}

Room::Playing Room::playing_of(const sim::Scene& scene, std::string name) {
  return {std::move(name), title_of(scene.title), sim::scene_hash(scene), scene.world.tick_rate_hz, scene.world.substeps, camera_of(scene.camera)};
}

Result<Room, sim::SimError> Room::create(const sim::Scene& scene, const RoomOptions& options, std::unique_ptr<sim::Game> game) {
  TAKT_ASSERT(options.snapshot_every_ticks >= 1);
  TAKT_ASSERT(options.scene_name.size() <= protocol::kSceneNameBytesMax);
  auto simulation = sim::Simulation::create(scene, options.numbers, std::move(game));
  if (!simulation) return simulation.error();
  return Room(*std::move(simulation), options, playing_of(scene, options.scene_name));
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

// ---------------------------------------------------------------- events

void Room::handle_event(protocol::ServerEvent&& event) {
  if (auto* joined = std::get_if<protocol::PlayerJoined>(&event)) {
    players_[joined->player] = joined->name;
    newcomers_.push_back(joined->player);
    queue_join({joined->player, true}, std::move(joined->name));
  } else if (auto const* left = std::get_if<protocol::PlayerLeft>(&event)) {
    schedule_.remove_player(left->player);
    players_.erase(left->player);
    inspections_.erase(left->player);
    std::erase(newcomers_, left->player);
    queries_.forget(left->player);
    ++counters_.left;
    queue_server_input(sim::LeaveCommand{left->player});
  } else if (auto* inputs = std::get_if<protocol::InputsArrived>(&event)) {
    handle_inputs(std::move(*inputs));
  } else if (auto const* control = std::get_if<protocol::ControlArrived>(&event)) {
    handle_control(*control);
  } else if (auto* query = std::get_if<protocol::QueryArrived>(&event)) {
    queries_.handle(std::move(*query), epoch_, simulation_.tick());
  } else if (auto const* inspect = std::get_if<protocol::InspectArrived>(&event)) {
    inspections_[inspect->player] = inspect->what;
  } else if (auto const* entered = std::get_if<protocol::EpochEntered>(&event)) {
    // Not the epoch of a world that has been replaced again meanwhile: the player will enter that one too.
    if (entered->epoch == epoch_ && players_.contains(entered->player)) newcomers_.push_back(entered->player);
  }
}

void Room::queue_join(const Join& join, std::string name) {
  queue_server_input(sim::JoinCommand{join.player, false, std::move(name)});
  joins_[server_sequence_] = join;
}

void Room::queue_server_input(sim::Command command) {
  server_inputs_.push_back({simulation_.tick(), sim::kServerPlayer, ++server_sequence_, std::move(command)});
}

void Room::handle_inputs(protocol::InputsArrived&& event) {
  using enum protocol::InputStatus;
  bool const is_other_world = event.epoch != 0 && event.epoch != epoch_;
  for (const protocol::Input& input : event.inputs) {
    protocol::InputOutcome const outcome = is_other_world ? protocol::InputOutcome{input.sequence, kRefusedLate, simulation_.tick()}
                                                          : schedule_.add(simulation_.tick(), sim::to_input(input, event.player));
    if (outcome.status == kMoved) ++counters_.inputs_moved;
    if (outcome.status != kMoved && outcome.status != kApplied) ++counters_.inputs_refused;
    if (outcome.status != kApplied) tell(event.player, outcome);
  }
}

void Room::tell(sim::PlayerId player, const protocol::InputOutcome& outcome) {
  ++counters_.outcomes[static_cast<std::size_t>(outcome.status)];
  outcomes_.push_back({player, outcome});
}

// ---------------------------------------------------------------- control

void Room::handle_control(const protocol::ControlArrived& event) {
  protocol::Control const& control = event.control;
  protocol::ControlResult result{control.request, protocol::ControlStatus::kDone, {}};
  if (auto const status = pace_.apply(control)) {
    result.status = *status;
    if (*status == protocol::ControlStatus::kDone) {
      has_changed_ = true;
      wants_stats_ = pace_.is_paused();
    }
  } else if (control.action == protocol::ControlAction::kLoadScene) {
    result = load_scene(control.scene);
    result.request = control.request;
  } else {
    result.status = protocol::ControlStatus::kRefusedNotHere;
    result.text = "only a recording can be sought in";
  }
  answers_.push_back({event.player, std::move(result)});
}

protocol::ControlResult Room::load_scene(const std::string& name) {
  using enum protocol::ControlStatus;
  auto const failed = [](std::string_view why) { return protocol::ControlResult{0, kFailed, protocol::printable_text(why)}; };
  if (options_.shelf == nullptr) return failed("this server was started without --scenes");
  auto const names = options_.shelf->names();
  if (std::ranges::find(names, name) == names.end()) return {0, kRefusedUnknownScene, "no scene of that name"};
  if (writer_ && !writer_->failed()) return failed("the room is being recorded, and a recording is of one world; start the server without --record");
  if (simulation_.game() != nullptr) return failed("a game is running in this room");
  auto scene = options_.shelf->load(name);
  if (!scene) return failed(scene.error());
  if (options_.tick_rate_hz) scene->world.tick_rate_hz = *options_.tick_rate_hz;
  if (options_.substeps) scene->world.substeps = *options_.substeps;
  auto simulation = sim::Simulation::create(*scene, options_.numbers);
  if (!simulation) return failed(name + ": " + std::string(sim::message(simulation.error())));
  enter_world(*std::move(simulation), playing_of(*scene, name));
  return {};
}

void Room::enter_world(sim::Simulation simulation, Playing playing) {
  std::vector<sim::Input> waiting;
  schedule_.take(UINT64_MAX, waiting);
  for (const sim::Input& input : waiting) tell(input.player, {input.sequence, protocol::InputStatus::kRefusedLate, simulation_.tick()});
  queries_.refuse_all(simulation_.tick());
  simulation_ = std::move(simulation);
  playing_ = std::move(playing);
  schedule_ = InputSchedule(options_.inputs);
  last_status_ = {};
  geometries_.clear();
  ++epoch_;
  // Nobody has entered this world yet; the players are in it all the same.
  server_inputs_.clear();
  joins_.clear();
  newcomers_.clear();
  for (auto const& [player, player_name] : players_) queue_join({player, false}, player_name);
  has_changed_ = true;
  wants_stats_ = true;
}

RoomChange Room::now() const {
  RoomChange change;
  change.playing = {epoch_, playing_.hash, playing_.tick_rate_hz, playing_.substeps, pace_.ticks_per_s(playing_.tick_rate_hz)};
  protocol::RoomState& state = change.state;
  state.epoch = epoch_;
  state.tick = simulation_.tick();
  state.paused = pace_.is_paused();
  state.speed = pace_.speed();
  state.tick_rate_hz = playing_.tick_rate_hz;
  state.scene_hash = playing_.hash;
  state.scene = playing_.name;
  state.title = playing_.title;
  state.camera = playing_.camera;
  bool const can_load = options_.shelf != nullptr && !writer_ && simulation_.game() == nullptr;
  if (can_load) state.scenes = options_.shelf->names();
  return change;
}

WorldFigures Room::figures() const {
  return {simulation_.tick(), simulation_.world().body_count(), last_status_.awake_body_count, last_status_.contact_count};
}

// ---------------------------------------------------------------- updates

RoomUpdate Room::step(const UpdateWish& wish) {
  schedule_.take(simulation_.tick(), inputs_);
  // The server's own come first: player 0 is the lowest.
  inputs_.insert(inputs_.begin(), std::make_move_iterator(server_inputs_.begin()), std::make_move_iterator(server_inputs_.end()));
  server_inputs_.clear();
  if (pace_.count_tick()) has_changed_ = wants_stats_ = true;  // the steps are over: clients' clocks stand at this tick
  sim::TickOptions tick_options;
  tick_options.step = options_.step;
  tick_options.want_hash = wish.stats || wants_stats_ || writer_.has_value();
  sim::TickResult const result = simulation_.step(inputs_, tick_options);
  last_status_ = result.status;
  if (writer_) (void)writer_->append(simulation_, inputs_, result);  // has_recording_failed() tells

  RoomUpdate update;
  note_refused(result, update);
  update.broken_joints = list_broken_joints(simulation_);
  for (BodyId const body : result.spawned)
    if (is_nameable(body)) update.added.push_back(geometries_.describe(simulation_, body));
  for (BodyId const body : result.removed)
    if (is_nameable(body)) update.removed.push_back(body.to_u64());
  UpdateWish now_wish = wish;
  if (result.tick % options_.snapshot_every_ticks != 0) now_wish.snapshot = false;
  finish(update, now_wish, tick_options.want_hash ? std::optional(result.hash) : std::nullopt);
  return update;
}

RoomUpdate Room::idle(const UpdateWish& wish) {
  RoomUpdate update;
  finish(update, wish, std::nullopt);
  return update;
}

// What every update holds, tick or none.
void Room::finish(RoomUpdate& update, const UpdateWish& wish, std::optional<std::uint64_t> hash) {
  update.tick = simulation_.tick();
  update.epoch = epoch_;
  if (std::exchange(has_changed_, false)) update.change = now();
  add_welcomes(update);
  name_geometries(geometries_, update);
  update.outcomes = std::exchange(outcomes_, {});
  update.answers = std::exchange(answers_, {});
  update.replies = queries_.answer(simulation_.world());
  if (wish.snapshot) {
    if (list_states(simulation_, states_) > 0) ++counters_.bodies_hidden;
    update.snapshot = states_;
  }
  if (wish.inside) update.inside = look_inside(simulation_, inspections_);
  if (wish.snapshot) update.ropes = list_ropes(simulation_, inspections_);
  if (std::exchange(wants_stats_, false) || wish.stats) update.stats = figures().to_stats(hash ? *hash : simulation_.hash());
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
      update.kicks.push_back({join->second.player, std::string(message(refused.reason))});
      std::erase(newcomers_, join->second.player);
      players_.erase(join->second.player);
      joins_.erase(join);
    }
  }
  // Who was not refused is in.
  counters_.joined += static_cast<std::uint64_t>(std::ranges::count_if(joins_, [](auto const& join) { return join.second.is_new; }));
  joins_.clear();
  counters_.inputs_refused += refused_count;
  counters_.inputs_applied += from_players - refused_count;
}

void Room::add_welcomes(RoomUpdate& update) {
  if (newcomers_.empty()) return;
  auto const bodies = geometries_.describe_all(simulation_);
  for (sim::PlayerId const player : newcomers_) update.welcomes.push_back({player, bodies});
  newcomers_.clear();
}

}  // namespace takt::server
