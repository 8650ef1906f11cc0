// EliminationForest selects the joints of a tick that are solved together by a direct solver (trees), and
// orders them. In that order the block L D L^T factorisation of block_ldlt.h has no fill. Bodies are the
// vertices of a graph, joints are its edges. A breadth-first spanning forest of the graph is eliminated from
// its leaves. When a joint is eliminated, the remaining joints that couple with it share one body (its pivot)
// and already couple with one another. Source: D. Baraff, Linear-Time Dynamics using Lagrange Multipliers
// (1996).
//
// The other joints follow in list order and are solved by Gauss-Seidel. These are gears, pulleys, joints with
// a maximum force or torque, joints that are not `direct`, joints that close a loop, and joints beyond
// kMaxTreeJointsPerBody. Batched point joints (point_joint_batches.h) are not in the order. JointOrdering
// calls build() once a tick. The result depends on the list of joints and the number of bodies, not on rows
// or masses.
#pragma once

#include <cstdint>
#include <vector>

#include "physics/joints/joint_groups.h"

namespace takt {

/// Maximum number of tree joints on one moving body; further joints stay outside the trees. All joints of a
/// body couple, which costs their number cubed. A change of it changes results.
inline constexpr std::uint32_t kMaxTreeJointsPerBody = 24;

class EliminationForest {
 public:
  /// Replaces the forest. Bodies of `joints` are solver indices below `body_count`, which is above 0. An
  /// input equal to the last one costs only the comparison.
  void build(const std::vector<ForestJoint>& joints, std::uint32_t body_count);

  /// True when joint `joint` of the list is solved in a colour batch.
  [[nodiscard]] bool is_batched(std::size_t joint) const noexcept { return kinds_[joint] == Kind::kBatched; }
  /// Elimination order: list indices of all joints outside colour batches. Trees first, tree after tree; then
  /// the joints outside trees, in list order.
  [[nodiscard]] const std::vector<std::uint32_t>& order() const noexcept { return order_; }
  /// Index in order() of the first joint outside the trees; the size of order() if there is none.
  [[nodiscard]] std::uint32_t first_loop_closing() const noexcept { return first_loop_closing_; }
  /// The body (solver index) that node `index` < first_loop_closing() shares with all nodes of upper(index).
  /// A node is an index in order().
  [[nodiscard]] std::uint32_t pivot(std::uint32_t index) const noexcept { return pivot_[order_[index]]; }
  /// Indices in order() past the end of each tree, ascending. The first tree begins at 0.
  [[nodiscard]] const std::vector<std::uint32_t>& tree_ends() const noexcept { return tree_ends_; }
  /// The lowest body of the group that joints of any kind, batched ones too, connect with this body.
  [[nodiscard]] std::uint32_t group_of(std::uint32_t body) const noexcept { return groups_.find_root(body); }
  /// True when a joint closes a loop in the group of this body, as JointGroups::is_looped().
  [[nodiscard]] bool is_looped(std::uint32_t body) const noexcept { return groups_.is_looped(body); }
  /// Replaces `out` by the later nodes that couple with node `index` < first_loop_closing(), ascending.
  void upper(std::uint32_t index, std::vector<std::uint32_t>& out) const;

 private:
  enum class Kind : std::uint8_t { kLoopClosing, kTree, kBatched };

  void classify_joints();
  void list_tree_joints_of_bodies();
  void search_breadth_first();
  void order_from_leaves();
  /// True when order() has each joint outside colour batches once, and no body but the pivot of a node has a
  /// later tree joint.
  [[nodiscard]] bool is_perfect_elimination_order() const;

  std::vector<ForestJoint> joints_;
  JointGroups groups_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> tree_ends_;
  std::uint32_t first_loop_closing_ = 0;
  std::vector<Kind> kinds_;                  ///< by joint
  std::vector<std::uint32_t> pivot_;         ///< by joint of a tree: body
  std::vector<std::uint32_t> indices_;       ///< by joint: index in order_, or kNone
  std::vector<std::uint32_t> parents_;       ///< by body: union-find of the spanning forest
  std::vector<std::uint32_t> degrees_;       ///< by body: number of tree joints
  std::vector<std::uint32_t> first_joints_;  ///< by body: first index in body_joints_
  std::vector<std::uint32_t> body_joints_;   ///< tree joints, body by body
  std::vector<std::uint32_t> queue_;         ///< bodies in breadth-first order
  std::vector<std::uint32_t> to_parent_;     ///< by body: the joint to the parent body, or kNone
  std::vector<std::uint8_t> visited_;        ///< by body
};

}  // namespace takt
