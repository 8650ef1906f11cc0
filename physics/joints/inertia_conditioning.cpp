#include "physics/joints/inertia_conditioning.h"

#include "physics/base/solver_constants.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

/// Minimum length of a line, m: the direction of a shorter line is noise, and its stiffness has no bound.
constexpr double kMinLineM = 0.01;

}  // namespace

template <class Real>
void InertiaConditioning<Real>::begin(const JointBodies<Real>& bodies, const JointInertias<Real>& inertias) {
  tensions_.resize(bodies.bodies.size());
  for (std::uint32_t const body : inertias.bodies()) tensions_[body] = {};
}

template <class Real>
void InertiaConditioning<Real>::add_impulse(const JointBodies<Real>& bodies, const JointEnd& a,
                                            const JointEnd& b, const Vec3<double>& impulse) {
  TAKT_ASSERT(a.body < tensions_.size() && b.body < tensions_.size());
  auto const velocity_of = [&bodies](std::uint32_t body) { return bodies.velocity_of(body); };
  if (a.moves) add_tension(tensions_[a.body].sums, a, b, -impulse, velocity_of);
  if (b.moves) add_tension(tensions_[b.body].sums, b, a, impulse, velocity_of);
}

template <class Real>
void InertiaConditioning<Real>::add_line(const RowBody& body, const Vec3<double>& lever_arm,
                                         const Vec3<double>& towards, double tension, double line_m) {
  if (!body.moves) return;
  TAKT_VALIDATE(body.body < tensions_.size());
  tensions_[body.body].add(lever_arm, towards * tension);
  tensions_[body.body].add_line(lever_arm, towards, tension / maximum(line_m, kMinLineM));
}

template <class Real>
void InertiaConditioning<Real>::add_joint(const JointBodies<Real>& bodies, const PreparedJoint& joint,
                                          const JointEquality<Real>& equality,
                                          const JointLimits<Real>& limits,
                                          const JointCouplings<Real>& couplings) {
  // Both bodies are pushed at b's anchor; the tension of a line acts at the two anchors.
  Vec3<double> impulse_at_anchor;
  auto const add_row = [&](const Vec3<double>& linear, double impulse, double line_m) {
    if (line_m > 0.0) {
      add_line(joint.a, joint.r_a - linear * line_m, linear, -impulse, line_m);
      add_line(joint.b, joint.r_b, -linear, -impulse, line_m);
    } else {
      impulse_at_anchor += linear * impulse;
    }
  };
  for (const EqualityRow& row : equality.rows_of(joint)) {
    bool const angular = row.slot >= 3 && row.slot < kLockedSlots;
    if (!angular) add_row(row.linear, row.impulse, row.line_m);
  }
  if (joint.limit_tension) {
    for (const LimitRow& row : limits.rows_of(joint)) add_row(row.input.linear, row.impulse, row.line_m);
  }
  if (joint.kind == JointKind::kPulley && joint.coupling != kNoIndex) {
    const CouplingRow& row = couplings.row_of(joint);
    for (std::size_t s = 0; s < 2; ++s) {
      double const ratio = length(row.sides[s].linear);
      if (!(ratio > 0.0)) continue;
      add_line(s == 0 ? joint.a : joint.b, s == 0 ? joint.r_a : joint.r_b,
               row.sides[s].linear * (1.0 / ratio), ratio * row.impulse, row.lines_m[s]);
    }
  }
  add_impulse(bodies, {joint.a.body, joint.a.moves, joint.r_a}, {joint.b.body, joint.b.moves, joint.r_b},
              impulse_at_anchor);
}

template <class Real>
void InertiaConditioning<Real>::raise(JointInertias<Real>& inertias, double substep_s, std::uint32_t lanes) {
  double const scale = substep_s / (kMaxSwingRate * kMaxSwingRate);
  TAKT_ASSERT(substep_s > 0.0 && tensions_.size() >= inertias.inverse().size());
  inertias.forget_raised();
  conditioned_.clear();
  candidates_.clear();
  parts_.clear();
  for (std::uint32_t const body : inertias.bodies()) {
    PositivePart part;
    if (!tensions_[body].exceeds(inertias.inverse()[body], scale, part)) continue;
    candidates_.push_back(body);
    parts_.push_back(part);
  }
  const TreeKernels<Real>& kernels = tree_kernels<Real>(lanes, parts_.size());
  if (parts_.size() > 1 && kernels.raise != nullptr) {
    kernels.raise(parts_.data(), parts_.size());
  } else {
    GeometricStiffness::raise(parts_);
  }
  for (std::size_t i = 0; i < candidates_.size(); ++i) {
    std::uint32_t const body = candidates_[i];
    SymMat64 const own = inertias.inverse()[body];
    SymMat64 const raised = GeometricStiffness::conditioned(own, parts_[i]);
    if (raised == own) continue;
    conditioned_.push_back({body, own, tensions_[body].turning()});
    inertias.raise(body, raised);
  }
}

template <class Real>
void InertiaConditioning<Real>::scale_angular_velocities(const JointBodies<Real>& bodies,
                                                         const JointInertias<Real>& inertias) const {
  for (const ConditionedBody& conditioned : conditioned_) {
    TAKT_ASSERT(inertias.is_raised(conditioned.body));
    Vec3<double> const change = bodies.velocity_of(conditioned.body).angular - conditioned.omega;
    bodies.add_angular_velocity(conditioned.body,
                                GeometricStiffness::slowed(conditioned.inverse_inertia,
                                                           inertias.inverse()[conditioned.body], change) -
                                    change);
  }
}

template <class Real>
void InertiaConditioning<Real>::store_angular_velocities(const JointBodies<Real>& bodies) {
  for (ConditionedBody& conditioned : conditioned_)
    conditioned.omega = bodies.velocity_of(conditioned.body).angular;
}

template <class Real>
void InertiaConditioning<Real>::add_angular_velocities(VelocityChanges& changes) {
  for (ConditionedBody& conditioned : conditioned_) conditioned.omega += changes[conditioned.body].angular;
}

template class InertiaConditioning<float>;
template class InertiaConditioning<Fixed>;

}  // namespace takt
