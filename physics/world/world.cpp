#include "takt/physics/world.h"

#include "physics/joints/joint_store.h"
#include "physics/movers/mover_store.h"
#include "physics/ropes/rope_collision.h"
#include "physics/ropes/rope_store.h"
#include "physics/state/body_energy.h"
#include "physics/state/body_mutators.h"
#include "physics/state/body_records.h"
#include "physics/state/definition_check.h"
#include "physics/state/state_check.h"
#include "physics/state/state_hash.h"
#include "physics/state/world_image.h"
#include "physics/world/inspection.h"
#include "physics/world/world_impl.h"
#include "physics/world/world_query.h"
#include "takt/core/assert.h"
#include "takt/physics/float_control.h"

namespace takt {
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
    record.motion.linear_velocity =
        canonical(to_real<Real>(def.linear_velocity_m_s) + cross(record.motion.angular_velocity, arm));
  }
  record.linear_damping = canonical(to_real<Real>(def.linear_damping_1_s));
  record.angular_damping = canonical(to_real<Real>(def.angular_damping_1_s));
  record.gravity_scale = canonical(to_real<Real>(def.gravity_scale));
  record.enabled = def.enabled;
  record.locked_axes = def.locked_axes;
  record.can_sleep = def.can_sleep;
  record.bullet = def.bullet;
  record.user_tag = def.user_tag;
  stop_locked(record);
  Impl::clamp_speed(record);
  impl_->mark_modified(record);

  BodyId const id = state.bodies.insert(record);
  ShapeState<Real>& own = impl_->edit_shapes();
  std::uint32_t last = kNoIndex;
  for (std::size_t i = 0; i < def.shapes.size(); ++i) {
    const PlacedHull& hull = (*hulls)[i];
    if (hull.geometry != nullptr) own.hulls.acquire(hull.geometry);
    const std::shared_ptr<const SurfaceGeometry>& surface = (*surfaces)[i];
    if (surface != nullptr) own.surfaces.acquire(surface);
    ShapeId const made = own.shapes.insert(to_record<Real>(def.shapes[i], hull, surface.get(), id.index));
    (last == kNoIndex ? state.bodies[id.index].first_shape : own.shapes[last].next_shape) = made.index;
    last = made.index;
    ++state.bodies[id.index].shape_count;
  }
  return id;
}

namespace {

// The next insert() returns `id`, whose slot is dead or beyond the last one: it becomes the head of the free
// list. Slots between the last one and a new one are dead.
template <class Pool>
void make_next(Pool& pool, BodyId id) {
  TAKT_ASSERT(id.generation != 0);
  while (pool.capacity() <= id.index) {
    make_room(pool.records);
    make_room(pool.slots);
    pool.records.push_back({});
    pool.slots.push_back({1, pool.free_head, false});
    pool.free_head = pool.capacity() - 1;
  }
  TAKT_ASSERT(!pool.slots[id.index].alive);
  std::uint32_t* link = &pool.free_head;
  while (*link != id.index) link = &pool.slots[*link].next_free;
  *link = pool.slots[id.index].next_free;
  // No slot has generation 0: as after 2^32 - 1 generations, if the first is wanted.
  pool.slots[id.index].generation = id.generation == 1 ? 0xffffffffu : id.generation - 1;
  pool.slots[id.index].next_free = pool.free_head;
  pool.free_head = id.index;
}

}  // namespace

template <class Real>
Result<BodyId, PhysicsError> World<Real>::create_body_as(BodyId id, const BodyDef& def) {
  auto& bodies = impl_->state.bodies;
  bool const is_taken = id.index < bodies.capacity() && bodies.alive(id.index);
  if (id.generation == 0 || id.index >= impl_->state.def.max_bodies || is_taken)
    return PhysicsError::kOutOfRange;
  if (auto const error = check(def)) return *error;
  make_next(bodies, id);
  return create_body(def);
}

