// SIMD kernels of batched joint trees (tree_batch.h): matrix A = J M^-1 J^T, its block L D L^T factor,
// solves, and projected limit rows. TreeLanes gives access to the parts of a block. As in the scalar solver,
// joint_row_steps.h computes rows and block_ldlt_steps.h factors blocks, here with N = Doubles<W>. Only
// tree_row_kernels.h includes this header. All functions are in an unnamed namespace, because the code is
// compiled once per instruction set (vector_lanes.h).
#pragma once

#include "physics/base/solver_constants.h"
#include "physics/joints/tree_batch.h"
#include "physics/math/block_ldlt_steps.h"
#include "physics/simd/double_lanes.h"
// After the lane types, whose operators its templates call.
#include "physics/joints/joint_row_steps.h"
#include "takt/core/assert.h"

namespace takt {
namespace {  // NOLINT: internal linkage on purpose

/// The parts of a block.
template <class N>
struct TreeLanes {
  const TreePlan& plan;
  N* numbers;
  TreeJoint<N>* joints = part<TreeJoint<N>>(plan.joints);
  TreeBody<N>* bodies = part<TreeBody<N>>(plan.bodies);
  BodyPoseOf<N>* poses = part<BodyPoseOf<N>>(plan.poses);
  TensionOf<N>* tensions = part<TensionOf<N>>(plan.poses);  ///< replaces the poses
  LimitInputOf<N>* limit_inputs = part<LimitInputOf<N>>(plan.limit_inputs);
  EqualityRowOf<N>* rows = part<EqualityRowOf<N>>(plan.rows);
  TreeLimitRow<N>* limit_rows = part<TreeLimitRow<N>>(plan.limit_rows);
  VelocityOf<N>* velocities = part<VelocityOf<N>>(plan.velocities);
  VelocityOf<N>* changes = part<VelocityOf<N>>(plan.changes);
  N* impulses = numbers + plan.impulses;
  N* drift = numbers + plan.drift;
  N* matrix = numbers + plan.matrix;

  TreeLanes(const TreePlan& of, const TreeBlock& block)
      : plan(of), numbers(reinterpret_cast<N*>(block.numbers)) {}
  template <class Part>
  Part* part(std::uint32_t index) const {
    return reinterpret_cast<Part*>(numbers + index);
  }
  [[nodiscard]] PivotScratch<N> pivots() const {
    N* const scale = numbers + plan.pivots;
    return {scale, scale + plan.row_count, scale + 2 * plan.row_count};
  }
};

template <class N>
void fill_node(const TreeLanes<N>& at, const TreeNode& node) {
  std::uint32_t const n = node.row_count;
  const TreeBody<N>& a = at.bodies[node.body_a];
  const TreeBody<N>& b = at.bodies[node.body_b];
  EqualityRowOf<N>* const rows = at.rows + node.first_row;
  for (std::uint32_t r = 0; r < n; ++r) multiply_inertias(rows[r], node.moves_a, a, node.moves_b, b);
  N* const block = at.matrix + node.diagonal_block;
  fill_diagonal_block(rows, n, a.inverse_mass, b.inverse_mass, block);
  for (std::uint32_t r = 0; r < n; ++r) block[r * n + r] += N(0.0);  // compliance of rigid rows
}

template <class N>
void fill_link(const TreeLanes<N>& at, const TreeNode& node, const TreeLink& link) {
  TAKT_VALIDATE((link.node < at.plan.node_count) && (&at.plan.nodes[link.node] > &node));
  const TreeNode& other = at.plan.nodes[link.node];
  fill_coupling_block<N>(
      node.row_count, [&](std::uint32_t c) { return row_part(at.rows[node.first_row + c], link.by_a); },
      other.row_count, [&](std::uint32_t r) { return row_part(at.rows[other.first_row + r], link.of_a); },
      at.bodies[link.by_a ? node.body_a : node.body_b].inverse_mass, link.by_a == link.of_a,
      at.matrix + link.block);
}

/// Factors the diagonal block of a joint by itself, and projects the joint's limit rows by it.
template <class N>
void project_limits(const TreeLanes<N>& at, const TreeNode& node) {
  N* const block = at.matrix + node.node_block;
  std::uint32_t const n = node.row_count;
  for (std::uint32_t k = 0; k < n * n; ++k) block[k] = at.matrix[node.diagonal_block + k];
  factor_block(block, n, at.pivots(), kMinPivot);
  for (std::uint32_t k = node.first_limit; k < node.first_limit + node.limit_count; ++k) {
    project_limit(at.limit_rows[k], node.moves_a, at.bodies[node.body_a], node.moves_b,
                  at.bodies[node.body_b], at.rows + node.first_row, n,
                  [&](N* values, std::uint32_t count) { solve_block(block, count, values); });
  }
}

/// The blocks of a plan's matrix, as factor_nodes() and solve_nodes() of block_ldlt_steps.h read a pattern.
struct TreePattern {
  const TreePlan& plan;

