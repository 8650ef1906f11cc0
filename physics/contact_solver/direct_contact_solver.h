// DirectContactSolver solves the contacts of each mass-ratio group (a heavy body on much lighter ones,
// mass_ratio_groups.h) as one linear system. The system has the normal, friction and twist rows of the group
// together, without softness. ContactSolver calls find() and prepare() once a tick, and solve() in every pass
// of every substep. For each group solve() factors the matrix by L D L^T, or updates the factors of the last
// pass. An active set finds the sliding and the open rows. After the groups that share bodies, one
// Gauss-Seidel pass over their contacts makes the final clamps. Each contact of a group has a constraint
// block of its own.
//
// The direct solution of a group minimises 1/2 d^T K d + r^T d over the impulse changes d. K is J M^-1 J^T, r
// has the velocity errors of the rows. At the minimum each row has no error or stands on its bound. The bound
// of friction is the cone of the current normal impulses (CONSTRAINTS.md 2.2). The start is feasible and the
// objective only decreases, so a solution that runs out of rounds leaves a valid state. Float mode and fixed
// mode both compute the solution in binary64 (docs/adr/0007).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "physics/contact_solver/contact_constraint.h"
#include "physics/contact_solver/direct_contact_rows.h"
#include "physics/contact_solver/mass_ratio_groups.h"
#include "physics/math/skyline_ldlt.h"
#include "takt/core/task_pool.h"

namespace takt {

/// One group: its rows in the solver's list, and its matrix from offset `matrix`.
struct DirectProblem {
  std::uint32_t first_row = 0;
  std::uint32_t end_row = 0;
  std::size_t matrix = 0;
  Profile profile;
  SkylineFactor factor;   ///< of the last pass: the active rows change little between passes
  bool factored = false;  ///< in this tick
};

/// Scratch of one worker, by row of the problem.
struct alignas(64) DirectScratch {
  std::vector<double> regularization;          ///< added to the diagonal of K
  std::vector<double> start;                   ///< impulses before the pass, N s
  std::vector<double> impulses;                ///< current, N s
  std::vector<double> errors;                  ///< current velocity errors, m/s
  std::vector<double> changes;                 ///< impulse changes of the round, N s
  std::vector<std::uint8_t> taken;             ///< 1 = active
  std::vector<Vec3<double>> velocity_changes;  ///< linear and angular, by body of the problem
};

/// A pass over all groups.
template <class Real>
struct DirectIteration {
  const ContactKernels<Real>& kernels;  ///< of one lane
  const BlockMemory& memory;
  SolverBody<Real>* bodies = nullptr;
  const ContactParameters<Real>& parameters;
  bool use_bias = false;
  TaskPool* pool = nullptr;
};

template <class Real>
class DirectContactSolver {
 public:
  /// Finds the groups of this tick. Contacts with takes(index) must stay out of the other blocks.
  void find(const MassRatioInput<Real>& input) { find_mass_ratio_groups(input, groups_); }
  [[nodiscard]] bool takes(std::size_t contact) const noexcept { return groups_.taken[contact] != 0; }
  /// By prepared contact: not 0 in a group.
  [[nodiscard]] std::span<const std::uint8_t> taken() const noexcept { return groups_.taken; }
  /// Contact indices, one a block.
  [[nodiscard]] std::span<const std::uint32_t> order() const noexcept { return groups_.contacts; }

  /// After the kernels of one lane have filled the blocks of order(), all with extras: makes the blocks rigid
  /// and builds rows and matrices.
  void prepare(const BlockMemory& memory, TaskPool* pool);
  /// One pass: the direct solution of each group, then a Gauss-Seidel pass over its contacts.
  void solve(const DirectIteration<Real>& pass);

 private:
  GroupBodies number_bodies(const DirectProblem& problem);
  void build_matrix(DirectProblem& problem);
  void reserve_scratch(TaskPool* pool);
  void solve_group(const DirectIteration<Real>& pass, std::uint32_t group, DirectScratch& scratch);

  MassRatioGroups groups_;
  std::vector<DirectProblem> problems_;
  std::size_t problem_count_ = 0;
  std::vector<DirectRow> rows_;
  std::vector<std::uint32_t> bodies_;     ///< solver body indices of moving bodies, problem by problem
  std::vector<GroupBodies> body_ranges_;  ///< by problem
  std::vector<double> matrix_;
  GroupClusters clusters_;
  std::vector<DirectScratch> scratch_;  ///< by worker
};

}  // namespace takt
