// EqualityRowOf and LimitRowOf are joint rows as data, for one joint (N = double) or for W joints in SIMD
// lanes (N = Doubles<W>, double_lanes.h). The other structs are the input of rows: velocities, poses, joint
// frames, bounds of limits and the ends of a joint. joint_row_steps.h has the functions of a row. Gears and
// pulleys have another kind of row (joint_couplings.h).
//
// Equality row (a locked coordinate or a drive without a maximum force):
//   constraint   C(x) = 0
//   velocity     J v = n . (v_b - v_a) + j_b . w_b - j_a . w_a
//   Jacobian     J = [-n, -j_a, n, j_b]
//   impulse      lambda += -(J v + b C + gamma lambda) / (J M^-1 J^T + gamma)
// Limit row (limit, motor, friction or drive with a maximum force): the same Jacobian, projected onto the
// directions that the joint's equality rows leave free:
//   J' = J - p^T E,  p = (E M^-1 E^T)^-1 E M^-1 J^T
// lambda is clamped: >= 0 at a lower limit, <= 0 at an upper limit, |lambda| <= max for all other kinds.
//
//   v_a, v_b   velocities of the centres of mass, m/s        w_a, w_b   angular velocities, rad/s
//   n          unit vector of the row, or 0 (angular row)    j_a, j_b   angular Jacobians: r x n, or the axis
//   M          masses and inertias of both bodies            E          all equality rows of the joint
//   lambda     accumulated impulse, N s or N m s             gamma, b   compliance, and bias rate in 1/s
// All vectors are in world axes, about the centres of mass. Positive impulses act on b along +n.
#pragma once

#include <cstdint>

#include "physics/joints/joint_pose.h"
#include "takt/physics/vector.h"

namespace takt {

/// Maximum number of rows of a joint that is solved in a batched tree: its locked coordinates.
inline constexpr std::uint32_t kMaxTreeRows = 6;
/// Maximum number of equality rows of a joint: locked coordinates, and one drive or one direct limit per
/// axis.
inline constexpr std::uint32_t kMaxJointRows = 14;

/// A body's velocity (m/s, rad/s), or a change of it.
template <class N>
struct VelocityOf {
  Vec3<N> linear;
  Vec3<N> angular;
};

/// A body's pose within the tick.
template <class N>
struct BodyPoseOf {
  Quat<N> rotation;
  Vec3<N> delta_position;  ///< since the tick's start, m
};

/// A joint's frames and the poses of its bodies at the tick's start.
template <class N>
struct JointFramesOf {
  Quat<N> rotation_a;  ///< of body a at the tick's start
  Quat<N> rotation_b;
  Quat<N> frame_a;  ///< rotation of the joint frame in body a
  Quat<N> frame_b;
  Vec3<N> local_a;  ///< anchor from the centre of mass, body frame, m
  Vec3<N> local_b;
  Vec3<N> delta_center;  ///< centre of b - centre of a, m
};

template <class N>
struct EqualityRowOf {
  Vec3<N> linear;            ///< n
  Vec3<N> jacobian_a;        ///< j_a
  Vec3<N> jacobian_b;        ///< j_b
  N error{};                 ///< C, m or rad
  N impulse{};               ///< lambda, N s or N m s
  Vec3<N> inv_i_jacobian_a;  ///< I_a^-1 j_a; 0 for a body that does not move under impulses
  Vec3<N> inv_i_jacobian_b;  ///< I_b^-1 j_b
};

/// One body's part of a row: n, j and I^-1 j.
template <class N>
struct RowPartOf {
  Vec3<N> linear;
  Vec3<N> jacobian;
  Vec3<N> inv_i_jacobian;
};

/// Bounds of a limit, constant within the tick, and the row's direction before projection.
template <class N>
struct LimitInputOf {
  N lower{};       ///< limit: lower bound of the coordinate, m or rad; -infinity without one
  N upper{};       ///< limit: upper bound; infinity without one
  Vec3<N> linear;  ///< n before projection; joint tension acts along it
};

template <class N, std::uint32_t MaxRows>
struct LimitRowOf {
  Vec3<N> linear;        ///< n'; acts on b along +n', on a along -n'
  Vec3<N> angular_a;     ///< -j'_a; compute_limit() stores +j_a here, project_limit() negates it
  Vec3<N> angular_b;     ///< j'_b
  N lower_gap_or_max{};  ///< limit: coordinate - lower; motor, friction, drive: maximum impulse, N s or N m s
  N upper_gap_or_speed{};   ///< limit: upper - coordinate; motor: target speed, m/s or rad/s
  N impulse{};              ///< lambda
  Vec3<N> inv_i_angular_a;  ///< I_a^-1 angular_a; 0 for a body that does not move under impulses
  Vec3<N> inv_i_angular_b;
  N mobility{};             ///< K' = J' M^-1 J'^T; 0: the equality rows leave no freedom, the row is inactive
  N projection[MaxRows]{};  ///< p: a limit impulse of 1 adds -p[i] to equality row i of the joint
};
template <class N>
using TreeLimitRow = LimitRowOf<N, kMaxTreeRows>;

/// A body at one end of a joint.
template <class N>
struct JointEndOf {
  std::uint32_t body = 0;  ///< solver index; in a batched tree, index within the tree
  bool moves = false;      ///< under impulses
  Vec3<N> lever_arm;       ///< from the centre of mass to b's anchor, where the joint acts on both bodies, m
};

}  // namespace takt
