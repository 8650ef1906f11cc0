// The rows that joints hold their bodies with: where the bodies are, what is asked of them, and the matrix of
// it (CONSTRAINTS 2.2, 2.4).
#include "physics/joints/joint_solver.h"

#include <algorithm>

#include "physics/base/solver_constants.h"
#include "physics/constraints/motion_locks.h"

namespace takt {

template <class Real>
JointPose JointSolver<Real>::pose_of(const JointBodies<Real>& at, const PreparedJoint& joint) const {
  Vec3<double> delta_center = joint.delta_center;
  Quat<double> rotation_a = joint.rotation_a;
  Quat<double> rotation_b = joint.rotation_b;
  if (joint.a.body != 0) {
    rotation_a = to_double(at.moving[joint.a.body].rotation);
    delta_center -= doubles_of(at.bodies[joint.a.body].delta_position);
  }
  if (joint.b.body != 0) {
    rotation_b = to_double(at.moving[joint.b.body].rotation);
    delta_center += doubles_of(at.bodies[joint.b.body].delta_position);
  }
  return JointPose(joint.frame_a, joint.frame_b, joint.locked, rotation_a, rotation_b,
                   rotate(rotation_a, joint.local_a), rotate(rotation_b, joint.local_b), delta_center,
                   joint.parts);
}

/// A row along a coordinate. In the relax pass springs keep the error they started with.
template <class Real>
void JointSolver<Real>::set_row(const PreparedJoint& joint, EqualityRow& row, const JointCoordinate& found,
                                const Softness& said, double error) const {
  row.linear = found.direction.linear;
  row.jacobian_a = found.direction.jacobian_a;
  row.jacobian_b = found.direction.jacobian_b;
  row.soft = !said.is_rigid();
  row.inv_i_jacobian_a = joint.a.moves ? multiply(joint.a.inverse_inertia, row.jacobian_a) : Vec3<double>{};
  row.inv_i_jacobian_b = joint.b.moves ? multiply(joint.b.inverse_inertia, row.jacobian_b) : Vec3<double>{};
  if (relaxing_ && row.soft) return;
  row.error = error;
  row.softness = {};
  if (!row.soft) return;
  // Nothing moves along it (the plane's normal of a planar body): it says nothing, and its pivot leaves it
  // out.
  double const mobility = coupling(equality_[joint.node], row, row);
  if (mobility > 0.0) row.softness = said.row(substep_s_, mobility);
}

template <class Real>
void JointSolver<Real>::build_rows(const WorldState<Real>& state, const JointBodies<Real>& at,
                                   PreparedJoint& joint) {
  const JointRecord& record = state.joints[joint.index];
  JointPose const pose = pose_of(at, joint);
  joint.r_a = joint.kind == JointKind::kPulley ? pose.r_a() : pose.r_a() + pose.apart();
  joint.r_b = pose.r_b();
  if (joint.parts == JointParts::kAll) joint.revolutions = pose.revolutions(joint.revolutions);
  std::uint32_t rows = 0;
  std::uint32_t limited = 0;
  for (unsigned c = 0; c < kLockedSlots; ++c) {
    if ((joint.locked >> c & 1u) == 0) continue;
    const Softness& said = c < 3 ? record.linear : record.angular;
    if (said.is_idle()) continue;
    EqualityRow& row = rows_[joint.first_row + rows++];
    JointCoordinate const found = pose.error(c);
    set_row(joint, row, found, said, found.value);
  }
  for (std::uint32_t axis = record.first_axis; axis != kNoIndex; axis = state.joint_axes[axis].next) {
    const JointAxisDef& def = state.joint_axes[axis].def;
    JointCoordinate const found = asks_where(def) ? pose.coordinate_at(def.axis, joint.revolutions)
                                                  : JointCoordinate{0.0, pose.direction_of(def.axis)};
    add_axis(def, axis, found, joint, rows, limited);
  }
  if (!has_coupling_row(record)) return;
  if (joint.kind == JointKind::kPulley) add_pulley(state, at, joint, pose);
  if (joint.kind == JointKind::kGear) add_gear(state, at, joint);
}

/// Rows of a joint with its bodies' inertia of now.
template <class Real>
void JointSolver<Real>::rebuild(const WorldState<Real>& state, const JointBodies<Real>& at,
                                PreparedJoint& joint) {
  if (joint.a.moves) joint.a.inverse_inertia = inertias_[joint.a.body];
  if (joint.b.moves) joint.b.inverse_inertia = inertias_[joint.b.body];
  build_rows(state, at, joint);
  equality_[joint.node].is_stale = true;
}

/// Which bodies are not where their rows were built, or have another inertia there.
template <class Real>
void JointSolver<Real>::place_bodies(const JointBodies<Real>& at) {
  shifted_ = false;
  for (std::uint32_t const body : touched_) {
    Placed const proxies_current{vector_of(at.bodies[body].delta_position), at.moving[body].rotation};
    bool const shifted = !(proxies_current == placed_[body]);
    shifted_ = shifted_ || shifted;
    stale_[body] = fresh_ || relaxing_ || tamed_[body] != 0 || shifted ? 1 : 0;
    placed_[body] = proxies_current;
  }
}

/// Rows where the bodies are now, with the inertia tensors of now: rows that know another than the body has
/// would add energy to what spins.
template <class Real>
void JointSolver<Real>::build_all(const WorldState<Real>& state, const JointBodies<Real>& at) {
  place_bodies(at);
  for (std::uint32_t const body : touched_) {
    if (stale_[body] == 0 || (relaxing_ && tamed_[body] != 0)) continue;
    bool const revolutions = !has_angular(at.masses[body].locked_axes);
    inertias_[body] = revolutions
                          ? rotated(given_inertias_[body], to_matrix(to_double(at.moving[body].rotation)))
                          : given_inertias_[body];
  }
  for (std::uint32_t const node : loop_nodes_) {
    EqualityJoint& held = equality_[node];
    if (held.is_ball && (stale_[held.pushed_a] != 0 || stale_[held.pushed_b] != 0)) place_ball(at, held);
  }
  for (std::uint32_t const slot : loop_joints_) {
    PreparedJoint& joint = joints_[slot];
    const EqualityJoint& held = equality_[joint.node];
    if (!joint.is_steady || stale_[held.pushed_a] != 0 || stale_[held.pushed_b] != 0)
      rebuild(state, at, joint);
  }
}

template <class Real>
void JointSolver<Real>::fill_own(EqualityJoint& held, double* own, double loop_compliance) {
  if (held.is_ball) return fill_ball(held, own, loop_compliance);
  std::uint32_t const n = held.row_count;
  EqualityRow* const rows = rows_.data() + held.first_row;
  for (std::uint32_t c = 0; c < n; ++c) {
    Vec3<double> const change_a = along_axes(rows[c].linear, held.inverse_mass_a);
    Vec3<double> const change_b = along_axes(rows[c].linear, held.inverse_mass_b);
    for (std::uint32_t r = c; r < n; ++r) {
      own[r * n + c] = (dot(rows[r].linear, change_a) + dot(rows[r].jacobian_a, rows[c].inv_i_jacobian_a)) +
                       (dot(rows[r].linear, change_b) + dot(rows[r].jacobian_b, rows[c].inv_i_jacobian_b));
      own[c * n + r] = own[r * n + c];
    }
  }
  for (std::uint32_t r = 0; r < n; ++r) {
    if (loop_compliance >= 0.0 && !rows[r].soft) rows[r].softness.gamma = loop_compliance * own[r * n + r];
    own[r * n + r] += rows[r].softness.gamma;
  }
}

/// What the rows of a node and those of later ones on the body that they share do to one another.
template <class Real>
void JointSolver<Real>::fill_below(std::uint32_t node, std::span<double> blocks) const {
  const EqualityJoint& held = equality_[node];
  std::uint32_t const body = forest_.pivot(node);
  bool const by_a = held.pushed_a == body;
  Vec3<double> const inverse_mass = by_a ? held.inverse_mass_a : held.inverse_mass_b;
  std::uint32_t const n = held.row_count;
  auto const upper = pattern_.upper(node);
  for (std::uint32_t k = 0; k < upper.size(); ++k) {
    const EqualityJoint& other = equality_[upper[k]];
    bool const of_a = other.pushed_a == body;
    double* const block = blocks.data() + pattern_.below(node, k);
    if (held.is_ball && other.is_ball) {
      fill_between_balls(held, other, body, block);
      continue;
    }
    for (std::uint32_t c = 0; c < n; ++c) {
      RowPart const cause = part_of(held, c, by_a);
      Vec3<double> const change = along_axes(cause.linear, inverse_mass);
      for (std::uint32_t r = 0; r < other.row_count; ++r) {
        RowPart const effect = part_of(other, r, of_a);
        double const value = dot(effect.linear, change) + dot(effect.delta_rotation, cause.omega);
        block[r * n + c] = by_a == of_a ? value : -value;
      }
    }
  }
}

/// The nodes of a tree, when rows of any of them have changed.
template <class Real>
void JointSolver<Real>::fill_tree(std::uint32_t first, std::uint32_t end, double loop_compliance) {
  bool const looped = first < end && forest_.is_looped(forest_.pivot(first));
  bool stands = !looped;
  for (std::uint32_t node = first; node < end && stands; ++node) stands = !equality_[node].is_stale;
  if (stands) return;
  std::span<double> const blocks = factor_.blocks(pattern_);
  std::span<double> const own_blocks = own_factor_.blocks(own_pattern_);
  for (std::uint32_t node = first; node < end; ++node) {
    EqualityJoint& held = equality_[node];
    double* const own = blocks.data() + pattern_.own(node);
    fill_own(held, own, looped ? loop_compliance : -1.0);
    fill_below(node, blocks);
    if (joints_[held.joint].limit_count > 0) {
      std::copy(own, own + std::size_t{held.row_count} * held.row_count,
                own_blocks.data() + own_pattern_.own(node));
      own_factor_.factor(own_pattern_, node, node + 1, kMinPivot);
    }
  }
  factor_.factor(pattern_, first, end, kMinPivot);
}

template <class Real>
void JointSolver<Real>::fill_matrix(const JointBodies<Real>& at, bool anew) {
  double const loop_compliance = relaxing_ ? 0.0 : kLoopCompliance * scalar_row_.gamma;
  if (!tree_batches_.empty()) tree_batches_.fill(at, inertias_, stale_, anew);
  for (const NodeRange& tree : loop_trees_) fill_tree(tree.first, tree.end, loop_compliance);
  std::span<double> const own_blocks = own_factor_.blocks(own_pattern_);
  for (std::uint32_t node = forest_.first_loop_closing(); node < equality_.size(); ++node) {
    if (!equality_[node].is_stale) continue;
    fill_own(equality_[node], own_blocks.data() + own_pattern_.own(node), -1.0);
    own_factor_.factor(own_pattern_, node, node + 1, kMinPivot);
  }
  project_all();
  for (std::uint32_t const node : loop_nodes_) equality_[node].is_stale = false;
}

#define TAKT_INSTANTIATE(Real)                                                                         \
  template JointPose JointSolver<Real>::pose_of(const JointBodies<Real>&, const PreparedJoint&) const; \
  template void JointSolver<Real>::set_row(const PreparedJoint&, EqualityRow&, const JointCoordinate&, \
                                           const Softness&, double) const;                             \
  template void JointSolver<Real>::rebuild(const WorldState<Real>&, const JointBodies<Real>&,          \
                                           PreparedJoint&);                                            \
  template void JointSolver<Real>::build_all(const WorldState<Real>&, const JointBodies<Real>&);       \
  template void JointSolver<Real>::fill_matrix(const JointBodies<Real>&, bool);
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
