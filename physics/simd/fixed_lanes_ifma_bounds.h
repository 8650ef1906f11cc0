// Largest magnitudes that the eight IFMA lanes of fixed mode multiply exactly (fixed_lanes_ifma.h). The
// numbers are raw Q31.32 values, so a bound of 2^45 is 8,192. This header needs no AVX-512.
#pragma once

#include <cstdint>

namespace takt {

/// Parts of unit vectors and scales of at most 1: no larger than 1 + 2^-12.
inline constexpr std::int64_t kMaxUnit = (std::int64_t{1} << 32) + (std::int64_t{1} << 20);
/// Arms, m, and arms x normals: below 2^43, 2 km.
inline constexpr std::int64_t kMaxLeverArm = (std::int64_t{1} << 43) - 1;
/// All else that becomes a factor: below 2^45, 8,192 m/s or N s.
inline constexpr int kFactorBits = 45;
inline constexpr std::int64_t kMaxFactor = (std::int64_t{1} << kFactorBits) - 1;
/// Substep rates, 1/s: below 2^48.
inline constexpr std::int64_t kMaxRate = (std::int64_t{1} << 48) - 1;

// Where a mantissa is cut in two. Exponents of masses are below 0, and those of inertias no less than so far
// below.
inline constexpr int kMassCut = 47;
inline constexpr int kInertiaCut = 45;
inline constexpr int kMinInertiaExponent = -kInertiaCut - 61;

/// FixedLanes::clamp_to_cone on raw values, built for the baseline CPU (clamp_fixed.cpp).
void clamp_to_cone_raw(std::int64_t& x, std::int64_t& y, std::int64_t limit) noexcept;

}  // namespace takt
