#include "sim/scene/scene_joint_parts.h"

#include <algorithm>

#include "sim/scene/scene_joints.h"
#include "sim/state/byte_fields.h"

namespace takt::sim {
namespace {

constexpr double kMaxSoftness = 1e15;

bool is_nonnegative(JointAxis axis) { return axis == JointAxis::kDistance || axis == JointAxis::kSwing; }

void read_limit(const schema::JointLimit& table, const FieldPath& at, JointAxisDef& part,
                SceneFields& fields) {
  double const min = is_nonnegative(part.axis) ? 0.0 : -kMaxJointCoordinate;
  if (part.axis == JointAxis::kSwing && table.lower())
    fields.fail(at, "lower", "the swing has none: leave it out");
  if (!table.lower() && !table.upper())
    fields.fail(at, {}, "neither \"lower\" nor \"upper\" is there: expected one of them or both");
  if (table.lower()) part.lower = fields.number(at, "lower", *table.lower(), min, kMaxJointCoordinate);
  if (table.upper()) part.upper = fields.number(at, "upper", *table.upper(), min, kMaxJointCoordinate);
  if (part.lower > part.upper)
    fields.fail(
        at, "lower",
        to_text(part.lower) + " is above upper, " + to_text(part.upper) + ": allowed is at most that");
  part.limit_softness = read_softness(table.softness(), FieldPath{&at, "softness"}, fields);
}

void read_hold(const schema::JointHold& table, const FieldPath& at, JointAxisDef& part, SceneFields& fields) {
  if (part.axis == JointAxis::kSwing)
    fields.fail(at, {}, "the swing has none: allowed are limit and friction");
  part.has_drive = true;
  part.target = fields.number(at, "target", table.target(),
                              is_nonnegative(part.axis) ? 0.0 : -kMaxJointCoordinate, kMaxJointCoordinate);
  part.drive_softness = read_softness(table.softness(), FieldPath{&at, "softness"}, fields);
  if (table.max()) part.max_drive = fields.number(at, "max", *table.max(), 0, kMaxJointForce);
}

void read_motor(const schema::JointMotor& table, const FieldPath& at, JointAxisDef& part,
                SceneFields& fields) {
  if (part.axis == JointAxis::kSwing)
    fields.fail(at, {}, "the swing has none: allowed are limit and friction");
  part.speed = fields.number(at, "speed", table.speed(), -kMaxJointSpeed, kMaxJointSpeed);
  part.max_motor = fields.number(at, "max", table.max(), 0, kMaxJointForce);
}

}  // namespace

void write_canonical(const Softness& softness, FieldWriter& out) {
  out(softness.form());
  out(softness.first());
  out(softness.second());
}

Softness read_softness(const schema::Softness* table, const FieldPath& at, SceneFields& fields) {
  if (table == nullptr) return {};
  auto const there = [](const auto* form) { return form != nullptr ? 1 : 0; };
  int const forms = there(table->rigid()) + there(table->beta_gamma()) + there(table->erp_cfm()) +
                    there(table->spring()) + there(table->frequency());
  if (forms > 1)
    fields.fail(at, {},
                std::to_string(forms) +
                    " forms: allowed is at most one of rigid, beta_gamma, erp_cfm, spring and frequency");
  if (auto const* form = table->beta_gamma()) {
    FieldPath const here{&at, "beta_gamma"};
    double const beta = fields.number(here, "beta", form->beta(), 0, 1);
    return Softness::beta_gamma(beta, fields.number(here, "gamma", form->gamma(), 0, kMaxSoftness));
  }
  if (auto const* form = table->erp_cfm()) {
    FieldPath const here{&at, "erp_cfm"};
    double const erp = fields.number(here, "erp", form->erp(), 0, 1);
    return Softness::erp_cfm(erp, fields.number(here, "cfm", form->cfm(), 0, kMaxSoftness));
  }
  if (auto const* form = table->spring()) {
    FieldPath const here{&at, "spring"};
    double const stiffness = fields.number(here, "stiffness", form->stiffness(), 0, kMaxSoftness);
    return Softness::spring(stiffness, fields.number(here, "damping", form->damping(), 0, kMaxSoftness));
  }
  if (auto const* form = table->frequency()) {
    FieldPath const here{&at, "frequency"};
    double const hertz = fields.number(here, "hertz", form->hertz(), 0, kMaxSoftness);
    return Softness::frequency(hertz,
                               fields.number(here, "damping_ratio", form->damping_ratio(), 0, kMaxSoftness));
  }
  return {};
}

JointKind read_joint_kind(const FieldPath& at, schema::JointKind kind, SceneFields& fields) {
  if (kind < schema::JointKind::MIN || kind > schema::JointKind::MAX) {
    fields.fail(at, "kind",
                "unknown word: expected one of generic, point, revolute, prismatic, weld, distance, angle, "
                "wheel, parallel, motor, target, pulley, gear");
    return JointKind::kGeneric;
  }
  return static_cast<JointKind>(kind);  // the same values in both
}
static_assert(static_cast<int>(schema::JointKind::generic) == static_cast<int>(JointKind::kGeneric));
static_assert(static_cast<int>(schema::JointKind::distance) == static_cast<int>(JointKind::kDistance));
static_assert(static_cast<int>(schema::JointKind::MAX) == static_cast<int>(JointKind::kGear));

JointAxis read_joint_axis(const FieldPath& at, std::string_view name, schema::JointAxis axis,
                          SceneFields& fields) {
  if (axis > schema::JointAxis::MAX) {
    fields.fail(at, name,
                "unknown word: expected one of linear_x, linear_y, linear_z, angular_x, angular_y, "
                "angular_z, distance, swing");
    return JointAxis::kLinearX;
  }
  return static_cast<JointAxis>(axis);  // the same values in both
}
static_assert(static_cast<int>(schema::JointAxis::linear_x) == static_cast<int>(JointAxis::kLinearX));
static_assert(static_cast<int>(schema::JointAxis::angular_x) == static_cast<int>(JointAxis::kAngularX));
static_assert(static_cast<int>(schema::JointAxis::distance) == static_cast<int>(JointAxis::kDistance));
static_assert(static_cast<int>(schema::JointAxis::MAX) == static_cast<int>(JointAxis::kSwing));

void read_locked(const flatbuffers::Vector<schema::JointAxis>* list, const FieldPath& joint, JointDef& def,
                 SceneFields& fields) {
  if (list == nullptr) return;
  for (flatbuffers::uoffset_t i = 0; i < list->size() && fields.ok(); ++i) {
    FieldPath const at{&joint, "locked", i};
    JointAxis const axis = read_joint_axis(at, {}, list->Get(i), fields);
    if (axis > JointAxis::kAngularZ)
      fields.fail(at, {}, "neither distance nor swing can be locked: hold or limit it in axes");
    def.locked |= lock_of(axis);
  }
}

void read_axis_parts(const flatbuffers::Vector<flatbuffers::Offset<schema::JointAxisPart>>* list,
                     const FieldPath& joint, JointDef& def, SceneFields& fields) {
  if (list == nullptr) return;
  std::uint32_t seen = 0;
  for (flatbuffers::uoffset_t i = 0; i < list->size() && fields.ok(); ++i) {
    const schema::JointAxisPart& table = *list->Get(i);
    FieldPath const at{&joint, "axes", i};
    JointAxis const axis = read_joint_axis(at, "axis", table.axis(), fields);
    if ((seen & lock_of(axis)) != 0)
      fields.fail(at, "axis", "it is there already: allowed is each axis once");
    seen |= lock_of(axis);
    if ((def.locked & lock_of(axis)) != 0)
      fields.fail(at, "axis", "this joint locks it: allowed is one that moves");
    if (axis == JointAxis::kSwing && (def.locked & kLockAngular) != 0) {
      fields.fail(at, "axis", "this joint locks a turn: a swing needs all three free");
    }
    JointAxisDef& part = def.axis(axis);
    if (table.limit() != nullptr && (part.lower != -kUnbounded || part.upper != kUnbounded)) {
      fields.fail(at, "limit", "min_length and max_length have set it: leave one out");
    }
    if (table.hold() != nullptr && part.has_drive)
      fields.fail(at, "hold", "the kind of this joint has set it: write its length and softness instead");
    if (table.limit() != nullptr) read_limit(*table.limit(), FieldPath{&at, "limit"}, part, fields);
    if (table.hold() != nullptr) read_hold(*table.hold(), FieldPath{&at, "hold"}, part, fields);
    if (table.motor() != nullptr) read_motor(*table.motor(), FieldPath{&at, "motor"}, part, fields);
    part.friction = fields.number(at, "friction", table.friction(), 0, kMaxJointForce);
  }
}

void write_canonical(const SceneJoint& joint, FieldWriter& out) {
  const JointDef& def = joint.def;
  out(def.kind);
  out(static_cast<std::uint32_t>(joint.body_a));
  out(static_cast<std::uint32_t>(joint.body_b));
  out(joint.world.has_value());
  if (joint.world) {
    out(joint.world->anchor_a);
    out(joint.world->anchor_b);
    out(joint.world->rotation);
  } else {
    for (const JointFrame& frame : {def.frame_a, def.frame_b}) {
      out(frame.position_m);
      out(frame.rotation);
    }
  }
  out(def.locked);
  write_canonical(def.linear, out);
  write_canonical(def.angular, out);
  for (double const bound : {def.max_force_n, def.max_torque_n_m, def.break_force_n, def.break_torque_n_m})
    out(bound);
  out(def.axis_count);
  for (std::uint32_t i = 0; i < def.axis_count; ++i) {
    const JointAxisDef& part = def.axes[i];
    out(part.axis);
    write_canonical(part.limit_softness, out);
    out(part.has_drive);
    write_canonical(part.drive_softness, out);
    for (double const field :
         {part.lower, part.upper, part.target, part.max_drive, part.speed, part.max_motor, part.friction})
      out(field);
  }
  for (std::size_t const place : joint.coupled_joints) out(static_cast<std::uint32_t>(place));
  out(def.coupling.axis_1);
  out(def.coupling.axis_2);
  out(def.coupling.ratio);
  out(def.coupling.ground_a);
  out(def.coupling.ground_b);
  out(def.coupling.length_m);
  out(def.collide_connected);
  out(def.enabled);
  out(def.direct);
  out(def.user_tag);
}

}  // namespace takt::sim
