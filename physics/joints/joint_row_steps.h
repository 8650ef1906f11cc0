// Functions that compute and solve joint rows (joint_row_types.h): poses, Jacobians, matrix blocks, drift
// correction, limits, reactions and tension. The functions are templates over the number type: one joint in
// binary64, or W joints in lanes of binary64 (double_lanes.h). Both forms run the same operations in the same
// order, so a lane has the bits of the scalar solver. The functions get rows, masses and velocities as
// arguments. The scalar solvers (joint_equality.cpp, joint_limits.cpp) and the kernels of tree batches choose
// the bodies and the order of rows. All functions are in an unnamed namespace, because the code is compiled
// once per instruction set (vector_lanes.h).
#pragma once

#include "physics/base/solver_constants.h"
#include "physics/constraints/constraint_row.h"
#include "physics/joints/geometric_stiffness_steps.h"
#include "physics/joints/joint_pose_steps.h"
#include "physics/joints/joint_row_types.h"
#include "physics/math/psd_projection.h"
#include "takt/core/assert.h"
#include "takt/physics/softness.h"

namespace takt {
namespace {  // NOLINT: internal linkage on purpose

// ---- vectors

/// Component-wise product: an impulse times an inverse mass per world axis.
template <class N>
[[nodiscard]] inline Vec3<N> along_axes(const Vec3<N>& a, const Vec3<N>& b) noexcept {
  return {a.x * b.x, a.y * b.y, a.z * b.z};
}
/// Product with a symmetric matrix (xx, yy, zz, xy, xz, yz).
template <class N>
[[nodiscard]] inline Vec3<N> multiply(const N (&m)[6], const Vec3<N>& v) noexcept {
  return {m[0] * v.x + m[3] * v.y + m[4] * v.z, m[3] * v.x + m[1] * v.y + m[5] * v.z,
          m[4] * v.x + m[5] * v.y + m[2] * v.z};
}
/// `value` clamped to [-max, max]; `max` is not below 0.
template <class N>
[[nodiscard]] inline N clamp_magnitude(const N& value, const N& max) noexcept {
  return select(value > max, max, select(value < -max, -max, value));
}
/// The larger of two numbers; `a` where they do not compare.
template <class N>
[[nodiscard]] inline N larger(const N& a, const N& b) noexcept {
  return select(a < b, b, a);
}
template <class Mask, class N>
[[nodiscard]] inline Vec3<N> select_vector(const Mask& mask, const Vec3<N>& a, const Vec3<N>& b) noexcept {
  return {select(mask, a.x, b.x), select(mask, a.y, b.y), select(mask, a.z, b.z)};
}

// ---- poses

/// The joint's pose from the bodies' poses. A static body (solver index 0) keeps the pose of the tick's
/// start.
template <class N>
[[nodiscard]] inline PoseOf<N> joint_pose(const JointFramesOf<N>& frames, std::uint8_t locked,
                                          JointParts parts, bool static_a, const BodyPoseOf<N>& a,
                                          bool static_b, const BodyPoseOf<N>& b) {
  Vec3<N> delta_center = frames.delta_center;
  Quat<N> rotation_a = frames.rotation_a;
  Quat<N> rotation_b = frames.rotation_b;
  if (!static_a) {
    rotation_a = a.rotation;
    delta_center -= a.delta_position;
  }
  if (!static_b) {
    rotation_b = b.rotation;
    delta_center += b.delta_position;
  }
  return PoseOf<N>(frames.frame_a, frames.frame_b, locked, rotation_a, rotation_b,
                   rotate(rotation_a, frames.local_a), rotate(rotation_b, frames.local_b), delta_center,
                   parts);
}

// ---- equality rows

/// Sets n, j_a and j_b of a row.
template <class N>
inline void set_jacobian(EqualityRowOf<N>& row, const DirectionOf<N>& direction) noexcept {
  row.linear = direction.linear;
  row.jacobian_a = direction.jacobian_a;
  row.jacobian_b = direction.jacobian_b;
}
/// Sets I^-1 j of both bodies, 0 for a body that does not move under impulses. The masses have inverse
/// inertias in world axes.
template <class N, class MassOf>
inline void multiply_inertias(EqualityRowOf<N>& row, bool moves_a, const MassOf& mass_a, bool moves_b,
                              const MassOf& mass_b) noexcept {
  row.inv_i_jacobian_a = moves_a ? multiply(mass_a.inverse_inertia, row.jacobian_a) : Vec3<N>{};
  row.inv_i_jacobian_b = moves_b ? multiply(mass_b.inverse_inertia, row.jacobian_b) : Vec3<N>{};
}
/// J v, m/s or rad/s, at these velocities of a and b.
template <class N>
[[nodiscard]] inline N row_velocity(const EqualityRowOf<N>& row, const VelocityOf<N>& a,
                                    const VelocityOf<N>& b) noexcept {
  return (dot(row.linear, b.linear) + dot(row.jacobian_b, b.angular)) -
         (dot(row.linear, a.linear) + dot(row.jacobian_a, a.angular));
}
/// v_a -= M_a^-1 j_a lambda and v_b += M_b^-1 j_b lambda.
template <class N>
inline void apply_to_a(VelocityOf<N>& velocity, const EqualityRowOf<N>& row, const Vec3<N>& inverse_mass,
                       const N& impulse) noexcept {
  velocity.linear -= along_axes(row.linear, inverse_mass) * impulse;
  velocity.angular -= row.inv_i_jacobian_a * impulse;
}
template <class N>
inline void apply_to_b(VelocityOf<N>& velocity, const EqualityRowOf<N>& row, const Vec3<N>& inverse_mass,
                       const N& impulse) noexcept {
  velocity.linear += along_axes(row.linear, inverse_mass) * impulse;
  velocity.angular += row.inv_i_jacobian_b * impulse;
}
/// Entry (effect, cause) of K = J M^-1 J^T of one joint; change_a and change_b are M^-1 n of the cause.
template <class N>
[[nodiscard]] inline N row_coupling(const EqualityRowOf<N>& effect, const EqualityRowOf<N>& cause,
                                    const Vec3<N>& change_a, const Vec3<N>& change_b) noexcept {
  return (dot(effect.linear, change_a) + dot(effect.jacobian_a, cause.inv_i_jacobian_a)) +
         (dot(effect.linear, change_b) + dot(effect.jacobian_b, cause.inv_i_jacobian_b));
}
/// K of the `count` rows of one joint, without compliance: count x count, row after row.
template <class N, class Row>
inline void fill_diagonal_block(const Row* rows, std::uint32_t count, const Vec3<N>& inverse_mass_a,
                                const Vec3<N>& inverse_mass_b, N* block) noexcept {
  for (std::uint32_t c = 0; c < count; ++c) {
    Vec3<N> const change_a = along_axes(rows[c].linear, inverse_mass_a);
    Vec3<N> const change_b = along_axes(rows[c].linear, inverse_mass_b);
    for (std::uint32_t r = c; r < count; ++r) {
      N const value = row_coupling<N>(rows[r], rows[c], change_a, change_b);
      block[r * count + c] = value;
      block[c * count + r] = value;
    }
  }
}
/// The part of a row on body a, or on body b.
template <class N>
[[nodiscard]] inline RowPartOf<N> row_part(const EqualityRowOf<N>& row, bool of_a) noexcept {
  return {row.linear, of_a ? row.jacobian_a : row.jacobian_b,
          of_a ? row.inv_i_jacobian_a : row.inv_i_jacobian_b};
}
/// K between two joints that share one body: rows of the later joint (effects) x rows of the earlier joint
/// (causes). `same_side`: the body is a of both joints, or b of both.
template <class N, class Causes, class Effects>
inline void fill_coupling_block(std::uint32_t cause_count, const Causes& cause_at, std::uint32_t effect_count,
                                const Effects& effect_at, const Vec3<N>& inverse_mass, bool same_side,
                                N* block) noexcept {
  for (std::uint32_t c = 0; c < cause_count; ++c) {
    RowPartOf<N> const cause = cause_at(c);
    Vec3<N> const change = along_axes(cause.linear, inverse_mass);
    for (std::uint32_t r = 0; r < effect_count; ++r) {
      RowPartOf<N> const effect = effect_at(r);
      N const value = dot(effect.linear, change) + dot(effect.jacobian, cause.inv_i_jacobian);
      block[r * cause_count + c] = same_side ? value : -value;
    }
  }
}

// ---- drift

/// Row velocity to subtract, so that one substep corrects `fraction` of the error; its size is at most
/// kJointPushMax.
template <class N>
[[nodiscard]] inline N drift_velocity(const N& error, double fraction, double substep_s) noexcept {
  return clamp_magnitude(N(fraction) * error / N(substep_s), N(kJointPushMax));
}
/// Ratio of a body's velocity change to the maximum change by drift correction: the larger of the linear and
/// the angular one.
template <class N>
[[nodiscard]] inline N drift_excess(const VelocityOf<N>& change) noexcept {
  return larger(square_root(dot(change.linear, change.linear)) / N(kJointSpeedUpMaxMS),
                square_root(dot(change.angular, change.angular)) / N(kJointAngularSpeedupMaxRadS));
}

// ---- warm start

/// Factor in [0, 1] of the impulses lambda that a warm start applies to rigid rows. Factor s changes the
/// kinetic energy by s work + s^2 self / 2, with work = lambda . J v and self = lambda . J M^-1 J^T lambda;
/// `self` includes lambda . gamma lambda. v has all other impulses of the warm start. The factor is 1 where
/// all of lambda raises no energy, else it is that of the lowest energy. Numbers that are not finite give 0.
template <class N>
[[nodiscard]] inline N warm_start_factor(const N& work, const N& self) noexcept {
  N const zero = N(0.0);
  N const lowest = select(self > zero, larger(zero, -work / self), zero);
  return select(work + N(0.5) * self <= zero, N(1.0), lowest);
}

// ---- limit rows

/// compute_limit() stores the Jacobian of a limit row, not yet projected; compute_gaps() stores the gaps of a
/// limit from its coordinate.
template <class N, std::uint32_t MaxRows>
inline void compute_limit(LimitRowOf<N, MaxRows>& row, const DirectionOf<N>& direction) noexcept {
  row.linear = direction.linear;
  row.angular_a = direction.jacobian_a;
  row.angular_b = direction.jacobian_b;
}
template <class N, std::uint32_t MaxRows>
inline void compute_gaps(LimitRowOf<N, MaxRows>& row, const LimitInputOf<N>& input, const N& value) noexcept {
  row.lower_gap_or_max = value - input.lower;
  row.upper_gap_or_speed = input.upper - value;
}

/// Projects a limit row: J' = J - p^T E with p = (E M^-1 E^T)^-1 E M^-1 J^T, and K' = J' M^-1 J'^T. A row
/// with less than kMinFreedom of its mobility left becomes inactive (K' = 0). `solve` multiplies `count`
/// values by (E M^-1 E^T)^-1 in place. `rows` are the joint's `count` equality rows. The row must come from
/// compute_limit(); each call negates angular_a.
template <class N, std::uint32_t MaxRows, class MassOf, class Row, class Solve>
inline void project_limit(LimitRowOf<N, MaxRows>& row, bool moves_a, const MassOf& mass_a, bool moves_b,
                          const MassOf& mass_b, const Row* rows, std::uint32_t count,
                          const Solve& solve) noexcept {
  TAKT_VALIDATE(count <= MaxRows);
  Vec3<N> change_a;  // M^-1 J^T, the linear part
  Vec3<N> change_b;
  row.angular_a = -row.angular_a;
  auto const mobility = [&] {
    change_a = moves_a ? along_axes(-row.linear, mass_a.inverse_mass) : Vec3<N>{};
    change_b = moves_b ? along_axes(row.linear, mass_b.inverse_mass) : Vec3<N>{};
    row.inv_i_angular_a = moves_a ? multiply(mass_a.inverse_inertia, row.angular_a) : Vec3<N>{};
    row.inv_i_angular_b = moves_b ? multiply(mass_b.inverse_inertia, row.angular_b) : Vec3<N>{};
    N sum = N(0.0);
    sum += moves_a ? dot(-row.linear, change_a) + dot(row.angular_a, row.inv_i_angular_a) : N(0.0);
    sum += moves_b ? dot(row.linear, change_b) + dot(row.angular_b, row.inv_i_angular_b) : N(0.0);
    return sum;
  };
  N const whole = mobility();
  for (std::uint32_t i = 0; i < count; ++i) {
    const EqualityRowOf<N>& equality = rows[i];
    N const by_a =
        moves_a ? dot(equality.linear, change_a) + dot(equality.jacobian_a, row.inv_i_angular_a) : N(0.0);
    N const by_b =
        moves_b ? dot(equality.linear, change_b) + dot(equality.jacobian_b, row.inv_i_angular_b) : N(0.0);
    row.projection[i] = by_b - by_a;
  }
  solve(row.projection, count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const EqualityRowOf<N>& equality = rows[i];
    row.linear -= equality.linear * row.projection[i];
    row.angular_a += equality.jacobian_a * row.projection[i];
    row.angular_b -= equality.jacobian_b * row.projection[i];
  }
  N const left = mobility();
  row.mobility = select(left > N(kMinFreedom) * whole, left, N(0.0));
}
/// J' v.
template <class N, std::uint32_t MaxRows>
[[nodiscard]] inline N limit_velocity(const LimitRowOf<N, MaxRows>& row, const VelocityOf<N>& a,
                                      const VelocityOf<N>& b) noexcept {
  N velocity = N(0.0);
  velocity += dot(-row.linear, a.linear) + dot(row.angular_a, a.angular);
  velocity += dot(row.linear, b.linear) + dot(row.angular_b, b.angular);
  return velocity;
}
/// Velocity changes by an impulse of a limit row on body a and on body b.
template <class N, std::uint32_t MaxRows>
[[nodiscard]] inline VelocityOf<N> limit_change_a(const LimitRowOf<N, MaxRows>& row,
                                                  const Vec3<N>& inverse_mass, const N& impulse) noexcept {
  return {along_axes(-row.linear, inverse_mass) * impulse, row.inv_i_angular_a * impulse};
}
template <class N, std::uint32_t MaxRows>
[[nodiscard]] inline VelocityOf<N> limit_change_b(const LimitRowOf<N, MaxRows>& row,
                                                  const Vec3<N>& inverse_mass, const N& impulse) noexcept {
  return {along_axes(row.linear, inverse_mass) * impulse, row.inv_i_angular_b * impulse};
}

/// The softness of limits in a pass.
struct LimitSoftness {
  double substep_s = 0.0;
  /// Contact-like softness of rigid limits in the biased pass; null: rigid.
  const Softness* softness = nullptr;
};
/// Sets bias rate and compliance of a rigid limit that is reached, in lanes with a mobility above 0.
/// soft.softness is not null.
inline void limit_soft_row(const LimitSoftness& soft, double mobility, double& bias_rate, double& gamma) {
  if (!(mobility > 0.0)) return;
  SoftRow const row = soft.softness->row(soft.substep_s, mobility);
  bias_rate = row.bias_rate;
  gamma = row.gamma;
}
template <class N>
inline void limit_soft_row(const LimitSoftness& soft, const N& mobility, N& bias_rate, N& gamma) {
  for (std::uint32_t lane = 0; lane < N::kWidth; ++lane) {
    double lane_rate = 0.0;
    double lane_gamma = 0.0;
    limit_soft_row(soft, mobility[lane], lane_rate, lane_gamma);
    bias_rate.set(lane, lane_rate);
    gamma.set(lane, lane_gamma);
  }
}
/// Returns the new accumulated impulse of a rigid limit. `free_velocity` is J' v without the row's own
/// impulse. A lane with mobility 0 has no meaning. Before the bound is reached the row allows the velocity
/// gap / substep_s; past it the row pushes back by its softness.
template <class N>
[[nodiscard]] inline N rigid_limit_impulse(const N& lower_gap, const N& upper_gap, const N& mobility,
                                           const N& free_velocity, const LimitSoftness& soft) noexcept {
  N const none = N(0.0);
  N const rate = N(1.0 / soft.substep_s);
  auto const lower_reached = lower_gap <= none;
  auto const upper_reached = upper_gap <= none;
  N bias_rate = none;
  N gamma = none;
  if (soft.softness != nullptr && any(lower_reached | upper_reached))
    limit_soft_row(soft, mobility, bias_rate, gamma);
  auto const target = [&](const N& gap, const auto& reached) {
    return select(reached, clamp_magnitude(bias_rate * -gap, N(kJointPushMax)), -gap * rate);
  };
  N const lower_change = target(lower_gap, lower_reached) - N(1.0) * free_velocity;
  N const upper_change = target(upper_gap, upper_reached) - N(-1.0) * free_velocity;
  if (!any((lower_change > none) | (upper_change > none))) return none;
  N const compliance = mobility + gamma;
  N const lower =
      select(lower_gap < N(kUnbounded), lower_change / select(lower_reached, compliance, mobility), none);
  N const upper =
      select(upper_gap < N(kUnbounded), upper_change / select(upper_reached, compliance, mobility), none);
  return select(lower > none, lower, select(upper > none, -upper, none));
}

// ---- reactions

/// Force and torque of a joint on body b, as impulses; the torque is about the centre of mass.
template <class N, class Row, class Limit>
[[nodiscard]] inline VelocityOf<N> joint_impulse(const Row* rows, std::uint32_t row_count,
                                                 const Limit* limits, std::uint32_t limit_count) noexcept {
  VelocityOf<N> sum;
  for (std::uint32_t i = 0; i < row_count; ++i) {
    N impulse = rows[i].impulse;
    for (std::uint32_t k = 0; k < limit_count; ++k) impulse += limits[k].projection[i] * limits[k].impulse;
    sum.linear += rows[i].linear * impulse;
    sum.angular += rows[i].jacobian_b * impulse;
  }
  for (std::uint32_t k = 0; k < limit_count; ++k) {
    sum.linear += limits[k].linear * limits[k].impulse;
    sum.angular += limits[k].angular_b * limits[k].impulse;
  }
  return sum;
}

// ---- geometric stiffness (geometric_stiffness.h)

/// Angular velocity of the line from a body's centre to the point that pulls it: the other body's centre, or
/// the anchor itself when the other body does not move under impulses.
template <class N>
[[nodiscard]] inline Vec3<N> line_angular_velocity(const JointEndOf<N>& end, const VelocityOf<N>& velocity,
                                                   const JointEndOf<N>& other,
                                                   const VelocityOf<N>& other_velocity) noexcept {
  Vec3<N> line = end.lever_arm;
  Vec3<N> rate = other_velocity.linear - velocity.linear;
  if (other.moves) {
    line -= other.lever_arm;
  } else {
    rate += cross(other_velocity.angular, other.lever_arm);
  }
  N const zero = N(0.0);
  N const square = dot(line, line);
  N const lever_square = dot(end.lever_arm, end.lever_arm);
  Vec3<N> const angular = cross(line, rate) * (N(1.0) / larger(square, lever_square));
  return select_vector(square > zero, angular, {zero, zero, zero});
}
/// Adds the tension of an impulse on the body of `end`. velocity_of(body) returns the VelocityOf<N> of a body
/// as JointEndOf numbers it.
template <class N, class Velocities>
inline void add_tension(TensionOf<N>& tension, const JointEndOf<N>& end, const JointEndOf<N>& other,
                        const Vec3<N>& impulse, const Velocities& velocity_of) noexcept {
  add_stiffness(tension.stiffness, end.lever_arm, impulse);
  N const weight = dot(end.lever_arm, impulse);
  auto const is_taut = weight > N(0.0);
  if (!any(is_taut)) return;
  Vec3<N> const rate =
      line_angular_velocity(end, velocity_of(end.body), other, velocity_of(other.body)) * weight;
  tension.turning = select_vector(is_taut, tension.turning + rate, tension.turning);
  tension.weight = select(is_taut, tension.weight + weight, tension.weight);
}

}  // namespace
}  // namespace takt
