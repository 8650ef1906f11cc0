// Joints: what holds two bodies together, lets them move along some axes, limits, springs and drives them
// (docs/JOINTS.md). SI units and doubles, the same for both number modes; what a joint computes is binary64
// in both.
//
// Every joint but gear and pulley is one thing: a frame on each body, and what each of eight coordinates
// between the two frames may do. The makers below set those; a generic joint is one that you set yourself,
// and it moves bit for bit as the joint that it spells out.
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

/// What a joint was made as: for people and viewers. Frozen values.
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
  kLinearX = 0,  ///< m, along a's x axis; from a's origin to b's
  kLinearY = 1,
  kLinearZ = 2,
  kAngularX = 3,  ///< rad, about a's x axis: the twist. An angle counts full turns while one or both of the
                  ///< other two are locked
  kAngularY = 4,  ///< rad: parts of the rotation that takes a's x axis to b's (the swing), or the turn about
                  ///< y (z) when the other two are locked
  kAngularZ = 5,
  kDistance = 6,  ///< m, between the two origins, >= 0
  kSwing = 7,     ///< rad, between the two x axes, [0, pi]: the cone
};
inline constexpr std::uint32_t kJointAxisCount = 8;
/// Bits of JointDef::locked.
[[nodiscard]] constexpr std::uint8_t lock_of(JointAxis axis) noexcept {
  return static_cast<std::uint8_t>(1u << static_cast<unsigned>(axis));
}
inline constexpr std::uint8_t kLockLinear = 0b000111;   ///< all three
inline constexpr std::uint8_t kLockAngular = 0b111000;  ///< all three

/// No bound on a force, torque or speed.
inline constexpr double kUnbounded = std::numeric_limits<double>::infinity();
/// Largest finite limit, target or length of a joint, m or rad; largest speed, m/s or rad/s.
inline constexpr double kMaxJointCoordinate = 1e5;
inline constexpr double kMaxJointSpeed = 4e3;

/// A place and its axes on a body.
struct JointFrame {
  Vec3<double> position_m{};  ///< in the body's frame, each within +-kMaxExtentM
  Quat<double> rotation{};    ///< in the body's frame; unit within 1 %, normalised on entry
  friend bool operator==(const JointFrame&, const JointFrame&) = default;
};

/// What one coordinate does beside being free or locked. Each part works by itself; all may be on at once.
struct JointAxisDef {
  JointAxis axis = JointAxis::kAngularX;
  /// Limit: lower <= coordinate <= upper, m or rad, each within +-kMaxJointCoordinate or infinite (no bound
  /// on that side). Swing: lower must be <= 0 (a cone has no inside bound).
  double lower = -kUnbounded;
  double upper = kUnbounded;
  Softness limit_softness{};
  /// Hold: a spring towards `target`, m or rad; rigid holds exactly there. With at most max_drive, N or N m,
  /// >= 0.
  bool has_drive = false;
  double target = 0.0;
  Softness drive_softness{};
  double max_drive = kUnbounded;
  /// Motor: drives towards `speed`, m/s or rad/s, with at most max_motor, N or N m, >= 0. 0 = no motor.
  double speed = 0.0;
  double max_motor = 0.0;
  /// Friction: opposes motion with at most this, N or N m, >= 0.
  double friction = 0.0;
  friend bool operator==(const JointAxisDef&, const JointAxisDef&) = default;
};

/// What ties two coordinates or lengths together: gears and pulleys.
struct JointCoupling {
  /// Gear: coordinate of joint_1 + ratio x coordinate of joint_2 stays as it was when the gear was made,
  /// switched on or changed, or a joint that it ties got other frames or locks or was switched on. Any two
  /// lengths, and angles that count turns: of joints that lock one or two turns. Both may belong to one joint
  /// (a screw).
  JointId joint_1;
  JointId joint_2;
  JointAxis axis_1 = JointAxis::kAngularX;
  JointAxis axis_2 = JointAxis::kAngularX;
  double ratio = 1.0;  ///< within +-1e6, not 0 (pulley: > 0); rad or m of the first for one of the second
  /// Pulley: a rope from body a's anchor over ground_a, over ground_b, to body b's anchor: |length a| + ratio
  /// |length b| <= length. The rope only pulls.
  Position ground_a{};  ///< world
  Position ground_b{};
  double length_m = 0.0;  ///< (0, kMaxJointCoordinate]
  friend bool operator==(const JointCoupling&, const JointCoupling&) = default;
};

/// A joint's definition, and what World::joint_def reads back. Chain the setters after a maker:
///   revolute_joint(a, b, frame_a, frame_b).limit(JointAxis::kAngularX,
///   -1.0, 1.0).motor(JointAxis::kAngularX, 3.0, 50.0)
struct JointDef {
  JointKind kind = JointKind::kGeneric;
  BodyId body_a;  ///< two different bodies, one of them dynamic
  BodyId body_b;
  JointFrame frame_a;
  JointFrame frame_b;
  std::uint8_t locked = 0;  ///< lock_of bits of the six linear and angular coordinates
  Softness linear{};   ///< of the locked linear coordinates; of a pulley; of a gear whose first coordinate is
                       ///< a length
  Softness angular{};  ///< of the locked angular ones; of a gear whose first coordinate is an angle
  double max_force_n =
      kUnbounded;  ///< of the locked linear coordinates together, or as `linear` of a coupling, >= 0
  double max_torque_n_m = kUnbounded;  ///< of the locked angular ones, or as `angular` of a coupling, >= 0
  double break_force_n = kUnbounded;   ///< a larger mean reaction over a tick breaks the joint, > 0
  double break_torque_n_m = kUnbounded;
  std::uint32_t axis_count = 0;  ///< of `axes`, in order of their coordinate, each at most once
  std::array<JointAxisDef, kJointAxisCount> axes{};
  JointCoupling coupling{};        ///< gear and pulley
  bool collide_connected = false;  ///< whether shapes of the two bodies touch
  bool enabled = true;
  bool direct = true;  ///< takes part in the direct solve of its tree; false: solved by sequential impulses
  std::uint64_t user_tag = 0;

