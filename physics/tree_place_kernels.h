// Rows of equal trees side by side (tree_block.h) from where their bodies are, and what the trees pull their bodies with. Written once over a lane type N of doubles
// (double_lanes.h), as joint_rows.cpp, joint_bounded.cpp and joint_swings.cpp do it for one joint. Included only by tree_kernels.h; internal linkage for the reason given in contact_kernels.h.
#pragma once

#include "physics/angle_lanes.h"
#include "physics/joint_pose_steps.h"
#include "physics/joint_pull_steps.h"
#include "physics/tree_matrix_kernels.h"

namespace takt {
namespace {  // NOLINT: internal linkage on purpose

template <class N>
void gather_places(const TreeLanes<N>& at, const TreeBlock& block, const SolverBody<float>* bodies, const MovingBody<float>* moving) {
  constexpr std::uint32_t kWidth = N::kWidth;
  for (std::uint32_t i = 0; i < at.plan.body_count; ++i) {
    TreePlace<N>& to = at.places[i];
    for (std::uint32_t lane = 0; lane < kWidth; ++lane) {
      std::uint32_t const body = block.bodies[i * kWidth + lane];
      const Quat<float>& rotation = moving[body].rotation;
      const float(&shift)[4] = bodies[body].linear_shift;
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
  Vec3<N> between = joint.between;
  Quat<N> rotation_a = joint.rotation_a;
  Quat<N> rotation_b = joint.rotation_b;
  if (!node.stands_a) {
    rotation_a = at.places[node.body_a].rotation;
    between -= at.places[node.body_a].shift;
  }
  if (!node.stands_b) {
    rotation_b = at.places[node.body_b].rotation;
    between += at.places[node.body_b].shift;
  }
  return PoseOf<N>(joint.frame_a, joint.frame_b, node.locked, rotation_a, rotation_b, rotate(rotation_a, joint.local_a),
                   rotate(rotation_b, joint.local_b), between, node.parts);
}

template <class N>
void place_bounded(const TreeLanes<N>& at, const TreeNode& node, const PoseOf<N>& pose, const TurnsOf<N>& turns) {
  for (std::uint32_t i = node.first_bounded; i < node.first_bounded + node.bounded_count; ++i) {
    const TreeBound& of = at.plan.bounds[i];
    TreeBounded<N>& row = at.bounded[i];
    TreeGiven<N>& given = at.givens[i];
    bool const is_limit = of.kind == TreeBoundKind::kLimit;
    CoordinateOf<N> const found = is_limit ? pose.coordinate_at(of.axis, turns) : CoordinateOf<N>{N(0.0), pose.direction_of(of.axis)};
    row.linear = found.direction.linear;
    row.angular_a = found.direction.turn_a;
    row.angular_b = found.direction.turn_b;
    if (node.bounded_pull) given.linear = found.direction.linear;
    if (!is_limit) continue;
    row.most = found.value - given.lower;
    row.below_upper = given.upper - found.value;
  }
}

template <class N>
void place_trees(const TreePlan& plan, const TreeBlock& block, const SolverBody<float>* bodies, const MovingBody<float>* moving) {
  TreeLanes<N> const at(plan, block);
  gather_places(at, block, bodies, moving);
  for (std::uint32_t i = 0; i < plan.node_count; ++i) {
    const TreeNode& node = plan.nodes[i];
    TreeJoint<N>& joint = at.joints[i];
    PoseOf<N> const pose = pose_in_lanes(at, node, joint);
    joint.arm_a = pose.arm_a() + pose.apart();
    joint.arm_b = pose.arm_b();
    if (node.parts == JointParts::kAll) joint.turns = pose.turns(joint.turns);
    for (std::uint32_t r = 0; r < node.row_count; ++r) {
      CoordinateOf<N> const found = pose.error(node.slots[r]);
      TreeRow<N>& row = at.rows[node.first_row + r];
      row.linear = found.direction.linear;
      row.turn_a = found.direction.turn_a;
      row.turn_b = found.direction.turn_b;
      row.error = found.value;
    }
    place_bounded(at, node, pose, joint.turns);
  }
}

template <class N>
struct TreeEnd {
  const TreeMotion<N>& motion;
  const Vec3<N>& arm;
  bool moves;
};

/// How fast the line turns from a body's centre to what the joint pulls it towards.
template <class N>
Vec3<N> turning_lanes(const TreeEnd<N>& own, const TreeEnd<N>& other) {
  Vec3<N> way = own.arm;
  Vec3<N> rate = other.motion.velocity - own.motion.velocity;
  if (other.moves) {
    way -= other.arm;
  } else {
    rate += cross(other.motion.spin, other.arm);
  }
  N const zero = N(0.0);
  N const square = dot(way, way);
  N const arm = dot(own.arm, own.arm);
  Vec3<N> const found = cross(way, rate) * (N(1.0) / select(square < arm, arm, square));
  auto const has_one = square > zero;
  return {select(has_one, found.x, zero), select(has_one, found.y, zero), select(has_one, found.z, zero)};
}

template <class N>
void pull_end(PullOf<N>& pull, const TreeEnd<N>& own, const TreeEnd<N>& other, const Vec3<N>& pulled) {
  if (!own.moves) return;
  add_stiffness(pull.stiffness, own.arm, pulled);
  N const weight = dot(own.arm, pulled);
  auto const counts = weight > N(0.0);
  if (!any(counts)) return;
  Vec3<N> const by = turning_lanes(own, other) * weight;
  Vec3<N>& sum = pull.turning;
  sum = {select(counts, sum.x + by.x, sum.x), select(counts, sum.y + by.y, sum.y), select(counts, sum.z + by.z, sum.z)};
  pull.weight = select(counts, pull.weight + weight, pull.weight);
}

template <class N>
void pull_trees(const TreePlan& plan, const TreeBlock& block, const SolverBody<float>* bodies, JointPull* pulls) {
  constexpr std::uint32_t kWidth = N::kWidth;
  TreeLanes<N> const at(plan, block);
  gather_motions(at, block, bodies);
  for (std::uint32_t i = 0; i < plan.body_count; ++i) at.pulls[i] = {};
  for (std::uint32_t k = 0; k < plan.node_count; ++k) {
    std::uint32_t const i = plan.in_order[k];
    const TreeNode& node = plan.nodes[i];
    Vec3<N> pushed;  // on b
    for (std::uint32_t r = 0; r < node.row_count; ++r) {
      const TreeRow<N>& row = at.rows[node.first_row + r];
      if (node.slots[r] < 3) pushed += row.linear * row.impulse;
    }
    for (std::uint32_t b = node.first_bounded; b < node.first_bounded + node.bounded_count && node.bounded_pull; ++b) {
      pushed += at.givens[b].linear * at.bounded[b].impulse;
    }
    TreeEnd<N> const a{at.motions[node.body_a], at.joints[i].arm_a, node.moves_a};
    TreeEnd<N> const b{at.motions[node.body_b], at.joints[i].arm_b, node.moves_b};
    pull_end(at.pulls[node.body_a], a, b, -pushed);
    pull_end(at.pulls[node.body_b], b, a, pushed);
  }
  for (std::uint32_t i = 0; i < plan.body_count; ++i) {
    if (plan.moves[i] == 0) continue;
    const PullOf<N>& from = at.pulls[i];
    for (std::uint32_t lane = 0; lane < block.tree_count; ++lane) {
      PullOf<double>& to = pulls[block.bodies[i * kWidth + lane]].sums;
      for (std::uint32_t c = 0; c < 6; ++c) to.stiffness[c] = from.stiffness[c][lane];
      to.turning = {from.turning.x[lane], from.turning.y[lane], from.turning.z[lane]};
      to.weight = from.weight[lane];
    }
  }
}

}  // namespace
}  // namespace takt
