// World<Real>: the deterministic engine. It owns canonical state and steps it; state(t+1) is a pure function
// of state(t) and the calls made between the two. It does not read clocks, own threads, log, allocate in a
// steady step, or know of players, sockets or files.
//
// Same calls in the same order give the same bits on every compiler, CPU, lane width and numbers mode's own
// Real; capture() at any tick and rollback() (or save() and restore() in another process) continue as if
// nothing had happened. One thread at a time uses a world, and looks at it: a look may unpack.
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

/// Which Real a world computes with. Frozen values: they stand in every image and on the wire.
enum class NumbersMode : std::uint8_t { kFloat = 1, kFixed = 2 };

template <class Real>
inline constexpr NumbersMode kNumbersMode = NumbersMode::kFloat;
template <>
inline constexpr NumbersMode kNumbersMode<Fixed> = NumbersMode::kFixed;

/// Everything about a world that is not a body. All of it is canonical.
struct WorldDef {
  Vec3<double> gravity_m_s2{0.0, -9.81, 0.0};       ///< each within +-1000
  std::uint32_t tick_rate_hz = 60;                  ///< ticks a second, [1, 1000]
  std::uint32_t substeps = 4;                       ///< solver substeps a tick, [1, 64]
  double restitution_threshold_m_s = 1.0;           ///< slower impacts do not bounce, [0, 1000]
  double contact_push_max_m_s = 3.0;                ///< fastest separation of overlapping shapes, [0, 1000]
  std::uint32_t max_bodies = 1u << 20;              ///< capacity, [1, 2^24]
  std::uint64_t seed = 0;                           ///< of the world's own random stream (World::random)
  MixRule friction_rule = MixRule::kGeometricMean;  ///< of shapes that leave it to the world; not kWorld
  MixRule restitution_rule = MixRule::kMaximum;     ///< the same
  double hit_threshold_m_s =
      1.0;  ///< approaches faster than this are reported as hits when the shapes push, [0, 4000]
  bool allow_sleep =
      true;  ///< islands that lie still for half a second are put to sleep and cost next to nothing
  friend bool operator==(const WorldDef&, const WorldDef&) = default;
};

/// Memory that steps work in and that means nothing between them. Worlds that are stepped one after the other
/// may share one, in both number modes: each then keeps little more than its state, and the memory stays in
/// the processor's cache. It grows to what the largest of them needs. One step at a time works in it
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

/// How to step: never changes a bit of the result.
struct StepOptions {
  std::uint32_t lanes = 0;  ///< constraints solved at a time: 1, 4, 8 or 16; 0 = what this CPU runs fastest
                            ///< with as many contacts as there are. Fixed mode: below 8 is 1, above 8.
  /// Who shares the work of the step, as takt::ThreadPool does; null = the calling thread alone. Only used
  /// within the call. Worlds may share a pool, even at one time.
  TaskPool* pool = nullptr;
  /// Where the step works; null = memory of the world's own. Only used within the call.
  StepScratch* scratch = nullptr;
};

struct ContactEvent {
  ShapeId shape_a;  ///< the lower index
  ShapeId shape_b;
  friend bool operator==(const ContactEvent&, const ContactEvent&) = default;
};

/// Two shapes ran into each other: they approached faster than WorldDef::hit_threshold_m_s and pushed in this
/// tick.
struct HitEvent {
  ShapeId shape_a;  ///< the lower index
  ShapeId shape_b;
  Position point;                   ///< of the fastest approach, world, with the poses before the step
  Vec3<double> normal{};            ///< unit, from a to b, world axes
  double approach_speed_m_s = 0.0;  ///< along the normal at that point, before the step; > 0
  double impulse_n_s =
      0.0;  ///< along the normal, in the whole tick and at all points of the contact, restitution included
  friend bool operator==(const HitEvent&, const HitEvent&) = default;
};

/// A sensor and a shape of another body that overlaps it.
struct SensorOverlap {
  ShapeId sensor;
  ShapeId visitor;
  friend auto operator<=>(const SensorOverlap&, const SensorOverlap&) = default;
};

