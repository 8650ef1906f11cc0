// What the eight lanes of fixed mode know how to compute with (eight_fixed_lanes.h). Numbers are raw, so a bound of 2^45 is 8,192.
#pragma once

#include <cstdint>

namespace takt {

/// Parts of unit vectors and scales of at most 1: no larger than 1 + 2^-12.
inline constexpr std::int64_t kMostUnit = (std::int64_t{1} << 32) + (std::int64_t{1} << 20);
/// Arms, m, and arms x normals: below 2^43, 2 km.
inline constexpr std::int64_t kMostArm = (std::int64_t{1} << 43) - 1;
/// All else that becomes a factor: below 2^45, 8,192 m/s or N s.
inline constexpr int kSeenBits = 45;
inline constexpr std::int64_t kMostSeen = (std::int64_t{1} << kSeenBits) - 1;
/// Substep rates, 1/s: below 2^48.
inline constexpr std::int64_t kMostRate = (std::int64_t{1} << 48) - 1;

// Where a mantissa is cut in two. Exponents of masses are below 0, and those of inertias no less than so far below.
inline constexpr int kMassCut = 47;
inline constexpr int kInertiaCut = 45;
inline constexpr int kLeastInertiaExponent = -kInertiaCut - 61;

}  // namespace takt
