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
// stored packed. A call that returns an error has not changed the world. The remedy of an error stands beside
// its value in error.h. A caller may drop the result of a change (EditResult), but not that of a creation.
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

/// Pose and velocities that World::correct() gives to a body.
struct BodyCorrection {
  Position position{};                    ///< of the origin; each axis within +-kWorldLimitM
  Quat<double> rotation{};                ///< unit within 1 %, normalised on entry
  Vec3<double> linear_velocity_m_s{};     ///< of the centre of mass, world frame; <= kMaxLinearSpeedMS
  Vec3<double> angular_velocity_rad_s{};  ///< world frame; <= kMaxAngularSpeedRadS
};

template <class Real>
class World {
 public:
  using Snapshot = WorldSnapshot<Real>;

  /// Creates an empty world at tick 0. Errors: kNotFinite and kOutOfRange (ranges in WorldDef).
  [[nodiscard]] static Result<World, PhysicsError> create(const WorldDef& def);
  World(World&&) noexcept;
  World& operator=(World&&) noexcept;
  ~World();

  // --- bodies ---
  /// Creates a body and all of its shapes, or nothing. Ranges in BodyDef and ShapeDef. Errors: kNotFinite,
  /// kOutOfRange, kBadRotation, kBadShapeKind, kShapeTooSmall, kShapeTooLarge, kTooManyShapes, kNoMass,
  /// kMassOutOfRange; kHalfSpaceNotStatic, kHeightFieldNotStatic, kMeshOnDynamic; the kHull, kMesh and
  /// kHeightField ones; kWorldFull (WorldDef::max_bodies).
  [[nodiscard]] Result<BodyId, PhysicsError> create_body(const BodyDef& def);
  /// A body of one shape; `def.shapes` is not read. Errors: as above.
  [[nodiscard]] Result<BodyId, PhysicsError> create_body(BodyDef def, const ShapeDef& shape) {
    def.shapes = {&shape, 1};
    return create_body(def);
  }
  /// As create_body(), but the body gets the id `id`, for a world that follows another one. Later ids differ
  /// from those of a world that did without. Errors: as above, and kOutOfRange when a body has that index, or
  /// the generation is 0, or the index is not below WorldDef::max_bodies.
  [[nodiscard]] Result<BodyId, PhysicsError> create_body_as(BodyId id, const BodyDef& def);
  /// Destroys a body and its shapes, contacts, grabs, joints, mover and rope pins. Bodies that touch it wake.
  /// Errors: kUnknownBody.
  EditResult destroy_body(BodyId body);
  /// True while the body lives; false for null and for a reused slot's older id.
  [[nodiscard]] bool contains(BodyId body) const noexcept;
  [[nodiscard]] std::uint32_t body_count() const noexcept;
  [[nodiscard]] std::uint32_t rope_count() const noexcept;
  /// Lists all living bodies in id order. Clears `out` first.
  void list_bodies(std::vector<BodyId>& out) const;

  /// The body must be alive (asserted) for all of the following reads.
  [[nodiscard]] BodyType body_type(BodyId body) const;
  [[nodiscard]] BodyPose<Real> pose(BodyId body) const;          ///< of the origin
  [[nodiscard]] Vec3<Real> linear_velocity(BodyId body) const;   ///< of the centre of mass, m/s, world frame
  [[nodiscard]] Vec3<Real> angular_velocity(BodyId body) const;  ///< rad/s, world frame
  [[nodiscard]] Position center_of_mass(BodyId body) const;
  [[nodiscard]] double mass_kg(BodyId body) const;       ///< 0 for static and kinematic bodies
  [[nodiscard]] bool is_quarantined(BodyId body) const;  ///< left the world or the finite numbers; frozen
  [[nodiscard]] bool is_asleep(BodyId body) const;
  [[nodiscard]] bool is_enabled(BodyId body) const;
  [[nodiscard]] std::uint8_t locked_axes(BodyId body) const;  ///< kLock bits
  [[nodiscard]] std::uint64_t user_tag(BodyId body) const;
  [[nodiscard]] std::vector<ShapeId> shapes(BodyId body) const;  ///< in order of creation
  /// The body of a shape, such as one that an event names; null when the shape is no longer alive.
  [[nodiscard]] BodyId body_of(ShapeId shape) const noexcept;
  /// Returns a shape as stored, rounded to Real. A hull's points are its vertices about the middle of its
  /// bounding box (at local_position_m). They stay valid while the shape lives and the world is not rolled
  /// back. The shape must be alive (asserted), here and in the next two.
  [[nodiscard]] ShapeDef shape(ShapeId shape) const;
  /// Digest (XXH3-64) of the geometry of a hull, mesh or height field, equal for equal geometry in every
  /// world; 0 for other kinds.
  [[nodiscard]] std::uint64_t geometry_digest(ShapeId shape) const;
  /// Faces of a hull (asserted): indices of shape(..).hull_points_m, counter-clockwise seen from outside.
  /// Valid as long as those points.
  [[nodiscard]] std::vector<std::span<const std::uint8_t>> hull_faces(ShapeId shape) const;

