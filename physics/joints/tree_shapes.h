// TreeShapes finds isomorphic joint trees: trees with equal plans (TreePlan, tree_batch.h) that differ in
// numbers only. A list of integers describes each tree: joints, bodies, locked coordinates, couplings and
// limit rows. Equal lists mean equal plans. sort() orders the trees by a digest of their lists, so isomorphic
// trees are neighbours; end_of_run() returns the end of such a run. Different lists of equal digest may split
// a run, which costs time only. TreeBatches adds and sorts the trees once a tick. TreeSource is the input:
// the joints of a tick, as JointSolver owns them.
#pragma once

#include <cstdint>
#include <vector>

#include "physics/joints/elimination_forest.h"
#include "physics/joints/joint_equality.h"
#include "physics/joints/joint_rows.h"
#include "physics/joints/tree_batch.h"
#include "physics/math/block_ldlt.h"

namespace takt {

/// References to the lists of a tick, as the parts of JointSolver own them. `prepared` is in id order,
/// `joints` by node.
struct TreeSource {
  const EliminationForest& forest;
  const BlockPattern& pattern;
  std::vector<PreparedJoint>& prepared;
  std::vector<EqualityJoint>& joints;
  std::vector<EqualityRow>& rows;
  std::vector<LimitRow>& limits;
  std::vector<JointReaction>& reactions;
};

/// The kind of a limit row in a batched tree. LimitKind::kDrive has none and gives kFriction.
[[nodiscard]] TreeLimitKind tree_limit_kind(LimitKind kind) noexcept;

class TreeShapes {
 public:
  /// Removes all trees; solver indices are below `body_count`.
  void clear(std::size_t body_count);
  /// Adds the tree of these nodes. No tree may be numbered (number_bodies()).
  void add(const TreeSource& source, NodeRange nodes);
  /// Orders the trees. Call it once after the last add(); the next three functions need it.
  void sort();
  [[nodiscard]] std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(sorted_.size()); }
  /// Nodes of a tree by sorted index.
  [[nodiscard]] NodeRange nodes(std::uint32_t index) const noexcept { return trees_[sorted_[index]].nodes; }
  /// End of the run of trees isomorphic to the tree at sorted index `first`.
  [[nodiscard]] std::uint32_t end_of_run(std::uint32_t first) const noexcept;

  /// Numbers the bodies of a tree, static ones too, in the order in which its joints name them. The next
  /// three functions refer to this tree until release_bodies(), which must come before the next add() or
  /// number_bodies().
  void number_bodies(const TreeSource& source, NodeRange nodes);
  [[nodiscard]] std::uint32_t body_count() const noexcept {
    return static_cast<std::uint32_t>(bodies_.size());
  }
  /// Number of a body (solver index) within the tree, which has the body.
  [[nodiscard]] std::uint32_t local(std::uint32_t body) const noexcept { return local_[body] - 1; }
  /// The tree's nodes (indices in EliminationForest::order()), sorted by joint id.
  [[nodiscard]] const std::vector<std::uint32_t>& id_order() const noexcept { return id_order_; }
  /// Ends the numbering of number_bodies().
  void release_bodies() noexcept;

 private:
  struct Tree {
    NodeRange nodes;
    std::uint32_t first_word = 0;
    std::uint32_t word_count = 0;
    std::uint64_t digest = 0;
  };
  [[nodiscard]] bool are_isomorphic(const Tree& a, const Tree& b) const noexcept;

  std::vector<Tree> trees_;
  std::vector<std::uint32_t> sorted_;  ///< indices in trees_
  std::vector<std::uint32_t> words_;
  std::vector<std::uint32_t> local_;     ///< by solver index: number within the tree + 1, 0 = not in it
  std::vector<std::uint32_t> bodies_;    ///< solver indices of the numbered tree
  std::vector<std::uint32_t> id_order_;  ///< nodes of the numbered tree
};

}  // namespace takt
