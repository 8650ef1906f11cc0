#include "physics/joints/elimination_forest.h"

#include <algorithm>

#include "physics/base/solver_constants.h"

namespace takt {
namespace {

constexpr std::uint32_t kNone = 0xffffffffu;

std::uint32_t other_of(const ForestJoint& joint, std::uint32_t body) noexcept {
  return joint.body_a == body ? joint.body_b : joint.body_a;
}

}  // namespace

std::uint32_t JointForest::find_root(std::uint32_t body) noexcept {
  while (parents_[body] != body) {
    parents_[body] = parents_[parents_[body]];
    body = parents_[body];
  }
  return body;
}

/// False when they were together before.
bool JointForest::unite(std::uint32_t a, std::uint32_t b) noexcept {
  a = find_root(a);
  b = find_root(b);
  parents_[a < b ? b : a] = a < b ? a : b;
  return a != b;
}

/// Which bodies joints hold together, and how many joints of each group close a loop.
void JointForest::find_groups() {
  parents_.resize(body_count_);
  for (std::uint32_t i = 0; i < body_count_; ++i) parents_[i] = i;
  loop_counts_.assign(body_count_, 0);
  joint_counts_.assign(body_count_, 0);
  for (const ForestJoint& joint : joints_) {
    std::uint32_t const body = joint.body_a != 0 ? joint.body_a : joint.body_b;
    ++joint_counts_[body];
    if (joint.body_a != 0 && joint.body_b != 0 && !unite(joint.body_a, joint.body_b)) ++loop_counts_[body];
  }
  groups_.resize(body_count_);
  looped_.assign(body_count_, 0);
  for (std::uint32_t i = 0; i < body_count_; ++i) {
    std::uint32_t const group = find_root(i);
    groups_[i] = group;
    if (group == i) continue;  // the least, so it has been here
    loop_counts_[group] += loop_counts_[i];
    joint_counts_[group] += joint_counts_[i];
  }
  bool any_many = false;
  for (std::uint32_t i = 0; i < body_count_; ++i) {
    if (groups_[i] != i) continue;
    looped_[i] = loop_counts_[i] > 0 ? 1 : 0;
    any_many = any_many || loop_counts_[i] >= kMinBatchedLoops;
  }
  if (any_many) leave_out_repeats();
}

/// Joints that repeat the two bodies of another close no loop that counts: planks held by two balls each are
/// a chain.
void JointForest::leave_out_repeats() {
  pairs_.clear();
  for (const ForestJoint& joint : joints_) {
    if (joint.body_a == 0 || joint.body_b == 0) continue;
    auto const [low, high] = std::minmax(joint.body_a, joint.body_b);
    pairs_.push_back(std::uint64_t{low} << 32u | high);
  }
  std::sort(pairs_.begin(), pairs_.end());
  for (std::size_t i = 1; i < pairs_.size(); ++i) {
    if (pairs_[i] == pairs_[i - 1]) --loop_counts_[groups_[pairs_[i] >> 32u]];
  }
}

void JointForest::choose() {
  for (std::uint32_t i = 0; i < body_count_; ++i) parents_[i] = i;
  degrees_.assign(body_count_, 0);
  kinds_.assign(joints_.size(), Kind::kScalar);
  for (std::size_t i = 0; i < joints_.size(); ++i) {
    const ForestJoint& joint = joints_[i];
    std::uint32_t const group = groups_[joint.body_a != 0 ? joint.body_a : joint.body_b];
    if (joint.ball && loop_counts_[group] >= kMinBatchedLoops &&
        loop_counts_[group] * kBatchedJointsPerLoop >= joint_counts_[group]) {
      kinds_[i] = Kind::kBatched;
      continue;
    }
    if (!joint.direct || degrees_[joint.body_a] >= kMaxTreeJointsPerBody ||
        degrees_[joint.body_b] >= kMaxTreeJointsPerBody)
      continue;
    if (joint.body_a != 0 && joint.body_b != 0 && !unite(joint.body_a, joint.body_b)) continue;
    kinds_[i] = Kind::kTree;
    if (joint.body_a != 0) ++degrees_[joint.body_a];
    if (joint.body_b != 0) ++degrees_[joint.body_b];
  }
}

void JointForest::list_bodies() {
  first_joints_.assign(body_count_ + 1, 0);
  for (std::uint32_t body = 1; body < body_count_; ++body)
    first_joints_[body + 1] = first_joints_[body] + degrees_[body];
  body_joints_.resize(first_joints_[body_count_]);
  degrees_.assign(body_count_, 0);
  for (std::uint32_t i = 0; i < joints_.size(); ++i) {
    if (kinds_[i] != Kind::kTree) continue;
    for (std::uint32_t const body : {joints_[i].body_a, joints_[i].body_b}) {
      if (body != 0) body_joints_[first_joints_[body] + degrees_[body]++] = i;
    }
  }
}

void JointForest::build(const std::vector<ForestJoint>& joints, std::uint32_t body_count) {
  if (body_count == body_count_ && joints == joints_) return;
  joints_ = joints;
  body_count_ = body_count;
  find_groups();
  choose();
  list_bodies();
  pivot_.assign(joints.size(), 0);
  to_parent_.assign(body_count, kNone);
  seen_.assign(body_count, 0);
  queue_.clear();
  for (std::uint32_t root = 1; root < body_count; ++root) {
    if (seen_[root] != 0 || degrees_[root] == 0) continue;
    seen_[root] = 1;
    queue_.push_back(root);
    for (std::size_t at = queue_.size() - 1; at < queue_.size(); ++at) {
      std::uint32_t const body = queue_[at];
      for (std::uint32_t k = first_joints_[body]; k < first_joints_[body + 1]; ++k) {
        std::uint32_t const joint = body_joints_[k];
        std::uint32_t const other = other_of(joints[joint], body);
        if (other == 0) {
          pivot_[joint] = body;
        } else if (seen_[other] == 0) {
          seen_[other] = 1;
          to_parent_[other] = joint;
          pivot_[joint] = body;
          queue_.push_back(other);
        }
      }
    }
  }
  // The last found first: a body's own joints to what does not move, then the one to its parent.
  order_.clear();
  tree_ends_.clear();
  indices_.assign(joints.size(), kNone);
  auto const add = [this](std::uint32_t joint) {
    indices_[joint] = static_cast<std::uint32_t>(order_.size());
    order_.push_back(joint);
  };
  for (std::size_t at = queue_.size(); at-- > 0;) {
    std::uint32_t const body = queue_[at];
    for (std::uint32_t k = first_joints_[body]; k < first_joints_[body + 1]; ++k) {
      if (other_of(joints[body_joints_[k]], body) == 0) add(body_joints_[k]);
    }
    if (to_parent_[body] != kNone) {
      add(to_parent_[body]);
    } else {
      tree_ends_.push_back(static_cast<std::uint32_t>(order_.size()));  // the root
    }
  }
  scalar_ = static_cast<std::uint32_t>(order_.size());
  for (std::uint32_t i = 0; i < joints.size(); ++i) {
    if (kinds_[i] == Kind::kScalar) add(i);
  }
}

void JointForest::upper(std::uint32_t index, std::vector<std::uint32_t>& out) const {
  out.clear();
  std::uint32_t const body = pivot_[order_[index]];
  for (std::uint32_t k = first_joints_[body]; k < first_joints_[body + 1]; ++k) {
    std::uint32_t const other = indices_[body_joints_[k]];
    if (other > index) out.push_back(other);
  }
  std::sort(out.begin(), out.end());
}

}  // namespace takt
