// PassiveIslands keeps contacts of unequal bodies, and of bodies after an impact, from adding kinetic energy.
// An island is an unequal or overloaded set of dynamic bodies (contact_loads.h). The work of its contacts in
// a substep is what their passes (warm start, biased pass, relax pass) add to its kinetic energy. When the
// work is above 0, the island loses as much. In an island with a contact to a body that does not move, all
// velocities shrink by one factor. Contacts that rest or separate then go on doing so. In any other island a
// part of the velocity changes by contacts is taken back, which conserves linear and angular momentum.
//
// Islands into which contacts, ropes or grabs may bring energy are left alone. Such an island has a body of a
// rope or grab, or a contact with a moving surface, a soft material or a moving kinematic body. Energy that
// joints take between two passes counts as taken by contacts, since contacts pay for it beforehand; energy
// that joints add does not count. Potential energy, by which overlaps are pushed out, does not count.
// Energies are binary64 in both numbers modes, summed in the order of the solver bodies. The result of an
// island depends on the island alone, so several workers process islands in parallel. docs/adr/0018 has the
// measurements.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "physics/constraints/solver_bodies.h"
#include "physics/contact_solver/contact_loads.h"
#include "takt/core/task_pool.h"

namespace takt {

template <class Real>
class PassiveIslands {
 public:
  /// Finds the islands of a tick. Requires that loads.find(input) has returned true for the same `input`.
  /// Energies use the true masses of `input`.
  void find(const MassRatioInput<Real>& input, const ContactLoads& loads);
  /// Forgets the islands: the other functions do nothing until the next find().
  void clear() noexcept {
    islands_.clear();
    members_.clear();
  }

  // In each substep ContactSolver calls begin_substep(), then begin_pass() and end_pass() around each of
  // three passes (warm start, biased, relax). end_substep() then takes the work back. `bodies` are the solver
  // bodies by solver index.
  void begin_substep() noexcept;
  void begin_pass(std::span<const SolverBody<Real>> bodies, TaskPool* pool);
  void end_pass(std::span<const SolverBody<Real>> bodies, TaskPool* pool);
  void end_substep(std::span<SolverBody<Real>> bodies, TaskPool* pool);

 private:
  struct Island {
    std::uint32_t first = 0;  ///< run in members_
    std::uint32_t end = 0;
    bool grounded = false;  ///< touches a body that does not move
    bool joined = false;    ///< joints hold one of its bodies
    double work_j = 0.0;    ///< of the contacts in this substep
  };
  struct Member {
    std::uint32_t body = 0;  ///< solver index
    double mass_kg = 0.0;
    double inertia[6]{};      ///< world axes at the tick's start: xx, yy, zz, xy, xz, yz
    Vec3<double> linear_now;  ///< velocities at the start or end of the last pass
    Vec3<double> angular_now;
    Vec3<double> linear_change;  ///< by the passes of this substep
    Vec3<double> angular_change;
  };
  /// Starts the substep of an island.
  void begin_work(Island& island, std::span<const SolverBody<Real>> bodies);
  /// Adds the energy that others took since the last pass.
  void add_work_of_others(Island& island, std::span<const SolverBody<Real>> bodies);
  void settle(const Island& island, std::span<SolverBody<Real>> bodies) const;

  std::vector<Island> islands_;
  std::uint32_t pass_ = 0;                     ///< number of passes that began in this substep
  std::vector<Member> members_;                ///< island by island, by solver index
  std::vector<std::uint8_t> driven_;           ///< by set (its lowest body)
  std::vector<std::uint8_t> joined_;           ///< by set (its lowest body)
  std::vector<std::uint8_t> grounded_;         ///< by set (its lowest body)
  std::vector<std::uint32_t> contact_counts_;  ///< by set: without contact a body has no island
  std::vector<std::uint32_t> next_;            ///< by set: its bodies, then the end of its run
};

}  // namespace takt
