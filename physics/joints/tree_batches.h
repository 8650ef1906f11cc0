// Trees of joints that are equal but for numbers (a heap of ragdolls), built and solved in lanes: as many at
// once as the CPU's vectors hold doubles (tree_batch.h). Finds them, packs what their joints are and remember
// at a tick's start, and gives turns, impulses and reactions back at its end. A tree is solved here where all
// of its rows are rigid, along or about axes, are its own (no balls by their arms alone) and depend on no
// joint outside it; the bits are those of JointSolver's own passes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "physics/base/aligned_buffer.h"
#include "physics/base/parallel_for.h"
#include "physics/joints/elimination_forest.h"
#include "physics/joints/geometric_stiffness.h"
#include "physics/joints/joint_bodies.h"
#include "physics/joints/joint_rows.h"
#include "physics/joints/tree_batch.h"
#include "physics/math/block_ldlt.h"

namespace takt {

/// Places in the order of elimination.
struct NodeRange {
  std::uint32_t first = 0;
  std::uint32_t end = 0;
};

/// What JointSolver has of a tick's joints.
struct TreeSource {
  const EliminationForest& forest;
  const BlockPattern& pattern;
  std::vector<PreparedJoint>& joints;
  std::vector<EqualityJoint>& held;
  std::vector<EqualityRow>& rows;
  std::vector<LimitRow>& limited;
};

template <class Real>
class TreeBatches {
 public:
  void clear() noexcept { blocks_.clear(); }
  /// Which trees are solved here: says so in EqualityJoint::in_lanes, and lists the others. Call before the
  /// tick's rows are built for the first time. `mixed`: by body of the solver, not 0 of the least of a group
  /// (EliminationForest::group_of) with joints outside its tree.
  void arrange(const TreeSource& from, std::uint32_t lanes, const std::vector<std::uint8_t>& mixed,
               std::vector<NodeRange>& others);
  [[nodiscard]] bool empty() const noexcept { return blocks_.empty(); }
  // `stale`: by body of the solver, not 0 where rows or the inertia are not those of where it is.
  /// Rows of stale bodies, from where the bodies are; of all when the tick is `fresh`, from joints and
  /// impulses of the pools.
  void compute_rows(const TreeSource& from, const JointBodies<Real>& at,
                    const std::vector<std::uint8_t>& stale, bool fresh);
  /// What last substep's impulses pull with, by body of the solver.
  void sum_tensions(const JointBodies<Real>& at, std::vector<GeometricStiffness>& tensions);
  /// Matrix and factor of what is stale; when `anew` its rows first, which filling uses up. Inverse inertias
  /// by body of the solver.
  void fill(const JointBodies<Real>& at, const std::vector<SymMat64>& inertias,
            const std::vector<std::uint8_t>& stale, bool anew);
  void warm_start(const JointBodies<Real>& at);
  void solve(const JointBodies<Real>& at, const TreeParameters& parameters, bool use_bias);
  /// Adds up what the joints did in the substep; after the last one that, turns and impulses go back.
  void react(const TreeSource& from, const JointBodies<Real>& at, bool last);

 private:
  struct Tree {
    NodeRange nodes;
    std::uint32_t first_word = 0;
    std::uint32_t word_count = 0;
    std::uint64_t digest = 0;
  };
  /// Trees of a kind: where its parts begin in the lists below.
  struct Kind {
    TreePlan plan;
    std::uint32_t first_node = 0;
    std::uint32_t first_link = 0;
    std::uint32_t first_bound = 0;
    std::uint32_t first_body = 0;
  };
  struct Block {
    std::uint32_t kind = 0;
    std::uint32_t first_tree = 0;  ///< in sorted_
    std::uint32_t tree_count = 0;
    std::uint32_t first_body = 0;  ///< in bodies_
    std::size_t numbers = 0;       ///< place in memory_
  };

  [[nodiscard]] bool can_be(const TreeSource& from, NodeRange nodes) const noexcept;
  void list_bodies(const TreeSource& from, NodeRange nodes);
  void describe(const TreeSource& from, NodeRange nodes);
  [[nodiscard]] bool are_isomorphic(const Tree& a, const Tree& b) const noexcept;
  void add_kind(const TreeSource& from, std::uint32_t first, std::uint32_t end);
  template <std::size_t W>
  void pack(const TreeSource& from, const Block& block) const;
  void give_back(const TreeSource& from, const Block& block) const;
  void take(const TreeSource& from, const Block& block) const;
  [[nodiscard]] bool is_stale(const Block& block, const std::vector<std::uint8_t>& stale) const noexcept;
  [[nodiscard]] const TreePlan& plan_of(const Block& block) const noexcept { return kinds_[block.kind].plan; }
  [[nodiscard]] TreeBlock block_of(const Block& block) const noexcept;
  template <class Body>
  void for_blocks(const JointBodies<Real>& at, const Body& body) const {
    parallel_for(at.pool, blocks_.size(), 1, [&](std::size_t first, std::size_t end, std::uint32_t) {
      for (std::size_t i = first; i < end; ++i) body(blocks_[i]);
    });
  }

  const TreeKernels<Real>* kernels_ = nullptr;
  std::vector<Tree> trees_;
  std::vector<std::uint32_t> sorted_;  ///< trees, equal ones together
  std::vector<std::uint32_t> words_;   ///< what trees are made of
  std::vector<Kind> kinds_;
  std::vector<Block> blocks_;
  std::vector<TreeNode> nodes_;  ///< kind by kind, as the next three
  std::vector<TreeLink> links_;
  std::vector<TreeBound> bounds_;
  std::vector<std::uint8_t> moves_;
  std::vector<std::uint32_t> bodies_;       ///< block by block
  std::vector<std::uint32_t> local_;        ///< scratch, by body of the solver: place in the tree + 1
  std::vector<std::uint32_t> tree_bodies_;  ///< scratch: the solver's places
  std::vector<std::uint32_t> by_joint_;     ///< scratch: a tree's nodes in id order
  std::vector<std::uint32_t> in_order_;     ///< the same within the tree, kind by kind
  AlignedBuffer memory_;
  double* numbers_ = nullptr;
};

}  // namespace takt
