#include "sim/commands/command_rules.h"

#include <algorithm>
#include <array>

#include "sim/commands/command_checks.h"
#include "sim/commands/engine_refusal.h"
#include "sim/state/policy_fields.h"
#include "takt/physics/bounds.h"

namespace takt::sim {
namespace {

constexpr double kMaxComponent =
    1e9;  // of impulses, forces and torques: beyond it no engine field holds the result
constexpr double kMaxMoveSpeed =
    1000.0;  // what a mover takes as wanted; its own max_speed_m_s is the limit that counts

Vec3<double> widened(const Vec3<float>& v) noexcept {
  return {static_cast<double>(v.x), static_cast<double>(v.y), static_cast<double>(v.z)};
}
Quat<double> widened(const Quat<float>& q) noexcept {
  return {static_cast<double>(q.x), static_cast<double>(q.y), static_cast<double>(q.z),
          static_cast<double>(q.w)};
}

double square(const Vec3<double>& v) noexcept { return v.x * v.x + v.y * v.y + v.z * v.z; }

bool is_finite(float f) noexcept { return f - f == 0.0f; }
bool is_finite(const Vec3<float>& v) noexcept { return is_finite(v.x) && is_finite(v.y) && is_finite(v.z); }
bool is_finite(const Quat<float>& q) noexcept {
  return is_finite(q.x) && is_finite(q.y) && is_finite(q.z) && is_finite(q.w);
}

// A vector of a command: finite, inside what the engine holds, and not longer than the policy's limit.
Refusal check_vector(const Vec3<float>& v, double engine_limit, double policy_limit,
                     bool is_privileged) noexcept {
  if (!is_finite(v)) return Refusal::kNotFinite;
  Vec3<double> const wide = widened(v);
  double const length_square = square(wide);
  // The tolerance is the engine's own: a vector at a limit is above it by its rounding to binary32.
  if (length_square > engine_limit * engine_limit * (1.0 + 1e-6)) return Refusal::kOutOfRange;
  if (!is_privileged && length_square > policy_limit * policy_limit * (1.0 + 1e-6))
    return Refusal::kOverLimit;
  return Refusal::kNone;
}

Refusal check_rotation(const Quat<float>& rotation) noexcept {
  if (!is_finite(rotation)) return Refusal::kNotFinite;
  Quat<double> const q = widened(rotation);
  double const length_square = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
  bool const is_inside =
      length_square >= 0.99 * 0.99 * (1.0 - 1e-6) && length_square <= 1.01 * 1.01 * (1.0 + 1e-6);
  return is_inside ? Refusal::kNone : Refusal::kOutOfRange;
}

// Half the edge of a cube around the body's origin that lies inside the shape however it is turned; 0 =
// unknown.
double inner_half_m(const ShapeDef& shape) noexcept {
  if (shape.local_position_m != Vec3<double>{}) return 0.0;
  constexpr double kCubeInSphere = 0.577;  // just below 1 / sqrt(3)
  switch (shape.kind) {
    case ShapeKind::kSphere:
    case ShapeKind::kCapsule: return kCubeInSphere * shape.radius_m;
    case ShapeKind::kCylinder: return kCubeInSphere * minimum(shape.radius_m, shape.half_length_m);
    case ShapeKind::kBox: {
      Vec3<double> const& half = shape.half_extents_m;
      return kCubeInSphere * minimum(half.x, minimum(half.y, half.z));
    }
    default: return 0.0;
  }
}

}  // namespace

void CommandRules::refill(SimState& state, std::uint32_t tick_rate_hz) {
  std::uint64_t const full = std::uint64_t{state.policy.command_burst} * tick_rate_hz;
  for (Player& player : state.players)
    player.allowance = std::min(full, player.allowance + state.policy.commands_per_second);
}

Refusal CommandRules::apply(const Input& input) {
  Actor actor{input.player, nullptr, true};
  Refusal const refusal = admit(input, actor);
  if (refusal != Refusal::kNone) return refusal;
  return std::visit(
      [&]<class C>(const C& command) {
        return ServerCommand<C> && actor.id != kServerPlayer ? Refusal::kServerOnly : act(actor, command);
      },
      input.command);
}

// Tick, membership, sequence and rate: what is checked before looking at the command.
Refusal CommandRules::admit(const Input& input, Actor& actor) {
  SimState& state = scope_->state;
  if (input.tick != scope_->world.tick()) return Refusal::kWrongTick;
  std::uint32_t* last_sequence = &state.server_sequence;
  if (input.player != kServerPlayer) {
    actor.player = state.find_player(input.player);
    if (actor.player == nullptr) return Refusal::kNotJoined;
    actor.is_privileged = actor.player->admin;
    last_sequence = &actor.player->last_sequence;
  }
  if (input.sequence <= *last_sequence) return Refusal::kStaleSequence;
  *last_sequence = input.sequence;
  if (!actor.is_privileged) {
    std::uint32_t const price = scope_->world.def().tick_rate_hz;
    if (actor.player->allowance < price) return Refusal::kRateLimited;
    actor.player->allowance -= price;
  }
  return Refusal::kNone;
}

Refusal CommandRules::may_touch(const Actor& actor, BodyId body, Touch touch) const {
  if (!scope_->world.contains(body)) return Refusal::kUnknownBody;
  if (actor.is_privileged) return Refusal::kNone;
  bool const is_own = scope_->state.owner_of(body) == actor.id;
  bool const is_allowed = touch == Touch::kAnything || (touch == Touch::kOwn && is_own);
  return is_allowed ? Refusal::kNone : Refusal::kForbidden;
}

Refusal CommandRules::check_pushable(const Actor& actor, BodyId body, Touch touch) const {
  Refusal const refusal = may_touch(actor, body, touch);
  if (refusal != Refusal::kNone) return refusal;
  return scope_->world.body_type(body) == BodyType::kDynamic ? Refusal::kNone : Refusal::kNotDynamic;
}

Refusal CommandRules::act(const Actor& actor, const ImpulseCommand& command) {
  CommandPolicy const& policy = scope_->state.policy;
  Refusal refusal = first_of(
      {check_pushable(actor, command.body, policy.push),
       check_vector(command.impulse_n_s, kMaxComponent, policy.max_impulse_n_s, actor.is_privileged)});
  if (refusal == Refusal::kNone && command.point_local_m)
    refusal = check_vector(*command.point_local_m, kMaxExtentM, kMaxExtentM, true);
  if (refusal != Refusal::kNone) return refusal;
  AnyWorld& world = scope_->world;
  if (!command.point_local_m)
    return refusal_of(world.apply_impulse(command.body, widened(command.impulse_n_s)));
  Position const point = world.world_point(command.body, widened(*command.point_local_m));
  return refusal_of(world.apply_impulse_at(command.body, widened(command.impulse_n_s), point));
}

Refusal CommandRules::act(const Actor& actor, const ForceCommand& command) {
  SimState& state = scope_->state;
  CommandPolicy const& policy = state.policy;
  Refusal const refusal =
      first_of({check_pushable(actor, command.body, policy.push),
                check_vector(command.force_n, kMaxComponent, policy.max_force_n, actor.is_privileged),
                check_vector(command.torque_n_m, kMaxComponent, policy.max_torque_n_m, actor.is_privileged)});
  if (refusal != Refusal::kNone) return refusal;
  if (command.ticks < 1 || command.ticks > kMaxForceTicks) return Refusal::kOutOfRange;
  bool const is_over_share =
      !actor.is_privileged && state.force_count(actor.id) >= policy.max_forces_per_player;
  if (is_over_share || state.forces.size() >= kMaxLastingForces) return Refusal::kTooManyForces;
  state.forces.push_back({actor.id, command.body, command.force_n, command.torque_n_m, command.ticks});
  return Refusal::kNone;
}

// Counts the shapes of the world that these meet, up to the policy's limit. A query that the engine refuses
// has no hit; creating the body then fails for the same reason. Bodies of players whose origins lie deep
// inside come first: comparing integers is cheap, while the penetration of bodies at one point is the dearest
// query.
bool CommandRules::is_crowded(std::span<const Query> queries) const {
  std::size_t const max = scope_->state.policy.max_overlaps;
  if (max == kMaxPolicyCount) return false;  // no limit: counting thousands of hits would be the cost itself
  std::size_t count = 0;
  std::vector<QueryHit> hits;
  for (const Query& query : queries) {
    if (count_origins_inside(query, max) > max) return true;
    (void)scope_->world.query(query, hits);
    count += hits.size();
    if (count > max) return true;
  }
  return false;
}

// At most `max` + 1: players' bodies whose origin is within a cube that the shape of the query contains.
std::size_t CommandRules::count_origins_inside(const Query& query, std::size_t max) const {
  auto const half_raw = static_cast<std::int64_t>(inner_half_m(query.shape) * 0x1p32);
  std::size_t count = 0;
  for (const OwnedBody& owned : scope_->state.owned) {
    if (std::ranges::find(query.ignore, owned.body) != query.ignore.end()) continue;
    Position const origin = scope_->world.world_point(owned.body, {});
    auto const is_near = [half_raw](std::int64_t a, std::int64_t b) {
      return a - b <= half_raw && b - a <= half_raw;  // commands' coordinates leave room for the difference
    };
    bool const is_inside = is_near(origin.x_raw, query.position.x_raw) &&
                           is_near(origin.y_raw, query.position.y_raw) &&
                           is_near(origin.z_raw, query.position.z_raw);
    if (is_inside && ++count > max) break;
  }
  return count;
}

// A refusal costs a second of commands: finding the others at a crowded place takes 20 to 150 us.
Refusal CommandRules::refuse_crowded(const Actor& actor) {
  std::uint64_t const price =
      std::uint64_t{scope_->state.policy.commands_per_second} * scope_->world.def().tick_rate_hz;
  actor.player->allowance -= std::min(actor.player->allowance, price);
  return Refusal::kTooCrowded;
}

Refusal CommandRules::act(const Actor& actor, const SpawnCommand& command) {
  CommandPolicy const& policy = scope_->state.policy;
  if (!actor.is_privileged) {
    if (!policy.spawn) return Refusal::kForbidden;
    if (scope_->state.owned_count(actor.id) >= policy.max_spawned_per_player) return Refusal::kTooManySpawned;
    if (scope_->state.owned.size() >= policy.max_spawned_total) return Refusal::kTooManyBodies;
  }
  bool const is_simple = command.kind == ShapeKind::kSphere || command.kind == ShapeKind::kCapsule ||
                         command.kind == ShapeKind::kBox || command.kind == ShapeKind::kCylinder ||
                         command.kind == ShapeKind::kCone;
  if (!is_simple) return Refusal::kBadShape;
  Refusal const refusal = first_of({check_vector(command.linear_velocity_m_s, kMaxLinearSpeedMS,
                                                 policy.max_speed_m_s, actor.is_privileged),
                                    check_vector(command.angular_velocity_rad_s, kMaxAngularSpeedRadS,
                                                 policy.max_spin_rad_s, actor.is_privileged),
                                    check_rotation(command.rotation)});
  if (refusal != Refusal::kNone) return refusal;
  if (!is_finite(command.dimensions_m) || !is_finite(command.density_kg_m3) || !is_finite(command.friction) ||
      !is_finite(command.restitution)) {
    return Refusal::kNotFinite;
  }
  if (!is_inside(command.position)) return Refusal::kOutOfRange;
  Vec3<double> const size = widened(command.dimensions_m);
  double const largest =
      maximum(size.x, command.kind == ShapeKind::kSphere
                          ? size.x
                          : maximum(size.y, command.kind == ShapeKind::kBox ? size.z : size.y));
  bool const is_over =
      !is_at_most(largest, policy.max_spawn_size_m) ||
      !is_at_most(static_cast<double>(command.density_kg_m3), policy.max_spawn_density_kg_m3);
  if (!actor.is_privileged && is_over) return Refusal::kOverLimit;

  ShapeDef shape;
  shape.kind = command.kind;
  shape.half_extents_m = size;
  shape.radius_m = size.x;
  shape.half_length_m = size.y;
  shape.density_kg_m3 = static_cast<double>(command.density_kg_m3);
  shape.friction = static_cast<double>(command.friction);
  shape.restitution = static_cast<double>(command.restitution);
  if (!actor.is_privileged) {
    Query query = Query::overlap(shape, command.position, widened(command.rotation), QueryMode::kAll);
    query.skip_surfaces = true;
    if (is_crowded({&query, 1})) return refuse_crowded(actor);
  }
  BodyDef def;
  def.position = command.position;
  def.rotation = widened(command.rotation);
  def.linear_velocity_m_s = widened(command.linear_velocity_m_s);
  def.angular_velocity_rad_s = widened(command.angular_velocity_rad_s);
  def.user_tag = command.user_kind;
  def.shapes = std::span(&shape, 1);
  Result<BodyId, PhysicsError> const body = scope_->create_body(def, actor.id);
  if (body && game_ != nullptr && actor.id != kServerPlayer)
    game_->on_spawn(*access_, {*body, actor.id, scope_->acting.sequence});
  return refusal_of(body);
}

Refusal CommandRules::act(const Actor& actor, const DespawnCommand& command) {
  Refusal const refusal = may_touch(actor, command.body, scope_->state.policy.despawn);
  if (refusal != Refusal::kNone) return refusal;
  // However generous the policy, the ground and the movers are the scene's.
  if (!actor.is_privileged && scope_->world.body_type(command.body) != BodyType::kDynamic)
    return Refusal::kForbidden;
  return refusal_of(scope_->destroy_body(command.body));
}

// A grab that no player has is the server's: commands alone create grabs.
GrabId CommandRules::living_grab(const Actor& actor) {
  if (actor.player != nullptr) return scope_->living_grab(*actor.player);
  std::vector<GrabView> grabs;
  scope_->world.list_grabs(grabs);
  for (const GrabView& grab : grabs) {
    auto const has = [&](const Player& player) { return player.grab == grab.id; };
    if (std::ranges::none_of(scope_->state.players, has)) return grab.id;
  }
  return {};
}

Refusal CommandRules::act(const Actor& actor, const GrabCommand& command) {
  CommandPolicy const& policy = scope_->state.policy;
  Refusal const refusal = first_of({check_pushable(actor, command.body, policy.grab),
                                    check_vector(command.point_local_m, kMaxExtentM, kMaxExtentM, true)});
  if (refusal != Refusal::kNone) return refusal;
  if (living_grab(actor)) return Refusal::kAlreadyGrabbing;
  if (!is_finite(command.max_force_n)) return Refusal::kNotFinite;
  double const max_force_n = static_cast<double>(command.max_force_n);
  if (!is_inside(command.target) || !(max_force_n > 0) || max_force_n > kMaxComponent)
    return Refusal::kOutOfRange;
  if (!actor.is_privileged && !is_at_most(max_force_n, policy.max_grab_force_n)) return Refusal::kOverLimit;
  Result<GrabId, PhysicsError> const grab =
      scope_->world.create_grab(command.body, widened(command.point_local_m), command.target, max_force_n);
  if (grab && actor.player != nullptr) actor.player->grab = *grab;
  return refusal_of(grab);
}

Refusal CommandRules::act(const Actor& actor, const MoveGrabCommand& command) {
  GrabId const grab = living_grab(actor);
  if (!grab) return Refusal::kNotGrabbing;
  if (!is_inside(command.target)) return Refusal::kOutOfRange;
  return refusal_of(scope_->world.move_grab(grab, command.target));
}

Refusal CommandRules::act(const Actor& actor, const ReleaseCommand&) {
  GrabId const grab = living_grab(actor);
  if (!grab) return Refusal::kNotGrabbing;
  if (actor.player != nullptr) actor.player->grab = GrabId{};
  return refusal_of(scope_->world.destroy_grab(grab));
}

Refusal CommandRules::act(const Actor& actor, const TeleportCommand& command) {
  CommandPolicy const& policy = scope_->state.policy;
  Refusal const refusal = first_of({may_touch(actor, command.body, policy.teleport),
                                    check_vector(command.linear_velocity_m_s, kMaxLinearSpeedMS,
                                                 policy.max_speed_m_s, actor.is_privileged),
                                    check_vector(command.angular_velocity_rad_s, kMaxAngularSpeedRadS,
                                                 policy.max_spin_rad_s, actor.is_privileged),
                                    check_rotation(command.rotation)});
  if (refusal != Refusal::kNone) return refusal;
  if (!is_inside(command.position)) return Refusal::kOutOfRange;
  AnyWorld& world = scope_->world;
  BodyType const type = world.body_type(command.body);
  if (!actor.is_privileged && type != BodyType::kDynamic) return Refusal::kForbidden;
  if (!actor.is_privileged) {
    std::array<BodyId, 1> const itself{command.body};
    std::vector<Query> queries;
    for (ShapeId const id : world.shapes(command.body)) {
      queries.push_back(
          Query::overlap(world.shape(id), command.position, widened(command.rotation), QueryMode::kAll));
      queries.back().ignore = itself;
      queries.back().skip_surfaces = true;
    }
    if (is_crowded(queries)) return refuse_crowded(actor);
  }
  Result<Unit, PhysicsError> const placed =
      world.set_pose(command.body, command.position, widened(command.rotation));
  if (!placed || type == BodyType::kStatic) return refusal_of(placed);
  return refusal_of(world.set_velocity(command.body, widened(command.linear_velocity_m_s),
                                       widened(command.angular_velocity_rad_s)));
}

Refusal CommandRules::act(const Actor& actor, const CustomCommand& command) {
  if (command.bytes.size() > kMaxCustomBytes) return Refusal::kPayloadTooLong;
  if (game_ == nullptr) return Refusal::kNoGame;
  return game_->on_command(*access_, actor.id, command.bytes) ? Refusal::kNone : Refusal::kGameRefused;
}

Refusal CommandRules::act(const Actor&, const JoinCommand& command) {
  SimState& state = scope_->state;
  if (command.player == kServerPlayer) return Refusal::kOutOfRange;
  if (command.name.size() > kMaxPlayerNameBytes) return Refusal::kPayloadTooLong;
  if (state.find_player(command.player) != nullptr) return Refusal::kAlreadyJoined;
  if (state.players.size() >= state.policy.max_players) return Refusal::kTooManyPlayers;
  Player player;
  player.id = command.player;
  player.admin = command.admin;
  player.name = command.name;
  player.allowance = std::uint64_t{state.policy.command_burst} * scope_->world.def().tick_rate_hz;
  auto const at = std::lower_bound(state.players.begin(), state.players.end(), player.id,
                                   [](const Player& p, PlayerId id) { return p.id < id; });
  state.players.insert(at, std::move(player));
  if (game_ != nullptr) game_->on_join(*access_, command.player);
  return Refusal::kNone;
}

Refusal CommandRules::act(const Actor&, const LeaveCommand& command) {
  SimState& state = scope_->state;
  Player* player = state.find_player(command.player);
  if (player == nullptr) return Refusal::kNotJoined;
  if (game_ != nullptr) game_->on_leave(*access_, command.player);
  if (GrabId const grab = scope_->living_grab(*player)) (void)scope_->world.destroy_grab(grab);
  std::erase_if(state.forces, [&](const LastingForce& f) { return f.player == command.player; });
  std::vector<BodyId> theirs;
  for (const OwnedBody& o : state.owned) {
    if (o.owner == command.player) theirs.push_back(o.body);
  }
  for (BodyId const body : theirs) {
    if (state.policy.despawn_on_leave) {
      (void)scope_->destroy_body(body);
    } else {
      state.set_owner(body, kServerPlayer);
    }
  }
  std::erase_if(state.players, [&](const Player& p) { return p.id == command.player; });
  return Refusal::kNone;
}

Refusal CommandRules::act(const Actor& actor, const MoveCommand& command) {
  CommandPolicy const& policy = scope_->state.policy;
  Refusal const refusal = first_of({may_touch(actor, command.body, policy.move),
                                    check_vector(command.velocity_m_s, kMaxMoveSpeed, kMaxMoveSpeed, true)});
  if (refusal != Refusal::kNone) return refusal;
  if (!is_finite(command.turn_rad_s)) return Refusal::kNotFinite;
  MoverId const mover = scope_->world.mover_of(command.body);
  if (!mover) return Refusal::kNotMover;
  MoverInput input;
  input.velocity_m_s = widened(command.velocity_m_s);
  input.turn_rad_s = static_cast<double>(command.turn_rad_s);
  input.in_heading_frame = command.in_heading_frame;
  input.jump = command.jump;
  return refusal_of(scope_->world.set_mover_input(mover, input));
}

Refusal CommandRules::act(const Actor& actor, const CutCommand& command) {
  if (!scope_->world.contains(command.rope)) return Refusal::kUnknownRope;
  CommandPolicy const& policy = scope_->state.policy;
  if (!actor.is_privileged && policy.despawn != Touch::kAnything) return Refusal::kForbidden;
  if (!actor.is_privileged && scope_->world.rope_count() >= policy.max_ropes) return Refusal::kTooManyRopes;
  Result<RopeId, PhysicsError> const cut = scope_->world.cut_rope(command.rope, command.segment);
  return cut ? Refusal::kNone : refusal_of(cut.error());
}

}  // namespace takt::sim
