// Definitions of the member functions of PoseOf (joint_pose.h), as templates for one joint in binary64 and
// for W joints in lanes of binary64 (double_lanes.h). Both forms run the same operations in the same order,
// so a lane has the bits of the scalar code. joint_pose.cpp instantiates the scalar form; the SIMD kernels
// include this header through joint_row_steps.h. The helper functions are in an unnamed namespace, because
// the code is compiled once per instruction set (vector_lanes.h).
#pragma once

#include "physics/joints/joint_pose.h"
#include "physics/math/psd_projection.h"
#include "physics/state/rotation_locks.h"
#include "takt/core/assert.h"

namespace takt {
namespace {  // NOLINT: internal linkage on purpose

inline constexpr double kTwoPi = 6.28318530717958647692;
/// Minimum length of a vector whose direction is used; a shorter vector is rounding noise.
inline constexpr double kMinLength = 1e-9;

/// Rounds to the nearest integer, halves away from zero, without a library call. |value| must be below 2^63;
/// angles are within 1e12 rad (joint_check.cpp). Lanes have a version of their own (double_lanes.h).
inline double whole_of(double value) noexcept {
  return static_cast<double>(static_cast<std::int64_t>(value + (value < 0.0 ? -0.5 : 0.5)));
}

/// Component `axis` (0 to 2) of the vector part.
template <class N>
N part(const Quat<N>& q, unsigned axis) noexcept {
  return axis == 0 ? q.x : axis == 1 ? q.y : q.z;
}
template <class N>
N part(const Vec3<N>& v, unsigned axis) noexcept {
  return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

/// a / |a|, or `fallback` where |a| is not above kMinLength.
template <class N>
Vec3<N> direction_or(const Vec3<N>& a, const Vec3<N>& fallback) noexcept {
  N const size = square_root(dot(a, a));
  auto const has_one = size > N(kMinLength);
  return {select(has_one, a.x / size, fallback.x), select(has_one, a.y / size, fallback.y),
          select(has_one, a.z / size, fallback.z)};
}

/// Swing of `q` from an axis: 2 x the vector part of the rotation without its twist about the axis.
template <class N>
Vec3<N> tilt(const Quat<N>& q, unsigned axis) noexcept {
  N const zero = N(0.0);
  N const p = part(q, axis);
  N const size = square_root(p * p + q.w * q.w);
  auto const has_one = size > N(kMinLength);  // otherwise the swing is half a turn and the twist is undefined
  N const s = select(has_one, -p / size, zero);
  Quat<N> const back{axis == 0 ? s : zero, axis == 1 ? s : zero, axis == 2 ? s : zero,
                     select(has_one, q.w / size, N(1.0))};
  Quat<N> const swing = q * back;
  return {N(2.0) * swing.x, N(2.0) * swing.y, N(2.0) * swing.z};
}

}  // namespace

template <class N>
PoseOf<N>::PoseOf(Quat<N> frame_a, Quat<N> frame_b, std::uint8_t locked, Quat<N> rotation_a,
                  Quat<N> rotation_b, Vec3<N> r_a, Vec3<N> r_b, Vec3<N> delta_center, JointParts parts)
    : locked_(locked), r_a_(r_a), r_b_(r_b), apart_(delta_center + r_b - r_a) {
  Quat<N> const a = rotation_a * frame_a;
  Mat3<N> const ma = to_matrix(a);
  axes_a_[0] = ma.x;
  axes_a_[1] = ma.y;
  axes_a_[2] = ma.z;
  if (parts == JointParts::kPoints) return;
  Quat<N> const b = rotation_b * frame_b;
  Mat3<N> const mb = to_matrix(b);
  axes_b_[0] = mb.x;
  axes_b_[1] = mb.y;
  axes_b_[2] = mb.z;
  Quat<N> const c = conjugate(a) * b;
  auto const rotated = c.w < N(0.0);
  relative_ = {select(rotated, -c.x, c.x), select(rotated, -c.y, c.y), select(rotated, -c.z, c.z),
               select(rotated, -c.w, c.w)};
}

template <class N>
DirectionOf<N> PoseOf<N>::along(Vec3<N> direction) const noexcept {
  // Impulses act on both bodies along one line through b's origin: angular momentum is conserved exactly.
  return {direction, cross(r_a_ + apart_, direction), cross(r_b_, direction)};
}

template <class N>
CoordinateOf<N> PoseOf<N>::error(unsigned coordinate) const noexcept {
  TAKT_VALIDATE(coordinate < 6 && (locked_ >> coordinate & 1u) != 0);
  if (coordinate < 3) return {dot(apart_, axes_a_[coordinate]), along(axes_a_[coordinate])};
  unsigned const axis = coordinate - 3;
  unsigned const revolutions = locked_rotations(locked_);
  if (revolutions == 7) return {N(2.0) * part(relative_, axis), about(axes_a_[axis])};
  if (count_of(revolutions) == 2)
    return {part(tilt(relative_, only(revolutions ^ 7u)), axis), about(axes_a_[axis])};
  // One locked: the axis before it on a and the axis after it on b stay perpendicular. Their product is the
  // sine of the deviation.
  Vec3<N> const first = axes_a_[previous(axis)];
  Vec3<N> const last = axes_b_[next(axis)];
  return {dot(first, last), about(direction_or(cross(last, first), axes_a_[axis]))};
}

template <class N>
TurnsOf<N> PoseOf<N>::revolutions(const TurnsOf<N>& near) const noexcept {
  JointAxis const last = last_rotation_axis(locked_);
  JointAxis const first = first_rotation_axis(locked_);
  return {last != JointAxis::kDistance ? value_of(last, near) : N(0.0),
          first != JointAxis::kDistance ? value_of(first, near) : N(0.0)};
}

template <class N>
DirectionOf<N> PoseOf<N>::angle_direction(unsigned axis) const noexcept {
  unsigned const revolutions = locked_rotations(locked_);
  if (revolutions == 0 && axis == 0) {
    // The twist's rate is along the sum of both x axes, divided by its square. Beyond 120 degrees of swing
    // the Jacobian would grow without bound, so the divisor stays at 1.
    Vec3<N> const sum = axes_a_[0] + axes_b_[0];
    N const square = dot(sum, sum);
    return about(sum * (N(2.0) / select(square < N(1.0), N(1.0), square)));
  }
  bool const on_b = count_of(revolutions) == 1 && axis == next(only(revolutions));
  return about(on_b ? axes_b_[axis] : axes_a_[axis]);
}

template <class N>
N PoseOf<N>::angle(unsigned axis) const noexcept {
  unsigned const revolutions = locked_rotations(locked_);
  if (count_of(revolutions) == 2) return N(2.0) * angle_of(part(relative_, axis), relative_.w);
  if (revolutions != 0) {
    unsigned const lock = only(revolutions);
    unsigned const before = previous(lock);
    unsigned const after = next(lock);
    if (axis == before)
      return angle_of(-dot(axes_b_[after], axes_a_[lock]), dot(axes_b_[after], axes_a_[after]));
    return angle_of(-dot(axes_a_[before], axes_b_[lock]), dot(axes_a_[before], axes_b_[before]));
  }
  if (axis == 0) return N(2.0) * angle_of(relative_.x, relative_.w);
  Vec3<N> const lean = tilt(relative_, 0);
  N const sine = square_root(lean.y * lean.y + lean.z * lean.z) * N(0.5);
  N const cosine = square_root(relative_.x * relative_.x + relative_.w * relative_.w);
  N const scale = select(sine > N(kMinLength), angle_of(sine, cosine) / sine, N(1.0));
  return part(lean, axis) * scale;
}

template <class N>
CoordinateOf<N> PoseOf<N>::coordinate_at(JointAxis axis, const TurnsOf<N>& revolutions) const noexcept {
  auto const index = static_cast<unsigned>(axis);
  if (index < 3 || axis == JointAxis::kDistance || axis == JointAxis::kSwing)
    return coordinate(axis, revolutions);
  if (axis == last_rotation_axis(locked_)) return {revolutions.last, angle_direction(index - 3)};
  if (axis == first_rotation_axis(locked_)) return {revolutions.first, angle_direction(index - 3)};
  return coordinate(axis, revolutions);
}

template <class N>
DirectionOf<N> PoseOf<N>::direction_of(JointAxis axis) const noexcept {
  auto const index = static_cast<unsigned>(axis);
  if (index < 3) return along(axes_a_[index]);
  if (axis == JointAxis::kDistance) return along(direction_or(apart_, axes_a_[0]));
  if (axis == JointAxis::kSwing) return about(direction_or(cross(axes_a_[0], axes_b_[0]), axes_a_[1]));
  return angle_direction(index - 3);
}

template <class N>
CoordinateOf<N> PoseOf<N>::coordinate(JointAxis axis, const TurnsOf<N>& near) const noexcept {
  return {value_of(axis, near), direction_of(axis)};
}

template <class N>
N PoseOf<N>::value_of(JointAxis axis, const TurnsOf<N>& near) const noexcept {
  auto const index = static_cast<unsigned>(axis);
  if (index < 3) return dot(apart_, axes_a_[index]);
  if (axis == JointAxis::kDistance) return square_root(dot(apart_, apart_));
  if (axis == JointAxis::kSwing) {
    N const sine = square_root(relative_.y * relative_.y + relative_.z * relative_.z);
    N const cosine = square_root(relative_.x * relative_.x + relative_.w * relative_.w);
    return N(2.0) * angle_of(sine, cosine);
  }
  N const found = angle(index - 3);
  bool const last = axis == last_rotation_axis(locked_);
  if (!last && axis != first_rotation_axis(locked_)) return found;
  return found + whole_of(((last ? near.last : near.first) - found) / N(kTwoPi)) * N(kTwoPi);
}

}  // namespace takt
