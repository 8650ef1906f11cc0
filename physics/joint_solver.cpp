#include "physics/joint_solver.h"

#include <algorithm>

#include "physics/joint_store.h"
#include "physics/locked_axes.h"
#include "physics/tuning.h"

namespace takt {
namespace {

template <class Real>
void add_to(Real (&to)[4], Vec3<double> change) noexcept {
  to[0] = to_real<Real>(to_double(to[0]) + change.x);
  to[1] = to_real<Real>(to_double(to[1]) + change.y);
  to[2] = to_real<Real>(to_double(to[2]) + change.z);
}

double coupling(const EqualityRow& effect, const EqualityRow& cause) noexcept {
  return side_coupling(effect.a, cause.a) + side_coupling(effect.a, cause.b) + side_coupling(effect.b, cause.a) + side_coupling(effect.b, cause.b);
}

double within(double value, double most) noexcept { return value > most ? most : value < -most ? -most : value; }

/// v's part of a push that two bodies share.
RowSide side_a(const RowBody& body, const JointDirection& direction) noexcept { return body.side(-direction.linear, -direction.turn_a); }
RowSide side_b(const RowBody& body, const JointDirection& direction) noexcept { return body.side(direction.linear, direction.turn_b); }

std::uint32_t equality_count(const JointRecord& record, const JointAxisPool& axes) noexcept {
  std::uint32_t count = 0;
  for (unsigned c = 0; c < kLockedSlots; ++c) {
    if ((record.locked >> c & 1u) != 0 && !(c < 3 ? record.linear : record.angular).is_idle()) ++count;
  }
  for (std::uint32_t at = record.first_axis; at != kNoIndex; at = axes[at].next) count += is_equality(axes[at].def) ? 1u : 0u;
  return count;
}

std::uint32_t bounded_count(const JointRecord& record, const JointAxisPool& axes) noexcept {
  if (is_coupling(record.kind)) return 1;
  std::uint32_t count = 0;
  for (std::uint32_t at = record.first_axis; at != kNoIndex; at = axes[at].next) {
    const JointAxisDef& def = axes[at].def;
    count += (def.friction > 0.0 ? 1u : 0u) + (def.max_motor > 0.0 ? 1u : 0u) + (is_bounded_hold(def) ? 1u : 0u) + (has_limit(def) ? 1u : 0u);
  }
  return count;
}

}  // namespace

template <class Real>
void JointSolver<Real>::prepare(const WorldState<Real>& state, const JointBodies<Real>& at, double substep_s, std::uint32_t substeps) {
  substep_s_ = substep_s;
  substeps_ = substeps;
  alone_softness_ = Softness::frequency(kContactHertzPerSubstepRate / substep_s, kContactDampingRatio);
  joints_.clear();
  if (state.joints.alive_count == 0) return;
  gather(state, at);
  arrange(state, static_cast<std::uint32_t>(at.bodies.size()));
}

template <class Real>
void JointSolver<Real>::mark_joined(std::vector<PreparedContact<Real>>& contacts) const {
  if (joints_.empty()) return;
  for (PreparedContact<Real>& contact : contacts) {
    std::uint32_t const a = contact.dynamic_a ? forest_.group_of(contact.body_a) : 0;
    contact.joined = a != 0 && contact.dynamic_b && a == forest_.group_of(contact.body_b);
  }
}

template <class Real>
void JointSolver<Real>::gather(const WorldState<Real>& state, const JointBodies<Real>& at) {
  prepared_.assign(state.joints.capacity(), 0);
  auto const row_body = [&](std::uint32_t body) {
    std::uint32_t const place = at.solver_index[body];
    RowBody row;
    row.body = place;
    row.moves = place != 0 && at.moving[place].dynamic;
    if (!row.moves) return row;
    const SolverMass<Real>& mass = at.masses[place];
    double const inverse = to_double(mass.inverse_mass);
    row.inverse_mass = free_linear(mass.locked_axes, Vec3<double>{inverse, inverse, inverse});
    row.inverse_inertia = to_sym_mat64(mass.inverse_inertia);
    return row;
  };
  // Gears last: they look at the joints that they tie.
  for (bool const gears : {false, true}) {
    for (std::uint32_t i = 0; i < state.joints.capacity(); ++i) {
      if (!state.joints.alive(i)) continue;
      const JointRecord& record = state.joints[i];
      if ((record.kind == JointKind::kGear) != gears || !record.enabled || record.broken) continue;
      const BodyRecord<Real>& a = state.bodies[record.body_a];
      const BodyRecord<Real>& b = state.bodies[record.body_b];
      if (!a.enabled || !b.enabled) continue;
      PreparedJoint joint;
      joint.index = i;
      joint.a = row_body(record.body_a);
      joint.b = row_body(record.body_b);
      bool const tied = gears && (prepared_[record.coupling.joint_1.index] == 0 || prepared_[record.coupling.joint_2.index] == 0);
      if (tied || !(joint.a.moves || joint.b.moves)) continue;
      joint.rotation_a = to_double(a.motion.rotation);
      joint.rotation_b = to_double(b.motion.rotation);
      joint.local_a = record.frame_a.position_m - to_double(a.local_center);
      joint.local_b = record.frame_b.position_m - to_double(b.local_center);
      joint.between = relative<double>(b.motion.center, a.motion.center);
      joint.turn = record.turn;
      joint.max_linear = record.max_force * substep_s_;
      joint.max_angular = record.max_torque * substep_s_;
      joints_.push_back(joint);
      prepared_[i] = static_cast<std::uint32_t>(joints_.size());
    }
  }
}

template <class Real>
void JointSolver<Real>::arrange(const WorldState<Real>& state, std::uint32_t body_count) {
  forest_joints_.clear();
  for (const PreparedJoint& joint : joints_) {
    const JointRecord& record = state.joints[joint.index];
    bool const bounded = record.max_force < kUnbounded || record.max_torque < kUnbounded;
    forest_joints_.push_back(
        {joint.a.moves ? joint.a.body : 0, joint.b.moves ? joint.b.body : 0, record.direct && !bounded && !is_coupling(record.kind)});
  }
  forest_.build(forest_joints_, body_count);
  pattern_.clear();
  own_pattern_.clear();
  std::uint32_t bounded_rows = 0;
  for (std::uint32_t place = 0; place < joints_.size(); ++place) {
    PreparedJoint& joint = joints_[forest_.order()[place]];
    const JointRecord& record = state.joints[joint.index];
    joint.node = place;
    joint.alone = place >= forest_.alone();
    joint.row_count = equality_count(record, state.joint_axes);
    own_pattern_.add_node(joint.row_count, {});
    joint.first_row = own_pattern_.first_row(place);
    if (joint.alone) continue;
    forest_.upper(place, upper_);
    pattern_.add_node(joint.row_count, upper_);
  }
  pattern_.finish();
  own_pattern_.finish();
  for (PreparedJoint& joint : joints_) {
    joint.first_bounded = bounded_rows;
    joint.bounded_count = bounded_count(state.joints[joint.index], state.joint_axes);
    bounded_rows += joint.bounded_count;
  }
  rows_.assign(own_pattern_.rows(), {});
  bounded_.assign(bounded_rows, {});
  changes_.assign(body_count, {});
  pulls_.assign(body_count, {});
  touched_.clear();
  for (const PreparedJoint& joint : joints_) {
    if (joint.a.moves) touched_.push_back(joint.a.body);
    if (joint.b.moves) touched_.push_back(joint.b.body);
  }
  std::sort(touched_.begin(), touched_.end());
  touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
  inertias_.resize(body_count);
  fresh_ = true;
}

template <class Real>
JointPose JointSolver<Real>::pose_of(const WorldState<Real>& state, const JointBodies<Real>& at, const PreparedJoint& joint) const {
  const JointRecord& record = state.joints[joint.index];
  Vec3<double> between = joint.between;
  Quat<double> rotation_a = joint.rotation_a;
  Quat<double> rotation_b = joint.rotation_b;
  if (joint.a.body != 0) {
    rotation_a = to_double(at.moving[joint.a.body].rotation);
    between -= doubles_of(at.bodies[joint.a.body].linear_shift);
  }
  if (joint.b.body != 0) {
    rotation_b = to_double(at.moving[joint.b.body].rotation);
    between += doubles_of(at.bodies[joint.b.body].linear_shift);
  }
  return JointPose(record.frame_a, record.frame_b, record.locked, rotation_a, rotation_b, rotate(rotation_a, joint.local_a),
                   rotate(rotation_b, joint.local_b), between);
}

/// Takes what a bounded row remembers into the tick.
template <class Real>
BoundedRow& JointSolver<Real>::next_bounded(PreparedJoint& joint, std::uint32_t& count, BoundedKind kind, double impulse) {
  BoundedRow& row = bounded_[joint.first_bounded + count++];
  row.kind = kind;
  row.joint = static_cast<std::uint32_t>(&joint - joints_.data());
  if (fresh_) row.impulse = impulse;
  return row;
}

template <class Real>
void JointSolver<Real>::add_axis(const JointAxisRecord& axis, std::uint32_t index, const JointCoordinate& found, PreparedJoint& joint,
                                 std::uint32_t& rows, std::uint32_t& bounded) {
  const JointAxisDef& def = axis.def;
  RowSide const a = side_a(joint.a, found.direction);
  RowSide const b = side_b(joint.b, found.direction);
  if (is_equality(def)) {
    EqualityRow& row = rows_[joint.first_row + rows++];
    row.a = a;
    row.b = b;
    soften(row, def.hold_softness, found.value - def.target);
    if (fresh_) row.impulse = axis.hold_impulse;
  }
  auto const add = [&](BoundedKind kind, double impulse) -> BoundedRow& {
    BoundedRow& row = next_bounded(joint, bounded, kind, impulse);
    row.axis = index;
    row.sides[0] = a;
    row.sides[1] = b;
    return row;
  };
  if (def.friction > 0.0) add(BoundedKind::kFriction, axis.friction_impulse).most = def.friction * substep_s_;
  if (def.max_motor > 0.0) {
    BoundedRow& row = add(BoundedKind::kMotor, axis.motor_impulse);
    row.most = def.max_motor * substep_s_;
    row.speed = def.speed;
  }
  if (is_bounded_hold(def)) {
    BoundedRow& row = add(BoundedKind::kHold, axis.hold_impulse);
    row.most = def.max_hold * substep_s_;
    if (!relaxing_) row.error = found.value - def.target;
    row.said = def.hold_softness;
  }
  if (has_limit(def)) {
    BoundedRow& row = add(BoundedKind::kLimit, axis.limit_impulse);
    row.above_lower = has_lower(def) ? found.value - def.lower : kUnbounded;
    row.below_upper = def.upper - found.value;
    row.said = def.limit_softness;
  }
}

template <class Real>
void JointSolver<Real>::soften(EqualityRow& row, const Softness& said, double error) const {
  if (relaxing_) return;
  row.error = error;
  row.soft = !said.is_rigid();
  // Nothing moves along it (the plane's normal of a planar body): it says nothing, and its pivot leaves it out.
  double const mobility = coupling(row, row);
  row.softness = mobility > 0.0 ? said.row(substep_s_, mobility) : SoftRow{};
}

template <class Real>
void JointSolver<Real>::build_rows(const WorldState<Real>& state, const JointBodies<Real>& at, PreparedJoint& joint) {
  const JointRecord& record = state.joints[joint.index];
  JointPose const pose = pose_of(state, at, joint);
  joint.arm_a = pose.arm_a() + pose.apart();
  joint.arm_b = pose.arm_b();
  if (JointPose::turning_axis(record.locked) != JointAxis::kDistance)
    joint.turn = pose.coordinate(JointPose::turning_axis(record.locked), joint.turn).value;
  std::uint32_t rows = 0;
  std::uint32_t bounded = 0;
  for (unsigned c = 0; c < kLockedSlots; ++c) {
    const Softness& said = c < 3 ? record.linear : record.angular;
    if ((record.locked >> c & 1u) == 0 || said.is_idle()) continue;
    EqualityRow& row = rows_[joint.first_row + rows++];
    JointCoordinate const found = pose.error(c);
    row.slot = c;
    row.a = side_a(joint.a, found.direction);
    row.b = side_b(joint.b, found.direction);
    soften(row, said, found.value);
    if (fresh_) row.impulse = record.impulses[c];
  }
  for (std::uint32_t axis = record.first_axis; axis != kNoIndex; axis = state.joint_axes[axis].next) {
    const JointAxisRecord& axis_record = state.joint_axes[axis];
    add_axis(axis_record, axis, pose.coordinate(axis_record.def.axis, joint.turn), joint, rows, bounded);
  }
  if (record.kind == JointKind::kPulley) add_pulley(state, at, joint, pose);
  if (record.kind == JointKind::kGear) add_gear(state, at, joint);
}

template <class Real>
void JointSolver<Real>::add_pulley(const WorldState<Real>& state, const JointBodies<Real>& at, PreparedJoint& joint, const JointPose& pose) {
  const JointRecord& record = state.joints[joint.index];
  std::uint32_t count = 0;
  BoundedRow& row = next_bounded(joint, count, BoundedKind::kPulley, record.coupling_impulse);
  auto const pull = [&](const RowBody& body, std::uint32_t index, const Position& ground, Vec3<double> arm, double weight, double& used) {
    Vec3<double> away = relative<double>(state.bodies[index].motion.center, ground) + arm;
    if (body.body != 0) away += doubles_of(at.bodies[body.body].linear_shift);
    used += weight * length(away);
    Vec3<double> const direction = normalise_or(away, Vec3<double>{0.0, -1.0, 0.0}, 1e-9) * weight;
    return body.side(-direction, -cross(arm, direction));  // a positive impulse pulls towards the ground anchors
  };
  double used = 0.0;
  row.sides[0] = pull(joint.a, record.body_a, record.coupling.ground_a, pose.arm_a(), 1.0, used);
  row.sides[1] = pull(joint.b, record.body_b, record.coupling.ground_b, pose.arm_b(), record.coupling.ratio, used);
  row.above_lower = record.coupling.length_m - used;
  row.below_upper = kUnbounded;
}

template <class Real>
void JointSolver<Real>::add_gear(const WorldState<Real>& state, const JointBodies<Real>& at, PreparedJoint& joint) {
  const JointRecord& record = state.joints[joint.index];
  const JointCoupling& gear = record.coupling;
  std::uint32_t count = 0;
  BoundedRow& row = next_bounded(joint, count, BoundedKind::kGear, record.coupling_impulse);
  row.side_count = 0;
  double sum = 0.0;
  auto const tie = [&](JointId id, JointAxis axis, double ratio) {
    const PreparedJoint& other = joints_[prepared_[id.index] - 1];
    JointCoordinate found = pose_of(state, at, other).coordinate(axis, other.turn);
    sum += ratio * found.value;
    JointDirection const direction{found.direction.linear * ratio, found.direction.turn_a * ratio, found.direction.turn_b * ratio};
    for (RowSide const& side : {side_a(other.a, direction), side_b(other.b, direction)}) {
      RowSide* const end = row.sides.data() + row.side_count;
      RowSide* const same = std::find_if(row.sides.data(), end, [&side](const RowSide& s) { return s.body == side.body; });
      if (same == end) {
        row.sides[row.side_count++] = side;
      } else {
        same->linear += side.linear;
        same->angular += side.angular;
        same->linear_change += side.linear_change;
        same->angular_change += side.angular_change;
      }
    }
  };
  tie(gear.joint_1, gear.axis_1, 1.0);
  tie(gear.joint_2, gear.axis_2, gear.ratio);
  if (!relaxing_) row.error = sum - record.coupled;
}

/// Rows where the bodies are now, with the inertia tensors of now: rows that know another than the body has would add energy to what spins.
template <class Real>
void JointSolver<Real>::build_all(const WorldState<Real>& state, const JointBodies<Real>& at) {
  for (std::uint32_t const body : touched_) {
    if (relaxing_ && tamed_[body] != 0) continue;
    const MovingBody<Real>& moving = at.moving[body];
    inertias_[body] = has_angular(at.masses[body].locked_axes)
                          ? to_sym_mat64(at.masses[body].inverse_inertia)
                          : rotated(to_sym_mat64(state.bodies[moving.index].inverse_inertia), to_matrix(to_double(moving.rotation)));
  }
  for (PreparedJoint& joint : joints_) {
    if (joint.a.moves) joint.a.inverse_inertia = inertias_[joint.a.body];
    if (joint.b.moves) joint.b.inverse_inertia = inertias_[joint.b.body];
    build_rows(state, at, joint);
  }
}

/// Gives bodies that the impulses of the last substep would swing too fast a larger inertia, and builds their rows again with it.
template <class Real>
void JointSolver<Real>::tame_swings(const WorldState<Real>& state, const JointBodies<Real>& at) {
  for (std::uint32_t const body : touched_) pulls_[body] = {};
  for (const PreparedJoint& joint : joints_) {
    for (std::uint32_t i = 0; i < joint.row_count; ++i) {
      const EqualityRow& row = rows_[joint.first_row + i];
      if (joint.a.moves) pulls_[joint.a.body].add(joint.arm_a, row.a.linear * row.impulse);
      if (joint.b.moves) pulls_[joint.b.body].add(joint.arm_b, row.b.linear * row.impulse);
    }
  }
  double const scale = substep_s_ / (kFastestSwing * kFastestSwing);
  tamed_.assign(at.bodies.size(), 0);
  swings_.clear();
  for (std::uint32_t const body : touched_) {
    SymMat64 const raised = pulls_[body].tamed(inertias_[body], scale);
    if (raised == inertias_[body]) continue;
    swings_.push_back({body, inertias_[body], {}});
    inertias_[body] = raised;
    tamed_[body] = 1;
  }
  if (swings_.empty()) return;
  share_spins(at);
  for (PreparedJoint& joint : joints_) {
    bool const a = joint.a.moves && tamed_[joint.a.body] != 0;
    bool const b = joint.b.moves && tamed_[joint.b.body] != 0;
    if (a) joint.a.inverse_inertia = inertias_[joint.a.body];
    if (b) joint.b.inverse_inertia = inertias_[joint.b.body];
    if (a || b) build_rows(state, at, joint);
  }
}

/// What others did to the spin of a tamed body since the joints were solved, they did with its own inertia: with the larger one it has the same angular momentum.
template <class Real>
void JointSolver<Real>::share_spins(const JointBodies<Real>& at) {
  for (const TamedSwing& swing : swings_) {
    SolverBody<Real>& body = at.bodies[swing.body];
    Vec3<double> const change = doubles_of(body.angular_velocity) - swing.spin;
    add_to(body.angular_velocity, JointPull::slowed(swing.own, inertias_[swing.body], change) - change);
  }
}
template <class Real>
void JointSolver<Real>::remember_spins(const JointBodies<Real>& at) {
  for (TamedSwing& swing : swings_) swing.spin = doubles_of(at.bodies[swing.body].angular_velocity);
}

template <class Real>
void JointSolver<Real>::fill_matrix() {
  matrix_.assign(pattern_.entries(), 0.0);
  own_matrix_.assign(own_pattern_.entries(), 0.0);
  for (std::uint32_t node = 0; node < own_pattern_.nodes(); ++node) {
    std::uint32_t const n = own_pattern_.size(node);
    std::uint32_t const first = own_pattern_.first_row(node);
    double* const own = own_matrix_.data() + own_pattern_.own(node);
    for (std::uint32_t r = 0; r < n; ++r) {
      for (std::uint32_t c = 0; c <= r; ++c) {
        own[r * n + c] = coupling(rows_[first + r], rows_[first + c]);
        own[c * n + r] = own[r * n + c];
      }
      own[r * n + r] += rows_[first + r].softness.gamma;
    }
    if (node >= pattern_.nodes()) continue;
    std::copy(own, own + std::size_t{n} * n, matrix_.data() + pattern_.own(node));
    auto const upper = pattern_.upper(node);
    for (std::uint32_t k = 0; k < upper.size(); ++k) {
      double* const block = matrix_.data() + pattern_.below(node, k);
      for (std::uint32_t r = 0; r < pattern_.size(upper[k]); ++r) {
        for (std::uint32_t c = 0; c < n; ++c) block[r * n + c] = coupling(rows_[pattern_.first_row(upper[k]) + r], rows_[first + c]);
      }
    }
  }
  factor_.factor(pattern_, matrix_, kLeastPivot);
  own_factor_.factor(own_pattern_, own_matrix_, kLeastPivot);
}

/// Leaves the row's part that its joint's equality rows do not hold.
template <class Real>
void JointSolver<Real>::project(BoundedRow& row) {
  const PreparedJoint& joint = joints_[row.joint];
  double whole = 0.0;
  auto const mobility = [&row] {
    double sum = 0.0;
    for (std::uint32_t s = 0; s < row.side_count; ++s) sum += side_coupling(row.sides[s], row.sides[s]);
    return sum;
  };
  whole = mobility();
  row.share = {};
  if (!is_coupling_row(row.kind) && joint.row_count > 0) {
    EqualityRow as_row;
    as_row.a = row.sides[0];
    as_row.b = row.sides[1];
    for (std::uint32_t i = 0; i < joint.row_count; ++i) row.share[i] = coupling(rows_[joint.first_row + i], as_row);
    own_factor_.solve_node(own_pattern_, joint.node, std::span(row.share).first(joint.row_count));
    for (RowSide* const side : {&row.sides[0], &row.sides[1]}) {
      Vec3<double> linear = side->linear;
      Vec3<double> angular = side->angular;
      for (std::uint32_t i = 0; i < joint.row_count; ++i) {
        const EqualityRow& held = rows_[joint.first_row + i];
        const RowSide& other = side == &row.sides[0] ? held.a : held.b;
        linear -= other.linear * row.share[i];
        angular -= other.angular * row.share[i];
      }
      *side = (side == &row.sides[0] ? joint.a : joint.b).side(linear, angular);
    }
  }
  row.mobility = mobility();
  if (!(row.mobility > kLeastFreedom * whole)) row.mobility = 0.0;  // held already
  if (row.mobility > 0.0 && !relaxing_) row.softness = row.said.row(substep_s_, row.mobility);
}

template <class Real>
void JointSolver<Real>::collect(const RowSide& side, double impulse) {
  if (!side.moves) return;
  changes_[side.body].linear += side.linear_change * impulse;
  changes_[side.body].angular += side.angular_change * impulse;
}

template <class Real>
void JointSolver<Real>::apply(const JointBodies<Real>& at, std::uint32_t body) {
  if (body == 0) return;
  Change& change = changes_[body];
  add_to(at.bodies[body].linear_velocity, change.linear);
  add_to(at.bodies[body].angular_velocity, change.angular);
  change = {};
}

template <class Real>
void JointSolver<Real>::begin_substep(const WorldState<Real>& state, const JointBodies<Real>& at) {
  relaxing_ = false;
  build_all(state, at);
  fresh_ = false;
  tame_swings(state, at);
  fill_matrix();
  for (BoundedRow& row : bounded_) project(row);
  // Warm start: what the equality rows gave way for a bounded row comes back with it.
  for (const EqualityRow& row : rows_) {
    collect(row.a, row.impulse);
    collect(row.b, row.impulse);
  }
  for (BoundedRow& row : bounded_) {
    if (!(row.mobility > 0.0)) row.impulse = 0.0;
    for (std::uint32_t s = 0; s < row.side_count; ++s) collect(row.sides[s], row.impulse);
    const PreparedJoint& joint = joints_[row.joint];
    for (std::uint32_t i = 0; i < joint.row_count; ++i) {
      collect(rows_[joint.first_row + i].a, row.share[i] * row.impulse);
      collect(rows_[joint.first_row + i].b, row.share[i] * row.impulse);
    }
  }
  for (std::uint32_t const body : touched_) apply(at, body);
  remember_spins(at);
}

template <class Real>
void JointSolver<Real>::begin_relax(const WorldState<Real>& state, const JointBodies<Real>& at) {
  relaxing_ = true;
  build_all(state, at);
  fill_matrix();
  for (BoundedRow& row : bounded_) project(row);
}

template <class Real>
void JointSolver<Real>::solve_bounded(const JointBodies<Real>& at, BoundedRow& row, bool use_bias) {
  if (!(row.mobility > 0.0)) return;
  double velocity = 0.0;
  for (std::uint32_t s = 0; s < row.side_count; ++s) velocity += side_velocity(row.sides[s], at.bodies.data());
  double const without = velocity - row.mobility * row.impulse;
  double const rate = 1.0 / substep_s_;
  bool const soft = !row.said.is_rigid();
  // Rigid rows are as soft as contacts are while they push back, and rigid in the relax pass.
  SoftRow const rigid = use_bias ? alone_softness_.row(substep_s_, row.mobility) : SoftRow{};
  double const bias_rate = soft ? row.softness.bias_rate : rigid.bias_rate;
  double const gamma = soft ? row.softness.gamma : rigid.gamma;
  double const give = row.mobility + gamma;
  auto const push = [&](double error) { return soft ? bias_rate * error : within(bias_rate * error, kJointPushMax); };
  double impulse = 0.0;
  switch (row.kind) {
    case BoundedKind::kFriction: impulse = within(-without / row.mobility, row.most); break;
    case BoundedKind::kMotor: impulse = within((row.speed - without) / row.mobility, row.most); break;
    case BoundedKind::kHold: impulse = within(-(without + push(row.error)) / give, row.most); break;
    case BoundedKind::kGear: impulse = -(without + push(row.error)) / give; break;
    case BoundedKind::kLimit:
    case BoundedKind::kPulley: {
      // A bound that is not reached leaves the way to it free; one that is passed pushes back.
      auto const needed = [&](double room, double sign) {
        bool const reached = room <= 0.0;
        double const target = reached ? push(-room) : -room * rate;
        return (target - sign * without) / (reached ? give : row.mobility);
      };
      double const lower = row.above_lower < kUnbounded ? needed(row.above_lower, 1.0) : 0.0;
      double const upper = row.below_upper < kUnbounded ? needed(row.below_upper, -1.0) : 0.0;
      impulse = lower > 0.0 ? lower : upper > 0.0 ? -upper : 0.0;
      break;
    }
  }
  double const change = impulse - row.impulse;
  if (change == 0.0) return;
  row.impulse = impulse;
  const PreparedJoint& joint = joints_[row.joint];
  for (std::uint32_t i = 0; i < joint.row_count; ++i) rows_[joint.first_row + i].impulse -= row.share[i] * change;
  for (std::uint32_t s = 0; s < row.side_count; ++s) collect(row.sides[s], change);
  for (std::uint32_t s = 0; s < row.side_count; ++s) apply(at, row.sides[s].moves ? row.sides[s].body : 0);
}

/// The velocity with which a rigid row takes its drift back.
template <class Real>
double JointSolver<Real>::drift_push(const EqualityRow& row, double share) const noexcept {
  return row.soft ? 0.0 : within(share * row.error / substep_s_, kJointPushMax);
}

/// What the row asks for, drift apart: minus this, by the matrix, is the change of its impulse.
template <class Real>
double JointSolver<Real>::residual(const EqualityRow& row, const JointBodies<Real>& at) const noexcept {
  double const velocity = side_velocity(row.a, at.bodies.data()) + side_velocity(row.b, at.bodies.data());
  return row.soft ? velocity + row.softness.bias_rate * row.error + row.softness.gamma * row.impulse : velocity;
}

/// The locked coordinates' impulses within their largest force and torque.
template <class Real>
void JointSolver<Real>::hold_within(const PreparedJoint& joint, std::span<double> changes) const noexcept {
  for (bool const angular : {false, true}) {
    double const most = angular ? joint.max_angular : joint.max_linear;
    if (!(most < kUnbounded)) continue;
    double square = 0.0;
    auto const takes_part = [&](std::uint32_t i) {
      std::uint32_t const slot = rows_[joint.first_row + i].slot;
      return slot < kLockedSlots && (slot >= 3) == angular;
    };
    for (std::uint32_t i = 0; i < joint.row_count; ++i) {
      double const wanted = rows_[joint.first_row + i].impulse + changes[i];
      if (takes_part(i)) square += wanted * wanted;
    }
    double const size = sqrt(square);
    if (!(size > most)) continue;
    for (std::uint32_t i = 0; i < joint.row_count; ++i) {
      double const had = rows_[joint.first_row + i].impulse;
      if (takes_part(i)) changes[i] = (had + changes[i]) * (most / size) - had;
    }
  }
}

template <class Real>
void JointSolver<Real>::solve_alone(const JointBodies<Real>& at, const PreparedJoint& joint, bool use_bias) {
  std::span<double> const changes = std::span(values_).subspan(joint.first_row, joint.row_count);
  SoftRow const soft = alone_softness_.row(substep_s_, 1.0);  // of a mass of 1: gamma is the share of the row's own mass
  double const drift_share = soft.bias_rate * substep_s_;
  for (std::uint32_t i = 0; i < joint.row_count; ++i) {
    const EqualityRow& row = rows_[joint.first_row + i];
    changes[i] = -residual(row, at) - (use_bias ? drift_push(row, drift_share) : 0.0);
  }
  own_factor_.solve_node(own_pattern_, joint.node, changes);
  for (std::uint32_t i = 0; i < joint.row_count && use_bias; ++i) {
    const EqualityRow& row = rows_[joint.first_row + i];
    if (!row.soft) changes[i] = (changes[i] - soft.gamma * row.impulse) / (1.0 + soft.gamma);
  }
  hold_within(joint, changes);
  for (std::uint32_t i = 0; i < joint.row_count; ++i) {
    EqualityRow& row = rows_[joint.first_row + i];
    row.impulse += changes[i];
    collect(row.a, changes[i]);
    collect(row.b, changes[i]);
  }
  apply(at, joint.a.moves ? joint.a.body : 0);
  apply(at, joint.b.moves ? joint.b.body : 0);
}

/// Adds to values_ what takes drift back, tree by tree, as far as it speeds no body up too much. The rest of a pass is a projection, which adds no energy whatever
/// the joints ask; this part may ask for any speed where joints hold only just, or not at all.
template <class Real>
void JointSolver<Real>::push_back_drift() {
  pushes_.resize(pattern_.rows());
  for (std::uint32_t i = 0; i < pattern_.rows(); ++i) pushes_[i] = -drift_push(rows_[i], kTreeDriftShare);
  factor_.solve(pattern_, pushes_);
  std::uint32_t first = 0;
  for (std::uint32_t const end_place : forest_.tree_ends()) {
    std::uint32_t const end = end_place < pattern_.nodes() ? pattern_.first_row(end_place) : pattern_.rows();
    for (std::uint32_t i = first; i < end; ++i) {
      collect(rows_[i].a, pushes_[i]);
      collect(rows_[i].b, pushes_[i]);
    }
    double excess = 1.0;
    for (std::uint32_t i = first; i < end; ++i) {
      for (const RowSide* const side : {&rows_[i].a, &rows_[i].b}) {
        Change& change = changes_[side->body];
        excess = maximum(excess, maximum(length(change.linear) / kJointSpeedUpMaxMS, length(change.angular) / kJointSpinUpMaxRadS));
      }
    }
    for (std::uint32_t i = first; i < end; ++i) {
      values_[i] += pushes_[i] / excess;
      changes_[rows_[i].a.body] = {};
      changes_[rows_[i].b.body] = {};
    }
    first = end;
  }
}

template <class Real>
void JointSolver<Real>::solve_trees(const JointBodies<Real>& at, bool use_bias) {
  std::span<double> const changes = std::span(values_).first(pattern_.rows());
  for (std::uint32_t i = 0; i < pattern_.rows(); ++i) changes[i] = -residual(rows_[i], at);
  factor_.solve(pattern_, changes);
  if (use_bias) push_back_drift();
  for (std::uint32_t i = 0; i < pattern_.rows(); ++i) {
    rows_[i].impulse += changes[i];
    collect(rows_[i].a, changes[i]);
    collect(rows_[i].b, changes[i]);
  }
  for (std::uint32_t const body : touched_) apply(at, body);
}

template <class Real>
void JointSolver<Real>::solve(const JointBodies<Real>& at, bool use_bias) {
  values_.resize(rows_.size());
  share_spins(at);
  for (BoundedRow& row : bounded_) solve_bounded(at, row, use_bias);
  for (std::uint32_t place = forest_.alone(); place < forest_.order().size(); ++place) solve_alone(at, joints_[forest_.order()[place]], use_bias);
  if (pattern_.rows() > 0) solve_trees(at, use_bias);
  remember_spins(at);
}

template <class Real>
void JointSolver<Real>::end_substep() {
  auto const react = [](PreparedJoint& joint, const RowSide& side, double impulse) {
    Vec3<double> const force = side.linear * impulse;
    joint.force_sum += force;
    joint.torque_sum += side.angular * impulse - cross(joint.arm_b, force);
  };
  for (PreparedJoint& joint : joints_) {
    for (std::uint32_t i = 0; i < joint.row_count; ++i) {
      const EqualityRow& row = rows_[joint.first_row + i];
      double impulse = row.impulse;
      for (std::uint32_t k = 0; k < joint.bounded_count; ++k) {
        impulse += bounded_[joint.first_bounded + k].share[i] * bounded_[joint.first_bounded + k].impulse;
      }
      react(joint, row.b, impulse);
    }
    for (std::uint32_t k = 0; k < joint.bounded_count; ++k) {
      const BoundedRow& row = bounded_[joint.first_bounded + k];
      for (std::uint32_t s = 0; s < row.side_count; ++s) {
        if (row.sides[s].body == joint.b.body) react(joint, row.sides[s], row.impulse);
      }
    }
  }
}

template <class Real>
void JointSolver<Real>::store(WorldState<Real>& state, std::vector<JointId>& broken) const {
  double const period = substep_s_ * static_cast<double>(substeps_);
  auto const sound = [](double value) { return value - value == 0.0 ? canonical(value) : 0.0; };  // a body that was quarantined may leave none
  for (const PreparedJoint& joint : joints_) {
    JointRecord& record = state.joints[joint.index];
    auto const mean = [&](Vec3<double> sum) { return Vec3<double>{sound(sum.x / period), sound(sum.y / period), sound(sum.z / period)}; };
    record.force = mean(joint.force_sum);
    record.torque = mean(joint.torque_sum);
    record.turn = sound(joint.turn);
    std::uint32_t row = joint.first_row;
    for (unsigned c = 0; c < kLockedSlots; ++c) {
      bool const has_row = (record.locked >> c & 1u) != 0 && !(c < 3 ? record.linear : record.angular).is_idle();
      record.impulses[c] = has_row ? sound(rows_[row++].impulse) : 0.0;
    }
    for (std::uint32_t at = record.first_axis; at != kNoIndex; at = state.joint_axes[at].next) {
      if (is_equality(state.joint_axes[at].def)) state.joint_axes[at].hold_impulse = sound(rows_[row++].impulse);
    }
    for (std::uint32_t k = 0; k < joint.bounded_count; ++k) {
      const BoundedRow& bounded = bounded_[joint.first_bounded + k];
      double const impulse = sound(bounded.impulse);
      switch (bounded.kind) {
        case BoundedKind::kFriction: state.joint_axes[bounded.axis].friction_impulse = impulse; break;
        case BoundedKind::kMotor: state.joint_axes[bounded.axis].motor_impulse = impulse; break;
        case BoundedKind::kHold: state.joint_axes[bounded.axis].hold_impulse = impulse; break;
        case BoundedKind::kLimit: state.joint_axes[bounded.axis].limit_impulse = impulse; break;
        case BoundedKind::kPulley:
        case BoundedKind::kGear: record.coupling_impulse = impulse; break;
      }
    }
    if (length(record.force) > record.break_force || length(record.torque) > record.break_torque) {
      record.broken = true;
      forget_impulses(state, joint.index);
      broken.push_back(state.joints.id(joint.index));
    }
  }
  std::sort(broken.begin(), broken.end(), [](JointId a, JointId b) { return a.index < b.index; });
}

template class JointSolver<float>;
template class JointSolver<Fixed>;

}  // namespace takt
