// World<Real> is the deterministic physics engine; Real is float or Fixed. A world owns bodies, joints,
// ropes, movers and grabs, and World::step advances them by one tick. The state at tick t + 1 is a pure
// function of the state at t and the calls made between the two. World reads no clock, owns no threads and
// writes no log; a step allocates nothing while its counts do not grow. Players, sockets and files belong to
// the modules above (sim, net, server).
//
// Equal calls in equal order give equal bits on every compiler, CPU and SIMD width, within float mode and
// within fixed mode. capture() at any tick and rollback(), or save() and restore() in another process,
// continue without a difference.
//
// A World is not thread-safe, not even for const calls, because a const call may unpack contacts that are
// stored packed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "takt/core/result.h"
#include "takt/core/task_pool.h"
#include "takt/physics/body.h"
#include "takt/physics/error.h"
#include "takt/physics/inspection.h"
#include "takt/physics/joint.h"
#include "takt/physics/mover.h"
#include "takt/physics/query.h"
#include "takt/physics/rope.h"
#include "takt/physics/snapshot.h"
#include "takt/physics/step.h"
#include "takt/physics/world_def.h"

namespace takt {

/// Pose of a body's origin, not of its centre of mass.
template <class Real>
struct BodyPose {
  Position position;
  Quat<Real> rotation;
};

template <class Real>
class World {
 public:
  using Snapshot = WorldSnapshot<Real>;

  /// Creates an empty world at tick 0. Errors: kNotFinite, kOutOfRange.
  [[nodiscard]] static Result<World, PhysicsError> create(const WorldDef& def);
  World(World&&) noexcept;
  World& operator=(World&&) noexcept;
  ~World();

  // --- bodies ---
  /// Creates a body and all of its shapes, or nothing. Errors: those of a bad definition, kWorldFull.
  [[nodiscard]] Result<BodyId, PhysicsError> create_body(const BodyDef& def);
  /// A body of one shape; `def.shapes` is not read.
  [[nodiscard]] Result<BodyId, PhysicsError> create_body(BodyDef def, const ShapeDef& shape) {
    def.shapes = {&shape, 1};
    return create_body(def);
  }
  /// Destroys a body and its shapes, contacts, grabs, joints and rope pins. Errors: kUnknownBody.
  Result<Unit, PhysicsError> destroy_body(BodyId body);
  [[nodiscard]] bool contains(BodyId body) const noexcept;
  [[nodiscard]] std::uint32_t body_count() const noexcept;
  /// Lists all living bodies in id order. Clears `out` first.
  void list_bodies(std::vector<BodyId>& out) const;

  /// The body must be alive (asserted) for all of the following reads.
  [[nodiscard]] BodyType body_type(BodyId body) const;
  [[nodiscard]] BodyPose<Real> pose(BodyId body) const;          ///< of the origin
  [[nodiscard]] Vec3<Real> linear_velocity(BodyId body) const;   ///< of the centre of mass, m/s, world frame
  [[nodiscard]] Vec3<Real> angular_velocity(BodyId body) const;  ///< rad/s, world frame
  [[nodiscard]] Position center_of_mass(BodyId body) const;
  [[nodiscard]] double mass_kg(BodyId body) const;  ///< 0 for static and kinematic bodies
  [[nodiscard]] bool is_quarantined(BodyId body) const;
  [[nodiscard]] bool is_asleep(BodyId body) const;
  [[nodiscard]] bool is_enabled(BodyId body) const;
  [[nodiscard]] std::uint8_t locked_axes(BodyId body) const;
  [[nodiscard]] std::uint64_t user_tag(BodyId body) const;
  [[nodiscard]] std::vector<ShapeId> shapes(BodyId body) const;  ///< in order of creation
  /// Returns a shape as stored, rounded to Real. A hull's points are its vertices about the middle of its
  /// bounding box (at local_position_m). They stay valid while the shape lives and the world is not rolled
  /// back.
  [[nodiscard]] ShapeDef shape(ShapeId shape) const;
  /// Digest (XXH3-64) of the geometry of a hull, mesh or height field, equal for equal geometry in every
  /// world; 0 for other kinds.
  [[nodiscard]] std::uint64_t geometry_digest(ShapeId shape) const;
  /// Faces of a hull (asserted): indices of shape(..).hull_points_m, counter-clockwise seen from outside.
  /// Valid as long as those points.
  [[nodiscard]] std::vector<std::span<const std::uint8_t>> hull_faces(ShapeId shape) const;

