#include "physics/step/substeps.h"

#include "physics/step/energy_meter.h"
#include "physics/step/integrate_bodies.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

/// Inputs of one substep.
template <class Real>
struct Substep {
  const WorldState<Real>& state;
  const StepConstants<Real>& constants;
  SolverBodies<Real>& bodies;
  std::uint32_t lanes = 0;  ///< as in StepOptions
  TaskPool* pool = nullptr;
  EnergyMeter<Real> energy;
};

template <class Real>
void run_substep(const Substep<Real>& at, SubstepSolvers<Real>& solvers) {
  JointSolver<Real>& joints = solvers.joints;
  JointBodies<Real> const jointed = joint_bodies(at.bodies, at.pool);
  bool const with_joints = !joints.empty();
  integrate_velocities(at.bodies, at.pool);
  at.energy.mark(EnergyStage::kForces);
  bool const moved = solvers.restitution.solve();
  at.energy.mark(EnergyStage::kRestitution);
  solvers.gyroscopic.begin_substep(at.bodies, at.constants.substep_s, at.lanes, at.pool);
  if (with_joints) joints.begin_substep(at.state, jointed, moved);
  at.energy.mark(EnergyStage::kJointStart);
  solvers.grabs.warm_start(at.bodies);
  solvers.contacts.warm_start();
  if (with_joints && joints.any_guarded()) {
    solvers.ropes.list_pin_impulses(at.bodies, solvers.pin_impulses);
    joints.guard_warm_start(jointed, solvers.pin_impulses);
    solvers.ropes.take_warm_start(solvers.pin_impulses);
  }
  at.energy.mark(EnergyStage::kContactStart);
  solvers.grabs.solve(at.bodies, at.constants.grab);
  at.energy.mark(EnergyStage::kGrabs);
  // Joints are solved first, so that contacts see the load of jointed bodies, and last, so that joints end
  // the pass without error.
  if (with_joints) joints.solve(jointed, false);
  at.energy.mark(EnergyStage::kJoints);
  solvers.ropes.solve(at.bodies, joints.response(jointed));
  at.energy.mark(EnergyStage::kRopes);
  solvers.contacts.solve(true);
  at.energy.mark(EnergyStage::kContacts);
  if (with_joints) joints.solve(jointed, true);
  at.energy.mark(EnergyStage::kJointsAgain);
  integrate_positions(at.bodies, at.constants.substep, at.pool);
  solvers.gyroscopic.end_substep(at.bodies, at.lanes, at.pool);
  solvers.restitution.settle();
  at.energy.mark(EnergyStage::kPositions);
  if (with_joints) joints.begin_relax(at.state, jointed);
  solvers.contacts.solve(false);
  at.energy.mark(EnergyStage::kRelaxContacts);
  if (with_joints) joints.solve(jointed, false);
  if (with_joints) joints.end_substep(jointed);
  at.energy.mark(EnergyStage::kRelaxJoints);
}

/// Index 0 stands for every body that does not move. A change of it would move all static bodies.
template <class Real>
bool is_at_rest(const SolverBody<Real>& body) noexcept {
  Vec3<Real> const zero{};
  return vector_of(body.linear_velocity) == zero && vector_of(body.angular_velocity) == zero &&
         vector_of(body.delta_position) == zero && vector_of(body.delta_rotation) == zero;
}

template <class Real>
void add_external_loads(const WorldState<Real>& state, double substep_s, std::size_t body_count,
                        SubstepSolvers<Real>& solvers) {
  solvers.external.assign(body_count, {});
  solvers.joints.add_external_loads(state, substep_s, solvers.external);
  solvers.ropes.add_external_loads(solvers.external);
  for (const PreparedGrab<Real>& grab : solvers.grabs.grabs())
    solvers.external[grab.body].source = LoadSource::kUnknown;
}

}  // namespace

template <class Real>
void run_substeps(const WorldState<Real>& state, const StepConstants<Real>& constants,
                  const StepOptions& options, NarrowPhaseResults<Real>& contacts, SolverBodies<Real>& bodies,
                  SubstepSolvers<Real>& solvers, StepStatus& status) {
  TAKT_ASSERT(constants.substeps > 0 && !bodies.bodies.empty());
  solvers.joints.mark_joined(contacts.contacts);
  add_external_loads(state, constants.substep_s, bodies.bodies.size(), solvers);
  solvers.contacts.prepare(contacts, bodies, constants.contact,
                           {constants.weight_m_s, options.lanes, options.pool, solvers.external});
  status.colour_count = solvers.contacts.layout().colour_count;
  status.overflow_contact_count = solvers.contacts.layout().overflow_count;
  solvers.restitution.begin({contacts.contacts, bodies.bodies, bodies.masses, bodies.moving, &state,
                             state.def.restitution_threshold_m_s, constants.substep_s,
                             constants.substep_s * static_cast<double>(constants.substeps),
                             contacts.contact_bodies});
  Substep<Real> at{state, constants, bodies, options.lanes, options.pool, {state, bodies, options.energy}};
  for (std::uint32_t substep = 0; substep < constants.substeps; ++substep) {
    at.energy.begin_substep(substep);
    run_substep(at, solvers);
  }
  TAKT_VALIDATE(is_at_rest(bodies.bodies[0]));
  status.contact_point_count = solvers.contacts.store_impulses();
}

#define TAKT_INSTANTIATE(Real)                                                                        \
  template void run_substeps(const WorldState<Real>&, const StepConstants<Real>&, const StepOptions&, \
                             NarrowPhaseResults<Real>&, SolverBodies<Real>&, SubstepSolvers<Real>&,   \
                             StepStatus&);
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
