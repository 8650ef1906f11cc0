// What a body, its shapes and a mover are made from: definitions in SI units and doubles, the same for both
// number modes. The world converts each number once, to the nearest Real, so a definition gives the same bits
// on every machine. Definitions own nothing and are checked whole before anything is created.
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

/// Smallest extent or radius, metres. Below it contact margins (5 mm) swallow the shape.
inline constexpr double kMinExtentM = 0.005;
/// Smallest rounding of a hull, metres: below it the edges might as well be sharp.
inline constexpr double kMinRoundingM = 0.001;
/// Largest finite extent or radius, metres. In Q31.32 squared lengths overflow at 46.3 km; binary32 contact
/// points lose millimetres past 10 km.
inline constexpr double kMaxExtentM = 10'000.0;
/// Masses a dynamic body may have, kg: impulses keep six digits in Q31.32 at the low end and stay below 2^31
/// N s at the high end.
inline constexpr double kMinMassKg = 1e-4;
inline constexpr double kMaxMassKg = 1e8;
/// Half the width of the world, metres and raw Q31.32: the difference of two positions inside never wraps. A
/// body that leaves is quarantined.
inline constexpr double kWorldLimitM = 1'073'741'824.0;
inline constexpr std::int64_t kWorldLimitRaw = std::int64_t{1} << 62;
/// Largest speeds, m/s and rad/s: faster bodies are slowed to this each substep (the clamp is part of the
/// result, not an error).
inline constexpr double kMaxLinearSpeedMS = 4'000.0;
inline constexpr double kMaxAngularSpeedRadS = 400.0;
/// Fastest surface, m/s each way along an axis.
inline constexpr double kMaxSurfaceSpeedMS = 1000.0;
/// A body is made, saved and taken away as a whole: this bounds what one definition costs. Static ground of
/// thousands of pieces fits.
inline constexpr std::uint32_t kMaxShapesPerBody = 4096;
/// Points a hull may be made from, and corners it may have: an index of a corner fits six bits of a contact's
/// feature id.
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
  kHull = 7,       ///< the convex hull of hull_points_m, and all that is within rounding_m of it
  kMesh = 8,       ///< the triangles of *mesh; static and kinematic bodies only
  kHeightField = 9,  ///< the ground of *height_field; static bodies only
};

/// How the friction or restitution of two shapes becomes that of their contact. When the two shapes say
/// different things, what stands later here wins.
enum class MixRule : std::uint8_t {
  kWorld = 0,          ///< shapes only: as WorldDef says
  kAverage = 1,        ///< (a + b) / 2
  kGeometricMean = 2,  ///< sqrt(a b)
  kMinimum = 3,
  kMultiply = 4,  ///< a b
  kMaximum = 5,
};

/// Which pairs of shapes may touch. Two shapes meet when each one's mask has a bit of the other's category;
/// two shapes of the same group other than 0 always meet (positive) or never do (negative), whatever their
/// masks say. Shapes of one body never meet.
struct ShapeFilter {
  std::uint32_t category = 1;  ///< bits: what this shape is
  std::uint32_t mask = ~0u;    ///< bits: what it meets
  std::int32_t group = 0;      ///< 0 = none
  friend bool operator==(const ShapeFilter&, const ShapeFilter&) = default;
};
/// Whether shapes with these filters meet; symmetric.
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
      hull_points_m{};      ///< hull: 4 to kMaxHullPoints points, each within +-kMaxExtentM, in the shape's
                            ///< frame. Read during create_body only: rounded to 60 nm, of which at most
                            ///< kMaxHullVertices may be corners, and at least kMinExtentM thick
  double rounding_m = 0.0;  ///< hull; 0 = sharp, or in [kMinRoundingM, kMaxExtentM]
  const MeshDef* mesh = nullptr;                 ///< mesh; read during create_body only
  const HeightFieldDef* height_field = nullptr;  ///< height field; read during create_body only
  Vec3<double> local_position_m{};               ///< in the body's frame; each within +-kMaxExtentM
  Quat<double> local_rotation{};  ///< in the body's frame; unit within 1 %, normalised on entry
  double density_kg_m3 = 1000.0;  ///< >= 0; 0 = adds no mass
  double friction = 0.6;          ///< Coulomb, dimensionless, [0, 100]
  double restitution = 0.0;       ///< dimensionless, [0, 1]
  MixRule friction_rule = MixRule::kWorld;
  MixRule restitution_rule = MixRule::kWorld;
  /// Dimensionless, [0, 100]; a pair uses the larger. Holds back rolling and spinning with a torque of up to
  /// this x the normal force x the smaller of the two radii (sphere, capsule, cylinder, a cone's base, a
  /// hull's rounding); other shapes have no radius, and without any there is no such torque.
  double rolling_resistance = 0.0;
  /// How its contacts give way, as rubber or a mattress does: a spring by any of Softness's forms, of the
  /// contact as a whole (its points share it), in the engine's place of its own stiffness. Of two shapes the
  /// softer counts. A frequency is that of the mass which a push at the contact's middle finds. Make such a
  /// shape thicker than bodies sink. Rigid: as stiff as the engine makes them. A softness that does nothing
  /// (is_idle) is refused: use is_sensor.
  Softness contact_softness{};
  /// How the surface runs over the shape, as a conveyor belt does: m/s in the shape's frame, each within
  /// +-kMaxSurfaceSpeedMS. The part along a contact's plane counts. What touches such a surface does not fall
  /// asleep.
  Vec3<double> surface_velocity_m_s{};
  /// Only notices what overlaps it (StepEvents::sensor_begin): no contacts, no mass. Two sensors do not
  /// notice each other.
  bool is_sensor = false;
  ShapeFilter filter{};  ///< what it meets; by default everything
};

