// BodyDef and ShapeDef define a body and its shapes, in SI units and doubles, equally for float mode and
// fixed mode. World::create_body checks a definition completely before it creates anything. Then it rounds
// the numbers to the world's Real (float or Fixed), positions to Q31.32 and hull points to 60 nm. Equal
// definitions give equal bits on every machine. Spans and pointers in a definition refer to the caller's
// memory, which the world reads during the call only. The ids, size limits, MixRule, ShapeFilter and
// MassOverride are here too.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "takt/core/id.h"
#include "takt/core/result.h"
#include "takt/physics/error.h"
#include "takt/physics/softness.h"
#include "takt/physics/surface.h"
#include "takt/physics/vector.h"

namespace takt {

struct BodyTag;
struct ShapeTag;
struct GrabTag;
struct MoverTag;
using BodyId = Id<BodyTag>;
using ShapeId = Id<ShapeTag>;
using GrabId = Id<GrabTag>;
using MoverId = Id<MoverTag>;

/// Minimum extent or radius, metres. Smaller shapes would be lost within the contact margins (5 mm).
inline constexpr double kMinExtentM = 0.005;
/// Minimum rounding of a hull, metres. A smaller rounding acts like a sharp edge.
inline constexpr double kMinRoundingM = 0.001;
/// Maximum finite extent or radius, metres. In Q31.32 squared lengths overflow at 46.3 km; binary32 contact
/// points lose millimetres past 10 km.
inline constexpr double kMaxExtentM = 10'000.0;
/// Mass range of a dynamic body, kg. Impulses keep six digits in Q31.32 at the low end and stay below 2^31 N
/// s at the high end.
inline constexpr double kMinMassKg = 1e-4;
inline constexpr double kMaxMassKg = 1e8;
/// Half the width of the world, metres and raw Q31.32. The difference of two positions inside never wraps. A
/// body that leaves is quarantined.
inline constexpr double kWorldLimitM = 1'073'741'824.0;
inline constexpr std::int64_t kWorldLimitRaw = std::int64_t{1} << 62;
/// Maximum speeds, m/s and rad/s. Each substep clamps faster bodies to them, and so does the end of a tick:
/// no step publishes a faster body, but for rounding. The clamp is part of the result, not an error.
inline constexpr double kMaxLinearSpeedMS = 4'000.0;
inline constexpr double kMaxAngularSpeedRadS = 400.0;
/// Maximum surface velocity, m/s per axis.
inline constexpr double kMaxSurfaceSpeedMS = 1000.0;
/// Maximum number of shapes of one body. A body is created, saved and destroyed as a whole, so this bounds
/// the cost of one definition. It suffices for static ground of thousands of pieces.
inline constexpr std::uint32_t kMaxShapesPerBody = 4096;
/// Maximum number of points that define a hull, and of its vertices. A vertex index fits six bits of a
/// contact's feature id.
inline constexpr std::uint32_t kMaxHullPoints = 1024;
inline constexpr std::uint32_t kMaxHullVertices = 64;

enum class BodyType : std::uint8_t {
  kStatic = 0,     ///< never moves, infinite mass
  kKinematic = 1,  ///< moves by its velocities only, infinite mass
  kDynamic = 2,    ///< moved by forces and contacts
};

enum class ShapeKind : std::uint8_t {
  kSphere = 1,     ///< radius_m about the local origin
  kCapsule = 2,    ///< radius_m about the segment from -half_length_m to +half_length_m on the local y axis
  kBox = 3,        ///< half_extents_m along the local axes
  kHalfSpace = 4,  ///< everything below the plane through the local origin with the local y axis as its
                   ///< outward normal; static bodies only
  kCylinder = 5,   ///< radius_m about the local y axis, from -half_length_m to +half_length_m, with flat ends
  kCone = 6,       ///< base of radius_m at -half_length_m on the local y axis, tip at +half_length_m
  kHull = 7,       ///< the convex hull of hull_points_m, enlarged by rounding_m
  kMesh = 8,       ///< the triangles of *mesh; static and kinematic bodies only
  kHeightField = 9,  ///< the ground of *height_field; static bodies only
};

/// Rule that combines the friction or restitution of two shapes. When the two shapes name different rules,
/// the higher enumerator wins.
enum class MixRule : std::uint8_t {
  kWorld = 0,          ///< shapes only: the rule of WorldDef
  kAverage = 1,        ///< (a + b) / 2
  kGeometricMean = 2,  ///< sqrt(a b)
  kMinimum = 3,
  kMultiply = 4,  ///< a b
  kMaximum = 5,
};

/// Collision filter. Two shapes collide when each one's mask has a bit of the other's category. Shapes of one
/// group other than 0 always collide (positive) or never do (negative), whatever their masks. Shapes of one
/// body never collide.
struct ShapeFilter {
  std::uint32_t category = 1;  ///< bits: categories of this shape
  std::uint32_t mask = ~0u;    ///< bits: categories it collides with
  std::int32_t group = 0;      ///< 0 = none
  friend bool operator==(const ShapeFilter&, const ShapeFilter&) = default;
};
/// Returns true when shapes with these filters collide; symmetric.
[[nodiscard]] constexpr bool meet(const ShapeFilter& a, const ShapeFilter& b) noexcept {
  if (a.group != 0 && a.group == b.group) return a.group > 0;
  return (a.mask & b.category) != 0 && (b.mask & a.category) != 0;
}

/// One shape of a body. Fields that the kind does not use are ignored.
struct ShapeDef {
  ShapeKind kind = ShapeKind::kBox;
  Vec3<double> half_extents_m{0.5, 0.5, 0.5};  ///< box; each in [kMinExtentM, kMaxExtentM]
  double radius_m = 0.5;       ///< sphere, capsule, cylinder, cone; in [kMinExtentM, kMaxExtentM]
  double half_length_m = 0.5;  ///< capsule: half of the segment, without the caps; cylinder, cone: half of
                               ///< the height; same range
  std::span<const Vec3<double>>
      /// Hull: 4 to kMaxHullPoints points, each within +-kMaxExtentM, in the shape's frame. Read during
      /// create_body only and rounded to 60 nm. At most kMaxHullVertices may be vertices, and the hull must
      /// be at least kMinExtentM thick.
      hull_points_m{};
  double rounding_m = 0.0;                       ///< hull; 0 = sharp, or in [kMinRoundingM, kMaxExtentM]
  const MeshDef* mesh = nullptr;                 ///< mesh; read during create_body only
  const HeightFieldDef* height_field = nullptr;  ///< height field; read during create_body only
  Vec3<double> local_position_m{};               ///< in the body's frame; each within +-kMaxExtentM
  Quat<double> local_rotation{};  ///< in the body's frame; unit within 1 %, normalised on entry
  double density_kg_m3 = 1000.0;  ///< [0, 1e6]; 0 = adds no mass
  double friction = 0.6;          ///< Coulomb, dimensionless, [0, 100]
  double restitution = 0.0;       ///< dimensionless, [0, 1]
  MixRule friction_rule = MixRule::kWorld;
  MixRule restitution_rule = MixRule::kWorld;
  /// Rolling and spinning resistance, dimensionless, [0, 100]; a pair uses the larger. Its torque is at most
  /// this x the normal force x the smaller of the two radii (sphere, capsule, cylinder, a cone's base, a
  /// hull's rounding). Other shapes have no radius; a pair without any radius has no such torque.
  double rolling_resistance = 0.0;
  /// Contact spring of a soft material such as rubber, in any of Softness's forms; it replaces the engine's
  /// contact stiffness. It acts on the contact as a whole, shared by its points. A pair uses the softer of
  /// its two shapes. A frequency refers to the effective mass at the middle of the contact. The shape must be
  /// thicker than bodies sink into it. Rigid (the default) uses the engine's stiffness. A softness without
  /// effect (is_idle) is refused: use is_sensor.
  Softness contact_softness{};
  /// Surface velocity, as of a conveyor belt: m/s in the shape's frame, each within +-kMaxSurfaceSpeedMS.
  /// Only the component in the contact plane counts. Bodies that touch such a surface do not fall asleep.
  Vec3<double> surface_velocity_m_s{};
  /// Detects overlaps only (StepEvents::sensor_begin): no contacts, no mass. Two sensors do not detect each
  /// other.
  bool is_sensor = false;
  ShapeFilter filter{};  ///< by default it collides with everything

