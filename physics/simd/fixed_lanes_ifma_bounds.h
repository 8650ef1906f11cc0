// Range bounds of EightFixedLanes (fixed_lanes_ifma.h): the largest magnitudes that it multiplies exactly.
// Values are raw Q31.32 numbers, so a bound of 2^45 is 8,192. Contact blocks are checked against the bounds
// when they are prepared (fixed_lane_fallback.cpp). clamp_to_cone_raw() clamps friction in one lane for
// EightFixedLanes. This header needs no AVX-512.
#pragma once

#include <cstdint>

namespace takt {

/// Components of unit vectors, and scales of at most 1: up to 1 + 2^-12.
inline constexpr std::int64_t kMaxUnit = (std::int64_t{1} << 32) + (std::int64_t{1} << 20);
/// Lever arms and angular Jacobians, m: below 2^43, 2,048 m.
inline constexpr std::int64_t kMaxLeverArm = (std::int64_t{1} << 43) - 1;
/// Every other factor of a product: below 2^45, 8,192 m/s or N s.
inline constexpr int kFactorBits = 45;
inline constexpr std::int64_t kMaxFactor = (std::int64_t{1} << kFactorBits) - 1;
/// Substep rates, 1/s: below 2^48, 65,536 1/s.
inline constexpr std::int64_t kMaxRate = (std::int64_t{1} << 48) - 1;

// Bit at which a mantissa is split in two. Exponents of masses and inertias are below 0; those of inertias
// are at least kMinInertiaExponent.
inline constexpr int kMassCut = 47;
inline constexpr int kInertiaCut = 45;
inline constexpr int kMinInertiaExponent = -kInertiaCut - 61;

/// Scales (x, y) down to length `limit` as FixedLanes::clamp_to_cone(). All three are raw Q31.32 values. The
/// function is built for the baseline CPU (clamp_fixed.cpp).
void clamp_to_cone_raw(std::int64_t& x, std::int64_t& y, std::int64_t limit) noexcept;

}  // namespace takt
