// The kernels of tree_block.h, written once over a lane type N of doubles (double_lanes.h): what joint_rows.cpp, joint_bounded.cpp, joint_holding.cpp, joint_solver.cpp and
// joint_reactions.cpp do with a tree of rigid rows, in the same order. Included only by lanes.h; internal linkage for the reason given in contact_kernels.h.
#pragma once

#include "physics/block_factor_steps.h"
#include "physics/double_lanes.h"
#include "physics/positive_part.h"
#include "physics/tree_block.h"
#include "physics/tuning.h"
#include "takt/physics/joint.h"

namespace takt {
namespace {  // NOLINT: internal linkage on purpose

/// A block as its plan cuts it up.
template <class N>
struct TreeLanes {
  const TreePlan& plan;
  N* numbers;
  TreeJoint<N>* joints = part<TreeJoint<N>>(plan.joints);
  TreeRow<N>* rows = part<TreeRow<N>>(plan.rows);
  TreeBounded<N>* bounded = part<TreeBounded<N>>(plan.bounded);
  TreeMotion<N>* motions = part<TreeMotion<N>>(plan.motions);
  TreeMotion<N>* changes = part<TreeMotion<N>>(plan.changes);
  N* values = numbers + plan.values;
  N* pushes = numbers + plan.pushes;
  N* matrix = numbers + plan.matrix;

