// The matrix of equal trees side by side (tree_batch.h): filled from their rows, factored, solved with; and
// bounded rows projected. Written once over a lane type N of doubles (double_lanes.h), as joint_rows.cpp,
// joint_limits.cpp and block_ldlt.cpp do it for one tree. Included only by tree_batch_kernels.h; internal
// linkage for the reason given in contact_kernels.h.
#pragma once

#include "physics/base/solver_constants.h"
#include "physics/joints/geometric_stiffness.h"
#include "physics/joints/tree_batch.h"
#include "physics/math/block_ldlt_steps.h"
#include "physics/simd/double_lanes.h"

namespace takt {
namespace {  // NOLINT: internal linkage on purpose

/// A block as its plan cuts it up.
template <class N>
struct TreeLanes {
  const TreePlan& plan;
  N* numbers;
  TreeJoint<N>* joints = part<TreeJoint<N>>(plan.joints);
  TreeBody<N>* bodies = part<TreeBody<N>>(plan.bodies);
  TreeBodyFrame<N>* indices = part<TreeBodyFrame<N>>(plan.indices);
  TensionOf<N>* tensions = part<TensionOf<N>>(plan.indices);  ///< in place of them
  TreeGiven<N>* givens = part<TreeGiven<N>>(plan.givens);
  TreeRow<N>* rows = part<TreeRow<N>>(plan.rows);
  TreeLimits<N>* limited = part<TreeLimits<N>>(plan.limited);
  TreeMotion<N>* motions = part<TreeMotion<N>>(plan.motions);
  TreeMotion<N>* changes = part<TreeMotion<N>>(plan.changes);
  N* values = numbers + plan.values;
  N* pushes = numbers + plan.pushes;
  N* matrix = numbers + plan.matrix;

