#include "physics/joints/elimination_forest.h"

#include <algorithm>

#include "physics/base/union_find.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

constexpr std::uint32_t kNone = 0xffffffffu;

std::uint32_t other_of(const ForestJoint& joint, std::uint32_t body) noexcept {
  return joint.body_a == body ? joint.body_b : joint.body_a;
}

}  // namespace

void EliminationForest::build(const std::vector<ForestJoint>& joints, std::uint32_t body_count) {
  if (body_count == groups_.body_count() && joints == joints_) return;
  joints_ = joints;
  groups_.build(joints, body_count);
  classify_joints();
  list_tree_joints_of_bodies();
  search_breadth_first();
  order_from_leaves();
  TAKT_VALIDATE(is_perfect_elimination_order());
}

void EliminationForest::classify_joints() {
  reset_sets(parents_, groups_.body_count());
  degrees_.assign(groups_.body_count(), 0);
  kinds_.assign(joints_.size(), Kind::kLoopClosing);
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const ForestJoint& joint = joints_[i];
    if (joint.point && groups_.has_many_loops(joint.body_a != 0 ? joint.body_a : joint.body_b)) {
      kinds_[i] = Kind::kBatched;
      continue;
    }
    if (!joint.direct || degrees_[joint.body_a] >= kMaxTreeJointsPerBody ||
        degrees_[joint.body_b] >= kMaxTreeJointsPerBody)
      continue;
    if (joint.body_a != 0 && joint.body_b != 0) {
      if (find_root(parents_, joint.body_a) == find_root(parents_, joint.body_b)) continue;
      unite(parents_, joint.body_a, joint.body_b);
    }
    kinds_[i] = Kind::kTree;
    if (joint.body_a != 0) ++degrees_[joint.body_a];
    if (joint.body_b != 0) ++degrees_[joint.body_b];
  }
}

void EliminationForest::list_tree_joints_of_bodies() {
  std::uint32_t const body_count = groups_.body_count();
  first_joints_.assign(body_count + 1, 0);
  for (std::uint32_t body = 1; body < body_count; ++body)
    first_joints_[body + 1] = first_joints_[body] + degrees_[body];
  body_joints_.resize(first_joints_[body_count]);
  degrees_.assign(body_count, 0);
  for (std::uint32_t i = 0; i < joints_.size(); ++i) {
    if (kinds_[i] != Kind::kTree) continue;
    for (std::uint32_t const body : {joints_[i].body_a, joints_[i].body_b}) {
      if (body != 0) body_joints_[first_joints_[body] + degrees_[body]++] = i;
    }
  }
}

void EliminationForest::search_breadth_first() {
  std::uint32_t const body_count = groups_.body_count();
  pivot_.assign(joints_.size(), 0);
  to_parent_.assign(body_count, kNone);
  visited_.assign(body_count, 0);
  queue_.clear();
  for (std::uint32_t root = 1; root < body_count; ++root) {
    if (visited_[root] != 0 || degrees_[root] == 0) continue;
    visited_[root] = 1;
    queue_.push_back(root);
    for (std::size_t next = queue_.size() - 1; next < queue_.size(); ++next) {
      std::uint32_t const body = queue_[next];
      for (std::uint32_t k = first_joints_[body]; k < first_joints_[body + 1]; ++k) {
        std::uint32_t const joint = body_joints_[k];
        std::uint32_t const other = other_of(joints_[joint], body);
        if (other == 0) {
          pivot_[joint] = body;
        } else if (visited_[other] == 0) {
          visited_[other] = 1;
          to_parent_[other] = joint;
          pivot_[joint] = body;
          queue_.push_back(other);
        }
      }
    }
  }
}

/// Reverses the breadth-first order. Each body adds its joints to the static world first and the joint to its
/// parent last.
void EliminationForest::order_from_leaves() {
  order_.clear();
  tree_ends_.clear();
  indices_.assign(joints_.size(), kNone);
  auto const add = [this](std::uint32_t joint) {
    TAKT_ASSERT(indices_[joint] == kNone);
    indices_[joint] = static_cast<std::uint32_t>(order_.size());
    order_.push_back(joint);
  };
  for (std::size_t next = queue_.size(); next-- > 0;) {
    std::uint32_t const body = queue_[next];
    for (std::uint32_t k = first_joints_[body]; k < first_joints_[body + 1]; ++k) {
      if (other_of(joints_[body_joints_[k]], body) == 0) add(body_joints_[k]);
    }
    if (to_parent_[body] != kNone) {
      add(to_parent_[body]);
    } else {
      tree_ends_.push_back(static_cast<std::uint32_t>(order_.size()));  // the root
    }
  }
  first_loop_closing_ = static_cast<std::uint32_t>(order_.size());
  for (std::uint32_t i = 0; i < joints_.size(); ++i) {
    if (kinds_[i] == Kind::kLoopClosing) add(i);
  }
}

void EliminationForest::upper(std::uint32_t index, std::vector<std::uint32_t>& out) const {
  TAKT_ASSERT(index < first_loop_closing_);
  out.clear();
  std::uint32_t const body = pivot_[order_[index]];
  for (std::uint32_t k = first_joints_[body]; k < first_joints_[body + 1]; ++k) {
    std::uint32_t const other = indices_[body_joints_[k]];
    if (other > index) out.push_back(other);
  }
  std::sort(out.begin(), out.end());
}

bool EliminationForest::is_perfect_elimination_order() const {
  std::size_t ordered = 0;
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    if (kinds_[i] == Kind::kBatched) continue;
    if (indices_[i] >= order_.size() || order_[indices_[i]] != i) return false;
    ++ordered;
  }
  if (ordered != order_.size()) return false;
  for (std::uint32_t index = 0; index < first_loop_closing_; ++index) {
    // The body of the joint that is not its pivot may have no later joint: it would not be eliminated by
    // then.
    const ForestJoint& joint = joints_[order_[index]];
    std::uint32_t const child = other_of(joint, pivot(index));
    if (child == 0) continue;
    for (std::uint32_t k = first_joints_[child]; k < first_joints_[child + 1]; ++k) {
      if (indices_[body_joints_[k]] > index) return false;
    }
  }
  return true;
}

}  // namespace takt
