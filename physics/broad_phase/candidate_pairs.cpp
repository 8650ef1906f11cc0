#include "physics/broad_phase/candidate_pairs.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <span>

#include "physics/state/activity.h"
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
                                         const std::vector<std::uint64_t>& joined) {
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

template <class Real>
std::span<const std::uint64_t> CandidatePairs::find(const WorldState<Real>& state, const Proxies& proxies,
                                                    const std::vector<std::uint64_t>& joined,
                                                    TaskPool* pool) {
  TAKT_VALIDATE(is_ascending_unique(joined));
  const BroadPhase& broad = proxies.broad_phase();
  // Sensors detect kinematic bodies too.
  auto const counts = [&state, &joined](std::uint32_t a, std::uint32_t b) {
    const ShapeRecord<Real>& shape_a = state.shapes[a];
    const ShapeRecord<Real>& shape_b = state.shapes[b];
    if (!joined.empty() && !shape_a.is_sensor && !shape_b.is_sensor &&
        are_joined(joined, shape_a.body, shape_b.body))
      return false;
    return is_simulated_dynamic(state.bodies[shape_a.body]) ||
           is_simulated_dynamic(state.bodies[shape_b.body]) || shape_a.is_sensor || shape_b.is_sensor;
  };
  TAKT_VALIDATE(is_ascending_unique(broad.pairs()));
  parallel_filter(pool, broad.pairs().size(), listed_, [&](std::size_t i, std::uint64_t& key) {
    key = broad.pairs()[i];
    std::uint32_t const a = pair_first(key);
    std::uint32_t const b = pair_second(key);
    return overlap(broad.exact(a), broad.exact(b)) && counts(a, b);
  });
  std::span const listed = listed_.chosen();
  if (proxies.half_spaces().empty()) return listed;
  find_on_half_spaces(state, proxies.half_spaces(), joined);
  merged_.clear();
  merged_.reserve(listed.size() + on_half_spaces_.size());
  std::merge(listed.begin(), listed.end(), on_half_spaces_.begin(), on_half_spaces_.end(),
             std::back_inserter(merged_));
  TAKT_VALIDATE(is_ascending_unique(merged_));
  return merged_;
}

#define TAKT_INSTANTIATE(Real)                                  \
  template std::span<const std::uint64_t> CandidatePairs::find( \
      const WorldState<Real>&, const Proxies&, const std::vector<std::uint64_t>&, TaskPool*);
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