  TreeLanes(const TreePlan& of, const TreeBlock& block)
      : plan(of), numbers(reinterpret_cast<N*>(block.numbers)) {}
  template <class Part>
  Part* part(std::uint32_t index) const {
    return reinterpret_cast<Part*>(numbers + index);
  }
};

template <class N>
inline Vec3<N> multiply_lanes(const N (&m)[6], const Vec3<N>& v) {
  return {m[0] * v.x + m[3] * v.y + m[4] * v.z, m[3] * v.x + m[1] * v.y + m[5] * v.z,
          m[4] * v.x + m[5] * v.y + m[2] * v.z};
}
template <class N>
inline Vec3<N> along_lanes(const Vec3<N>& a, const Vec3<N>& b) {
  return {a.x * b.x, a.y * b.y, a.z * b.z};
}
template <class N>
inline N length_lanes(const Vec3<N>& v) {
  return square_root(dot(v, v));
}
template <class N>
inline N within_lanes(const N& value, const N& max) {
  return select(value > max, max, select(value < -max, -max, value));
}

template <class N>
void fill_own_block(const TreeLanes<N>& at, const TreeNode& node, N* own) {
  std::uint32_t const n = node.row_count;
  const TreeBody<N>& a = at.bodies[node.body_a];
  const TreeBody<N>& b = at.bodies[node.body_b];
  TreeRow<N>* const rows = at.rows + node.first_row;
  for (std::uint32_t c = 0; c < n; ++c) {
    rows[c].inv_i_jacobian_a =
        node.moves_a ? multiply_lanes(a.inverse_inertia, rows[c].jacobian_a) : Vec3<N>{};
    rows[c].inv_i_jacobian_b =
        node.moves_b ? multiply_lanes(b.inverse_inertia, rows[c].jacobian_b) : Vec3<N>{};
    Vec3<N> const change_a = along_lanes(rows[c].linear, a.inverse_mass);
    Vec3<N> const change_b = along_lanes(rows[c].linear, b.inverse_mass);
    for (std::uint32_t r = c; r < n; ++r) {
      N const value = (dot(rows[r].linear, change_a) + dot(rows[r].jacobian_a, rows[c].inv_i_jacobian_a)) +
                      (dot(rows[r].linear, change_b) + dot(rows[r].jacobian_b, rows[c].inv_i_jacobian_b));
      own[r * n + c] = value;
      own[c * n + r] = value;
    }
  }
  for (std::uint32_t r = 0; r < n; ++r) own[r * n + r] += N(0.0);  // what the rows give
}

template <class N>
void fill_link(const TreeLanes<N>& at, const TreeNode& node, const TreeLink& link) {
  const TreeNode& other = at.plan.nodes[link.node];
  Vec3<N> const inverse_mass = at.bodies[link.by_a ? node.body_a : node.body_b].inverse_mass;
  N* const block = at.matrix + link.block;
  std::uint32_t const n = node.row_count;
  for (std::uint32_t c = 0; c < n; ++c) {
    const TreeRow<N>& cause = at.rows[node.first_row + c];
    Vec3<N> const change = along_lanes(cause.linear, inverse_mass);
    Vec3<N> const omega = link.by_a ? cause.inv_i_jacobian_a : cause.inv_i_jacobian_b;
    for (std::uint32_t r = 0; r < other.row_count; ++r) {
      const TreeRow<N>& effect = at.rows[other.first_row + r];
      N const value =
          dot(effect.linear, change) + dot(link.of_a ? effect.jacobian_a : effect.jacobian_b, omega);
      block[r * n + c] = link.by_a == link.of_a ? value : -value;
    }
  }
}

/// Leaves a bounded row's part that its joint's rows do not hold.
template <class N>
void project_lanes(const TreeLanes<N>& at, const TreeNode& node, TreeLimits<N>& row) {
  const TreeBody<N>& a = at.bodies[node.body_a];
  const TreeBody<N>& b = at.bodies[node.body_b];
  row.angular_a = -row.angular_a;
  Vec3<N> change_a;  // of the velocities
  Vec3<N> change_b;
  auto const mobility = [&] {
    change_a = node.moves_a ? along_lanes(-row.linear, a.inverse_mass) : Vec3<N>{};
    change_b = node.moves_b ? along_lanes(row.linear, b.inverse_mass) : Vec3<N>{};
    row.change_a = node.moves_a ? multiply_lanes(a.inverse_inertia, row.angular_a) : Vec3<N>{};
    row.change_b = node.moves_b ? multiply_lanes(b.inverse_inertia, row.angular_b) : Vec3<N>{};
    N sum = N(0.0);
    sum += node.moves_a ? dot(-row.linear, change_a) + dot(row.angular_a, row.change_a) : N(0.0);
    sum += node.moves_b ? dot(row.linear, change_b) + dot(row.angular_b, row.change_b) : N(0.0);
    return sum;
  };
  N const unpacked = mobility();
  const TreeRow<N>* const rows = at.rows + node.first_row;
  for (std::uint32_t i = 0; i < node.row_count; ++i) {
    N const by_a =
        node.moves_a ? dot(rows[i].linear, change_a) + dot(rows[i].jacobian_a, row.change_a) : N(0.0);
    N const by_b =
        node.moves_b ? dot(rows[i].linear, change_b) + dot(rows[i].jacobian_b, row.change_b) : N(0.0);
    row.share[i] = by_b - by_a;
  }
  for_size(node.row_count, [&](auto n) {
    const N* const own = at.matrix + node.scalar_block;
    go_down(own, n, row.share);
    take_pivots(own, n, row.share);
    go_up(own, n, row.share);
  });
  for (std::uint32_t i = 0; i < node.row_count; ++i) {
    row.linear -= rows[i].linear * row.share[i];
    row.angular_a += rows[i].jacobian_a * row.share[i];
    row.angular_b -= rows[i].jacobian_b * row.share[i];
  }
  N const left = mobility();
  row.mobility = select(left > N(kMinFreedom) * unpacked, left, N(0.0));
}

/// The block between two later nodes that both couple with an earlier one.
inline std::uint32_t block_between(const TreePlan& plan, const TreeNode& node, std::uint32_t later) {
  const TreeLink* link = plan.links + node.first_link;
  while (link->node != later) ++link;
  return link->block;
}

template <class N>
void factor_lanes(const TreeLanes<N>& at) {
  const TreePlan& plan = at.plan;
  N* const given = at.numbers + plan.given;
  N* const scaled = at.numbers + plan.scaled;
  for (std::uint32_t i = 0; i < plan.node_count; ++i) {
    const TreeNode& node = plan.nodes[i];
    const N* const own = at.matrix + node.own_block;
    for (std::uint32_t r = 0; r < node.row_count; ++r)
      given[node.first_row + r] = own[r * node.row_count + r];
  }
  for (std::uint32_t i = 0; i < plan.node_count; ++i) {
    const TreeNode& node = plan.nodes[i];
    for_size(node.row_count, [&](auto n) {
      N* const own = at.matrix + node.own_block;
      factor_own(own, n, given + node.first_row, kMinPivot);
      const TreeLink* const links = plan.links + node.first_link;
      for (std::uint32_t k = 0; k < node.link_count; ++k) {
        for_rows(plan.nodes[links[k].node].row_count, n,
                 [&](auto rows) { divide_below(at.matrix + links[k].block, rows, own, n); });
      }
      for (std::uint32_t k = 0; k < node.link_count; ++k) {
        const TreeNode& upper = plan.nodes[links[k].node];
        N* const block = at.matrix + links[k].block;
        for_rows(upper.row_count, n, [&](auto rows) {
          take_out_pivots(block, scaled, rows, own, n);
          take_product(at.matrix + upper.own_block, block, rows, scaled, rows, n);
          for (std::uint32_t m = k + 1; m < node.link_count; ++m) {
            std::size_t const further = plan.nodes[links[m].node].row_count;
            take_product(at.matrix + block_between(plan, upper, links[m].node), at.matrix + links[m].block,
                         further, block, rows, n);
          }
        });
      }
    });
  }
}

template <class N>
void solve_factored(const TreeLanes<N>& at, N* values) {
  const TreePlan& plan = at.plan;
  for (std::uint32_t i = 0; i < plan.node_count; ++i) {
    const TreeNode& node = plan.nodes[i];
    for_size(node.row_count, [&](auto n) {
      N* const x = values + node.first_row;
      go_down(at.matrix + node.own_block, n, x);
      for (const TreeLink* link = plan.links + node.first_link;
           link != plan.links + node.first_link + node.link_count; ++link) {
        const TreeNode& upper = plan.nodes[link->node];
        for_rows(upper.row_count, n, [&](auto rows) {
          take_below(at.matrix + link->block, rows, x, n, values + upper.first_row);
        });
      }
    });
  }
  for (std::uint32_t i = plan.node_count; i-- > 0;) {
    const TreeNode& node = plan.nodes[i];
    for_size(node.row_count, [&](auto n) {
      const N* const own = at.matrix + node.own_block;
      N* const x = values + node.first_row;
      take_pivots(own, n, x);
      for (const TreeLink* link = plan.links + node.first_link;
           link != plan.links + node.first_link + node.link_count; ++link) {
        const TreeNode& upper = plan.nodes[link->node];
        for_rows(upper.row_count, n, [&](auto rows) {
          take_above(at.matrix + link->block, rows, values + upper.first_row, n, x);
        });
      }
      go_up(own, n, x);
    });
  }
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
  for (std::uint32_t i = 0; i < plan.node_count; ++i) {
    const TreeNode& node = plan.nodes[i];
    fill_own_block(at, node, at.matrix + node.own_block);
  }
  for (std::uint32_t i = 0; i < plan.node_count; ++i) {
    const TreeNode& node = plan.nodes[i];
    for (std::uint32_t k = 0; k < node.link_count; ++k) fill_link(at, node, plan.links[node.first_link + k]);
    if (node.limit_count == 0) continue;
    N* const scalar = at.matrix + node.scalar_block;
    N* const given = at.numbers + plan.given;
    std::uint32_t const n = node.row_count;
    for (std::uint32_t k = 0; k < n * n; ++k) scalar[k] = at.matrix[node.own_block + k];
    for (std::uint32_t r = 0; r < n; ++r) given[r] = scalar[r * n + r];
    for_size(n, [&](auto size) { factor_own(scalar, size, given, kMinPivot); });
    for (std::uint32_t k = 0; k < node.limit_count; ++k)
      project_lanes(at, node, at.limited[node.first_limit + k]);
  }
  factor_lanes(at);
}

}  // namespace
}  // namespace takt