  /// Wakes a sleeping body, and in the next step all bodies that it touches. No effect on a body that is
  /// awake. Errors: kUnknownBody.
  EditResult wake(BodyId body);
  /// Impulses and forces change a dynamic body between ticks, and wake it; they have no effect on a
  /// quarantined one. Vectors are in the world frame, each component within +-1e9. Errors of these four
  /// calls: kUnknownBody, kNotDynamic, kDisabled, kNotFinite, kOutOfRange.
  ///
  /// Acts at the centre of mass, N s.
  EditResult apply_impulse(BodyId body, Vec3<double> impulse_n_s);
  /// Acts at `point`, world, at most 2 kMaxExtentM from the centre of mass on each axis (else kOutOfRange).
  EditResult apply_impulse_at(BodyId body, Vec3<double> impulse_n_s, const Position& point);
  /// Changes the angular velocity only, N m s.
  EditResult apply_angular_impulse(BodyId body, Vec3<double> impulse_n_m_s);
  /// Acts at the centre of mass during the whole next step, then is cleared; calls add up, up to +-1e9.
  EditResult apply_force(BodyId body, Vec3<double> force_n, Vec3<double> torque_n_m = {});
  /// Teleports a body of any type; its velocities stay. Wakes it and bodies that touched it. Errors:
  /// kUnknownBody, kOutOfRange (a position outside the world, kWorldLimitM), kNotFinite, kBadRotation.
  EditResult set_pose(BodyId body, const Position& position, Quat<double> rotation);
  /// Sets the velocities of a dynamic or kinematic body, linear of its centre of mass, world frame. Lengths
  /// are at most kMaxLinearSpeedMS and kMaxAngularSpeedRadS. Wakes the body; locked axes stay still. No
  /// effect on a quarantined body. Errors: kUnknownBody, kNotFinite, kOutOfRange, kNotDynamic (a static
  /// body).
  EditResult set_velocity(BodyId body, Vec3<double> linear_m_s, Vec3<double> angular_rad_s);
  /// Gives a body the pose and velocities of another world's body, for a world that follows it. Unlike
  /// set_pose() and set_velocity() it wakes nothing, and contacts keep the impulses that warm-start them. A
  /// field that is equal to the present one changes no bit, so an equal correction changes no later hash. A
  /// sleeping body keeps its zero velocities, a static one too; call wake() where it is to move. A new pose
  /// drops the target of a kinematic body. No effect on a quarantined body. Errors: kUnknownBody, kNotFinite,
  /// kOutOfRange, kBadRotation.
  EditResult correct(BodyId body, const BodyCorrection& correction);
  /// The tag is canonical; the engine never reads it. Wakes nothing. Errors: kUnknownBody.
  EditResult set_user_tag(BodyId body, std::uint64_t tag);
  /// Both set values of BodyDef, with its ranges: a factor within +-1000, and dampings in [0, 1000] 1/s. They
  /// wake the body. Errors: kUnknownBody, kNotFinite, kOutOfRange.
  EditResult set_gravity_scale(BodyId body, double scale);
  EditResult set_damping(BodyId body, double linear_1_s, double angular_1_s);
  /// `locked`: kLock bits. Motion along newly locked axes stops. Wakes the body. Errors: kUnknownBody,
  /// kOutOfRange (an unknown bit).
  EditResult set_locked_axes(BodyId body, std::uint8_t locked);
  /// Disables or enables a body. A disabled body keeps its id, pose and velocities, but does not collide,
  /// move or trigger sensors; pending forces are dropped. Its contacts and overlaps end in the next step, and
  /// bodies that touched it wake. Impulses, forces and targets are refused with kDisabled; poses and
  /// velocities may be set. An enabled body is awake and continues. Errors: kUnknownBody.
  EditResult set_enabled(BodyId body, bool enabled);
  /// Changes the body type. Static: velocities become 0. Kinematic: velocities stay, and no force or contact
  /// changes them any more. Dynamic: velocities stay; mass comes from its definition's MassOverride
  /// or else from its shapes. Grabs on a body that ceases to be dynamic are removed, targets and forces
  /// dropped. Contacts continue where the new pair still collides; others end in the next step. Wakes the
  /// body and bodies that touch it. Errors (then nothing has changed): kUnknownBody, kOutOfRange,
  /// kMoversBody, kHalfSpaceNotStatic, kHeightFieldNotStatic, kMeshOnDynamic, kNoMass, kMassOutOfRange.
  EditResult set_type(BodyId body, BodyType type);
  /// Moves a kinematic body to a pose. In the next step it has the velocities of that motion; after the step
  /// it is exactly at the pose. Without another target (or velocity) its velocity is 0 in the following step.
  /// Later calls replace earlier ones; set_pose, set_velocity and set_type drop the target. Errors:
  /// kUnknownBody, kNotKinematic, kMoversBody, kDisabled, kOutOfRange (a position outside the world, or a
  /// motion too fast), kNotFinite, kBadRotation.
  EditResult set_target(BodyId body, const Position& position, Quat<double> rotation);
  /// Sets a shape's filter from the next step on; contacts that the filter excludes end in that step. Wakes
  /// the body and bodies that touch it, unless the filter is equal. Errors: kUnknownShape.
  EditResult set_filter(ShapeId shape, const ShapeFilter& filter);
  /// Sets ShapeDef::surface_velocity_m_s. Wakes the body and bodies that touch it. Errors: kUnknownShape,
  /// kNotFinite, kOutOfRange.
  EditResult set_surface_velocity(ShapeId shape, Vec3<double> velocity_m_s);
  /// Sets ShapeDef::friction and restitution, from the next step on. Triangles of a surface with materials of
  /// their own keep them. Wakes the body and bodies that touch it. Errors: kUnknownShape, kNotFinite,
  /// kOutOfRange.
  EditResult set_material(ShapeId shape, double friction, double restitution);

