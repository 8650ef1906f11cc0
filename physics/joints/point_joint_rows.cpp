// Rigid balls and sockets of which nothing else is asked: rows along the world's axes, by their arms alone
// (PreparedPointJoint).
#include "physics/joints/joint_solver.h"

namespace takt {
namespace {

/// Columns: what an impulse of 1 N s along each of the world's axes at the arm `cause` does to the velocity
/// at the arm `effect` by turning the body.
Mat3<double> rotated_by(const SymMat64& inverse, Vec3<double> cause, Vec3<double> effect) noexcept {
  const SymMat64& m = inverse;
  Vec3<double> const r = cause;
  Vec3<double> const x{m[3] * r.z - m[4] * r.y, m[1] * r.z - m[5] * r.y,
                       m[5] * r.z - m[2] * r.y};  // the inverse times r x (1, 0, 0)
  Vec3<double> const y{m[4] * r.x - m[0] * r.z, m[5] * r.x - m[3] * r.z, m[2] * r.x - m[4] * r.z};
  Vec3<double> const z{m[0] * r.y - m[3] * r.x, m[3] * r.y - m[1] * r.x, m[4] * r.y - m[5] * r.x};
  return {cross(x, effect), cross(y, effect), cross(z, effect)};
}

}  // namespace

template <class Real>
void JointSolver<Real>::make_ball(const WorldState<Real>& state, const PreparedJoint& joint,
                                  EqualityJoint& held) const {
  const JointRecord& record = state.joints[joint.index];
  held.is_ball = true;
  held.ball.local_a = joint.a.body != 0 ? joint.local_a : rotate(joint.rotation_a, joint.local_a);
  held.ball.local_b = joint.b.body != 0 ? joint.local_b : rotate(joint.rotation_b, joint.local_b);
  held.ball.delta_center = joint.delta_center;
  held.ball.impulse = to_matrix(joint.rotation_a * joint.frame_a) *
                      Vec3<double>{record.impulses[0], record.impulses[1], record.impulses[2]};
}

template <class Real>
void JointSolver<Real>::place_ball(const JointBodies<Real>& at, EqualityJoint& held) const {
  PreparedPointJoint& ball = held.ball;
  Vec3<double> delta_center = ball.delta_center;
  Vec3<double> r_a = ball.local_a;
  ball.r_b = ball.local_b;
  if (held.body_a != 0) {
    r_a = rotate(to_double(at.moving[held.body_a].rotation), ball.local_a);
    delta_center -= doubles_of(at.bodies[held.body_a].delta_position);
  }
  if (held.body_b != 0) {
    ball.r_b = rotate(to_double(at.moving[held.body_b].rotation), ball.local_b);
    delta_center += doubles_of(at.bodies[held.body_b].delta_position);
  }
  // Both bodies are pushed where b's anchor is: momentum and its moment are kept exactly.
  ball.apart = delta_center + ball.r_b - r_a;
  ball.r_a = r_a + ball.apart;
  held.is_stale = true;
}

template <class Real>
void JointSolver<Real>::fill_ball(EqualityJoint& held, double* own, double loop_compliance) const {
  PreparedPointJoint& ball = held.ball;
  Mat3<double> const a = rotated_by(inertias_[held.pushed_a], ball.r_a, ball.r_a);
  Mat3<double> const b = rotated_by(inertias_[held.pushed_b], ball.r_b, ball.r_b);
  Vec3<double> const mass = held.inverse_mass_a + held.inverse_mass_b;
  Vec3<double> const diagonal{mass.x + (a.x.x + b.x.x), mass.y + (a.y.y + b.y.y), mass.z + (a.z.z + b.z.z)};
  ball.gamma = loop_compliance > 0.0 ? diagonal * loop_compliance : Vec3<double>{};
  own[0] = diagonal.x + ball.gamma.x;
  own[4] = diagonal.y + ball.gamma.y;
  own[8] = diagonal.z + ball.gamma.z;
  own[1] = own[3] = a.x.y + b.x.y;
  own[2] = own[6] = a.x.z + b.x.z;
  own[5] = own[7] = a.y.z + b.y.z;
}

/// Of `held` on `other`, by the body that they share.
template <class Real>
void JointSolver<Real>::fill_between_balls(const EqualityJoint& held, const EqualityJoint& other,
                                           std::uint32_t body, double* block) const {
  bool const by_a = held.pushed_a == body;
  bool const of_a = other.pushed_a == body;
  double const sign = by_a == of_a ? 1.0 : -1.0;
  Vec3<double> const mass = by_a ? held.inverse_mass_a : held.inverse_mass_b;
  Mat3<double> const rotated = rotated_by(inertias_[body], by_a ? held.ball.r_a : held.ball.r_b,
                                          of_a ? other.ball.r_a : other.ball.r_b);
  block[0] = sign * (mass.x + rotated.x.x);
  block[1] = sign * rotated.y.x;
  block[2] = sign * rotated.z.x;
  block[3] = sign * rotated.x.y;
  block[4] = sign * (mass.y + rotated.y.y);
  block[5] = sign * rotated.z.y;
  block[6] = sign * rotated.x.z;
  block[7] = sign * rotated.y.z;
  block[8] = sign * (mass.z + rotated.z.z);
}

template <class Real>
auto JointSolver<Real>::part_of(const EqualityJoint& held, std::uint32_t row, bool of_a) const noexcept
    -> RowPart {
  if (!held.is_ball) {
    const EqualityRow& of = rows_[held.first_row + row];
    return {of.linear, of_a ? of.jacobian_a : of.jacobian_b,
            of_a ? of.inv_i_jacobian_a : of.inv_i_jacobian_b};
  }
  Vec3<double> const axis{row == 0 ? 1.0 : 0.0, row == 1 ? 1.0 : 0.0, row == 2 ? 1.0 : 0.0};
  Vec3<double> const delta_rotation = cross(of_a ? held.ball.r_a : held.ball.r_b, axis);
  return {axis, delta_rotation, multiply(inertias_[of_a ? held.pushed_a : held.pushed_b], delta_rotation)};
}

#define TAKT_INSTANTIATE(Real)                                                                              \
  template void JointSolver<Real>::make_ball(const WorldState<Real>&, const PreparedJoint&, EqualityJoint&) \
      const;                                                                                                \
  template void JointSolver<Real>::place_ball(const JointBodies<Real>&, EqualityJoint&) const;              \
  template void JointSolver<Real>::fill_ball(EqualityJoint&, double*, double) const;                        \
  template void JointSolver<Real>::fill_between_balls(const EqualityJoint&, const EqualityJoint&,           \
                                                      std::uint32_t, double*) const;                        \
  template auto JointSolver<Real>::part_of(const EqualityJoint&, std::uint32_t, bool) const noexcept->RowPart;
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
