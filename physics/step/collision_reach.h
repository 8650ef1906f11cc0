// CollisionReach finds the sleeping bodies that an impact reaches through other bodies within the tick. In a
// row of bodies with small gaps the impact of the first runs on to the last. A sleeping body takes part in no
// impact, so the bodies before it would bounce off it as off a wall. StepPipeline (step.cpp) wakes the bodies
// that add_reached() finds, and detects contacts again. ContactDetection finds the bodies that a moving body
// reaches itself. CollisionReach computes no impulses: every body of a row counts as moving at up to twice
// the closing speed of the impact.
#pragma once

#include <vector>

#include "physics/contacts/narrow_phase_results.h"
#include "physics/state/world_state.h"

namespace takt {

template <class Real>
class CollisionReach {
 public:
  /// Appends the sleeping bodies (pool indices, repeats possible) to results.reached. Needs the contacts of
  /// the tick in `results`; velocities are those of `state`.
  void add_reached(const WorldState<Real>& state, NarrowPhaseResults<Real>& results);

 private:
  /// A contact that may transmit an impact.
  struct Link {
    std::uint32_t body_a = 0;  ///< in the pool
    std::uint32_t body_b = 0;
    double gap_m = 0.0;  ///< the smallest
  };
  std::vector<Link> links_;
  std::vector<double> speeds_;  ///< by body in the pool: of the fastest impact that reaches it, m/s
};

}  // namespace takt
