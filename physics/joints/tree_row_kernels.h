// SIMD kernels that compute the rows of batched joint trees from body poses, and sum joint tension per body.
// A batch (tree_batch.h) has W trees of equal shape, one a lane. The functions of a row are the templates of
// joint_row_steps.h, which the scalar solver shares, with the number type Doubles<W>. Only
// tree_batch_kernels.h includes this header. All functions are in an unnamed namespace, because the code is
// compiled once per instruction set (vector_lanes.h).
#pragma once

#include "physics/joints/geometric_stiffness.h"
#include "physics/joints/tree_matrix_kernels.h"
#include "physics/simd/atan_lanes.h"
#include "takt/core/assert.h"

namespace takt {
namespace {  // NOLINT: internal linkage on purpose

template <class N>
void gather_poses(const TreeLanes<N>& at, const TreeBlock& block, const SolverBody<float>* bodies,
                  const MovingBody<float>* moving) {
  constexpr std::uint32_t kWidth = N::kWidth;
  for (std::uint32_t i = 0; i < at.plan.body_count; ++i) {
    BodyPoseOf<N>& to = at.poses[i];
    for (std::uint32_t lane = 0; lane < kWidth; ++lane) {
      std::uint32_t const body = block.bodies[i * kWidth + lane];
      const Quat<float>& rotation = moving[body].rotation;
      const float(&delta_position)[4] = bodies[body].delta_position;
      to.rotation.x.set(lane, static_cast<double>(rotation.x));
      to.rotation.y.set(lane, static_cast<double>(rotation.y));
      to.rotation.z.set(lane, static_cast<double>(rotation.z));
      to.rotation.w.set(lane, static_cast<double>(rotation.w));
      to.delta_position.x.set(lane, static_cast<double>(delta_position[0]));
      to.delta_position.y.set(lane, static_cast<double>(delta_position[1]));
      to.delta_position.z.set(lane, static_cast<double>(delta_position[2]));
    }
  }
}

template <class N>
void gather_velocities(const TreeLanes<N>& at, const TreeBlock& block, const SolverBody<float>* bodies) {
  constexpr std::uint32_t kWidth = N::kWidth;
  double* to = block.numbers + std::size_t{at.plan.velocities} * kWidth;
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
void compute_tree_limits(const TreeLanes<N>& at, const TreeNode& node, const PoseOf<N>& pose,
                         const TurnsOf<N>& revolutions) {
  for (std::uint32_t i = node.first_limit; i < node.first_limit + node.limit_count; ++i) {
    const TreeLimit& of = at.plan.limits[i];
    bool const is_limit = of.kind == TreeLimitKind::kLimit;
    CoordinateOf<N> const coordinate = is_limit ? pose.coordinate_at(of.axis, revolutions)
                                                : CoordinateOf<N>{N(0.0), pose.direction_of(of.axis)};
    compute_limit(at.limit_rows[i], coordinate.direction);
    if (node.limit_tension) at.limit_inputs[i].linear = coordinate.direction.linear;
    if (is_limit) compute_gaps(at.limit_rows[i], at.limit_inputs[i], coordinate.value);
  }
}

template <class N>
void compute_tree_rows(const TreePlan& plan, const TreeBlock& block, const SolverBody<float>* bodies,
                       const MovingBody<float>* moving) {
  TreeLanes<N> const at(plan, block);
  gather_poses(at, block, bodies, moving);
  TAKT_VALIDATE(block.tree_count > 0 && block.tree_count <= N::kWidth);
  for (std::uint32_t i = 0; i < plan.node_count; ++i) {
    const TreeNode& node = plan.nodes[i];
    TreeJoint<N>& joint = at.joints[i];
    PoseOf<N> const pose = joint_pose(joint.frames, node.locked, node.parts, node.static_a,
                                      at.poses[node.body_a], node.static_b, at.poses[node.body_b]);
    joint.r_a = pose.r_a() + pose.apart();
    joint.r_b = pose.r_b();
    if (node.parts == JointParts::kAll) joint.revolutions = pose.revolutions(joint.revolutions);
    for (std::uint32_t r = 0; r < node.row_count; ++r) {
      CoordinateOf<N> const coordinate = pose.error(node.slots[r]);
      EqualityRowOf<N>& row = at.rows[node.first_row + r];
      set_jacobian(row, coordinate.direction);
      row.error = coordinate.value;
    }
    compute_tree_limits(at, node, pose, joint.revolutions);
  }
}

template <class N>
void sum_tree_tensions(const TreePlan& plan, const TreeBlock& block, const SolverBody<float>* bodies,
                       GeometricStiffness* tensions) {
  constexpr std::uint32_t kWidth = N::kWidth;
  TreeLanes<N> const at(plan, block);
  gather_velocities(at, block, bodies);
  auto const velocity_of = [&at](std::uint32_t body) -> const VelocityOf<N>& { return at.velocities[body]; };
  for (std::uint32_t i = 0; i < plan.body_count; ++i) at.tensions[i] = {};
  for (std::uint32_t k = 0; k < plan.node_count; ++k) {
    std::uint32_t const i = plan.id_order[k];
    const TreeNode& node = plan.nodes[i];
    Vec3<N> impulse;  // on b
    for (std::uint32_t r = 0; r < node.row_count; ++r) {
      const EqualityRowOf<N>& row = at.rows[node.first_row + r];
      if (node.slots[r] < 3) impulse += row.linear * row.impulse;
    }
    for (std::uint32_t l = node.first_limit; l < node.first_limit + node.limit_count && node.limit_tension;
         ++l)
      impulse += at.limit_inputs[l].linear * at.limit_rows[l].impulse;
    JointEndOf<N> const a{node.body_a, node.moves_a, at.joints[i].r_a};
    JointEndOf<N> const b{node.body_b, node.moves_b, at.joints[i].r_b};
    if (a.moves) add_tension(at.tensions[a.body], a, b, -impulse, velocity_of);
    if (b.moves) add_tension(at.tensions[b.body], b, a, impulse, velocity_of);
  }
  for (std::uint32_t i = 0; i < plan.body_count; ++i) {
    if (plan.moves[i] == 0) continue;
    const TensionOf<N>& from = at.tensions[i];
    for (std::uint32_t lane = 0; lane < block.tree_count; ++lane) {
      TensionOf<double>& to = tensions[block.bodies[i * kWidth + lane]].sums;
      for (std::uint32_t c = 0; c < 6; ++c) to.stiffness[c] = from.stiffness[c][lane];
      to.turning = {from.turning.x[lane], from.turning.y[lane], from.turning.z[lane]};
      to.weight = from.weight[lane];
    }
  }
}

}  // namespace
}  // namespace takt