  /// Wakes a sleeping body, and in the next step all bodies that it touches. No effect on other bodies.
  /// Errors: kUnknownBody.
  Result<Unit, PhysicsError> wake(BodyId body);
  /// Impulses and forces between ticks. They wake the body. Vectors in world frame, `point` in world
  /// coordinates; the forms without a point act at the centre of mass. Errors of this group: kUnknownBody,
  /// kNotFinite, kOutOfRange, kBadRotation, kNotDynamic (impulse, force).
  Result<Unit, PhysicsError> apply_impulse(BodyId body, Vec3<double> impulse_n_s);
  Result<Unit, PhysicsError> apply_impulse_at(BodyId body, Vec3<double> impulse_n_s, const Position& point);
  Result<Unit, PhysicsError> apply_angular_impulse(BodyId body, Vec3<double> impulse_n_m_s);
  /// Acts during the whole next step, then is cleared; calls add up.
  Result<Unit, PhysicsError> apply_force(BodyId body, Vec3<double> force_n, Vec3<double> torque_n_m);
  Result<Unit, PhysicsError> set_pose(BodyId body, const Position& position, Quat<double> rotation);
  Result<Unit, PhysicsError> set_velocity(BodyId body, Vec3<double> linear_m_s, Vec3<double> angular_rad_s);
  Result<Unit, PhysicsError> set_user_tag(BodyId body, std::uint64_t tag);
  /// Ranges as in BodyDef. They wake the body. Errors: kUnknownBody, kNotFinite, kOutOfRange.
  Result<Unit, PhysicsError> set_gravity_scale(BodyId body, double scale);
  Result<Unit, PhysicsError> set_damping(BodyId body, double linear_1_s, double angular_1_s);
  /// `locked`: kLock bits. Motion along newly locked axes stops. Wakes the body. Errors: kUnknownBody,
  /// kOutOfRange (an unknown bit).
  Result<Unit, PhysicsError> set_locked_axes(BodyId body, std::uint8_t locked);
  /// Disables or enables a body. A disabled body keeps its id, pose and velocities, but does not collide,
  /// move or trigger sensors; pending forces are dropped. Its contacts and overlaps end in the next step, and
  /// bodies that touched it wake. Impulses, forces and targets are refused with kDisabled; poses and
  /// velocities may be set. An enabled body is awake and continues. Errors: kUnknownBody.
  Result<Unit, PhysicsError> set_enabled(BodyId body, bool enabled);
  /// Changes the body type at the next step. Static: velocities become 0. Kinematic: velocities stay, and
  /// nothing changes them any more. Dynamic: velocities stay; mass comes from its definition's MassOverride
  /// or else from its shapes. Grabs on a body that ceases to be dynamic are removed, targets and forces
  /// dropped. Contacts continue where the new pair still collides; others end in the next step. Wakes the
  /// body and bodies that touch it. Errors (then nothing has changed): kUnknownBody, kOutOfRange,
  /// kHalfSpaceNotStatic, kHeightFieldNotStatic, kMeshOnDynamic, kNoMass, kMassOutOfRange.
  Result<Unit, PhysicsError> set_type(BodyId body, BodyType type);
  /// Moves a kinematic body to a pose. In the next step it has the velocities of that motion; after the step
  /// it is exactly at the pose. Without another target (or velocity) its velocity is 0 in the following step.
  /// Later calls replace earlier ones; set_pose, set_velocity and set_type drop the target. Errors:
  /// kUnknownBody, kNotKinematic, kDisabled, kOutOfRange (a position outside the world, or a motion too
  /// fast), kNotFinite, kBadRotation.
  Result<Unit, PhysicsError> set_target(BodyId body, const Position& position, Quat<double> rotation);
  /// In force from the next step; contacts that it excludes end there. Wakes the body and bodies that touch
  /// it. Errors: kUnknownShape.
  Result<Unit, PhysicsError> set_filter(ShapeId shape, const ShapeFilter& filter);
  /// As ShapeDef::surface_velocity_m_s. Wakes the body and bodies that touch it. Errors: kUnknownShape,
  /// kNotFinite, kOutOfRange.
  Result<Unit, PhysicsError> set_surface_velocity(ShapeId shape, Vec3<double> velocity_m_s);

  // --- grabs ---
  /// Pulls the point `local_anchor_m` (body frame, metres) of a dynamic body to `target` with at most
  /// `max_force_n`, by a critically damped 5 Hz spring.
  [[nodiscard]] Result<GrabId, PhysicsError> create_grab(BodyId body, Vec3<double> local_anchor_m,
                                                         const Position& target, double max_force_n);
  Result<Unit, PhysicsError> move_grab(GrabId grab, const Position& target);
  Result<Unit, PhysicsError> destroy_grab(GrabId grab);
  [[nodiscard]] bool contains(GrabId grab) const noexcept;
  [[nodiscard]] BodyId grabbed_body(GrabId grab) const;

