// RestitutionSolver makes contacts bounce: those with a coefficient of restitution e above 0 that close
// faster than the world's threshold. run_substeps() calls solve() in each substep, after velocities are
// integrated and before any contact pass; those passes start from the velocities after the impact. Impacts
// are solved generation after generation: first the contacts that close fast, then the contacts that close
// fast because of those bounces. So a row of balls transmits an impact from one to the next. A contact
// bounces at most eight times in a substep, in at most 256 generations; the contact passes absorb the rest
// without restitution. A generation is solved together with the loaded contacts that support the hit bodies;
// these supports have no restitution. Float mode and fixed mode both compute impacts in binary64. The result
// is a pure function of the tick's contacts, in key order, and of its bodies.
//
// A generation solves min 1/2 p^T K p + p^T (v - target), p >= 0, K = J M^-1 J^T, by projected Gauss-Seidel.
// The target is -e v, corrected for gravity, for a row that closes faster than the threshold. The target is 0
// for any other impact row. The target of a support row is -|v|. Friction then acts once, inside the cone of
// those impulses, and never adds energy. With one e and no friction the solve adds no energy: its work is 1/2
// p . (v + v').
//
// An impact has a time t within the substep, until which the bodies moved freely. After positions are
// integrated, settle() therefore corrects each position by -t (velocity change). solve() itself applies the
// corrections for t of 0 or less, an impact before the substep. The rebound has the speed of free flight at
// time t. A ball bouncing on a floor loses no energy to the step length. A body that carries load does not
// fall: its part of gravity, which its supports remove later, takes no part in the impact.
#pragma once

#include <cstdint>
#include <vector>

#include "physics/contact_solver/restitution_rows.h"
#include "physics/contacts/contact_graph.h"

namespace takt {

template <class Real>
class RestitutionSolver {
 public:
  /// Starts a tick. The data of `problem` must stay valid until the last settle() of the tick.
  void begin(const RestitutionProblem<Real>& problem);
  /// Solves the impacts of a substep. Changes velocities, and normal_velocity, hit_point and total_impulse of
  /// contacts. Returns true if a position or rotation has changed, by an impact before the substep.
  [[nodiscard]] bool solve();
  /// Applies the position corrections of the substep's other impacts. Call it once a substep, after positions
  /// are integrated.
  void settle();

 private:
  /// Velocities and separations of a contact's points now.
  struct Closing {
    std::array<double, 4> velocity{};    ///< m/s; below 0 approaching
    std::array<double, 4> separation{};  ///< m
    std::uint32_t points = 0;            ///< bit per point that closes the gap within the substep
    std::uint32_t fastest = 0;           ///< index of the fastest of those points
    bool is_fast = false;                ///< faster than the threshold
  };

  [[nodiscard]] Closing measure(std::uint32_t contact) const;
  void consider(std::uint32_t contact);
  void run_generation();
  /// Time of an impact from the substep's start, s. `gained`: velocity by gravity and forces in a substep,
  /// m/s.
  [[nodiscard]] double time_of_touch(double separation, double velocity, double gained) const;
  [[nodiscard]] std::uint32_t support_points(const PreparedContact<Real>& contact) const noexcept;
  /// True if another contact of the body carries load.
  [[nodiscard]] bool is_supported(std::uint32_t body, std::uint32_t by_others_than) const;
  void add_contact(std::uint32_t contact);
  void add_supports();
  void move(const PositionCorrection& correction);

  RestitutionProblem<Real> at_;
  bool moved_ = false;                     ///< a body was moved in this substep
  std::vector<std::uint32_t> candidates_;  ///< contacts that may bounce
  std::vector<double> reach_;              ///< by body: upper bound of its lever arms at candidates, m
  std::vector<double> speed_;              ///< by body: upper bound of the speed of its points, m/s
  std::vector<std::uint8_t> bounces_;      ///< by contact: its bounces in this substep
  std::vector<std::uint32_t> active_;      ///< contacts that bounce in the next generation
  std::vector<std::uint32_t> changed_;     ///< bodies whose velocities the generation changed
  std::vector<std::uint32_t> next_;        ///< contacts to test for the generation after it
  PositionCorrections corrections_;        ///< corrections to apply in settle()
  std::vector<PositionCorrection> late_;   ///< of a generation: corrections by impacts before the substep
  ContactLinks links_;
  RestitutionRows<Real> rows_;
  bool linked_ = false;
};

}  // namespace takt