/// What a step reports, each list sorted by id. Valid until the next step.
struct StepEvents {
  std::vector<ContactEvent> contact_begin;
  std::vector<ContactEvent> contact_end;  ///< an ended contact may name shapes that were destroyed since
  std::vector<HitEvent> hits;             ///< sorted by the two shapes' indices, as contacts are
  /// By the poses with which the step began, so after every call made before it. An end may name shapes that
  /// were destroyed since. What sleeps stays where it is: falling asleep or waking in a sensor is neither.
  std::vector<SensorOverlap> sensor_begin;
  std::vector<SensorOverlap> sensor_end;
  std::vector<BodyId> quarantined;     ///< left the finite numbers this tick; frozen where they last were
  std::vector<BodyId> slept;           ///< fell asleep with this tick
  std::vector<JointId> broken_joints;  ///< torn in this tick: they act no more until they are enabled again
  std::vector<BodyId> woken;  ///< woke in this tick by a neighbour or a hit; not those that a call woke
};

/// What a step did, for metrics and status lines. Not canonical.
struct StepStatus {
  std::uint32_t awake_body_count = 0;  ///< dynamic and kinematic bodies that were stepped
  std::uint32_t island_count = 0;      ///< groups of awake bodies that touch
  std::uint32_t contact_count = 0;     ///< touching or speculative manifolds
  std::uint32_t contact_point_count = 0;
  std::uint32_t colour_count = 0;            ///< groups of contacts that share no body
  std::uint32_t overflow_contact_count = 0;  ///< contacts past the last colour, solved one by one
  std::uint64_t fixed_overflow_count =
      0;  ///< saturations in this step; float mode has them where it rounds to Fixed
};

/// A body's pose and motion as the owner sees it: of the body's origin, not of the centre of mass.
template <class Real>
struct BodyPose {
  Position position;
  Quat<Real> rotation;
};

/// Where two states differ first, and by how much.
struct StateDifference {
  std::string path;  ///< record and field, such as "body.record[17].linear_velocity.y"
  std::string left;  ///< the value there, decimal and bits
  std::string right;
  double by = 0.0;  ///< right - left as a number; NaN where the field is not a number
};

template <class Real>
class World;

/// A world's canonical state in memory, for rollback: a few flat blocks. Shapes, which no step changes, it
/// shares with the world and its other snapshots. Of this process alone: World::save is for others. Reuse one
/// to avoid allocation; the first after shapes came, went or were changed allocates a copy of all of them.
template <class Real>
class WorldSnapshot {
 public:
  WorldSnapshot();
  WorldSnapshot(WorldSnapshot&&) noexcept;
  WorldSnapshot& operator=(WorldSnapshot&&) noexcept;
  ~WorldSnapshot();
  /// Memory that the copied state takes, bytes; what is shared does not count.
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

  /// An empty world at tick 0. Errors: kNotFinite, kOutOfRange.
  [[nodiscard]] static Result<World, PhysicsError> create(const WorldDef& def);
  World(World&&) noexcept;
  World& operator=(World&&) noexcept;
  ~World();

  // --- bodies
  // -------------------------------------------------------------------------------------------------------------------
  /// Creates a body and all of its shapes, or nothing. Errors: those of a bad definition, kWorldFull.
  [[nodiscard]] Result<BodyId, PhysicsError> create_body(const BodyDef& def);
  /// Removes a body, its shapes, contacts, grabs, joints and pins of ropes. Errors: kUnknownBody.
  Result<Unit, PhysicsError> destroy_body(BodyId body);
  [[nodiscard]] bool contains(BodyId body) const noexcept;
  [[nodiscard]] std::uint32_t body_count() const noexcept;
  /// All living bodies in id order, appended to `out` after clearing it.
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
  /// As stored: rounded to Real; a hull by its corners about the middle of its box (local_position_m is where
  /// that stands), valid while the shape lives and the world is not rolled back.
  [[nodiscard]] ShapeDef shape(ShapeId shape) const;
  /// What names the geometry of a hull, mesh or height field, the same for equal geometry in every world
  /// (XXH3-64); 0 for other kinds.
  [[nodiscard]] std::uint64_t geometry_digest(ShapeId shape) const;
  /// The faces of a hull (asserted): indices of shape(..).hull_points_m, counter-clockwise seen from outside.
  /// Valid like those.
  [[nodiscard]] std::vector<std::span<const std::uint8_t>> hull_faces(ShapeId shape) const;

