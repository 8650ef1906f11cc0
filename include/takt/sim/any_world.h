// AnyWorld: a World<float> or a World<Fixed> behind one interface in doubles, so that sim, games, server and
// tools are written once. Doubles go in and are rounded to Real once by the engine; values that come out are
// exact for float and nearest for Fixed (53 of 64 bits). It adds no state of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "takt/core/result.h"
#include "takt/physics/world.h"

namespace takt::sim {

/// A body as seen from outside, in doubles.
struct BodyView {
  BodyId id;
  BodyType type = BodyType::kStatic;
  bool asleep = false;
  Position position;  ///< of the origin
  Quat<double> rotation;
  Vec3<double> linear_velocity_m_s;     ///< of the centre of mass, world frame
  Vec3<double> angular_velocity_rad_s;  ///< world frame
};

/// A world's canonical state in memory (WorldSnapshot). Reuse one to avoid allocation. Empty until captured
/// into.
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

class AnyWorld {
 public:
  [[nodiscard]] static Result<AnyWorld, PhysicsError> create(const WorldDef& def, NumbersMode numbers);
  /// From a world image of either numbers mode.
  [[nodiscard]] static Result<AnyWorld, PhysicsError> restore(std::span<const std::byte> image,
                                                              NumbersMode numbers);

  [[nodiscard]] NumbersMode numbers() const noexcept {
    return world_.index() == 0 ? NumbersMode::kFloat : NumbersMode::kFixed;
  }
  [[nodiscard]] const WorldDef& def() const noexcept;
  [[nodiscard]] std::uint64_t tick() const noexcept;

  // The same contracts as World<Real>, see takt/physics/world.h.
  [[nodiscard]] Result<BodyId, PhysicsError> create_body(const BodyDef& def);
  Result<Unit, PhysicsError> destroy_body(BodyId body);
  [[nodiscard]] bool contains(BodyId body) const noexcept;
  [[nodiscard]] std::uint32_t body_count() const noexcept;
  void list_bodies(std::vector<BodyId>& out) const;
  [[nodiscard]] BodyView view(BodyId body) const;  ///< the body must be alive (asserted), here and below
  [[nodiscard]] BodyType body_type(BodyId body) const;
  [[nodiscard]] bool is_quarantined(BodyId body) const;
  [[nodiscard]] double mass_kg(BodyId body) const;
  [[nodiscard]] std::uint64_t user_tag(BodyId body) const;
  [[nodiscard]] std::vector<ShapeDef> shapes(BodyId body) const;
  [[nodiscard]] std::vector<ShapeId> shape_ids(BodyId body) const;  ///< in the same order
  [[nodiscard]] std::uint64_t geometry_digest(ShapeId shape) const;
  [[nodiscard]] std::vector<std::span<const std::uint8_t>> hull_faces(ShapeId shape) const;
  [[nodiscard]] bool is_enabled(BodyId body) const;
  /// A point of the body's frame in the world, computed in Real.
  [[nodiscard]] Position world_point(BodyId body, Vec3<double> local_m) const;

