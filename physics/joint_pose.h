// Where the two frames of a joint stand to each other, and how each coordinate changes with the velocities of the two bodies. All in binary64, in world axes,
// about the two centres of mass.
//
// Angular coordinates depend on what is locked: with none, the twist and the swing of rotation = swing x twist; with one (a universal joint), the turns
// about the axis before it on a and the axis after it on b; with two (a hinge), the turn about the third; with three there is none.
#pragma once

#include <cstdint>

#include "takt/physics/joint.h"
#include "takt/physics/vector.h"

namespace takt {

/// What a coordinate's rate asks of the bodies: rate = linear . (v_b - v_a) + turn_b . w_b - turn_a . w_a.
struct JointDirection {
  Vec3<double> linear;
  Vec3<double> turn_a;
  Vec3<double> turn_b;
};

struct JointCoordinate {
  double value = 0.0;  ///< m or rad
  JointDirection direction;
};

/// The angles that count full turns, rad: of a hinge its own, of a universal joint both.
struct JointTurns {
  double last = 0.0;   ///< the hinge's; of a universal joint the turn about the axis on b
  double first = 0.0;  ///< of a universal joint the turn about the axis on a
};

/// What is asked of a pose: kPoints leaves out what angular coordinates other than those along a's axes need.
enum class JointParts : std::uint8_t { kAll, kPoints };

class JointPose {
 public:
  /// Rotations of the frames in their bodies and of the bodies, arms to the frames' origins about the centres of mass (world axes), and from a's centre to b's.
  JointPose(Quat<double> frame_a, Quat<double> frame_b, std::uint8_t locked, Quat<double> rotation_a, Quat<double> rotation_b, Vec3<double> arm_a,
            Vec3<double> arm_b, Vec3<double> between, JointParts parts = JointParts::kAll);

  /// The error of a locked coordinate, 0 when it holds.
  [[nodiscard]] JointCoordinate error(unsigned coordinate) const noexcept;
  /// A coordinate that is not locked. `near`: of those angles that differ by full turns, the nearest to it, for those that count turns.
  [[nodiscard]] JointCoordinate coordinate(JointAxis axis, const JointTurns& near) const noexcept;
  /// The same when `turns` are those of this pose: no angle that counts turns is found twice.
  [[nodiscard]] JointCoordinate coordinate_at(JointAxis axis, const JointTurns& turns) const noexcept;
  /// How a coordinate that is not locked changes: coordinate()'s direction, without its value.
  [[nodiscard]] JointDirection direction_of(JointAxis axis) const noexcept;
  /// The angles that count turns, nearest to `near`; 0 where there is none.
  [[nodiscard]] JointTurns turns(const JointTurns& near) const noexcept;
  /// Which angle JointTurns::last is of; kDistance when there is none.
  [[nodiscard]] static JointAxis last_turning_axis(std::uint8_t locked) noexcept;
  [[nodiscard]] static JointAxis first_turning_axis(std::uint8_t locked) noexcept;

  [[nodiscard]] Vec3<double> arm_a() const noexcept { return arm_a_; }
  [[nodiscard]] Vec3<double> arm_b() const noexcept { return arm_b_; }
  [[nodiscard]] Vec3<double> apart() const noexcept { return apart_; }  ///< from a's origin to b's

 private:
  [[nodiscard]] JointDirection along(Vec3<double> direction) const noexcept;
  [[nodiscard]] static JointDirection about(Vec3<double> direction) noexcept { return {{}, direction, direction}; }
  [[nodiscard]] double angle(unsigned axis) const noexcept;
  [[nodiscard]] JointDirection angle_direction(unsigned axis) const noexcept;
  [[nodiscard]] double value_of(JointAxis axis, const JointTurns& near) const noexcept;

  std::uint8_t locked_;
  Vec3<double> axes_a_[3];
  Vec3<double> axes_b_[3];
  Quat<double> relative_;  ///< of frame b in frame a, w >= 0
  Vec3<double> arm_a_;
  Vec3<double> arm_b_;
  Vec3<double> apart_;  ///< from a's origin to b's
};

}  // namespace takt
