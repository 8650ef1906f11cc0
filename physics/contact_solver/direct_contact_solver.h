// The direct solve of heavy loads: the contacts of each load group (mass_ratio_groups.h), normal rows,
// friction and twist together, rigid, by L D L^T with an active set, in every pass of every substep. It works
// on blocks of one lane, whose own Gauss-Seidel sweep follows and has the last word on cones and signs.
//
// A pass minimises 1/2 d^T K d + r^T d over the changes d of the impulses, K = J M^-1 J^T, r the rows'
// velocity errors: each row ends without error or on its bound (CONSTRAINTS.md 2.2). It starts from impulses
// that keep the bounds and only ever goes down, so it may stop at any time. Binary64 in both number modes
// (docs/adr/0007).
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

/// One group: its rows in the solver's list, its matrix from `matrix` on.
struct DirectProblem {
  std::uint32_t first_row = 0;
  std::uint32_t end_row = 0;
  std::size_t matrix = 0;
  Profile profile;
  ProfileFactor factor;   ///< of the last pass: the next mostly takes the same rows
  bool factored = false;  ///< in this tick
};

/// Scratch of one worker, by row of the problem.
struct alignas(64) DirectScratch {
  std::vector<double> shift;     ///< added to the diagonal
  std::vector<double> start;     ///< impulses before the pass, N s
  std::vector<double> impulses;  ///< now
  std::vector<double> errors;    ///< velocity errors now, m/s
  std::vector<double> changes;   ///< of the impulses, along which the round goes
  std::vector<std::uint8_t> taken;
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
  /// Finds the groups of this tick. A contact in a group must stay out of the other blocks: takes(place).
  void find(const MassRatioInput<Real>& question) { find_mass_ratio_groups(question, groups_); }
  [[nodiscard]] bool takes(std::size_t contact) const noexcept { return groups_.taken[contact] != 0; }
  /// By prepared contact: not 0 in a group.
  [[nodiscard]] std::span<const std::uint8_t> taken() const noexcept { return groups_.taken; }
  /// Places in the prepared contacts, one a block.
  [[nodiscard]] std::span<const std::uint32_t> order() const noexcept { return groups_.contacts; }

  /// After the blocks of order() are filled with the kernels of one lane, all with extras: makes them rigid
  /// and builds rows and matrices.
  void prepare(const BlockMemory& memory, TaskPool* pool);
  /// The direct solve of each group, then a sweep over its contacts.
  void solve(const DirectIteration<Real>& pass);

 private:
  GroupBodies name_bodies(const DirectProblem& problem);
  void build_matrix(DirectProblem& problem);
  void make_room(TaskPool* pool);
  void solve_group(const DirectIteration<Real>& pass, std::uint32_t group, DirectScratch& scratch);

  MassRatioGroups groups_;
  std::vector<DirectProblem> problems_;
  std::size_t problem_count_ = 0;
  std::vector<DirectRow> rows_;
  std::vector<std::uint32_t> bodies_;     ///< the solver's places of each problem's bodies that move
  std::vector<GroupBodies> body_ranges_;  ///< by problem
  std::vector<double> matrix_;
  GroupClusters clusters_;
  std::vector<DirectScratch> scratch_;  ///< by worker
};

}  // namespace takt
