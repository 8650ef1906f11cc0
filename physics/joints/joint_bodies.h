// What joints look at in a substep, and what a tick is to them.
#pragma once

#include <cstdint>
#include <vector>

#include "physics/constraints/moving_body.h"
#include "physics/contact_solver/contact_constraint.h"
#include "takt/core/task_pool.h"

namespace takt {

template <class Real>
struct JointBodies {
  std::vector<SolverBody<Real>>& bodies;
  const std::vector<SolverMass<Real>>& masses;
  const std::vector<MovingBody<Real>>& moving;
  const std::vector<std::uint32_t>& solver_index;
  TaskPool* pool = nullptr;  ///< may be null
};

struct JointTick {
  double substep_s = 0.0;
  std::uint32_t substeps = 0;
  std::uint32_t lanes = 0;  ///< as in StepOptions
};

}  // namespace takt
