#include "physics/state/joint_check.h"

#include "physics/math/is_finite.h"
#include "physics/state/definition_check.h"
#include "physics/state/joint_definition.h"

namespace takt {
namespace {

bool is_number(double value) noexcept { return value == value; }
bool is_magnitude(double value) noexcept { return value >= 0.0; }  // infinity means unbounded; false for NaN
bool within(double value, double max) noexcept { return value >= -max && value <= max; }

std::optional<PhysicsError> check_frame(const JointFrame& frame) noexcept {
  if (auto const error = check_vector(frame.position_m, kMaxExtentM)) return error;
  if (auto const error = check_rotation(frame.rotation))
    return *error == PhysicsError::kBadRotation ? PhysicsError::kJointBadRotation : *error;
  return std::nullopt;
}

std::optional<PhysicsError> check_axis(const JointAxisDef& def) noexcept {
  if (!is_number(def.lower) || !is_number(def.upper) || !is_finite(def.target) || !is_finite(def.speed))
    return PhysicsError::kNotFinite;
  if (!is_number(def.max_drive) || !is_number(def.max_motor) || !is_number(def.friction))
    return PhysicsError::kNotFinite;
  if (!def.limit_softness.is_valid() || !def.drive_softness.is_valid())
    return PhysicsError::kJointBadSoftness;
  if (def.lower > def.upper) return PhysicsError::kJointLimitsCrossed;
  bool const bounds = (def.lower == -kUnbounded || within(def.lower, kMaxJointCoordinate)) &&
                      (def.upper == kUnbounded || within(def.upper, kMaxJointCoordinate));
  if (!bounds || !within(def.target, kMaxJointCoordinate) || !within(def.speed, kMaxJointSpeed))
    return PhysicsError::kOutOfRange;
  if (!is_magnitude(def.max_drive) || !is_magnitude(def.max_motor) || !is_magnitude(def.friction))
    return PhysicsError::kOutOfRange;
  if (def.axis == JointAxis::kSwing && (def.lower > 0.0 || def.has_drive || def.max_motor > 0.0))
    return PhysicsError::kOutOfRange;
  if (def.axis == JointAxis::kSwing && def.upper < 0.0) return PhysicsError::kOutOfRange;
  if (def.axis == JointAxis::kDistance && (def.upper < 0.0 || def.target < 0.0))
    return PhysicsError::kOutOfRange;
  return std::nullopt;
}

std::optional<PhysicsError> check_coupling(const JointDef& def) noexcept {
  const JointCoupling& c = def.coupling;
  if (!is_finite(c.ratio) || !is_finite(c.length_m)) return PhysicsError::kNotFinite;
  if (def.axis_count != 0 || def.locked != 0 || c.ratio == 0.0 || !within(c.ratio, 1e6))
    return PhysicsError::kJointBadCoupling;
  // Settings without effect are refused: softness and bound belong to the unit of the first coordinate.
  bool const turns = is_about_angle(def.kind, c);
  if (!(turns ? def.linear : def.angular).is_rigid() ||
      (turns ? def.max_force_n : def.max_torque_n_m) < kUnbounded)
    return PhysicsError::kJointBadCoupling;
  if (def.kind == JointKind::kGear) {
    bool const axes = c.axis_1 <= JointAxis::kAngularZ && c.axis_2 <= JointAxis::kAngularZ;
    return axes && !(c.joint_1 == c.joint_2 && c.axis_1 == c.axis_2)
               ? std::nullopt
               : std::optional(PhysicsError::kJointBadCoupling);
  }
  if (!(c.ratio > 0.0) || !(c.length_m > 0.0) || c.length_m > kMaxJointCoordinate)
    return PhysicsError::kJointBadCoupling;
  if (auto const error = check_position(c.ground_a)) return error;
  return check_position(c.ground_b);
}

}  // namespace

bool can_be_geared(std::uint8_t locked, JointAxis axis) noexcept {
  if (axis > JointAxis::kAngularZ || (locked & lock_of(axis)) != 0) return false;
  return axis <= JointAxis::kLinearZ || axis == last_rotation_axis(locked) ||
         axis == first_rotation_axis(locked);
}

std::optional<PhysicsError> check(const JointDef& def) noexcept {
  if (def.kind < JointKind::kGeneric || def.kind > JointKind::kGear) return PhysicsError::kJointBadKind;
  if (auto const error = check_frame(def.frame_a)) return error;
  if (auto const error = check_frame(def.frame_b)) return error;
  if (!def.linear.is_valid() || !def.angular.is_valid()) return PhysicsError::kJointBadSoftness;
  for (double const max : {def.max_force_n, def.max_torque_n_m, def.break_force_n, def.break_torque_n_m}) {
    if (!is_number(max)) return PhysicsError::kNotFinite;
  }
  if (!is_magnitude(def.max_force_n) || !is_magnitude(def.max_torque_n_m)) return PhysicsError::kOutOfRange;
  if (!(def.break_force_n > 0.0) || !(def.break_torque_n_m > 0.0)) return PhysicsError::kOutOfRange;
  if (def.locked > (kLockLinear | kLockAngular) || def.axis_count > kJointAxisCount)
    return PhysicsError::kJointBadAxis;
  for (std::uint32_t i = 0; i < def.axis_count; ++i) {
    JointAxis const axis = def.axes[i].axis;
    if (axis > JointAxis::kSwing || (i > 0 && axis <= def.axes[i - 1].axis))
      return PhysicsError::kJointBadAxis;
    if ((def.locked & lock_of(axis)) != 0) return PhysicsError::kJointBadAxis;
    // The swing requires three free angles.
    if (axis == JointAxis::kSwing && (def.locked & kLockAngular) != 0) return PhysicsError::kJointBadAxis;
    if (auto const error = check_axis(def.axes[i])) return error;
  }
  return is_coupling(def.kind) ? check_coupling(def) : std::nullopt;
}

namespace {

/// Checks the joints that a gear couples: they exist, and their coordinates satisfy can_be_geared.
template <class Real>
std::optional<PhysicsError> check_tied(const WorldState<Real>& state, const JointCoupling& gear) noexcept {
  auto const check_one = [&state](JointId id, JointAxis axis) -> std::optional<PhysicsError> {
    if (!state.joints.contains(id)) return PhysicsError::kUnknownJoint;
    const JointRecord& joint = state.joints[id.index];
    if (is_coupling(joint.kind) || !can_be_geared(joint.locked, axis)) return PhysicsError::kJointBadCoupling;
    return std::nullopt;
  };
  if (auto const error = check_one(gear.joint_1, gear.axis_1)) return error;
  return check_one(gear.joint_2, gear.axis_2);
}

}  // namespace

template <class Real>
std::optional<PhysicsError> check(const WorldState<Real>& state, const JointDef& def) noexcept {
  if (auto const error = check(def)) return error;
  if (!state.bodies.contains(def.body_a) || !state.bodies.contains(def.body_b))
    return PhysicsError::kUnknownBody;
  if (def.body_a == def.body_b && def.kind != JointKind::kGear) return PhysicsError::kJointToItself;
  if (state.bodies[def.body_a.index].type != BodyType::kDynamic &&
      state.bodies[def.body_b.index].type != BodyType::kDynamic)
    return PhysicsError::kJointNothingMoves;
  return def.kind == JointKind::kGear ? check_tied(state, def.coupling) : std::nullopt;
}

template <class Real>
bool consistent_joints(const WorldState<Real>& state) {
  if (!state.joints.consistent() || !state.joint_axes.consistent()) return false;
  std::uint32_t linked = 0;
  for (std::uint32_t i = 0; i < state.joints.capacity(); ++i) {
    if (!state.joints.alive(i)) continue;
    const JointRecord& joint = state.joints[i];
    for (std::uint32_t const body : {joint.body_a, joint.body_b}) {
      if (body >= state.bodies.capacity() || !state.bodies.alive(body)) return false;
    }
    if (joint.axis_count > kJointAxisCount) return false;
    std::uint32_t walked = 0;
    for (std::uint32_t at = joint.first_axis; at != kNoIndex; at = state.joint_axes[at].next) {
      if (at >= state.joint_axes.capacity() || !state.joint_axes.alive(at) ||
          state.joint_axes[at].joint != i || ++walked > joint.axis_count)
        return false;
      const JointAxisRecord& axis = state.joint_axes[at];
      if (!is_finite(axis.limit_impulse) || !is_finite(axis.drive_impulse) ||
          !is_finite(axis.motor_impulse) || !is_finite(axis.friction_impulse))
        return false;
    }
    if (walked != joint.axis_count) return false;
    linked += walked;
    // The bodies may have changed type since, so only the definition itself and its references are checked.
    JointDef const def = read_joint(state, i);
    if (check(def).has_value() || (joint.body_a == joint.body_b && joint.kind != JointKind::kGear))
      return false;
    if (joint.kind == JointKind::kGear && check_tied(state, def.coupling).has_value()) return false;
    for (double const impulse : joint.impulses) {
      if (!is_finite(impulse)) return false;
    }
    bool const sums = is_finite(joint.force.x) && is_finite(joint.force.y) && is_finite(joint.force.z) &&
                      is_finite(joint.torque.x) && is_finite(joint.torque.y) && is_finite(joint.torque.z) &&
                      is_finite(joint.coupled) && is_finite(joint.coupling_impulse);
    if (!sums || !within(joint.revolutions.last, 1e12) || !within(joint.revolutions.first, 1e12))
      return false;
  }
  return linked == state.joint_axes.alive_count;
}

template std::optional<PhysicsError> check(const WorldState<float>&, const JointDef&) noexcept;
template std::optional<PhysicsError> check(const WorldState<Fixed>&, const JointDef&) noexcept;
template bool consistent_joints(const WorldState<float>&);
template bool consistent_joints(const WorldState<Fixed>&);

}  // namespace takt
