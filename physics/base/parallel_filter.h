// parallel_filter() calls a function for each index below a count, on several workers, and keeps the items
// that pass, in index order. The caller's function writes one item for each index and returns true to keep
// the item. The item must depend on the index alone; the number of workers then does not change the result.
// FilteredItems holds the kept items, and memory for the next call.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "physics/base/parallel_for.h"
#include "takt/core/assert.h"

namespace takt {

/// Result of the last filter call, and memory that is reused.
template <class T>
struct FilteredItems {
  std::vector<T> items;                  ///< the first `count` are valid
  std::vector<std::size_t> part_counts;  ///< kept items of each run of kFilterGrain indices
  std::size_t count = 0;

  /// The kept items, valid until the next call of parallel_filter() with this object.
  [[nodiscard]] std::span<const T> chosen() const noexcept {
    TAKT_ASSERT(count <= items.size());
    return {items.data(), count};
  }
};

/// Calls choose(i, item) for each i below `count`. A call that returns true must have assigned `item`, which
/// is then kept; `item` has an unspecified value before. Several threads may call `choose` at once. A null
/// `pool` runs all calls on the calling thread.
template <class T, class Choose>
void parallel_filter(TaskPool* pool, std::size_t count, FilteredItems<T>& filtered, Choose&& choose) {
  std::size_t const parts = (count + kFilterGrain - 1) / kFilterGrain;
  if (filtered.items.size() < count) filtered.items.resize(count);
  filtered.part_counts.assign(parts, 0);
  // Each part writes to its own range of `items`.
  parallel_for(pool, parts, kFilterParts, [&](std::size_t first, std::size_t end, std::uint32_t) {
    for (std::size_t part = first; part < end; ++part) {
      std::size_t const begin = part * kFilterGrain;
      std::size_t const past = std::min(count, begin + kFilterGrain);
      std::size_t at = begin;
      for (std::size_t i = begin; i < past; ++i) {
        if (choose(i, filtered.items[at])) ++at;
      }
      TAKT_ASSERT(at <= past);
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
    TAKT_VALIDATE(filtered.count <= part * kFilterGrain);
    filtered.count += filtered.part_counts[part];
  }
}

}  // namespace takt
