#include "physics/joint_pose.h"

#include "takt/physics/trigonometry.h"

namespace takt {
namespace {

constexpr double kTwoPi = 6.28318530717958647692;
/// Below this a direction is taken from the axes instead: its own digits are gone.
constexpr double kLeastLength = 1e-9;

/// Binary64 in, 1.2e-10 rad; arguments are parts of unit vectors and quaternions.
double angle_of(double y, double x) noexcept { return to_double(atan2(to_real<Fixed>(y), to_real<Fixed>(x))); }

unsigned locked_turns(std::uint8_t locked) noexcept { return (locked >> 3u) & 7u; }
unsigned next(unsigned axis) noexcept { return axis == 2 ? 0 : axis + 1; }
unsigned previous(unsigned axis) noexcept { return axis == 0 ? 2 : axis - 1; }
/// Bits of three that are set: no library call, as std::popcount is on the baseline CPU.
unsigned count_of(unsigned bits) noexcept { return (bits & 1u) + (bits >> 1u & 1u) + (bits >> 2u); }
/// The one axis of three whose bit is set.
unsigned only(unsigned bits) noexcept { return bits == 1 ? 0 : bits == 2 ? 1 : 2; }

double part(const Quat<double>& q, unsigned axis) noexcept { return axis == 0 ? q.x : axis == 1 ? q.y : q.z; }

/// How `q` turns the axis away: 2 x the vector part of the rotation that is left when the turn about the axis is taken out.
Vec3<double> tilt(const Quat<double>& q, unsigned axis) noexcept {
  double const p = part(q, axis);
  double const size = sqrt(p * p + q.w * q.w);
  Quat<double> back{0.0, 0.0, 0.0, 1.0};  // half a turn away: any twist will do
  if (size > kLeastLength) {
    double const s = -p / size;
    back = {axis == 0 ? s : 0.0, axis == 1 ? s : 0.0, axis == 2 ? s : 0.0, q.w / size};
  }
  Quat<double> const swing = q * back;
  return {2.0 * swing.x, 2.0 * swing.y, 2.0 * swing.z};
}

}  // namespace

JointPose::JointPose(Quat<double> frame_a, Quat<double> frame_b, std::uint8_t locked, Quat<double> rotation_a, Quat<double> rotation_b,
                     Vec3<double> arm_a, Vec3<double> arm_b, Vec3<double> between, JointParts parts)
    : locked_(locked), arm_a_(arm_a), arm_b_(arm_b), apart_(between + arm_b - arm_a) {
  Quat<double> const a = rotation_a * frame_a;
  Mat3<double> const ma = to_matrix(a);
  axes_a_[0] = ma.x;
  axes_a_[1] = ma.y;
  axes_a_[2] = ma.z;
  if (parts == JointParts::kPoints) return;
  Quat<double> const b = rotation_b * frame_b;
  Mat3<double> const mb = to_matrix(b);
  axes_b_[0] = mb.x;
  axes_b_[1] = mb.y;
  axes_b_[2] = mb.z;
  relative_ = conjugate(a) * b;
  if (relative_.w < 0.0) relative_ = {-relative_.x, -relative_.y, -relative_.z, -relative_.w};
}

JointDirection JointPose::along(Vec3<double> direction) const noexcept {
  // Both bodies are pushed along one line, through b's origin: momentum and its moment are kept exactly.
  return {direction, cross(arm_a_ + apart_, direction), cross(arm_b_, direction)};
}

JointCoordinate JointPose::error(unsigned coordinate) const noexcept {
  if (coordinate < 3) return {dot(apart_, axes_a_[coordinate]), along(axes_a_[coordinate])};
  unsigned const axis = coordinate - 3;
  unsigned const turns = locked_turns(locked_);
  if (turns == 7) return {2.0 * part(relative_, axis), about(axes_a_[axis])};
  if (count_of(turns) == 2) {
    Vec3<double> const lean = tilt(relative_, only(turns ^ 7u));
    return {axis == 0 ? lean.x : axis == 1 ? lean.y : lean.z, about(axes_a_[axis])};
  }
  // One: the axis before it on a and the axis after it on b stay square. Angle from square = asin of their product.
  Vec3<double> const first = axes_a_[previous(axis)];
  Vec3<double> const last = axes_b_[next(axis)];
  Vec3<double> const square = cross(last, first);
  return {dot(first, last), about(normalise_or(square, axes_a_[axis], kLeastLength))};
}

JointAxis JointPose::last_turning_axis(std::uint8_t locked) noexcept {
  unsigned const turns = locked_turns(locked);
  if (count_of(turns) == 2) return static_cast<JointAxis>(3 + only(turns ^ 7u));
  if (count_of(turns) == 1) return static_cast<JointAxis>(3 + next(only(turns)));
  return JointAxis::kDistance;
}

JointAxis JointPose::first_turning_axis(std::uint8_t locked) noexcept {
  unsigned const turns = locked_turns(locked);
  return count_of(turns) == 1 ? static_cast<JointAxis>(3 + previous(only(turns))) : JointAxis::kDistance;
}

JointTurns JointPose::turns(const JointTurns& near) const noexcept {
  JointAxis const last = last_turning_axis(locked_);
  JointAxis const first = first_turning_axis(locked_);
  return {last != JointAxis::kDistance ? value_of(last, near) : 0.0, first != JointAxis::kDistance ? value_of(first, near) : 0.0};
}

JointDirection JointPose::angle_direction(unsigned axis) const noexcept {
  unsigned const turns = locked_turns(locked_);
  if (turns == 0 && axis == 0) {
    // The rate of the twist is along the sum of both x axes. Beyond 120 degrees of swing it would grow without bound: no row may ask for that, so it fades out.
    Vec3<double> const sum = axes_a_[0] + axes_b_[0];
    return about(sum * (2.0 / maximum(dot(sum, sum), 1.0)));
  }
  bool const on_b = count_of(turns) == 1 && axis == next(only(turns));
  return about(on_b ? axes_b_[axis] : axes_a_[axis]);
}

double JointPose::angle(unsigned axis) const noexcept {
  unsigned const turns = locked_turns(locked_);
  if (count_of(turns) == 2) return 2.0 * angle_of(part(relative_, axis), relative_.w);
  if (turns != 0) {
    unsigned const lock = only(turns);
    unsigned const before = previous(lock);
    unsigned const after = next(lock);
    if (axis == before) return angle_of(-dot(axes_b_[after], axes_a_[lock]), dot(axes_b_[after], axes_a_[after]));
    return angle_of(-dot(axes_a_[before], axes_b_[lock]), dot(axes_a_[before], axes_b_[before]));
  }
  if (axis == 0) return 2.0 * angle_of(relative_.x, relative_.w);
  Vec3<double> const lean = tilt(relative_, 0);
  double const sine = sqrt(lean.y * lean.y + lean.z * lean.z) * 0.5;
  double const cosine = sqrt(relative_.x * relative_.x + relative_.w * relative_.w);
  double const scale = sine > kLeastLength ? angle_of(sine, cosine) / sine : 1.0;
  return (axis == 1 ? lean.y : lean.z) * scale;
}

JointCoordinate JointPose::coordinate_at(JointAxis axis, const JointTurns& turns) const noexcept {
  auto const index = static_cast<unsigned>(axis);
  if (index < 3 || axis == JointAxis::kDistance || axis == JointAxis::kSwing) return coordinate(axis, turns);
  if (axis == last_turning_axis(locked_)) return {turns.last, angle_direction(index - 3)};
  if (axis == first_turning_axis(locked_)) return {turns.first, angle_direction(index - 3)};
  return coordinate(axis, turns);
}

JointDirection JointPose::direction_of(JointAxis axis) const noexcept {
  auto const index = static_cast<unsigned>(axis);
  if (index < 3) return along(axes_a_[index]);
  if (axis == JointAxis::kDistance) return along(normalise_or(apart_, axes_a_[0], kLeastLength));
  if (axis == JointAxis::kSwing) return about(normalise_or(cross(axes_a_[0], axes_b_[0]), axes_a_[1], kLeastLength));
  return angle_direction(index - 3);
}

JointCoordinate JointPose::coordinate(JointAxis axis, const JointTurns& near) const noexcept { return {value_of(axis, near), direction_of(axis)}; }

double JointPose::value_of(JointAxis axis, const JointTurns& near) const noexcept {
  auto const index = static_cast<unsigned>(axis);
  if (index < 3) return dot(apart_, axes_a_[index]);
  if (axis == JointAxis::kDistance) return length(apart_);
  if (axis == JointAxis::kSwing) {
    double const sine = sqrt(relative_.y * relative_.y + relative_.z * relative_.z);
    double const cosine = sqrt(relative_.x * relative_.x + relative_.w * relative_.w);
    return 2.0 * angle_of(sine, cosine);
  }
  double const found = angle(index - 3);
  bool const last = axis == last_turning_axis(locked_);
  if (!last && axis != first_turning_axis(locked_)) return found;
  double const turns = ((last ? near.last : near.first) - found) / kTwoPi;
  // To the nearest whole number, without a library call. The angles that turns are counted from are within 1e12 rad (joint_check.cpp).
  double const whole = static_cast<double>(static_cast<std::int64_t>(turns + (turns < 0.0 ? -0.5 : 0.5)));
  return found + whole * kTwoPi;
}

}  // namespace takt
