#include "takt/sim/any_world.h"

#include <optional>
#include <utility>

#include "takt/core/assert.h"

namespace takt::sim {

struct AnyWorldSnapshot::Impl {
  std::variant<std::monostate, WorldSnapshot<float>, WorldSnapshot<Fixed>> snapshot;
};

AnyWorldSnapshot::AnyWorldSnapshot() = default;
AnyWorldSnapshot::~AnyWorldSnapshot() = default;
AnyWorldSnapshot::AnyWorldSnapshot(AnyWorldSnapshot&&) noexcept = default;
AnyWorldSnapshot& AnyWorldSnapshot::operator=(AnyWorldSnapshot&&) noexcept = default;

namespace {

template <class Real>
Quat<double> quat_to_double(Quat<Real> q) {
  return {to_double(q.x), to_double(q.y), to_double(q.z), to_double(q.w)};
}

template <class Real>
Vec3<Real> vec_to_real(Vec3<double> v) {
  return {to_real<Real>(v.x), to_real<Real>(v.y), to_real<Real>(v.z)};
}

}  // namespace

Result<AnyWorld, PhysicsError> AnyWorld::create(const WorldDef& def, NumbersMode numbers) {
  if (numbers == NumbersMode::kFixed) {
    auto world = World<Fixed>::create(def);
    if (!world) return world.error();
    return AnyWorld(*std::move(world));
  }
  auto world = World<float>::create(def);
  if (!world) return world.error();
  return AnyWorld(*std::move(world));
}

Result<AnyWorld, PhysicsError> AnyWorld::restore(std::span<const std::byte> image, NumbersMode numbers) {
  if (numbers == NumbersMode::kFixed) {
    auto world = World<Fixed>::restore(image);
    if (!world) return world.error();
    return AnyWorld(*std::move(world));
  }
  auto world = World<float>::restore(image);
  if (!world) return world.error();
  return AnyWorld(*std::move(world));
}

const WorldDef& AnyWorld::def() const noexcept {
  return std::visit([](const auto& w) -> const WorldDef& { return w.def(); }, world_);
}
std::uint64_t AnyWorld::tick() const noexcept {
  return std::visit([](const auto& w) { return w.tick(); }, world_);
}

Result<BodyId, PhysicsError> AnyWorld::create_body(const BodyDef& def) {
  return std::visit([&](auto& w) { return w.create_body(def); }, world_);
}
Result<Unit, PhysicsError> AnyWorld::destroy_body(BodyId body) {
  return std::visit([&](auto& w) { return w.destroy_body(body); }, world_);
}
bool AnyWorld::contains(BodyId body) const noexcept {
  return std::visit([&](const auto& w) { return w.contains(body); }, world_);
}
std::uint32_t AnyWorld::body_count() const noexcept {
  return std::visit([](const auto& w) { return w.body_count(); }, world_);
}
void AnyWorld::list_bodies(std::vector<BodyId>& out) const {
  std::visit([&](const auto& w) { w.list_bodies(out); }, world_);
}

BodyView AnyWorld::view(BodyId body) const {
  return std::visit(
      [&](const auto& w) {
        auto const pose = w.pose(body);
        BodyView view;
        view.id = body;
        view.type = w.body_type(body);
        view.asleep = w.is_asleep(body);
        view.position = pose.position;
        view.rotation = quat_to_double(pose.rotation);
        view.linear_velocity_m_s = to_double(w.linear_velocity(body));
        view.angular_velocity_rad_s = to_double(w.angular_velocity(body));
        return view;
      },
      world_);
}
BodyType AnyWorld::body_type(BodyId body) const {
  return std::visit([&](const auto& w) { return w.body_type(body); }, world_);
}
bool AnyWorld::is_quarantined(BodyId body) const {
  return std::visit([&](const auto& w) { return w.is_quarantined(body); }, world_);
}
double AnyWorld::mass_kg(BodyId body) const {
  return std::visit([&](const auto& w) { return w.mass_kg(body); }, world_);
}
std::uint64_t AnyWorld::user_tag(BodyId body) const {
  return std::visit([&](const auto& w) { return w.user_tag(body); }, world_);
}
std::vector<ShapeDef> AnyWorld::shapes(BodyId body) const {
  return std::visit(
      [&](const auto& w) {
        std::vector<ShapeDef> shapes;
        for (ShapeId const id : w.shapes(body)) shapes.push_back(w.shape(id));
        return shapes;
      },
      world_);
}
std::vector<ShapeId> AnyWorld::shape_ids(BodyId body) const {
  return std::visit([&](const auto& w) { return w.shapes(body); }, world_);
}
Result<bool, PhysicsError> AnyWorld::query(const Query& query, std::vector<QueryHit>& out) const {
  return std::visit([&](const auto& w) { return w.query(query, out); }, world_);
}
void AnyWorld::query(std::span<const Query> queries, QueryResults& out) const {
  std::visit([&](const auto& w) { w.query(queries, out); }, world_);
}
std::uint64_t AnyWorld::geometry_digest(ShapeId shape) const {
  return std::visit([&](const auto& w) { return w.geometry_digest(shape); }, world_);
}
std::vector<std::span<const std::uint8_t>> AnyWorld::hull_faces(ShapeId shape) const {
  return std::visit([&](const auto& w) { return w.hull_faces(shape); }, world_);
}
bool AnyWorld::is_enabled(BodyId body) const {
  return std::visit([&](const auto& w) { return w.is_enabled(body); }, world_);
}
Position AnyWorld::world_point(BodyId body, Vec3<double> local_m) const {
  return std::visit(
      [&]<class Real>(const World<Real>& w) {
        BodyPose<Real> const pose = w.pose(body);
        return moved(pose.position, rotate(pose.rotation, vec_to_real<Real>(local_m)));
      },
      world_);
}

Result<Unit, PhysicsError> AnyWorld::apply_impulse(BodyId body, Vec3<double> impulse_n_s) {
  return std::visit([&](auto& w) { return w.apply_impulse(body, impulse_n_s); }, world_);
}
Result<Unit, PhysicsError> AnyWorld::apply_impulse_at(BodyId body, Vec3<double> impulse_n_s,
                                                      const Position& point) {
  return std::visit([&](auto& w) { return w.apply_impulse_at(body, impulse_n_s, point); }, world_);
}
Result<Unit, PhysicsError> AnyWorld::apply_angular_impulse(BodyId body, Vec3<double> impulse_n_m_s) {
  return std::visit([&](auto& w) { return w.apply_angular_impulse(body, impulse_n_m_s); }, world_);
}
Result<Unit, PhysicsError> AnyWorld::apply_force(BodyId body, Vec3<double> force_n, Vec3<double> torque_n_m) {
  return std::visit([&](auto& w) { return w.apply_force(body, force_n, torque_n_m); }, world_);
}
Result<Unit, PhysicsError> AnyWorld::set_pose(BodyId body, const Position& position, Quat<double> rotation) {
  return std::visit([&](auto& w) { return w.set_pose(body, position, rotation); }, world_);
}
Result<Unit, PhysicsError> AnyWorld::set_velocity(BodyId body, Vec3<double> linear_m_s,
                                                  Vec3<double> angular_rad_s) {
  return std::visit([&](auto& w) { return w.set_velocity(body, linear_m_s, angular_rad_s); }, world_);
}
Result<Unit, PhysicsError> AnyWorld::set_user_tag(BodyId body, std::uint64_t tag) {
  return std::visit([&](auto& w) { return w.set_user_tag(body, tag); }, world_);
}

Result<Unit, PhysicsError> AnyWorld::set_gravity_scale(BodyId body, double scale) {
  return std::visit([&](auto& w) { return w.set_gravity_scale(body, scale); }, world_);
}
Result<Unit, PhysicsError> AnyWorld::set_damping(BodyId body, double linear_1_s, double angular_1_s) {
  return std::visit([&](auto& w) { return w.set_damping(body, linear_1_s, angular_1_s); }, world_);
}
Result<Unit, PhysicsError> AnyWorld::set_locked_axes(BodyId body, std::uint8_t locked) {
  return std::visit([&](auto& w) { return w.set_locked_axes(body, locked); }, world_);
}
Result<Unit, PhysicsError> AnyWorld::set_enabled(BodyId body, bool enabled) {
  return std::visit([&](auto& w) { return w.set_enabled(body, enabled); }, world_);
}
Result<Unit, PhysicsError> AnyWorld::set_type(BodyId body, BodyType type) {
  return std::visit([&](auto& w) { return w.set_type(body, type); }, world_);
}
Result<Unit, PhysicsError> AnyWorld::set_target(BodyId body, const Position& position,
                                                Quat<double> rotation) {
  return std::visit([&](auto& w) { return w.set_target(body, position, rotation); }, world_);
}
Result<Unit, PhysicsError> AnyWorld::set_filter(ShapeId shape, const ShapeFilter& filter) {
  return std::visit([&](auto& w) { return w.set_filter(shape, filter); }, world_);
}
Result<Unit, PhysicsError> AnyWorld::set_surface_velocity(ShapeId shape, Vec3<double> velocity_m_s) {
  return std::visit([&](auto& w) { return w.set_surface_velocity(shape, velocity_m_s); }, world_);
}
Result<GrabId, PhysicsError> AnyWorld::create_grab(BodyId body, Vec3<double> local_anchor_m,
                                                   const Position& target, double max_force_n) {
  return std::visit([&](auto& w) { return w.create_grab(body, local_anchor_m, target, max_force_n); },
                    world_);
}
Result<Unit, PhysicsError> AnyWorld::move_grab(GrabId grab, const Position& target) {
  return std::visit([&](auto& w) { return w.move_grab(grab, target); }, world_);
}
Result<Unit, PhysicsError> AnyWorld::destroy_grab(GrabId grab) {
  return std::visit([&](auto& w) { return w.destroy_grab(grab); }, world_);
}
bool AnyWorld::contains(GrabId grab) const noexcept {
  return std::visit([&](const auto& w) { return w.contains(grab); }, world_);
}
BodyId AnyWorld::grabbed_body(GrabId grab) const {
  return std::visit([&](const auto& w) { return w.grabbed_body(grab); }, world_);
}
Result<MoverId, PhysicsError> AnyWorld::create_mover(const MoverDef& def) {
  return std::visit([&](auto& w) { return w.create_mover(def); }, world_);
}
bool AnyWorld::contains(MoverId mover) const noexcept {
  return std::visit([&](const auto& w) { return w.contains(mover); }, world_);
}
MoverId AnyWorld::mover_of(BodyId body) const noexcept {
  return std::visit([&](const auto& w) { return w.mover_of(body); }, world_);
}
Result<Unit, PhysicsError> AnyWorld::set_mover_input(MoverId mover, const MoverInput& input) {
  return std::visit([&](auto& w) { return w.set_mover_input(mover, input); }, world_);
}
Result<Unit, PhysicsError> AnyWorld::set_mover_tuning(MoverId mover, const MoverTuning& tuning) {
  return std::visit([&](auto& w) { return w.set_mover_tuning(mover, tuning); }, world_);
}
MoverView AnyWorld::mover(MoverId mover) const {
  return std::visit([&](const auto& w) { return w.mover(mover); }, world_);
}
MoverTuning AnyWorld::mover_tuning(MoverId mover) const {
  return std::visit([&](const auto& w) { return w.mover_tuning(mover); }, world_);
}
void AnyWorld::list_movers(std::vector<MoverId>& out) const {
  std::visit([&](const auto& w) { w.list_movers(out); }, world_);
}
Result<RopeId, PhysicsError> AnyWorld::create_rope(const RopeDef& def) {
  return std::visit([&](auto& w) { return w.create_rope(def); }, world_);
}
Result<Unit, PhysicsError> AnyWorld::destroy_rope(RopeId rope) {
  return std::visit([&](auto& w) { return w.destroy_rope(rope); }, world_);
}
bool AnyWorld::contains(RopeId rope) const noexcept {
  return std::visit([&](const auto& w) { return w.contains(rope); }, world_);
}
void AnyWorld::list_ropes(std::vector<RopeId>& out) const {
  std::visit([&](const auto& w) { w.list_ropes(out); }, world_);
}
Result<RopeId, PhysicsError> AnyWorld::cut_rope(RopeId rope, std::uint32_t segment) {
  return std::visit([&](auto& w) { return w.cut_rope(rope, segment); }, world_);
}
Result<Unit, PhysicsError> AnyWorld::set_rope_pin(RopeId rope, const RopePin& pin) {
  return std::visit([&](auto& w) { return w.set_rope_pin(rope, pin); }, world_);
}
Result<Unit, PhysicsError> AnyWorld::clear_rope_pin(RopeId rope, std::uint32_t node) {
  return std::visit([&](auto& w) { return w.clear_rope_pin(rope, node); }, world_);
}
Result<Unit, PhysicsError> AnyWorld::set_rope_segment_length(RopeId rope, double segment_length_m) {
  return std::visit([&](auto& w) { return w.set_rope_segment_length(rope, segment_length_m); }, world_);
}
Result<Unit, PhysicsError> AnyWorld::apply_rope_impulse(RopeId rope, std::uint32_t node,
                                                        Vec3<double> impulse_n_s) {
  return std::visit([&](auto& w) { return w.apply_rope_impulse(rope, node, impulse_n_s); }, world_);
}
void AnyWorld::read_rope(RopeId rope, RopeView& out) const {
  std::visit([&](const auto& w) { w.read_rope(rope, out); }, world_);
}
Result<JointId, PhysicsError> AnyWorld::create_joint(const JointDef& def) {
  return std::visit([&](auto& w) { return w.create_joint(def); }, world_);
}
Result<Unit, PhysicsError> AnyWorld::destroy_joint(JointId joint) {
  return std::visit([&](auto& w) { return w.destroy_joint(joint); }, world_);
}
bool AnyWorld::contains(JointId joint) const noexcept {
  return std::visit([&](const auto& w) { return w.contains(joint); }, world_);
}
void AnyWorld::list_joints(std::vector<JointId>& out) const {
  std::visit([&](const auto& w) { w.list_joints(out); }, world_);
}
Result<Unit, PhysicsError> AnyWorld::change_joint(JointId joint, const JointDef& def) {
  return std::visit([&](auto& w) { return w.change_joint(joint, def); }, world_);
}
Result<Unit, PhysicsError> AnyWorld::set_joint_enabled(JointId joint, bool enabled) {
  return std::visit([&](auto& w) { return w.set_joint_enabled(joint, enabled); }, world_);
}
JointDef AnyWorld::joint_def(JointId joint) const {
  return std::visit([&](const auto& w) { return w.joint_def(joint); }, world_);
}
JointView AnyWorld::joint(JointId joint) const {
  return std::visit([&](const auto& w) { return w.joint(joint); }, world_);
}
double AnyWorld::joint_coordinate(JointId joint, JointAxis axis) const {
  return std::visit([&](const auto& w) { return w.joint_coordinate(joint, axis); }, world_);
}
double AnyWorld::joint_rate(JointId joint, JointAxis axis) const {
  return std::visit([&](const auto& w) { return w.joint_rate(joint, axis); }, world_);
}
JointFrame AnyWorld::joint_frame(BodyId body, const Position& origin, Quat<double> rotation) const {
  return std::visit([&](const auto& w) { return w.joint_frame(body, origin, rotation); }, world_);
}
void AnyWorld::list_contacts(std::vector<ContactView>& out) const {
  std::visit([&](const auto& w) { w.list_contacts(out); }, world_);
}
void AnyWorld::list_grabs(std::vector<GrabView>& out) const {
  std::visit([&](const auto& w) { w.list_grabs(out); }, world_);
}
void AnyWorld::list_overlaps(std::vector<SensorOverlap>& out) const {
  std::visit([&](const auto& w) { w.list_overlaps(out); }, world_);
}
std::uint32_t AnyWorld::random() {
  return std::visit([](auto& w) { return w.random(); }, world_);
}

StepStatus AnyWorld::step(const StepOptions& options) {
  return std::visit([&](auto& w) { return w.step(options); }, world_);
}
const StepEvents& AnyWorld::events() const noexcept {
  return std::visit([](const auto& w) -> const StepEvents& { return w.events(); }, world_);
}
std::uint64_t AnyWorld::fixed_overflow_total() const noexcept {
  return std::visit([](const auto& w) { return w.fixed_overflow_total(); }, world_);
}

std::uint64_t AnyWorld::hash() const {
  return std::visit([](const auto& w) { return w.hash(); }, world_);
}
std::vector<std::byte> AnyWorld::save() const {
  return std::visit([](const auto& w) { return w.save(); }, world_);
}

std::vector<StateDifference> AnyWorld::diff(const AnyWorld& left, const AnyWorld& right, std::size_t max) {
  TAKT_ASSERT(left.numbers() == right.numbers());
  return std::visit(
      [&]<class Real>(const World<Real>& l) {
        return World<Real>::diff(l, std::get<World<Real>>(right.world_), max);
      },
      left.world_);
}

void AnyWorld::capture(AnyWorldSnapshot& out) const {
  if (!out.impl_) out.impl_ = std::make_unique<AnyWorldSnapshot::Impl>();
  std::visit(
      [&]<class Real>(const World<Real>& w) {
        auto& slot = out.impl_->snapshot;
        if (!std::holds_alternative<WorldSnapshot<Real>>(slot)) slot.template emplace<WorldSnapshot<Real>>();
        w.capture(std::get<WorldSnapshot<Real>>(slot));
      },
      world_);
}
void AnyWorld::rollback(const AnyWorldSnapshot& from) {
  std::visit(
      [&]<class Real>(World<Real>& w) {
        auto const* const snapshot =
            from.impl_ ? std::get_if<WorldSnapshot<Real>>(&from.impl_->snapshot) : nullptr;
        TAKT_ASSERT(snapshot != nullptr);  // captured, and in this numbers mode
        w.rollback(*snapshot);
      },
      world_);
}
void AnyWorld::drop_derived_state() {
  std::visit([](auto& w) { w.drop_derived_state(); }, world_);
}

}  // namespace takt::sim
