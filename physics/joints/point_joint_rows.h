// PreparedPointJoint is the scalar point joint (ball and socket): a rigid joint that pins an anchor of a to
// an anchor of b. Its three rows are along the world axes, so two lever arms describe all of them.
// JointEquality solves the point joint, singly or in a tree, as part of an EqualityJoint. The functions
// compute its lever arms, matrix blocks and residuals. Point joints of groups with many loops are in
// point_joint_batches.h instead.
//
//   constraint   C = x_b + r_b - (x_a + r_a') = 0
//   velocity     J v = (v_b + w_b x r_b) - (v_a + w_a x r_a)
//   Jacobian     J = [-1, [r_a]x, 1, -[r_b]x]
//   K            m_a^-1 + m_b^-1 - [r_a]x I_a^-1 [r_a]x - [r_b]x I_b^-1 [r_b]x + gamma  (J M^-1 J^T + gamma)
//
//   x     centre of mass, m       r_a'  a's centre to a's anchor     r_a = r_a' + C: a's centre to b's anchor
//   v, w  velocities              r_b   b's centre to b's anchor     [r]x: the matrix of the cross product
//   gamma compliance, 1/kg: not 0 only in groups with loops, in the biased pass
// Impulses act on both bodies at b's anchor, which conserves momentum and angular momentum exactly.
#pragma once

#include "physics/joints/joint_bodies.h"
#include "physics/joints/joint_row_steps.h"
#include "physics/joints/joint_rows.h"

namespace takt {

struct PreparedPointJoint {
  Vec3<double> local_a;  ///< anchor from the centre of mass, m: body frame; static body (index 0): world axes
  Vec3<double> local_b;
  Vec3<double> delta_center;  ///< centre of b - centre of a at the tick's start, m
  Vec3<double> r_a;           ///< m, world, in this substep
  Vec3<double> r_b;
  Vec3<double> error;    ///< C: from a's anchor to b's anchor, m
  Vec3<double> gamma;    ///< compliance of the rows, 1/kg
  Vec3<double> impulse;  ///< lambda, on b, N s
};

/// Makes the point joint with the impulse of the last tick. joint.is_point must be true (asserted). Lever
/// arms and error are undefined until update_point_joint().
[[nodiscard]] PreparedPointJoint make_point_joint(const PreparedJoint& joint,
                                                  const JointRecord& record) noexcept;
/// Computes lever arms and error from the bodies' poses. A static body (solver index 0) keeps the pose of the
/// tick's start; its argument is ignored.
void update_point_joint(PreparedPointJoint& point, bool static_a, const BodyPoseOf<double>& a, bool static_b,
                        const BodyPoseOf<double>& b) noexcept;
/// Writes K of the joint, 3 x 3 row after row. Sets point.gamma to `loop_compliance` x diagonal, or to 0 if
/// `loop_compliance` is not above 0. `inverse_mass` is the sum of both bodies, 1/kg along the world axes.
/// Inverse inertias are in world axes, 0 for a body that does not move.
void fill_point_block(PreparedPointJoint& point, const Vec3<double>& inverse_mass,
                      const SymMat64& inverse_inertia_a, const SymMat64& inverse_inertia_b,
                      double loop_compliance, double* block) noexcept;
/// Writes K between two point joints on one body, 3 x 3 row after row. Its rows are of the joint with lever
/// arm `effect`, its columns of the joint with lever arm `cause`. `same_side`: the body is a of both joints,
/// or b of both.
void fill_point_coupling(const Vec3<double>& inverse_mass, const SymMat64& inverse_inertia,
                         const Vec3<double>& cause, const Vec3<double>& effect, bool same_side,
                         double* block) noexcept;
/// J v + gamma lambda.
[[nodiscard]] inline Vec3<double> residual(const PreparedPointJoint& point, const VelocityOf<double>& a,
                                           const VelocityOf<double>& b) noexcept {
  Vec3<double> const velocity =
      (b.linear + cross(b.angular, point.r_b)) - (a.linear + cross(a.angular, point.r_a));
  return velocity + along_axes(point.gamma, point.impulse);
}
/// One body's part of row `axis`; `lever_arm` is r_a or r_b.
[[nodiscard]] inline RowPartOf<double> point_row_part(std::uint32_t axis, const Vec3<double>& lever_arm,
                                                      const SymMat64& inverse_inertia) noexcept {
  Vec3<double> const n{axis == 0 ? 1.0 : 0.0, axis == 1 ? 1.0 : 0.0, axis == 2 ? 1.0 : 0.0};
  Vec3<double> const jacobian = cross(lever_arm, n);
  return {n, jacobian, multiply(inverse_inertia, jacobian)};
}

}  // namespace takt
