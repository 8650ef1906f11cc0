#include "physics/broad_phase/candidate_pairs.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <span>

#include "physics/state/shape_bounds.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

[[maybe_unused]] bool is_ascending_unique(std::span<const std::uint64_t> keys) noexcept {
  return std::adjacent_find(keys.begin(), keys.end(), std::greater_equal<>()) == keys.end();
}

}  // namespace

template <class Real>
void CandidatePairs::find_on_half_spaces(const WorldState<Real>& state,
                                         std::span<const std::uint32_t> half_spaces,
                                         const JoinedBodies& joined) {
  on_half_spaces_.clear();
  for (std::uint32_t shape = 0; shape < state.shapes.capacity(); ++shape) {
    if (!state.shapes.alive(shape)) continue;
    const ShapeRecord<Real>& record = state.shapes[shape];
    bool const movable = is_simulated_dynamic(state.bodies[record.body]);
    if (!movable && (is_still(state.bodies[record.body]) || !state.bodies[record.body].enabled)) continue;
    for (std::uint32_t const half_space : half_spaces) {
      if (!movable && !record.is_sensor && !state.shapes[half_space].is_sensor) continue;
      if (!record.is_sensor && !state.shapes[half_space].is_sensor &&
          are_joined(joined, record.body, state.shapes[half_space].body))
        continue;
      if (meet(record.filter, state.shapes[half_space].filter))
        on_half_spaces_.push_back(pair_key(shape, half_space));
    }
  }
  // The keys of one ground that was created first ascend already.
  if (!std::is_sorted(on_half_spaces_.begin(), on_half_spaces_.end()))
    std::sort(on_half_spaces_.begin(), on_half_spaces_.end());
}

/// The pairs of shapes with proxies, or the first `max_count` of them in the order of LimitedPairs.
template <class Real>
std::span<const std::uint64_t> CandidatePairs::list_with_proxies(const WorldState<Real>& state,
                                                                 const Proxies& proxies,
                                                                 const JoinedBodies& joined,
                                                                 std::size_t max_count, TaskPool* pool) {
  const BroadPhase& broad = proxies.broad_phase();
  if (broad.has_all_pairs()) {
    TAKT_VALIDATE(is_ascending_unique(broad.pairs()));
    parallel_filter(pool, broad.pairs().size(), listed_, [&](std::size_t i, std::uint64_t& key) {
      key = broad.pairs()[i];
      return is_candidate(state, broad, joined, pair_first(key), pair_second(key));
    });
    if (listed_.chosen().size() <= max_count) return listed_.chosen();
  }
  is_cut_ = limited_.find(state, proxies, joined, max_count, limited_keys_);
  return limited_keys_;
}

template <class Real>
std::span<const std::uint64_t> CandidatePairs::find(const WorldState<Real>& state, const Proxies& proxies,
                                                    const JoinedBodies& joined, TaskPool* pool) {
  TAKT_VALIDATE(is_ascending_unique(joined.pairs));
  is_cut_ = false;
  std::span const listed = list_with_proxies(state, proxies, joined, max_pairs(state.def), pool);
  if (proxies.half_spaces().empty()) return listed;
  find_on_half_spaces(state, proxies.half_spaces(), joined);
  merged_.clear();
  merged_.reserve(listed.size() + on_half_spaces_.size());
  std::merge(listed.begin(), listed.end(), on_half_spaces_.begin(), on_half_spaces_.end(),
             std::back_inserter(merged_));
  TAKT_VALIDATE(is_ascending_unique(merged_));
  return merged_;
}

#define TAKT_INSTANTIATE(Real)                                                                          \
  template std::span<const std::uint64_t> CandidatePairs::find(const WorldState<Real>&, const Proxies&, \
                                                               const JoinedBodies&, TaskPool*);
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
