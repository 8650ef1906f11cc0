// CandidatePairs::find() lists the pairs of shapes that the narrow phase tests in a tick; ContactDetection
// calls it. Its inputs are the pair list of the broad phase, and the half-spaces, which have no bounds. A
// pair of the broad phase stays if the exact bounds overlap. Each half-space is paired with every shape of an
// enabled dynamic or kinematic body whose filter matches. In every pair one shape belongs to a dynamic body
// (enabled, not in quarantine) or is a sensor. Shapes of two bodies that joints keep from touching
// (are_joined()) are no pair, unless one is a sensor. WorldDef::max_contacts limits the number of pairs
// without a half-space. Beyond that number LimitedPairs lists the first in a canonical order. The result is a
// pure function of the world's state, without the history of the trees.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "physics/base/parallel_filter.h"
#include "physics/broad_phase/joined_bodies.h"
#include "physics/broad_phase/limited_pairs.h"
#include "physics/broad_phase/proxies.h"
#include "physics/state/activity.h"
#include "physics/state/pair_key.h"
#include "physics/state/world_state.h"

namespace takt {

/// Tests whether two shapes with proxies are a candidate pair. They belong to different bodies and their
/// filters match; the function does not test that. Exact bounds of both must be current. A sensor needs no
/// dynamic body in its pair.
template <class Real>
[[nodiscard]] bool is_candidate(const WorldState<Real>& state, const BroadPhase& broad,
                                const JoinedBodies& joined, std::uint32_t a, std::uint32_t b) noexcept {
  if (!overlap(broad.exact(a), broad.exact(b))) return false;
  const ShapeRecord<Real>& shape_a = state.shapes[a];
  const ShapeRecord<Real>& shape_b = state.shapes[b];
  bool const has_sensor = shape_a.is_sensor || shape_b.is_sensor;
  if (!joined.empty() && !has_sensor && are_joined(joined, shape_a.body, shape_b.body)) return false;
  return has_sensor || is_simulated_dynamic(state.bodies[shape_a.body]) ||
         is_simulated_dynamic(state.bodies[shape_b.body]);
}

class CandidatePairs {
 public:
  /// The candidates of this tick: keys of shape pairs, ascending, unique. They stay valid until the next call
  /// or the next change of `proxies`. Proxies::begin_step() must have run for this state. `joined` is the
  /// result of list_joined() for this state.
  template <class Real>
  [[nodiscard]] std::span<const std::uint64_t> find(const WorldState<Real>& state, const Proxies& proxies,
                                                    const JoinedBodies& joined, TaskPool* pool);
  /// True when the last find() left out pairs because of WorldDef::max_contacts.
  [[nodiscard]] bool is_cut() const noexcept { return is_cut_; }

 private:
  template <class Real>
  [[nodiscard]] std::span<const std::uint64_t> list_with_proxies(const WorldState<Real>& state,
                                                                 const Proxies& proxies,
                                                                 const JoinedBodies& joined,
                                                                 std::size_t max_count, TaskPool* pool);
  template <class Real>
  void find_on_half_spaces(const WorldState<Real>& state, std::span<const std::uint32_t> half_spaces,
                           const JoinedBodies& joined);

  FilteredItems<std::uint64_t> listed_;
  std::vector<std::uint64_t> on_half_spaces_;
  std::vector<std::uint64_t> merged_;
  LimitedPairs limited_;
  std::vector<std::uint64_t> limited_keys_;
  bool is_cut_ = false;
};

}  // namespace takt
