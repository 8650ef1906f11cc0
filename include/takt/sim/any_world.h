// AnyWorld is a World<float> or a World<Fixed> behind one interface in doubles. Code that works with both
// uses AnyWorld: sim, games, server and tools. A call without a comment here has the contract of the World
// call of the same name (takt/physics/world.h). A float of the world is returned exactly, a Fixed as the
// nearest double (53 of its 64 bits). WorldEdits are the calls that change a world, for AnyWorld and for
// WorldAccess (game.h). BodyView is the state of one body. AnyWorldSnapshot is a WorldSnapshot of either
// world.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "takt/core/result.h"
#include "takt/physics/world.h"

namespace takt::sim {

/// Present state of a body, in doubles.
struct BodyView {
  BodyId id;
  BodyType type = BodyType::kStatic;
  bool asleep = false;
  Position position;  ///< of the origin
  Quat<double> rotation;
  Vec3<double> linear_velocity_m_s;     ///< of the centre of mass, world frame
  Vec3<double> angular_velocity_rad_s;  ///< world frame
};

/// A world's canonical state in memory (WorldSnapshot), in the numbers mode of the captured world. A new one
/// is empty until AnyWorld::capture fills it in. A reused one keeps its memory.
class AnyWorldSnapshot {
 public:
  AnyWorldSnapshot();
  ~AnyWorldSnapshot();
  AnyWorldSnapshot(AnyWorldSnapshot&&) noexcept;
  AnyWorldSnapshot& operator=(AnyWorldSnapshot&&) noexcept;

 private:
  friend class AnyWorld;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The calls that change a world, for the classes that derive from it: AnyWorld, and WorldAccess for a Game.
/// `Self` has visit(call), which calls call(World<Real>&). Each call has the contract of the World call of
/// the same name (takt/physics/world.h).
template <class Self>
class WorldEdits {
 public:
  EditResult wake(BodyId body) {
    return self().visit([&](auto& w) { return w.wake(body); });
  }
  EditResult apply_impulse(BodyId body, Vec3<double> impulse_n_s) {
    return self().visit([&](auto& w) { return w.apply_impulse(body, impulse_n_s); });
  }
  EditResult apply_impulse_at(BodyId body, Vec3<double> impulse_n_s, const Position& point) {
    return self().visit([&](auto& w) { return w.apply_impulse_at(body, impulse_n_s, point); });
  }
  EditResult apply_angular_impulse(BodyId body, Vec3<double> impulse_n_m_s) {
    return self().visit([&](auto& w) { return w.apply_angular_impulse(body, impulse_n_m_s); });
  }
  EditResult apply_force(BodyId body, Vec3<double> force_n, Vec3<double> torque_n_m = {}) {
    return self().visit([&](auto& w) { return w.apply_force(body, force_n, torque_n_m); });
  }
  EditResult set_pose(BodyId body, const Position& position, Quat<double> rotation) {
    return self().visit([&](auto& w) { return w.set_pose(body, position, rotation); });
  }
  EditResult set_velocity(BodyId body, Vec3<double> linear_m_s, Vec3<double> angular_rad_s) {
    return self().visit([&](auto& w) { return w.set_velocity(body, linear_m_s, angular_rad_s); });
  }
  EditResult set_user_tag(BodyId body, std::uint64_t tag) {
    return self().visit([&](auto& w) { return w.set_user_tag(body, tag); });
  }
  EditResult set_gravity_scale(BodyId body, double scale) {
    return self().visit([&](auto& w) { return w.set_gravity_scale(body, scale); });
  }
  EditResult set_damping(BodyId body, double linear_1_s, double angular_1_s) {
    return self().visit([&](auto& w) { return w.set_damping(body, linear_1_s, angular_1_s); });
  }
  EditResult set_locked_axes(BodyId body, std::uint8_t locked) {
    return self().visit([&](auto& w) { return w.set_locked_axes(body, locked); });
  }
  EditResult set_enabled(BodyId body, bool enabled) {
    return self().visit([&](auto& w) { return w.set_enabled(body, enabled); });
  }
  EditResult set_type(BodyId body, BodyType type) {
    return self().visit([&](auto& w) { return w.set_type(body, type); });
  }
  EditResult set_target(BodyId body, const Position& position, Quat<double> rotation) {
    return self().visit([&](auto& w) { return w.set_target(body, position, rotation); });
  }
  EditResult set_filter(ShapeId shape, const ShapeFilter& filter) {
    return self().visit([&](auto& w) { return w.set_filter(shape, filter); });
  }
  EditResult set_surface_velocity(ShapeId shape, Vec3<double> velocity_m_s) {
    return self().visit([&](auto& w) { return w.set_surface_velocity(shape, velocity_m_s); });
  }
  EditResult set_material(ShapeId shape, double friction, double restitution) {
    return self().visit([&](auto& w) { return w.set_material(shape, friction, restitution); });
  }
  EditResult set_mover_input(MoverId mover, const MoverInput& input) {
    return self().visit([&](auto& w) { return w.set_mover_input(mover, input); });
  }
  EditResult set_mover_tuning(MoverId mover, const MoverTuning& tuning) {
    return self().visit([&](auto& w) { return w.set_mover_tuning(mover, tuning); });
  }
  [[nodiscard]] Result<RopeId, PhysicsError> create_rope(const RopeDef& def) {
    return self().visit([&](auto& w) { return w.create_rope(def); });
  }
  EditResult destroy_rope(RopeId rope) {
    return self().visit([&](auto& w) { return w.destroy_rope(rope); });
  }
  IgnorableResult<RopeId, PhysicsError> cut_rope(RopeId rope, std::uint32_t segment) {
    return self().visit([&](auto& w) { return w.cut_rope(rope, segment); });
  }
  EditResult set_rope_pin(RopeId rope, const RopePin& pin) {
    return self().visit([&](auto& w) { return w.set_rope_pin(rope, pin); });
  }
  EditResult clear_rope_pin(RopeId rope, std::uint32_t node) {
    return self().visit([&](auto& w) { return w.clear_rope_pin(rope, node); });
  }
  EditResult set_rope_segment_length(RopeId rope, double segment_length_m) {
    return self().visit([&](auto& w) { return w.set_rope_segment_length(rope, segment_length_m); });
  }
  EditResult apply_rope_impulse(RopeId rope, std::uint32_t node, Vec3<double> impulse_n_s) {
    return self().visit([&](auto& w) { return w.apply_rope_impulse(rope, node, impulse_n_s); });
  }
  [[nodiscard]] Result<JointId, PhysicsError> create_joint(const JointDef& def) {
    return self().visit([&](auto& w) { return w.create_joint(def); });
  }
  EditResult destroy_joint(JointId joint) {
    return self().visit([&](auto& w) { return w.destroy_joint(joint); });
  }
  EditResult change_joint(JointId joint, const JointDef& def) {
    return self().visit([&](auto& w) { return w.change_joint(joint, def); });
  }
  EditResult set_joint_enabled(JointId joint, bool enabled) {
    return self().visit([&](auto& w) { return w.set_joint_enabled(joint, enabled); });
  }
  void set_max_contacts(std::uint32_t max_contacts) {
    self().visit([&](auto& w) { w.set_max_contacts(max_contacts); });
  }
  [[nodiscard]] std::uint32_t random() {
    return self().visit([&](auto& w) { return w.random(); });
  }

