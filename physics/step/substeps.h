// run_substeps() runs the substeps of a tick; StepPipeline calls it with the solvers in SubstepSolvers. A
// substep integrates velocities, solves restitution and applies warm starts. It then solves grabs, joints
// without bias, ropes, contacts with bias, and joints with bias. After positions are integrated, a relax pass
// without bias solves contacts and joints. Workers share independent work: blocks of one contact colour,
// passive islands (passive_islands.h), batched joints, and bodies. One worker does the rest in a fixed order:
// restitution, grabs, ropes, joints outside batches, and contacts past the last colour.
#pragma once

#include <cstdint>
#include <vector>

#include "physics/constraints/solver_bodies.h"
#include "physics/contact_solver/contact_solver.h"
#include "physics/contact_solver/restitution_solver.h"
#include "physics/contacts/narrow_phase_results.h"
#include "physics/joints/grab_solver.h"
#include "physics/joints/joint_solver.h"
#include "physics/ropes/rope_solver.h"
#include "physics/state/world_state.h"
#include "physics/step/gyroscopic_term.h"
#include "physics/step/step_constants.h"
#include "takt/physics/step.h"

namespace takt {

/// The solvers that act on the shared bodies in every substep. Each owns its scratch.
template <class Real>
struct SubstepSolvers {
  GyroscopicTerm<Real> gyroscopic;
  ContactSolver<Real> contacts;
  RestitutionSolver<Real> restitution;
  JointSolver<Real> joints;
  GrabSolver<Real> grabs;
  RopeSolver<Real> ropes;
  std::vector<ExternalLoad> external;    ///< by solver body, of this tick
  std::vector<PinImpulse> pin_impulses;  ///< scratch
};

/// Refers to `bodies`, which must outlive the result. `pool` may be null.
template <class Real>
[[nodiscard]] JointBodies<Real> joint_bodies(SolverBodies<Real>& bodies, TaskPool* pool) {
  return {bodies.bodies, bodies.masses, bodies.moving, bodies.solver_index, pool};
}

/// Runs the substeps on `bodies` and `contacts`. Joints, grabs and ropes in `solvers` must be prepared;
/// contacts and restitution are prepared here. Sets colour_count, overflow_contact_count and
/// contact_point_count of `status`.
template <class Real>
void run_substeps(const WorldState<Real>& state, const StepConstants<Real>& constants,
                  const StepOptions& options, NarrowPhaseResults<Real>& contacts, SolverBodies<Real>& bodies,
                  SubstepSolvers<Real>& solvers, StepStatus& status);

}  // namespace takt
