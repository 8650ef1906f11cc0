// ContactSolver solves the contacts of a tick. prepare() assigns them to constraint blocks (contacts side by
// side for SIMD) and fills the blocks, once a tick. In every substep warm_start() runs once and solve()
// twice: a biased pass and a relax pass. store_impulses() copies the results into the contacts after the last
// substep. Workers solve the blocks of one graph colour in parallel: these have no body in common that
// impulses move. A colour ends before the next begins. Contacts of bodies with a high mass ratio are solved
// with the masses of MassLending and with the impulses that WarmStartGuard leaves. run_substeps()
// (physics/step/substeps.h) calls ContactSolver and integrates; RestitutionSolver computes bounces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "physics/base/aligned_buffer.h"
#include "physics/constraints/solver_bodies.h"
#include "physics/contact_solver/block_assignment.h"
#include "physics/contact_solver/contact_constraint.h"
#include "physics/contact_solver/contact_loads.h"
#include "physics/contact_solver/mass_lending.h"
#include "physics/contact_solver/passive_islands.h"
#include "physics/contact_solver/warm_start_guard.h"
#include "physics/contacts/narrow_phase_results.h"
#include "takt/core/task_pool.h"

namespace takt {

/// Constants of a tick for the contact solver.
struct ContactTick {
  double weight_m_s = 0.0;  ///< speed that the world's gravity adds in a substep, m/s
  std::uint32_t lanes = 0;  ///< as in StepOptions
  TaskPool* pool = nullptr;
  std::span<const ExternalLoad> external;  ///< by solver index; read by prepare() only
};

template <class Real>
class ContactSolver {
 public:
  /// Assigns and fills the blocks of a tick. `contacts`, `bodies`, `parameters` and the pool must stay valid
  /// and in place until store_impulses() returns. `contacts` ascend by key and child.
  void prepare(NarrowPhaseResults<Real>& contacts, SolverBodies<Real>& bodies,
               const ContactParameters<Real>& parameters, const ContactTick& tick);
  /// Adds the impulses of the last tick or substep to the velocities; the first call of each substep.
  void warm_start();
  /// One pass over all contacts: the biased pass, or the relax pass (false), which ends the contacts' part of
  /// a substep.
  void solve(bool use_bias);
  /// Stores impulses, friction anchors and total impulses in the contacts, after the last substep. Returns
  /// the number of contact points.
  [[nodiscard]] std::uint32_t store_impulses();

  /// Colours and contacts of the last prepare().
  [[nodiscard]] const BlockLayout& layout() const noexcept { return assignment_.layout(); }

 private:
  /// Blocks of one lane count.
  struct Blocks {
    const ContactKernels<Real>* kernels = nullptr;
    AlignedBuffer blocks;
    AlignedBuffer extras;
    BlockMemory memory;

    void reserve(std::size_t count, std::size_t first_special) {
      memory = {blocks.reserve(count * kernels->block_bytes),
                extras.reserve((count - first_special) * kernels->extra_bytes), first_special};
    }
  };

  [[nodiscard]] ContactTask<Real> task_of(std::span<const std::uint32_t> order) const noexcept {
    return {order, results_->contacts, masses_, bodies_->bodies};
  }
  void prepare_masses(const ContactTick& tick);
  void reserve_blocks(const ContactTick& tick);
  template <class Body>
  void for_colours(const Body& body) const;
  template <class Body>
  void for_all_blocks(const Body& body) const;

  NarrowPhaseResults<Real>* results_ = nullptr;  ///< of this tick
  SolverBodies<Real>* bodies_ = nullptr;
  const ContactParameters<Real>* parameters_ = nullptr;
  TaskPool* pool_ = nullptr;
  BlockAssignment assignment_;
  Blocks coloured_;
  ContactLoads loads_;
  MassLending<Real> lending_;
  WarmStartGuard<Real> guard_;
  PassiveIslands<Real> islands_;
  std::span<const SolverMass<Real>> masses_;  ///< that contacts are solved with, by solver body
  std::size_t grain_ = 1;                     ///< blocks of a task
};

}  // namespace takt
