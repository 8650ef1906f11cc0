// Where the two frames of a joint stand to each other, and how each coordinate changes with the velocities of
// the two bodies. All in binary64, in world axes, about the two centres of mass.
//
// Angular coordinates depend on what is locked: with none, the twist and the swing of rotation = swing x
// twist; with one (a universal joint), the turns about the axis before it on a and the axis after it on b;
// with two (a hinge), the turn about the third; with three there is none.
#pragma once

#include <cstdint>

#include "physics/math/atan_table.h"
#include "physics/state/joint_records.h"
#include "takt/physics/joint.h"
#include "takt/physics/vector.h"

namespace takt {

// N is a double, or several side by side: joints of equal trees (tree_row_kernels.h).

/// What a coordinate's rate asks of the bodies: rate = linear . (v_b - v_a) + jacobian_b . w_b - jacobian_a .
/// w_a.
template <class N>
struct DirectionOf {
  Vec3<N> linear;
  Vec3<N> jacobian_a;
  Vec3<N> jacobian_b;
};
using JointDirection = DirectionOf<double>;

template <class N>
struct CoordinateOf {
  N value{};  ///< m or rad
  DirectionOf<N> direction;
};
using JointCoordinate = CoordinateOf<double>;

template <class N>
class PoseOf {
 public:
  /// Rotations of the frames in their bodies and of the bodies, arms to the frames' origins about the centres
  /// of mass (world axes), and from a's centre to b's.
  PoseOf(Quat<N> frame_a, Quat<N> frame_b, std::uint8_t locked, Quat<N> rotation_a, Quat<N> rotation_b,
         Vec3<N> r_a, Vec3<N> r_b, Vec3<N> delta_center, JointParts parts = JointParts::kAll);

  /// The error of a locked coordinate, 0 when it holds.
  [[nodiscard]] CoordinateOf<N> error(unsigned coordinate) const noexcept;
  /// A coordinate that is not locked. `near`: of those angles that differ by full turns, the nearest to it,
  /// for those that count turns.
  [[nodiscard]] CoordinateOf<N> coordinate(JointAxis axis, const TurnsOf<N>& near) const noexcept;
  /// The same when `turns` are those of this pose: no angle that counts turns is found twice.
  [[nodiscard]] CoordinateOf<N> coordinate_at(JointAxis axis, const TurnsOf<N>& revolutions) const noexcept;
  /// How a coordinate that is not locked changes: coordinate()'s direction, without its value.
  [[nodiscard]] DirectionOf<N> direction_of(JointAxis axis) const noexcept;
  /// The angles that count turns, nearest to `near`; 0 where there is none.
  [[nodiscard]] TurnsOf<N> revolutions(const TurnsOf<N>& near) const noexcept;

  [[nodiscard]] Vec3<N> r_a() const noexcept { return r_a_; }
  [[nodiscard]] Vec3<N> r_b() const noexcept { return r_b_; }
  [[nodiscard]] Vec3<N> apart() const noexcept { return apart_; }  ///< from a's origin to b's

 private:
  [[nodiscard]] DirectionOf<N> along(Vec3<N> direction) const noexcept;
  [[nodiscard]] static DirectionOf<N> about(Vec3<N> direction) noexcept { return {{}, direction, direction}; }
  [[nodiscard]] N angle(unsigned axis) const noexcept;
  [[nodiscard]] DirectionOf<N> angle_direction(unsigned axis) const noexcept;
  [[nodiscard]] N value_of(JointAxis axis, const TurnsOf<N>& near) const noexcept;

  std::uint8_t locked_;
  Vec3<N> axes_a_[3];
  Vec3<N> axes_b_[3];
  Quat<N> relative_;  ///< of frame b in frame a, w >= 0
  Vec3<N> r_a_;
  Vec3<N> r_b_;
  Vec3<N> apart_;  ///< from a's origin to b's
};
using JointPose = PoseOf<double>;

extern template class PoseOf<double>;

}  // namespace takt
