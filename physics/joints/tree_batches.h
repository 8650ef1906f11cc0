// TreeBatches solves isomorphic joint trees (a heap of ragdolls) in SIMD lanes. arrange() selects and groups
// the trees of a tick (tree_shapes.h). Their data are packed in the first substep and unpacked (revolutions,
// impulses, reactions) after the last. JointSolver calls the passes.
//
// A tree qualifies in float mode, at a lane width above 1, if another tree is isomorphic. All of its rows
// must be rigid, along or about axes, and no direct limits (direct_limits.h) or drives. Each joint must have
// 1 to 6 equality rows. None of its joints may be a scalar point joint. No joint outside the tree and no rope
// may read or move its bodies, and no joint may close a loop between them. JointEquality and JointLimits
// solve the trees that do not qualify, with the same bits.
#pragma once

#include <cstdint>
#include <vector>

#include "physics/base/aligned_buffer.h"
#include "physics/base/parallel_for.h"
#include "physics/joints/geometric_stiffness.h"
#include "physics/joints/joint_bodies.h"
#include "physics/joints/tree_batch.h"
#include "physics/joints/tree_shapes.h"

namespace takt {

template <class Real>
class TreeBatches {
 public:
  /// Removes the trees of the last tick; empty() is then true.
  void clear() noexcept { blocks_.clear(); }
  /// Selects the trees to be batched, marks EqualityJoint::in_batch, and replaces `others` by all other
  /// trees. Call it before the first rows of the tick are computed. `mixed` is by solver index: not 0 for the
  /// lowest body of a group (EliminationForest::group_of) with joints outside its tree, or with a rope's pin.
  /// `lanes` as in StepOptions.
  void arrange(const TreeSource& source, std::uint32_t lanes, const std::vector<std::uint8_t>& mixed,
               std::vector<NodeRange>& others);
  [[nodiscard]] bool empty() const noexcept { return blocks_.empty(); }
  // The functions below need a TreeBatches that is not empty(). `stale` is by solver index: not 0 when the
  // rows or the inertia are not those of the body's pose.
  /// Computes rows of blocks with stale bodies; in the first substep packs and computes all blocks.
  void compute_rows(const TreeSource& source, const JointBodies<Real>& bodies,
                    const std::vector<std::uint8_t>& stale, bool first_substep);
  /// Replaces the sums of the batched trees' moving bodies by the tension of the last substep's impulses.
  /// `tensions` is by solver index.
  void sum_tensions(const JointBodies<Real>& bodies, std::vector<GeometricStiffness>& tensions);
  /// Computes matrix, factor and projected limit rows of blocks with stale bodies. `recompute`: computes the
  /// rows of these blocks first. fill() projects limit rows in place, so rows serve one fill(). Inverse
  /// inertias are by solver index, in world axes.
  void fill(const JointBodies<Real>& bodies, const std::vector<SymMat64>& inertias,
            const std::vector<std::uint8_t>& stale, bool recompute);
  /// Applies the impulses of the last substep to the bodies.
  void warm_start(const JointBodies<Real>& bodies);
  /// One pass: limits, then equality rows.
  void solve(const JointBodies<Real>& bodies, const JointConstants& constants, bool use_bias);
  /// Adds the substep's reactions to the sums; after the last substep unpacks sums, revolutions and impulses.
  void react(const TreeSource& source, const JointBodies<Real>& bodies, bool last);

 private:
  /// A group of isomorphic trees, and the first index of its parts in the lists below.
  struct Kind {
    TreePlan plan;
    std::uint32_t first_node = 0;
    std::uint32_t first_link = 0;
    std::uint32_t first_limit = 0;
    std::uint32_t first_body = 0;
  };
  struct Block {
    std::uint32_t kind = 0;
    std::uint32_t first_tree = 0;  ///< sorted index in shapes_
    std::uint32_t tree_count = 0;
    std::uint32_t first_body = 0;  ///< index in bodies_
    std::size_t numbers = 0;       ///< offset in numbers_
  };

  [[nodiscard]] static bool can_batch(const TreeSource& source, NodeRange nodes) noexcept;
  void add_kind(const TreeSource& source, std::uint32_t first, std::uint32_t end);
  void add_nodes(const TreeSource& source, NodeRange nodes, Kind& kind);
  void add_limits(const TreeSource& source, NodeRange nodes, Kind& kind);
  void add_blocks(const TreeSource& source, std::uint32_t first, std::uint32_t end);
  void assign_memory();
  template <std::size_t W>
  void pack(const TreeSource& source, const Block& block) const;
  void pack_lanes(const TreeSource& source, const Block& block) const;
  void unpack(const TreeSource& source, const Block& block) const;
  [[nodiscard]] bool is_stale(const Block& block, const std::vector<std::uint8_t>& stale) const noexcept;
  [[nodiscard]] const TreePlan& plan_of(const Block& block) const noexcept { return kinds_[block.kind].plan; }
  [[nodiscard]] TreeBlock block_of(const Block& block) const noexcept;
  template <class Body>
  void for_blocks(const JointBodies<Real>& bodies, const Body& body) const {
    parallel_for(bodies.pool, blocks_.size(), 1, [&](std::size_t first, std::size_t end, std::uint32_t) {
      for (std::size_t i = first; i < end; ++i) body(blocks_[i]);
    });
  }

  TreeShapes shapes_;
  const TreeKernels<Real>* kernels_ = nullptr;
  std::vector<Kind> kinds_;
  std::vector<Block> blocks_;
  std::vector<TreeNode> nodes_;  ///< kind by kind, as the next four
  std::vector<TreeLink> links_;
  std::vector<TreeLimit> limits_;
  std::vector<std::uint8_t> moves_;
  std::vector<std::uint32_t> id_order_;
  std::vector<std::uint32_t> bodies_;  ///< solver indices, block by block
  AlignedBuffer memory_;
  double* numbers_ = nullptr;  ///< in memory_
};

}  // namespace takt
