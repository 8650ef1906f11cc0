// JointPartition divides the joints of a tick, without batched point joints (point_joint_batches.h), between
// two solvers. TreeBatches (tree_batches.h) solves isomorphic trees in SIMD lanes. The scalar solvers
// (JointEquality, JointLimits, JointCouplings) solve all other joints. A tree can be batched only if no joint
// outside the tree and no rope reads or moves its bodies; tree_batches.h has the other conditions.
// JointSolver builds the partition once a tick. The lists of the partition name joints, trees and bodies of
// the scalar solvers; JointSolver and JointReactions loop over them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "physics/joints/joint_equality.h"
#include "physics/joints/joint_limits.h"
#include "physics/joints/joint_ordering.h"
#include "physics/joints/tree_batches.h"

namespace takt {

template <class Real>
class JointPartition {
 public:
  /// Marks batched joints in EqualityJoint::in_batch and builds the blocks of `batches`. Trees of `pinned`
  /// bodies (solver indices) are not batched: ropes act on them.
  void build(const WorldState<Real>& state, JointOrdering<Real>& ordering,
             const JointInertias<Real>& inertias, std::span<const BatchedPointJoint> point_joints,
             const TreeSource& source, std::uint32_t lanes, std::span<const std::uint32_t> pinned,
             TreeBatches<Real>& batches);

  // Lists of what the scalar solvers handle:
  /// Trees as node ranges, each in elimination order. The list has the trees that cannot be batched,
  /// in forest order, then those without an isomorphic tree, by digest. Trees share no moving body, so the
  /// order of the list changes no bit.
  [[nodiscard]] const std::vector<NodeRange>& trees() const noexcept { return trees_; }
  /// Nodes of the elimination order, ascending: of trees and outside trees.
  [[nodiscard]] const std::vector<std::uint32_t>& nodes() const noexcept { return nodes_; }
  /// Indices in JointOrdering::joints() of joints that are no point joints, ascending.
  [[nodiscard]] const std::vector<std::uint32_t>& joints() const noexcept { return joints_; }
  /// Entries of joints() with limit rows or a coupling row, in the order of Gauss-Seidel.
  [[nodiscard]] const std::vector<std::uint32_t>& limited() const noexcept { return limited_; }
  /// Jointed bodies (JointInertias::bodies()) outside tree batches, ascending.
  [[nodiscard]] const std::vector<std::uint32_t>& bodies() const noexcept { return bodies_; }

 private:
  void mark_mixed_groups(const WorldState<Real>& state, JointOrdering<Real>& ordering,
                         std::span<const BatchedPointJoint> point_joints,
                         std::span<const EqualityJoint> joints);

  std::vector<NodeRange> trees_;
  std::vector<std::uint32_t> nodes_;
  std::vector<std::uint32_t> joints_;
  std::vector<std::uint32_t> limited_;
  std::vector<std::uint32_t> bodies_;
  std::vector<std::uint8_t> marked_;  ///< scratch, by solver index
};

}  // namespace takt