  // --- grabs ---
  /// Pulls a point of a dynamic body to `target`, a point of the world, by a critically damped 5 Hz spring. A
  /// body may have several grabs. A grab wakes its body and keeps it awake. It ends with destroy_grab, with
  /// its body, and when the body ceases to be dynamic. It has no effect on a disabled or quarantined body.
  /// - `local_anchor_m`: the point in the body's frame, about its origin, each within +-2 kMaxExtentM.
  /// - `target`: within the world (kWorldLimitM).
  /// - `max_force_n`: maximum force of the spring, N, [0, 1e9].
  /// Errors: kUnknownBody, kNotDynamic, kDisabled (enable the body first), kNotFinite, kOutOfRange,
  /// kWorldFull (WorldDef::max_bodies grabs).
  [[nodiscard]] Result<GrabId, PhysicsError> create_grab(BodyId body, Vec3<double> local_anchor_m,
                                                         const Position& target, double max_force_n);
  /// Moves the target, from the next step on. Errors: kUnknownGrab (also after its body is gone), kOutOfRange
  /// (outside the world).
  EditResult move_grab(GrabId grab, const Position& target);
  /// Releases the body; it keeps its velocities. Errors: kUnknownGrab.
  EditResult destroy_grab(GrabId grab);
  /// True until the grab ends.
  [[nodiscard]] bool contains(GrabId grab) const noexcept;
  /// The body that the grab pulls. The grab must be alive (asserted).
  [[nodiscard]] BodyId grabbed_body(GrabId grab) const;

