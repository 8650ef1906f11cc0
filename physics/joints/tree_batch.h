// Equal trees of joints, W of them side by side: what the kernels of tree_batch_kernels.h work on. Every
// number is there W times, a tree a lane, in binary64; a block is one run of such numbers, cut up by a
// TreePlan. The width never changes a bit: trees share no body that moves, and each lane does exactly what
// the solver does for one tree.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "physics/constraints/gyroscope.h"
#include "physics/constraints/moving_body.h"
#include "physics/constraints/solver_body.h"
#include "physics/joints/joint_pose.h"
#include "takt/physics/softness.h"

namespace takt {

struct GeometricStiffness;

/// Rows of a joint at most: its locked coordinates.
inline constexpr std::uint32_t kMaxTreeRows = 6;

/// A joint, in the order of elimination. Places are those within the tree; rows, blocks of the matrix and
/// bounded rows are in numbers of one lane.
struct TreeNode {
  std::uint32_t body_a = 0;
  std::uint32_t body_b = 0;
  bool moves_a = false;
  bool moves_b = false;
  bool stands_a = false;  ///< not the solver's: it is where the joint says
  bool stands_b = false;
  JointParts parts = JointParts::kAll;
  std::uint8_t locked = 0;
  bool limit_tension = false;                      ///< as in PreparedJoint
  std::array<std::uint8_t, kMaxTreeRows> slots{};  ///< of each row: its locked coordinate
  std::uint32_t first_row = 0;
  std::uint32_t row_count = 0;
  std::uint32_t first_limit = 0;
  std::uint32_t limit_count = 0;
  std::uint32_t first_link = 0;
  std::uint32_t link_count = 0;
  std::uint32_t own_block = 0;     ///< of the tree's matrix
  std::uint32_t scalar_block = 0;  ///< of the joint's rows by themselves; only where there are bounded rows
};

/// A later node with which one couples, by the body that they share.
struct TreeLink {
  std::uint32_t node = 0;
  std::uint32_t block = 0;
  bool by_a = false;  ///< the body is a of the earlier one
  bool of_a = false;  ///< and of the later one
};

enum class TreeBoundKind : std::uint8_t { kFriction, kMotor, kLimit };

/// A bounded row, in the order in which they are solved.
struct TreeBound {
  std::uint32_t node = 0;
  TreeBoundKind kind = TreeBoundKind::kFriction;
  JointAxis axis = JointAxis::kLinearX;
};

// What a block holds of each of these: N is W doubles. What stays for a tick is packed at its start
// (pack_tree_batch.cpp), all else is found in lanes.
template <class N>
struct TreeJoint {
  // As in PreparedJoint, in its order.
  Quat<N> rotation_a;
  Quat<N> rotation_b;
  Quat<N> frame_a;
  Quat<N> frame_b;
  Vec3<N> local_a;
  Vec3<N> local_b;
  Vec3<N> delta_center;
  TurnsOf<N> revolutions;
  Vec3<N> r_a;
  Vec3<N> r_b;
  Vec3<N> force_sum;
  Vec3<N> torque_sum;
};
/// 0 of what does not move.
template <class N>
struct TreeBody {
  Vec3<N> inverse_mass;
  N inverse_inertia[6];
};
/// Where a body is.
template <class N>
struct TreeBodyFrame {
  Quat<N> rotation;
  Vec3<N> shift;
};
template <class N>
struct TreeRow {
  Vec3<N> linear;
  Vec3<N> jacobian_a;
  Vec3<N> jacobian_b;
  N error;
  N impulse;
  Vec3<N> inv_i_jacobian_a;
  Vec3<N> inv_i_jacobian_b;
};
/// Of a bounded row what it is taken from.
template <class N>
struct TreeGiven {
  N lower;  ///< of a limit, m or rad
  N upper;
  Vec3<N> linear;  ///< before it is projected, where limit_tension
};
/// Its side on b is along `linear`, that on a against it. As it was built until it is projected: jacobian_a
/// is there in place of angular_a.
template <class N>
struct TreeLimits {
  Vec3<N> linear;
  Vec3<N> angular_a;
  Vec3<N> angular_b;
  N max;          ///< N s; of a limit how far it is above its lower bound, m or rad
  N below_upper;  ///< of a limit, m or rad; of a motor its speed
  N impulse;
  Vec3<N> change_a;  ///< of the spins by an impulse of 1 N s
  Vec3<N> change_b;
  N mobility;
  N share[kMaxTreeRows];
};
template <class N>
struct TreeMotion {
  Vec3<N> velocity;
  Vec3<N> omega;
};

/// Numbers a lane.
template <template <class> class Part>
inline constexpr std::uint32_t kNumbersOf = sizeof(Part<double>) / sizeof(double);

/// How trees of one kind are laid into blocks. Places of parts are in numbers a lane from a block's start.
struct TreePlan {
  const TreeNode* nodes = nullptr;
  const TreeLink* links = nullptr;
  const TreeBound* bounds = nullptr;
  const std::uint8_t* moves = nullptr;      ///< by body: under impulses
  const std::uint32_t* in_order = nullptr;  ///< nodes in the order of ids
  std::uint32_t node_count = 0;
  std::uint32_t bound_count = 0;
  std::uint32_t row_count = 0;
  std::uint32_t body_count = 0;
  std::uint32_t joints = 0;
  std::uint32_t bodies = 0;
  std::uint32_t indices = 0;  ///< or pulls: scratch
  std::uint32_t givens = 0;
  std::uint32_t rows = 0;
  std::uint32_t limited = 0;
  std::uint32_t motions = 0;
  std::uint32_t changes = 0;
  std::uint32_t values = 0;
  std::uint32_t pushes = 0;
  std::uint32_t given = 0;   ///< scratch of a factor
  std::uint32_t scaled = 0;  ///< the same
  std::uint32_t matrix = 0;
  std::uint32_t size = 0;
};

/// A block and the bodies of its trees: places in the solver, body by body, each of all lanes. Lanes past the
/// last tree repeat it.
struct TreeBlock {
  double* numbers = nullptr;
  const std::uint32_t* bodies = nullptr;
  std::uint32_t tree_count = 0;
};

struct TreeParameters {
  double substep_s = 0.0;
  const Softness* softness = nullptr;  ///< of limits that push back, in the biased pass
};

/// A symmetric matrix and what is added to it of another: the part with positive eigenvalues. Order xx, yy,
/// zz, xy, xz, yz.
struct PositivePart {
  double to[6]{};
  double of[6]{};
  bool found = false;  ///< there was one
};

/// The loops for one lane width; null where trees are solved one by one.
template <class Real>
struct TreeKernels {
  std::uint32_t lanes = 1;
  /// Rows from where the bodies are.
  void (*compute_rows)(const TreePlan& plan, const TreeBlock& block, const SolverBody<Real>* bodies,
                       const MovingBody<Real>* moving) = nullptr;
  /// What last substep's impulses pull the bodies that move with; by body of the solver.
  void (*sum_tensions)(const TreePlan& plan, const TreeBlock& block, const SolverBody<Real>* bodies,
                       GeometricStiffness* tensions) = nullptr;
  /// Matrix, factor and projections from the rows as they were built. Inverse inertias by body of the solver,
  /// 1/(kg m^2): xx, yy, zz, xy, xz, yz.
  void (*fill)(const TreePlan& plan, const TreeBlock& block, const std::array<double, 6>* inertias) = nullptr;
  /// Last substep's impulses.
  void (*warm_start)(const TreePlan& plan, const TreeBlock& block, SolverBody<Real>* bodies) = nullptr;
  void (*solve)(const TreePlan& plan, const TreeBlock& block, SolverBody<Real>* bodies,
                const TreeParameters& parameters, bool use_bias) = nullptr;
  /// Adds a substep's force and torque of each joint up.
  void (*react)(const TreePlan& plan, const TreeBlock& block) = nullptr;
  /// Of bodies that swing too fast (geometric_stiffness.h).
  void (*raise)(PositivePart* parts, std::size_t count) = nullptr;
  // The same as gyroscope.h has for one body after the other.
  void (*begin_gyroscopic)(const SpinningBodies<Real>& at, double step_s) = nullptr;
  void (*end_gyroscopic)(const SpinningBodies<Real>& at) = nullptr;
};

/// The kernels for so many equal trees (or raised bodies, or spinning ones): those of a width of
/// contact_kernels(), or of 0: the widest that this CPU runs well and that they fill more than half of. With
/// one lane and in fixed mode there are none.
template <class Real>
[[nodiscard]] const TreeKernels<Real>& tree_kernels(std::uint32_t lanes, std::size_t trees) noexcept;

}  // namespace takt
