// GeometryPool stores the shared collision geometry of one world. WorldState has one pool of convex hulls and
// one of surfaces (meshes and height fields). Each geometry is stored once under its digest (a hash of its
// corners or source), however many shapes use it. The first shape that uses a geometry adds the geometry, and
// the last one removes it. The contents therefore depend on the living shapes alone: a pool has no history,
// no free list and no ids. Geometry is immutable, so the in-memory snapshots of a world share ownership of
// it, and several threads may read it.
//
// hull_geometry.h and mesh_geometry.h build the geometry.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "physics/geometry/hull_geometry.h"
#include "physics/geometry/mesh_geometry.h"
#include "takt/core/assert.h"

namespace takt {

template <class Geometry>
struct GeometryEntry {
  std::uint64_t digest = 0;
  std::uint32_t use_count = 0;  ///< number of shapes with this digest; derived from them, so not encoded
  std::shared_ptr<const Geometry> geometry;
};

/// The data that defines a geometry: two geometries are equal if these are.
[[nodiscard]] inline const std::vector<GridPoint>& source_of(const HullGeometry& hull) noexcept {
  return hull.grid;
}
[[nodiscard]] inline const SurfaceSource& source_of(const SurfaceGeometry& geometry) noexcept {
  return geometry.source;
}

template <class Geometry>
struct GeometryPool {
  using Entry = GeometryEntry<Geometry>;
  std::vector<Entry> entries;  ///< ascending by digest

  /// The geometry; null when absent. The pointer is valid until the last use is released.
  [[nodiscard]] const Geometry* find(std::uint64_t digest) const noexcept {
    auto const at = lower_bound(digest);
    return at != entries.end() && at->digest == digest ? at->geometry.get() : nullptr;
  }

  /// Shared ownership of a geometry; null when absent.
  [[nodiscard]] std::shared_ptr<const Geometry> find_shared(std::uint64_t digest) const noexcept {
    auto const at = lower_bound(digest);
    return at != entries.end() && at->digest == digest ? at->geometry : nullptr;
  }

  /// True unless the pool has a different geometry with the same digest. XXH3 is not cryptographic, so a
  /// collision can be constructed.
  [[nodiscard]] bool accepts(const Geometry& geometry) const noexcept {
    const Geometry* const there = find(geometry.digest);
    return there == nullptr || source_of(*there) == source_of(geometry);
  }

  /// Adds a use, and the geometry with the first one. accepts() must be true, and the pointer not null.
  void acquire(const std::shared_ptr<const Geometry>& geometry) {
    TAKT_ASSERT(geometry != nullptr);
    TAKT_VALIDATE(accepts(*geometry));
    auto const at = entries.begin() + (lower_bound(geometry->digest) - entries.cbegin());
    if (at != entries.end() && at->digest == geometry->digest) {
      ++at->use_count;
    } else {
      entries.insert(at, Entry{geometry->digest, 1, geometry});
    }
  }

  /// Removes a use of a geometry that is present; the last one erases the entry.
  void release(std::uint64_t digest) {
    auto const at = entries.begin() + (lower_bound(digest) - entries.cbegin());
    TAKT_ASSERT(at != entries.end() && at->digest == digest && at->use_count > 0);
    if (--at->use_count == 0) entries.erase(at);
  }

  /// Adds a use by a shape of a world image whose geometry is in the pool already. Returns false when it is
  /// absent.
  bool count_use(std::uint64_t digest) noexcept {
    auto const at = entries.begin() + (lower_bound(digest) - entries.cbegin());
    if (at == entries.end() || at->digest != digest) return false;
    ++at->use_count;
    return true;
  }

  /// True when entries ascend by digest, and each has a geometry of its digest and a use. World images are
  /// checked with it.
  [[nodiscard]] bool consistent() const noexcept {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const Entry& entry = entries[i];
      if (i > 0 && entry.digest <= entries[i - 1].digest) return false;
      if (entry.geometry == nullptr || entry.geometry->digest != entry.digest || entry.use_count == 0)
        return false;
    }
    return true;
  }

 private:
  [[nodiscard]] typename std::vector<Entry>::const_iterator lower_bound(std::uint64_t digest) const noexcept {
    return std::lower_bound(entries.cbegin(), entries.cend(), digest,
                            [](const Entry& entry, std::uint64_t d) { return entry.digest < d; });
  }
};

}  // namespace takt