  // --- movers ---
  /// Creates a character (docs/MOVER.md) and its body. On that body, set_pose teleports the mover and
  /// set_velocity throws it into the air; set_type and set_target are refused with kMoversBody; set_enabled
  /// and set_filter work as for any body. Ranges in MoverDef. Errors: kNotFinite, kOutOfRange,
  /// kShapeTooSmall, kShapeTooLarge, kWorldFull (WorldDef::max_bodies).
  [[nodiscard]] Result<MoverId, PhysicsError> create_mover(const MoverDef& def);
  /// Destroys a mover and its body; destroy_body on that body is equivalent. Errors: kUnknownMover.
  EditResult destroy_mover(MoverId mover);
  [[nodiscard]] bool contains(MoverId mover) const noexcept;
  /// The mover that owns a body; null when none does.
  [[nodiscard]] MoverId mover_of(BodyId body) const noexcept;
  /// Sets the input from the next step on, until the next input; ranges in MoverInput. A jump that no step
  /// has used yet stays. Errors: kUnknownMover, kNotFinite, kOutOfRange.
  EditResult set_mover_input(MoverId mover, const MoverInput& input);
  /// Sets the tuning from the next step on; ranges in MoverTuning. Errors: kUnknownMover, kNotFinite,
  /// kOutOfRange.
  EditResult set_mover_tuning(MoverId mover, const MoverTuning& tuning);
  /// The mover must be alive (asserted) for the following reads. The input is the last one that was set; its
  /// jump is false after the step that used it.
  [[nodiscard]] MoverView mover(MoverId mover) const;
  [[nodiscard]] MoverInput mover_input(MoverId mover) const;
  [[nodiscard]] MoverTuning mover_tuning(MoverId mover) const;
  /// Lists all living movers in id order. Clears `out` first.
  void list_movers(std::vector<MoverId>& out) const;

  // --- ropes ---
  /// Creates a rope (docs/ROPES.md), or nothing. Ranges in RopeDef. Errors: kNotFinite, kOutOfRange,
  /// kRopeNodeCount, kRopeLength, kRopeMass, kRopeStiffness, kRopeCompliance, kRopePinIndex, kUnknownBody (a
  /// pin's), kWorldFull (WorldDef::max_bodies ropes).
  [[nodiscard]] Result<RopeId, PhysicsError> create_rope(const RopeDef& def);
  /// Destroys a rope. Wakes bodies that hung on it or touch it. Errors: kUnknownRope.
  EditResult destroy_rope(RopeId rope);
  [[nodiscard]] bool contains(RopeId rope) const noexcept;
  /// Lists all living ropes in id order. Clears `out` first.
  void list_ropes(std::vector<RopeId>& out) const;
  /// Cuts a rope at a segment, the one from node `segment` to the next. The rope keeps the nodes up to
  /// `segment`. The rest, with its pins, velocities and tag, becomes the new rope that is returned. A part
  /// may be a single node. Errors: kUnknownRope, kRopeSegment, kWorldFull (WorldDef::max_bodies ropes).
  IgnorableResult<RopeId, PhysicsError> cut_rope(RopeId rope, std::uint32_t segment);
  /// Pins a node, or moves its pin, from the next step on. Errors: kUnknownRope, kRopePinIndex, kUnknownBody,
  /// kNotFinite, kOutOfRange.
  EditResult set_rope_pin(RopeId rope, const RopePin& pin);
  /// Removes a node's pin. No effect on a node without one. Errors: kUnknownRope, kRopePinIndex.
  EditResult clear_rope_pin(RopeId rope, std::uint32_t node);
  /// Sets the rest length of every segment from the next step on, as a winch does, m, [kMinExtentM, 1000].
  /// Errors: kUnknownRope, kNotFinite, kRopeLength.
  EditResult set_rope_segment_length(RopeId rope, double segment_length_m);
  /// Changes the velocity of a node, which counts from 0, and wakes the rope; no effect on a pinned node or a
  /// quarantined rope. World frame, each component within +-1e9. Errors: kUnknownRope, kRopePinIndex (no such
  /// node), kNotFinite, kOutOfRange.
  EditResult apply_rope_impulse(RopeId rope, std::uint32_t node, Vec3<double> impulse_n_s);
  /// Fills `out`, keeping its memory. The rope must be alive (asserted).
  void read_rope(RopeId rope, RopeView& out) const;

