// What comes to a soft material within a tick, from farther than contacts are made at
// (kSpeculativeDistanceM). A rigid contact may come a tick late: the sweep puts a fast body back
// (continuous_collision.h). A spring may not, or it would not feel how deep the body went meanwhile, and
// would give back what it never took. So a pair with a soft shape that has no contact is followed along its
// way in this tick, as it goes without contacts and without turning, to where the two first touch; the
// manifold of that place counts from the tick's start, its points as far apart as they are then.
#pragma once

#include <algorithm>
#include <array>

#include "physics/base/solver_constants.h"
#include "physics/contacts/prepared_contact.h"
#include "physics/state/world_state.h"

namespace takt {

/// The displacement of b in the tick as seen from a, when one of the two shapes is soft and that may bring
/// them together; else 0.
template <class Real>
[[nodiscard]] Vec3<double> displacement_to_soft(const WorldState<Real>& state, std::uint32_t shape_a,
                                                std::uint32_t shape_b) noexcept;

/// Samples of a way: no two are farther apart than what is sure to be seen from one of them, m.
template <class Real>
[[nodiscard]] double sample_length(const WorldState<Real>& state, std::uint32_t shape_a,
                                   std::uint32_t shape_b) noexcept;

/// Puts the manifold that was made with b shifted by `ahead` where the bodies stand: separations and points.
template <class Real>
void take_back(Vec3<Real> ahead, PreparedContact<Real>& contact) noexcept;

/// The first part of `way` from which touches(shift) holds, found by samples and halving; touches is left
/// with that as its last call. False: none does.
template <class Real, class Touches>
bool find_soft_contact(Vec3<double> displacement, double sample_m, const Touches& touches) {
  constexpr int kMaxSamples = 64;
  constexpr int kHalvings = 5;
  double const size = length(displacement);
  if (!(size > kSpeculativeDistanceM) || !(size < kMaxSamples * sample_m)) return false;
  int const samples = static_cast<int>(size / sample_m) + 1;
  auto const translation_at = [&displacement](double fraction) {
    return Vec3<Real>{to_real<Real>(displacement.x * fraction), to_real<Real>(displacement.y * fraction),
                      to_real<Real>(displacement.z * fraction)};
  };
  for (int i = 1; i <= samples; ++i) {
    double before = static_cast<double>(i - 1) / samples;
    double at = static_cast<double>(i) / samples;
    if (!touches(translation_at(at))) continue;
    for (int k = 0; k < kHalvings; ++k) {
      double const middle = 0.5 * (before + at);
      (touches(translation_at(middle)) ? at : before) = middle;
    }
    return touches(translation_at(at));
  }
  return false;
}

}  // namespace takt
