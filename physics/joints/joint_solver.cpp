#include "physics/joints/joint_solver.h"

#include <algorithm>

#include "physics/base/solver_constants.h"
#include "physics/constraints/motion_locks.h"
#include "takt/core/assert.h"

namespace takt {

template <class Real>
void JointSolver<Real>::prepare(const WorldState<Real>& state, const JointBodies<Real>& bodies,
                                const JointTick& tick, std::span<const std::uint32_t> pinned) {
  constants_ = JointConstants::of(tick);
  ordering_.clear();
  point_batches_.clear();
  tree_batches_.clear();
  pinned_.clear();
  if (state.joints.alive_count == 0) return;
  ordering_.build(state, bodies, tick.substep_s, point_batches_.joints());
  list_moving_bodies();
  if (!point_batches_.empty()) {
    point_batches_.prepare(state, bodies, tick, moving_bodies_);
    for (std::uint32_t const index : point_batches_.special()) {
      const BatchedPointJoint& joint = point_batches_.joints()[index];
      if (joint.moving_a != 0) moving_bodies_.push_back(joint.moving_a);
      if (joint.moving_b != 0) moving_bodies_.push_back(joint.moving_b);
    }
  }
  inertias_.prepare(state, bodies, moving_bodies_);
  changes_.reset(bodies.bodies.size(), inertias_.bodies());
  equality_.prepare(state, ordering_);
  limits_.prepare(state, ordering_, constants_);
  couplings_.prepare(state, ordering_);
  reactions_.begin_tick(ordering_.joints().size(), tick.substeps);
  partition_.build(state, ordering_, inertias_, point_batches_.joints(), tree_source(), tick.lanes, pinned,
                   tree_batches_);
  list_pinned_bodies(pinned);
  first_substep_ = true;
}

template <class Real>
void JointSolver<Real>::list_moving_bodies() {
  moving_bodies_.clear();
  for (const PreparedJoint& joint : ordering_.joints()) {
    if (joint.a.moves) moving_bodies_.push_back(joint.a.body);
    if (joint.b.moves) moving_bodies_.push_back(joint.b.body);
  }
}

template <class Real>
void JointSolver<Real>::list_pinned_bodies(std::span<const std::uint32_t> pinned) {
  if (pinned.empty()) return;
  for (const NodeRange& tree : partition_.trees()) {
    for (std::uint32_t node = tree.first; node < tree.end; ++node) {
      const EqualityJoint& joint = equality_.joints()[node];
      for (bool const of_a : {true, false}) {
        std::uint32_t const body = of_a ? joint.moving_a : joint.moving_b;
        if (body == 0 || std::find(pinned.begin(), pinned.end(), body) == pinned.end()) continue;
        if (std::any_of(pinned_.begin(), pinned_.end(),
                        [body](const PinnedBody& h) { return h.body == body; }))
          continue;
        pinned_.push_back({body, group_of(body), tree, of_a ? joint.inverse_mass_a : joint.inverse_mass_b,
                           ordering_.forest().is_looped(group_of(body))});
      }
    }
  }
}

template <class Real>
void JointSolver<Real>::mark_joined(std::vector<PreparedContact<Real>>& contacts) const {
  if (empty()) return;
  for (PreparedContact<Real>& contact : contacts) {
    std::uint32_t const a = contact.dynamic_a ? group_of(contact.body_a) : 0;
    contact.joined = a != 0 && contact.dynamic_b && a == group_of(contact.body_b);
  }
}

template <class Real>
void JointSolver<Real>::add_external_loads(const WorldState<Real>& state, double substep_s,
                                           std::span<ExternalLoad> external) const {
  auto const add = [&](std::uint32_t joint, std::uint32_t body_a, std::uint32_t body_b) {
    Vec3<double> const impulse = to_double(state.joints[joint].force) * substep_s;
    for (std::uint32_t const body : {body_a, body_b})
      if (external[body].source == LoadSource::kNone) external[body].source = LoadSource::kJoints;
    external[body_a].impulse -= impulse;
    external[body_b].impulse += impulse;
  };
  for (const PreparedJoint& joint : ordering_.joints()) add(joint.index, joint.a.body, joint.b.body);
  for (const BatchedPointJoint& joint : point_batches_.joints()) add(joint.index, joint.body_a, joint.body_b);
}

template <class Real>
void JointSolver<Real>::begin_substep(const WorldState<Real>& state, const JointBodies<Real>& bodies,
                                      bool moved) {
  relaxing_ = false;
  compute_rows(state, bodies);
  if (!tree_batches_.empty() && (first_substep_ || inertias_.any_moved()))
    tree_batches_.compute_rows(tree_source(), bodies, inertias_.stale(), first_substep_);
  if (!point_batches_.empty()) {
    point_batches_.set_tensors(inertias_.inverse());
    point_batches_.compute_rows(bodies, !first_substep_ && !moved);
  }
  condition_inertias(state, bodies);
  if (!point_batches_.empty() && !conditioning_.empty()) {
    point_batches_.set_tensors(inertias_.inverse());
    point_batches_.compute_rows(bodies, true);
  }
  fill_matrices(bodies, !first_substep_);
  first_substep_ = false;
  warm_start(bodies);
  conditioning_.store_angular_velocities(bodies);
}

/// Rows of all scalar joints with a stale body, and of joints that are not steady.
template <class Real>
void JointSolver<Real>::compute_rows(const WorldState<Real>& state, const JointBodies<Real>& bodies) {
  TAKT_ASSERT(bodies.bodies.size() == bodies.moving.size() && bodies.bodies.size() == bodies.masses.size());
  inertias_.update(bodies, first_substep_ || relaxing_, relaxing_);
  equality_.update_point_joints(bodies, inertias_, partition_.nodes());
  for (std::uint32_t const index : partition_.joints()) {
    PreparedJoint& joint = ordering_.joints()[index];
    const EqualityJoint& equality = equality_.joints()[joint.node];
    if (!joint.is_steady || inertias_.is_stale(equality.moving_a) || inertias_.is_stale(equality.moving_b))
      compute_joint(state, bodies, joint);
  }
}

template <class Real>
void JointSolver<Real>::compute_joint(const WorldState<Real>& state, const JointBodies<Real>& bodies,
                                      PreparedJoint& joint) {
  if (joint.a.moves) joint.a.inverse_inertia = inertias_.inverse()[joint.a.body];
  if (joint.b.moves) joint.b.inverse_inertia = inertias_.inverse()[joint.b.body];
  equality_.joints()[joint.node].is_stale = true;
  const JointRecord& record = state.joints[joint.index];
  JointPose const pose = pose_of(bodies, joint);
  joint.r_a = joint.kind == JointKind::kPulley ? pose.r_a() : pose.r_a() + pose.apart();
  joint.r_b = pose.r_b();
  if (joint.parts == JointParts::kAll) joint.revolutions = pose.revolutions(joint.revolutions);
  TAKT_VALIDATE(!equality_.joints()[joint.node].in_batch);
  std::uint32_t row = 0;
  std::uint32_t limit = 0;
  for (std::uint32_t slot = 0; slot < kLockedSlots; ++slot) {
    if (!has_locked_row(record, slot)) continue;
    JointCoordinate const coordinate = pose.error(slot);
    equality_.compute_row(joint, row++, coordinate, slot < 3 ? record.linear : record.angular,
                          coordinate.value, constants_, relaxing_);
  }
  for (std::uint32_t axis = record.first_axis; axis != kNoIndex; axis = state.joint_axes[axis].next) {
    const JointAxisDef& def = state.joint_axes[axis].def;
    JointCoordinate const coordinate = needs_value(def) ? pose.coordinate_at(def.axis, joint.revolutions)
                                                        : JointCoordinate{0.0, pose.direction_of(def.axis)};
    if (is_equality(def)) {
      equality_.rows()[joint.first_row + row].line_m =
          def.axis == JointAxis::kDistance ? coordinate.value : 0.0;
      equality_.compute_row(joint, row++, coordinate, def.drive_softness, coordinate.value - def.target,
                            constants_, relaxing_);
    }
    if (!joint.loop_closing && is_direct_limit(def))
      equality_.compute_limit(joint, row++, coordinate, def, constants_.tick.substep_s);
    limits_.compute_axis(joint, axis, def, coordinate, relaxing_, limit);
  }
  TAKT_ASSERT(row == joint.row_count && limit == joint.limit_count);
  if (joint.coupling == kNoIndex) return;
  if (joint.kind == JointKind::kPulley) {
    couplings_.compute_pulley(state, bodies, joint, constants_, relaxing_);
  } else {
    couplings_.compute_gear(state, bodies, joint, ordering_, constants_, relaxing_);
  }
}

/// Sums the tension of the last substep's impulses, raises inertias, and computes rows of raised bodies
/// again.
template <class Real>
void JointSolver<Real>::condition_inertias(const WorldState<Real>& state, const JointBodies<Real>& bodies) {
  conditioning_.begin(bodies, inertias_);
  for (std::uint32_t const node : partition_.nodes()) {
    const EqualityJoint& joint = equality_.joints()[node];
    if (!joint.is_point) continue;
    conditioning_.add_impulse(bodies, {joint.body_a, joint.moving_a != 0, joint.point.r_a},
                              {joint.body_b, joint.moving_b != 0, joint.point.r_b}, joint.point.impulse);
  }
  for (std::uint32_t const index : point_batches_.special()) {
    const BatchedPointJoint& joint = point_batches_.joints()[index];
    BatchTension const tension = point_batches_.tension_of(index);
    conditioning_.add_impulse(bodies, {joint.body_a, joint.moving_a != 0, tension.r_a},
                              {joint.body_b, joint.moving_b != 0, tension.r_b}, tension.impulse);
  }
  for (std::uint32_t const index : partition_.joints())
    conditioning_.add_joint(bodies, ordering_.joints()[index], equality_, limits_, couplings_);
  if (!tree_batches_.empty()) tree_batches_.sum_tensions(bodies, conditioning_.tensions());
  conditioning_.raise(inertias_, constants_.tick.substep_s, constants_.tick.lanes);
  if (conditioning_.empty()) return;
  conditioning_.scale_angular_velocities(bodies, inertias_);
  for (std::uint32_t const node : partition_.nodes()) {
    EqualityJoint& joint = equality_.joints()[node];
    joint.is_stale =
        joint.is_stale || inertias_.is_raised(joint.moving_a) || inertias_.is_raised(joint.moving_b);
  }
  // Gears come last: the bodies of the joints that they couple have their inertias by then.
  for (std::uint32_t const index : partition_.joints()) {
    if (has_raised_body(ordering_.joints()[index])) compute_joint(state, bodies, ordering_.joints()[index]);
  }
}

template <class Real>
bool JointSolver<Real>::has_raised_body(const PreparedJoint& joint) const noexcept {
  if (joint.a.moves && inertias_.is_raised(joint.a.body)) return true;
  if (joint.b.moves && inertias_.is_raised(joint.b.body)) return true;
  if (joint.coupling == kNoIndex) return false;
  const CouplingRow& row = couplings_.row_of(joint);
  for (std::uint32_t s = 0; s < row.side_count; ++s) {
    if (row.sides[s].moves && inertias_.is_raised(row.sides[s].body)) return true;
  }
  return false;
}

template <class Real>
void JointSolver<Real>::fill_matrices(const JointBodies<Real>& bodies, bool recompute_batches) {
  double const loop_compliance = relaxing_ ? 0.0 : kLoopCompliance * constants_.unit_row.gamma;
  if (!tree_batches_.empty())
    tree_batches_.fill(bodies, inertias_.inverse(), inertias_.stale(), recompute_batches);
  equality_.fill(ordering_, inertias_, partition_.trees(), loop_compliance);
  for (std::uint32_t const index : partition_.limited()) {
    const PreparedJoint& joint = ordering_.joints()[index];
    if (equality_.joints()[joint.node].is_stale) limits_.project(joint, equality_, constants_, relaxing_);
  }
  for (std::uint32_t const node : partition_.nodes()) equality_.joints()[node].is_stale = false;
}

/// The warm start of an equality row includes the part that it gave way for the limit rows of its joint.
template <class Real>
void JointSolver<Real>::warm_start(const JointBodies<Real>& bodies) {
  JointPass<Real> const warm = pass(bodies, false);
  equality_.begin_warm_start(partition_.nodes(), warm);
  for (std::uint32_t const index : partition_.limited()) {
    const PreparedJoint& joint = ordering_.joints()[index];
    if (joint.coupling != kNoIndex) {
      couplings_.warm_start(joint, warm);
    } else {
      limits_.warm_start(joint, equality_, warm);
    }
  }
  equality_.end_warm_start(partition_.nodes(), warm);
  for (std::uint32_t const body : partition_.bodies()) changes_.apply(bodies, body);
  if (!tree_batches_.empty()) tree_batches_.warm_start(bodies);
  if (!point_batches_.empty()) point_batches_.warm_start(bodies);
}

template <class Real>
void JointSolver<Real>::guard_warm_start(const JointBodies<Real>& bodies, std::span<PinImpulse> of_ropes) {
  TAKT_ASSERT(any_guarded());
  conditioning_.scale_angular_velocities(bodies, inertias_);
  for (PinImpulse& pin : of_ropes) {
    if (!std::binary_search(inertias_.bodies().begin(), inertias_.bodies().end(), pin.body)) continue;
    std::uint32_t const group = group_of(pin.body);
    if (!ordering_.forest().is_looped(group)) continue;
    const SolverMass<Real>& mass = bodies.masses[pin.body];
    pin.group = group;
    pin.change = {free_linear(mass.locked_axes, pin.impulse * to_double(mass.inverse_mass)),
                  multiply(inertias_.inverse()[pin.body], cross(pin.lever_arm, pin.impulse))};
  }
  equality_.guard_warm_start(partition_.nodes(), pass(bodies, false), of_ropes);
  conditioning_.store_angular_velocities(bodies);
}

template <class Real>
void JointSolver<Real>::begin_relax(const WorldState<Real>& state, const JointBodies<Real>& bodies) {
  relaxing_ = true;
  compute_rows(state, bodies);
  fill_matrices(bodies, true);
  point_batches_.set_tensors(inertias_.inverse());
}

template <class Real>
void JointSolver<Real>::solve(const JointBodies<Real>& bodies, bool use_bias) {
  JointPass<Real> const current = pass(bodies, use_bias);
  conditioning_.scale_angular_velocities(bodies, inertias_);
  if (!tree_batches_.empty()) tree_batches_.solve(bodies, constants_, use_bias);
  for (std::uint32_t const index : partition_.limited()) {
    const PreparedJoint& joint = ordering_.joints()[index];
    if (joint.coupling != kNoIndex) {
      couplings_.solve(joint, current);
    } else {
      limits_.solve(joint, equality_, current);
    }
  }
  equality_.solve_loop_closing(ordering_, current);
  for (const NodeRange& tree : partition_.trees()) equality_.solve_tree(tree, ordering_, inertias_, current);
  if (equality_.pattern().rows() > 0) {
    for (std::uint32_t const body : partition_.bodies()) changes_.apply(bodies, body);
  }
  if (!point_batches_.empty() && use_bias) point_batches_.solve(bodies);
  if (!point_batches_.empty() && relaxing_) point_batches_.relax(bodies);
  conditioning_.store_angular_velocities(bodies);
}

template <class Real>
void JointSolver<Real>::end_substep(const JointBodies<Real>& bodies) {
  bool const last = reactions_.end_substep(ordering_, partition_, equality_, limits_, couplings_);
  if (!tree_batches_.empty()) tree_batches_.react(tree_source(), bodies, last);
}

template <class Real>
void JointSolver<Real>::store(WorldState<Real>& state, std::vector<JointId>& broken) const {
  double const tick_s = constants_.tick.substep_s * static_cast<double>(constants_.tick.substeps);
  reactions_.store(state, tick_s, ordering_, equality_, limits_, couplings_, point_batches_, broken);
}

template class JointSolver<float>;
template class JointSolver<Fixed>;

}  // namespace takt
