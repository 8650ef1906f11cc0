// PoseOf<N> is the relative pose of the two frames of a joint. Its functions return each coordinate of frame
// b in frame a (CoordinateOf) with its Jacobian with respect to the velocities of the two bodies
// (DirectionOf). N is double, or several doubles in SIMD lanes for tree batches. Axes are world axes, and
// velocities are those of the centres of mass. The rows of scalar joints, gears and batched trees are
// computed from a PoseOf; point joints have their own form (point_joint_rows.h). World's functions that read
// a joint get its PoseOf through joint_store.h.
//
// The locked rotations choose the angular coordinates ("before" and "after" in the cyclic order x, y, z):
//   none locked            twist about x and swing, from rotation = swing x twist
//   one (universal joint)  the rotation about the axis before it on a, and about the axis after it on b
//   two (hinge)            the rotation about the third axis
//   three                  no angular coordinate
#pragma once

#include <cstdint>

#include "physics/math/atan_table.h"
#include "physics/state/joint_records.h"
#include "takt/physics/joint.h"
#include "takt/physics/vector.h"

namespace takt {

// N is double, or Doubles<W> for batched trees (tree_row_kernels.h).

/// Jacobian of a coordinate q: dq/dt = linear . (v_b - v_a) + jacobian_b . w_b - jacobian_a . w_a.
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
  /// `frame_a` and `frame_b` are rotations of the joint frames in their bodies; `locked` has bits of
  /// lock_of(). `r_a` and `r_b` are lever arms from the centres of mass to the frames' origins, m, world
  /// axes. `delta_center` is from a's centre to b's, m. With JointParts::kPoints angles, swing and their
  /// directions are undefined.
  PoseOf(Quat<N> frame_a, Quat<N> frame_b, std::uint8_t locked, Quat<N> rotation_a, Quat<N> rotation_b,
         Vec3<N> r_a, Vec3<N> r_b, Vec3<N> delta_center, JointParts parts = JointParts::kAll);

  /// Error of a locked coordinate (0 to 5, as JointAxis); 0 when the constraint is met. Errors of rotations
  /// are sines or twice the sine of a half angle: rad for small errors.
  [[nodiscard]] CoordinateOf<N> error(unsigned coordinate) const noexcept;
  /// Value and Jacobian of a free coordinate. An angle that counts full turns has the turns with which it is
  /// nearest to the angle in `near`. kSwing needs three free rotations.
  [[nodiscard]] CoordinateOf<N> coordinate(JointAxis axis, const TurnsOf<N>& near) const noexcept;
  /// As coordinate(), when `revolutions` are those of this pose: their angles are not computed again.
  [[nodiscard]] CoordinateOf<N> coordinate_at(JointAxis axis, const TurnsOf<N>& revolutions) const noexcept;
  /// Jacobian of a free coordinate. A distance or swing of 0 has no direction; a's x axis or y axis stands in
  /// for it.
  [[nodiscard]] DirectionOf<N> direction_of(JointAxis axis) const noexcept;
  /// The angles that count full turns, nearest to `near`; 0 for an angle that the joint does not have.
  [[nodiscard]] TurnsOf<N> revolutions(const TurnsOf<N>& near) const noexcept;

  // Lever arms to the frames' origins, m, world axes:
  [[nodiscard]] Vec3<N> r_a() const noexcept { return r_a_; }
  [[nodiscard]] Vec3<N> r_b() const noexcept { return r_b_; }
  /// From the origin of frame a to that of frame b, m, world axes.
  [[nodiscard]] Vec3<N> apart() const noexcept { return apart_; }

 private:
  [[nodiscard]] DirectionOf<N> along(Vec3<N> direction) const noexcept;
  [[nodiscard]] static DirectionOf<N> about(Vec3<N> direction) noexcept { return {{}, direction, direction}; }
  [[nodiscard]] N angle(unsigned axis) const noexcept;
  [[nodiscard]] DirectionOf<N> angle_direction(unsigned axis) const noexcept;
  [[nodiscard]] N value_of(JointAxis axis, const TurnsOf<N>& near) const noexcept;

  std::uint8_t locked_;
  Vec3<N> axes_a_[3];
  Vec3<N> axes_b_[3];
  Quat<N> relative_;  ///< rotation of frame b in frame a, w >= 0
  Vec3<N> r_a_;
  Vec3<N> r_b_;
  Vec3<N> apart_;
};
using JointPose = PoseOf<double>;

extern template class PoseOf<double>;

}  // namespace takt
