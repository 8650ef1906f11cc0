// SolverBodies holds the bodies that move in a tick: awake dynamic bodies, and kinematic bodies with a
// velocity. All solvers read and write this one object. The arrays of velocities, masses and integration data
// are parallel. BodyGatherer fills the arrays at the tick's start, the substeps change them, and
// store_bodies() writes the results back into the world (gather_bodies.h). The position of a body in the
// arrays is its solver index. Index 0 stands for every body that does not move.
#pragma once

#include <cstdint>
#include <vector>

#include "physics/constraints/moving_body.h"
#include "physics/constraints/solver_body.h"

namespace takt {

template <class Real>
struct SolverBodies {
  std::vector<SolverBody<Real>> bodies;     ///< by solver index
  std::vector<SolverMass<Real>> masses;     ///< parallel to bodies
  std::vector<MovingBody<Real>> moving;     ///< parallel to bodies
  std::vector<std::uint32_t> solver_index;  ///< by index in the body pool; 0 = does not move
  bool any_unloaded = false;                ///< a call took a body from the contacts or joints of one of them
};

}  // namespace takt
