// Light bodies between hard pulls: a larger inertia for joints, and the spin that goes with it (joint_pull.h).
#include "physics/joint_solver.h"

#include "physics/tuning.h"

namespace takt {

/// Gives bodies that the impulses of the last substep would swing too fast a larger inertia, and builds their rows again with it.
template <class Real>
void JointSolver<Real>::tame_swings(const WorldState<Real>& state, const JointBodies<Real>& at) {
  for (std::uint32_t const body : touched_) pulls_[body] = {};
  for (const PreparedJoint& joint : joints_) {
    for (std::uint32_t i = 0; i < joint.row_count; ++i) {
      const EqualityRow& row = rows_[joint.first_row + i];
      if (joint.a.moves) pulls_[joint.a.body].add(joint.arm_a, row.a.linear * row.impulse);
      if (joint.b.moves) pulls_[joint.b.body].add(joint.arm_b, row.b.linear * row.impulse);
    }
  }
  double const scale = substep_s_ / (kFastestSwing * kFastestSwing);
  tamed_.assign(at.bodies.size(), 0);
  swings_.clear();
  for (std::uint32_t const body : touched_) {
    SymMat64 const raised = pulls_[body].tamed(inertias_[body], scale);
    if (raised == inertias_[body]) continue;
    swings_.push_back({body, inertias_[body], {}});
    inertias_[body] = raised;
    tamed_[body] = 1;
  }
  if (swings_.empty()) return;
  share_spins(at);
  for (PreparedJoint& joint : joints_) {
    bool const a = joint.a.moves && tamed_[joint.a.body] != 0;
    bool const b = joint.b.moves && tamed_[joint.b.body] != 0;
    if (a) joint.a.inverse_inertia = inertias_[joint.a.body];
    if (b) joint.b.inverse_inertia = inertias_[joint.b.body];
    if (a || b) build_rows(state, at, joint);
  }
}

/// What others did to the spin of a tamed body since the joints were solved, they did with its own inertia: with the larger one it has the same angular momentum.
template <class Real>
void JointSolver<Real>::share_spins(const JointBodies<Real>& at) {
  for (const TamedSwing& swing : swings_) {
    SolverBody<Real>& body = at.bodies[swing.body];
    Vec3<double> const change = doubles_of(body.angular_velocity) - swing.spin;
    add_to(body.angular_velocity, JointPull::slowed(swing.own, inertias_[swing.body], change) - change);
  }
}

template <class Real>
void JointSolver<Real>::remember_spins(const JointBodies<Real>& at) {
  for (TamedSwing& swing : swings_) swing.spin = doubles_of(at.bodies[swing.body].angular_velocity);
}

#define TAKT_INSTANTIATE(Real)                                                                     \
  template void JointSolver<Real>::tame_swings(const WorldState<Real>&, const JointBodies<Real>&); \
  template void JointSolver<Real>::share_spins(const JointBodies<Real>&);                          \
  template void JointSolver<Real>::remember_spins(const JointBodies<Real>&);
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
