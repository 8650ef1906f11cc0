#include "physics/load_clusters.h"

#include <algorithm>

#include "physics/disjoint_sets.h"
#include "physics/slot_pool.h"

namespace takt {

void LoadClusters::find(std::span<const LoadBodies> groups, std::span<const std::uint32_t> bodies) {
  auto const count = static_cast<std::uint32_t>(groups.size());
  groups_.resize(count);
  starts_.assign(1, 0);
  if (count == 0) return;
  part_all(parents_, count);
  owners_.assign(std::size_t{bodies.empty() ? 0 : *std::max_element(bodies.begin(), bodies.end())} + 1, kNoIndex);
  for (std::uint32_t group = 0; group < count; ++group) {
    for (std::uint32_t const body : bodies.subspan(groups[group].first, groups[group].end - groups[group].first)) {
      if (owners_[body] == kNoIndex) {
        owners_[body] = group;
      } else {
        join(parents_, owners_[body], group);
      }
    }
  }
  // A cluster is named by its first group, which comes before the others.
  clusters_.resize(count);
  for (std::uint32_t group = 0; group < count; ++group) {
    std::uint32_t const first = root_of(parents_, group);
    if (first == group) {
      clusters_[group] = static_cast<std::uint32_t>(starts_.size()) - 1;
      starts_.push_back(0);
    } else {
      clusters_[group] = clusters_[first];
    }
    ++starts_[clusters_[group] + 1];
  }
  for (std::size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
  // Each start moves to its cluster's end and back by one place.
  for (std::uint32_t group = 0; group < count; ++group) groups_[starts_[clusters_[group]]++] = group;
  for (std::size_t i = starts_.size() - 1; i > 0; --i) starts_[i] = starts_[i - 1];
  starts_[0] = 0;
}

}  // namespace takt
