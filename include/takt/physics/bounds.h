// is_at_least(), is_at_most() and is_between() compare a number with the bounds of a range that a user reads.
// Both ends belong to the range on every peer: the binary32 number nearest to a bound counts as the bound.
// Commands, network messages and worlds of float mode hold binary32 numbers, and 0.005 is below itself after
// that rounding. A number between a bound and its rounded value is inside, too. Bounds that no binary32
// number meets do not need these functions.
#pragma once

namespace takt {

/// The binary32 number nearest to a bound; the bound itself beyond the range of binary32.
[[nodiscard]] constexpr double binary32_bound(double bound) noexcept {
  constexpr double kMax = 3.4028234663852886e38;
  return bound >= -kMax && bound <= kMax ? static_cast<double>(static_cast<float>(bound)) : bound;
}

/// True for a number at or above the bound, or equal to the rounded bound; false for NaN.
[[nodiscard]] constexpr bool is_at_least(double value, double low) noexcept {
  return value >= low || value >= binary32_bound(low);
}

/// True for a number at or below the bound, or equal to the rounded bound; false for NaN.
[[nodiscard]] constexpr bool is_at_most(double value, double high) noexcept {
  return value <= high || value <= binary32_bound(high);
}

/// True when the number is within [low, high]; false for NaN.
[[nodiscard]] constexpr bool is_between(double value, double low, double high) noexcept {
  return is_at_least(value, low) && is_at_most(value, high);
}

}  // namespace takt
