#include "takt/physics/world.h"

#include "physics/body_changes.h"
#include "physics/definition_check.h"
#include "physics/image.h"
#include "physics/inspection.h"
#include "physics/mass_properties.h"
#include "physics/movers.h"
#include "physics/world_impl.h"
#include "physics/world_query.h"
#include "takt/core/hash.h"
#include "takt/physics/float_control.h"

namespace takt {
namespace {

template <class Real>
Vec3<Real> to_real(Vec3<double> v) noexcept {
  return {takt::to_real<Real>(v.x), takt::to_real<Real>(v.y), takt::to_real<Real>(v.z)};
}

// Normalised in doubles, rounded, and normalised again in Real, so that every rotation in a world is the output of the same function.
template <class Real>
Quat<Real> to_real(Quat<double> q) noexcept {
  double const size = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  return canonical(normalise(Quat<Real>{takt::to_real<Real>(q.x / size), takt::to_real<Real>(q.y / size), takt::to_real<Real>(q.z / size),
                                        takt::to_real<Real>(q.w / size)}));
}

/// Where the middle of a shape stands in its body's frame: a hull's geometry is kept about the middle of its box.
Vec3<double> hull_position(const ShapeDef& def, const PlacedHull& hull) noexcept {
  if (def.kind != ShapeKind::kHull) return def.local_position_m;
  return def.local_position_m + rotate(unit(def.local_rotation), hull.middle_m);
}

template <class Real>
ShapeRecord<Real> to_record(const ShapeDef& def, const PlacedHull& hull, const SurfaceGeometry* surface, std::uint32_t body) noexcept {
  ShapeRecord<Real> record;
  record.body = body;
  record.kind = def.kind;
  switch (def.kind) {
    case ShapeKind::kSphere: record.extents.x = takt::to_real<Real>(def.radius_m); break;
    case ShapeKind::kCapsule:
    case ShapeKind::kCylinder:
    case ShapeKind::kCone:
      record.extents.x = takt::to_real<Real>(def.radius_m);
      record.extents.y = takt::to_real<Real>(def.half_length_m);
      break;
    case ShapeKind::kBox: record.extents = to_real<Real>(def.half_extents_m); break;
    case ShapeKind::kHalfSpace: break;
    case ShapeKind::kHull:
      record.extents.x = canonical(takt::to_real<Real>(def.rounding_m));
      record.geometry = hull.geometry->digest;
      break;
    case ShapeKind::kMesh:
    case ShapeKind::kHeightField: record.geometry = surface->digest; break;
  }
  record.local_position = canonical(to_real<Real>(hull_position(def, hull)));
  record.local_rotation = to_real<Real>(def.local_rotation);
  record.density = canonical(takt::to_real<Real>(def.density_kg_m3));
  record.friction = canonical(takt::to_real<Real>(def.friction));
  record.restitution = canonical(takt::to_real<Real>(def.restitution));
  record.rolling_resistance = canonical(takt::to_real<Real>(def.rolling_resistance));
  record.surface_velocity = canonical(to_real<Real>(def.surface_velocity_m_s));
  record.friction_rule = def.friction_rule;
  record.restitution_rule = def.restitution_rule;
  record.is_sensor = def.is_sensor;
  record.filter = def.filter;
  return record;
}

/// The mass of a body as its record holds it.
struct BodyMass {
  double mass_kg = 0.0;
  Vec3<double> center_m{};
  std::array<double, 6> inverse_inertia{};
};

Result<BodyMass, PhysicsError> body_mass(const BodyDef& def, std::span<const PlacedHull> hulls) {
  BodyMass mass;
  std::array<double, 6> inertia{};
  if (def.mass.has_value()) {
    const MassOverride& given = *def.mass;
    mass.mass_kg = given.mass_kg;
    mass.center_m = given.center_m;
    inertia = {given.inertia_kg_m2.x, given.inertia_kg_m2.y, given.inertia_kg_m2.z, 0.0, 0.0, 0.0};
  } else {
    MassProperties const properties = mass_properties(def.shapes, hulls);
    if (!(properties.mass_kg > 0.0)) return PhysicsError::kNoMass;
    if (properties.mass_kg < kMinMassKg || properties.mass_kg > kMaxMassKg) return PhysicsError::kMassOutOfRange;
    mass.mass_kg = properties.mass_kg;
    mass.center_m = properties.center_m;
    inertia = properties.inertia;
  }
  auto inverse = inverted(inertia);
  if (!inverse.ok()) return inverse.error();
  mass.inverse_inertia = inverse.value();
  return mass;
}

/// The geometry of each shape of `def` that is a hull; null for others. All of it fits the world, or an error says what does not.
Result<std::vector<PlacedHull>, PhysicsError> make_hulls(const BodyDef& def, const GeometryPool<HullGeometry>& pool) {
  std::vector<PlacedHull> hulls(def.shapes.size());
  for (std::size_t i = 0; i < hulls.size(); ++i) {
    if (def.shapes[i].kind != ShapeKind::kHull) continue;
    auto made = make_hull(def.shapes[i].hull_points_m);
    if (!made.ok()) return made.error();
    if (!pool.accepts(*made->geometry)) return PhysicsError::kHullDigestTaken;
    hulls[i] = *std::move(made);
  }
  return hulls;
}

/// The geometry of each shape of `def` that is a mesh or height field; null for others.
Result<std::vector<std::shared_ptr<const SurfaceGeometry>>, PhysicsError> make_surfaces(const BodyDef& def,
                                                                                        const GeometryPool<SurfaceGeometry>& pool) {
  std::vector<std::shared_ptr<const SurfaceGeometry>> surfaces(def.shapes.size());
  for (std::size_t i = 0; i < surfaces.size(); ++i) {
    const ShapeDef& shape = def.shapes[i];
    if (!is_surface(shape.kind)) continue;
    auto made = shape.kind == ShapeKind::kMesh ? make_surface(*shape.mesh) : make_surface(*shape.height_field);
    if (!made.ok()) return made.error();
    if (!pool.accepts(**made)) return PhysicsError::kHullDigestTaken;
    surfaces[i] = *std::move(made);
  }
  return surfaces;
}

}  // namespace

// --- snapshots ------------------------------------------------------------------------------------------------------------------

template <class Real>
WorldSnapshot<Real>::WorldSnapshot() : state_(std::make_unique<WorldState<Real>>()) {}
template <class Real>
WorldSnapshot<Real>::WorldSnapshot(WorldSnapshot&&) noexcept = default;
template <class Real>
WorldSnapshot<Real>& WorldSnapshot<Real>::operator=(WorldSnapshot&&) noexcept = default;
template <class Real>
WorldSnapshot<Real>::~WorldSnapshot() = default;

template <class Real>
std::size_t WorldSnapshot<Real>::size_bytes() const noexcept {
  auto const pool_bytes = [](const auto& pool) { return pool.records.size() * sizeof(pool.records[0]) + pool.slots.size() * sizeof(Slot); };
  return sizeof(WorldState<Real>) + pool_bytes(state_->bodies) + pool_bytes(state_->shapes) + pool_bytes(state_->grabs) + pool_bytes(state_->movers) +
         state_->hulls.entries.size() * sizeof(GeometryEntry<HullGeometry>) +
         state_->surfaces.entries.size() * sizeof(GeometryEntry<SurfaceGeometry>) + state_->contacts.size() * sizeof(ContactRecord<Real>) +
         state_->overlaps.size() * sizeof(OverlapRecord) + state_->targets.size() * sizeof(TargetRecord<Real>);
}

template <class Real>
std::uint64_t WorldSnapshot<Real>::tick() const noexcept {
  return state_->tick;
}

// --- the world --------------------------------------------------------------------------------------------------------------------

template <class Real>
World<Real>::World(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
template <class Real>
World<Real>::World(World&&) noexcept = default;
template <class Real>
World<Real>& World<Real>::operator=(World&&) noexcept = default;
template <class Real>
World<Real>::~World() = default;

template <class Real>
Result<World<Real>, PhysicsError> World<Real>::create(const WorldDef& def) {
  FloatControlGuard const guard;
  if (auto const error = check(def)) return *error;
  auto impl = std::make_unique<Impl>();
  impl->state.def = def;
  impl->state.def.gravity_m_s2 = canonical(def.gravity_m_s2);
  impl->state.def.restitution_threshold_m_s = canonical(def.restitution_threshold_m_s);
  impl->state.def.contact_push_max_m_s = canonical(def.contact_push_max_m_s);
  impl->state.def.hit_threshold_m_s = canonical(def.hit_threshold_m_s);
  impl->state.random = Random(def.seed);
  return World(std::move(impl));
}

template <class Real>
Result<BodyId, PhysicsError> World<Real>::create_body(const BodyDef& def) {
  FloatControlGuard const guard;
  WorldState<Real>& state = impl_->state;
  if (auto const error = check(def)) return *error;
  if (state.bodies.alive_count >= state.def.max_bodies) return PhysicsError::kWorldFull;
  auto const hulls = make_hulls(def, state.hulls);
  if (!hulls.ok()) return hulls.error();
  auto const surfaces = make_surfaces(def, state.surfaces);
  if (!surfaces.ok()) return surfaces.error();

  BodyRecord<Real> record;
  record.type = def.type;
  if (def.type == BodyType::kDynamic || def.mass.has_value()) {
    auto mass = body_mass(def, *hulls);
    if (!mass.ok()) return mass.error();
    record.mass_kg = mass->mass_kg;
    record.inverse_mass = to_mass<Real>(1.0 / mass->mass_kg);
    record.inverse_inertia = to_sym_mat<Real>(mass->inverse_inertia);
    record.local_center = canonical(to_real<Real>(mass->center_m));
  }
  record.motion.rotation = to_real<Real>(def.rotation);
  Vec3<Real> const arm = rotate(record.motion.rotation, record.local_center);
  record.motion.center = moved(def.position, arm);
  if (def.type != BodyType::kStatic) {
    record.motion.angular_velocity = canonical(to_real<Real>(def.angular_velocity_rad_s));
    record.motion.linear_velocity = canonical(to_real<Real>(def.linear_velocity_m_s) + cross(record.motion.angular_velocity, arm));
  }
  record.linear_damping = canonical(takt::to_real<Real>(def.linear_damping_1_s));
  record.angular_damping = canonical(takt::to_real<Real>(def.angular_damping_1_s));
  record.gravity_scale = canonical(takt::to_real<Real>(def.gravity_scale));
  record.enabled = def.enabled;
  record.locked_axes = def.locked_axes;
  record.can_sleep = def.can_sleep;
  record.bullet = def.bullet;
  record.user_tag = def.user_tag;
  stop_locked(record);
  Impl::hold_speed(record);
  impl_->stir(record);

  BodyId const id = state.bodies.insert(record);
  std::uint32_t last = kNoIndex;
  for (std::size_t i = 0; i < def.shapes.size(); ++i) {
    const PlacedHull& hull = (*hulls)[i];
    if (hull.geometry != nullptr) state.hulls.acquire(hull.geometry);
    const std::shared_ptr<const SurfaceGeometry>& surface = (*surfaces)[i];
    if (surface != nullptr) state.surfaces.acquire(surface);
    ShapeId const made = state.shapes.insert(to_record<Real>(def.shapes[i], hull, surface.get(), id.index));
    (last == kNoIndex ? state.bodies[id.index].first_shape : state.shapes[last].next_shape) = made.index;
    last = made.index;
    ++state.bodies[id.index].shape_count;
  }
  return id;
}

template <class Real>
Result<Unit, PhysicsError> World<Real>::destroy_body(BodyId body) {
  WorldState<Real>& state = impl_->state;
  if (!state.bodies.contains(body)) return PhysicsError::kUnknownBody;
  for (std::uint32_t i = 0; i < state.grabs.capacity(); ++i) {
    if (state.grabs.alive(i) && state.grabs[i].body == body.index) state.grabs.erase(i);
  }
  if (std::uint32_t const mover = takt::mover_of(state, body.index); mover != kNoIndex) state.movers.erase(mover);
  // Its contacts end in the next step, which reports them.
  impl_->stir_neighbours(body.index);
  for (std::uint32_t at = state.bodies[body.index].first_shape; at != kNoIndex;) {
    std::uint32_t const next = state.shapes[at].next_shape;
    if (state.shapes[at].kind == ShapeKind::kHull) state.hulls.release(state.shapes[at].geometry);
    if (is_surface(state.shapes[at].kind)) state.surfaces.release(state.shapes[at].geometry);
    state.shapes.erase(at);
    impl_->derived.broad_phase.remove(at);
    at = next;
  }
  drop_target(state, body.index);
  state.bodies.erase(body.index);
  return Unit{};
}

template <class Real>
bool World<Real>::contains(BodyId body) const noexcept {
  return impl_->state.bodies.contains(body);
}
template <class Real>
std::uint32_t World<Real>::body_count() const noexcept {
  return impl_->state.bodies.alive_count;
}
template <class Real>
void World<Real>::list_bodies(std::vector<BodyId>& out) const {
  const auto& bodies = impl_->state.bodies;
  out.clear();
  for (std::uint32_t i = 0; i < bodies.capacity(); ++i) {
    if (bodies.alive(i)) out.push_back(bodies.id(i));
  }
}

template <class Real>
BodyType World<Real>::body_type(BodyId body) const {
  return impl_->body(body).type;
}
template <class Real>
BodyPose<Real> World<Real>::pose(BodyId body) const {
  FloatControlGuard const guard;
  const BodyRecord<Real>& record = impl_->body(body);
  return {moved(record.motion.center, -rotate(record.motion.rotation, record.local_center)), record.motion.rotation};
}
template <class Real>
Vec3<Real> World<Real>::linear_velocity(BodyId body) const {
  return impl_->body(body).motion.linear_velocity;
}
template <class Real>
Vec3<Real> World<Real>::angular_velocity(BodyId body) const {
  return impl_->body(body).motion.angular_velocity;
}
template <class Real>
Position World<Real>::center_of_mass(BodyId body) const {
  return impl_->body(body).motion.center;
}
template <class Real>
double World<Real>::mass_kg(BodyId body) const {
  const BodyRecord<Real>& record = impl_->body(body);
  return record.type == BodyType::kDynamic ? record.mass_kg : 0.0;
}
template <class Real>
bool World<Real>::is_quarantined(BodyId body) const {
  return impl_->body(body).quarantined;
}
template <class Real>
bool World<Real>::is_asleep(BodyId body) const {
  return impl_->body(body).asleep;
}
template <class Real>
std::uint64_t World<Real>::user_tag(BodyId body) const {
  return impl_->body(body).user_tag;
}
template <class Real>
bool World<Real>::is_enabled(BodyId body) const {
  return impl_->body(body).enabled;
}
template <class Real>
std::uint8_t World<Real>::locked_axes(BodyId body) const {
  return impl_->body(body).locked_axes;
}
template <class Real>
std::vector<ShapeId> World<Real>::shapes(BodyId body) const {
  std::vector<ShapeId> ids;
  const auto& shapes = impl_->state.shapes;
  for (std::uint32_t at = impl_->body(body).first_shape; at != kNoIndex; at = shapes[at].next_shape) ids.push_back(shapes.id(at));
  return ids;
}
template <class Real>
ShapeDef World<Real>::shape(ShapeId shape) const {
  const auto& shapes = impl_->state.shapes;
  TAKT_ASSERT(shapes.contains(shape));
  const ShapeRecord<Real>& record = shapes[shape.index];
  ShapeDef def;
  def.kind = record.kind;
  if (record.kind == ShapeKind::kBox) def.half_extents_m = to_double(record.extents);
  bool const has_length = record.kind == ShapeKind::kCapsule || record.kind == ShapeKind::kCylinder || record.kind == ShapeKind::kCone;
  if (record.kind == ShapeKind::kSphere || has_length) def.radius_m = to_double(record.extents.x);
  if (has_length) def.half_length_m = to_double(record.extents.y);
  if (record.kind == ShapeKind::kHull) {
    def.rounding_m = to_double(record.extents.x);
    def.hull_points_m = impl_->state.hulls.find(record.geometry)->vertices;
  }
  if (record.kind == ShapeKind::kMesh) def.mesh = &impl_->state.surfaces.find(record.geometry)->mesh;
  if (record.kind == ShapeKind::kHeightField) def.height_field = &impl_->state.surfaces.find(record.geometry)->height_field;
  def.local_position_m = to_double(record.local_position);
  const Quat<Real>& q = record.local_rotation;
  def.local_rotation = {to_double(q.x), to_double(q.y), to_double(q.z), to_double(q.w)};
  def.density_kg_m3 = to_double(record.density);
  def.friction = to_double(record.friction);
  def.restitution = to_double(record.restitution);
  def.rolling_resistance = to_double(record.rolling_resistance);
  def.surface_velocity_m_s = to_double(record.surface_velocity);
  def.friction_rule = record.friction_rule;
  def.restitution_rule = record.restitution_rule;
  def.is_sensor = record.is_sensor;
  def.filter = record.filter;
  return def;
}

template <class Real>
std::uint64_t World<Real>::geometry_digest(ShapeId shape) const {
  TAKT_ASSERT(impl_->state.shapes.contains(shape));
  return impl_->state.shapes[shape.index].geometry;
}
template <class Real>
std::vector<std::span<const std::uint8_t>> World<Real>::hull_faces(ShapeId shape) const {
  const HullGeometry* const hull = impl_->state.hulls.find(geometry_digest(shape));
  TAKT_ASSERT(hull != nullptr);
  std::vector<std::span<const std::uint8_t>> faces;
  for (const LoopRange& face : hull->exact_faces) faces.push_back(std::span(hull->exact_loops).subspan(face.first, face.count));
  return faces;
}

template <class Real>
Result<Unit, PhysicsError> World<Real>::wake(BodyId body) {
  if (!contains(body)) return PhysicsError::kUnknownBody;
  BodyRecord<Real>& record = impl_->body(body);
  if (record.asleep) impl_->stir(record);
  return Unit{};
}

template <class Real>
Result<Unit, PhysicsError> World<Real>::apply_impulse(BodyId body, Vec3<double> impulse_n_s) {
  FloatControlGuard const guard;
  auto record = impl_->dynamic_body(body);
  if (!record.ok()) return record.error();
  if (auto const error = check_vector(impulse_n_s, kMaxImpulse)) return *error;
  impl_->push(*record.value(), to_real<Real>(impulse_n_s), {});
  return Unit{};
}

template <class Real>
Result<Unit, PhysicsError> World<Real>::apply_impulse_at(BodyId body, Vec3<double> impulse_n_s, const Position& point) {
  FloatControlGuard const guard;
  auto record = impl_->dynamic_body(body);
  if (!record.ok()) return record.error();
  if (auto const error = check_vector(impulse_n_s, kMaxImpulse)) return *error;
  if (auto const error = check_position(point)) return *error;
  Vec3<Real> const arm = relative<Real>(point, record.value()->motion.center);
  Real const reach = takt::to_real<Real>(2.0 * kMaxExtentM);
  if (absolute(arm.x) > reach || absolute(arm.y) > reach || absolute(arm.z) > reach) return PhysicsError::kOutOfRange;
  Vec3<Real> const impulse = to_real<Real>(impulse_n_s);
  impl_->push(*record.value(), impulse, cross(arm, impulse));
  return Unit{};
}

template <class Real>
Result<Unit, PhysicsError> World<Real>::apply_angular_impulse(BodyId body, Vec3<double> impulse_n_m_s) {
  FloatControlGuard const guard;
  auto record = impl_->dynamic_body(body);
  if (!record.ok()) return record.error();
  if (auto const error = check_vector(impulse_n_m_s, kMaxImpulse)) return *error;
  impl_->push(*record.value(), {}, to_real<Real>(impulse_n_m_s));
  return Unit{};
}

template <class Real>
Result<Unit, PhysicsError> World<Real>::apply_force(BodyId body, Vec3<double> force_n, Vec3<double> torque_n_m) {
  FloatControlGuard const guard;
  auto record = impl_->dynamic_body(body);
  if (!record.ok()) return record.error();
  if (auto const error = check_vector(force_n, kMaxImpulse)) return *error;
  if (auto const error = check_vector(torque_n_m, kMaxImpulse)) return *error;
  BodyMotion<Real>& motion = record.value()->motion;
  if (record.value()->quarantined) return Unit{};
  impl_->stir(*record.value());
  auto const add = [](Vec3<Real> sum, Vec3<double> more) {
    Real const most = takt::to_real<Real>(kMaxImpulse);
    Vec3<Real> const v = sum + to_real<Real>(more);
    return canonical(Vec3<Real>{clamp(v.x, -most, most), clamp(v.y, -most, most), clamp(v.z, -most, most)});
  };
  motion.force = add(motion.force, force_n);
  motion.torque = add(motion.torque, torque_n_m);
  return Unit{};
}

template <class Real>
Result<Unit, PhysicsError> World<Real>::set_pose(BodyId body, const Position& position, Quat<double> rotation) {
  FloatControlGuard const guard;
  if (!contains(body)) return PhysicsError::kUnknownBody;
  if (auto const error = check_position(position)) return *error;
  if (auto const error = check_rotation(rotation)) return *error;
  BodyRecord<Real>& record = impl_->body(body);
  record.motion.rotation = to_real<Real>(rotation);
  record.motion.center = moved(position, rotate(record.motion.rotation, record.local_center));
  drop_target(impl_->state, body.index);
  impl_->derived.stale = true;  // a static body's leaf is looked at only then
  impl_->stir(record);
  impl_->stir_neighbours(body.index);
  return Unit{};
}

template <class Real>
Result<Unit, PhysicsError> World<Real>::set_velocity(BodyId body, Vec3<double> linear_m_s, Vec3<double> angular_rad_s) {
  FloatControlGuard const guard;
  if (!contains(body)) return PhysicsError::kUnknownBody;
  if (auto const error = check_speed(linear_m_s, kMaxLinearSpeedMS)) return *error;
  if (auto const error = check_speed(angular_rad_s, kMaxAngularSpeedRadS)) return *error;
  BodyRecord<Real>& record = impl_->body(body);
  if (record.type == BodyType::kStatic) return PhysicsError::kNotDynamic;
  if (record.quarantined) return Unit{};
  impl_->stir(record);
  if (std::uint32_t const mover = takt::mover_of(impl_->state, body.index); mover != kNoIndex) {
    throw_mover(impl_->state.movers[mover], linear_m_s);
    return Unit{};
  }
  record.motion.linear_velocity = canonical(to_real<Real>(linear_m_s));
  record.motion.angular_velocity = canonical(to_real<Real>(angular_rad_s));
  drop_target(impl_->state, body.index);
  stop_locked(record);
  Impl::hold_speed(record);
  return Unit{};
}

template <class Real>
Result<Unit, PhysicsError> World<Real>::set_user_tag(BodyId body, std::uint64_t tag) {
  if (!contains(body)) return PhysicsError::kUnknownBody;
  impl_->body(body).user_tag = tag;
  return Unit{};
}

template <class Real>
Result<Unit, PhysicsError> World<Real>::set_gravity_scale(BodyId body, double scale) {
  FloatControlGuard const guard;
  if (!contains(body)) return PhysicsError::kUnknownBody;
  if (auto const error = check_vector({scale, 0.0, 0.0}, 1000.0)) return *error;
  impl_->body(body).gravity_scale = canonical(takt::to_real<Real>(scale));
  impl_->stir(impl_->body(body));
  return Unit{};
}

template <class Real>
Result<Unit, PhysicsError> World<Real>::set_damping(BodyId body, double linear_1_s, double angular_1_s) {
  FloatControlGuard const guard;
  if (!contains(body)) return PhysicsError::kUnknownBody;
  if (auto const error = check_vector({linear_1_s, angular_1_s, 0.0}, 1000.0)) return *error;
  if (linear_1_s < 0.0 || angular_1_s < 0.0) return PhysicsError::kOutOfRange;
  impl_->body(body).linear_damping = canonical(takt::to_real<Real>(linear_1_s));
  impl_->body(body).angular_damping = canonical(takt::to_real<Real>(angular_1_s));
  impl_->stir(impl_->body(body));
  return Unit{};
}

template <class Real>
Result<Unit, PhysicsError> World<Real>::set_locked_axes(BodyId body, std::uint8_t locked) {
  if (!contains(body)) return PhysicsError::kUnknownBody;
  if (locked > kAllLocks) return PhysicsError::kOutOfRange;
  impl_->body(body).locked_axes = locked;
  stop_locked(impl_->body(body));
  impl_->stir(impl_->body(body));
  return Unit{};
}

template <class Real>
Result<Unit, PhysicsError> World<Real>::set_enabled(BodyId body, bool enabled) {
  if (!contains(body)) return PhysicsError::kUnknownBody;
  if (impl_->body(body).enabled == enabled) return Unit{};
  enable(impl_->state, body.index, enabled);
  if (enabled) impl_->stir(impl_->body(body));
  impl_->stir_neighbours(body.index);
  return Unit{};
}

template <class Real>
Result<Unit, PhysicsError> World<Real>::set_type(BodyId body, BodyType type) {
  FloatControlGuard const guard;
  if (!contains(body)) return PhysicsError::kUnknownBody;
  if (impl_->body(body).type == type) return Unit{};
  if (takt::mover_of(impl_->state, body.index) != kNoIndex) return PhysicsError::kMoversBody;
  if (auto const error = change_type(impl_->state, body.index, type)) return *error;
  Impl::hold_speed(impl_->body(body));
  impl_->derived.stale = true;
  impl_->stir(impl_->body(body));
  impl_->stir_neighbours(body.index);
  return Unit{};
}

template <class Real>
Result<Unit, PhysicsError> World<Real>::set_target(BodyId body, const Position& position, Quat<double> rotation) {
  FloatControlGuard const guard;
  if (!contains(body)) return PhysicsError::kUnknownBody;
  const BodyRecord<Real>& record = impl_->body(body);
  if (record.type != BodyType::kKinematic) return PhysicsError::kNotKinematic;
  if (takt::mover_of(impl_->state, body.index) != kNoIndex) return PhysicsError::kMoversBody;
  if (!record.enabled) return PhysicsError::kDisabled;
  if (auto const error = check_position(position)) return *error;
  if (auto const error = check_rotation(rotation)) return *error;
  if (record.quarantined) return Unit{};
  Quat<Real> const turned = to_real<Real>(rotation);
  if (auto const error = aim(impl_->state, body.index, moved(position, rotate(turned, record.local_center)), turned)) return *error;
  impl_->stir(impl_->body(body));
  return Unit{};
}

template <class Real>
Result<Unit, PhysicsError> World<Real>::set_filter(ShapeId shape, const ShapeFilter& filter) {
  WorldState<Real>& state = impl_->state;
  if (!state.shapes.contains(shape)) return PhysicsError::kUnknownShape;
  ShapeRecord<Real>& record = state.shapes[shape.index];
  if (record.filter == filter) return Unit{};
  record.filter = filter;
  impl_->derived.stale = true;
  impl_->stir(state.bodies[record.body]);
  impl_->stir_neighbours(record.body);
  return Unit{};
}

template <class Real>
Result<Unit, PhysicsError> World<Real>::set_surface_velocity(ShapeId shape, Vec3<double> velocity_m_s) {
  FloatControlGuard const guard;
  WorldState<Real>& state = impl_->state;
  if (!state.shapes.contains(shape)) return PhysicsError::kUnknownShape;
  if (auto const error = check_vector(velocity_m_s, kMaxSurfaceSpeedMS)) return *error;
  ShapeRecord<Real>& record = state.shapes[shape.index];
  record.surface_velocity = canonical(to_real<Real>(velocity_m_s));
  impl_->stir(state.bodies[record.body]);
  impl_->stir_neighbours(record.body);
  return Unit{};
}

template <class Real>
Result<GrabId, PhysicsError> World<Real>::create_grab(BodyId body, Vec3<double> local_anchor_m, const Position& target, double max_force_n) {
  FloatControlGuard const guard;
  auto found = impl_->dynamic_body(body);
  if (!found.ok()) return found.error();
  if (auto const error = check_vector(local_anchor_m, 2.0 * kMaxExtentM)) return *error;
  if (auto const error = check_position(target)) return *error;
  if (auto const error = check_vector({max_force_n, 0.0, 0.0}, kMaxImpulse)) return *error;
  if (max_force_n < 0.0) return PhysicsError::kOutOfRange;
  if (impl_->state.grabs.alive_count >= impl_->state.def.max_bodies) return PhysicsError::kWorldFull;
  GrabRecord<Real> record;
  record.body = body.index;
  record.local_anchor = canonical(to_real<Real>(local_anchor_m) - found.value()->local_center);
  record.target = target;
  record.max_force = canonical(takt::to_real<Real>(max_force_n));
  impl_->stir(*found.value());
  return impl_->state.grabs.insert(record);
}

template <class Real>
Result<Unit, PhysicsError> World<Real>::move_grab(GrabId grab, const Position& target) {
  if (!contains(grab)) return PhysicsError::kUnknownGrab;
  if (auto const error = check_position(target)) return *error;
  impl_->state.grabs[grab.index].target = target;
  impl_->derived.quiet = false;
  return Unit{};
}

template <class Real>
Result<Unit, PhysicsError> World<Real>::destroy_grab(GrabId grab) {
  if (!contains(grab)) return PhysicsError::kUnknownGrab;
  impl_->derived.quiet = false;
  impl_->state.grabs.erase(grab.index);
  return Unit{};
}

template <class Real>
bool World<Real>::contains(GrabId grab) const noexcept {
  return impl_->state.grabs.contains(grab);
}

template <class Real>
BodyId World<Real>::grabbed_body(GrabId grab) const {
  TAKT_ASSERT(contains(grab));
  return impl_->state.bodies.id(impl_->state.grabs[grab.index].body);
}

template <class Real>
void World<Real>::list_contacts(std::vector<ContactView>& out) const {
  FloatControlGuard const guard;
  takt::list_contacts(impl_->state, out);
}

template <class Real>
void World<Real>::list_grabs(std::vector<GrabView>& out) const {
  FloatControlGuard const guard;
  takt::list_grabs(impl_->state, out);
}

template <class Real>
void World<Real>::list_overlaps(std::vector<SensorOverlap>& out) const {
  takt::list_overlaps(impl_->state, out);
}
template <class Real>
Result<bool, PhysicsError> World<Real>::query(const Query& query, std::vector<QueryHit>& out) const {
  FloatControlGuard const guard;
  out.clear();
  return answer_query(impl_->state, impl_->derived, query, out);
}
template <class Real>
void World<Real>::query(std::span<const Query> queries, QueryResults& out) const {
  FloatControlGuard const guard;
  out.answers.clear();
  out.hits.clear();
  for (const Query& query : queries) {
    QueryAnswer& answer = out.answers.emplace_back();
    answer.first_hit = static_cast<std::uint32_t>(out.hits.size());
    auto const found = answer_query(impl_->state, impl_->derived, query, out.hits);
    if (!found.ok()) answer.error = found.error();
    answer.found = found.ok() && *found;
    answer.hit_count = static_cast<std::uint32_t>(out.hits.size()) - answer.first_hit;
  }
}

template <class Real>
StepStatus World<Real>::step(const StepOptions& options) {
  FloatControlGuard const guard;
  return step_world(impl_->state, impl_->derived, impl_->events, options);
}
template <class Real>
std::uint64_t World<Real>::tick() const noexcept {
  return impl_->state.tick;
}
template <class Real>
const StepEvents& World<Real>::events() const noexcept {
  return impl_->events;
}
template <class Real>
const WorldDef& World<Real>::def() const noexcept {
  return impl_->state.def;
}
template <class Real>
std::uint64_t World<Real>::fixed_overflow_total() const noexcept {
  return impl_->state.fixed_overflow_total;
}
template <class Real>
std::uint32_t World<Real>::random() {
  return impl_->state.random.next_u32();
}

template <class Real>
std::uint64_t World<Real>::hash() const {
  impl_->encoding.clear();
  encode_state(impl_->state, impl_->encoding);
  return hash_bytes(impl_->encoding);
}
template <class Real>
std::size_t World<Real>::size_bytes() const {
  return encoded_size(impl_->state);
}
template <class Real>
std::vector<std::byte> World<Real>::save() const {
  return save_image(impl_->state);
}
template <class Real>
Result<World<Real>, PhysicsError> World<Real>::restore(std::span<const std::byte> image) {
  FloatControlGuard const guard;
  auto state = load_image<Real>(image);
  if (!state.ok()) return state.error();
  auto impl = std::make_unique<Impl>();
  impl->state = std::move(state).value();
  return World(std::move(impl));
}
template <class Real>
std::vector<StateDifference> World<Real>::diff(const World& left, const World& right, std::size_t most) {
  return diff_states(left.impl_->state, right.impl_->state, most);
}
template <class Real>
void World<Real>::capture(Snapshot& out) const {
  *out.state_ = impl_->state;
}
template <class Real>
void World<Real>::rollback(const Snapshot& from) {
  impl_->state = *from.state_;
  impl_->derived.stale = true;
}
template <class Real>
void World<Real>::drop_derived_state() {
  impl_->derived.broad_phase.clear();
  impl_->derived.stale = true;
}

template class WorldSnapshot<float>;
template class WorldSnapshot<Fixed>;
template class World<float>;
template class World<Fixed>;

}  // namespace takt
