// StepConstants has the numbers of one step that follow from the world's definition. They are substep length,
// contact parameters, and softness of contacts and grabs (springs that pull a body to a target). StepPipeline
// calls make_step_constants() once a tick. BodyGatherer and run_substeps() read the result.
#pragma once

#include "physics/contact_solver/contact_constraint.h"
#include "takt/physics/world_def.h"

namespace takt {

template <class Real>
struct StepConstants {
  double substep_s = 0.0;      ///< length of a substep, s
  Real substep{};              ///< substep_s, rounded to Real
  std::uint32_t substeps = 1;  ///< per tick
  double weight_m_s = 0.0;     ///< speed that the world's gravity adds in a substep
  ContactParameters<Real> contact;
  ContactSoftness<Real> grab;  ///< kGrabHertz, kGrabDampingRatio
};

/// Rate and substeps of `def` must be above 0 (asserted).
template <class Real>
[[nodiscard]] StepConstants<Real> make_step_constants(const WorldDef& def);

}  // namespace takt
