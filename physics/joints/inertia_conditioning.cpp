// Light bodies between hard pulls: a larger inertia for joints, and the spin that goes with it
// (geometric_stiffness.h).
#include "physics/joints/joint_solver.h"

#include "physics/base/solver_constants.h"

namespace takt {
namespace {

/// A line that is shorter, m, is taken as this long: its direction is noise, and its stiffness would have no
/// bound.
constexpr double kMinLineM = 0.01;

}  // namespace

/// How fast the line turns from a body's centre to what the joint pulls it towards: the other's centre, or
/// the point itself of what does not give way.
template <class Real>
Vec3<double> JointSolver<Real>::turning(const JointBodies<Real>& at, const End& own,
                                        const End& other) noexcept {
  Motion const other_motion = motion_of(at, other.body);
  Vec3<double> displacement = own.lever_arm;
  Vec3<double> rate = other_motion.velocity - motion_of(at, own.body).velocity;
  if (other.moves) {
    displacement -= other.lever_arm;
  } else {
    rate += cross(other_motion.omega, other.lever_arm);
  }
  double const square = dot(displacement, displacement);
  return square > 0.0 ? cross(displacement, rate) * (1.0 / maximum(square, dot(own.lever_arm, own.lever_arm)))
                      : Vec3<double>{};
}

/// An impulse on b, and against it on a, where b's frame is.
template <class Real>
void JointSolver<Real>::total_tension(const JointBodies<Real>& at, const End& a, const End& b,
                                      Vec3<double> impulse) {
  auto const tension = [&](const End& own, const End& other, Vec3<double> tensioned) {
    if (!own.moves) return;
    tensions_[own.body].add(own.lever_arm, tensioned);
    double const weight = dot(own.lever_arm, tensioned);
    if (weight > 0.0) tensions_[own.body].add_turning(turning(at, own, other), weight);
  };
  tension(a, b, -impulse);
  tension(b, a, impulse);
}

/// What last substep's impulses of a joint pull its bodies with.
template <class Real>
void JointSolver<Real>::add_tensions(const JointBodies<Real>& at, const PreparedJoint& joint) {
  // Both bodies are pushed where b's frame is; what pulls along a line acts at the two anchors.
  Vec3<double> pushed;  // on b
  auto const tension_line = [this](const RowBody& body, Vec3<double> lever_arm, Vec3<double> towards,
                                   double tension, double line_m) {
    if (!body.moves) return;
    tensions_[body.body].add(lever_arm, towards * tension);
    tensions_[body.body].add_line(lever_arm, towards, tension / maximum(line_m, kMinLineM));
  };
  auto const tension_both = [&](Vec3<double> linear, double impulse, double line_m) {
    if (line_m > 0.0) {
      tension_line(joint.a, joint.r_a - linear * line_m, linear, -impulse, line_m);
      tension_line(joint.b, joint.r_b, -linear, -impulse, line_m);
    } else {
      pushed += linear * impulse;
    }
  };
  for (std::uint32_t i = 0; i < joint.row_count; ++i) {
    const EqualityRow& row = rows_[joint.first_row + i];
    if (row.slot < 3 || row.slot == kLockedSlots)
      tension_both(row.linear, row.impulse, row.line_m);  // the others have no linear part
  }
  for (std::uint32_t k = 0; k < joint.limit_count && joint.limit_tension; ++k) {
    const LimitRow& row = limited_[joint.first_limit + k];
    if (row.kind == LimitKind::kPulley) {
      for (std::size_t s = 0; s < 2; ++s) {
        const RowSide& side = sides_of(row).sides[s];
        double const weight = length(side.linear);
        if (!(weight > 0.0)) continue;
        tension_line(s == 0 ? joint.a : joint.b, s == 0 ? joint.r_a : joint.r_b, side.linear * (1.0 / weight),
                     weight * row.impulse, row.lines_m[s]);
      }
    } else if (row.kind != LimitKind::kGear) {
      tension_both(row.direction.linear, row.impulse, row.lines_m[0]);
    }
  }
  End const a{joint.a.body, joint.a.moves, joint.r_a};
  End const b{joint.b.body, joint.b.moves, joint.r_b};
  total_tension(at, a, b, pushed);
}

/// Whether a row of it goes by a body whose inertia was raised.
template <class Real>
bool JointSolver<Real>::is_tamed(const PreparedJoint& joint) const noexcept {
  auto const tamed = [this](const RowBody& body) { return body.moves && tamed_[body.body] != 0; };
  if (tamed(joint.a) || tamed(joint.b)) return true;
  for (std::uint32_t k = 0; k < joint.limit_count; ++k) {
    const LimitRow& row = limited_[joint.first_limit + k];
    for (std::uint32_t s = 0; s < row.side_count && is_coupling_row(row.kind); ++s) {
      const RowSide& side = sides_of(row).sides[s];
      if (side.moves && tamed_[side.body] != 0) return true;
    }
  }
  return false;
}

/// Gives bodies that the impulses of the last substep would swing too fast a larger inertia, and builds their
/// rows again with it.
template <class Real>
void JointSolver<Real>::condition_inertias(const WorldState<Real>& state, const JointBodies<Real>& at) {
  for (std::uint32_t const body : touched_) tensions_[body] = {};
  for (std::uint32_t const node : loop_nodes_) {
    const EqualityJoint& held = equality_[node];
    if (!held.is_ball) continue;
    total_tension(at, {held.body_a, held.pushed_a != 0, held.ball.r_a},
                  {held.body_b, held.pushed_b != 0, held.ball.r_b}, held.ball.impulse);
  }
  for (std::uint32_t const index : batches_.special()) {
    const BatchedPointJoint& ball = batches_.balls()[index];
    BatchTension const tension = batches_.tension_of(index);
    total_tension(at, {ball.body_a, ball.pushed_a != 0, tension.r_a},
                  {ball.body_b, ball.pushed_b != 0, tension.r_b}, tension.impulse);
  }
  for (std::uint32_t const index : loop_joints_) add_tensions(at, joints_[index]);
  if (!tree_batches_.empty()) tree_batches_.sum_tensions(at, tensions_);
  double const scale = substep_s_ / (kMaxSwingRate * kMaxSwingRate);
  tamed_.assign(at.bodies.size(), 0);
  conditioned_.clear();
  tensioned_.clear();
  raised_.clear();
  for (std::uint32_t const body : touched_) {
    PositivePart part;
    if (!tensions_[body].asks(inertias_[body], scale, part)) continue;
    tensioned_.push_back(body);
    raised_.push_back(part);
  }
  const TreeKernels<Real>& kernels = tree_kernels<Real>(lanes_, raised_.size());
  if (raised_.size() > 1 && kernels.raise != nullptr) {
    kernels.raise(raised_.data(), raised_.size());
  } else {
    GeometricStiffness::raise(raised_);
  }
  for (std::size_t i = 0; i < tensioned_.size(); ++i) {
    std::uint32_t const body = tensioned_[i];
    SymMat64 const raised = GeometricStiffness::tamed(inertias_[body], raised_[i]);
    if (raised == inertias_[body]) continue;
    conditioned_.push_back({body, inertias_[body], tensions_[body].turning()});
    inertias_[body] = raised;
    tamed_[body] = 1;
    stale_[body] = 1;
  }
  if (conditioned_.empty()) return;
  average_angular_velocities(at);
  for (std::uint32_t const node : loop_nodes_) {
    EqualityJoint& held = equality_[node];
    held.is_stale = held.is_stale || tamed_[held.pushed_a] != 0 || tamed_[held.pushed_b] != 0;
  }
  // Gears come last: the bodies of what they tie have their inertia by then.
  for (std::uint32_t const index : loop_joints_) {
    if (is_tamed(joints_[index])) rebuild(state, at, joints_[index]);
  }
}

/// What others did to the spin of a tamed body since the joints were solved, they did with its own inertia:
/// with the larger one it has the same angular momentum.
template <class Real>
void JointSolver<Real>::average_angular_velocities(const JointBodies<Real>& at) {
  for (const ConditionedInertia& swing : conditioned_) {
    SolverBody<Real>& body = at.bodies[swing.body];
    Vec3<double> const change = doubles_of(body.angular_velocity) - swing.omega;
    add_to(body.angular_velocity,
           GeometricStiffness::slowed(swing.own, inertias_[swing.body], change) - change);
  }
}

template <class Real>
void JointSolver<Real>::store_angular_velocities(const JointBodies<Real>& at) {
  for (ConditionedInertia& swing : conditioned_)
    swing.omega = doubles_of(at.bodies[swing.body].angular_velocity);
}

#define TAKT_INSTANTIATE(Real)                                                                            \
  template void JointSolver<Real>::condition_inertias(const WorldState<Real>&, const JointBodies<Real>&); \
  template void JointSolver<Real>::average_angular_velocities(const JointBodies<Real>&);                  \
  template void JointSolver<Real>::store_angular_velocities(const JointBodies<Real>&);
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
