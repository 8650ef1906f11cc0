#include "sim/scene/scene_joints.h"

#include <algorithm>
#include <map>

#include "sim/scene/scene_joint_frames.h"
#include "sim/scene/scene_joint_parts.h"
#include "sim/scene/scene_names.h"
#include "sim/state/metres.h"

namespace takt::sim {
namespace {

constexpr double kMinLengthM = 0.001;
constexpr double kMaxRatio = 1e6;

using Names = std::map<std::string_view, NameMatch>;

std::string in_quotes(std::string_view name) { return '"' + std::string(name) + '"'; }

// The index of a named body or joint; 0 after a fault.
std::size_t find(const FieldPath& at, std::string_view field, const flatbuffers::String* name,
                 const Names& names, std::string_view what, SceneFields& fields) {
  if (name == nullptr) {
    fields.fail(at, {}, in_quotes(field) + " is missing: expected the name of a " + std::string(what));
    return 0;
  }
  auto const found = names.find(name->string_view());
  if (found == names.end()) {
    fields.fail(at, field, "no " + std::string(what) + " has the name " + in_quotes(name->string_view()));
    return 0;
  }
  if (found->second.count > 1)
    fields.fail(at, field, ambiguous_name(found->second.count, name->string_view(), what));
  return found->second.index;
}

// Fields that only some kinds have, with those kinds.
void refuse_foreign_fields(const schema::Joint& table, const FieldPath& at, JointKind kind,
                           SceneFields& fields) {
  auto const only = [&](bool is_set, bool allowed, std::string_view name, std::string_view kinds) {
    if (is_set && !allowed) fields.fail(at, name, "only for the kind " + std::string(kinds));
  };
  bool const gear = kind == JointKind::kGear;
  bool const pulley = kind == JointKind::kPulley;
  bool const distance = kind == JointKind::kDistance;
  bool const wheel = kind == JointKind::kWheel;
  only(table.locked() != nullptr, kind == JointKind::kGeneric, "locked", "generic");
  only(table.softness() != nullptr, distance || wheel, "softness",
       "distance or wheel: linear and angular are for the others");
  only(table.length().has_value(), distance || pulley, "length", "distance or pulley");
  only(table.min_length().has_value(), distance, "min_length", "distance");
  only(table.max_length().has_value(), distance, "max_length", "distance");
  only(table.steers(), wheel, "steers", "wheel");
  only(table.ground_a() != nullptr, pulley, "ground_a", "pulley");
  only(table.ground_b() != nullptr, pulley, "ground_b", "pulley");
  only(table.joint_1() != nullptr, gear, "joint_1", "gear");
  only(table.joint_2() != nullptr, gear, "joint_2", "gear");
  only(table.axis_1() != schema::JointAxis::angular_x, gear, "axis_1", "gear");
  only(table.axis_2() != schema::JointAxis::angular_x, gear, "axis_2", "gear");
  only(table.ratio() != 1, gear || pulley, "ratio", "gear or pulley");
  if ((gear || pulley) && table.axes() != nullptr)
    fields.fail(at, "axes", "a gear or pulley has none: leave it out");
}

double distance_m(const Position& a, const Position& b) {
  Vec3<double> const way = relative_m(a, b);
  return root(dot(way, way));
}

void read_distance(const schema::Joint& table, const FieldPath& at, SceneJoint& joint, SceneFields& fields) {
  auto const length = table.length();
  auto const min = table.min_length();
  auto const max = table.max_length();
  bool const ranged = min.has_value() || max.has_value();
  if (ranged) {
    double const low = min ? fields.number(at, "min_length", *min, 0, kMaxJointCoordinate) : 0.0;
    double const high =
        max ? fields.number(at, "max_length", *max, kMinLengthM, kMaxJointCoordinate) : kUnbounded;
    if (low > high)
      fields.fail(at, "min_length",
                  to_text(low) + " is above max_length, " + to_text(high) + ": allowed is at most that");
    joint.def.limit(JointAxis::kDistance, low, high);
  }
  if (ranged && !length && table.softness() == nullptr) return;  // a rope: nothing pulls within
  if (!length && !joint.world)
    fields.fail(at, {}, "\"length\" is missing: with frame_a and frame_b it must be there");
  double const held = length        ? *length
                      : joint.world ? distance_m(joint.world->anchor_a, joint.world->anchor_b)
                                    : kMinLengthM;
  joint.def.drive(JointAxis::kDistance, fields.number(at, "length", held, kMinLengthM, kMaxJointCoordinate),
                  read_softness(table.softness(), FieldPath{&at, "softness"}, fields));
}

void read_pulley(const schema::Joint& table, const FieldPath& at, SceneJoint& joint, SceneFields& fields) {
  JointCoupling& c = joint.def.coupling;
  auto const ground = [&](std::string_view name, const schema::Vec3* value) {
    return fields.point(at, name,
                        fields.required_vector(at, name, value, -kMaxSceneCoordinateM, kMaxSceneCoordinateM));
  };
  c.ground_a = ground("ground_a", table.ground_a());
  c.ground_b = ground("ground_b", table.ground_b());
  c.ratio = fields.number(at, "ratio", table.ratio(), 1e-6, kMaxRatio);
  double length = kMinLengthM;
  if (table.length()) {
    length = *table.length();
  } else if (joint.world) {
    length = distance_m(joint.world->anchor_a, c.ground_a) +
             c.ratio * distance_m(joint.world->anchor_b, c.ground_b);
  } else {
    fields.fail(at, {}, "\"length\" is missing: with frame_a and frame_b it must be there");
  }
  c.length_m = fields.number(at, "length", length, kMinLengthM, kMaxJointCoordinate);
}

void read_gear(const schema::Joint& table, const FieldPath& at, std::span<const SceneJoint> before,
               const Names& names, SceneJoint& joint, SceneFields& fields) {
  JointCoupling& c = joint.def.coupling;
  auto const tied = [&](std::string_view field, const flatbuffers::String* name, std::string_view axis_field,
                        schema::JointAxis word, JointAxis& axis) {
    std::size_t const place = find(at, field, name, names, "joint before it", fields);
    axis = read_joint_axis(at, axis_field, word, fields);
    if (!fields.ok()) return place;
    const JointDef& def = before[place].def;
    if (def.kind == JointKind::kGear || def.kind == JointKind::kPulley)
      fields.fail(at, field, "it is a gear or a pulley: allowed are the other kinds");
    if (axis > JointAxis::kAngularZ)
      fields.fail(at, axis_field, "neither distance nor swing can be geared: allowed are the first six");
    if ((def.locked & lock_of(axis)) != 0)
      fields.fail(at, axis_field, "it is locked in that joint: allowed is one that moves");
    if (axis > JointAxis::kLinearZ && (def.locked & kLockAngular) == 0)
      fields.fail(at, axis_field,
                  "that joint locks no turn, so this angle does not count turns: allowed are lengths, and "
                  "angles of joints that lock a turn");
    return place;
  };
  joint.coupled_joints = {tied("joint_1", table.joint_1(), "axis_1", table.axis_1(), c.axis_1), 0};
  joint.coupled_joints[1] = tied("joint_2", table.joint_2(), "axis_2", table.axis_2(), c.axis_2);
  c.ratio = fields.number(at, "ratio", table.ratio(), -kMaxRatio, kMaxRatio);
  if (c.ratio == 0) fields.fail(at, "ratio", "0 is out of range: allowed is -1e+06 to 1e+06, but not 0");
  if (joint.coupled_joints[0] == joint.coupled_joints[1] && c.axis_1 == c.axis_2) {
    fields.fail(at, "joint_2",
                "it ties a coordinate to itself: allowed is another joint, or another axis of the same");
  }
}

// Refuses properties of locked coordinates that the joint does not have: they would do nothing.
void refuse_idle_fields(const schema::Joint& table, const FieldPath& at, const JointDef& def,
                        SceneFields& fields) {
  bool const gear = def.kind == JointKind::kGear;
  bool const length = def.kind == JointKind::kPulley || (gear && def.coupling.axis_1 <= JointAxis::kLinearZ);
  auto const needs = [&](bool is_set, std::uint8_t locks, std::string_view name, std::string_view word) {
    if (!is_set || (def.locked & locks) != 0) return;
    if (gear || length) {
      bool const acts = length == (locks == kLockLinear);
      std::string const other = length ? "\"linear\" and \"max_force\"" : "\"angular\" and \"max_torque\"";
      if (!acts)
        fields.fail(at, name,
                    std::string("what it ties first is ") + (length ? "a length" : "an angle") +
                        ": allowed are " + other);
      return;
    }
    fields.fail(
        at, name,
        "this joint locks no " + std::string(word) +
            " coordinate: leave it out, or write a softness or bound of the length or axis that is meant");
  };
  needs(table.linear() != nullptr, kLockLinear, "linear", "linear");
  needs(table.angular() != nullptr, kLockAngular, "angular", "angular");
  needs(table.max_force().has_value(), kLockLinear, "max_force", "linear");
  needs(table.max_torque().has_value(), kLockAngular, "max_torque", "angular");
}

double read_bound(const FieldPath& at, std::string_view name, flatbuffers::Optional<double> value, double min,
                  SceneFields& fields) {
  if (!value) return kUnbounded;
  if (min > 0 && !(*value > 0))
    fields.fail(at, name, to_text(*value) + " is out of range: allowed is above 0 and at most 1e+15");
  return fields.number(at, name, *value, min > 0 ? 0 : min, kMaxJointForce);
}

void read_bodies(const schema::Joint& table, const FieldPath& at, std::span<const SceneBody> bodies,
                 std::span<const SceneJoint> before, const Names& names, SceneJoint& joint,
                 SceneFields& fields) {
  bool const gear = joint.def.kind == JointKind::kGear;
  bool const geared = gear && fields.ok();
  joint.body_a = geared && table.a() == nullptr
                     ? before[joint.coupled_joints[0]].body_b
                     : find(at, "a", table.a(), names, "body of this scene", fields);
  joint.body_b = geared && table.b() == nullptr
                     ? before[joint.coupled_joints[1]].body_b
                     : find(at, "b", table.b(), names, "body of this scene", fields);
  if (!fields.ok()) return;
  if (!gear && joint.body_a == joint.body_b)
    fields.fail(at, "b", "it is the body of a too: a joint holds two different bodies");
  auto const moves = [&](std::size_t i) {
    return !bodies[i].mover && bodies[i].def.type == BodyType::kDynamic;
  };
  if (!moves(joint.body_a) && !moves(joint.body_b))
    fields.fail(at, {}, "neither a nor b is dynamic: one of the two must be");
}

// The definition that the engine's maker of the kind gives, without frames and bodies.
JointDef made(const schema::Joint& table, const FieldPath& at, JointKind kind, SceneFields& fields) {
  JointFrame const f{};
  switch (kind) {
    case JointKind::kPoint: return point_joint({}, {}, f, f);
    case JointKind::kRevolute: return revolute_joint({}, {}, f, f);
    case JointKind::kPrismatic: return prismatic_joint({}, {}, f, f);
    case JointKind::kWeld: return weld_joint({}, {}, f, f);
    case JointKind::kAngle: return angle_joint({}, {}, f, f);
    case JointKind::kWheel:
      return wheel_joint({}, {}, f, f, read_softness(table.softness(), FieldPath{&at, "softness"}, fields),
                         table.steers());
    case JointKind::kParallel: return parallel_joint({}, {}, f, f);
    case JointKind::kMotor: return motor_joint({}, {}, f, f, {}, kUnbounded, kUnbounded);
    case JointKind::kTarget: return target_joint({}, {}, f, f, {}, kUnbounded);
    case JointKind::kPulley: return pulley_joint({}, {}, f, f, {}, {}, 0);
    case JointKind::kGear: return gear_joint({}, {}, {}, JointAxis::kAngularX, {}, JointAxis::kAngularX, 1);
    case JointKind::kGeneric:
    case JointKind::kDistance: break;
  }
  JointDef def;
  def.kind = kind;
  return def;
}

SceneJoint read_joint(const schema::Joint& table, const FieldPath& at, std::span<const SceneBody> bodies,
                      std::span<const SceneJoint> before, const Names& body_names, const Names& joint_names,
                      SceneFields& fields) {
  SceneJoint joint;
  if (table.name() != nullptr) joint.name = table.name()->str();
  if (joint.name.size() > kMaxNameBytes)
    fields.fail(at, "name", "too long: allowed are " + std::to_string(kMaxNameBytes) + " bytes");
  JointKind const kind = read_joint_kind(at, table.kind(), fields);
  refuse_foreign_fields(table, at, kind, fields);
  joint.def = made(table, at, kind, fields);
  if (kind == JointKind::kGear) read_gear(table, at, before, joint_names, joint, fields);
  read_bodies(table, at, bodies, before, body_names, joint, fields);
  read_joint_frames(table, at, joint, fields);
  if (kind == JointKind::kDistance) read_distance(table, at, joint, fields);
  if (kind == JointKind::kPulley) read_pulley(table, at, joint, fields);
  JointDef& def = joint.def;
  read_locked(table.locked(), at, def, fields);
  refuse_idle_fields(table, at, def, fields);
  def.linear = read_softness(table.linear(), FieldPath{&at, "linear"}, fields);
  def.angular = read_softness(table.angular(), FieldPath{&at, "angular"}, fields);
  read_axis_parts(table.axes(), at, def, fields);
  if (kind == JointKind::kGeneric && def.locked == 0 && def.axis_count == 0) {
    fields.fail(at, {}, "it does nothing: write another kind than generic, or what is locked, or axes");
  }
  def.max_force_n = read_bound(at, "max_force", table.max_force(), 0, fields);
  def.max_torque_n_m = read_bound(at, "max_torque", table.max_torque(), 0, fields);
  def.break_force_n = read_bound(at, "break_force", table.break_force(), 1, fields);
  def.break_torque_n_m = read_bound(at, "break_torque", table.break_torque(), 1, fields);
  if (table.collide_connected()) def.collide_connected = *table.collide_connected();
  def.enabled = table.enabled();
  def.direct = table.direct();
  def.user_tag = table.user_tag();
  return joint;
}

}  // namespace

void read_joints(const flatbuffers::Vector<flatbuffers::Offset<schema::Joint>>& tables, const FieldPath& root,
                 std::span<const SceneBody> bodies, SceneFields& fields, std::vector<SceneJoint>& joints) {
  Names body_names;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (!bodies[i].name.empty()) body_names[bodies[i].name].note(i);
  }
  std::size_t const generated = joints.size();
  joints.reserve(generated + tables.size());  // so that names stay where they are
  Names joint_names;
  auto const note = [&](std::size_t i) {
    if (!joints[i].name.empty()) joint_names[joints[i].name].note(i);
  };
  for (std::size_t i = 0; i < generated; ++i) note(i);
  for (flatbuffers::uoffset_t i = 0; i < tables.size() && fields.ok(); ++i) {
    joints.push_back(read_joint(*tables.Get(i), FieldPath{&root, "joints", i}, bodies, joints, body_names,
                                joint_names, fields));
    note(joints.size() - 1);
  }
}

}  // namespace takt::sim
