// find_soft_contact() finds the contact that a pair with a soft material (a spring) reaches in this tick from
// beyond the speculative distance (kSpeculativeDistanceM). A rigid contact may come a tick late, because
// continuous collision puts a fast body back (continuous_collision.h). A spring must not come late: it would
// miss the depth that the body gained meanwhile, and return energy that it never absorbed. ContactDetection
// therefore sweeps such a pair if the pair has no contact at the tick's start. The sweep follows the
// displacement of this tick without contacts and joints (displacement_to_soft()), unrotated, to the first
// touch. Displacements up to the speculative distance, or of 64 samples or more, are not swept. The manifold
// of the first touch applies from the tick's start; take_back() moves its separations and points to that
// time.
#pragma once

#include <algorithm>
#include <array>

#include "physics/base/solver_constants.h"
#include "physics/contacts/prepared_contact.h"
#include "physics/state/world_state.h"
#include "takt/core/assert.h"

namespace takt {

/// The displacement of b relative to a in the tick, without contacts and joints, m, world; 0 when neither
/// shape is soft.
template <class Real>
[[nodiscard]] Vec3<double> displacement_to_soft(const WorldState<Real>& state, std::uint32_t shape_a,
                                                std::uint32_t shape_b) noexcept;

/// Distance of samples along a sweep, m, above 0: kSpeculativeDistanceM and half of the larger
/// smallest_half() of both shapes. Shapes that pass each other have a contact at one of the samples.
template <class Real>
[[nodiscard]] double sample_length(const WorldState<Real>& state, std::uint32_t shape_a,
                                   std::uint32_t shape_b) noexcept;

/// The overlap at which the contact of a soft pair becomes rigid, m: kSoftDepthFraction of the sum of both
/// smallest half extents. At a mesh or height field the result is that fraction of the other shape's extent
/// along `normal`. A shape whose centre is behind a facet passes. The result is 0, no limit, at a half-space,
/// which has no far side. `normal` is unit, from a to b, world.
template <class Real>
[[nodiscard]] Real soft_depth(const WorldState<Real>& state, const ShapeRecord<Real>& a,
                              const ShapeRecord<Real>& b, Vec3<Real> normal) noexcept;

/// Moves separations and points of contact.manifold and contact.cached, computed with b displaced by `ahead`,
/// back to the bodies' poses. The dynamic flags of the contact must be set.
template <class Real>
void take_back(Vec3<Real> ahead, PreparedContact<Real>& contact) noexcept;

/// Maximum number of samples of a sweep; a longer displacement is not swept.
inline constexpr int kMaxSoftSamples = 64;
inline constexpr int kSoftHalvings = 5;

/// Upper bound of the calls of touches() in find_soft_contact().
[[nodiscard]] inline std::uint32_t max_soft_poses(Vec3<double> displacement, double sample_m) noexcept {
  double const size = length(displacement);
  if (!(size > kSpeculativeDistanceM) || !(size < kMaxSoftSamples * sample_m)) return 0;
  return static_cast<std::uint32_t>(size / sample_m) + 1 + kSoftHalvings + 1;
}

/// Searches the start of the touch along `displacement`, m, by samples of at most `sample_m`, m, above 0, and
/// bisection to 1/32 of a sample. touches(translation of b) tests one position. Returns true when a sample
/// touches; the last call of touches() is then that of the found position. Returns false without a call for
/// displacements that are not swept.
template <class Real, class Touches>
bool find_soft_contact(Vec3<double> displacement, double sample_m, const Touches& touches) {
  TAKT_ASSERT(sample_m > 0.0);
  double const size = length(displacement);
  if (!(size > kSpeculativeDistanceM) || !(size < kMaxSoftSamples * sample_m)) return false;
  int const samples = static_cast<int>(size / sample_m) + 1;
  auto const translation_at = [&displacement](double fraction) {
    return Vec3<Real>{to_real<Real>(displacement.x * fraction), to_real<Real>(displacement.y * fraction),
                      to_real<Real>(displacement.z * fraction)};
  };
  for (int i = 1; i <= samples; ++i) {
    double before = static_cast<double>(i - 1) / samples;
    double at = static_cast<double>(i) / samples;
    if (!touches(translation_at(at))) continue;
    for (int k = 0; k < kSoftHalvings; ++k) {
      double const middle = 0.5 * (before + at);
      (touches(translation_at(middle)) ? at : before) = middle;
    }
    return touches(translation_at(at));
  }
  return false;
}

}  // namespace takt
