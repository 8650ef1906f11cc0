// TreeBlock has the data of up to W isomorphic joint trees side by side, one per SIMD lane, in binary64. The
// data are one array of numbers, each stored W times. TreePlan has the structure that the trees share
// (TreeNode, TreeLink, TreeLimit) and the offsets of joints, bodies, rows and matrix in the array. The lane
// width never changes a bit: the trees of a block share no moving body, and a lane runs the scalar operations
// (joint_row_steps.h). TreeBatches finds the trees and calls TreeKernels, the function table of one lane
// width. The table also has kernels for inertia_conditioning.h and gyroscopic_term.h. tree_batch_kernels.h
// implements the table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "physics/constraints/gyroscope.h"
#include "physics/constraints/moving_body.h"
#include "physics/constraints/solver_body.h"
#include "physics/joints/joint_row_types.h"
#include "takt/physics/softness.h"

namespace takt {

struct GeometricStiffness;

/// A joint in elimination order. Body, row, limit and link indices count within the tree; blocks are offsets
/// in numbers per lane from the tree's matrix.
struct TreeNode {
  std::uint32_t body_a = 0;
  std::uint32_t body_b = 0;
  bool moves_a = false;  ///< under impulses
  bool moves_b = false;
  bool static_a = false;  ///< solver index 0: the pose of the tick's start holds
  bool static_b = false;
  JointParts parts = JointParts::kAll;
  std::uint8_t locked = 0;
  bool limit_tension = false;                      ///< as in PreparedJoint
  std::array<std::uint8_t, kMaxTreeRows> slots{};  ///< locked coordinate of each row
  std::uint32_t first_row = 0;
  std::uint32_t row_count = 0;
  std::uint32_t first_limit = 0;
  std::uint32_t limit_count = 0;
  std::uint32_t first_link = 0;
  std::uint32_t link_count = 0;
  std::uint32_t diagonal_block = 0;  ///< the joint's own K in the tree's matrix
  std::uint32_t node_block = 0;      ///< factor of the joint by itself; used by joints with limits
};

/// A later node that couples with a node through a shared body. `block` is the offset of their matrix block.
struct TreeLink {
  std::uint32_t node = 0;
  std::uint32_t block = 0;
  bool by_a = false;  ///< the shared body is a of the earlier node
  bool of_a = false;  ///< the shared body is a of the later node
};

enum class TreeLimitKind : std::uint8_t { kFriction, kMotor, kLimit };

/// A limit row; rows stand in the order of solving.
struct TreeLimit {
  std::uint32_t node = 0;
  TreeLimitKind kind = TreeLimitKind::kFriction;
  JointAxis axis = JointAxis::kLinearX;
};

// Parts of a block, N = W doubles. pack_tree_batch.cpp packs the data that last for a tick; the kernels
// compute the rest. Rows and limit rows are those of joint_row_types.h.
template <class N>
struct TreeJoint {
  JointFramesOf<N> frames;
  TurnsOf<N> revolutions;
  Vec3<N> r_a;  ///< as in PreparedJoint
  Vec3<N> r_b;
  Vec3<N> force_sum;  ///< as in JointReaction
  Vec3<N> torque_sum;
};
/// Masses of a body of the tree; 0 for a body that does not move under impulses.
template <class N>
struct TreeBody {
  Vec3<N> inverse_mass;  ///< 1/kg along the world axes
  N inverse_inertia[6];  ///< 1/(kg m^2), world axes: xx, yy, zz, xy, xz, yz
};

/// Size of a part in numbers per lane.
template <template <class> class Part>
inline constexpr std::uint32_t kNumbersOf = sizeof(Part<double>) / sizeof(double);

/// Layout of isomorphic trees in a block. Offsets of parts are in numbers per lane from the block's start.
struct TreePlan {
  const TreeNode* nodes = nullptr;
  const TreeLink* links = nullptr;
  const TreeLimit* limits = nullptr;
  const std::uint8_t* moves = nullptr;      ///< by body of the tree: moves under impulses
  const std::uint32_t* id_order = nullptr;  ///< nodes in joint id order
  std::uint32_t node_count = 0;
  std::uint32_t limit_count = 0;
  std::uint32_t row_count = 0;
  std::uint32_t body_count = 0;
  std::uint32_t joints = 0;
  std::uint32_t bodies = 0;
  std::uint32_t poses = 0;  ///< scratch: BodyPoseOf, later TensionOf
  std::uint32_t limit_inputs = 0;
  std::uint32_t rows = 0;
  std::uint32_t limit_rows = 0;
  std::uint32_t velocities = 0;
  std::uint32_t changes = 0;
  std::uint32_t impulses = 0;
  std::uint32_t drift = 0;
  std::uint32_t pivots = 0;  ///< scratch of the factor: PivotScratch, row_count numbers each
  std::uint32_t scaled = 0;  ///< scratch of the factor: L D of one block
  std::uint32_t matrix = 0;
  std::uint32_t size = 0;
};

/// A block and the solver indices of its bodies: body by body, all lanes of each. Lanes past the last tree
/// repeat the last tree.
struct TreeBlock {
  double* numbers = nullptr;
  const std::uint32_t* bodies = nullptr;
  std::uint32_t tree_count = 0;  ///< 1 to the number of lanes
};

/// Constants of a pass.
struct TreeParameters {
  double substep_s = 0.0;
  const Softness* softness = nullptr;  ///< of limits past their bounds, in the biased pass; not null
};

/// Input and output of TreeKernels::raise(): the part of matrix `of` with positive eigenvalues is added to
/// matrix `to`. Both are symmetric, in the order xx, yy, zz, xy, xz, yz.
struct PositivePart {
  double to[6]{};
  double of[6]{};
  bool found = false;  ///< output: `of` had a positive eigenvalue
};

/// The kernels of one lane width. All pointers are null where trees are solved one by one.
template <class Real>
struct TreeKernels {
  std::uint32_t lanes = 1;
  /// Computes rows from the bodies' poses.
  void (*compute_rows)(const TreePlan& plan, const TreeBlock& block, const SolverBody<Real>* bodies,
                       const MovingBody<Real>* moving) = nullptr;
  /// Computes the tension of the last substep's impulses. Replaces the sums of the trees' moving bodies in
  /// `tensions`, which is by solver index.
  void (*sum_tensions)(const TreePlan& plan, const TreeBlock& block, const SolverBody<Real>* bodies,
                       GeometricStiffness* tensions) = nullptr;
  /// Computes matrix, factor and projected limits from rows that compute_rows() left; once after each
  /// compute_rows(). Inverse inertias in world axes by solver index, 1/(kg m^2): xx, yy, zz, xy, xz, yz.
  void (*fill)(const TreePlan& plan, const TreeBlock& block, const std::array<double, 6>* inertias) = nullptr;
  /// Applies the impulses of the last substep.
  void (*warm_start)(const TreePlan& plan, const TreeBlock& block, SolverBody<Real>* bodies) = nullptr;
  /// One pass: limits, then equality rows; `use_bias`: corrects drift.
  void (*solve)(const TreePlan& plan, const TreeBlock& block, SolverBody<Real>* bodies,
                const TreeParameters& parameters, bool use_bias) = nullptr;
  /// Adds the substep's force and torque of each joint to its sums.
  void (*react)(const TreePlan& plan, const TreeBlock& block) = nullptr;
  /// Adds positive parts (geometric_stiffness.h).
  void (*raise)(PositivePart* parts, std::size_t count) = nullptr;
  // gyroscope.h in lanes:
  void (*begin_gyroscopic)(const SpinningBodies<Real>& at, double step_s) = nullptr;
  void (*end_gyroscopic)(const SpinningBodies<Real>& at) = nullptr;
};

/// Returns the kernels for `trees` batched trees, raised or gyroscopic bodies. The table lives as long as the
/// program. `lanes` is a float width: 4, 8 or 16 give 2, 4 or 8 lanes of doubles. 0 gives the widest that
/// this CPU runs well and that `trees` fill more than half of, at least 2. With one lane and in fixed mode
/// the table is empty.
template <class Real>
[[nodiscard]] const TreeKernels<Real>& tree_kernels(std::uint32_t lanes, std::size_t trees) noexcept;

}  // namespace takt
