// MassLending computes the masses that contacts of a tick are solved with. A light body that a heavy one
// presses borrows mass from the heavy one. Gauss-Seidel iterations transmit a load within few passes between
// bodies of similar masses only (docs/adr/0018). The heavy body keeps what it did not lend, so the sum of the
// masses and the total weight stay. All contacts of a lender are solved with its smaller mass. Bodies in
// flight, and bodies with a contact of a soft material, neither lend nor borrow. Pressed bodies are in flight
// if no contact with a static or kinematic body carries one of their set. Gravity, forces, joints, ropes,
// restitution and continuous collision use the true masses. In a world without a high mass ratio contacts use
// the true masses too.
//
// The squeeze of a body is what contacts transmit through the body. It is half of the sum of the impulses'
// sizes, less half of the size of their sum. A body whose squeeze exceeds kPressedWeights times the impulse
// of its weight in a substep is pressed. A contact over which a heavy body arrives at a light one counts with
// the impulse that stops the heavy body. The contacts behind the light one count alike. The lender of a
// pressed body is the heaviest body that a chain of at most kMaxLendingRounds pressed bodies connects with
// it. A lender has more than kLendingMassRatio times the mass of the borrower. The result is a pure function
// of the contacts in key order, in binary64 in both numbers modes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "physics/contact_solver/contact_loads.h"

namespace takt {

template <class Real>
class MassLending {
 public:
  /// Computes the masses of the tick. Requires that loads.find(input) has returned true for the same `input`.
  void lend(const MassRatioInput<Real>& input, const ContactLoads& loads);

  /// Masses for contacts, by solver index, valid until the next lend().
  [[nodiscard]] std::span<const SolverMass<Real>> masses() const noexcept { return masses_; }
  /// Factor of mass and inertia, by solver index, above 0: below 1 for a lender, above 1 for a borrower, else
  /// 1. A borrower that lends too may have any of these.
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
