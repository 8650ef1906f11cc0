#include "server/room.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "protocol/wire/limits.h"
#include "server/world_view.h"
#include "sim/replication/replication.h"
#include "takt/core/assert.h"
#include "takt/core/overload.h"

namespace takt::server {
namespace {

/// A sink, as a store of one file.
class SinkStore final : public JournalStore {
 public:
  explicit SinkStore(sim::ByteSink& sink) : sink_(sink) {}
  [[nodiscard]] bool write(std::span<const std::byte> bytes) override { return sink_.write(bytes); }

 private:
  sim::ByteSink& sink_;
};

// The outcome of an input that was meant for a world that has been replaced.
protocol::CommandOutcome other_world(std::uint32_t sequence, std::uint64_t tick) {
  return {sequence, protocol::CommandStatus::kRefusedLate, tick, protocol::CommandRefusal::kOtherWorld, {}};
}

}  // namespace

Room::Room(sim::Simulation simulation, const RoomOptions& options, Playing playing)
    : options_(options),
      publisher_(std::move(simulation), options.first_epoch),
      playing_(std::move(playing)),
      schedule_(options.inputs),
      governor_(options.governor) {
  governor_.enter(publisher_.simulation());
  publisher_.set_max_query_length_m(playing_.max_query_length_m);
  if (options.keeps_desync_states) publisher_.want_desync_reports(options.recording.created_by);
}

Room::Playing Room::playing_of(const sim::Scene& scene, std::string name) {
  return {std::move(name),      title_of(scene.title),   sim::scene_hash(scene),  scene.world.tick_rate_hz,
          scene.world.substeps, camera_of(scene.camera), scene.max_query_length_m};
}

// Bounds what strangers can cost in a scene that sets no bounds itself. A game has rules of its own.
void Room::bound_work(const sim::Scene& scene, sim::Simulation& simulation) {
  if (simulation.game() != nullptr) return;
  if (!scene.has_policy) simulation.set_policy(sim::guarded_policy());
  // A pile of 1,000 bodies in a pit has 5 to 8 candidate pairs a body while it settles.
  constexpr std::uint32_t kMinContacts = 4096;
  constexpr std::uint32_t kContactsPerBody = 12;
  std::uint32_t const bodies = simulation.world().body_count();
  if (scene.world.max_contacts == 0)
    simulation.set_max_contacts(std::clamp(kContactsPerBody * bodies, kMinContacts, 1u << 24u));
}

Result<Room, sim::SimError> Room::create(const sim::Scene& scene, const RoomOptions& options,
                                         std::unique_ptr<sim::Game> game, std::string* game_text) {
  TAKT_ASSERT(options.snapshot_every_ticks >= 1);
  TAKT_ASSERT(options.scene_name.size() <= protocol::kSceneNameBytesMax);
  auto simulation = sim::Simulation::create(scene, options.numbers, std::move(game), game_text);
  if (!simulation) return simulation.error();
  bound_work(scene, *simulation);
  return Room(*std::move(simulation), options, playing_of(scene, options.scene_name));
}

Room Room::resume(sim::Simulation simulation, const sim::Scene& scene, const RoomOptions& options) {
  Playing playing = playing_of(scene, options.scene_name);
  playing.hash = simulation.scene_hash();
  playing.tick_rate_hz = simulation.world().def().tick_rate_hz;
  playing.substeps = simulation.world().def().substeps;
  std::uint32_t const server_sequence = simulation.server_sequence();
  Room room(std::move(simulation), options, std::move(playing));
  room.server_sequence_ = server_sequence;
  std::uint64_t const leave_tick =
      room.simulation().tick() + std::uint64_t{options.away_s} * room.playing_.tick_rate_hz;
  for (const sim::PlayerView& player : room.simulation().players()) {
    room.away_[player.player] = leave_tick;
    room.input_offsets_[player.player] = player.last_sequence;
  }
  return room;
}

AwayPlayers Room::away_players() const {
  AwayPlayers away;
  for (const sim::PlayerView& player : simulation().players()) {
    away.first_new = std::max(away.first_new, player.player + 1);
    if (!away_.contains(player.player)) continue;
    if (!player.name.empty()) away.by_name.emplace(player.name, player.player);
  }
  away.input_offsets = input_offsets_;
  return away;
}

void Room::let_away_players_leave() {
  for (auto at = away_.begin(); at != away_.end();) {
    bool const is_over = at->second <= simulation().tick();
    if (is_over) queue_server_input(sim::LeaveCommand{at->first});
    at = is_over ? away_.erase(at) : std::next(at);
  }
}

// A player who came back numbers its inputs from 1, and the simulation goes on from the last.
void Room::tell(sim::PlayerId player, protocol::CommandOutcome outcome) {
  if (auto const before = sequences_.find(player); before != sequences_.end())
    outcome.sequence -= before->second;
  publisher_.tell(player, outcome);
}

Result<Unit, sim::SimError> Room::start_recording(sim::ByteSink& sink, const sim::Scene& scene) {
  sink_store_ = std::make_unique<SinkStore>(sink);
  JournalOptions journal;
  journal.image_every_ticks = options_.recording.image_every_ticks;
  return start_journal(*sink_store_, scene, journal);
}

Result<Unit, sim::SimError> Room::start_journal(JournalStore& store, const sim::Scene& scene,
                                                const JournalOptions& options) {
  TAKT_ASSERT(!journal_);
  journal_ = std::make_unique<Journal>(store, options);
  bool const has_begun =
      journal_->begin(simulation(), sim::head_of(simulation(), &scene, options_.recording.created_by));
  publisher_.set_observer(journal_.get());
  follow_journal();
  if (!has_begun) return sim::SimError::kWriteFailed;
  return Unit{};
}

Result<Unit, sim::SimError> Room::close_recording() {
  if (!journal_ || has_recording_failed_) return Unit{};
  publisher_.drain_shadow();
  publisher_.set_observer(nullptr);
  if (!journal_->close()) return sim::SimError::kWriteFailed;
  return Unit{};
}

void Room::start_shadow_thread() {
  publisher_.start_shadow_thread();
  if (journal_) journal_->start_thread();
}

// A journal that has ended is no recording any more: scenes can be loaded from here on.
void Room::follow_journal() {
  if (!is_recording() || !journal_->status().has_ended) return;
  has_recording_failed_ = true;
  publisher_.stop_observing();
  publisher_.note_change();
}

// ---------------------------------------------------------------- events

void Room::handle_event(protocol::ServerEvent&& event) {
  Overload const handle{
      [&](protocol::PlayerJoined& joined) {
        if (joined.role == protocol::Role::kSpectator) {
          spectators_.insert(joined.player);
          introduce({joined.player, 0}, joined.mode, joined.resumed_epoch == epoch());
          ++publisher_.counters().joined;
          return;
        }
        players_[joined.player] = joined.name;
        if (joined.bodies_max != 0) bodies_max_[joined.player] = joined.bodies_max;
        introduce({joined.player, 0}, joined.mode, joined.resumed_epoch == epoch());
        // The Accept has told the client this offset, whether or not the player has left meanwhile.
        if (auto const offset = input_offsets_.find(joined.player); offset != input_offsets_.end())
          sequences_[joined.player] = offset->second;
        if (away_.erase(joined.player) == 0) return queue_join({joined.player, true}, std::move(joined.name));
        ++publisher_.counters().joined;
      },
      [&](const protocol::PlayerLeft& left) {
        publisher_.forget(left.player);
        if (spectators_.erase(left.player) > 0) return;
        schedule_.remove_player(left.player);
        players_.erase(left.player);
        sequences_.erase(left.player);
        bodies_max_.erase(left.player);
        queue_server_input(sim::LeaveCommand{left.player});
      },
      [](const protocol::PlayerMoved&) {},  // the network thread logs it, and passes it to no room
      [&](protocol::InputsArrived& inputs) { handle_inputs(std::move(inputs)); },
      [&](const protocol::ControlArrived& control) { handle_control(control); },
      [&](const protocol::EpochEntered& entered) {
        // An older epoch belongs to a world that has been replaced meanwhile: the player will enter the newer
        // one.
        bool const is_here = players_.contains(entered.player) || spectators_.contains(entered.player);
        if (entered.epoch != epoch() || !is_here) return;
        bool const simulates = publisher_.replicas().contains(entered.player);
        if (simulates) publisher_.replicas().welcome(entered.player);
        if (publisher_.replicas().is_predicted(entered.player))
          publisher_.follow(entered.player, entered.mode_epoch);
        if (!simulates) publisher_.welcome(entered.player, entered.mode_epoch);
      },
      [&](protocol::QueryArrived& query) { publisher_.handle_query(std::move(query)); },
      [&](const protocol::DesyncProbed& probed) { publisher_.handle_desync(probed); },
      [&](const protocol::InspectArrived& inspect) { publisher_.handle_inspect(inspect); },
      [&](const protocol::ModeSwitched& switched) {
        if (!players_.contains(switched.player) && !spectators_.contains(switched.player)) return;
        publisher_.begin_anew(switched.player);
        introduce({switched.player, switched.mode_epoch}, switched.mode, false);
      },
  };
  std::visit(handle, event);
}

// A client that simulates needs the whole state once, if it has not; others need every body. A predicted one
// is told of bodies that come and go after the image.
void Room::introduce(const ImageReceiver& session, protocol::ReplicationMode mode, bool has_world) {
  if (simulates(mode)) {
    publisher_.replicas().add(session, mode, has_world);
    if (takes_snapshots(mode)) publisher_.follow(session.player, session.mode_epoch);
  } else {
    publisher_.welcome(session.player, session.mode_epoch);
  }
}

void Room::queue_join(const Join& join, std::string name) {
  queue_server_input(sim::JoinCommand{join.player, false, std::move(name)});
  joins_[server_sequence_] = join;
}

void Room::queue_server_input(sim::Command command) {
  server_inputs_.push_back({simulation().tick(), sim::kServerPlayer, ++server_sequence_, std::move(command)});
}

void Room::handle_inputs(protocol::InputsArrived&& event) {
  using enum protocol::CommandStatus;
  bool const is_other_world = event.epoch != 0 && event.epoch != epoch();
  auto const before = sequences_.find(event.player);
  for (protocol::Input& input : event.inputs) {
    if (before != sequences_.end()) input.sequence += before->second;
    protocol::CommandOutcome const outcome =
        is_other_world ? other_world(input.sequence, simulation().tick())
                       : schedule_.add(simulation().tick(), sim::to_input(input, event.player));
    if (outcome.status == kMoved) ++publisher_.counters().inputs_moved;
    if (outcome.status != kMoved && outcome.status != kApplied)
      publisher_.counters().count_refused(outcome.refusal);
    if (outcome.status != kApplied) tell(event.player, outcome);
  }
}

// ---------------------------------------------------------------- control

void Room::handle_control(const protocol::ControlArrived& event) {
  protocol::Control const& control = event.control;
  protocol::ControlResult result{control.request, protocol::ControlStatus::kDone, {}};
  if (auto const status = publisher_.apply(control)) {
    result.status = *status;
  } else if (control.action == protocol::ControlAction::kLoadScene) {
    result = load_scene(control.scene);
    result.request = control.request;
  } else {
    result.status = protocol::ControlStatus::kRefusedNotHere;
    result.text = "only a recording can be sought in";
  }
  publisher_.answer(event.player, std::move(result));
}

protocol::ControlResult Room::load_scene(const std::string& name) {
  using enum protocol::ControlStatus;
  auto const failed = [](std::string_view why) {
    return protocol::ControlResult{0, kFailed, protocol::printable_text(why)};
  };
  if (options_.provider == nullptr) return failed("this server was started without --scenes");
  auto const names = options_.provider->names();
  if (std::ranges::find(names, name) == names.end())
    return {0, kRefusedUnknownScene, "no scene of that name"};
  if (is_recording())
    return failed(
        "the room is being recorded, and a recording is of one world; start the server without --record");
  if (simulation().game() != nullptr) return failed("a game is running in this room");
  auto scene = options_.provider->load(name);
  if (!scene) return failed(scene.error());
  if (options_.tick_rate_hz) scene->world.tick_rate_hz = *options_.tick_rate_hz;
  if (options_.substeps) scene->world.substeps = *options_.substeps;
  auto simulation = sim::Simulation::create(*scene, options_.numbers);
  if (!simulation) return failed(name + ": " + std::string(sim::message(simulation.error())));
  bound_work(*scene, *simulation);
  enter_world(*std::move(simulation), playing_of(*scene, name));
  return {};
}

void Room::enter_world(sim::Simulation simulation, Playing playing) {
  std::vector<sim::Input> waiting;
  schedule_.take(UINT64_MAX, waiting);
  for (const sim::Input& input : waiting) {
    protocol::CommandOutcome const outcome = other_world(input.sequence, this->simulation().tick());
    publisher_.counters().count_refused(outcome.refusal);
    tell(input.player, outcome);
  }
  publisher_.enter(std::move(simulation));
  governor_.enter(this->simulation());
  away_.clear();
  input_offsets_.clear();
  sequences_.clear();
  playing_ = std::move(playing);
  publisher_.set_max_query_length_m(playing_.max_query_length_m);
  schedule_ = InputSchedule(options_.inputs);
  // Nobody has entered this world yet; the players are in it all the same.
  server_inputs_.clear();
  joins_.clear();
  for (auto const& [player, player_name] : players_) queue_join({player, false}, player_name);
}

RoomChange Room::now() const {
  RoomChange change;
  change.playing = {epoch(), playing_.hash, playing_.tick_rate_hz, playing_.substeps,
                    tick_rate().ticks_per_s(playing_.tick_rate_hz)};
  protocol::RoomState& state = change.state;
  state.epoch = epoch();
  state.tick = simulation().tick();
  state.paused = tick_rate().is_paused();
  state.speed = tick_rate().speed();
  state.tick_rate_hz = playing_.tick_rate_hz;
  state.scene_hash = playing_.hash;
  state.scene = playing_.name;
  state.title = playing_.title;
  state.camera = playing_.camera;
  bool const can_load = options_.provider != nullptr && !is_recording() && simulation().game() == nullptr;
  if (can_load) state.scenes = options_.provider->names();
  return change;
}

// ---------------------------------------------------------------- updates

RoomUpdate Room::step(const UpdateRequest& request) {
  let_away_players_leave();
  despawn_overload();
  schedule_.take(simulation().tick(), inputs_);
  // The server's own come first: player 0 is the lowest.
  inputs_.insert(inputs_.begin(), std::make_move_iterator(server_inputs_.begin()),
                 std::make_move_iterator(server_inputs_.end()));
  server_inputs_.clear();
  publisher_.begin_tick();
  refuse_floods();
  if (is_recording()) journal_->begin_tick(simulation().tick(), inputs_);
  sim::TickOptions tick_options;
  tick_options.step = options_.step;
  tick_options.want_hash = false;  // the shadow world computes it
  sim::TickResult result = publisher_.simulation().step(inputs_, tick_options);
  governor_.follow(result);
  if (is_recording() && journal_->wants_image(result.tick)) publisher_.want_image();
  follow_journal();

  RoomUpdate update;
  note_refused(result, update);
  for (sim::SpawnTicket& ticket : result.tickets)
    if (auto const before = sequences_.find(ticket.player); before != sequences_.end())
      ticket.sequence -= before->second;
  publisher_.end_tick(inputs_, result, update);
  update.messages = std::move(result.messages);
  UpdateRequest now_request = request;
  if (result.tick % options_.snapshot_every_ticks != 0) now_request.snapshot = false;
  finish(update, now_request, std::nullopt);
  return update;
}

RoomUpdate Room::idle(const UpdateRequest& request) {
  RoomUpdate update;
  finish(update, request, std::nullopt);
  return update;
}

void Room::finish(RoomUpdate& update, const UpdateRequest& request, std::optional<std::uint64_t> hash) {
  if (publisher_.take_change()) update.change = now();
  publisher_.finish(update, request, hash);
}

// The owner is told as of the input that spawned the body.
void Room::despawn_overload() {
  for (const sim::SpawnTicket& ticket : governor_.choose(simulation())) {
    queue_server_input(sim::DespawnCommand{ticket.body});
    ++publisher_.counters().bodies_removed;
    if (ticket.sequence == 0) continue;  // spawned before the room was resumed
    protocol::CommandOutcome outcome =
        sim::to_outcome({ticket.player, ticket.sequence, sim::Refusal::kOverloaded, {}}, simulation().tick());
    outcome.text = "the body is removed again";
    tell(ticket.player, outcome);
  }
}

void Room::refuse(const sim::Input& input, sim::Refusal reason) {
  protocol::CommandOutcome const outcome =
      sim::to_outcome({input.player, input.sequence, reason, {}}, simulation().tick());
  tell(input.player, outcome);
  publisher_.counters().count_refused(outcome.refusal);
}

// Bodies that the player's token lets it spawn now.
std::uint32_t Room::affordable_spawns(sim::PlayerId player) const {
  auto const max = bodies_max_.find(player);
  if (max == bodies_max_.end()) return UINT32_MAX;
  for (const sim::PlayerView& view : simulation().players())
    if (view.player == player) return max->second - std::min(max->second, view.spawned_count);
  return max->second;
}

// Inputs beyond the policy's rate or the token's bodies reach neither the simulation nor the recording, which
// a flood would fill. Spawns while ticks take too long do not either. A tick's inputs must fit its record,
// which clients that simulate receive: custom commands are bounded by bytes too.
void Room::refuse_floods() {
  constexpr std::size_t kCustomBytesMax = std::size_t{256} * 1024;
  constexpr std::size_t kCustomBytesOfPlayerMax = std::size_t{64} * 1024;
  std::size_t custom_bytes = 0;
  std::size_t custom_bytes_of_player = 0;
  sim::PlayerId player = sim::kServerPlayer;
  std::uint32_t affordable = 0;
  std::uint32_t spawns = 0;
  std::erase_if(inputs_, [&](const sim::Input& input) {
    if (input.player == sim::kServerPlayer) return false;
    if (input.player != player) {
      player = input.player;
      affordable = simulation().affordable_commands(player);
      custom_bytes_of_player = 0;
      spawns = affordable_spawns(player);
    }
    auto const* const custom = std::get_if<sim::CustomCommand>(&input.command);
    std::size_t const bytes = custom == nullptr ? 0 : custom->bytes.size();
    if (affordable == 0 || custom_bytes + bytes > kCustomBytesMax ||
        custom_bytes_of_player + bytes > kCustomBytesOfPlayerMax) {
      refuse(input, sim::Refusal::kRateLimited);
      return true;
    }
    --affordable;
    custom_bytes += bytes;
    custom_bytes_of_player += bytes;
    bool const is_spawn = std::holds_alternative<sim::SpawnCommand>(input.command);
    if (is_spawn && spawns == 0) {
      refuse(input, sim::Refusal::kTooManySpawned);
      return true;
    }
    bool const adds_contacts = is_spawn || std::holds_alternative<sim::TeleportCommand>(input.command);
    if (!governor_.is_overloaded() || !adds_contacts) {
      if (is_spawn) --spawns;
      return false;
    }
    refuse(input, sim::Refusal::kOverloaded);
    if (is_spawn) ++publisher_.counters().spawns_refused;
    return true;
  });
}

void Room::note_refused(const sim::TickResult& result, RoomUpdate& update) {
  auto const from_players = static_cast<std::uint64_t>(std::count_if(
      inputs_.begin(), inputs_.end(), [](const sim::Input& i) { return i.player != sim::kServerPlayer; }));
  std::uint64_t refused_count = 0;
  for (const sim::RefusedInput& refused : result.refused) {
    if (refused.player != sim::kServerPlayer) {
      ++refused_count;
      protocol::CommandOutcome const outcome = sim::to_outcome(refused, result.tick - 1);
      publisher_.counters().count_refused(outcome.refusal);
      tell(refused.player, outcome);
      continue;
    }
    if (auto const join = joins_.find(refused.sequence); join != joins_.end()) {
      update.kicks.push_back({join->second.player, std::string(message(refused.reason))});
      publisher_.turn_away(join->second.player);
      players_.erase(join->second.player);
      joins_.erase(join);
    }
  }
  // Who was not refused is in.
  RoomCounters& counters = publisher_.counters();
  counters.joined += static_cast<std::uint64_t>(
      std::ranges::count_if(joins_, [](auto const& join) { return join.second.is_new; }));
  joins_.clear();
  counters.inputs_applied += from_players - refused_count;
}

}  // namespace takt::server