  // Makers: each returns a definition of one kind with the defaults above; set further members as needed.
  // Ranges are checked by World::create_body.
  [[nodiscard]] static ShapeDef sphere(double radius_m);
  /// The segment of length 2 x half_length_m lies along y; the caps come on top.
  [[nodiscard]] static ShapeDef capsule(double radius_m, double half_length_m);
  [[nodiscard]] static ShapeDef box(double half_x_m, double half_y_m, double half_z_m);
  /// Around y; half_length_m is half of the height.
  [[nodiscard]] static ShapeDef cylinder(double radius_m, double half_length_m);
  [[nodiscard]] static ShapeDef cone(double radius_m, double half_length_m);
  /// The points must live until create_body returns; likewise the mesh and the height field.
  [[nodiscard]] static ShapeDef hull(std::span<const Vec3<double>> points_m);
  [[nodiscard]] static ShapeDef from_mesh(const MeshDef& mesh);
  [[nodiscard]] static ShapeDef from_height_field(const HeightFieldDef& height_field);
  /// Everything below the plane y = 0 of the shape's frame.
  [[nodiscard]] static ShapeDef half_space();
};

/// Volume of a shape, m^3; 0 for a half-space, a mesh and a height field. Errors: those of a bad definition,
/// including errors that only building the shape finds, such as a flat hull.
[[nodiscard]] Result<double, PhysicsError> volume_m3(const ShapeDef& shape);

/// Explicit mass properties, in place of those from the shapes' densities.
struct MassOverride {
  double mass_kg = 1.0;     ///< [kMinMassKg, kMaxMassKg]
  Vec3<double> center_m{};  ///< centre of mass in the body's frame; each within +-kMaxExtentM
  /// Moments about the centre along the body's axes. Each is at most the sum of the others, and sqrt(moment /
  /// mass) is in [1e-4 m, kMaxExtentM].
  Vec3<double> inertia_kg_m2{1, 1, 1};
};

/// Bits of BodyDef::locked_axes: world axes along which (linear) or about which (angular) a dynamic body does
/// not move, whatever acts on it.
inline constexpr std::uint8_t kLockLinearX = 1;
inline constexpr std::uint8_t kLockLinearY = 2;
inline constexpr std::uint8_t kLockLinearZ = 4;
inline constexpr std::uint8_t kLockAngularX = 8;
inline constexpr std::uint8_t kLockAngularY = 16;
inline constexpr std::uint8_t kLockAngularZ = 32;
/// A planar body: x, y and the angle about z are free.
inline constexpr std::uint8_t kLockToPlaneXY = kLockLinearZ | kLockAngularX | kLockAngularY;

/// A body with its shapes. `shapes` is read during create_body only.
struct BodyDef {
  BodyType type = BodyType::kDynamic;
  Position position{};                    ///< of the body's origin; each axis within +-kWorldLimitM
  Quat<double> rotation{};                ///< unit within 1 %, normalised on entry
  Vec3<double> linear_velocity_m_s{};     ///< of the origin, world frame; |v| <= kMaxLinearSpeedMS. A static
                                          ///< body ignores both velocities
  Vec3<double> angular_velocity_rad_s{};  ///< world frame; |w| <= kMaxAngularSpeedRadS
  double linear_damping_1_s = 0.0;        ///< v' = -damping v; [0, 1000]
  double angular_damping_1_s = 0.0;       ///< w' = -damping w; [0, 1000]
  double gravity_scale = 1.0;             ///< multiplies the world's gravity; [-1000, 1000]
  std::optional<MassOverride> mass{};     ///< of a dynamic body; none = from the shapes' densities
  std::uint8_t locked_axes = 0;  ///< kLock bits; a body with a locked angular axis has no gyroscopic term
  bool enabled = true;           ///< false: takes no part until World::set_enabled
  bool can_sleep = true;  ///< false: never falls asleep by itself, for bodies that must respond at once
  /// Continuous collision against dynamic bodies: a dynamic bullet never tunnels through any body in one
  /// tick, except through another bullet. Without this flag only static and kinematic bodies stop a fast
  /// body.
  bool bullet = false;
  std::uint64_t user_tag = 0;          ///< the owner's value; canonical, never read by the engine
  std::span<const ShapeDef> shapes{};  ///< at most kMaxShapesPerBody

  /// A body of this type at rest. `shapes` must live until create_body returns.
  [[nodiscard]] static BodyDef make(BodyType type, const Position& position,
                                    std::span<const ShapeDef> shapes = {});
};

}  // namespace takt