  [[nodiscard]] std::uint32_t size(std::uint32_t node) const { return plan.nodes[node].row_count; }
  [[nodiscard]] std::uint32_t first_row(std::uint32_t node) const { return plan.nodes[node].first_row; }
  [[nodiscard]] std::uint32_t own(std::uint32_t node) const { return plan.nodes[node].diagonal_block; }
  [[nodiscard]] std::uint32_t upper_count(std::uint32_t node) const { return plan.nodes[node].link_count; }
  [[nodiscard]] const TreeLink& link(std::uint32_t node, std::uint32_t k) const {
    return plan.links[plan.nodes[node].first_link + k];
  }
  [[nodiscard]] std::uint32_t upper_node(std::uint32_t node, std::uint32_t k) const {
    return link(node, k).node;
  }
  [[nodiscard]] std::uint32_t below(std::uint32_t node, std::uint32_t k) const { return link(node, k).block; }
  [[nodiscard]] std::uint32_t between(std::uint32_t node, std::uint32_t later) const {
    std::uint32_t k = 0;
    while (upper_node(node, k) != later) ++k;
    TAKT_VALIDATE(k < upper_count(node));
    return below(node, k);
  }
};

template <class N>
void solve_factored(const TreeLanes<N>& at, N* values) {
  solve_nodes(TreePattern{at.plan}, 0, at.plan.node_count, at.matrix, values);
}

template <class N>
void gather_inertias(const TreeLanes<N>& at, const TreeBlock& block, const std::array<double, 6>* inertias) {
  constexpr std::uint32_t kWidth = N::kWidth;
  for (std::uint32_t i = 0; i < at.plan.body_count; ++i) {
    if (at.plan.moves[i] == 0) continue;
    for (std::uint32_t lane = 0; lane < kWidth; ++lane) {
      const std::array<double, 6>& from = inertias[block.bodies[i * kWidth + lane]];
      for (std::uint32_t c = 0; c < 6; ++c) at.bodies[i].inverse_inertia[c].set(lane, from[c]);
    }
  }
}

template <class N>
void fill_trees(const TreePlan& plan, const TreeBlock& block, const std::array<double, 6>* inertias) {
  TreeLanes<N> const at(plan, block);
  gather_inertias(at, block, inertias);
  for (std::uint32_t i = 0; i < plan.node_count; ++i) fill_node(at, plan.nodes[i]);
  for (std::uint32_t i = 0; i < plan.node_count; ++i) {
    const TreeNode& node = plan.nodes[i];
    for (std::uint32_t k = 0; k < node.link_count; ++k) fill_link(at, node, plan.links[node.first_link + k]);
    if (node.limit_count > 0) project_limits(at, node);
  }
  factor_nodes(TreePattern{plan}, 0, plan.node_count, kMinPivot, at.matrix, at.pivots(),
               at.numbers + plan.scaled);
}

}  // namespace
}  // namespace takt
