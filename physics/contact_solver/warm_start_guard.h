// WarmStartGuard reduces the impulses that contacts carry over from the last tick where they would blow a
// light body up. The impulses of a heavy body balance on a light one only with the normals and points of the
// tick that made them. Any change leaves a difference that is small for the heavy body and large for the
// light one. Bodies of unequal and of overloaded sets (contact_loads.h) are checked.
//
// Carried impulses may change a body's velocity (with its rotation, by energy) by at most kStillWeights times
// what forces or gravity add in a substep; a body that joints hold counts with the mass that they hold it
// with. Beyond that all impulses of the body's contacts (normal, friction, twist, rolling) are scaled by one
// factor and so stay in their cones. The factors of neighbours multiply; each of at most kMaxGuardRounds
// rounds only lowers them. The result is a pure function of the contacts in key order, in binary64 in both
// numbers modes (docs/adr/0018).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "physics/contact_solver/contact_loads.h"

namespace takt {

template <class Real>
class WarmStartGuard {
 public:
  /// Scales the impulses of `input.contacts`. `masses`: those that contacts are solved with.
  void guard(const MassRatioInput<Real>& input, const ContactLoads& loads,
             std::span<const SolverMass<Real>> masses);

 private:
  /// Sums over the contacts of a body, each times its factor.
  struct Carried {
    Vec3<double> impulse;  ///< N s
    Vec3<double> torque;   ///< N m s
  };
  [[nodiscard]] Carried carried_by(const ContactLoads& loads, const MassRatioInput<Real>& input,
                                   std::uint32_t body) const;
  [[nodiscard]] double factor_of(const MassRatioInput<Real>& input, const SolverMass<Real>& mass,
                                 std::uint32_t body, const Carried& carried) const;

  std::vector<double> factors_;          ///< by contact
  std::vector<std::uint32_t> suspects_;  ///< bodies whose carried impulses could be too large, ascending
  double rest_m_s_ = 0.0;
};

}  // namespace takt