template <class Real>
EditResult World<Real>::destroy_body(BodyId body) {
  WorldState<Real>& state = impl_->state;
  if (!state.bodies.contains(body)) return PhysicsError::kUnknownBody;
  for (std::uint32_t i = 0; i < state.grabs.capacity(); ++i) {
    if (state.grabs.alive(i) && state.grabs[i].body == body.index) state.grabs.erase(i);
  }
  if (std::uint32_t const mover = takt::mover_of(state, body.index); mover != kNoIndex)
    state.movers.erase(mover);
  // The next step ends its contacts and reports them.
  impl_->wake_neighbours(body.index);
  ShapeState<Real>& own = impl_->edit_shapes();
  for (std::uint32_t at = state.bodies[body.index].first_shape; at != kNoIndex;) {
    TAKT_ASSERT(own.shapes.alive(at) && own.shapes[at].body == body.index);
    std::uint32_t const next = own.shapes[at].next_shape;
    if (own.shapes[at].kind == ShapeKind::kHull) own.hulls.release(own.shapes[at].geometry);
    if (is_surface(own.shapes[at].kind)) own.surfaces.release(own.shapes[at].geometry);
    own.shapes.erase(at);
    impl_->persistent.proxies.remove(at);
    at = next;
  }
  drop_target(state, body.index);
  unpin_body(state, body.index);
  erase_joints_of(state, body.index);
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
std::uint32_t World<Real>::rope_count() const noexcept {
  return impl_->state.ropes.alive_count;
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
  return {moved(record.motion.center, -rotate(record.motion.rotation, record.local_center)),
          record.motion.rotation};
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
  for (std::uint32_t at = impl_->body(body).first_shape; at != kNoIndex; at = shapes[at].next_shape)
    ids.push_back(shapes.id(at));
  return ids;
}
template <class Real>
BodyId World<Real>::body_of(ShapeId shape) const noexcept {
  if (!impl_->state.shapes.contains(shape)) return {};
  return impl_->state.bodies.id(impl_->state.shapes[shape.index].body);
}
template <class Real>
ShapeDef World<Real>::shape(ShapeId shape) const {
  const auto& shapes = impl_->state.shapes;
  TAKT_ASSERT(shapes.contains(shape));
  const ShapeRecord<Real>& record = shapes[shape.index];
  ShapeDef def;
  def.kind = record.kind;
  if (record.kind == ShapeKind::kBox) def.half_extents_m = to_double(record.extents);
  bool const has_length = record.kind == ShapeKind::kCapsule || record.kind == ShapeKind::kCylinder ||
                          record.kind == ShapeKind::kCone;
  if (record.kind == ShapeKind::kSphere || has_length) def.radius_m = to_double(record.extents.x);
  if (has_length) def.half_length_m = to_double(record.extents.y);
  if (record.kind == ShapeKind::kHull) {
    def.rounding_m = to_double(record.extents.x);
    def.hull_points_m = impl_->state.hulls.find(record.geometry)->vertices;
  }
  if (record.kind == ShapeKind::kMesh) def.mesh = &impl_->state.surfaces.find(record.geometry)->mesh;
  if (record.kind == ShapeKind::kHeightField)
    def.height_field = &impl_->state.surfaces.find(record.geometry)->height_field;
  def.local_position_m = to_double(record.local_position);
  const Quat<Real>& q = record.local_rotation;
  def.local_rotation = {to_double(q.x), to_double(q.y), to_double(q.z), to_double(q.w)};
  def.density_kg_m3 = to_double(record.density);
  def.friction = to_double(record.friction);
  def.restitution = to_double(record.restitution);
  def.rolling_resistance = to_double(record.rolling_resistance);
  def.contact_softness = record.contact_softness;
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
  for (const LoopRange& face : hull->exact_faces)
    faces.push_back(std::span(hull->exact_loops).subspan(face.first, face.count));
  return faces;
}

template <class Real>
Result<GrabId, PhysicsError> World<Real>::create_grab(BodyId body, Vec3<double> local_anchor_m,
                                                      const Position& target, double max_force_n) {
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
  record.max_force = canonical(to_real<Real>(max_force_n));
  impl_->mark_modified(*found.value());
  return impl_->state.grabs.insert(record);
}

template <class Real>
EditResult World<Real>::move_grab(GrabId grab, const Position& target) {
  if (!contains(grab)) return PhysicsError::kUnknownGrab;
  if (auto const error = check_position(target)) return *error;
  impl_->state.grabs[grab.index].target = target;
  impl_->persistent.all_asleep = false;
  return Unit{};
}

template <class Real>
EditResult World<Real>::destroy_grab(GrabId grab) {
  if (!contains(grab)) return PhysicsError::kUnknownGrab;
  impl_->persistent.all_asleep = false;
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
  takt::list_contacts(impl_->unpacked(), out);
}

template <class Real>
void World<Real>::list_grabs(std::vector<GrabView>& out) const {
  FloatControlGuard const guard;
  takt::list_grabs(impl_->state, out);
}

template <class Real>
WorldEnergy World<Real>::energy() const {
  return energy_of(impl_->state);
}
template <class Real>
void World<Real>::list_overlaps(std::vector<SensorOverlap>& out) const {
  takt::list_overlaps(impl_->state, out);
}
template <class Real>
Result<bool, PhysicsError> World<Real>::query(const Query& query, std::vector<QueryHit>& out,
                                              QueryWork* work) const {
  FloatControlGuard const guard;
  out.clear();
  QueryWork unlimited;
  return answer_query(impl_->state, impl_->persistent.proxies, query, out,
                      work != nullptr ? *work : unlimited);
}
template <class Real>
void World<Real>::query(std::span<const Query> queries, QueryResults& out) const {
  FloatControlGuard const guard;
  out.answers.clear();
  out.hits.clear();
  for (const Query& query : queries) {
    QueryAnswer& answer = out.answers.emplace_back();
    answer.first_hit = static_cast<std::uint32_t>(out.hits.size());
    QueryWork unlimited;
    auto const found = answer_query(impl_->state, impl_->persistent.proxies, query, out.hits, unlimited);
    if (!found.ok()) answer.error = found.error();
    answer.found = found.ok() && *found;
    answer.hit_count = static_cast<std::uint32_t>(out.hits.size()) - answer.first_hit;
  }
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
void World<Real>::set_max_contacts(std::uint32_t max_contacts) {
  WorldDef def = impl_->state.def;
  def.max_contacts = max_contacts;
  TAKT_ASSERT(!check(def).has_value());
  impl_->state.def = def;
}
template <class Real>
std::uint32_t World<Real>::random() {
  return impl_->state.random.next_u32();
}

template <class Real>
std::uint64_t World<Real>::hash() const {
  TAKT_VALIDATE(is_ordered(impl_->unpacked()));
  if (!impl_->hasher) impl_->hasher.emplace();
  return hash_state(impl_->unpacked(), *impl_->hasher);
}
template <class Real>
std::size_t World<Real>::size_bytes() const {
  return encoded_size(impl_->unpacked());
}
template <class Real>
std::vector<std::byte> World<Real>::save() const {
  TAKT_VALIDATE(is_ordered(impl_->unpacked()));
  return save_image(impl_->unpacked());
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
std::vector<StateDifference> World<Real>::diff(const World& left, const World& right, std::size_t max) {
  return diff_states(left.impl_->unpacked(), right.impl_->unpacked(), max);
}
template <class Real>
void World<Real>::list_fields(FieldSink& sink) const {
  takt::list_fields(impl_->unpacked(), sink);
}
template <class Real>
void World<Real>::drop_derived_state() {
  impl_->persistent.proxies.drop();
  impl_->persistent.all_asleep = false;
}

template class World<float>;
template class World<Fixed>;

}  // namespace takt