 private:
  [[nodiscard]] Self& self() noexcept { return static_cast<Self&>(*this); }
};

class AnyWorld : public WorldEdits<AnyWorld> {
 public:
  /// Returns call(world), where `world` is the World<float> or World<Fixed> inside.
  template <class Call>
  decltype(auto) visit(Call&& call) {
    if (auto* const world = std::get_if<World<float>>(&world_)) return call(*world);
    return call(*std::get_if<World<Fixed>>(&world_));  // a world is never valueless: its moves do not throw
  }
  template <class Call>
  decltype(auto) visit(Call&& call) const {
    if (auto const* const world = std::get_if<World<float>>(&world_)) return call(*world);
    return call(*std::get_if<World<Fixed>>(&world_));
  }

  [[nodiscard]] static Result<AnyWorld, PhysicsError> create(const WorldDef& def, NumbersMode numbers);
  /// Restores a world from an image of `numbers`. Errors: those of World::restore; kImageNumbers when the
  /// image has the other mode.
  [[nodiscard]] static Result<AnyWorld, PhysicsError> restore(std::span<const std::byte> image,
                                                              NumbersMode numbers);

  [[nodiscard]] NumbersMode numbers() const noexcept {
    return world_.index() == 0 ? NumbersMode::kFloat : NumbersMode::kFixed;
  }
  [[nodiscard]] const WorldDef& def() const noexcept {
    return visit([&](const auto& w) -> const WorldDef& { return w.def(); });
  }
  [[nodiscard]] std::uint64_t tick() const noexcept {
    return visit([&](const auto& w) { return w.tick(); });
  }

