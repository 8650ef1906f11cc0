#include "takt/sim/simulation.h"

#include <algorithm>
#include <utility>

#include "sim/commands/command_rules.h"
#include "sim/recording/simulation_image.h"
#include "sim/recording/state_encoding.h"
#include "sim/scene/scene_joints.h"
#include "sim/scene/scene_ropes.h"
#include "sim/shuttles.h"
#include "sim/state/game_state.h"
#include "sim/state/tick_scope.h"
#include "takt/core/assert.h"
#include "takt/core/hash.h"
#include "takt/core/state_fields.h"
#include "takt/physics/float_control.h"

namespace takt::sim {

struct SimulationSnapshot::Impl {
  AnyWorldSnapshot world;
  SimState state;
  SavedGame game;
};

SimulationSnapshot::SimulationSnapshot() = default;
SimulationSnapshot::~SimulationSnapshot() = default;
SimulationSnapshot::SimulationSnapshot(SimulationSnapshot&&) noexcept = default;
SimulationSnapshot& SimulationSnapshot::operator=(SimulationSnapshot&&) noexcept = default;

struct Simulation::Impl {
  AnyWorld world;
  SimState state;
  std::unique_ptr<Game> game;
  std::vector<const Input*> order;           // scratch of step
  std::optional<std::string> shadowed_game;  // of a shadow: the name of the live simulation's game, if any
  SavedGame shadow_game;                     // of a shadow: the game's state of the snapshot

  Impl(AnyWorld w, SimState s, std::unique_ptr<Game> g)
      : world(std::move(w)), state(std::move(s)), game(std::move(g)) {}