  // --- joints ---
  /// Creates a joint (docs/JOINTS.md), or nothing. Wakes both bodies. Errors: kNotFinite, kOutOfRange, the
  /// kJoint ones, kUnknownBody, kUnknownJoint (a gear's), kWorldFull (8 x WorldDef::max_bodies).
  [[nodiscard]] Result<JointId, PhysicsError> create_joint(const JointDef& def);
  /// Destroys a joint and the gears that use it. Wakes both bodies. destroy_body also destroys the body's
  /// joints. Errors: kUnknownJoint.
  EditResult destroy_joint(JointId joint);
  [[nodiscard]] bool contains(JointId joint) const noexcept;
  /// Lists all living joints in id order. Clears `out` first.
  void list_joints(std::vector<JointId>& out) const;
  /// Changes a joint from the next step on; its two bodies, its kind and a gear's joints must stay. Axes
  /// present before and after keep their warm-start impulses. Wakes both bodies. Errors: those of
  /// create_joint except kWorldFull; kUnknownJoint; kOutOfRange when bodies, kind or coupled joints differ;
  /// kJointBadCoupling when a gear of the joint does not accept its new locks.
  EditResult change_joint(JointId joint, const JointDef& def);
  /// Disables or enables a joint. A disabled joint constrains nothing, and its bodies collide. An enabled one
  /// acts again, even after breaking. Wakes both bodies. Errors: kUnknownJoint.
  EditResult set_joint_enabled(JointId joint, bool enabled);
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
  /// Lists every contact point of the last step, sorted by the two shapes' indices. Contacts of shapes
  /// destroyed since are left out. Clears `out` first.
  void list_contacts(std::vector<ContactView>& out) const;
  /// Lists every grab in id order. Clears `out` first.
  void list_grabs(std::vector<GrabView>& out) const;
  /// Lists sensor overlaps of the last step, sorted by sensor, then visitor. Clears `out` first.
  void list_overlaps(std::vector<SensorOverlap>& out) const;
  /// Mechanical energy of the bodies between two ticks. StepOptions::energy has its changes by stage.
  [[nodiscard]] WorldEnergy energy() const;

  // --- queries ---
  /// Runs a query on the world between two ticks (query.h). Returns true when something was found; the hits
  /// replace `out`, sorted. No bit of the world changes. The first query after a step visits all shapes;
  /// further ones cost the logarithm of their number. Errors: kNotFinite, kOutOfRange, kBadRotation, those of
  /// a bad shape; kBadShapeKind for a half-space, mesh or height field. `work` may be null; it counts the
  /// query's work and ends it at a limit, and `out` is then empty.
  [[nodiscard]] Result<bool, PhysicsError> query(const Query& query, std::vector<QueryHit>& out,
                                                 QueryWork* work = nullptr) const;
  /// Runs a batch of independent queries: `out` has one answer per query, in their order. A refused query has
  /// its error in its answer and stops no other.
  void query(std::span<const Query> queries, QueryResults& out) const;

  // --- time ---
  /// Advances the world by one tick. The floating-point control word is set for the step and restored.
  StepStatus step(const StepOptions& options = {});
  [[nodiscard]] std::uint64_t tick() const noexcept;
  [[nodiscard]] const StepEvents& events() const noexcept;
  [[nodiscard]] const WorldDef& def() const noexcept;
  /// Replaces WorldDef::max_contacts, in its range (asserted).
  void set_max_contacts(std::uint32_t max_contacts);
  /// Saturations since tick 0 (fixed mode); canonical.
  [[nodiscard]] std::uint64_t fixed_overflow_total() const noexcept;
  /// Draws 32 bits from the world's own random stream, which is part of the canonical state.
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
  /// Passes every field of the canonical state to `sink`, in visiting order.
  void list_fields(FieldSink& sink) const;

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
