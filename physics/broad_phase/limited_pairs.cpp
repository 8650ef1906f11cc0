#include "physics/broad_phase/limited_pairs.h"

#include <algorithm>

#include "physics/broad_phase/candidate_pairs.h"
#include "physics/state/activity.h"
#include "takt/core/assert.h"

namespace takt {

template <class Real>
struct LimitedPairs::Search {
  const WorldState<Real>& state;
  const BroadPhase& broad;
  const JoinedBodies& joined;
  std::size_t max_count;
  std::uint32_t shape_count;

  [[nodiscard]] bool may_move(std::uint32_t shape) const noexcept {
    return broad.has_leaf(shape) && !is_still(state.bodies[state.shapes[shape].body]);
  }
  /// A contact of two simulated dynamic bodies takes a graph colour of both; one with another body does not.
  [[nodiscard]] bool is_dynamic(std::uint32_t shape) const noexcept {
    return is_simulated_dynamic(state.bodies[state.shapes[shape].body]);
  }
  [[nodiscard]] FatBounds bounds_of(std::uint32_t shape) const noexcept {
    return fattened(broad.exact(shape), broad.origin(), 0.0f);
  }
  [[nodiscard]] bool is_pair(std::uint32_t a, std::uint32_t b) const noexcept {
    const ShapeRecord<Real>& shape_a = state.shapes[a];
    const ShapeRecord<Real>& shape_b = state.shapes[b];
    return shape_a.body != shape_b.body && meet(shape_a.filter, shape_b.filter) &&
           is_candidate(state, broad, joined, a, b);
  }
};

/// Keeps the lowest of partners_, at most `max_count`. Returns true when these are all.
bool LimitedPairs::keep_lowest(std::size_t max_count) {
  if (partners_.size() <= max_count) return true;
  std::sort(partners_.begin(), partners_.end());
  partners_.resize(max_count);
  return false;
}

template <class Real>
bool LimitedPairs::append_with_still(const Search<Real>& search, std::vector<std::uint64_t>& keys) {
  for (std::uint32_t shape = 0; shape < search.shape_count; ++shape) {
    if (!search.may_move(shape)) continue;
    partners_.clear();
    FatBounds const bounds = search.bounds_of(shape);
    search.broad.walk_static(
        stack_, [&](const FatBounds& fat) { return overlap(fat, bounds); },
        [&](std::uint32_t still) {
          if (search.is_pair(shape, still)) partners_.push_back(still);
        });
    bool const fits = keep_lowest(search.max_count - keys.size());
    for (std::uint32_t const still : partners_) keys.push_back(pair_key(shape, still));
    if (!fits) return false;
  }
  return true;
}

/// A shape of a dynamic body with `max_per_shape` pairs leaves the tree. Returns false when `max_count` ends
/// the list, whatever `max_per_shape` leaves out.
template <class Real>
bool LimitedPairs::append_moving(const Search<Real>& search, std::uint32_t max_per_shape,
                                 std::vector<std::uint64_t>& keys) {
  tree_.clear();
  nodes_.resize(search.shape_count);
  pair_counts_.assign(search.shape_count, 0);
  for (std::uint32_t shape = 0; shape < search.shape_count; ++shape) {
    if (!search.may_move(shape)) continue;
    partners_.clear();
    FatBounds const bounds = search.bounds_of(shape);
    tree_.query(bounds, stack_, [&](std::uint32_t before) {
      if (search.is_pair(shape, before)) partners_.push_back(before);
    });
    bool const is_dynamic = search.is_dynamic(shape);
    if (is_dynamic) (void)keep_lowest(max_per_shape);
    bool const fits = keep_lowest(search.max_count - keys.size());
    for (std::uint32_t const before : partners_) {
      keys.push_back(pair_key(shape, before));
      if (++pair_counts_[before] == max_per_shape && search.is_dynamic(before)) tree_.remove(nodes_[before]);
    }
    if (!fits) return false;
    pair_counts_[shape] = static_cast<std::uint32_t>(partners_.size());
    if (pair_counts_[shape] < max_per_shape || !is_dynamic) nodes_[shape] = tree_.insert(bounds, shape);
  }
  return true;
}

template <class Real>
bool LimitedPairs::find(const WorldState<Real>& state, const Proxies& proxies, const JoinedBodies& joined,
                        std::size_t max_count, std::vector<std::uint64_t>& keys) {
  const BroadPhase& broad = proxies.broad_phase();
  std::uint32_t const shape_count = std::min(state.shapes.capacity(), broad.capacity_count());
  Search<Real> const search{state, broad, joined, max_count, shape_count};
  keys.clear();
  bool fits = append_with_still(search, keys);
  if (fits) {
    std::size_t const still_count = keys.size();
    fits = append_moving(search, UINT32_MAX, keys);
    if (!fits) {
      keys.resize(still_count);
      (void)append_moving(search, kMaxPairsPerShape, keys);
    }
  }
  TAKT_ASSERT(keys.size() <= max_count);
  std::sort(keys.begin(), keys.end());
  return !fits;
}

template bool LimitedPairs::find(const WorldState<float>&, const Proxies&, const JoinedBodies&, std::size_t,
                                 std::vector<std::uint64_t>&);
template bool LimitedPairs::find(const WorldState<Fixed>&, const Proxies&, const JoinedBodies&, std::size_t,
                                 std::vector<std::uint64_t>&);

}  // namespace takt
