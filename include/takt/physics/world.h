// World<Real>: the deterministic engine. It owns canonical state and steps it. state(t+1) is a pure function
// of state(t) and the calls made between the two. It does not read clocks, own threads, log or allocate in a
// steady step, and knows no players, sockets or files.
//
// Equal calls in equal order give equal bits on every compiler, CPU and lane width, within each numbers mode.
// capture() at any tick and rollback(), or save() and restore() in another process, continue without a
// difference.
//
// Not thread-safe, not even for const calls: a const call may unpack contacts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "takt/core/result.h"
#include "takt/core/task_pool.h"
#include "takt/physics/body.h"
#include "takt/physics/error.h"
#include "takt/physics/inspection.h"
#include "takt/physics/joint.h"
#include "takt/physics/query.h"
#include "takt/physics/rope.h"

namespace takt {

/// The Real that a world computes with. Frozen values: they stand in every image and on the wire.
enum class NumbersMode : std::uint8_t { kFloat = 1, kFixed = 2 };

template <class Real>
inline constexpr NumbersMode kNumbersMode = NumbersMode::kFloat;
template <>
inline constexpr NumbersMode kNumbersMode<Fixed> = NumbersMode::kFixed;

/// Settings of a world. All of them are canonical.
struct WorldDef {
  Vec3<double> gravity_m_s2{0.0, -9.81, 0.0};  ///< each within +-1000
  std::uint32_t tick_rate_hz = 60;             ///< ticks per second, [1, 1000]
  std::uint32_t substeps = 4;                  ///< solver substeps per tick, [1, 64]
  double restitution_threshold_m_s = 1.0;      ///< slower impacts do not bounce, [0, 1000]
  double contact_push_max_m_s = 3.0;           ///< maximum separation speed of overlapping shapes, [0, 1000]
  std::uint32_t max_bodies = 1u << 20;         ///< capacity, [1, 2^24]
  std::uint64_t seed = 0;                      ///< seed of the world's own random stream (World::random)
  MixRule friction_rule =
      MixRule::kGeometricMean;  ///< of shapes whose rule is kWorld; must not be kWorld itself
  MixRule restitution_rule =
      MixRule::kMaximum;  ///< of shapes whose rule is kWorld; must not be kWorld itself
  double hit_threshold_m_s =
      1.0;  ///< contacts that approach faster and carry an impulse are reported as hits, [0, 4000]
  bool allow_sleep = true;  ///< true: islands at rest for half a second fall asleep and cost almost nothing
  friend bool operator==(const WorldDef&, const WorldDef&) = default;
};

/// Scratch memory of steps, without meaning between them. Worlds that are stepped one after the other may
/// share one, in both number modes. Each world then holds little more than its state, and the scratch stays
/// in the processor's cache. It grows to the need of the largest world. One step at a time may use it
/// (asserted).
class StepScratch {
 public:
  StepScratch();
  StepScratch(StepScratch&&) noexcept;
  StepScratch& operator=(StepScratch&&) noexcept;
  ~StepScratch();

