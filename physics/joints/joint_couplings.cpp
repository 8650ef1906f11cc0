#include "physics/joints/joint_couplings.h"

#include <algorithm>

#include "physics/base/solver_constants.h"
#include "physics/joints/joint_row_steps.h"
#include "takt/core/assert.h"

namespace takt {

template <class Real>
JointPose pose_of(const JointBodies<Real>& bodies, const PreparedJoint& joint) {
  bool const static_a = joint.a.body == 0;
  bool const static_b = joint.b.body == 0;
  return joint_pose<double>(joint.frames, joint.locked, joint.parts, static_a,
                            static_a ? BodyPoseOf<double>{} : bodies.pose_of(joint.a.body), static_b,
                            static_b ? BodyPoseOf<double>{} : bodies.pose_of(joint.b.body));
}

template <class Real>
void JointCouplings<Real>::prepare(const WorldState<Real>& state, const JointOrdering<Real>& ordering) {
  rows_.assign(ordering.coupling_count(), {});
  for (const PreparedJoint& joint : ordering.joints()) {
    if (joint.coupling == kNoIndex) continue;
    TAKT_ASSERT(joint.coupling < rows_.size() && joint.loop_closing);
    rows_[joint.coupling].impulse = state.joints[joint.index].coupling_impulse;
  }
}

/// Mobility of the finished sides, and the softness of this substep. `whole` is the sum of the mobilities of
/// the parts that the sides consist of: parts on one body may cancel out, except for rounding.
template <class Real>
void JointCouplings<Real>::finish(CouplingRow& row, double whole, const JointConstants& constants,
                                  bool relaxing) noexcept {
  TAKT_ASSERT(row.side_count <= row.sides.size());
  double left = 0.0;
  for (std::uint32_t s = 0; s < row.side_count; ++s) left += side_coupling(row.sides[s], row.sides[s]);
  row.mobility = left > kMinFreedom * whole ? left : 0.0;
  if (row.mobility > 0.0 && !relaxing)
    row.soft_row = row.softness.row(constants.tick.substep_s, row.mobility);
}

template <class Real>
void JointCouplings<Real>::compute_pulley(const WorldState<Real>& state, const JointBodies<Real>& bodies,
                                          const PreparedJoint& joint, const JointConstants& constants,
                                          bool relaxing) {
  const JointRecord& record = state.joints[joint.index];
  const JointCoupling& coupling = record.coupling;
  TAKT_ASSERT(joint.coupling < rows_.size() && joint.kind == JointKind::kPulley);
  CouplingRow& row = rows_[joint.coupling];
  auto const side = [&](const RowBody& body, std::uint32_t pool_index, const Position& ground,
                        const Vec3<double>& lever_arm, double ratio, double& line_m) {
    Vec3<double> line = relative<double>(state.bodies[pool_index].motion.center, ground) + lever_arm;
    if (body.body != 0) line += doubles_of(bodies.bodies[body.body].delta_position);
    line_m = length(line);
    Vec3<double> const direction = normalise_or(line, Vec3<double>{0.0, -1.0, 0.0}, 1e-9);
    const SolverBody<Real>& end = bodies.bodies[body.body];
    Vec3<double> const velocity =
        doubles_of(end.linear_velocity) + cross(doubles_of(end.angular_velocity), lever_arm);
    // An end that reaches its ground point in this substep is held there. The rope cannot pull it through,
    // so the other end carries the load alone.
    if (line_m <= -dot(direction, velocity) * constants.tick.substep_s) return body.side({}, {});
    Vec3<double> const u = direction * ratio;
    return body.side(-u, -cross(lever_arm, u));
  };
  row.sides[0] = side(joint.a, record.body_a, coupling.ground_a, joint.r_a, 1.0, row.lines_m[0]);
  row.sides[1] = side(joint.b, record.body_b, coupling.ground_b, joint.r_b, coupling.ratio, row.lines_m[1]);
  row.side_count = 2;
  row.softness = record.linear;
  if (!relaxing || row.softness.is_rigid())
    row.error = coupling.length_m - (row.lines_m[0] + coupling.ratio * row.lines_m[1]);
  row.max = record.max_force * constants.tick.substep_s;
  double const whole = side_coupling(row.sides[0], row.sides[0]) + side_coupling(row.sides[1], row.sides[1]);
  finish(row, whole, constants, relaxing);
}

template <class Real>
void JointCouplings<Real>::compute_gear(const WorldState<Real>& state, const JointBodies<Real>& bodies,
                                        const PreparedJoint& joint, JointOrdering<Real>& ordering,
                                        const JointConstants& constants, bool relaxing) {
  const JointRecord& record = state.joints[joint.index];
  const JointCoupling& gear = record.coupling;
  TAKT_ASSERT(joint.coupling < rows_.size() && joint.kind == JointKind::kGear);
  CouplingRow& row = rows_[joint.coupling];
  row.side_count = 0;
  double sum = 0.0;
  double whole = 0.0;
  auto const add_side = [&row, &whole](const RowSide& side) {
    whole += side_coupling(side, side);
    RowSide* const end = row.sides.data() + row.side_count;
    RowSide* const same =
        std::find_if(row.sides.data(), end, [&side](const RowSide& s) { return s.body == side.body; });
    if (same == end) {
      row.sides[row.side_count++] = side;
      return;
    }
    same->linear += side.linear;
    same->angular += side.angular;
    same->linear_change += side.linear_change;
    same->angular_change += side.angular_change;
  };
  auto const add_joint = [&](JointId id, JointAxis axis, double ratio) {
    const PreparedJoint& coupled = ordering.prepared(id.index);
    JointCoordinate const coordinate = pose_of(bodies, coupled).coordinate(axis, coupled.revolutions);
    sum += ratio * coordinate.value;
    Vec3<double> const linear = coordinate.direction.linear * ratio;
    add_side(coupled.a.side(-linear, -(coordinate.direction.jacobian_a * ratio)));
    add_side(coupled.b.side(linear, coordinate.direction.jacobian_b * ratio));
  };
  add_joint(gear.joint_1, gear.axis_1, 1.0);
  add_joint(gear.joint_2, gear.axis_2, gear.ratio);
  if (!relaxing) row.error = sum - record.coupled;
  row.softness = coupling_softness(record);
  row.max = coupling_max(record) * constants.tick.substep_s;
  finish(row, whole, constants, relaxing);
}

template <class Real>
void JointCouplings<Real>::warm_start(const PreparedJoint& joint, const JointPass<Real>& pass) {
  CouplingRow& row = rows_[joint.coupling];
  if (!(row.mobility > 0.0)) row.impulse = 0.0;
  for (std::uint32_t s = 0; s < row.side_count; ++s) {
    const RowSide& side = row.sides[s];
    if (side.moves)
      pass.changes.add(side.body, {side.linear_change * row.impulse, side.angular_change * row.impulse});
  }
}

template <class Real>
void JointCouplings<Real>::solve(const PreparedJoint& joint, const JointPass<Real>& pass) {
  CouplingRow& row = rows_[joint.coupling];
  if (!(row.mobility > 0.0)) return;
  const JointConstants& constants = pass.constants;
  double velocity = 0.0;
  for (std::uint32_t s = 0; s < row.side_count; ++s)
    velocity += side_velocity(row.sides[s], pass.bodies.bodies.data());
  double const free_velocity = velocity - row.mobility * row.impulse;
  bool const rigid = row.softness.is_rigid();
  SoftRow const soft = !rigid          ? row.soft_row
                       : pass.use_bias ? constants.softness.row(constants.tick.substep_s, row.mobility)
                                       : SoftRow{};
  auto const bias = [&](double error) {
    return rigid ? clamp_magnitude(soft.bias_rate * error, kJointPushMax) : soft.bias_rate * error;
  };
  double impulse = 0.0;
  if (joint.kind == JointKind::kGear) {
    impulse = -(free_velocity + bias(row.error)) / (row.mobility + soft.gamma);
  } else if (row.error <= 0.0) {  // the rope is taut
    impulse = maximum(0.0, (bias(-row.error) - free_velocity) / (row.mobility + soft.gamma));
  } else if (rigid) {  // slack: allows the velocity that closes the gap within the substep
    impulse = maximum(0.0, (-row.error * (1.0 / constants.tick.substep_s) - free_velocity) / row.mobility);
  }
  impulse = clamp_magnitude(impulse, row.max);
  TAKT_VALIDATE(!(absolute(impulse) > row.max));
  TAKT_VALIDATE(joint.kind == JointKind::kGear || !(impulse < 0.0));
  double const change = impulse - row.impulse;
  if (change == 0.0) return;
  row.impulse = impulse;
  for (std::uint32_t s = 0; s < row.side_count; ++s) {
    const RowSide& side = row.sides[s];
    if (side.moves)
      pass.bodies.add_velocity(side.body, {side.linear_change * change, side.angular_change * change});
  }
}

#define TAKT_INSTANTIATE(Real)         \
  template class JointCouplings<Real>; \
  template JointPose pose_of(const JointBodies<Real>&, const PreparedJoint&);
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
