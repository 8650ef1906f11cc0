// MassLending computes the masses that contacts of a tick are solved with. A light body that a heavy one
// presses borrows mass from it: Gauss-Seidel iterations transmit a load within few passes between bodies of
// similar masses only (docs/adr/0018). The heavy body keeps what it did not lend, so the sum of the masses
// and the total weight stay. The impulses of a lender's other contacts are those of its smaller mass. Bodies
// in flight and bodies on springs (soft materials) neither lend nor borrow. Gravity, forces, joints, ropes,
// restitution and continuous collision use the true masses. Without a high mass ratio the masses are true.
//
// The squeeze of a body is what its contacts transmit through it: half of the sum of the impulses' sizes,
// less half of the size of their sum. A body whose squeeze exceeds kPressedWeights of its weights in a
// substep is pressed. A heavy body that arrives at a light one counts with the impulse that stops it, and so
// do the contacts behind the light one. The lender of a pressed body is the heaviest body that pressed bodies
// connect with it. The result is a pure function of the contacts in key order, in binary64 in both numbers
// modes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "physics/contact_solver/contact_loads.h"

namespace takt {

template <class Real>
class MassLending {
 public:
  /// Computes the masses of the tick. `input` as given to `loads`. Call it only when loads.find() returned
  /// true.
  void lend(const MassRatioInput<Real>& input, const ContactLoads& loads);

  /// Masses for contacts, by solver body.
  [[nodiscard]] std::span<const SolverMass<Real>> masses() const noexcept { return masses_; }
  /// Factor of mass and inertia, by solver body; 1 = neither lends nor borrows.
  [[nodiscard]] std::span<const double> factors() const noexcept { return factors_; }

 private:
  /// A pressing contact over which a pressed body learns of the heaviest body that another one knows.
  struct Offer {
    std::uint32_t to = 0;
    std::uint32_t from = 0;
  };
  struct Heaviest {
    double mass_kg = 0.0;
    std::uint32_t body = 0;
  };
  void add_arriving(const MassRatioInput<Real>& input, const ContactLoads& loads);
  void spread_arriving(const MassRatioInput<Real>& input, const ContactLoads& loads, std::uint32_t light,
                       std::uint32_t from, Vec3<double> direction, double closing_speed);
  void find_squeezes(const MassRatioInput<Real>& input, const ContactLoads& loads);
  void find_lenders(const MassRatioInput<Real>& input, const ContactLoads& loads);
  void find_grounded(const MassRatioInput<Real>& input, const ContactLoads& loads);
  void find_levels();
  void find_factors(const MassRatioInput<Real>& input, const ContactLoads& loads);

  std::vector<double> arriving_;         ///< by contact: impulse of a body that arrives, N s; 0 = none
  std::vector<Vec3<double>> sums_;       ///< by body: sum of impulses, N s
  std::vector<double> squeezes_;         ///< by body, N s
  std::vector<std::uint8_t> soft_;       ///< by body: 1 = it has a contact with a soft material
  std::vector<std::uint32_t> lenders_;   ///< by body: its lender; kNoIndex = not pressed
  std::vector<std::uint32_t> pressing_;  ///< contacts of pressed bodies that carry part of the squeeze
  std::vector<Offer> offers_;            ///< over pressing contacts, in their order
  std::vector<Heaviest> heaviest_;       ///< by body: the heaviest body that it knows
  std::vector<std::uint32_t> sets_;      ///< by body: bodies that pressing contacts connect (union_find.h)
  std::vector<std::uint8_t> grounded_;   ///< by root of a set: a body that does not move carries it
  std::vector<double> wanted_kg_;        ///< by body
  std::vector<double> lent_kg_;          ///< by lender
  std::vector<double> limits_kg_;        ///< by lender: the most that it gives in all
  std::vector<double> level_kg_;         ///< by lender: the most that it gives to one body
  std::vector<std::uint32_t> waiting_;   ///< by lender: bodies that want more than the level
  std::vector<double> factors_;
  std::vector<SolverMass<Real>> masses_;
  std::vector<std::uint32_t> queue_;   ///< contacts behind an arriving body's light body
  std::vector<std::uint8_t> reached_;  ///< by body: in the current search
  std::vector<std::uint32_t> reached_bodies_;
  double rest_m_s_ = 0.0;  ///< speed that a substep adds to a body at rest
};

}  // namespace takt
