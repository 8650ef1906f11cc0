#include "physics/step/step_constants.h"

#include "physics/base/solver_constants.h"
#include "physics/constraints/softness.h"
#include "takt/core/assert.h"

namespace takt {

template <class Real>
StepConstants<Real> make_step_constants(const WorldDef& def) {
  TAKT_ASSERT(def.tick_rate_hz > 0 && def.substeps > 0);
  double const rate = static_cast<double>(def.tick_rate_hz) * static_cast<double>(def.substeps);
  double const hertz = kContactHertzPerSubstepRate * rate;
  StepConstants<Real> c;
  c.substep_s = 1.0 / rate;
  c.substep = to_real<Real>(c.substep_s);
  TAKT_ASSERT(c.substep > Real(0));
  c.substeps = def.substeps;
  c.weight_m_s = length(def.gravity_m_s2) * c.substep_s;
  c.contact.inverse_substep = to_real<Real>(rate);
  c.contact.push_max = to_real<Real>(def.contact_push_max_m_s);
  c.contact.restitution_threshold = to_real<Real>(def.restitution_threshold_m_s);
  c.contact.soft = make_softness<Real>(hertz, kContactDampingRatio, c.substep_s);
  ContactSoftness<Real> joined =
      make_softness<Real>(kJoinedContactHertzFactor * hertz, kContactDampingRatio, c.substep_s);
  joined.relax_impulse_scale = joined.impulse_scale;
  joined.friction_impulse_scale = joined.impulse_scale;
  c.contact.soft_joined = joined;
  c.contact.soft_static =
      make_softness<Real>(kStaticContactHertzFactor * hertz, kContactDampingRatio, c.substep_s);
  // Only between bodies that move: friction with the ground is rigid.
  ContactSoftness<Real> const anchor_offset =
      make_softness<Real>(kAnchorHertzPerSubstepRate * rate, kContactDampingRatio, c.substep_s);
  c.contact.soft.friction_impulse_scale = anchor_offset.impulse_scale;
  c.contact.soft.anchor_rate = anchor_offset.bias_rate;
  c.grab = make_softness<Real>(kGrabHertz, kGrabDampingRatio, c.substep_s);
  return c;
}

template StepConstants<float> make_step_constants(const WorldDef&);
template StepConstants<Fixed> make_step_constants(const WorldDef&);

}  // namespace takt
