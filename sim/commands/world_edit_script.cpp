#include "sim/commands/world_edit_script.h"

#include <string>

#include "sim/commands/joint_script.h"
#include "sim/scene/mover_tuning_fields.h"
#include "sim/scene/scene_joint_parts.h"
#include "sim/scene/scene_ropes.h"
#include "sim/state/byte_fields.h"

namespace takt::sim {
namespace {

constexpr double kMaxM = 2e9;  // Q31.32's range

template <class T, class Value>
void take(std::optional<T>& field, const Value& value) {
  if (value) field = *value;
}

BodyType read_type(const FieldPath& at, schema::BodyType type, SceneFields& fields) {
  switch (type) {
    case schema::BodyType::dynamic: return BodyType::kDynamic;
    case schema::BodyType::kinematic: return BodyType::kKinematic;
    case schema::BodyType::static_: return BodyType::kStatic;
  }
  fields.fail(at, "type", "unknown word: expected one of dynamic, kinematic, static");
  return BodyType::kStatic;
}

double read_bound(const FieldPath& at, std::string_view name, flatbuffers::Optional<double> value,
                  SceneFields& fields) {
  return value ? fields.number(at, name, *value, 0, kMaxJointForce) : kUnbounded;
}

Position read_point(const FieldPath& at, std::string_view name, const schema::Vec3* value,
                    SceneFields& fields) {
  Vec3<double> const point = fields.vector(at, name, value, {}, -kMaxM, kMaxM);
  return Position::from_metres(point.x, point.y, point.z);
}

ShapeFilter read_filter(const schema::Filter& filter) noexcept {
  return {filter.category(), filter.mask(), filter.group()};
}

// The table has the slope in radians.
template <class Table>
MoverTuning read_tuning(const Table& table, const FieldPath& at, SceneFields& fields) {
  MoverTuning tuning;
  tuning.max_slope_rad = fields.number(at, "max_slope", table.max_slope(), 0, 1.4);
  read_mover_tuning_fields(table, at, fields, tuning);
  return tuning;
}

PinnedNode read_pin(const schema::PinInput& table, const FieldPath& at, const BodyByText& body,
                    SceneFields& fields) {
  PinnedNode pin;
  pin.node = table.node();
  if (table.body() != nullptr) pin.body = body(table.body(), at);
  pin.local_anchor_m = fields.vector(at, "anchor", table.anchor(), {}, -2 * kMaxExtentM, 2 * kMaxExtentM);
  if (table.target() != nullptr) pin.target = read_point(at, "target", table.target(), fields);
  return pin;
}

}  // namespace

ChangeBodyCommand read_body_change(const schema::ChangeBodyInput& table, const FieldPath& at, BodyId body,
                                   SceneFields& fields) {
  ChangeBodyCommand change;
  change.body = body;
  if (table.type()) change.type = read_type(at, *table.type(), fields);
  take(change.enabled, table.enabled());
  if (table.locked() != nullptr) {
    JointDef locks;
    read_locked(table.locked(), at, locks, fields);
    change.locked_axes = locks.locked;  // the same bits
  }
  if (table.gravity_scale())
    change.gravity_scale = fields.number(at, "gravity_scale", *table.gravity_scale(), -1000, 1000);
  if (table.damping() != nullptr) {
    FieldPath const here{&at, "damping"};
    double const linear = fields.number(here, "linear", table.damping()->linear(), 0, 1000);
    double const angular = fields.number(here, "angular", table.damping()->angular(), 0, 1000);
    change.damping = ChangeBodyCommand::Damping{linear, angular};
  }
  take(change.user_tag, table.user_tag());
  return change;
}
static_assert(kLockLinearX == lock_of(JointAxis::kLinearX) && kLockAngularZ == lock_of(JointAxis::kAngularZ));

ChangeShapeCommand read_shape_change(const schema::ChangeShapeInput& table, const FieldPath& at,
                                     ShapeId shape, SceneFields& fields) {
  ChangeShapeCommand change;
  change.shape = shape;
  if (const auto* filter = table.filter()) change.filter = read_filter(*filter);
  if (table.friction()) change.friction = fields.number(at, "friction", *table.friction(), 0, 100);
  if (table.restitution()) change.restitution = fields.number(at, "restitution", *table.restitution(), 0, 1);
  if (table.surface_velocity() != nullptr)
    change.surface_velocity_m_s = fields.vector(at, "surface_velocity", table.surface_velocity(), {},
                                                -kMaxSurfaceSpeedMS, kMaxSurfaceSpeedMS);
  return change;
}

TuneMoverCommand read_mover_tuning(const schema::TuneMoverInput& table, const FieldPath& at, BodyId body,
                                   SceneFields& fields) {
  return {body, read_tuning(table, at, fields)};
}

CreateMoverCommand read_new_mover(const schema::CreateMoverInput& table, const FieldPath& at,
                                  SceneFields& fields) {
  CreateMoverCommand command;
  MoverDef& def = command.def;
  Vec3<double> const place = fields.required_vector(at, "position", table.position(), -kMaxM, kMaxM);
  def.position = Position::from_metres(place.x, place.y, place.z);
  def.heading_rad = fields.number(at, "heading", table.heading(), -1000, 1000);
  def.radius_m = fields.number(at, "radius", table.radius(), kMinExtentM, 100);
  def.half_length_m = fields.number(at, "half_length", table.half_length(), kMinExtentM, 100);
  def.friction = fields.number(at, "friction", table.friction(), 0, 100);
  def.restitution = fields.number(at, "restitution", table.restitution(), 0, 1);
  if (const auto* filter = table.filter()) def.filter = read_filter(*filter);
  def.user_tag = table.user_tag();
  def.tuning = read_tuning(table, at, fields);
  return command;
}

CreateJointCommand read_new_joint(const schema::CreateJointInput& table, const FieldPath& at, JointDef def,
                                  SceneFields& fields) {
  def.kind = read_joint_kind(at, table.kind(), fields);
  if (table.frame_a() != nullptr)
    def.frame_a = read_joint_frame(*table.frame_a(), FieldPath{&at, "frame_a"}, fields);
  if (table.frame_b() != nullptr)
    def.frame_b = read_joint_frame(*table.frame_b(), FieldPath{&at, "frame_b"}, fields);
  read_locked(table.locked(), at, def, fields);
  def.linear = read_softness(table.linear(), FieldPath{&at, "linear"}, fields);
  def.angular = read_softness(table.angular(), FieldPath{&at, "angular"}, fields);
  def.max_force_n = read_bound(at, "max_force", table.max_force(), fields);
  def.max_torque_n_m = read_bound(at, "max_torque", table.max_torque(), fields);
  def.break_force_n = read_bound(at, "break_force", table.break_force(), fields);
  def.break_torque_n_m = read_bound(at, "break_torque", table.break_torque(), fields);
  read_axis_parts(table.axes(), at, def, fields);
  def.coupling.axis_1 = read_joint_axis(at, "axis_1", table.axis_1(), fields);
  def.coupling.axis_2 = read_joint_axis(at, "axis_2", table.axis_2(), fields);
  def.coupling.ratio = fields.number(at, "ratio", table.ratio(), -1e6, 1e6);
  def.coupling.ground_a = read_point(at, "ground_a", table.ground_a(), fields);
  def.coupling.ground_b = read_point(at, "ground_b", table.ground_b(), fields);
  def.coupling.length_m = fields.number(at, "length", table.length(), 0, kMaxJointCoordinate);
  def.collide_connected = table.collide_connected();
  def.enabled = table.enabled();
  def.direct = table.direct();
  def.user_tag = table.user_tag();
  return CreateJointCommand::of(def);
}

CreateRopeCommand read_new_rope(const schema::CreateRopeInput& table, const FieldPath& at,
                                const BodyByText& body, SceneFields& fields) {
  CreateRopeCommand command;
  if (table.rope() == nullptr) {
    fields.fail(at, {},
                "\"rope\" is missing: expected {\"start\": [...], \"end\": [...]} or {\"points\": [...]}");
    return command;
  }
  FieldPath const here{&at, "rope"};
  if (table.rope()->name() != nullptr)
    fields.fail(here, "name", "a command cannot name a rope: only ropes of the scene have names");
  if (table.rope()->pins() != nullptr)
    fields.fail(here, "pins", "the pins of a command stand beside the rope: write \"pins\" there");
  SceneRope rope = read_rope(*table.rope(), here, {}, fields);
  command.def = rope.def;
  command.points = std::move(rope.points);
  if (table.pins() != nullptr && table.pins()->size() > kMaxDecodedElements)
    fields.fail(at, "pins",
                std::to_string(table.pins()->size()) + " of them: a recording has at most " +
                    std::to_string(kMaxDecodedElements));
  for (flatbuffers::uoffset_t i = 0; table.pins() != nullptr && i < table.pins()->size() && fields.ok(); ++i)
    command.pins.push_back(read_pin(*table.pins()->Get(i), FieldPath{&at, "pins", i}, body, fields));
  return command;
}

ChangeRopeCommand read_rope_change(const schema::ChangeRopeInput& table, const FieldPath& at, RopeId rope,
                                   const BodyByText& body, SceneFields& fields) {
  ChangeRopeCommand change;
  change.rope = rope;
  if (table.segment_length())
    change.segment_length_m = fields.number(at, "segment_length", *table.segment_length(), kMinExtentM, 1000);
  if (table.pin() != nullptr) change.pin = read_pin(*table.pin(), FieldPath{&at, "pin"}, body, fields);
  take(change.released_node, table.released_node());
  return change;
}

}  // namespace takt::sim
