// Impacts with restitution. In each substep, when the velocities that gravity and forces give are known and
// before any contact is solved, contacts that close faster than the threshold bounce: generation after
// generation, so that a row of balls hands a blow on from one to the next. All contacts that close at one
// time are solved together, with the contacts under load that hold up what is hit, which give nothing back.
// What follows (soft contacts) finds nothing left of the impact. Binary64 in both number modes; a pure
// function of the tick's sorted contacts and its bodies.
//
// A generation: min 1/2 p^T K p + p^T (v - target), p >= 0, K = J M^-1 J^T, by projected Gauss-Seidel to
// convergence. Target of a row that closes faster than the threshold: -e v; of any other 0; of a support row,
// no faster than it was. Friction then acts once, within the cone of those impulses, and only takes energy.
// With one e and no friction such a solve never adds energy: its work is 1/2 p . (v + v').
//
// When within the substep they met counts: until then bodies went on as they were, so each shift is put right
// by -t (change of velocity), and the rebound is that of the speed in free flight at that moment. A ball on a
// floor loses nothing to the length of the step.
#pragma once

#include <cstdint>
#include <vector>

#include "physics/contact_solver/restitution_rows.h"
#include "physics/contacts/contact_graph.h"

namespace takt {

template <class Real>
class RestitutionSolver {
 public:
  /// At the tick's start.
  void begin(const RestitutionProblem<Real>& problem);
  /// Changes velocities, and the total impulse and approach of contacts. True when it has moved a body too:
  /// one that was hit before the substep began.
  [[nodiscard]] bool solve();
  /// After the substep's positions were integrated: what bodies did before they met.
  void settle();

 private:
  /// The points of a contact as they stand.
  struct Closing {
    std::array<double, 4> velocity{};    ///< m/s; below 0 approaching
    std::array<double, 4> separation{};  ///< m
    std::uint32_t points = 0;            ///< bit per point that closes within the substep
    std::uint32_t fastest = 0;           ///< of those
    bool is_fast = false;                ///< faster than the threshold
  };

  [[nodiscard]] Closing measure(std::uint32_t contact) const;
  void consider(std::uint32_t contact);
  void run_generation();
  void add_contact(std::uint32_t contact);
  void add_supports();
  void move(const VelocityChange& shift);

  RestitutionProblem<Real> at_;
  bool moved_ = false;                     ///< in this substep, at once
  std::vector<std::uint32_t> candidates_;  ///< contacts that may bounce
  std::vector<double> reach_;              ///< by body: at least its longest arm to a point of a candidate, m
  std::vector<double> speed_;              ///< by body: at least that of its fastest point, m/s
  std::vector<std::uint32_t> active_;      ///< contacts that bounce in the generation that comes
  std::vector<std::uint32_t> changed_;     ///< bodies whose velocities the generation changed
  std::vector<std::uint32_t> next_;        ///< contacts that may bounce after it
  std::vector<VelocityChange> shifts_;     ///< to come when positions are integrated
  ContactLinks links_;
  RestitutionRows<Real> rows_;
  bool linked_ = false;
};

}  // namespace takt
