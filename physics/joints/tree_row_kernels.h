// Rows of equal trees side by side (tree_batch.h) from where their bodies are, and what the trees pull their
// bodies with. Written once over a lane type N of doubles (double_lanes.h), as joint_rows.cpp,
// joint_limits.cpp and inertia_conditioning.cpp do it for one joint. Included only by tree_batch_kernels.h;
// internal linkage for the reason given in contact_kernels.h.
#pragma once

#include "physics/joints/geometric_stiffness_steps.h"
#include "physics/joints/joint_pose_steps.h"
#include "physics/joints/tree_matrix_kernels.h"
#include "physics/simd/atan_lanes.h"

namespace takt {
namespace {  // NOLINT: internal linkage on purpose

template <class N>
void gather_indices(const TreeLanes<N>& at, const TreeBlock& block, const SolverBody<float>* bodies,
                    const MovingBody<float>* moving) {
  constexpr std::uint32_t kWidth = N::kWidth;
  for (std::uint32_t i = 0; i < at.plan.body_count; ++i) {
    TreeBodyFrame<N>& to = at.indices[i];
    for (std::uint32_t lane = 0; lane < kWidth; ++lane) {
      std::uint32_t const body = block.bodies[i * kWidth + lane];
      const Quat<float>& rotation = moving[body].rotation;
      const float(&shift)[4] = bodies[body].delta_position;
      to.rotation.x.set(lane, static_cast<double>(rotation.x));
      to.rotation.y.set(lane, static_cast<double>(rotation.y));
      to.rotation.z.set(lane, static_cast<double>(rotation.z));
      to.rotation.w.set(lane, static_cast<double>(rotation.w));
      to.shift.x.set(lane, static_cast<double>(shift[0]));
      to.shift.y.set(lane, static_cast<double>(shift[1]));
      to.shift.z.set(lane, static_cast<double>(shift[2]));
    }
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
PoseOf<N> pose_in_lanes(const TreeLanes<N>& at, const TreeNode& node, const TreeJoint<N>& joint) {
  Vec3<N> delta_center = joint.delta_center;
  Quat<N> rotation_a = joint.rotation_a;
  Quat<N> rotation_b = joint.rotation_b;
  if (!node.stands_a) {
    rotation_a = at.indices[node.body_a].rotation;
    delta_center -= at.indices[node.body_a].shift;
  }
  if (!node.stands_b) {
    rotation_b = at.indices[node.body_b].rotation;
    delta_center += at.indices[node.body_b].shift;
  }
  return PoseOf<N>(joint.frame_a, joint.frame_b, node.locked, rotation_a, rotation_b,
                   rotate(rotation_a, joint.local_a), rotate(rotation_b, joint.local_b), delta_center,
                   node.parts);
}

template <class N>
void compute_tree_limits(const TreeLanes<N>& at, const TreeNode& node, const PoseOf<N>& pose,
                         const TurnsOf<N>& revolutions) {
  for (std::uint32_t i = node.first_limit; i < node.first_limit + node.limit_count; ++i) {
    const TreeBound& of = at.plan.bounds[i];
    TreeLimits<N>& row = at.limited[i];
    TreeGiven<N>& given = at.givens[i];
    bool const is_limit = of.kind == TreeBoundKind::kLimit;
    CoordinateOf<N> const found = is_limit ? pose.coordinate_at(of.axis, revolutions)
                                           : CoordinateOf<N>{N(0.0), pose.direction_of(of.axis)};
    row.linear = found.direction.linear;
    row.angular_a = found.direction.jacobian_a;
    row.angular_b = found.direction.jacobian_b;
    if (node.limit_tension) given.linear = found.direction.linear;
    if (!is_limit) continue;
    row.max = found.value - given.lower;
    row.below_upper = given.upper - found.value;
  }
}

template <class N>
void compute_tree_rows(const TreePlan& plan, const TreeBlock& block, const SolverBody<float>* bodies,
                       const MovingBody<float>* moving) {
  TreeLanes<N> const at(plan, block);
  gather_indices(at, block, bodies, moving);
  for (std::uint32_t i = 0; i < plan.node_count; ++i) {
    const TreeNode& node = plan.nodes[i];
    TreeJoint<N>& joint = at.joints[i];
    PoseOf<N> const pose = pose_in_lanes(at, node, joint);
    joint.r_a = pose.r_a() + pose.apart();
    joint.r_b = pose.r_b();
    if (node.parts == JointParts::kAll) joint.revolutions = pose.revolutions(joint.revolutions);
    for (std::uint32_t r = 0; r < node.row_count; ++r) {
      CoordinateOf<N> const found = pose.error(node.slots[r]);
      TreeRow<N>& row = at.rows[node.first_row + r];
      row.linear = found.direction.linear;
      row.jacobian_a = found.direction.jacobian_a;
      row.jacobian_b = found.direction.jacobian_b;
      row.error = found.value;
    }
    compute_tree_limits(at, node, pose, joint.revolutions);
  }
}

template <class N>
struct TreeEnd {
  const TreeMotion<N>& motion;
  const Vec3<N>& lever_arm;
  bool moves;
};

/// How fast the line turns from a body's centre to what the joint pulls it towards.
template <class N>
Vec3<N> rotation_lanes(const TreeEnd<N>& own, const TreeEnd<N>& other) {
  Vec3<N> displacement = own.lever_arm;
  Vec3<N> rate = other.motion.velocity - own.motion.velocity;
  if (other.moves) {
    displacement -= other.lever_arm;
  } else {
    rate += cross(other.motion.omega, other.lever_arm);
  }
  N const zero = N(0.0);
  N const square = dot(displacement, displacement);
  N const lever_arm = dot(own.lever_arm, own.lever_arm);
  Vec3<N> const found = cross(displacement, rate) * (N(1.0) / select(square < lever_arm, lever_arm, square));
  auto const has_one = square > zero;
  return {select(has_one, found.x, zero), select(has_one, found.y, zero), select(has_one, found.z, zero)};
}

template <class N>
void tension_end(TensionOf<N>& tension, const TreeEnd<N>& own, const TreeEnd<N>& other,
                 const Vec3<N>& tensioned) {
  if (!own.moves) return;
  add_stiffness(tension.stiffness, own.lever_arm, tensioned);
  N const weight = dot(own.lever_arm, tensioned);
  auto const counts = weight > N(0.0);
  if (!any(counts)) return;
  Vec3<N> const by = rotation_lanes(own, other) * weight;
  Vec3<N>& sum = tension.turning;
  sum = {select(counts, sum.x + by.x, sum.x), select(counts, sum.y + by.y, sum.y),
         select(counts, sum.z + by.z, sum.z)};
  tension.weight = select(counts, tension.weight + weight, tension.weight);
}

template <class N>
void sum_tree_tensions(const TreePlan& plan, const TreeBlock& block, const SolverBody<float>* bodies,
                       GeometricStiffness* tensions) {
  constexpr std::uint32_t kWidth = N::kWidth;
  TreeLanes<N> const at(plan, block);
  gather_motions(at, block, bodies);
  for (std::uint32_t i = 0; i < plan.body_count; ++i) at.tensions[i] = {};
  for (std::uint32_t k = 0; k < plan.node_count; ++k) {
    std::uint32_t const i = plan.in_order[k];
    const TreeNode& node = plan.nodes[i];
    Vec3<N> pushed;  // on b
    for (std::uint32_t r = 0; r < node.row_count; ++r) {
      const TreeRow<N>& row = at.rows[node.first_row + r];
      if (node.slots[r] < 3) pushed += row.linear * row.impulse;
    }
    for (std::uint32_t b = node.first_limit; b < node.first_limit + node.limit_count && node.limit_tension;
         ++b) {
      pushed += at.givens[b].linear * at.limited[b].impulse;
    }
    TreeEnd<N> const a{at.motions[node.body_a], at.joints[i].r_a, node.moves_a};
    TreeEnd<N> const b{at.motions[node.body_b], at.joints[i].r_b, node.moves_b};
    tension_end(at.tensions[node.body_a], a, b, -pushed);
    tension_end(at.tensions[node.body_b], b, a, pushed);
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
