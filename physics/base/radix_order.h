// ascending_order() returns the indices of an array of keys in ascending order of the keys; equal keys keep
// the order of their indices. The function is a radix sort with digits of 11 bits from the lowest. The sort
// costs one pass for each digit of the difference between the greatest and the least key. An array has fewer
// than 2^32 keys. Meshes order their triangles with it: a comparison sort of half a million triangles takes
// four times as long. Arrays of a few elements should use std::sort: each pass clears and sums 2,048
// counters.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace takt {

/// Returns each index of `keys` once, in ascending order of the keys.
[[nodiscard]] inline std::vector<std::uint32_t> ascending_order(std::span<const std::uint64_t> keys) {
  constexpr unsigned kDigitBits = 11;  // the counts of a digit fit the first cache
  constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
  std::vector<std::uint32_t> order(keys.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  if (keys.empty()) return order;
  auto const [min, max] = std::minmax_element(keys.begin(), keys.end());
  std::uint64_t const lowest = *min;
  std::uint64_t const range = *max - lowest;
  std::vector<std::uint32_t> next(keys.size());
  for (unsigned shift = 0; shift < 64 && range >> shift != 0; shift += kDigitBits) {
    auto const digit = [&](std::uint32_t index) { return (keys[index] - lowest) >> shift & (kDigits - 1); };
    std::array<std::uint32_t, kDigits> starts{};
    for (std::uint32_t const index : order) ++starts[digit(index)];
    std::uint32_t sum = 0;
    for (std::uint32_t& start : starts) {
      std::uint32_t const count = start;
      start = sum;
      sum += count;
    }
    for (std::uint32_t const index : order) next[starts[digit(index)]++] = index;
    order.swap(next);
  }
  return order;
}

}  // namespace takt
