// JointDef defines a joint, which constrains two bodies relative to each other: it locks, limits, springs or
// drives axes between them (docs/JOINTS.md). World::create_joint takes a JointDef, and World::joint returns a
// JointView, the joint's present state. Definitions use SI units and doubles, equal for float mode and fixed
// mode; joints compute in binary64 in both.
//
// Every joint except gear and pulley has a frame on each body and eight coordinates between the two frames.
// Each coordinate is free, locked or constrained. Gear and pulley use JointCoupling instead. The makers below
// (revolute_joint and others) fill a JointDef in. A generic joint that the caller fills in moves bit for bit
// like the equivalent joint of a maker.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>

#include "takt/physics/body.h"
#include "takt/physics/softness.h"

namespace takt {

struct JointTag;
using JointId = Id<JointTag>;

/// The maker that created a joint. The solver distinguishes kPulley and kGear; the other kinds are for people
/// and viewers. Frozen values.
enum class JointKind : std::uint8_t {
  kGeneric = 1,
  kPoint = 2,
  kRevolute = 3,
  kPrismatic = 4,
  kWeld = 5,
  kDistance = 6,
  kAngle = 7,
  kWheel = 8,
  kParallel = 9,
  kMotor = 10,
  kTarget = 11,
  kPulley = 12,
  kGear = 13,
};

/// The coordinates of frame b in frame a. Frozen values.
enum class JointAxis : std::uint8_t {
  kLinearX = 0,  ///< m, along a's x axis, from a's origin to b's
  kLinearY = 1,
  kLinearZ = 2,
  kAngularX = 3,  ///< rad, about a's x axis: the twist. Counts full turns while one or both of the other two
                  ///< angles are locked
  kAngularY = 4,  ///< rad: components of the swing, the rotation that maps a's x axis to b's; or the angle
                  ///< about y (z) when the other two are locked
  kAngularZ = 5,
  kDistance = 6,  ///< m, between the two origins, >= 0
  kSwing = 7,     ///< rad, between the two x axes, [0, pi]: the cone
};
inline constexpr std::uint32_t kJointAxisCount = 8;
/// Bits of JointDef::locked.
[[nodiscard]] constexpr std::uint8_t lock_of(JointAxis axis) noexcept {
  return static_cast<std::uint8_t>(1u << static_cast<unsigned>(axis));
}
inline constexpr std::uint8_t kLockLinear = 0b000111;   ///< all three linear axes
inline constexpr std::uint8_t kLockAngular = 0b111000;  ///< all three angular axes

/// No bound on a force or torque, or on one side of a limit.
inline constexpr double kUnbounded = std::numeric_limits<double>::infinity();
/// Maximum finite limit, target or length of a joint, m or rad; maximum speed, m/s or rad/s.
inline constexpr double kMaxJointCoordinate = 1e5;
inline constexpr double kMaxJointSpeed = 4e3;

/// An origin and axes on a body.
struct JointFrame {
  Vec3<double> position_m{};  ///< in the body's frame, each within +-kMaxExtentM
  Quat<double> rotation{};    ///< in the body's frame; unit within 1 %, normalised on entry
  friend bool operator==(const JointFrame&, const JointFrame&) = default;
};

/// Constraints on one coordinate that is not locked. Limit, drive, motor and friction are independent; all
/// may be on at once.
struct JointAxisDef {
  JointAxis axis = JointAxis::kAngularX;
  /// Limit: lower <= coordinate <= upper, m or rad, each within +-kMaxJointCoordinate or infinite (no bound
  /// on that side). Swing: lower <= 0 (a cone has no inner bound) and upper >= 0. Distance: upper >= 0.
  double lower = -kUnbounded;
  double upper = kUnbounded;
  Softness limit_softness{};
  /// Drive: a spring towards `target`, m or rad, within +-kMaxJointCoordinate (distance: >= 0), with at most
  /// max_drive, N or N m, >= 0. A rigid softness keeps the coordinate exactly at the target. The swing has no
  /// drive and no motor (else kOutOfRange).
  bool has_drive = false;
  double target = 0.0;
  Softness drive_softness{};
  double max_drive = kUnbounded;
  /// Motor: accelerates towards `speed`, m/s or rad/s, within +-kMaxJointSpeed, with at most max_motor, N or
  /// N m, >= 0. A max_motor of 0 means no motor.
  double speed = 0.0;
  double max_motor = 0.0;
  /// Friction: opposes motion with at most this, N or N m, >= 0.
  double friction = 0.0;
  friend bool operator==(const JointAxisDef&, const JointAxisDef&) = default;
};

/// A relation between two coordinates or lengths: gears and pulleys.
struct JointCoupling {
  /// Gear: keeps coordinate of joint_1 + ratio x coordinate of joint_2 constant. The reference value is read
  /// when the gear is created, enabled or changed, and when one of its joints gets other frames or locks or
  /// is enabled. Allowed coordinates: linear ones, and angles that count turns (of joints that lock one or
  /// two angles). Two coordinates of one joint make a screw. The joints must not be gears or pulleys.
  JointId joint_1;
  JointId joint_2;
  JointAxis axis_1 = JointAxis::kAngularX;
  JointAxis axis_2 = JointAxis::kAngularX;
  double ratio = 1.0;  ///< within +-1e6, not 0 (pulley: > 0); rad or m of the first per unit of the second
  /// Pulley: a rope from body a's anchor over ground_a and ground_b to body b's anchor. It enforces |length
  /// a| + ratio |length b| <= length. The rope only pulls.
  Position ground_a{};  ///< world
  Position ground_b{};
  double length_m = 0.0;  ///< (0, kMaxJointCoordinate]
  friend bool operator==(const JointCoupling&, const JointCoupling&) = default;
};

/// Definition of a joint; World::joint_def returns the same form. Chain the setters after a maker:
///   revolute_joint(a, b, frame_a, frame_b)
///       .limit(JointAxis::kAngularX, -1.0, 1.0)
///       .motor(JointAxis::kAngularX, 3.0, 50.0)
struct JointDef {
  JointKind kind = JointKind::kGeneric;
  BodyId body_a;  ///< at least one of the two is dynamic; a gear alone may have one body twice
  BodyId body_b;
  JointFrame frame_a;
  JointFrame frame_b;
  std::uint8_t locked = 0;  ///< lock_of bits of the six linear and angular coordinates; 0 for gear and pulley
  Softness linear{};   ///< of the locked linear coordinates; of a pulley; of a gear whose first coordinate is
                       ///< a length
  Softness angular{};  ///< of the locked angular ones; of a gear whose first coordinate is an angle
  double max_force_n =
      kUnbounded;  ///< of the locked linear coordinates together, or as `linear` of a coupling, >= 0
  double max_torque_n_m = kUnbounded;  ///< of the locked angular ones, or as `angular` of a coupling, >= 0
  double break_force_n = kUnbounded;   ///< a larger mean reaction over a tick breaks the joint, > 0
  double break_torque_n_m = kUnbounded;
  std::uint32_t axis_count =
      0;  ///< used entries of `axes`, ascending by coordinate, each at most once and
          ///< not locked; the swing needs all three angles unlocked. 0 for gear, pulley
  std::array<JointAxisDef, kJointAxisCount> axes{};
  JointCoupling coupling{};        ///< gear and pulley
  bool collide_connected = false;  ///< true: shapes of the two bodies collide
  bool enabled = true;
  bool direct = true;  ///< true: solved directly with its joint tree; false: solved by sequential impulses
  std::uint64_t user_tag = 0;

