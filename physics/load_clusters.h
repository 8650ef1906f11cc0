// Load groups that share bodies, taken together: clusters share no body that moves, so they may be solved side by side, each group after group as one thread would.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace takt {

/// Bodies of one group: a run of a list.
struct LoadBodies {
  std::uint32_t first = 0;
  std::uint32_t end = 0;
};

class LoadClusters {
 public:
  /// Finds the clusters of the groups, in the order of their first ones. `bodies`: the solver's places of what moves.
  void find(std::span<const LoadBodies> groups, std::span<const std::uint32_t> bodies);

  [[nodiscard]] std::size_t size() const noexcept { return starts_.empty() ? 0 : starts_.size() - 1; }
  /// Groups of a cluster, in their order.
  [[nodiscard]] std::span<const std::uint32_t> groups_of(std::size_t cluster) const noexcept {
    return {groups_.data() + starts_[cluster], groups_.data() + starts_[cluster + 1]};
  }

 private:
  std::vector<std::uint32_t> groups_;    ///< cluster after cluster
  std::vector<std::uint32_t> starts_;    ///< of each in `groups_`, and the end
  std::vector<std::uint32_t> parents_;   ///< by group (disjoint_sets.h)
  std::vector<std::uint32_t> clusters_;  ///< by group
  std::vector<std::uint32_t> owners_;    ///< by the solver's place: the first group with that body
};

}  // namespace takt
