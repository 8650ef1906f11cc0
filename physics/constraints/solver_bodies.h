// The bodies of a tick as all solvers share them: parallel arrays, filled by BodyGatherer, changed by the
// substeps, stored by store_bodies(). Index 0 stands for every body that does not move.
#pragma once

#include <cstdint>
#include <vector>

#include "physics/constraints/moving_body.h"
#include "physics/constraints/solver_body.h"

namespace takt {

template <class Real>
struct SolverBodies {
  std::vector<SolverBody<Real>> bodies;
  std::vector<SolverMass<Real>> masses;     ///< parallel to bodies
  std::vector<MovingBody<Real>> moving;     ///< parallel to bodies
  std::vector<std::uint32_t> solver_index;  ///< by body in the pool: index in bodies; 0 = does not move
};

}  // namespace takt
