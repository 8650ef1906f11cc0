// BodyGatherer copies the awake dynamic bodies and the moving kinematic bodies of a tick from the world's
// body pool into the solver's arrays (SolverBodies). store_bodies() writes their new poses and velocities
// back after the substeps, and quarantines a body that left the finite numbers or the world (kWorldLimitRaw).
// end_targets() stops the kinematic bodies that reached their targets in the last tick. StepPipeline calls
// all three. BodyGatherer and store_bodies() copy each body by itself, so workers share their loops.
#pragma once

#include <cstdint>

#include "physics/base/parallel_filter.h"
#include "physics/constraints/solver_bodies.h"
#include "physics/state/world_state.h"
#include "physics/step/gyroscopic_term.h"
#include "physics/step/step_constants.h"
#include "takt/physics/step.h"

namespace takt {

/// Sets the velocities of kinematic bodies that reached their targets to 0, and removes these targets.
template <class Real>
void end_targets(WorldState<Real>& state);

template <class Real>
class BodyGatherer {
 public:
  /// Replaces `bodies` and `gyroscopic` by those of the awake dynamic and the moving kinematic bodies, in
  /// order of pool index. Solver index 0 stands for all other bodies. `pool` may be null.
  void gather(const WorldState<Real>& state, const StepConstants<Real>& constants, SolverBodies<Real>& bodies,
              GyroscopicTerm<Real>& gyroscopic, TaskPool* pool);

 private:
  FilteredItems<std::uint32_t> moving_;  ///< body indices
};

/// Writes the motion of the tick back, clears forces and torques, and counts still ticks. A body that left
/// the finite numbers or the world keeps its last pose, loses its velocities, and is quarantined
/// (StepEvents::quarantined). Enabled kinematic bodies with a target get its pose exactly.
template <class Real>
void store_bodies(WorldState<Real>& state, const SolverBodies<Real>& bodies, StepEvents& events,
                  TaskPool* pool);

}  // namespace takt