  /// Wakes a sleeping body, and with it in the next step all that it touches. Nothing for others. Errors:
  /// kUnknownBody.
  Result<Unit, PhysicsError> wake(BodyId body);
  /// Changes between ticks. They wake the body. Errors: kUnknownBody, kNotFinite, kOutOfRange, kBadRotation,
  /// kNotDynamic (impulse, force). Vectors in world frame, `point` in world coordinates; the plain forms act
  /// at the centre of mass.
  Result<Unit, PhysicsError> apply_impulse(BodyId body, Vec3<double> impulse_n_s);
  Result<Unit, PhysicsError> apply_impulse_at(BodyId body, Vec3<double> impulse_n_s, const Position& point);
  Result<Unit, PhysicsError> apply_angular_impulse(BodyId body, Vec3<double> impulse_n_m_s);
  /// Acts for the whole of the next step, then is cleared; calls add up.
  Result<Unit, PhysicsError> apply_force(BodyId body, Vec3<double> force_n, Vec3<double> torque_n_m);
  Result<Unit, PhysicsError> set_pose(BodyId body, const Position& position, Quat<double> rotation);
  Result<Unit, PhysicsError> set_velocity(BodyId body, Vec3<double> linear_m_s, Vec3<double> angular_rad_s);
  Result<Unit, PhysicsError> set_user_tag(BodyId body, std::uint64_t tag);
  /// As in BodyDef. They wake the body. Errors: kUnknownBody, kNotFinite, kOutOfRange.
  Result<Unit, PhysicsError> set_gravity_scale(BodyId body, double scale);
  Result<Unit, PhysicsError> set_damping(BodyId body, double linear_1_s, double angular_1_s);
  /// kLock bits. What the body does along newly locked axes stops. Wakes it. Errors: kUnknownBody,
  /// kOutOfRange (an unknown bit).
  Result<Unit, PhysicsError> set_locked_axes(BodyId body, std::uint8_t locked);
  /// A disabled body keeps its id, pose, velocities and everything else, but takes no part: nothing touches,
  /// notices or moves it, and forces of its last calls are dropped. Its contacts and overlaps end in the next
  /// step and what touched it wakes. Impulses, forces and targets are refused with kDisabled, poses and
  /// velocities may be set. Enabled again it is awake and goes on. Errors: kUnknownBody.
  Result<Unit, PhysicsError> set_enabled(BodyId body, bool enabled);
  /// Another kind of body from the next step on. To static: velocities become 0. To kinematic: it keeps them
  /// and nothing changes them any more. To dynamic: it keeps them too; mass comes from its definition or,
  /// when that gave none, from its shapes. Grabs on a body that ceases to be dynamic are removed, targets and
  /// forces dropped; contacts go on where the new pair still meets, others end in the next step. Wakes it and
  /// what touches it. Errors: kUnknownBody, kOutOfRange, kHalfSpaceNotStatic, kHeightFieldNotStatic,
  /// kMeshOnDynamic, kNoMass, kMassOutOfRange; then nothing has changed.
  Result<Unit, PhysicsError> set_type(BodyId body, BodyType type);
  /// Takes a kinematic body to a pose: in the next step it has the velocities that the way there implies, and
  /// after it stands there exactly. Unless it is given another target (or velocity) it has no velocity in the
  /// step after. Later calls replace earlier ones; set_pose, set_velocity and set_type drop it. Errors:
  /// kUnknownBody, kNotKinematic, kDisabled, kOutOfRange (a position outside the world, or a way too fast),
  /// kNotFinite, kBadRotation.
  Result<Unit, PhysicsError> set_target(BodyId body, const Position& position, Quat<double> rotation);
  /// From the next step on; contacts that it rules out end there. Wakes the body and what touches it. Errors:
  /// kUnknownShape.
  Result<Unit, PhysicsError> set_filter(ShapeId shape, const ShapeFilter& filter);
  /// As ShapeDef::surface_velocity_m_s. Wakes the body and what touches it. Errors: kUnknownShape,
  /// kNotFinite, kOutOfRange.
  Result<Unit, PhysicsError> set_surface_velocity(ShapeId shape, Vec3<double> velocity_m_s);

  // --- grabs
  // --------------------------------------------------------------------------------------------------------------------
  /// Pulls the point `local_anchor_m` (body frame, metres) of a dynamic body to `target` with at most
  /// `max_force_n`, by a critically damped 5 Hz spring.
  [[nodiscard]] Result<GrabId, PhysicsError> create_grab(BodyId body, Vec3<double> local_anchor_m,
                                                         const Position& target, double max_force_n);
  Result<Unit, PhysicsError> move_grab(GrabId grab, const Position& target);
  Result<Unit, PhysicsError> destroy_grab(GrabId grab);
  [[nodiscard]] bool contains(GrabId grab) const noexcept;
  [[nodiscard]] BodyId grabbed_body(GrabId grab) const;