  TreeLanes(const TreePlan& of, const TreeBlock& block) : plan(of), numbers(reinterpret_cast<N*>(block.numbers)) {}
  template <class Part>
  Part* part(std::uint32_t place) const {
    return reinterpret_cast<Part*>(numbers + place);
  }
};

template <class N>
inline Vec3<N> multiply_lanes(const N (&m)[6], const Vec3<N>& v) {
  return {m[0] * v.x + m[3] * v.y + m[4] * v.z, m[3] * v.x + m[1] * v.y + m[5] * v.z, m[4] * v.x + m[5] * v.y + m[2] * v.z};
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
inline N within_lanes(const N& value, const N& most) {
  return select(value > most, most, select(value < -most, -most, value));
}

template <class N>
void fill_own_block(const TreeLanes<N>& at, const TreeNode& node, const TreeJoint<N>& joint, N* own) {
  std::uint32_t const n = node.row_count;
  TreeRow<N>* const rows = at.rows + node.first_row;
  for (std::uint32_t c = 0; c < n; ++c) {
    rows[c].spin_a = node.moves_a ? multiply_lanes(joint.inverse_inertia_a, rows[c].turn_a) : Vec3<N>{};
    rows[c].spin_b = node.moves_b ? multiply_lanes(joint.inverse_inertia_b, rows[c].turn_b) : Vec3<N>{};
    Vec3<N> const change_a = along_lanes(rows[c].linear, joint.inverse_mass_a);
    Vec3<N> const change_b = along_lanes(rows[c].linear, joint.inverse_mass_b);
    for (std::uint32_t r = c; r < n; ++r) {
      N const value = (dot(rows[r].linear, change_a) + dot(rows[r].turn_a, rows[c].spin_a)) +
                      (dot(rows[r].linear, change_b) + dot(rows[r].turn_b, rows[c].spin_b));
      own[r * n + c] = value;
      own[c * n + r] = value;
    }
  }
  for (std::uint32_t r = 0; r < n; ++r) own[r * n + r] += N(0.0);  // what the rows give
}

template <class N>
void fill_link(const TreeLanes<N>& at, const TreeNode& node, const TreeJoint<N>& joint, const TreeLink& link) {
  const TreeNode& other = at.plan.nodes[link.node];
  Vec3<N> const inverse_mass = link.by_a ? joint.inverse_mass_a : joint.inverse_mass_b;
  N* const block = at.matrix + link.block;
  std::uint32_t const n = node.row_count;
  for (std::uint32_t c = 0; c < n; ++c) {
    const TreeRow<N>& cause = at.rows[node.first_row + c];
    Vec3<N> const change = along_lanes(cause.linear, inverse_mass);
    Vec3<N> const spin = link.by_a ? cause.spin_a : cause.spin_b;
    for (std::uint32_t r = 0; r < other.row_count; ++r) {
      const TreeRow<N>& effect = at.rows[other.first_row + r];
      N const value = dot(effect.linear, change) + dot(link.of_a ? effect.turn_a : effect.turn_b, spin);
      block[r * n + c] = link.by_a == link.of_a ? value : -value;
    }
  }
}

/// Leaves a bounded row's part that its joint's rows do not hold.
template <class N>
void project_lanes(const TreeLanes<N>& at, const TreeNode& node, const TreeJoint<N>& joint, TreeBounded<N>& row) {
  row.angular_a = -row.angular_a;
  Vec3<N> change_a;  // of the velocities
  Vec3<N> change_b;
  auto const mobility = [&] {
    change_a = node.moves_a ? along_lanes(-row.linear, joint.inverse_mass_a) : Vec3<N>{};
    change_b = node.moves_b ? along_lanes(row.linear, joint.inverse_mass_b) : Vec3<N>{};
    row.change_a = node.moves_a ? multiply_lanes(joint.inverse_inertia_a, row.angular_a) : Vec3<N>{};
    row.change_b = node.moves_b ? multiply_lanes(joint.inverse_inertia_b, row.angular_b) : Vec3<N>{};
    N sum = N(0.0);
    sum += node.moves_a ? dot(-row.linear, change_a) + dot(row.angular_a, row.change_a) : N(0.0);
    sum += node.moves_b ? dot(row.linear, change_b) + dot(row.angular_b, row.change_b) : N(0.0);
    return sum;
  };
  N const whole = mobility();
  const TreeRow<N>* const rows = at.rows + node.first_row;
  for (std::uint32_t i = 0; i < node.row_count; ++i) {
    N const by_a = node.moves_a ? dot(rows[i].linear, change_a) + dot(rows[i].turn_a, row.change_a) : N(0.0);
    N const by_b = node.moves_b ? dot(rows[i].linear, change_b) + dot(rows[i].turn_b, row.change_b) : N(0.0);
    row.share[i] = by_b - by_a;
  }
  for_size(node.row_count, [&](auto n) {
    const N* const own = at.matrix + node.alone_block;
    go_down(own, n, row.share);
    take_pivots(own, n, row.share);
    go_up(own, n, row.share);
  });
  for (std::uint32_t i = 0; i < node.row_count; ++i) {
    row.linear -= rows[i].linear * row.share[i];
    row.angular_a += rows[i].turn_a * row.share[i];
    row.angular_b -= rows[i].turn_b * row.share[i];
  }
  N const left = mobility();
  row.mobility = select(left > N(kLeastFreedom) * whole, left, N(0.0));
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
    for (std::uint32_t r = 0; r < node.row_count; ++r) given[node.first_row + r] = own[r * node.row_count + r];
  }
  for (std::uint32_t i = 0; i < plan.node_count; ++i) {
    const TreeNode& node = plan.nodes[i];
    for_size(node.row_count, [&](auto n) {
      N* const own = at.matrix + node.own_block;
      factor_own(own, n, given + node.first_row, kLeastPivot);
      const TreeLink* const links = plan.links + node.first_link;
      for (std::uint32_t k = 0; k < node.link_count; ++k) {
        for_rows(plan.nodes[links[k].node].row_count, n, [&](auto rows) { divide_below(at.matrix + links[k].block, rows, own, n); });
      }
      for (std::uint32_t k = 0; k < node.link_count; ++k) {
        const TreeNode& upper = plan.nodes[links[k].node];
        N* const block = at.matrix + links[k].block;
        for_rows(upper.row_count, n, [&](auto rows) {
          take_out_pivots(block, scaled, rows, own, n);
          take_product(at.matrix + upper.own_block, block, rows, scaled, rows, n);
          for (std::uint32_t m = k + 1; m < node.link_count; ++m) {
            std::size_t const further = plan.nodes[links[m].node].row_count;
            take_product(at.matrix + block_between(plan, upper, links[m].node), at.matrix + links[m].block, further, block, rows, n);
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
      for (const TreeLink* link = plan.links + node.first_link; link != plan.links + node.first_link + node.link_count; ++link) {
        const TreeNode& upper = plan.nodes[link->node];
        for_rows(upper.row_count, n, [&](auto rows) { take_below(at.matrix + link->block, rows, x, n, values + upper.first_row); });
      }
    });
  }
  for (std::uint32_t i = plan.node_count; i-- > 0;) {
    const TreeNode& node = plan.nodes[i];
    for_size(node.row_count, [&](auto n) {
      const N* const own = at.matrix + node.own_block;
      N* const x = values + node.first_row;
      take_pivots(own, n, x);
      for (const TreeLink* link = plan.links + node.first_link; link != plan.links + node.first_link + node.link_count; ++link) {
        const TreeNode& upper = plan.nodes[link->node];
        for_rows(upper.row_count, n, [&](auto rows) { take_above(at.matrix + link->block, rows, values + upper.first_row, n, x); });
      }
      go_up(own, n, x);
    });
  }
}

template <class N>
void fill_trees(const TreePlan& plan, const TreeBlock& block) {
  TreeLanes<N> const at(plan, block);
  for (std::uint32_t i = 0; i < plan.node_count; ++i) {
    const TreeNode& node = plan.nodes[i];
    fill_own_block(at, node, at.joints[i], at.matrix + node.own_block);
  }
  for (std::uint32_t i = 0; i < plan.node_count; ++i) {
    const TreeNode& node = plan.nodes[i];
    const TreeJoint<N>& joint = at.joints[i];
    for (std::uint32_t k = 0; k < node.link_count; ++k) fill_link(at, node, joint, plan.links[node.first_link + k]);
    if (node.bounded_count == 0) continue;
    N* const alone = at.matrix + node.alone_block;
    N* const given = at.numbers + plan.given;
    std::uint32_t const n = node.row_count;
    for (std::uint32_t k = 0; k < n * n; ++k) alone[k] = at.matrix[node.own_block + k];
    for (std::uint32_t r = 0; r < n; ++r) given[r] = alone[r * n + r];
    for_size(n, [&](auto size) { factor_own(alone, size, given, kLeastPivot); });
    for (std::uint32_t k = 0; k < node.bounded_count; ++k) project_lanes(at, node, joint, at.bounded[node.first_bounded + k]);
  }
  factor_lanes(at);
}

template <class N>
void collect_lanes(const TreeLanes<N>& at, const N* values) {
  for (std::uint32_t i = 0; i < at.plan.node_count; ++i) {
    const TreeNode& node = at.plan.nodes[i];
    const TreeJoint<N>& joint = at.joints[i];
    for (std::uint32_t r = node.first_row; r < node.first_row + node.row_count; ++r) {
      const TreeRow<N>& row = at.rows[r];
      if (node.moves_a) {
        at.changes[node.body_a].velocity -= along_lanes(row.linear, joint.inverse_mass_a) * values[r];
        at.changes[node.body_a].spin -= row.spin_a * values[r];
      }
      if (node.moves_b) {
        at.changes[node.body_b].velocity += along_lanes(row.linear, joint.inverse_mass_b) * values[r];
        at.changes[node.body_b].spin += row.spin_b * values[r];
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
    at.motions[i].spin = changed(at.motions[i].spin, at.changes[i].spin);
    at.changes[i] = {};
  }
}

template <class N>
void gather_motions(const TreeLanes<N>& at, const TreeBlock& block, const SolverBody<float>* bodies) {
  constexpr std::uint32_t kWidth = N::kWidth;
  double* to = block.numbers + std::size_t{at.plan.motions} * kWidth;
  for (std::uint32_t i = 0; i < at.plan.body_count; ++i, to += std::size_t{6} * kWidth) {
    at.changes[i] = {};
    for (std::uint32_t lane = 0; lane < kWidth; ++lane) {
      const SolverBody<float>& body = bodies[block.bodies[i * kWidth + lane]];
      for (std::uint32_t c = 0; c < 3; ++c) {
        to[c * kWidth + lane] = static_cast<double>(body.linear_velocity[c]);
        to[(c + 3) * kWidth + lane] = static_cast<double>(body.angular_velocity[c]);
      }
    }
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
    TreeBounded<N>& row = at.bounded[i];
    const TreeNode& node = plan.nodes[plan.bounds[i].node];
    const TreeJoint<N>& joint = at.joints[plan.bounds[i].node];
    row.impulse = select(row.mobility > N(0.0), row.impulse, N(0.0));
    if (node.moves_a) {
      at.changes[node.body_a].velocity += along_lanes(-row.linear, joint.inverse_mass_a) * row.impulse;
      at.changes[node.body_a].spin += row.change_a * row.impulse;
    }
    if (node.moves_b) {
      at.changes[node.body_b].velocity += along_lanes(row.linear, joint.inverse_mass_b) * row.impulse;
      at.changes[node.body_b].spin += row.change_b * row.impulse;
    }
    for (std::uint32_t k = 0; k < node.row_count; ++k) at.values[node.first_row + k] += row.share[k] * row.impulse;
  }
  collect_lanes(at, at.values);
  apply_changes(at);
  scatter_motions(at, block, bodies);
}

/// A limit's impulse, from the velocity that it has without.
template <class N>
N limit_impulse(const TreeBounded<N>& row, const N& without, const TreeParameters& parameters, bool use_bias) {
  N const none = N(0.0);
  N const rate = N(1.0 / parameters.substep_s);
  auto const lower_reached = row.most <= none;
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
  N const lower_wants = target(row.most, lower_reached) - N(1.0) * without;
  N const upper_wants = target(row.below_upper, upper_reached) - N(-1.0) * without;
  if (!any((lower_wants > none) | (upper_wants > none))) return none;
  N const give = row.mobility + gamma;
  N const lower = select(row.most < N(kUnbounded), lower_wants / select(lower_reached, give, row.mobility), none);
  N const upper = select(row.below_upper < N(kUnbounded), upper_wants / select(upper_reached, give, row.mobility), none);
  return select(lower > none, lower, select(upper > none, -upper, none));
}

template <class N>
void solve_bound(const TreeLanes<N>& at, const TreeBound& of, TreeBounded<N>& row, const TreeParameters& parameters, bool use_bias) {
  const TreeNode& node = at.plan.nodes[of.node];
  const TreeJoint<N>& joint = at.joints[of.node];
  TreeMotion<N>& a = at.motions[node.body_a];
  TreeMotion<N>& b = at.motions[node.body_b];
  N velocity = N(0.0);
  velocity += dot(-row.linear, a.velocity) + dot(row.angular_a, a.spin);
  velocity += dot(row.linear, b.velocity) + dot(row.angular_b, b.spin);
  N const without = velocity - row.mobility * row.impulse;
  N impulse;
  switch (of.kind) {
    case TreeBoundKind::kMotor: impulse = within_lanes((row.below_upper - without) / row.mobility, row.most); break;
    case TreeBoundKind::kLimit: impulse = limit_impulse(row, without, parameters, use_bias); break;
    case TreeBoundKind::kFriction: impulse = within_lanes(-without / row.mobility, row.most); break;
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
    push(a.velocity, along_lanes(-row.linear, joint.inverse_mass_a));
    push(a.spin, row.change_a);
  }
  if (node.moves_b) {
    push(b.velocity, along_lanes(row.linear, joint.inverse_mass_b));
    push(b.spin, row.change_b);
  }
}

/// Adds what takes drift back, as far as it speeds no body up too much.
template <class N>
void push_back_drift_lanes(const TreeLanes<N>& at, double substep_s) {
  const TreePlan& plan = at.plan;
  for (std::uint32_t r = 0; r < plan.row_count; ++r) {
    at.pushes[r] = N(0.0) - within_lanes(N(kTreeDriftShare) * at.rows[r].error / N(substep_s), N(kJointPushMax));
  }
  solve_factored(at, at.pushes);
  collect_lanes(at, at.pushes);
  N excess = N(1.0);
  auto const raise = [](const N& a, const N& b) { return select(a < b, b, a); };
  for (std::uint32_t i = 0; i < plan.body_count; ++i) {
    if (plan.moves[i] == 0) continue;
    const TreeMotion<N>& change = at.changes[i];
    excess = raise(excess, raise(length_lanes(change.velocity) / N(kJointSpeedUpMaxMS), length_lanes(change.spin) / N(kJointSpinUpMaxRadS)));
    at.changes[i] = {};
  }
  for (std::uint32_t r = 0; r < plan.row_count; ++r) at.values[r] += at.pushes[r] / excess;
}

template <class N>
void solve_trees_in_lanes(const TreePlan& plan, const TreeBlock& block, SolverBody<float>* bodies, const TreeParameters& parameters, bool use_bias) {
  TreeLanes<N> const at(plan, block);
  gather_motions(at, block, bodies);
  for (std::uint32_t i = 0; i < plan.bound_count; ++i) solve_bound(at, plan.bounds[i], at.bounded[i], parameters, use_bias);
  for (std::uint32_t i = 0; i < plan.node_count; ++i) {
    const TreeNode& node = plan.nodes[i];
    const TreeMotion<N>& a = at.motions[node.body_a];
    const TreeMotion<N>& b = at.motions[node.body_b];
    for (std::uint32_t r = node.first_row; r < node.first_row + node.row_count; ++r) {
      const TreeRow<N>& row = at.rows[r];
      N const velocity = (dot(row.linear, b.velocity) + dot(row.turn_b, b.spin)) - (dot(row.linear, a.velocity) + dot(row.turn_a, a.spin));
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
    const TreeBounded<N>* const bounded = at.bounded + node.first_bounded;
    Vec3<N> force;
    Vec3<N> torque;
    for (std::uint32_t r = 0; r < node.row_count; ++r) {
      const TreeRow<N>& row = at.rows[node.first_row + r];
      N impulse = row.impulse;
      for (std::uint32_t k = 0; k < node.bounded_count; ++k) impulse += bounded[k].share[r] * bounded[k].impulse;
      force += row.linear * impulse;
      torque += row.turn_b * impulse;
    }
    for (std::uint32_t k = 0; k < node.bounded_count; ++k) {
      force += bounded[k].linear * bounded[k].impulse;
      torque += bounded[k].angular_b * bounded[k].impulse;
    }
    at.joints[i].force = force;
    at.joints[i].torque = torque - cross(at.joints[i].arm_b, force);
  }
}

/// W at a time; lanes past the last repeat it.
template <class N>
void raise_in_lanes(PositivePart* parts, std::size_t count) {
  for (std::size_t first = 0; first < count; first += N::kWidth) {
    std::uint32_t const used = count - first < N::kWidth ? static_cast<std::uint32_t>(count - first) : N::kWidth;
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
  return {W, &fill_trees<N>, &warm_start_trees<N>, &solve_trees_in_lanes<N>, &react_trees<N>, &raise_in_lanes<N>};
}

}  // namespace
}  // namespace takt