  Result<Unit, PhysicsError> apply_impulse(BodyId body, Vec3<double> impulse_n_s);
  Result<Unit, PhysicsError> apply_impulse_at(BodyId body, Vec3<double> impulse_n_s, const Position& point);
  Result<Unit, PhysicsError> apply_angular_impulse(BodyId body, Vec3<double> impulse_n_m_s);
  Result<Unit, PhysicsError> apply_force(BodyId body, Vec3<double> force_n, Vec3<double> torque_n_m);
  Result<Unit, PhysicsError> set_pose(BodyId body, const Position& position, Quat<double> rotation);
  Result<Unit, PhysicsError> set_velocity(BodyId body, Vec3<double> linear_m_s, Vec3<double> angular_rad_s);
  Result<Unit, PhysicsError> set_user_tag(BodyId body, std::uint64_t tag);
  Result<Unit, PhysicsError> set_gravity_scale(BodyId body, double scale);
  Result<Unit, PhysicsError> set_damping(BodyId body, double linear_1_s, double angular_1_s);
  Result<Unit, PhysicsError> set_locked_axes(BodyId body, std::uint8_t locked);
  Result<Unit, PhysicsError> set_enabled(BodyId body, bool enabled);
  Result<Unit, PhysicsError> set_type(BodyId body, BodyType type);
  Result<Unit, PhysicsError> set_target(BodyId body, const Position& position, Quat<double> rotation);
  Result<Unit, PhysicsError> set_filter(ShapeId shape, const ShapeFilter& filter);
  Result<Unit, PhysicsError> set_surface_velocity(ShapeId shape, Vec3<double> velocity_m_s);
  [[nodiscard]] Result<GrabId, PhysicsError> create_grab(BodyId body, Vec3<double> local_anchor_m,
                                                         const Position& target, double max_force_n);
  Result<Unit, PhysicsError> move_grab(GrabId grab, const Position& target);
  Result<Unit, PhysicsError> destroy_grab(GrabId grab);
  [[nodiscard]] bool contains(GrabId grab) const noexcept;
  [[nodiscard]] BodyId grabbed_body(GrabId grab) const;
  [[nodiscard]] Result<MoverId, PhysicsError> create_mover(const MoverDef& def);
  [[nodiscard]] bool contains(MoverId mover) const noexcept;
  [[nodiscard]] MoverId mover_of(BodyId body) const noexcept;
  Result<Unit, PhysicsError> set_mover_input(MoverId mover, const MoverInput& input);
  Result<Unit, PhysicsError> set_mover_tuning(MoverId mover, const MoverTuning& tuning);
  [[nodiscard]] MoverView mover(MoverId mover) const;
  [[nodiscard]] MoverTuning mover_tuning(MoverId mover) const;
  void list_movers(std::vector<MoverId>& out) const;
  [[nodiscard]] Result<RopeId, PhysicsError> create_rope(const RopeDef& def);
  Result<Unit, PhysicsError> destroy_rope(RopeId rope);
  [[nodiscard]] bool contains(RopeId rope) const noexcept;
  void list_ropes(std::vector<RopeId>& out) const;
  Result<RopeId, PhysicsError> cut_rope(RopeId rope, std::uint32_t segment);
  Result<Unit, PhysicsError> set_rope_pin(RopeId rope, const RopePin& pin);
  Result<Unit, PhysicsError> clear_rope_pin(RopeId rope, std::uint32_t node);
  Result<Unit, PhysicsError> set_rope_segment_length(RopeId rope, double segment_length_m);
  Result<Unit, PhysicsError> apply_rope_impulse(RopeId rope, std::uint32_t node, Vec3<double> impulse_n_s);
  void read_rope(RopeId rope, RopeView& out) const;
  [[nodiscard]] Result<JointId, PhysicsError> create_joint(const JointDef& def);
  Result<Unit, PhysicsError> destroy_joint(JointId joint);
  [[nodiscard]] bool contains(JointId joint) const noexcept;
  void list_joints(std::vector<JointId>& out) const;
  Result<Unit, PhysicsError> change_joint(JointId joint, const JointDef& def);
  Result<Unit, PhysicsError> set_joint_enabled(JointId joint, bool enabled);
  [[nodiscard]] JointDef joint_def(JointId joint) const;
  [[nodiscard]] JointView joint(JointId joint) const;
  [[nodiscard]] double joint_coordinate(JointId joint, JointAxis axis) const;
  [[nodiscard]] double joint_rate(JointId joint, JointAxis axis) const;
  [[nodiscard]] JointFrame joint_frame(BodyId body, const Position& origin, Quat<double> rotation) const;
  void list_contacts(std::vector<ContactView>& out) const;
  void list_grabs(std::vector<GrabView>& out) const;
  void list_overlaps(std::vector<SensorOverlap>& out) const;
  [[nodiscard]] std::uint32_t random();

  [[nodiscard]] Result<bool, PhysicsError> query(const Query& query, std::vector<QueryHit>& out) const;
  void query(std::span<const Query> queries, QueryResults& out) const;

  StepStatus step(const StepOptions& options);
  [[nodiscard]] const StepEvents& events() const noexcept;
  [[nodiscard]] std::uint64_t fixed_overflow_total() const noexcept;

  [[nodiscard]] std::uint64_t hash() const;
  [[nodiscard]] std::vector<std::byte> save() const;
  /// Both must have the same numbers mode (asserted).
  [[nodiscard]] static std::vector<StateDifference> diff(const AnyWorld& left, const AnyWorld& right,
                                                         std::size_t max);
  void capture(AnyWorldSnapshot& out) const;
  void rollback(const AnyWorldSnapshot& from);
  void drop_derived_state();

  /// The world of that Real, or null when this is the other mode.
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
