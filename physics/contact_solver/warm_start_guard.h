// WarmStartGuard reduces the impulses that contacts carry over from the last tick where these would throw a
// light body away. The impulses of a heavy body balance on a light one only with the normals and points of
// the tick that made the impulses. Any change leaves a difference that is small for the heavy body and large
// for the light one. WarmStartGuard checks bodies of unequal and of overloaded sets (contact_loads.h), but
// none of a rope or grab.
//
// Carried impulses may change a body's velocity by at most kStillWeights times the speed that forces or
// gravity add in a substep. The change includes the rotation, as the speed of equal energy. For a body with
// joints the impulses of the joints are added, and the rotation does not count, since joints carry the
// torques. Beyond the maximum all impulses of the body's contacts (normal, friction, twist, rolling) are
// scaled by one factor and so stay in their cones. The factors of both bodies of a contact multiply. Each of
// at most kMaxGuardRounds rounds over the bodies only lowers factors. The result is a pure function of the
// contacts in key order, in binary64 in both numbers modes (docs/adr/0018).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "physics/contact_solver/contact_loads.h"

namespace takt {

template <class Real>
class WarmStartGuard {
 public:
  /// Scales the impulses of `input.contacts`. Requires that loads.find(input) has returned true. `masses` are
  /// those that contacts are solved with (MassLending), by solver index.
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
