// SIMD kernels of batched joint trees, the functions of TreeKernels (tree_batch.h): warm start, passes,
// reactions. The kernels run the operations of joint_limits.cpp, joint_equality.cpp and joint_reactions.cpp
// on trees of rigid rows, in the same order and by the same functions. tree_kernels_of() returns the table of
// one lane width. Only joint_kernels_*.cpp include this header, each compiled for one instruction set. All
// functions are in an unnamed namespace; vector_lanes.h has the reason.
#pragma once

#include "physics/constraints/gyroscope_kernels.h"
#include "physics/joints/tree_row_kernels.h"
#include "takt/core/assert.h"

namespace takt {
namespace {  // NOLINT: internal linkage on purpose

/// changes += M^-1 J^T impulses, over all rows.
template <class N>
void apply_impulses(const TreeLanes<N>& at, const N* impulses) {
  for (std::uint32_t i = 0; i < at.plan.node_count; ++i) {
    const TreeNode& node = at.plan.nodes[i];
    for (std::uint32_t r = node.first_row; r < node.first_row + node.row_count; ++r) {
      if (node.moves_a)
        apply_to_a(at.changes[node.body_a], at.rows[r], at.bodies[node.body_a].inverse_mass, impulses[r]);
      if (node.moves_b)
        apply_to_b(at.changes[node.body_b], at.rows[r], at.bodies[node.body_b].inverse_mass, impulses[r]);
    }
  }
}

/// velocity + change, rounded to binary32 as JointBodies::add_velocity() does.
template <class N>
inline Vec3<N> rounded_sum(const Vec3<N>& velocity, const Vec3<N>& change) {
  return {rounded(velocity.x + change.x), rounded(velocity.y + change.y), rounded(velocity.z + change.z)};
}
template <class N>
void apply_changes(const TreeLanes<N>& at) {
  for (std::uint32_t i = 0; i < at.plan.body_count; ++i) {
    if (at.plan.moves[i] == 0) continue;
    at.velocities[i].linear = rounded_sum(at.velocities[i].linear, at.changes[i].linear);
    at.velocities[i].angular = rounded_sum(at.velocities[i].angular, at.changes[i].angular);
    at.changes[i] = {};
  }
}

template <class N>
void scatter_velocities(const TreeLanes<N>& at, const TreeBlock& block, SolverBody<float>* bodies) {
  constexpr std::uint32_t kWidth = N::kWidth;
  const double* from = block.numbers + std::size_t{at.plan.velocities} * kWidth;
  for (std::uint32_t i = 0; i < at.plan.body_count; ++i, from += std::size_t{6} * kWidth) {
    if (at.plan.moves[i] == 0) continue;
    for (std::uint32_t lane = 0; lane < block.tree_count; ++lane) {
      SolverBody<float>& body = bodies[block.bodies[i * kWidth + lane]];
      for (std::uint32_t c = 0; c < 3; ++c) {
        body.linear_velocity[c] = static_cast<float>(from[c * kWidth + lane]);
        body.angular_velocity[c] = static_cast<float>(from[(c + 3) * kWidth + lane]);
      }
    }
  }
}

template <class N>
void warm_start_trees(const TreePlan& plan, const TreeBlock& block, SolverBody<float>* bodies) {
  TAKT_VALIDATE(block.tree_count > 0 && block.tree_count <= N::kWidth);
  TreeLanes<N> const at(plan, block);
  gather_velocities(at, block, bodies);
  auto const add = [](VelocityOf<N>& sum, const VelocityOf<N>& change) {
    sum.linear += change.linear;
    sum.angular += change.angular;
  };
  for (std::uint32_t r = 0; r < plan.row_count; ++r) at.impulses[r] = at.rows[r].impulse;
  for (std::uint32_t i = 0; i < plan.limit_count; ++i) {
    TreeLimitRow<N>& row = at.limit_rows[i];
    const TreeNode& node = plan.nodes[plan.limits[i].node];
    row.impulse = select(row.mobility > N(0.0), row.impulse, N(0.0));
    if (node.moves_a)
      add(at.changes[node.body_a], limit_change_a(row, at.bodies[node.body_a].inverse_mass, row.impulse));
    if (node.moves_b)
      add(at.changes[node.body_b], limit_change_b(row, at.bodies[node.body_b].inverse_mass, row.impulse));
    for (std::uint32_t k = 0; k < node.row_count; ++k)
      at.impulses[node.first_row + k] += row.projection[k] * row.impulse;
  }
  apply_impulses(at, at.impulses);
  apply_changes(at);
  scatter_velocities(at, block, bodies);
}

template <class N>
void solve_tree_limit(const TreeLanes<N>& at, const TreeLimit& of, TreeLimitRow<N>& row,
                      const LimitSoftness& softness) {
  TAKT_VALIDATE(of.node < at.plan.node_count);
  const TreeNode& node = at.plan.nodes[of.node];
  VelocityOf<N>& a = at.velocities[node.body_a];
  VelocityOf<N>& b = at.velocities[node.body_b];
  N const free_velocity = limit_velocity(row, a, b) - row.mobility * row.impulse;
  N impulse;
  switch (of.kind) {
    case TreeLimitKind::kMotor:
      impulse =
          clamp_magnitude((row.upper_gap_or_speed - free_velocity) / row.mobility, row.lower_gap_or_max);
      break;
    case TreeLimitKind::kLimit:
      impulse = rigid_limit_impulse(row.lower_gap_or_max, row.upper_gap_or_speed, row.mobility, free_velocity,
                                    softness);
      break;
    case TreeLimitKind::kFriction:
      impulse = clamp_magnitude(-free_velocity / row.mobility, row.lower_gap_or_max);
      break;
  }
  N const change = impulse - row.impulse;
  auto const acts = (row.mobility > N(0.0)) & (change != N(0.0));
  if (!any(acts)) return;
  row.impulse = select(acts, impulse, row.impulse);
  for (std::uint32_t i = 0; i < node.row_count; ++i) {
    N& equality = at.rows[node.first_row + i].impulse;
    equality = select(acts, equality - row.projection[i] * change, equality);
  }
  auto const apply = [&](VelocityOf<N>& velocity, const VelocityOf<N>& by) {
    velocity.linear = select_vector(acts, rounded_sum(velocity.linear, by.linear), velocity.linear);
    velocity.angular = select_vector(acts, rounded_sum(velocity.angular, by.angular), velocity.angular);
  };
  if (node.moves_a) apply(a, limit_change_a(row, at.bodies[node.body_a].inverse_mass, change));
  if (node.moves_b) apply(b, limit_change_b(row, at.bodies[node.body_b].inverse_mass, change));
}

/// Adds the impulses that correct drift, scaled as in JointEquality::add_drift_correction().
template <class N>
void add_drift_correction(const TreeLanes<N>& at, double substep_s) {
  const TreePlan& plan = at.plan;
  for (std::uint32_t r = 0; r < plan.row_count; ++r)
    at.drift[r] = N(0.0) - drift_velocity(at.rows[r].error, kTreeDriftFraction, substep_s);
  solve_factored(at, at.drift);
  apply_impulses(at, at.drift);
  N excess = N(1.0);
  for (std::uint32_t i = 0; i < plan.body_count; ++i) {
    if (plan.moves[i] == 0) continue;
    excess = larger(excess, drift_excess(at.changes[i]));
    at.changes[i] = {};
  }
  for (std::uint32_t r = 0; r < plan.row_count; ++r) at.impulses[r] += at.drift[r] / excess;
}

template <class N>
void solve_trees_in_lanes(const TreePlan& plan, const TreeBlock& block, SolverBody<float>* bodies,
                          const TreeParameters& parameters, bool use_bias) {
  TreeLanes<N> const at(plan, block);
  gather_velocities(at, block, bodies);
  LimitSoftness const softness{parameters.substep_s, use_bias ? parameters.softness : nullptr};
  for (std::uint32_t i = 0; i < plan.limit_count; ++i)
    solve_tree_limit(at, plan.limits[i], at.limit_rows[i], softness);
  for (std::uint32_t i = 0; i < plan.node_count; ++i) {
    const TreeNode& node = plan.nodes[i];
    for (std::uint32_t r = node.first_row; r < node.first_row + node.row_count; ++r) {
      N const velocity = row_velocity(at.rows[r], at.velocities[node.body_a], at.velocities[node.body_b]);
      at.impulses[r] = -(velocity + N(0.0) * at.rows[r].impulse);
    }
  }
  solve_factored(at, at.impulses);
  if (use_bias) add_drift_correction(at, parameters.substep_s);
  for (std::uint32_t r = 0; r < plan.row_count; ++r) at.rows[r].impulse += at.impulses[r];
  apply_impulses(at, at.impulses);
  apply_changes(at);
  scatter_velocities(at, block, bodies);
}

template <class N>
void react_trees(const TreePlan& plan, const TreeBlock& block) {
  TreeLanes<N> const at(plan, block);
  for (std::uint32_t i = 0; i < plan.node_count; ++i) {
    const TreeNode& node = plan.nodes[i];
    TreeJoint<N>& joint = at.joints[i];
    VelocityOf<N> const impulse = joint_impulse<N>(at.rows + node.first_row, node.row_count,
                                                   at.limit_rows + node.first_limit, node.limit_count);
    joint.force_sum += impulse.linear;
    joint.torque_sum += impulse.angular - cross(joint.r_b, impulse.linear);
  }
}

/// Adds W positive parts at a time; lanes past the last part repeat it.
template <class N>
void raise_in_lanes(PositivePart* parts, std::size_t count) {
  for (std::size_t first = 0; first < count; first += N::kWidth) {
    std::uint32_t const used =
        count - first < N::kWidth ? static_cast<std::uint32_t>(count - first) : N::kWidth;
    N to[6];
    N of[6];
    for (std::uint32_t lane = 0; lane < N::kWidth; ++lane) {
      const PositivePart& part = parts[first + (lane < used ? lane : used - 1)];
      for (int i = 0; i < 6; ++i) {
        to[i].set(lane, part.to[i]);
        of[i].set(lane, part.of[i]);
      }
    }
    auto const found = add_positive_part(to, of);
    for (std::uint32_t lane = 0; lane < used; ++lane) {
      PositivePart& part = parts[first + lane];
      for (int i = 0; i < 6; ++i) part.to[i] = to[i][lane];
      part.found = found.m[lane] != 0;
    }
  }
}

/// The kernels for W trees per block.
template <int W>
TreeKernels<float> tree_kernels_of() {
  using N = Doubles<W>;
  return {W,
          &compute_tree_rows<N>,
          &sum_tree_tensions<N>,
          &fill_trees<N>,
          &warm_start_trees<N>,
          &solve_trees_in_lanes<N>,
          &react_trees<N>,
          &raise_in_lanes<N>,
          &begin_gyroscopic_lanes<N>,
          &end_gyroscopic_lanes<N>};
}

}  // namespace
}  // namespace takt