/// Volume of a shape, m^3; 0 for a half-space, a mesh and a height field. Errors: those of a bad definition,
/// such as a hull that is flat, which only building it shows.
[[nodiscard]] Result<double, PhysicsError> volume_m3(const ShapeDef& shape);

/// Mass given outright instead of from the shapes' densities.
struct MassOverride {
  double mass_kg = 1.0;                 ///< [kMinMassKg, kMaxMassKg]
  Vec3<double> center_m{};              ///< centre of mass in the body's frame
  Vec3<double> inertia_kg_m2{1, 1, 1};  ///< moments about the centre along the body's axes; each > 0 and no
                                        ///< larger than the sum of the others
};

/// Bits of BodyDef::locked_axes: world axes along which a dynamic body does not move, and about which it does
/// not turn, whatever pushes it.
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
  Position position{};                    ///< of the body's origin, world
  Quat<double> rotation{};                ///< unit within 1 %, normalised on entry
  Vec3<double> linear_velocity_m_s{};     ///< of the origin, world frame; |v| <= kMaxLinearSpeedMS
  Vec3<double> angular_velocity_rad_s{};  ///< world frame; |w| <= kMaxAngularSpeedRadS
  double linear_damping_1_s = 0.0;        ///< v' = -damping v; [0, 1000]
  double angular_damping_1_s = 0.0;       ///< w' = -damping w; [0, 1000]
  double gravity_scale = 1.0;             ///< multiplies the world's gravity; [-1000, 1000]
  std::optional<MassOverride> mass{};     ///< none = from the shapes' densities
  std::uint8_t locked_axes = 0;           ///< kLock bits; a body with a locked turn has no gyroscopic term
  bool enabled = true;                    ///< false: takes no part until World::set_enabled
  bool can_sleep = true;                  ///< false: never rests by itself, for what must answer at once
  bool bullet =
      false;  ///< dynamic: never jumps over a body in one tick, not even over a dynamic one, unless that is a
              ///< bullet too. Without it only static and kinematic bodies are safe from a fast one
  std::uint64_t user_tag = 0;          ///< the owner's; canonical, never read by the engine
  std::span<const ShapeDef> shapes{};  ///< at most kMaxShapesPerBody
};

/// How a mover moves (docs/MOVER.md). Speeds are over what it stands on; up is +y, whatever the gravity.
struct MoverTuning {
  double max_slope_rad = 0.8726646259971648;  ///< steepest ground it stands on and walks up, [0, 1.4]; 50
                                              ///< degrees. Steeper ground is a wall, and slides
  double step_height_m = 0.35;                ///< highest step it takes in its stride, [0, 10]
  double stick_distance_m =
      0.35;  ///< ground that falls away by no more than this in a tick keeps it on the ground, [0, 10]
  double skin_m = 0.01;  ///< it keeps this far from all else, [0.006, 0.018]: more than the 5 mm at which
                         ///< contacts carry, less than the 20 mm in which they are made
  double max_speed_m_s = 6.0;       ///< of walking, [0, 100]
  double acceleration_m_s2 = 50.0;  ///< on the ground, speeding up and braking, [0, 10000]
  double air_acceleration_m_s2 =
      8.0;  ///< in the air, towards a wanted velocity; without one it keeps its velocity. [0, 10000]
  double jump_speed_m_s = 5.0;       ///< upwards, [0, 100]
  double max_fall_speed_m_s = 60.0;  ///< gravity accelerates it no further, [0, 1000]
  double gravity_scale = 1.0;        ///< of the world's, in the air, [0, 100]
  double push_force_n = 500.0;       ///< on all dynamic bodies together that it walks against, [0, 1e6]
  double mass_kg =
      80.0;  ///< its weight on a dynamic body that it stands on; nothing else asks for it. [0, 1e5]
  double recovery_speed_m_s = 3.0;  ///< out of what it overlaps, [0, 100]
};

/// A character: an upright capsule on a kinematic body of its own.
struct MoverDef {
  Position position{};         ///< of the capsule's middle, world
  double heading_rad = 0.0;    ///< about +y; 0 looks along +z. Within +-1000
  double radius_m = 0.4;       ///< [kMinExtentM, 100]
  double half_length_m = 0.5;  ///< of the axis without the round ends, [kMinExtentM, 100]
  double friction = 0.6;       ///< of its capsule towards bodies that hit it, [0, 100]
  double restitution = 0.0;    ///< the same, [0, 1]
  ShapeFilter filter{};        ///< what it meets
  std::uint64_t user_tag = 0;  ///< of its body
  MoverTuning tuning{};
};

/// What a mover is to do. It lasts until the next one, but for the jump, which is for one step.
struct MoverInput {
  Vec3<double> velocity_m_s{};  ///< wanted, over the ground; y does not count; slowed to max_speed_m_s. Each
                                ///< within +-1000
  bool in_heading_frame = false;  ///< velocity in the mover's own frame, z forwards, instead of the world's
  bool jump = false;              ///< in the next step, when it stands
  double turn_rad_s = 0.0;        ///< of the heading about +y, within +-100
  friend bool operator==(const MoverInput&, const MoverInput&) = default;
};

/// What a mover does, as of the last step.
struct MoverView {
  BodyId body;
  bool grounded = false;
  ShapeId ground;                       ///< what it stands on, when grounded
  Vec3<double> ground_normal{0, 1, 0};  ///< unit, when grounded
  Vec3<double> velocity_m_s;            ///< in the world: its own and its ground's
  double heading_rad = 0.0;             ///< about +y, (-pi, pi]
};

}  // namespace takt
