// CandidatePairs::find() lists the pairs of shapes that the narrow phase tests in a tick; ContactDetection
// calls it. Its inputs are the pair list of the broad phase, and the half-spaces, which have no bounds. A
// pair of the broad phase stays if the exact bounds overlap. Each half-space is paired with every shape of a
// dynamic or kinematic body whose filter matches. In every pair one shape belongs to a dynamic body or is a
// sensor. Shapes of two bodies that a joint keeps from touching (are_joined()) are no pair, unless one is a
// sensor. The result is a pure function of the world's state, without the history of the trees.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "physics/base/parallel_filter.h"
#include "physics/broad_phase/proxies.h"
#include "physics/state/pair_key.h"
#include "physics/state/world_state.h"

namespace takt {

/// Tests whether a joint keeps two bodies from touching. `joined` has the keys of such pairs, ascending.
[[nodiscard]] inline bool are_joined(const std::vector<std::uint64_t>& joined, std::uint32_t a,
                                     std::uint32_t b) noexcept {
  if (joined.empty()) return false;
  std::uint64_t const key = pair_key(a, b);
  // Binary search without a branch: no processor could predict it.
  const std::uint64_t* at = joined.data();
  for (std::size_t left = joined.size(); left > 1;) {
    std::size_t const half = left / 2;
    at += at[half] <= key ? half : 0;
    left -= half;
  }
  return *at == key;
}

class CandidatePairs {
 public:
  /// The candidates of this tick: keys of shape pairs, ascending, unique. They stay valid until the next
  /// call. `joined` has the keys of body pairs that a joint keeps from touching, ascending. Needs
  /// Proxies::begin_step().
  template <class Real>
  [[nodiscard]] std::span<const std::uint64_t> find(const WorldState<Real>& state, const Proxies& proxies,
                                                    const std::vector<std::uint64_t>& joined, TaskPool* pool);

 private:
  template <class Real>
  void find_on_half_spaces(const WorldState<Real>& state, std::span<const std::uint32_t> half_spaces,
                           const std::vector<std::uint64_t>& joined);

  FilteredItems<std::uint64_t> listed_;
  std::vector<std::uint64_t> on_half_spaces_;
  std::vector<std::uint64_t> merged_;
};

}  // namespace takt