  // --- movers ---
  /// Creates a character (docs/MOVER.md) and its body. Errors: those of a bad definition, kWorldFull.
  [[nodiscard]] Result<MoverId, PhysicsError> create_mover(const MoverDef& def);
  /// Destroys it and its body; destroy_body on that body is equivalent. Errors: kUnknownMover.
  Result<Unit, PhysicsError> destroy_mover(MoverId mover);
  [[nodiscard]] bool contains(MoverId mover) const noexcept;
  /// The mover that owns a body; null when none does.
  [[nodiscard]] MoverId mover_of(BodyId body) const noexcept;
  /// In force from the next step. Errors: kUnknownMover, kNotFinite, kOutOfRange.
  Result<Unit, PhysicsError> set_mover_input(MoverId mover, const MoverInput& input);
  /// In force from the next step. Errors: kUnknownMover, kNotFinite, kOutOfRange.
  Result<Unit, PhysicsError> set_mover_tuning(MoverId mover, const MoverTuning& tuning);
  /// The mover must be alive (asserted).
  [[nodiscard]] MoverView mover(MoverId mover) const;
  [[nodiscard]] MoverInput mover_input(MoverId mover) const;
  [[nodiscard]] MoverTuning mover_tuning(MoverId mover) const;
  /// Lists all living movers in id order. Clears `out` first. On a mover's body, set_pose teleports it and
  /// set_velocity throws it into the air. set_type and set_target are refused with kMoversBody; set_enabled
  /// and set_filter work as for any body.
  void list_movers(std::vector<MoverId>& out) const;

  // --- ropes ---
  /// Creates a rope (docs/ROPES.md), or nothing. Errors: those of a bad definition, kUnknownBody (a pin's),
  /// kWorldFull (WorldDef::max_bodies ropes).
  [[nodiscard]] Result<RopeId, PhysicsError> create_rope(const RopeDef& def);
  /// Wakes bodies that hung on it or touch it. Errors: kUnknownRope.
  Result<Unit, PhysicsError> destroy_rope(RopeId rope);
  [[nodiscard]] bool contains(RopeId rope) const noexcept;
  /// Lists all living ropes in id order. Clears `out` first.
  void list_ropes(std::vector<RopeId>& out) const;
  /// Cuts a rope at a segment, the one from node `segment` to the next. The rope keeps the nodes up to
  /// `segment`. The rest, with its pins, velocities and tag, becomes the new rope that is returned. A part
  /// may be a single node. Errors: kUnknownRope, kRopeSegment, kWorldFull.
  Result<RopeId, PhysicsError> cut_rope(RopeId rope, std::uint32_t segment);
  /// Pins a node, or moves its pin, from the next step on. Errors: kUnknownRope, kRopePinIndex, kUnknownBody,
  /// kNotFinite, kOutOfRange.
  Result<Unit, PhysicsError> set_rope_pin(RopeId rope, const RopePin& pin);
  /// Removes a node's pin. No effect on a node without one. Errors: kUnknownRope, kRopePinIndex.
  Result<Unit, PhysicsError> clear_rope_pin(RopeId rope, std::uint32_t node);
  /// Sets the rest length of every segment from the next step on, as a winch does. Errors: kUnknownRope,
  /// kNotFinite, kRopeLength.
  Result<Unit, PhysicsError> set_rope_segment_length(RopeId rope, double segment_length_m);
  /// No effect on a pinned node. Errors: kUnknownRope, kRopePinIndex (no such node), kNotFinite, kOutOfRange.
  Result<Unit, PhysicsError> apply_rope_impulse(RopeId rope, std::uint32_t node, Vec3<double> impulse_n_s);
  /// Fills `out`, keeping its memory. The rope must be alive (asserted).
  void read_rope(RopeId rope, RopeView& out) const;

