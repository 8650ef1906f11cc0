// run_substeps() runs the substeps of a tick; StepPipeline calls it with the solvers in SubstepSolvers. A
// substep integrates velocities, solves restitution, applies warm starts, and runs a biased pass over joints,
// ropes and contacts. Then it integrates positions and runs a relax pass without bias over contacts and
// joints. Workers share independent work: blocks of one contact colour, passive islands
// (passive_islands.h), batched joints, and bodies. One worker does the rest in a fixed order:
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
  std::vector<ExternalLoad> external;  ///< by solver body, of this tick
};

template <class Real>
[[nodiscard]] JointBodies<Real> joint_bodies(SolverBodies<Real>& bodies, TaskPool* pool) {
  return {bodies.bodies, bodies.masses, bodies.moving, bodies.solver_index, pool};
}

/// Runs the substeps on `bodies` and `contacts`. Needs prepared joints, grabs and ropes. Counts colours,
/// overflow and points into `status`.
template <class Real>
void run_substeps(const WorldState<Real>& state, const StepConstants<Real>& constants,
                  const StepOptions& options, NarrowPhaseResults<Real>& contacts, SolverBodies<Real>& bodies,
                  SubstepSolvers<Real>& solvers, StepStatus& status);

}  // namespace takt
