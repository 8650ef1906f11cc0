#include "physics/joints/joint_partition.h"

#include "takt/core/assert.h"

namespace takt {

/// marked_[root] = 1 for each group of bodies with a joint outside its tree, or with a gear on a joint of it.
template <class Real>
void JointPartition<Real>::mark_mixed_groups(const WorldState<Real>& state, JointOrdering<Real>& ordering,
                                             std::span<const BatchedPointJoint> point_joints,
                                             std::span<const EqualityJoint> joints) {
  const EliminationForest& forest = ordering.forest();
  auto const mark = [&](std::uint32_t body) { marked_[forest.group_of(body)] = 1; };
  for (const BatchedPointJoint& joint : point_joints)
    mark(joint.moving_a != 0 ? joint.moving_a : joint.moving_b);
  for (const EqualityJoint& joint : joints.subspan(forest.first_loop_closing())) {
    mark(joint.moving_a != 0 ? joint.moving_a : joint.moving_b);
    const PreparedJoint& prepared = ordering.joints()[joint.joint];
    if (prepared.kind != JointKind::kGear || prepared.coupling == kNoIndex) continue;
    const JointCoupling& gear = state.joints[prepared.index].coupling;
    for (JointId const id : {gear.joint_1, gear.joint_2}) {
      const PreparedJoint& coupled = ordering.prepared(id.index);
      for (const RowBody* body : {&coupled.a, &coupled.b}) {
        if (body->moves) mark(body->body);
      }
    }
  }
}

template <class Real>
void JointPartition<Real>::build(const WorldState<Real>& state, JointOrdering<Real>& ordering,
                                 const JointInertias<Real>& inertias,
                                 std::span<const BatchedPointJoint> point_joints, const TreeSource& source,
                                 std::uint32_t lanes, std::span<const std::uint32_t> pinned,
                                 TreeBatches<Real>& batches) {
  std::size_t const body_count = inertias.stale().size();
  marked_.assign(body_count, 0);
  mark_mixed_groups(state, ordering, point_joints, source.joints);
  for (std::uint32_t const body : pinned) marked_[ordering.forest().group_of(body)] = 1;
  batches.arrange(source, lanes, marked_, trees_);
  TAKT_ASSERT(source.joints.size() == ordering.joints().size());
  nodes_.clear();
  marked_.assign(body_count, 0);
  for (std::uint32_t node = 0; node < source.joints.size(); ++node) {
    const EqualityJoint& joint = source.joints[node];
    if (joint.in_batch) {
      marked_[joint.moving_a] = marked_[joint.moving_b] = 1;
    } else {
      nodes_.push_back(node);
    }
  }
  for (const NodeRange& tree : trees_)
    TAKT_ASSERT(tree.first < tree.end && !source.joints[tree.first].in_batch);
  joints_.clear();
  limited_.clear();
  for (std::uint32_t i = 0; i < ordering.joints().size(); ++i) {
    const PreparedJoint& joint = ordering.joints()[i];
    if (joint.is_point || source.joints[joint.node].in_batch) continue;
    joints_.push_back(i);
    if (joint.limit_count > 0 || joint.coupling != kNoIndex) limited_.push_back(i);
  }
  bodies_.clear();
  for (std::uint32_t const body : inertias.bodies()) {
    if (marked_[body] == 0) bodies_.push_back(body);
  }
}

template class JointPartition<float>;
template class JointPartition<Fixed>;

}  // namespace takt
