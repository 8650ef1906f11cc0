#include "physics/joint_forest.h"

#include <algorithm>

namespace takt {
namespace {

constexpr std::uint32_t kNone = 0xffffffffu;

std::uint32_t other_of(const ForestJoint& joint, std::uint32_t body) noexcept { return joint.body_a == body ? joint.body_b : joint.body_a; }

}  // namespace

std::uint32_t JointForest::root_of(std::uint32_t body) noexcept {
  while (parents_[body] != body) {
    parents_[body] = parents_[parents_[body]];
    body = parents_[body];
  }
  return body;
}

void JointForest::choose(const std::vector<ForestJoint>& joints, std::uint32_t body_count) {
  parents_.resize(body_count);
  for (std::uint32_t i = 0; i < body_count; ++i) parents_[i] = i;
  degrees_.assign(body_count, 0);
  in_tree_.assign(joints.size(), 0);
  for (std::size_t i = 0; i < joints.size(); ++i) {
    const ForestJoint& joint = joints[i];
    if (!joint.direct || degrees_[joint.body_a] >= kMaxTreeJointsPerBody || degrees_[joint.body_b] >= kMaxTreeJointsPerBody) continue;
    if (joint.body_a != 0 && joint.body_b != 0) {
      std::uint32_t const a = root_of(joint.body_a);
      std::uint32_t const b = root_of(joint.body_b);
      if (a == b) continue;
      parents_[a < b ? b : a] = a < b ? a : b;
    }
    in_tree_[i] = 1;
    if (joint.body_a != 0) ++degrees_[joint.body_a];
    if (joint.body_b != 0) ++degrees_[joint.body_b];
  }
  looped_.assign(body_count, 0);
  for (std::size_t i = 0; i < joints.size(); ++i) {
    if (in_tree_[i] != 0 || joints[i].body_a == 0 || joints[i].body_b == 0) continue;
    std::uint32_t const a = root_of(joints[i].body_a);
    std::uint32_t const b = root_of(joints[i].body_b);
    if (a == b) looped_[a] = 1;
    parents_[a < b ? b : a] = a < b ? a : b;
  }
  groups_.resize(body_count);
  for (std::uint32_t i = 0; i < body_count; ++i) {
    groups_[i] = root_of(i);
    if (looped_[i] != 0) looped_[groups_[i]] = 1;
  }
}

void JointForest::list_bodies(const std::vector<ForestJoint>& joints, std::uint32_t body_count) {
  first_joints_.assign(body_count + 1, 0);
  for (std::uint32_t body = 1; body < body_count; ++body) first_joints_[body + 1] = first_joints_[body] + degrees_[body];
  body_joints_.resize(first_joints_[body_count]);
  degrees_.assign(body_count, 0);
  for (std::uint32_t i = 0; i < joints.size(); ++i) {
    if (in_tree_[i] == 0) continue;
    for (std::uint32_t const body : {joints[i].body_a, joints[i].body_b}) {
      if (body != 0) body_joints_[first_joints_[body] + degrees_[body]++] = i;
    }
  }
}

void JointForest::build(const std::vector<ForestJoint>& joints, std::uint32_t body_count) {
  choose(joints, body_count);
  list_bodies(joints, body_count);
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
  places_.assign(joints.size(), kNone);
  auto const add = [this](std::uint32_t joint) {
    places_[joint] = static_cast<std::uint32_t>(order_.size());
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
  alone_ = static_cast<std::uint32_t>(order_.size());
  for (std::uint32_t i = 0; i < joints.size(); ++i) {
    if (in_tree_[i] == 0) add(i);
  }
}

void JointForest::upper(std::uint32_t place, std::vector<std::uint32_t>& out) const {
  out.clear();
  std::uint32_t const body = pivot_[order_[place]];
  for (std::uint32_t k = first_joints_[body]; k < first_joints_[body + 1]; ++k) {
    std::uint32_t const other = places_[body_joints_[k]];
    if (other > place) out.push_back(other);
  }
  std::sort(out.begin(), out.end());
}

}  // namespace takt
