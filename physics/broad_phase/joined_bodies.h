// JoinedBodies lists the bodies that joints exempt from contact: the pairs that a joint connects, and sets of
// bodies that rigid welds connect. The joints are enabled, unbroken and without JointDef::collide_connected.
// list_joined() of joint_store.h fills it once a tick; CandidatePairs and continuous collision read it. A set
// of welded bodies moves as one body. A contact inside the set could move nothing, and its impulses would
// only grow against those of the welds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "physics/state/pair_key.h"

namespace takt {

struct JoinedBodies {
  std::vector<std::uint64_t> pairs;       ///< keys of pairs of body indices, ascending, unique
  std::vector<std::uint32_t> weld_roots;  ///< by body index: lowest body of its set; empty without welds

  /// True when no joint exempts bodies; `weld_roots` is then empty too.
  [[nodiscard]] bool empty() const noexcept { return pairs.empty(); }
};

/// Returns true when joints exempt two different bodies from contact. Both are indices into the body pool.
[[nodiscard]] inline bool are_joined(const JoinedBodies& joined, std::uint32_t a, std::uint32_t b) noexcept {
  if (joined.pairs.empty()) return false;
  if (!joined.weld_roots.empty() && joined.weld_roots[a] == joined.weld_roots[b]) return true;
  std::uint64_t const key = pair_key(a, b);
  // Binary search without a branch: no processor could predict it.
  const std::uint64_t* at = joined.pairs.data();
  for (std::size_t left = joined.pairs.size(); left > 1;) {
    std::size_t const half = left / 2;
    at += at[half] <= key ? half : 0;
    left -= half;
  }
  return *at == key;
}

}  // namespace takt
