// Which items of a list something is to be done with: looked for by several workers, found in the order of
// the list.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "physics/base/parallel_for.h"

namespace takt {

/// What was chosen last, and memory that is reused.
template <class T>
struct FilteredItems {
  std::vector<T> items;  ///< the first `count` of them
  std::vector<std::size_t> part_counts;
  std::size_t count = 0;

  [[nodiscard]] std::span<const T> chosen() const noexcept { return {items.data(), count}; }
};

/// For each i below `count`, in order: what choose(i, item) wrote to `item` where it returned true.
template <class T, class Choose>
void parallel_filter(TaskPool* pool, std::size_t count, FilteredItems<T>& filtered, Choose&& choose) {
  std::size_t const parts = (count + kFilterGrain - 1) / kFilterGrain;
  if (filtered.items.size() < count) filtered.items.resize(count);
  filtered.part_counts.assign(parts, 0);
  // Each part writes to its own places, from the first on.
  parallel_for(pool, parts, kFilterParts, [&](std::size_t first, std::size_t end, std::uint32_t) {
    for (std::size_t part = first; part < end; ++part) {
      std::size_t const begin = part * kFilterGrain;
      std::size_t const past = std::min(count, begin + kFilterGrain);
      std::size_t at = begin;
      for (std::size_t i = begin; i < past; ++i) {
        if (choose(i, filtered.items[at])) ++at;
      }
      filtered.part_counts[part] = at - begin;
    }
  });
  filtered.count = 0;
  for (std::size_t part = 0; part < parts; ++part) {
    auto const begin = filtered.items.begin() + static_cast<std::ptrdiff_t>(part * kFilterGrain);
    if (filtered.count != part * kFilterGrain) {
      std::copy(begin, begin + static_cast<std::ptrdiff_t>(filtered.part_counts[part]),
                filtered.items.begin() + static_cast<std::ptrdiff_t>(filtered.count));
    }
    filtered.count += filtered.part_counts[part];
  }
}

}  // namespace takt
