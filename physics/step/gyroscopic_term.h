// GyroscopicTerm applies the gyroscopic term to the dynamic bodies of a tick. The term is the torque-free
// change of angular velocity of a body with unequal moments of inertia (gyroscope.h). Bodies with equal
// moments or locked rotation axes have no such term. BodyGatherer prepares the bodies once a tick.
// run_substeps() calls begin_substep() before joints and contacts are solved, and end_substep() after
// positions have been integrated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "physics/base/parallel_filter.h"
#include "physics/constraints/gyroscope.h"
#include "physics/constraints/solver_bodies.h"
#include "physics/state/world_state.h"

namespace takt {

template <class Real>
class GyroscopicTerm {
 public:
  /// Starts a tick with this number of solver bodies, index 0 included.
  void resize(std::size_t solver_body_count) { gyroscopes_.resize(solver_body_count); }
  /// Prepares the body at solver index `body` > 0 (asserted). Several threads may prepare a body each.
  void prepare(std::size_t body, const BodyRecord<Real>& record);
  /// Lists the bodies with a term, after all bodies are prepared. `pool` may be null.
  void finish(TaskPool* pool);

  /// Changes angular velocities from the start to the middle of the substep. `lanes` as in StepOptions.
  void begin_substep(SolverBodies<Real>& bodies, double substep_s, std::uint32_t lanes, TaskPool* pool);
  /// Changes angular velocities from the middle to the end of the substep, in the body frame after rotations
  /// are integrated.
  void end_substep(SolverBodies<Real>& bodies, std::uint32_t lanes, TaskPool* pool);

 private:
  template <class Body>
  void for_bodies(SolverBodies<Real>& bodies, std::uint32_t lanes, TaskPool* pool, const Body& body);

  std::vector<Gyroscope> gyroscopes_;         ///< parallel to the solver bodies
  FilteredItems<std::uint32_t> with_a_term_;  ///< solver indices
};

}  // namespace takt