 private:
  template <class Real>
  friend class World;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Options of a step. They never change a bit of the result.
struct StepOptions {
  /// Constraints solved at a time: 1, 4, 8 or 16. 0 selects the fastest width of this CPU for the number of
  /// contacts. Fixed mode: a value below 8 means 1, a value above means 8.
  std::uint32_t lanes = 0;
  /// Workers of the step, such as takt::ThreadPool; null = the calling thread alone. Used within the call
  /// only. Worlds may share a pool, even concurrently.
  TaskPool* pool = nullptr;
  /// Scratch memory of the step; null = the world's own. Used within the call only.
  StepScratch* scratch = nullptr;
};

struct ContactEvent {
  ShapeId shape_a;  ///< the lower index
  ShapeId shape_b;
  friend bool operator==(const ContactEvent&, const ContactEvent&) = default;
};

/// Two shapes collided: they approached faster than WorldDef::hit_threshold_m_s and exchanged an impulse in
/// this tick.
struct HitEvent {
  ShapeId shape_a;  ///< the lower index
  ShapeId shape_b;
  Position point;                   ///< of the fastest approach, world, with the poses before the step
  Vec3<double> normal{};            ///< unit, from a to b, world axes
  double approach_speed_m_s = 0.0;  ///< along the normal at that point, before the step; > 0
  double impulse_n_s =
      0.0;  ///< along the normal, over the whole tick and all points of the contact, restitution included
  friend bool operator==(const HitEvent&, const HitEvent&) = default;
};

/// A sensor and a shape of another body that overlaps it.
struct SensorOverlap {
  ShapeId sensor;
  ShapeId visitor;
  friend auto operator<=>(const SensorOverlap&, const SensorOverlap&) = default;
};

/// Events of a step, each list sorted by id. Valid until the next step.
struct StepEvents {
  std::vector<ContactEvent> contact_begin;
  std::vector<ContactEvent> contact_end;  ///< an ended contact may name shapes that were destroyed since
  std::vector<HitEvent> hits;             ///< sorted by the two shapes' indices, as contacts are
  /// Overlaps use the poses at the beginning of the step, after all earlier calls. An end may name shapes
  /// that were destroyed since. Falling asleep or waking inside a sensor causes no event.
  std::vector<SensorOverlap> sensor_begin;
  std::vector<SensorOverlap> sensor_end;
  std::vector<BodyId> quarantined;     ///< left the finite numbers this tick; frozen at their last valid pose
  std::vector<BodyId> slept;           ///< fell asleep in this tick
  std::vector<JointId> broken_joints;  ///< broken in this tick: inactive until they are enabled again
  std::vector<BodyId> woken;  ///< woken in this tick by a neighbour or a hit; excludes those that a call woke
};

/// Statistics of a step, for metrics and status lines. Not canonical.
struct StepStatus {
  std::uint32_t awake_body_count = 0;  ///< dynamic and kinematic bodies that were stepped
  std::uint32_t island_count = 0;      ///< groups of connected awake bodies
  std::uint32_t contact_count = 0;     ///< touching or speculative manifolds
  std::uint32_t contact_point_count = 0;
  std::uint32_t colour_count = 0;            ///< groups of contacts that share no body
  std::uint32_t overflow_contact_count = 0;  ///< contacts beyond the last colour, solved one by one
  std::uint64_t fixed_overflow_count =
      0;  ///< saturations in this step; in float mode those of roundings to Fixed
};

/// Pose of a body's origin, not of its centre of mass.
template <class Real>
struct BodyPose {
  Position position;
  Quat<Real> rotation;
};

/// One field in which two states differ.
struct StateDifference {
  std::string path;  ///< record and field, such as "body.record[17].linear_velocity.y"
  std::string left;  ///< the field's value, decimal and bits
  std::string right;
  double by = 0.0;  ///< right - left as a number; NaN where the field is not a number
};

template <class Real>
class World;

/// A world's canonical state in memory, for rollback: a few flat blocks. It shares the shapes, which no step
/// changes, with the world and its other snapshots. It is valid in this process only; World::save is
/// portable. Reuse one to avoid allocation. The first capture after shapes were created, destroyed or changed
/// allocates a copy of all shapes.
template <class Real>
class WorldSnapshot {
 public:
  WorldSnapshot();
  WorldSnapshot(WorldSnapshot&&) noexcept;
  WorldSnapshot& operator=(WorldSnapshot&&) noexcept;
  ~WorldSnapshot();
  /// Size of the copied state, bytes, without the shared shapes.
  [[nodiscard]] std::size_t size_bytes() const noexcept;
  /// The tick it was taken at; 0 for an empty one.
  [[nodiscard]] std::uint64_t tick() const noexcept;

 private:
  friend class World<Real>;
  struct Impl;
  std::unique_ptr<Impl> impl_;
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
  /// Lists every contact point of the last step in solver order, and every grab in id order. Clears `out`
  /// first.
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