  // --- joints ---
  /// Creates a joint (docs/JOINTS.md), or nothing. Wakes both bodies. Errors: kNotFinite, kOutOfRange, the
  /// kJoint ones, kUnknownBody, kUnknownJoint (a gear's), kWorldFull (8 x WorldDef::max_bodies).
  [[nodiscard]] Result<JointId, PhysicsError> create_joint(const JointDef& def);
  /// Destroys a joint and the gears that use it. Wakes both bodies. destroy_body also destroys the body's
  /// joints. Errors: kUnknownJoint.
  Result<Unit, PhysicsError> destroy_joint(JointId joint);
  [[nodiscard]] bool contains(JointId joint) const noexcept;
  /// Lists all living joints in id order. Clears `out` first.
  void list_joints(std::vector<JointId>& out) const;
  /// Changes a joint from the next step on; its two bodies, its kind and a gear's joints must stay. Axes
  /// present before and after keep their warm-start impulses. Wakes both bodies. Errors: as create_joint;
  /// kOutOfRange when bodies, kind or coupled joints differ.
  Result<Unit, PhysicsError> change_joint(JointId joint, const JointDef& def);
  /// Disabled: it constrains nothing and its bodies collide. Enabled: it acts again, even after breaking.
  /// Wakes both bodies. Errors: kUnknownJoint.
  Result<Unit, PhysicsError> set_joint_enabled(JointId joint, bool enabled);
  /// The joint must be alive (asserted) for the following reads.
  [[nodiscard]] JointDef joint_def(JointId joint) const;
  [[nodiscard]] JointView joint(JointId joint) const;
  /// Present value of a coordinate (m or rad) and its rate (m/s or rad/s). For a locked coordinate: its
  /// error.
  [[nodiscard]] double joint_coordinate(JointId joint, JointAxis axis) const;
  [[nodiscard]] double joint_rate(JointId joint, JointAxis axis) const;
  /// Converts a world frame to a joint frame on a body, for use in a JointDef. The body must be alive
  /// (asserted).
  [[nodiscard]] JointFrame joint_frame(BodyId body, const Position& origin, Quat<double> rotation = {}) const;

  // --- inspection ---
  /// Lists every contact point of the last step, sorted by the two shapes' indices, and every grab in id
  /// order. Contacts of shapes destroyed since are left out. Clears `out` first.
  void list_contacts(std::vector<ContactView>& out) const;
  void list_grabs(std::vector<GrabView>& out) const;
  /// Lists sensor overlaps of the last step, sorted by sensor, then visitor. Clears `out` first.
  void list_overlaps(std::vector<SensorOverlap>& out) const;

  // --- queries ---
  /// Runs a query on the world between two ticks (query.h). Returns true when something was found; the hits
  /// replace `out`, sorted. No bit of the world changes. The first query after a step visits all shapes;
  /// further ones cost the logarithm of their number. Errors: kNotFinite, kOutOfRange, kBadRotation, those of
  /// a bad shape; kBadShapeKind for a half-space, mesh or height field.
  [[nodiscard]] Result<bool, PhysicsError> query(const Query& query, std::vector<QueryHit>& out) const;
  /// Runs a batch of independent queries: `out` has one answer per query, in their order.
  void query(std::span<const Query> queries, QueryResults& out) const;

  // --- time ---
  /// Advances the world by one tick. The floating-point control word is set for the step and restored.
  StepStatus step(const StepOptions& options = {});
  [[nodiscard]] std::uint64_t tick() const noexcept;
  [[nodiscard]] const StepEvents& events() const noexcept;
  [[nodiscard]] const WorldDef& def() const noexcept;
  /// Saturations since tick 0 (fixed mode); canonical.
  [[nodiscard]] std::uint64_t fixed_overflow_total() const noexcept;
  /// Returns 32 bits of the world's own random stream; canonical.
  [[nodiscard]] std::uint32_t random();

  // --- canonical state ---
  /// XXH3-64 over the canonical encoding: equal states have equal hashes on every machine.
  [[nodiscard]] std::uint64_t hash() const;
  /// Size of the canonical encoding, bytes.
  [[nodiscard]] std::size_t size_bytes() const;
  /// Returns the portable image: header, canonical encoding, checksum. Fields are little-endian; see
  /// docs/RECORDING.md.
  [[nodiscard]] std::vector<std::byte> save() const;
  /// Restores a world from an image of its numbers mode. Every field is checked; a bad image changes nothing.
  /// Errors: kBadImage, kImageVersion, kImageNumbers, kImageInconsistent.
  [[nodiscard]] static Result<World, PhysicsError> restore(std::span<const std::byte> image);
  /// Returns the first `max` fields in which two worlds differ, in visiting order; empty when their hashes
  /// are equal.
  [[nodiscard]] static std::vector<StateDifference> diff(const World& left, const World& right,
                                                         std::size_t max = 16);

  /// Copies canonical state into `out` (its memory is reused) or back from it. The snapshot must fit
  /// (asserted).
  void capture(Snapshot& out) const;
  void rollback(const Snapshot& from);
  /// True when the snapshot was taken of this world or one with an equal WorldDef. False for an empty one.
  [[nodiscard]] bool fits(const Snapshot& snapshot) const noexcept;
  /// Discards derived state (broad phase, pairs, scratch). The next step rebuilds it without changing a bit.
  /// For tests and tools.
  void drop_derived_state();

 private:
  struct Impl;
  explicit World(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

extern template class WorldSnapshot<float>;
extern template class WorldSnapshot<Fixed>;
extern template class World<float>;
extern template class World<Fixed>;

}  // namespace takt
