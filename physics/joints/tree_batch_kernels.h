// The kernels of tree_batch.h, written once over a lane type N of doubles (double_lanes.h): what
// joint_limits.cpp, joint_equality.cpp, joint_solver.cpp and joint_reactions.cpp do with a tree of rigid
// rows, in the same order. Included only by float_lanes.h; internal linkage for the reason given in
// contact_kernels.h.
#pragma once

#include "physics/base/solver_constants.h"
#include "physics/constraints/gyroscope_kernels.h"
#include "physics/joints/tree_row_kernels.h"
#include "physics/math/psd_projection.h"
#include "takt/physics/joint.h"

namespace takt {
namespace {  // NOLINT: internal linkage on purpose

template <class N>
void collect_lanes(const TreeLanes<N>& at, const N* values) {
  for (std::uint32_t i = 0; i < at.plan.node_count; ++i) {
    const TreeNode& node = at.plan.nodes[i];
    for (std::uint32_t r = node.first_row; r < node.first_row + node.row_count; ++r) {
      const TreeRow<N>& row = at.rows[r];
      if (node.moves_a) {
        at.changes[node.body_a].velocity -=
            along_lanes(row.linear, at.bodies[node.body_a].inverse_mass) * values[r];
        at.changes[node.body_a].omega -= row.inv_i_jacobian_a * values[r];
      }
      if (node.moves_b) {
        at.changes[node.body_b].velocity +=
            along_lanes(row.linear, at.bodies[node.body_b].inverse_mass) * values[r];
        at.changes[node.body_b].omega += row.inv_i_jacobian_b * values[r];
      }
    }
  }
}

/// A body's velocity is rounded to Real wherever it changes.
template <class N>
inline Vec3<N> changed(const Vec3<N>& from, const Vec3<N>& change) {
  return {rounded(from.x + change.x), rounded(from.y + change.y), rounded(from.z + change.z)};
}
template <class N>
void apply_changes(const TreeLanes<N>& at) {
  for (std::uint32_t i = 0; i < at.plan.body_count; ++i) {
    if (at.plan.moves[i] == 0) continue;
    at.motions[i].velocity = changed(at.motions[i].velocity, at.changes[i].velocity);
    at.motions[i].omega = changed(at.motions[i].omega, at.changes[i].omega);
    at.changes[i] = {};
  }
}

template <class N>
void scatter_motions(const TreeLanes<N>& at, const TreeBlock& block, SolverBody<float>* bodies) {
  constexpr std::uint32_t kWidth = N::kWidth;
  const double* from = block.numbers + std::size_t{at.plan.motions} * kWidth;
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
  TreeLanes<N> const at(plan, block);
  gather_motions(at, block, bodies);
  for (std::uint32_t r = 0; r < plan.row_count; ++r) at.values[r] = at.rows[r].impulse;
  for (std::uint32_t i = 0; i < plan.bound_count; ++i) {
    TreeLimits<N>& row = at.limited[i];
    const TreeNode& node = plan.nodes[plan.bounds[i].node];
    row.impulse = select(row.mobility > N(0.0), row.impulse, N(0.0));
    if (node.moves_a) {
      at.changes[node.body_a].velocity +=
          along_lanes(-row.linear, at.bodies[node.body_a].inverse_mass) * row.impulse;
      at.changes[node.body_a].omega += row.change_a * row.impulse;
    }
    if (node.moves_b) {
      at.changes[node.body_b].velocity +=
          along_lanes(row.linear, at.bodies[node.body_b].inverse_mass) * row.impulse;
      at.changes[node.body_b].omega += row.change_b * row.impulse;
    }
    for (std::uint32_t k = 0; k < node.row_count; ++k)
      at.values[node.first_row + k] += row.share[k] * row.impulse;
  }
  collect_lanes(at, at.values);
  apply_changes(at);
  scatter_motions(at, block, bodies);
}

/// A limit's impulse, from the velocity that it has without.
template <class N>
N limit_impulse(const TreeLimits<N>& row, const N& without, const TreeParameters& parameters, bool use_bias) {
  N const none = N(0.0);
  N const rate = N(1.0 / parameters.substep_s);
  auto const lower_reached = row.max <= none;
  auto const upper_reached = row.below_upper <= none;
  auto const reached = lower_reached | upper_reached;
  N bias_rate = none;
  N gamma = none;
  if (use_bias && any(reached)) {
    for (std::uint32_t lane = 0; lane < N::kWidth; ++lane) {
      if (!(row.mobility[lane] > 0.0)) continue;
      SoftRow const soft = parameters.softness->row(parameters.substep_s, row.mobility[lane]);
      bias_rate.set(lane, soft.bias_rate);
      gamma.set(lane, soft.gamma);
    }
  }
  auto const target = [&](const N& room, const auto& is_reached) {
    return select(is_reached, within_lanes(bias_rate * -room, N(kJointPushMax)), -room * rate);
  };
  N const lower_wants = target(row.max, lower_reached) - N(1.0) * without;
  N const upper_wants = target(row.below_upper, upper_reached) - N(-1.0) * without;
  if (!any((lower_wants > none) | (upper_wants > none))) return none;
  N const compliance = row.mobility + gamma;
  N const lower =
      select(row.max < N(kUnbounded), lower_wants / select(lower_reached, compliance, row.mobility), none);
  N const upper = select(row.below_upper < N(kUnbounded),
                         upper_wants / select(upper_reached, compliance, row.mobility), none);
  return select(lower > none, lower, select(upper > none, -upper, none));
}

template <class N>
void solve_bound(const TreeLanes<N>& at, const TreeBound& of, TreeLimits<N>& row,
                 const TreeParameters& parameters, bool use_bias) {
  const TreeNode& node = at.plan.nodes[of.node];
  TreeMotion<N>& a = at.motions[node.body_a];
  TreeMotion<N>& b = at.motions[node.body_b];
  N velocity = N(0.0);
  velocity += dot(-row.linear, a.velocity) + dot(row.angular_a, a.omega);
  velocity += dot(row.linear, b.velocity) + dot(row.angular_b, b.omega);
  N const without = velocity - row.mobility * row.impulse;
  N impulse;
  switch (of.kind) {
    case TreeBoundKind::kMotor:
      impulse = within_lanes((row.below_upper - without) / row.mobility, row.max);
      break;
    case TreeBoundKind::kLimit: impulse = limit_impulse(row, without, parameters, use_bias); break;
    case TreeBoundKind::kFriction: impulse = within_lanes(-without / row.mobility, row.max); break;
  }
  N const change = impulse - row.impulse;
  auto const acts = (row.mobility > N(0.0)) & (change != N(0.0));
  if (!any(acts)) return;
  row.impulse = select(acts, impulse, row.impulse);
  for (std::uint32_t i = 0; i < node.row_count; ++i) {
    N& held = at.rows[node.first_row + i].impulse;
    held = select(acts, held - row.share[i] * change, held);
  }
  auto const push = [&](Vec3<N>& to, const Vec3<N>& by) {
    Vec3<N> const pushed = changed(to, by * change);
    to = {select(acts, pushed.x, to.x), select(acts, pushed.y, to.y), select(acts, pushed.z, to.z)};
  };
  if (node.moves_a) {
    push(a.velocity, along_lanes(-row.linear, at.bodies[node.body_a].inverse_mass));
    push(a.omega, row.change_a);
  }
  if (node.moves_b) {
    push(b.velocity, along_lanes(row.linear, at.bodies[node.body_b].inverse_mass));
    push(b.omega, row.change_b);
  }
}

/// Adds what takes drift back, as far as it speeds no body up too much.
template <class N>
void push_back_drift_lanes(const TreeLanes<N>& at, double substep_s) {
  const TreePlan& plan = at.plan;
  for (std::uint32_t r = 0; r < plan.row_count; ++r) {
    at.pushes[r] =
        N(0.0) - within_lanes(N(kTreeDriftFraction) * at.rows[r].error / N(substep_s), N(kJointPushMax));
  }
  solve_factored(at, at.pushes);
  collect_lanes(at, at.pushes);
  N excess = N(1.0);
  auto const raise = [](const N& a, const N& b) { return select(a < b, b, a); };
  for (std::uint32_t i = 0; i < plan.body_count; ++i) {
    if (plan.moves[i] == 0) continue;
    const TreeMotion<N>& change = at.changes[i];
    excess = raise(excess, raise(length_lanes(change.velocity) / N(kJointSpeedUpMaxMS),
                                 length_lanes(change.omega) / N(kJointAngularSpeedupMaxRadS)));
    at.changes[i] = {};
  }
  for (std::uint32_t r = 0; r < plan.row_count; ++r) at.values[r] += at.pushes[r] / excess;
}

template <class N>
void solve_trees_in_lanes(const TreePlan& plan, const TreeBlock& block, SolverBody<float>* bodies,
                          const TreeParameters& parameters, bool use_bias) {
  TreeLanes<N> const at(plan, block);
  gather_motions(at, block, bodies);
  for (std::uint32_t i = 0; i < plan.bound_count; ++i)
    solve_bound(at, plan.bounds[i], at.limited[i], parameters, use_bias);
  for (std::uint32_t i = 0; i < plan.node_count; ++i) {
    const TreeNode& node = plan.nodes[i];
    const TreeMotion<N>& a = at.motions[node.body_a];
    const TreeMotion<N>& b = at.motions[node.body_b];
    for (std::uint32_t r = node.first_row; r < node.first_row + node.row_count; ++r) {
      const TreeRow<N>& row = at.rows[r];
      N const velocity = (dot(row.linear, b.velocity) + dot(row.jacobian_b, b.omega)) -
                         (dot(row.linear, a.velocity) + dot(row.jacobian_a, a.omega));
      at.values[r] = -(velocity + N(0.0) * row.impulse);
    }
  }
  solve_factored(at, at.values);
  if (use_bias) push_back_drift_lanes(at, parameters.substep_s);
  for (std::uint32_t r = 0; r < plan.row_count; ++r) at.rows[r].impulse += at.values[r];
  collect_lanes(at, at.values);
  apply_changes(at);
  scatter_motions(at, block, bodies);
}

template <class N>
void react_trees(const TreePlan& plan, const TreeBlock& block) {
  TreeLanes<N> const at(plan, block);
  for (std::uint32_t i = 0; i < plan.node_count; ++i) {
    const TreeNode& node = plan.nodes[i];
    const TreeLimits<N>* const limited = at.limited + node.first_limit;
    Vec3<N> force;
    Vec3<N> torque;
    for (std::uint32_t r = 0; r < node.row_count; ++r) {
      const TreeRow<N>& row = at.rows[node.first_row + r];
      N impulse = row.impulse;
      for (std::uint32_t k = 0; k < node.limit_count; ++k)
        impulse += limited[k].share[r] * limited[k].impulse;
      force += row.linear * impulse;
      torque += row.jacobian_b * impulse;
    }
    for (std::uint32_t k = 0; k < node.limit_count; ++k) {
      force += limited[k].linear * limited[k].impulse;
      torque += limited[k].angular_b * limited[k].impulse;
    }
    at.joints[i].force_sum += force;
    at.joints[i].torque_sum += torque - cross(at.joints[i].r_b, force);
  }
}

/// W at a time; lanes past the last repeat it.
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

/// The table for W trees side by side.
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