  // --- movers
  // -------------------------------------------------------------------------------------------------------------------
  /// A character (docs/MOVER.md): creates its body too. Errors: those of a bad definition, kWorldFull.
  [[nodiscard]] Result<MoverId, PhysicsError> create_mover(const MoverDef& def);
  /// Removes it and its body. destroy_body does the same. Errors: kUnknownMover.
  Result<Unit, PhysicsError> destroy_mover(MoverId mover);
  [[nodiscard]] bool contains(MoverId mover) const noexcept;
  /// The mover that owns a body; null when none does.
  [[nodiscard]] MoverId mover_of(BodyId body) const noexcept;
  /// What it is to do from the next step on. Errors: kUnknownMover, kNotFinite, kOutOfRange.
  Result<Unit, PhysicsError> set_mover_input(MoverId mover, const MoverInput& input);
  /// From the next step on. Errors: kUnknownMover, kNotFinite, kOutOfRange.
  Result<Unit, PhysicsError> set_mover_tuning(MoverId mover, const MoverTuning& tuning);
  /// The mover must be alive (asserted).
  [[nodiscard]] MoverView mover(MoverId mover) const;
  [[nodiscard]] MoverInput mover_input(MoverId mover) const;
  [[nodiscard]] MoverTuning mover_tuning(MoverId mover) const;
  /// All living movers in id order; clears `out` first. Its body's set_pose teleports a mover, set_velocity
  /// throws it into the air; set_type and set_target are refused with kMoversBody; set_enabled and set_filter
  /// work as for any body.
  void list_movers(std::vector<MoverId>& out) const;

  // --- ropes
  // --------------------------------------------------------------------------------------------------------------------
  /// A rope (docs/ROPES.md), or nothing. Errors: those of a bad definition, kUnknownBody (a pin's),
  /// kWorldFull (WorldDef::max_bodies ropes).
  [[nodiscard]] Result<RopeId, PhysicsError> create_rope(const RopeDef& def);
  /// Wakes what hung on it and lies at it. Errors: kUnknownRope.
  Result<Unit, PhysicsError> destroy_rope(RopeId rope);
  [[nodiscard]] bool contains(RopeId rope) const noexcept;
  /// All living ropes in id order; clears `out` first.
  void list_ropes(std::vector<RopeId>& out) const;
  /// Parts a rope at a segment, from node `segment` to the next. The rope keeps the nodes up to it, the rest
  /// with its pins, velocities and tag become the new rope that is returned. A part may be a single node.
  /// Errors: kUnknownRope, kRopeSegment, kWorldFull.
  Result<RopeId, PhysicsError> cut_rope(RopeId rope, std::uint32_t segment);
  /// Pins a node, or moves its pin, from the next step on. Errors: kUnknownRope, kRopePinIndex, kUnknownBody,
  /// kNotFinite, kOutOfRange.
  Result<Unit, PhysicsError> set_rope_pin(RopeId rope, const RopePin& pin);
  /// Lets a node go. Nothing for one that is not pinned. Errors: kUnknownRope, kRopePinIndex.
  Result<Unit, PhysicsError> clear_rope_pin(RopeId rope, std::uint32_t node);
  /// Another rest length of every segment from the next step on, as a winch does. Errors: kUnknownRope,
  /// kNotFinite, kRopeLength.
  Result<Unit, PhysicsError> set_rope_segment_length(RopeId rope, double segment_length_m);
  /// Errors: kUnknownRope, kRopePinIndex (no such node), kNotFinite, kOutOfRange. Nothing for a pinned node.
  Result<Unit, PhysicsError> apply_rope_impulse(RopeId rope, std::uint32_t node, Vec3<double> impulse_n_s);
  /// Fills `out`, keeping its memory. The rope must be alive (asserted).
  void read_rope(RopeId rope, RopeView& out) const;

