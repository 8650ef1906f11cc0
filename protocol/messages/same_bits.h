// same_bits() compares floats by their bits, so that 0 and -0 differ and a NaN is equal to itself. Commands
// are compared so wherever a repeat must have the bits of the original.
#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace takt::protocol {

template <class T>
requires std::same_as<T, float> || std::same_as<T, double>
[[nodiscard]] constexpr bool same_bits(T a, T b) noexcept {
  using Bits = std::conditional_t<std::same_as<T, float>, std::uint32_t, std::uint64_t>;
  return std::bit_cast<Bits>(a) == std::bit_cast<Bits>(b);
}

}  // namespace takt::protocol