  void prepare(std::span<const Input> inputs, TickResult& result);
  [[nodiscard]] Refusal apply(const Input& input, TickResult& result, std::uint64_t* created);
  void apply_forces();
  [[nodiscard]] std::vector<std::byte> game_bytes() const;
  void capture_game(SavedGame& out) const;
  [[nodiscard]] std::string_view game_name() const {
    if (game != nullptr) return game->name();
    return shadowed_game ? std::string_view(*shadowed_game) : std::string_view();
  }
  [[nodiscard]] bool has_game() const noexcept { return game != nullptr || shadowed_game; }
};

namespace {

std::string_view name_of(const Game* game) { return game != nullptr ? game->name() : std::string_view(); }

TickScope scope_of(AnyWorld& world, SimState& state, TickResult& result) {
  return {world, state, result.spawned, result.removed, result.tickets, result.messages};
}

// Ids of a scene's lists, in their order.
struct SceneIds {
  std::vector<BodyId> bodies;
  std::vector<JointId> joints;
  std::vector<RopeId> ropes;
};

// Creates the scene's bodies, ropes and joints. Not inlined: the caller holds a FloatControlGuard.
[[gnu::noinline]] bool populate(const Scene& scene, AnyWorld& world, SimState& state, SceneIds& out) {
  std::vector<BodyId>& ids = out.bodies;
  for (const SceneBody& body : scene.bodies) {
    if (body.mover) {
      Result<MoverId, PhysicsError> const mover = world.create_mover(*body.mover);
      if (!mover) return false;
      ids.push_back(world.mover(*mover).body);
      continue;
    }
    BodyDef def = body.def;
    def.shapes = body.shapes;
    Result<BodyId, PhysicsError> const id = world.create_body(def);
    if (!id) return false;
    ids.push_back(*id);
    if (body.motion)
      state.shuttles.push_back(make_shuttle(*id, def.position, *body.motion, scene.world.tick_rate_hz));
  }
  for (const SceneRope& rope : scene.ropes) {
    auto const id =
        with_definition(rope, ids, [&world](const RopeDef& def) { return world.create_rope(def); });
    if (!id) return false;
    out.ropes.push_back(*id);
  }
  for (const SceneJoint& joint : scene.joints) {
    auto const id = world.create_joint(definition_in(world, joint, ids, out.joints));
    if (!id) return false;
    out.joints.push_back(*id);
  }
  return true;
}

// A state and a world from the same image must agree about bodies.
bool is_rooted(const SimState& state, const AnyWorld& world) {
  auto const lives = [&](BodyId body) { return world.contains(body); };
  return std::ranges::all_of(state.owned, lives, &OwnedBody::body) &&
         std::ranges::all_of(state.forces, lives, &LastingForce::body) &&
         std::ranges::all_of(state.shuttles, lives, &Shuttle::body);
}

}  // namespace

Simulation::Simulation(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;
Simulation::~Simulation() = default;

Result<Simulation, SimError> Simulation::create(const Scene& scene, NumbersMode numbers,
                                                std::unique_ptr<Game> game, std::string* game_text) {
  TAKT_ASSERT(name_of(game.get()).size() <= kMaxGameNameBytes);
  FloatControlGuard const guard;
  Result<AnyWorld, PhysicsError> world = AnyWorld::create(scene.world, numbers);
  if (!world) return SimError::kSceneRefused;
  SimState state;
  state.scene_hash = sim::scene_hash(scene);
  state.policy = scene.policy;
  SceneIds ids;
  if (!is_valid(state.policy) || !populate(scene, *world, state, ids)) return SimError::kSceneRefused;
  if (game != nullptr) {
    SceneNames names(scene, *world);
    names.bodies_ = std::move(ids.bodies);
    names.joints_ = std::move(ids.joints);
    names.ropes_ = std::move(ids.ropes);
    TickResult nothing;  // clients receive the bodies of tick 0 when they join, and nobody is joined yet
    TickScope scope = scope_of(*world, state, nothing);
    WorldAccess access(scope);
    if (!game->on_start(access, names)) {
      if (game_text != nullptr) *game_text = std::move(scope.acting.refusal_text);
      return SimError::kSceneRefusedByGame;
    }
  }
  return Simulation(std::make_unique<Impl>(*std::move(world), std::move(state), std::move(game)));
}

Result<Simulation, SimError> Simulation::restore(std::span<const std::byte> image, std::unique_ptr<Game> game,
                                                 std::string* game_text) {
  Result<ImageSections, SimError> const sections = parse_image(image);
  if (!sections) return sections.error();
  if (sections->game_name != name_of(game.get())) return SimError::kGameMismatch;
  std::optional<SimState> state = decode_state(sections->state);
  if (!state) return SimError::kImageInconsistent;
  Result<AnyWorld, PhysicsError> world = AnyWorld::restore(sections->world, sections->numbers);
  if (!world) {
    bool const is_other_version = world.error() == PhysicsError::kImageVersion;
    return is_other_version ? SimError::kImageVersion : SimError::kWorldRefused;
  }
  if (world->tick() != sections->tick || !is_rooted(*state, *world)) return SimError::kImageInconsistent;
  if (game != nullptr) {
    if (std::optional<std::string> refusal = load_game(*game, sections->game)) {
      if (game_text != nullptr) *game_text = *std::move(refusal);
      return SimError::kGameRefused;
    }
  } else if (!sections->game.empty()) {
    return SimError::kImageInconsistent;
  }
  return Simulation(std::make_unique<Impl>(*std::move(world), *std::move(state), std::move(game)));
}

Simulation Simulation::make_shadow(const Simulation& live) {
  FloatControlGuard const guard;
  Result<AnyWorld, PhysicsError> world = AnyWorld::create(live.impl_->world.def(), live.numbers());
  TAKT_ASSERT(world.ok());  // the live world has the same definition
  auto impl = std::make_unique<Impl>(*std::move(world), SimState{}, nullptr);
  if (live.impl_->has_game()) impl->shadowed_game = live.impl_->game_name();
  return Simulation(std::move(impl));
}

std::vector<std::byte> Simulation::Impl::game_bytes() const {
  if (game == nullptr) return shadow_game.bytes;
  std::vector<std::byte> bytes;
  save_game(*game, bytes);
  return bytes;
}

void Simulation::Impl::capture_game(SavedGame& out) const {
  if (game != nullptr) {
    save_game(*game, out);
  } else {
    out = shadow_game;
  }
}

void Simulation::Impl::apply_forces() {
  auto const wide = [](const Vec3<float>& v) {
    return Vec3<double>{static_cast<double>(v.x), static_cast<double>(v.y), static_cast<double>(v.z)};
  };
  for (LastingForce& force : state.forces) {
    (void)world.apply_force(force.body, wide(force.force_n),
                            wide(force.torque_n_m));  // the body lives: forget_body saw to it
    --force.ticks_left;
  }
  std::erase_if(state.forces, [](const LastingForce& f) { return f.ticks_left == 0; });
}

// Everything of a tick before physics. Not inlined: the caller holds a FloatControlGuard.
[[gnu::noinline]] void Simulation::Impl::prepare(std::span<const Input> inputs, TickResult& result) {
  order.clear();
  for (const Input& input : inputs) order.push_back(&input);
  std::ranges::stable_sort(order, [](const Input* a, const Input* b) {
    return a->player != b->player ? a->player < b->player : a->sequence < b->sequence;
  });
  TickScope scope = scope_of(world, state, result);
  WorldAccess access(scope);
  CommandRules rules(scope, game.get(), access);
  CommandRules::refill(state, world.def().tick_rate_hz);
  for (const Input* input : order) {
    scope.acting = {input->player, input->sequence, {}, 0};
    Refusal const refusal = rules.apply(*input);
    if (refusal == Refusal::kNone) continue;
    RefusedInput refused{input->player, input->sequence, refusal, {}};
    if (refusal == Refusal::kGameRefused) refused.text = std::move(scope.acting.refusal_text);
    result.refused.push_back(std::move(refused));
  }
  scope.acting = {};
  if (game != nullptr) game->before_tick(access);
  apply_forces();
  drive_shuttles(state, world);
}

// Not inlined: the caller holds a FloatControlGuard.
[[gnu::noinline]] Refusal Simulation::Impl::apply(const Input& input, TickResult& result,
                                                  std::uint64_t* created) {
  TickScope scope = scope_of(world, state, result);
  WorldAccess access(scope);
  scope.acting = {input.player, input.sequence, {}, 0};
  Refusal const refusal = CommandRules(scope, nullptr, access).apply(input);
  if (created != nullptr) *created = scope.acting.created;
  return refusal;
}

Refusal Simulation::apply(const Input& input, TickResult& result, std::uint64_t* created) {
  TAKT_ASSERT(!impl_->has_game() && input.player == kServerPlayer);
  FloatControlGuard const guard;
  return impl_->apply(input, result, created);
}

TickResult Simulation::step(std::span<const Input> inputs, const TickOptions& options) {
  TAKT_ASSERT(!impl_->shadowed_game);  // a shadow has no code of the game
  TickResult result;
  {
    FloatControlGuard const guard;
    impl_->prepare(inputs, result);
  }
  result.status = impl_->world.step(options.step);
  if (impl_->game != nullptr) {
    FloatControlGuard const guard;
    TickScope scope = scope_of(impl_->world, impl_->state, result);
    WorldAccess access(scope);
    impl_->game->after_tick(access, impl_->world.events());
  }
  std::ranges::sort(result.spawned);
  std::ranges::sort(result.removed);
  std::ranges::sort(result.tickets, {}, &SpawnTicket::body);
  result.tick = tick();
  for (GameMessage& message : result.messages) message.tick = result.tick;
  if (options.want_hash) result.hash = hash();
  return result;
}

std::uint64_t Simulation::tick() const noexcept { return impl_->world.tick(); }
std::uint64_t Simulation::scene_hash() const noexcept { return impl_->state.scene_hash; }
NumbersMode Simulation::numbers() const noexcept { return impl_->world.numbers(); }
const CommandPolicy& Simulation::policy() const noexcept { return impl_->state.policy; }
void Simulation::set_policy(const CommandPolicy& policy) {
  TAKT_ASSERT(tick() == 0 && is_valid(policy));
  impl_->state.policy = policy;
}
void Simulation::set_max_contacts(std::uint32_t max_contacts) {
  TAKT_ASSERT(tick() == 0);
  impl_->world.set_max_contacts(max_contacts);
}
const AnyWorld& Simulation::world() const noexcept { return impl_->world; }
const StepEvents& Simulation::events() const noexcept { return impl_->world.events(); }
const Game* Simulation::game() const noexcept { return impl_->game.get(); }
Game* Simulation::game() noexcept { return impl_->game.get(); }

std::vector<PlayerView> Simulation::players() const {
  std::vector<PlayerView> views;
  for (const Player& player : impl_->state.players) {
    PlayerView view;
    view.player = player.id;
    view.admin = player.admin;
    view.name = player.name;
    view.last_sequence = player.last_sequence;
    view.spawned_count = impl_->state.owned_count(player.id);
    if (player.grab && impl_->world.contains(player.grab))
      view.grabbed = impl_->world.grabbed_body(player.grab);
    views.push_back(view);
  }
  return views;
}
std::uint32_t Simulation::server_sequence() const noexcept { return impl_->state.server_sequence; }
std::uint32_t Simulation::affordable_commands(PlayerId id) const noexcept {
  CommandPolicy const& policy = impl_->state.policy;
  const Player* const player = impl_->state.find_player(id);
  if (player == nullptr) return policy.command_burst;
  if (player->admin) return UINT32_MAX;
  std::uint64_t const price = impl_->world.def().tick_rate_hz;
  std::uint64_t const allowance =
      std::min(policy.command_burst * price, player->allowance + policy.commands_per_second);
  return static_cast<std::uint32_t>(allowance / price);
}
bool Simulation::has_player(PlayerId player) const noexcept {
  return impl_->state.find_player(player) != nullptr;
}
PlayerId Simulation::owner(BodyId body) const noexcept { return impl_->state.owner_of(body); }

EditResult Simulation::correct(BodyId body, const BodyCorrection& correction) {
  return impl_->world.correct(body, correction);
}

Result<BodyId, PhysicsError> Simulation::admit_body(BodyId id, const BodyDef& def, PlayerId owner) {
  auto body = impl_->world.create_body_as(id, def);
  if (body && owner != kServerPlayer) impl_->state.set_owner(*body, owner);
  return body;
}

EditResult Simulation::dismiss_body(BodyId body) {
  TickResult nothing;
  TickScope scope = scope_of(impl_->world, impl_->state, nothing);
  return scope.destroy_body(body);
}

AnyWorld& Simulation::local_world() noexcept { return impl_->world; }

std::uint64_t Simulation::hash() const {
  std::vector<std::byte> bytes;
  encode_state(impl_->state, bytes);
  std::uint64_t const state_hash = hash_bytes(bytes);
  std::uint64_t const game_hash = impl_->has_game() ? hash_bytes(impl_->game_bytes()) : 0;
  // The state hash depends on this order.
  bytes.clear();
  ByteWriter out(bytes);
  out.put(impl_->world.hash());
  out.put(state_hash);
  out.put(game_hash);
  return hash_bytes(bytes);
}

std::vector<std::byte> Simulation::save() const {
  std::vector<std::byte> state;
  encode_state(impl_->state, state);
  std::vector<std::byte> const game = impl_->game_bytes();
  std::vector<std::byte> const world = impl_->world.save();
  ImageSections sections;
  sections.numbers = numbers();
  sections.tick = tick();
  sections.game_name = impl_->game_name();
  sections.state = state;
  sections.game = game;
  sections.world = world;
  return frame_image(sections);
}

std::vector<StateDifference> Simulation::diff(const Simulation& left, const Simulation& right,
                                              std::size_t max) {
  TAKT_ASSERT(left.numbers() == right.numbers());
  return compare_records([&](FieldSink& sink) { left.list_fields(sink); },
                         [&](FieldSink& sink) { right.list_fields(sink); }, max);
}

void Simulation::list_fields(FieldSink& sink) const {
  sim::list_fields(impl_->state, sink);
  sink.begin_record("game_name", kNotInList);
  sink.field({"name", FieldKind::kText, 0, impl_->game_name()});
  sink.end_record();
  SavedGame game;
  impl_->capture_game(game);
  list_game(game, sink);
  impl_->world.visit([&](const auto& world) { world.list_fields(sink); });
}

void Simulation::capture(SimulationSnapshot& out) const {
  if (!out.impl_) out.impl_ = std::make_unique<SimulationSnapshot::Impl>();
  impl_->world.capture(out.impl_->world);
  out.impl_->state = impl_->state;
  impl_->capture_game(out.impl_->game);
}

void Simulation::rollback(const SimulationSnapshot& from) {
  TAKT_ASSERT(from.impl_ != nullptr);
  impl_->world.rollback(from.impl_->world);
  impl_->state = from.impl_->state;
  if (impl_->shadowed_game) impl_->shadow_game = from.impl_->game;
  if (impl_->game != nullptr) {
    bool const is_loaded = !load_game(*impl_->game, from.impl_->game.bytes);
    TAKT_ASSERT(is_loaded);  // visit_state visits the same fields when it saves and when it loads
  }
}

void Simulation::drop_derived_state() { impl_->world.drop_derived_state(); }

}  // namespace takt::sim
