// fair_limit() divides a budget of work among items that need different amounts. An item that needs no more
// than the limit gets all, and each other item gets the limit, so an item of any size takes nothing from
// small ones. Source: max-min fairness, D. Bertsekas, R. Gallager, Data Networks (1992), section 6.5.2.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

namespace takt {

/// Returns the largest limit for which the sum of min(need, limit) does not exceed `budget`, rounded down;
/// the largest number when all needs fit. Sorts `needs`.
[[nodiscard]] inline std::uint64_t fair_limit(std::span<std::uint64_t> needs, std::uint64_t budget) noexcept {
  std::sort(needs.begin(), needs.end());
  for (std::size_t i = 0; i < needs.size(); ++i) {
    std::uint64_t const limit = budget / (needs.size() - i);
    if (needs[i] > limit) return limit;
    budget -= needs[i];
  }
  return std::numeric_limits<std::uint64_t>::max();
}

}  // namespace takt