  // These calls have the contracts of World<Real> (takt/physics/world.h).
  [[nodiscard]] Result<BodyId, PhysicsError> create_body(const BodyDef& def) {
    return visit([&](auto& w) { return w.create_body(def); });
  }
  /// Creates a body of one shape; `def.shapes` is not read.
  [[nodiscard]] Result<BodyId, PhysicsError> create_body(BodyDef def, const ShapeDef& shape) {
    def.shapes = {&shape, 1};
    return create_body(def);
  }
  [[nodiscard]] Result<BodyId, PhysicsError> create_body_as(BodyId id, const BodyDef& def) {
    return visit([&](auto& w) { return w.create_body_as(id, def); });
  }
  EditResult correct(BodyId body, const BodyCorrection& correction) {
    return visit([&](auto& w) { return w.correct(body, correction); });
  }
  EditResult destroy_body(BodyId body) {
    return visit([&](auto& w) { return w.destroy_body(body); });
  }
  [[nodiscard]] bool contains(BodyId body) const noexcept {
    return visit([&](const auto& w) { return w.contains(body); });
  }
  [[nodiscard]] std::uint32_t body_count() const noexcept {
    return visit([&](const auto& w) { return w.body_count(); });
  }
  [[nodiscard]] std::uint32_t rope_count() const noexcept {
    return visit([&](const auto& w) { return w.rope_count(); });
  }
  void list_bodies(std::vector<BodyId>& out) const {
    return visit([&](const auto& w) { return w.list_bodies(out); });
  }
  [[nodiscard]] BodyView view(BodyId body) const;  ///< the body must be alive (asserted)
  [[nodiscard]] BodyType body_type(BodyId body) const {
    return visit([&](const auto& w) { return w.body_type(body); });
  }
  [[nodiscard]] bool is_quarantined(BodyId body) const {
    return visit([&](const auto& w) { return w.is_quarantined(body); });
  }
  [[nodiscard]] double mass_kg(BodyId body) const {
    return visit([&](const auto& w) { return w.mass_kg(body); });
  }
  [[nodiscard]] std::uint64_t user_tag(BodyId body) const {
    return visit([&](const auto& w) { return w.user_tag(body); });
  }
  [[nodiscard]] std::vector<ShapeId> shapes(BodyId body) const {
    return visit([&](const auto& w) { return w.shapes(body); });
  }
  [[nodiscard]] BodyId body_of(ShapeId shape) const noexcept {
    return visit([&](const auto& w) { return w.body_of(shape); });
  }
  [[nodiscard]] ShapeDef shape(ShapeId shape) const {
    return visit([&](const auto& w) { return w.shape(shape); });
  }
  [[nodiscard]] std::uint64_t geometry_digest(ShapeId shape) const {
    return visit([&](const auto& w) { return w.geometry_digest(shape); });
  }
  [[nodiscard]] std::vector<std::span<const std::uint8_t>> hull_faces(ShapeId shape) const {
    return visit([&](const auto& w) { return w.hull_faces(shape); });
  }
  [[nodiscard]] bool is_enabled(BodyId body) const {
    return visit([&](const auto& w) { return w.is_enabled(body); });
  }
  /// Returns the world position of a point of the body's frame, computed in Real. The body must be alive
  /// (asserted).
  [[nodiscard]] Position world_point(BodyId body, Vec3<double> local_m) const;