  /// The part of an axis, made when it is not there.
  JointAxisDef& axis(JointAxis axis);
  JointDef& limit(JointAxis axis, double lower, double upper, Softness softness = {});
  JointDef& drive(JointAxis axis, double target, Softness softness, double max = kUnbounded);
  JointDef& motor(JointAxis axis, double speed, double max);
  JointDef& friction(JointAxis axis, double max);
};

/// Ball and socket: the two origins coincide. limit(kSwing, 0, angle) is a cone about a's x axis,
/// limit(kAngularX, ..) the twist.
[[nodiscard]] JointDef point_joint(BodyId a, BodyId b, const JointFrame& frame_a, const JointFrame& frame_b);
/// Hinge about the frames' x axis.
[[nodiscard]] JointDef revolute_joint(BodyId a, BodyId b, const JointFrame& frame_a,
                                      const JointFrame& frame_b);
/// Slider along a's x axis.
[[nodiscard]] JointDef prismatic_joint(BodyId a, BodyId b, const JointFrame& frame_a,
                                       const JointFrame& frame_b);
/// All six freedoms removed: frame b stays on frame a.
[[nodiscard]] JointDef weld_joint(BodyId a, BodyId b, const JointFrame& frame_a, const JointFrame& frame_b,
                                  Softness linear = {}, Softness angular = {});
/// The two origins stay this far apart, m, > 0: a rigid rod, or a spring with a soft `softness`.
[[nodiscard]] JointDef distance_joint(BodyId a, BodyId b, const JointFrame& frame_a,
                                      const JointFrame& frame_b, double length_m, Softness softness = {});
/// The two origins stay between these distances, m: 0 <= least <= most. A rope has least 0.
[[nodiscard]] JointDef rope_joint(BodyId a, BodyId b, const JointFrame& frame_a, const JointFrame& frame_b,
                                  double min_m, double max_m);
/// The relative orientation stays; the bodies move freely.
[[nodiscard]] JointDef angle_joint(BodyId a, BodyId b, const JointFrame& frame_a, const JointFrame& frame_b,
                                   Softness softness = {});
/// The frames' x axes stay parallel; the bodies move, and turn about them, freely.
[[nodiscard]] JointDef parallel_joint(BodyId a, BodyId b, const JointFrame& frame_a,
                                      const JointFrame& frame_b, Softness softness = {});
/// A wheel b on a car a: it moves along a's x axis (the suspension, a hold at 0), spins about b's z axis and
/// steers about a's x axis. Without steering (steer = false) x is locked to the car.
[[nodiscard]] JointDef wheel_joint(BodyId a, BodyId b, const JointFrame& frame_a, const JointFrame& frame_b,
                                   Softness suspension, bool steers = false);
/// Drives frame b to frame a with bounded force and torque: change frame_a (World::change_joint) to move the
/// target.
[[nodiscard]] JointDef motor_joint(BodyId a, BodyId b, const JointFrame& frame_a, const JointFrame& frame_b,
                                   Softness softness, double max_force_n, double max_torque_n_m);
/// Pulls a point of body b to a point of body a with bounded force: a mouse or a hand. Change frame_a to move
/// the target.
[[nodiscard]] JointDef target_joint(BodyId a, BodyId b, const JointFrame& frame_a, const JointFrame& frame_b,
                                    Softness softness, double max_force_n);
/// See JointCoupling. Only the frames' positions count.
[[nodiscard]] JointDef pulley_joint(BodyId a, BodyId b, const JointFrame& frame_a, const JointFrame& frame_b,
                                    const Position& ground_a, const Position& ground_b, double length_m,
                                    double ratio = 1.0);
/// See JointCoupling. `a` and `b` are the bodies that turn: body_b of both joints by habit. The gear goes
/// when either joint does.
[[nodiscard]] JointDef gear_joint(BodyId a, BodyId b, JointId joint_1, JointAxis axis_1, JointId joint_2,
                                  JointAxis axis_2, double ratio);

/// A joint as it is now, for drawing and gauges.
struct JointView {
  JointId id;
  JointKind kind = JointKind::kGeneric;
  BodyId body_a;
  BodyId body_b;
  Position anchor_a{};     ///< frame a's origin, world
  Position anchor_b{};     ///< frame b's
  Quat<double> frame_a{};  ///< frame a's axes in the world
  Quat<double> frame_b{};
  Vec3<double> force_n{};  ///< on body b at its anchor, mean of the last tick, world; 0 when it does not act:
                           ///< off, torn before, or nothing of it moves
  Vec3<double> torque_n_m{};  ///< on body b, the same
  bool enabled = true;
  bool broken = false;
};

}  // namespace takt
