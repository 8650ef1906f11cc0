// TriangleBudget bounds the triangles of meshes and height fields that a search for contacts tests, in a
// world with WorldDef::max_contacts. The pairs of ContactDetection are limited, but one pair of a big body
// with a fine surface may have all triangles of the surface. TriangleBudget counts the triangles of each pair
// that needs new manifolds, and divides the budget fairly (fair_limit.h): pairs that need no more than a
// share test all of theirs. The others test a choice (triangle_sample.h). Where all triangles fit, and no
// pair has more than max_triangles_of_one(), nothing differs from a world without a limit.
//
// Each count ends at a number, so the work of counting is bounded too. Counts and limits depend on the
// candidate pairs and on canonical state alone. Sweeps (continuous_collision.h) and movers have budgets of
// their own, of the same size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "physics/base/parallel_filter.h"
#include "physics/geometry/triangle_sample.h"
#include "physics/state/world_state.h"

namespace takt {

/// Triangles for each contact of WorldDef::max_contacts. A body of the size of the triangles has 8 to 18
/// under it, and a server gives a scene 12 contacts a body: 48 triangles.
inline constexpr std::uint32_t kTrianglesPerContact = 4;
/// The budget of a tick for one kind of work; `def` has a limit.
[[nodiscard]] constexpr std::uint64_t triangle_budget(const WorldDef& def) noexcept {
  return std::uint64_t{kTrianglesPerContact} * def.max_contacts;
}
/// Maximum number of triangles of one item, of `item_count` that share the budget: sixteen times the mean, so
/// that counting costs no more than a fraction of the tests, and at most 1,024: the manifolds of a pair are
/// compared with one another.
[[nodiscard]] constexpr std::uint32_t max_triangles_of_one(const WorldDef& def,
                                                           std::size_t item_count) noexcept {
  constexpr std::uint64_t kMin = 64;
  constexpr std::uint64_t kMax = 1024;
  std::uint64_t const max = 16 * triangle_budget(def) / item_count;
  return static_cast<std::uint32_t>(max < kMin ? kMin : (max > kMax ? kMax : max));
}

template <class Real>
class TriangleBudget {
 public:
  /// Replaces the limits. `keys` are the candidate pairs, ascending; pairs without a surface may be among
  /// them.
  void divide(const WorldState<Real>& state, std::span<const std::uint64_t> keys, TaskPool* pool);

  /// Maximum number of triangles that the pair at an index in `keys` tests at one pose.
  [[nodiscard]] std::uint32_t max_triangles(std::size_t pair) const noexcept {
    return limits_.empty() ? kAllTriangles : limits_[pair];
  }
  /// True when the last divide() left out triangles.
  [[nodiscard]] bool is_cut() const noexcept { return !limits_.empty(); }

 private:
  struct SurfacePair {
    std::uint32_t index = 0;  ///< in the keys
    std::uint32_t poses = 0;  ///< at which the pair is tested
    std::uint32_t count = 0;  ///< triangles at each pose, as MeshBvh::count() counts
  };

  FilteredItems<SurfacePair> pairs_;
  std::vector<SurfacePair> counted_;
  std::vector<std::uint64_t> needs_;
  std::vector<std::uint32_t> limits_;  ///< by key; empty when all triangles fit
};

}  // namespace takt