  /// Returns the entry of an axis; adds it when absent. The reference is valid until the next added entry.
  JointAxisDef& axis(JointAxis axis);
  /// Each sets a part of the entry of an axis, adds the entry when absent, and returns this definition.
  JointDef& limit(JointAxis axis, double lower, double upper, Softness softness = {});
  JointDef& drive(JointAxis axis, double target, Softness softness, double max = kUnbounded);
  JointDef& motor(JointAxis axis, double speed, double max);
  JointDef& friction(JointAxis axis, double max);
};

/// Ball and socket: the two origins coincide. limit(kSwing, 0, angle) adds a cone about a's x axis,
/// limit(kAngularX, ..) the twist limit.
[[nodiscard]] JointDef point_joint(BodyId a, BodyId b, const JointFrame& frame_a, const JointFrame& frame_b);
/// Hinge about the frames' x axis.
[[nodiscard]] JointDef revolute_joint(BodyId a, BodyId b, const JointFrame& frame_a,
                                      const JointFrame& frame_b);
/// Slider along a's x axis.
[[nodiscard]] JointDef prismatic_joint(BodyId a, BodyId b, const JointFrame& frame_a,
                                       const JointFrame& frame_b);
/// Removes all six freedoms: frame b stays on frame a.
[[nodiscard]] JointDef weld_joint(BodyId a, BodyId b, const JointFrame& frame_a, const JointFrame& frame_b,
                                  Softness linear = {}, Softness angular = {});
/// Keeps the two origins length_m apart, m, > 0: a rigid rod, or a spring with a soft `softness`.
[[nodiscard]] JointDef distance_joint(BodyId a, BodyId b, const JointFrame& frame_a,
                                      const JointFrame& frame_b, double length_m, Softness softness = {});
/// Keeps the distance of the two origins within 0 <= min_m <= max_m. A rope has min_m 0.
[[nodiscard]] JointDef rope_joint(BodyId a, BodyId b, const JointFrame& frame_a, const JointFrame& frame_b,
                                  double min_m, double max_m);
/// Keeps the relative orientation; the bodies translate freely.
[[nodiscard]] JointDef angle_joint(BodyId a, BodyId b, const JointFrame& frame_a, const JointFrame& frame_b,
                                   Softness softness = {});
/// Keeps the frames' x axes parallel; the bodies translate freely and rotate freely about those axes.
[[nodiscard]] JointDef parallel_joint(BodyId a, BodyId b, const JointFrame& frame_a,
                                      const JointFrame& frame_b, Softness softness = {});
/// A wheel b on a car a. It moves along a's x axis (the suspension, a drive at 0), spins about b's z axis and
/// steers about a's x axis. Without steering (steers = false) x is locked to the car.
[[nodiscard]] JointDef wheel_joint(BodyId a, BodyId b, const JointFrame& frame_a, const JointFrame& frame_b,
                                   Softness suspension, bool steers = false);
/// Drives frame b to frame a with bounded force and torque. To move the target, change frame_a
/// (World::change_joint).
[[nodiscard]] JointDef motor_joint(BodyId a, BodyId b, const JointFrame& frame_a, const JointFrame& frame_b,
                                   Softness softness, double max_force_n, double max_torque_n_m);
/// Pulls a point of body b to a point of body a with bounded force: a mouse or a hand. To move the target,
/// change frame_a.
[[nodiscard]] JointDef target_joint(BodyId a, BodyId b, const JointFrame& frame_a, const JointFrame& frame_b,
                                    Softness softness, double max_force_n);
/// See JointCoupling. Only the frames' positions count.
[[nodiscard]] JointDef pulley_joint(BodyId a, BodyId b, const JointFrame& frame_a, const JointFrame& frame_b,
                                    const Position& ground_a, const Position& ground_b, double length_m,
                                    double ratio = 1.0);
/// See JointCoupling. `a` and `b` are the rotating bodies, usually body_b of both joints. The gear is
/// destroyed with either joint.
[[nodiscard]] JointDef gear_joint(BodyId a, BodyId b, JointId joint_1, JointAxis axis_1, JointId joint_2,
                                  JointAxis axis_2, double ratio);

/// Present state of a joint, for drawing and gauges.
struct JointView {
  JointId id;
  JointKind kind = JointKind::kGeneric;
  BodyId body_a;
  BodyId body_b;
  Position anchor_a{};     ///< frame a's origin, world
  Position anchor_b{};     ///< frame b's origin, world
  Quat<double> frame_a{};  ///< frame a's axes in the world
  Quat<double> frame_b{};
  Vec3<double> force_n{};     ///< on body b at its anchor, mean of the last tick, world; 0 when inactive:
                              ///< disabled, broken before, or no moving body. A sleeping joint keeps it
  Vec3<double> torque_n_m{};  ///< on body b, mean of the last tick, world
  bool enabled = true;
  bool broken = false;
};

}  // namespace takt
