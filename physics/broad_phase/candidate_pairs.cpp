#include "physics/broad_phase/candidate_pairs.h"

#include <algorithm>
#include <iterator>
#include <span>

#include "physics/state/activity.h"
#include "physics/state/shape_bounds.h"

namespace takt {
template <class Real>
std::span<const std::uint64_t> find_candidates(const WorldState<Real>& state, DerivedState<Real>& derived,
                                               TaskPool* pool) {
  const BroadPhase& broad = derived.broad_phase;
  // Sensors notice kinematic bodies as well.
  auto const counts = [&state, &derived](std::uint32_t a, std::uint32_t b) {
    const ShapeRecord<Real>& shape_a = state.shapes[a];
    const ShapeRecord<Real>& shape_b = state.shapes[b];
    if (!derived.joined.empty() && !shape_a.is_sensor && !shape_b.is_sensor &&
        are_joined(derived.joined, shape_a.body, shape_b.body))
      return false;
    return is_simulated_dynamic(state.bodies[shape_a.body]) ||
           is_simulated_dynamic(state.bodies[shape_b.body]) || shape_a.is_sensor || shape_b.is_sensor;
  };
  parallel_filter(pool, broad.pairs().size(), derived.candidates, [&](std::size_t i, std::uint64_t& key) {
    key = broad.pairs()[i];
    std::uint32_t const a = pair_first(key);
    std::uint32_t const b = pair_second(key);
    return overlap(broad.exact(a), broad.exact(b)) && counts(a, b);
  });
  std::span const chosen = derived.candidates.chosen();
  if (derived.half_spaces.empty()) return chosen;
  derived.half_space_candidates.clear();
  for (std::uint32_t shape = 0; shape < state.shapes.capacity(); ++shape) {
    if (!state.shapes.alive(shape)) continue;
    const ShapeRecord<Real>& record = state.shapes[shape];
    bool const movable = is_simulated_dynamic(state.bodies[record.body]);
    if (!movable && (is_still(state.bodies[record.body]) || !state.bodies[record.body].enabled)) continue;
    for (std::uint32_t const half_space : derived.half_spaces) {
      if (!movable && !record.is_sensor && !state.shapes[half_space].is_sensor) continue;
      if (!record.is_sensor && !state.shapes[half_space].is_sensor &&
          are_joined(derived.joined, record.body, state.shapes[half_space].body))
        continue;
      if (meet(record.filter, state.shapes[half_space].filter))
        derived.half_space_candidates.push_back(pair_key(shape, half_space));
    }
  }
  std::sort(derived.half_space_candidates.begin(), derived.half_space_candidates.end());
  derived.merged_candidates.clear();
  derived.merged_candidates.reserve(chosen.size() + derived.half_space_candidates.size());
  std::merge(chosen.begin(), chosen.end(), derived.half_space_candidates.begin(),
             derived.half_space_candidates.end(), std::back_inserter(derived.merged_candidates));
  return derived.merged_candidates;
}

template std::span<const std::uint64_t> find_candidates(const WorldState<float>&, DerivedState<float>&,
                                                        TaskPool*);
template std::span<const std::uint64_t> find_candidates(const WorldState<Fixed>&, DerivedState<Fixed>&,
                                                        TaskPool*);

}  // namespace takt