  // --- joints
  // -------------------------------------------------------------------------------------------------------------------
  /// A joint (docs/JOINTS.md), or nothing. Wakes both bodies. Errors: kNotFinite, kOutOfRange, the kJoint
  /// ones, kUnknownBody, kUnknownJoint (a gear's), kWorldFull (8 x WorldDef::max_bodies).
  [[nodiscard]] Result<JointId, PhysicsError> create_joint(const JointDef& def);
  /// Removes it and gears that hang on it. Wakes both bodies. destroy_body does the same for the body's
  /// joints. Errors: kUnknownJoint.
  Result<Unit, PhysicsError> destroy_joint(JointId joint);
  [[nodiscard]] bool contains(JointId joint) const noexcept;
  /// All living joints in id order; clears `out` first.
  void list_joints(std::vector<JointId>& out) const;
  /// Everything about a joint but its two bodies, its kind and what a gear ties, from the next step on; what
  /// it had learned of impulses stays for axes that stay. Wakes both bodies. Errors: as create_joint;
  /// kOutOfRange when bodies, kind or coupled joints differ.
  Result<Unit, PhysicsError> change_joint(JointId joint, const JointDef& def);
  /// Off: it holds nothing and its bodies touch. On: it acts again, torn ones too. Wakes both bodies. Errors:
  /// kUnknownJoint.
  Result<Unit, PhysicsError> set_joint_enabled(JointId joint, bool enabled);
  /// The joint must be alive (asserted) for the following reads.
  [[nodiscard]] JointDef joint_def(JointId joint) const;
  [[nodiscard]] JointView joint(JointId joint) const;
  /// Where a coordinate stands (m or rad) and how fast it changes (m/s or rad/s). Of a locked one: its error.
  [[nodiscard]] double joint_coordinate(JointId joint, JointAxis axis) const;
  [[nodiscard]] double joint_rate(JointId joint, JointAxis axis) const;
  /// The frame on a body that stands at this place in the world now: what a definition asks for. The body
  /// must be alive (asserted).
  [[nodiscard]] JointFrame joint_frame(BodyId body, const Position& origin, Quat<double> rotation = {}) const;

  // --- looking inside
  // -----------------------------------------------------------------------------------------------------------
  /// Every contact point of the last step, in the order of contact work, and every grab in id order. Clears
  /// `out` first.
  void list_contacts(std::vector<ContactView>& out) const;
  void list_grabs(std::vector<GrabView>& out) const;
  /// What overlaps sensors as of the last step, sorted by sensor, then visitor. Clears `out` first.
  void list_overlaps(std::vector<SensorOverlap>& out) const;

  // --- queries
  // ------------------------------------------------------------------------------------------------------------------
  /// Answers a question about the world as it stands between two ticks (query.h). True when something was
  /// found; its hits replace `out`, sorted. No bit of the world changes. The first query after a step costs a
  /// walk over all shapes, further ones the logarithm of their number. Errors: kNotFinite, kOutOfRange,
  /// kBadRotation, those of a bad shape; kBadShapeKind for a half-space, mesh or height field.
  [[nodiscard]] Result<bool, PhysicsError> query(const Query& query, std::vector<QueryHit>& out) const;
  /// The same for many, each by itself: `out` has an answer a question, in their order.
  void query(std::span<const Query> queries, QueryResults& out) const;

  // --- time
  // ---------------------------------------------------------------------------------------------------------------------
  /// Takes the world one tick on. The floating-point control word is set for the step and put back.
  StepStatus step(const StepOptions& options = {});
  [[nodiscard]] std::uint64_t tick() const noexcept;
  [[nodiscard]] const StepEvents& events() const noexcept;
  [[nodiscard]] const WorldDef& def() const noexcept;
  /// Saturations since tick 0 (fixed mode); canonical.
  [[nodiscard]] std::uint64_t fixed_overflow_total() const noexcept;
  /// 32 bits of the world's own random stream; canonical.
  [[nodiscard]] std::uint32_t random();

  // --- canonical state
  // ------------------------------------------------------------------------------------------------------------
  /// XXH3-64 over the canonical encoding: equal states, equal hashes, on every machine.
  [[nodiscard]] std::uint64_t hash() const;
  /// Size of the canonical encoding, bytes.
  [[nodiscard]] std::size_t size_bytes() const;
  /// The portable image: header, canonical encoding, checksum. Field-wise little-endian; see
  /// docs/RECORDING.md.
  [[nodiscard]] std::vector<std::byte> save() const;
  /// A world from an image of the same numbers mode. Every field is checked; nothing of a bad image is kept.
  [[nodiscard]] static Result<World, PhysicsError> restore(std::span<const std::byte> image);
  /// The first `most` fields in which two worlds differ, in visiting order; empty when their hashes are
  /// equal.
  [[nodiscard]] static std::vector<StateDifference> diff(const World& left, const World& right,
                                                         std::size_t max = 16);

  /// Copies canonical state into `out` (its memory is reused) or back from it. The snapshot must fit
  /// (asserted).
  void capture(Snapshot& out) const;
  void rollback(const Snapshot& from);
  /// Whether the snapshot was taken of this world or one with an equal WorldDef. An empty one was not.
  [[nodiscard]] bool fits(const Snapshot& snapshot) const noexcept;
  /// Throws derived state (tree, pairs, scratch) away; it is rebuilt by the next step without changing a bit.
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
