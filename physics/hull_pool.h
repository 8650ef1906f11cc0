// The hulls of a world: each geometry once, however many shapes have it, under its digest. Which geometries there are is a function of the living
// shapes alone (the last shape of a hull takes it away), so the pool has no history, no free list and no ids of its own. Geometry never changes, so
// snapshots of a world share it.
//
// It does not build geometry (hull_geometry.h).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "physics/hull_geometry.h"
#include "takt/core/assert.h"

namespace takt {

struct HullEntry {
  std::uint64_t digest = 0;
  std::uint32_t use_count = 0;  ///< shapes that have it; derived from them, so not encoded
  std::shared_ptr<const HullGeometry> geometry;
};

struct HullPool {
  std::vector<HullEntry> entries;  ///< ascending by digest

  [[nodiscard]] const HullGeometry* find(std::uint64_t digest) const noexcept {
    auto const at = place(digest);
    return at != entries.end() && at->digest == digest ? at->geometry.get() : nullptr;
  }

  /// Whether the geometry may come in: another one with its digest may not be there. (XXH3 is no cryptographic hash: somebody could look for one.)
  [[nodiscard]] bool accepts(const HullGeometry& geometry) const noexcept {
    const HullGeometry* const there = find(geometry.digest);
    return there == nullptr || there->grid == geometry.grid;
  }

  /// One more shape has this geometry. accepts() must hold.
  void acquire(const std::shared_ptr<const HullGeometry>& geometry) {
    auto const at = entries.begin() + (place(geometry->digest) - entries.cbegin());
    if (at != entries.end() && at->digest == geometry->digest) {
      ++at->use_count;
    } else {
      entries.insert(at, HullEntry{geometry->digest, 1, geometry});
    }
  }

  /// One shape less has it.
  void release(std::uint64_t digest) {
    auto const at = entries.begin() + (place(digest) - entries.cbegin());
    TAKT_ASSERT(at != entries.end() && at->digest == digest && at->use_count > 0);
    if (--at->use_count == 0) entries.erase(at);
  }

 private:
  [[nodiscard]] std::vector<HullEntry>::const_iterator place(std::uint64_t digest) const noexcept {
    return std::lower_bound(entries.cbegin(), entries.cend(), digest, [](const HullEntry& entry, std::uint64_t d) { return entry.digest < d; });
  }
};

}  // namespace takt
