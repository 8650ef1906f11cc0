// LimitedPairs lists the candidate pairs of a world that may have more of them than WorldDef::max_contacts;
// CandidatePairs calls it. A world with no more keeps all. Otherwise the pairs have a canonical order, of
// which the first are listed. Pairs with a still shape (of a static or quarantined body) come first, by the
// other shape and then by the still one. Pairs of two shapes that may move follow, by the higher index and
// then by the lower one. Each shape of a dynamic body has at most kMaxPairsPerShape of these. Shapes created
// earlier mostly have lower indices, so the newest bodies lose their contacts first, and all keep those with
// the ground longest. The order depends on the world's state alone. LimitedPairs inserts the shapes that may
// move into a tree of its own, one after the other, and tests each against the ones before. A shape leaves
// that tree once it has its maximum of pairs, so a crowd at one place costs listed pairs instead of all its
// overlaps. LimitedPairs does not list pairs with half-spaces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "physics/broad_phase/dynamic_tree.h"
#include "physics/broad_phase/joined_bodies.h"
#include "physics/broad_phase/proxies.h"

namespace takt {

/// Maximum pairs of one shape of a dynamic body with shapes that may move, in a world beyond its limit. A
/// contact of two bodies with one shape each then has a body in common with at most 62 others. Each contact
/// of the two with a still shape takes one more of the 64 graph colours; contacts beyond these are solved one
/// by one. A shape of a kinematic body (a lift, a drum) has no such maximum, since its contact moves one body
/// only.
inline constexpr std::uint32_t kMaxPairsPerShape = 32;

class LimitedPairs {
 public:
  /// Replaces `keys` by at most `max_count` candidate pairs, ascending by key. Returns true when the world
  /// has more. Proxies::begin_step() must have run for this state. `joined` is the result of list_joined()
  /// for this state.
  template <class Real>
  [[nodiscard]] bool find(const WorldState<Real>& state, const Proxies& proxies, const JoinedBodies& joined,
                          std::size_t max_count, std::vector<std::uint64_t>& keys);

 private:
  template <class Real>
  struct Search;
  template <class Real>
  [[nodiscard]] bool append_with_still(const Search<Real>& search, std::vector<std::uint64_t>& keys);
  template <class Real>
  [[nodiscard]] bool append_moving(const Search<Real>& search, std::uint32_t max_per_shape,
                                   std::vector<std::uint64_t>& keys);
  [[nodiscard]] bool keep_lowest(std::size_t max_count);

  DynamicTree tree_;                        ///< of shapes that may move, with exact bounds
  std::vector<std::int32_t> stack_;         ///< scratch of both trees' walks
  std::vector<std::uint32_t> partners_;     ///< of the present shape
  std::vector<std::int32_t> nodes_;         ///< of tree_, by shape
  std::vector<std::uint32_t> pair_counts_;  ///< with shapes that may move, by shape
};

}  // namespace takt
