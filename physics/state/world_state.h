// WorldState is the state of a world that is saved and hashed. WorldState has every field that can change a
// later tick, and some that applications only read (user tags, joint forces). Its parts are pools and sorted
// lists of trivially copyable records (BodyRecord, ShapeRecord, ContactRecord, GrabRecord, MoverRecord, ...)
// linked by index. Geometry of hulls and surfaces is shared by digest. visit_state() (state_visitor.h)
// enumerates each field once; save, restore, hash, size and diff use visit_state(). Snapshots in memory copy
// the parts TickState and ShapeState, bodies and contacts.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "physics/base/slot_pool.h"
#include "physics/geometry/geometry_pool.h"
#include "physics/math/mass.h"
#include "physics/state/joint_records.h"
#include "physics/state/rope_records.h"
#include "takt/core/random.h"
#include "takt/physics/mover.h"
#include "takt/physics/world_def.h"

namespace takt {

/// Fields that change each tick.
template <class Real>
struct BodyMotion {
  Position center;  ///< of mass, world
  Quat<Real> rotation;
  Vec3<Real> linear_velocity;   ///< of the centre, m/s, world
  Vec3<Real> angular_velocity;  ///< rad/s, world
  Vec3<Real> force;             ///< N, for the next step only
  Vec3<Real> torque;            ///< N m, for the next step only
};

/// packed_bodies.h repeats the division into fields that steps change and fields that they do not.
template <class Real>
struct BodyRecord {
  BodyMotion<Real> motion;
  Mass<Real> inverse_mass{};       ///< 1/kg; used while dynamic; 0 = unknown until it becomes dynamic
  SymMat<Real> inverse_inertia{};  ///< 1/(kg m^2), body frame about the centre; used while dynamic
  Vec3<Real> local_center;         ///< centre of mass in the body's frame, m
  Real linear_damping{};           ///< 1/s
  Real angular_damping{};          ///< 1/s
  Real gravity_scale{};            ///< multiplies the world's gravity
  double mass_kg = 0.0;            ///< for reading, energy and movers; the solver uses inverse_mass
  std::uint64_t user_tag = 0;
  std::uint32_t first_shape = kNoIndex;  ///< index in the shape pool, or kNoIndex
  std::uint32_t shape_count = 0;
  BodyType type = BodyType::kStatic;
  bool quarantined = false;  ///< left the finite numbers or the world once; frozen since
  bool enabled = true;
  std::uint8_t locked_axes = 0;  ///< kLock bits
  bool can_sleep = true;         ///< false: its still ticks stay 0
  bool bullet = false;           ///< continuous collision against dynamic bodies too
  bool asleep = false;  ///< dynamic only; velocities are 0, contacts with inactive bodies persist unchanged
  bool modified =
      false;  ///< since the last step: not dynamic, and its owner moved it; or dynamic, and lost a neighbour
  std::uint32_t still_ticks = 0;  ///< ticks for which it has been slow, at most kNoIndex
};

/// Meshes and height fields: shapes of many parts, each with contacts of its own.
[[nodiscard]] constexpr bool is_surface(ShapeKind kind) noexcept {
  return kind == ShapeKind::kMesh || kind == ShapeKind::kHeightField;
}
/// Kinds with shared geometry: ShapeRecord::geometry has its digest.
[[nodiscard]] constexpr bool has_geometry(ShapeKind kind) noexcept {
  return kind == ShapeKind::kHull || is_surface(kind);
}

template <class Real>
struct ShapeRecord {
  std::uint32_t body = kNoIndex;        ///< index in the body pool
  std::uint32_t next_shape = kNoIndex;  ///< of the same body, in order of creation; kNoIndex at the end
  ShapeKind kind = ShapeKind::kSphere;
  Vec3<Real> extents;  ///< box: half extents; sphere: x radius; capsule, cylinder, cone: x radius, y half
                       ///< length; hull: x rounding
  std::uint64_t geometry =
      0;  ///< hull, mesh, height field: digest of its geometry; 0 for other kinds, which do not encode it
  Vec3<Real> local_position;  ///< in the body's frame (about its origin), m
  Quat<Real> local_rotation;
  Real density{};  ///< kg/m^3
  Real friction{};
  Real restitution{};
  Real rolling_resistance{};
  Softness contact_softness;
  Vec3<Real> surface_velocity;  ///< m/s, shape's frame
  MixRule friction_rule = MixRule::kWorld;
  MixRule restitution_rule = MixRule::kWorld;
  bool is_sensor = false;
  ShapeFilter filter;
};

/// Geometry of a manifold and the relative pose at its creation. The manifold is reused until a body has
/// moved by more than a tolerance (manifold_cache.h).
template <class Real>
struct ContactGeometry {
  Vec3<Real> normal;                      ///< unit, from a to b, world
  std::array<Vec3<Real>, 4> positions{};  ///< of each point, from a's centre of mass, world axes, m
  std::array<Real, 4> separations{};      ///< m
  Vec3<Real> delta_center;                ///< b's centre of mass - a's, m
  Quat<Real> rotation_a;                  ///< of body a at the manifold's creation
  Quat<Real> rotation_b;
};

/// State of a contact that persists from tick to tick.
template <class Real>
struct ContactRecord {
  std::uint64_t key = 0;    ///< lower shape index in the upper 32 bits, higher in the lower; with `child` it
                            ///< orders all contact work
  std::uint32_t child = 0;  ///< part of a surface (collide_mesh.h); 0 for other pairs
  std::uint32_t generation_a = 0;  ///< of the two shapes, so that a reused slot does not inherit impulses
  std::uint32_t generation_b = 0;
  std::uint32_t point_count = 0;            ///< 1 to 4
  bool touching = false;                    ///< carried load or overlapped last tick
  std::array<std::uint32_t, 4> features{};  ///< of each point, unique in the manifold
  std::array<Real, 4> normal_impulses{};    ///< N s per substep
  Vec3<Real> friction_impulse;              ///< N s per substep, world, tangential
  Real twist_impulse{};                     ///< N m s per substep, about the normal
  Vec3<Real> rolling_impulse;               ///< N m s per substep, world
  Vec3<Real> anchor_offset;  ///< m, world, tangential: displacement of b relative to a since sticking began
                             ///< (store_impulses.h)
  Real twist_offset{};       ///< rad: relative rotation about the normal since sticking began
  ContactGeometry<Real> geometry;
};

/// Target of a kinematic body: pose of its centre of mass after the next step.
template <class Real>
struct TargetRecord {
  std::uint32_t body = kNoIndex;
  Position center;
  Quat<Real> rotation;
  bool reached = false;  ///< the last step moved it there; the next step begins with velocities of 0 and
                         ///< removes the target
};

/// A sensor and a shape that overlapped in the last test.
struct OverlapRecord {
  std::uint64_t key = 0;           ///< as a contact's
  std::uint32_t generation_a = 0;  ///< of the shape with the lower index
  std::uint32_t generation_b = 0;
  bool sensor_is_b = false;
};

/// Total order of contacts: no two have equal key and child.
template <class First, class Second>
[[nodiscard]] bool comes_before(const First& a, const Second& b) noexcept {
  return a.key != b.key ? a.key < b.key : a.child < b.child;
}

template <class Real>
struct GrabRecord {
  std::uint32_t body = kNoIndex;
  Vec3<Real> local_anchor;  ///< from the centre of mass, body frame, m
  Position target;          ///< world
  Real max_force{};         ///< N
  Vec3<Real> impulse;       ///< N s per substep, world
};

/// A mover (mover_step.h). Binary64 in both number modes (adr/0009).
struct MoverRecord {
  std::uint32_t body = kNoIndex;  ///< kinematic, with the mover's capsule and no other shape
  MoverTuning tuning;
  MoverInput input;
  Vec3<double> velocity;         ///< m/s: relative to the ground when grounded, else in the world
  Vec3<double> ground_velocity;  ///< m/s, of the ground under it in the last step; 0 in the air
  bool grounded = false;
  ShapeId ground;  ///< when grounded
  Vec3<double> ground_normal{0, 1, 0};
};

/// Shapes, which calls change and steps do not. The snapshots of a world share them (shared_shapes.h).
template <class Real>
struct ShapeState {
  SlotPool<ShapeRecord<Real>, ShapeTag> shapes;
  GeometryPool<HullGeometry> hulls;        ///< geometry of the hull shapes, by digest
  GeometryPool<SurfaceGeometry> surfaces;  ///< geometry of the meshes and height fields, by digest
};

/// State that a snapshot copies unchanged.
template <class Real>
struct TickState {
  WorldDef def;
  std::uint64_t tick = 0;                  ///< number of steps since the world's creation
  std::uint64_t fixed_overflow_total = 0;  ///< saturations of Fixed in all steps; 0 in float mode
  Random random;
  SlotPool<GrabRecord<Real>, GrabTag> grabs;
  std::vector<OverlapRecord> overlaps;      ///< sorted by key, unique
  std::vector<TargetRecord<Real>> targets;  ///< sorted by body, unique
  SlotPool<MoverRecord, MoverTag> movers;
  SlotPool<RopeRecord, RopeTag> ropes;
  std::vector<RopeNode> rope_nodes;      ///< of all ropes, in pool order
  std::vector<RopePinRecord> rope_pins;  ///< sorted by rope and node, unique
  JointPool joints;
  JointAxisPool joint_axes;
};

/// The whole state. Put a new field into one of the parts, which snapshots handle. A new part must be added
/// to WorldSnapshot.
template <class Real>
struct WorldState : TickState<Real>, ShapeState<Real> {
  SlotPool<BodyRecord<Real>, BodyTag> bodies;
  std::vector<ContactRecord<Real>> contacts;  ///< sorted by key and child, unique
};

}  // namespace takt
