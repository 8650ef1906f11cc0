#include "physics/joints/joint_groups.h"

#include <algorithm>

#include "physics/base/solver_constants.h"
#include "physics/base/union_find.h"
#include "takt/core/assert.h"

namespace takt {

void JointGroups::build(std::span<const ForestJoint> joints, std::uint32_t body_count) {
  reset_sets(roots_, body_count);
  loop_counts_.assign(body_count, 0);
  joint_counts_.assign(body_count, 0);
  looped_.assign(body_count, 0);
  for (const ForestJoint& joint : joints) {
    TAKT_ASSERT(joint.body_a < body_count && joint.body_b < body_count);
    std::uint32_t const body = joint.body_a != 0 ? joint.body_a : joint.body_b;
    ++joint_counts_[body];
    if (joint.body_a == 0 || joint.body_b == 0) continue;
    if (takt::find_root(roots_, joint.body_a) == takt::find_root(roots_, joint.body_b)) {
      ++loop_counts_[body];
    } else {
      unite(roots_, joint.body_a, joint.body_b);
    }
  }
  for (std::uint32_t body = 0; body < body_count; ++body) {
    std::uint32_t const root = takt::find_root(roots_, body);
    TAKT_VALIDATE(root <= body);
    roots_[body] = root;
    if (root == body) continue;
    loop_counts_[root] += loop_counts_[body];
    joint_counts_[root] += joint_counts_[body];
  }
  bool any_many = false;
  for (std::uint32_t body = 0; body < body_count; ++body) {
    if (roots_[body] != body) continue;
    looped_[body] = loop_counts_[body] > 0 ? 1 : 0;
    any_many = any_many || loop_counts_[body] >= kMinBatchedLoops;
  }
  if (any_many) subtract_repeated_pairs(joints);
}

void JointGroups::subtract_repeated_pairs(std::span<const ForestJoint> joints) {
  pairs_.clear();
  for (const ForestJoint& joint : joints) {
    if (joint.body_a == 0 || joint.body_b == 0) continue;
    auto const [low, high] = std::minmax(joint.body_a, joint.body_b);
    pairs_.push_back(std::uint64_t{low} << 32u | high);
  }
  std::sort(pairs_.begin(), pairs_.end());
  for (std::size_t i = 1; i < pairs_.size(); ++i) {
    if (pairs_[i] == pairs_[i - 1]) --loop_counts_[roots_[pairs_[i] >> 32u]];
  }
}

bool JointGroups::has_many_loops(std::uint32_t body) const noexcept {
  std::uint32_t const root = roots_[body];
  return loop_counts_[root] >= kMinBatchedLoops &&
         loop_counts_[root] * kBatchedJointsPerLoop >= joint_counts_[root];
}

}  // namespace takt
