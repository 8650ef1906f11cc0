// Rigid balls and sockets of which nothing else is asked: rows along the world's axes, by their arms alone (HeldBall).
#include "physics/joint_solver.h"

namespace takt {
namespace {

/// Columns: what an impulse of 1 N s along each of the world's axes at the arm `cause` does to the velocity at the arm `effect` by turning the body.
Mat3<double> turned_by(const SymMat64& inverse, Vec3<double> cause, Vec3<double> effect) noexcept {
  const SymMat64& m = inverse;
  Vec3<double> const r = cause;
  Vec3<double> const x{m[3] * r.z - m[4] * r.y, m[1] * r.z - m[5] * r.y, m[5] * r.z - m[2] * r.y};  // the inverse times r x (1, 0, 0)
  Vec3<double> const y{m[4] * r.x - m[0] * r.z, m[5] * r.x - m[3] * r.z, m[2] * r.x - m[4] * r.z};
  Vec3<double> const z{m[0] * r.y - m[3] * r.x, m[3] * r.y - m[1] * r.x, m[4] * r.y - m[5] * r.x};
  return {cross(x, effect), cross(y, effect), cross(z, effect)};
}

}  // namespace

template <class Real>
void JointSolver<Real>::make_ball(const WorldState<Real>& state, const PreparedJoint& joint, HeldJoint& held) const {
  const JointRecord& record = state.joints[joint.index];
  held.is_ball = true;
  held.ball.local_a = joint.a.body != 0 ? joint.local_a : rotate(joint.rotation_a, joint.local_a);
  held.ball.local_b = joint.b.body != 0 ? joint.local_b : rotate(joint.rotation_b, joint.local_b);
  held.ball.between = joint.between;
  held.ball.impulse = to_matrix(joint.rotation_a * joint.frame_a) * Vec3<double>{record.impulses[0], record.impulses[1], record.impulses[2]};
}

template <class Real>
void JointSolver<Real>::place_ball(const JointBodies<Real>& at, HeldJoint& held) const {
  HeldBall& ball = held.ball;
  Vec3<double> between = ball.between;
  Vec3<double> arm_a = ball.local_a;
  ball.arm_b = ball.local_b;
  if (held.body_a != 0) {
    arm_a = rotate(to_double(at.moving[held.body_a].rotation), ball.local_a);
    between -= doubles_of(at.bodies[held.body_a].linear_shift);
  }
  if (held.body_b != 0) {
    ball.arm_b = rotate(to_double(at.moving[held.body_b].rotation), ball.local_b);
    between += doubles_of(at.bodies[held.body_b].linear_shift);
  }
  // Both bodies are pushed where b's anchor is: momentum and its moment are kept exactly.
  ball.apart = between + ball.arm_b - arm_a;
  ball.arm_a = arm_a + ball.apart;
  held.is_stale = true;
}

template <class Real>
void JointSolver<Real>::fill_ball(HeldJoint& held, double* own, double loop_give) const {
  HeldBall& ball = held.ball;
  Mat3<double> const a = turned_by(inertias_[held.pushed_a], ball.arm_a, ball.arm_a);
  Mat3<double> const b = turned_by(inertias_[held.pushed_b], ball.arm_b, ball.arm_b);
  Vec3<double> const mass = held.inverse_mass_a + held.inverse_mass_b;
  Vec3<double> const diagonal{mass.x + (a.x.x + b.x.x), mass.y + (a.y.y + b.y.y), mass.z + (a.z.z + b.z.z)};
  ball.gamma = loop_give > 0.0 ? diagonal * loop_give : Vec3<double>{};
  own[0] = diagonal.x + ball.gamma.x;
  own[4] = diagonal.y + ball.gamma.y;
  own[8] = diagonal.z + ball.gamma.z;
  own[1] = own[3] = a.x.y + b.x.y;
  own[2] = own[6] = a.x.z + b.x.z;
  own[5] = own[7] = a.y.z + b.y.z;
}

/// Of `held` on `other`, by the body that they share.
template <class Real>
void JointSolver<Real>::fill_between_balls(const HeldJoint& held, const HeldJoint& other, std::uint32_t body, double* block) const {
  bool const by_a = held.pushed_a == body;
  bool const of_a = other.pushed_a == body;
  double const sign = by_a == of_a ? 1.0 : -1.0;
  Vec3<double> const mass = by_a ? held.inverse_mass_a : held.inverse_mass_b;
  Mat3<double> const turned = turned_by(inertias_[body], by_a ? held.ball.arm_a : held.ball.arm_b, of_a ? other.ball.arm_a : other.ball.arm_b);
  block[0] = sign * (mass.x + turned.x.x);
  block[1] = sign * turned.y.x;
  block[2] = sign * turned.z.x;
  block[3] = sign * turned.x.y;
  block[4] = sign * (mass.y + turned.y.y);
  block[5] = sign * turned.z.y;
  block[6] = sign * turned.x.z;
  block[7] = sign * turned.y.z;
  block[8] = sign * (mass.z + turned.z.z);
}

template <class Real>
auto JointSolver<Real>::part_of(const HeldJoint& held, std::uint32_t row, bool of_a) const noexcept -> RowPart {
  if (!held.is_ball) {
    const EqualityRow& of = rows_[held.first_row + row];
    return {of.linear, of_a ? of.turn_a : of.turn_b, of_a ? of.spin_a : of.spin_b};
  }
  Vec3<double> const axis{row == 0 ? 1.0 : 0.0, row == 1 ? 1.0 : 0.0, row == 2 ? 1.0 : 0.0};
  Vec3<double> const turn = cross(of_a ? held.ball.arm_a : held.ball.arm_b, axis);
  return {axis, turn, multiply(inertias_[of_a ? held.pushed_a : held.pushed_b], turn)};
}

#define TAKT_INSTANTIATE(Real)                                                                                           \
  template void JointSolver<Real>::make_ball(const WorldState<Real>&, const PreparedJoint&, HeldJoint&) const;           \
  template void JointSolver<Real>::place_ball(const JointBodies<Real>&, HeldJoint&) const;                               \
  template void JointSolver<Real>::fill_ball(HeldJoint&, double*, double) const;                                         \
  template void JointSolver<Real>::fill_between_balls(const HeldJoint&, const HeldJoint&, std::uint32_t, double*) const; \
  template auto JointSolver<Real>::part_of(const HeldJoint&, std::uint32_t, bool) const noexcept->RowPart;
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