  [[nodiscard]] Result<GrabId, PhysicsError> create_grab(BodyId body, Vec3<double> local_anchor_m,
                                                         const Position& target, double max_force_n) {
    return visit([&](auto& w) { return w.create_grab(body, local_anchor_m, target, max_force_n); });
  }
  EditResult move_grab(GrabId grab, const Position& target) {
    return visit([&](auto& w) { return w.move_grab(grab, target); });
  }
  EditResult destroy_grab(GrabId grab) {
    return visit([&](auto& w) { return w.destroy_grab(grab); });
  }
  [[nodiscard]] bool contains(GrabId grab) const noexcept {
    return visit([&](const auto& w) { return w.contains(grab); });
  }
  [[nodiscard]] BodyId grabbed_body(GrabId grab) const {
    return visit([&](const auto& w) { return w.grabbed_body(grab); });
  }
  [[nodiscard]] Result<MoverId, PhysicsError> create_mover(const MoverDef& def) {
    return visit([&](auto& w) { return w.create_mover(def); });
  }
  [[nodiscard]] bool contains(MoverId mover) const noexcept {
    return visit([&](const auto& w) { return w.contains(mover); });
  }
  [[nodiscard]] MoverId mover_of(BodyId body) const noexcept {
    return visit([&](const auto& w) { return w.mover_of(body); });
  }
  [[nodiscard]] MoverView mover(MoverId mover) const {
    return visit([&](const auto& w) { return w.mover(mover); });
  }
  [[nodiscard]] MoverTuning mover_tuning(MoverId mover) const {
    return visit([&](const auto& w) { return w.mover_tuning(mover); });
  }
  void list_movers(std::vector<MoverId>& out) const {
    return visit([&](const auto& w) { return w.list_movers(out); });
  }
  [[nodiscard]] bool contains(RopeId rope) const noexcept {
    return visit([&](const auto& w) { return w.contains(rope); });
  }
  void list_ropes(std::vector<RopeId>& out) const {
    return visit([&](const auto& w) { return w.list_ropes(out); });
  }
  void read_rope(RopeId rope, RopeView& out) const {
    return visit([&](const auto& w) { return w.read_rope(rope, out); });
  }
  [[nodiscard]] bool contains(JointId joint) const noexcept {
    return visit([&](const auto& w) { return w.contains(joint); });
  }
  void list_joints(std::vector<JointId>& out) const {
    return visit([&](const auto& w) { return w.list_joints(out); });
  }
  [[nodiscard]] JointDef joint_def(JointId joint) const {
    return visit([&](const auto& w) { return w.joint_def(joint); });
  }
  [[nodiscard]] JointView joint(JointId joint) const {
    return visit([&](const auto& w) { return w.joint(joint); });
  }
  [[nodiscard]] double joint_coordinate(JointId joint, JointAxis axis) const {
    return visit([&](const auto& w) { return w.joint_coordinate(joint, axis); });
  }
  [[nodiscard]] double joint_rate(JointId joint, JointAxis axis) const {
    return visit([&](const auto& w) { return w.joint_rate(joint, axis); });
  }
  [[nodiscard]] JointFrame joint_frame(BodyId body, const Position& origin, Quat<double> rotation) const {
    return visit([&](const auto& w) { return w.joint_frame(body, origin, rotation); });
  }
  void list_contacts(std::vector<ContactView>& out) const {
    return visit([&](const auto& w) { return w.list_contacts(out); });
  }
  void list_grabs(std::vector<GrabView>& out) const {
    return visit([&](const auto& w) { return w.list_grabs(out); });
  }
  void list_overlaps(std::vector<SensorOverlap>& out) const {
    return visit([&](const auto& w) { return w.list_overlaps(out); });
  }
  [[nodiscard]] WorldEnergy energy() const {
    return visit([&](const auto& w) { return w.energy(); });
  }

  [[nodiscard]] Result<bool, PhysicsError> query(const Query& query, std::vector<QueryHit>& out,
                                                 QueryWork* work = nullptr) const {
    return visit([&](const auto& w) { return w.query(query, out, work); });
  }
  void query(std::span<const Query> queries, QueryResults& out) const {
    return visit([&](const auto& w) { return w.query(queries, out); });
  }

  StepStatus step(const StepOptions& options) {
    return visit([&](auto& w) { return w.step(options); });
  }
  [[nodiscard]] const StepEvents& events() const noexcept {
    return visit([&](const auto& w) -> const StepEvents& { return w.events(); });
  }
  [[nodiscard]] std::uint64_t fixed_overflow_total() const noexcept {
    return visit([&](const auto& w) { return w.fixed_overflow_total(); });
  }

  [[nodiscard]] std::uint64_t hash() const {
    return visit([&](const auto& w) { return w.hash(); });
  }
  [[nodiscard]] std::vector<std::byte> save() const {
    return visit([&](const auto& w) { return w.save(); });
  }
  /// Both must have the same numbers mode (asserted).
  [[nodiscard]] static std::vector<StateDifference> diff(const AnyWorld& left, const AnyWorld& right,
                                                         std::size_t max);
  void capture(AnyWorldSnapshot& out) const;
  /// As World::rollback; the snapshot must be captured, of this numbers mode, and fit (all asserted).
  void rollback(const AnyWorldSnapshot& from);
  void drop_derived_state() {
    return visit([&](auto& w) { return w.drop_derived_state(); });
  }

  /// Returns the World<Real> inside, or null when the world is of the other mode.
  template <class Real>
  [[nodiscard]] const World<Real>* get() const noexcept {
    return std::get_if<World<Real>>(&world_);
  }

 private:
  using Worlds = std::variant<World<float>, World<Fixed>>;
  explicit AnyWorld(Worlds world) : world_(std::move(world)) {}
  Worlds world_;
};

}  // namespace takt::sim
