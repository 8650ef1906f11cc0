// Light bodies between hard pulls: a larger inertia for joints, and the spin that goes with it (joint_pull.h).
#include "physics/joint_solver.h"

#include "physics/tuning.h"

namespace takt {
namespace {

/// A line that is shorter, m, is taken as this long: its direction is noise, and its stiffness would have no bound.
constexpr double kLeastLineM = 0.01;

}  // namespace

/// How fast the line turns from a body's centre to what the joint pulls it towards: the other's centre, or the point itself of what does not give way.
template <class Real>
Vec3<double> JointSolver<Real>::turning(const JointBodies<Real>& at, const End& own, const End& other) noexcept {
  Motion const other_motion = motion_of(at, other.body);
  Vec3<double> way = own.arm;
  Vec3<double> rate = other_motion.velocity - motion_of(at, own.body).velocity;
  if (other.moves) {
    way -= other.arm;
  } else {
    rate += cross(other_motion.spin, other.arm);
  }
  double const square = dot(way, way);
  return square > 0.0 ? cross(way, rate) * (1.0 / maximum(square, dot(own.arm, own.arm))) : Vec3<double>{};
}

/// An impulse on b, and against it on a, where b's frame is.
template <class Real>
void JointSolver<Real>::pull_apart(const JointBodies<Real>& at, const End& a, const End& b, Vec3<double> impulse) {
  auto const pull = [&](const End& own, const End& other, Vec3<double> pulled) {
    if (!own.moves) return;
    pulls_[own.body].add(own.arm, pulled);
    double const weight = dot(own.arm, pulled);
    if (weight > 0.0) pulls_[own.body].add_turning(turning(at, own, other), weight);
  };
  pull(a, b, -impulse);
  pull(b, a, impulse);
}

/// What last substep's impulses of a joint pull its bodies with.
template <class Real>
void JointSolver<Real>::add_pulls(const JointBodies<Real>& at, const PreparedJoint& joint) {
  // Both bodies are pushed where b's frame is; what pulls along a line acts at the two anchors.
  Vec3<double> pushed;  // on b
  auto const pull_line = [this](const RowBody& body, Vec3<double> arm, Vec3<double> towards, double tension, double line_m) {
    if (!body.moves) return;
    pulls_[body.body].add(arm, towards * tension);
    pulls_[body.body].add_line(arm, towards, tension / maximum(line_m, kLeastLineM));
  };
  auto const pull_both = [&](Vec3<double> linear, double impulse, double line_m) {
    if (line_m > 0.0) {
      pull_line(joint.a, joint.arm_a - linear * line_m, linear, -impulse, line_m);
      pull_line(joint.b, joint.arm_b, -linear, -impulse, line_m);
    } else {
      pushed += linear * impulse;
    }
  };
  for (std::uint32_t i = 0; i < joint.row_count; ++i) {
    const EqualityRow& row = rows_[joint.first_row + i];
    if (row.slot < 3 || row.slot == kLockedSlots) pull_both(row.linear, row.impulse, row.line_m);  // the others have no linear part
  }
  for (std::uint32_t k = 0; k < joint.bounded_count && joint.bounded_pull; ++k) {
    const BoundedRow& row = bounded_[joint.first_bounded + k];
    if (row.kind == BoundedKind::kPulley) {
      for (std::size_t s = 0; s < 2; ++s) {
        const RowSide& side = sides_of(row).sides[s];
        double const weight = length(side.linear);
        if (!(weight > 0.0)) continue;
        pull_line(s == 0 ? joint.a : joint.b, s == 0 ? joint.arm_a : joint.arm_b, side.linear * (1.0 / weight), weight * row.impulse, row.lines_m[s]);
      }
    } else if (row.kind != BoundedKind::kGear) {
      pull_both(row.direction.linear, row.impulse, row.lines_m[0]);
    }
  }
  End const a{joint.a.body, joint.a.moves, joint.arm_a};
  End const b{joint.b.body, joint.b.moves, joint.arm_b};
  pull_apart(at, a, b, pushed);
}

/// Whether a row of it goes by a body whose inertia was raised.
template <class Real>
bool JointSolver<Real>::is_tamed(const PreparedJoint& joint) const noexcept {
  auto const tamed = [this](const RowBody& body) { return body.moves && tamed_[body.body] != 0; };
  if (tamed(joint.a) || tamed(joint.b)) return true;
  for (std::uint32_t k = 0; k < joint.bounded_count; ++k) {
    const BoundedRow& row = bounded_[joint.first_bounded + k];
    for (std::uint32_t s = 0; s < row.side_count && is_coupling_row(row.kind); ++s) {
      const RowSide& side = sides_of(row).sides[s];
      if (side.moves && tamed_[side.body] != 0) return true;
    }
  }
  return false;
}

/// Gives bodies that the impulses of the last substep would swing too fast a larger inertia, and builds their rows again with it.
template <class Real>
void JointSolver<Real>::tame_swings(const WorldState<Real>& state, const JointBodies<Real>& at) {
  for (std::uint32_t const body : touched_) pulls_[body] = {};
  for (std::uint32_t const node : lone_nodes_) {
    const HeldJoint& held = held_[node];
    if (!held.is_ball) continue;
    pull_apart(at, {held.body_a, held.pushed_a != 0, held.ball.arm_a}, {held.body_b, held.pushed_b != 0, held.ball.arm_b}, held.ball.impulse);
  }
  for (std::uint32_t const place : woven_.special()) {
    const WovenBall& ball = woven_.balls()[place];
    WovenPull const pull = woven_.pull_of(place);
    pull_apart(at, {ball.body_a, ball.pushed_a != 0, pull.arm_a}, {ball.body_b, ball.pushed_b != 0, pull.arm_b}, pull.impulse);
  }
  for (std::uint32_t const place : lone_joints_) add_pulls(at, joints_[place]);
  if (!equal_.empty()) equal_.pull(at, pulls_);
  double const scale = substep_s_ / (kFastestSwing * kFastestSwing);
  tamed_.assign(at.bodies.size(), 0);
  swings_.clear();
  pulled_.clear();
  raised_.clear();
  for (std::uint32_t const body : touched_) {
    PositivePart part;
    if (!pulls_[body].asks(inertias_[body], scale, part)) continue;
    pulled_.push_back(body);
    raised_.push_back(part);
  }
  const TreeKernels<Real>& kernels = tree_kernels<Real>(lanes_, raised_.size());
  if (raised_.size() > 1 && kernels.raise != nullptr) {
    kernels.raise(raised_.data(), raised_.size());
  } else {
    JointPull::raise(raised_);
  }
  for (std::size_t i = 0; i < pulled_.size(); ++i) {
    std::uint32_t const body = pulled_[i];
    SymMat64 const raised = JointPull::tamed(inertias_[body], raised_[i]);
    if (raised == inertias_[body]) continue;
    swings_.push_back({body, inertias_[body], pulls_[body].turning()});
    inertias_[body] = raised;
    tamed_[body] = 1;
    stale_[body] = 1;
  }
  if (swings_.empty()) return;
  share_spins(at);
  for (std::uint32_t const node : lone_nodes_) {
    HeldJoint& held = held_[node];
    held.is_stale = held.is_stale || tamed_[held.pushed_a] != 0 || tamed_[held.pushed_b] != 0;
  }
  // Gears come last: the bodies of what they tie have their inertia by then.
  for (std::uint32_t const place : lone_joints_) {
    if (is_tamed(joints_[place])) rebuild(state, at, joints_[place]);
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
