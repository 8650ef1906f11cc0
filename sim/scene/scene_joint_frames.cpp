#include "sim/scene/scene_joint_frames.h"

#include "sim/state/metres.h"

namespace takt::sim {
namespace {

double length_of(Vec3<double> v) { return root(dot(v, v)); }

Quat<double> unit(Quat<double> q) {
  double const scale = 1.0 / root(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  return {q.x * scale, q.y * scale, q.z * scale, q.w * scale};
}

Vec3<double> read_axis(const FieldPath& at, std::string_view name, const schema::Vec3& value,
                       SceneFields& fields) {
  Vec3<double> const axis = fields.vector(at, name, &value, {}, -2, 2);
  double const length = length_of(axis);
  if (is_between(computed(length), 0.99, 1.01)) return axis * (1.0 / length);
  fields.fail(at, name, "its length is " + to_text(length) + ": allowed is 1 within 1 %");
  return {1, 0, 0};
}

Quat<double> read_world_rotation(const schema::Joint& table, const FieldPath& at, SceneFields& fields) {
  if (table.euler_degrees() != nullptr) {
    if (table.axis() != nullptr || table.axis_z() != nullptr) {
      fields.fail(at, "euler_degrees",
                  "there is an axis too: allowed is one of euler_degrees, and axis with axis_z");
    }
    return fields.rotation(at, nullptr, table.euler_degrees());
  }
  Vec3<double> const x =
      table.axis() != nullptr ? read_axis(at, "axis", *table.axis(), fields) : Vec3<double>{1, 0, 0};
  if (table.axis_z() == nullptr) return from_x_axis(x);
  Vec3<double> const z = read_axis(at, "axis_z", *table.axis_z(), fields);
  double const slant = dot(x, z);
  if (!(slant >= -0.01 && slant <= 0.01)) {
    fields.fail(at, "axis_z",
                "its part along axis is " + to_text(slant) + ": allowed is -0.01 to 0.01, a right angle");
    return {};
  }
  Vec3<double> const square = z - x * slant;
  return from_x_and_z_axes(x, square * (1.0 / length_of(square)));
}

JointFrame read_frame(const schema::JointFrame& table, const FieldPath& at, SceneFields& fields) {
  return {fields.vector(at, "position", table.position(), {}, -kMaxExtentM, kMaxExtentM),
          fields.rotation(at, table.rotation(), table.euler_degrees())};
}

}  // namespace

Quat<double> from_x_axis(Vec3<double> x) noexcept {
  // Half of the way round would divide by nothing: from x's other end instead, after half a turn about z.
  if (x.x < 0) return from_x_axis(x * -1.0) * Quat<double>{0, 0, 1, 0};
  return unit({0, -x.z, x.y, 1.0 + x.x});  // cross((1, 0, 0), x) and 1 + dot
}

Quat<double> from_x_and_z_axes(Vec3<double> x, Vec3<double> z) noexcept {
  Quat<double> const first = from_x_axis(x);
  // The remaining rotation is about the new x axis, by the angle of z in the plane across it.
  Vec3<double> const left = rotate_inverse(first, z);  // (0, -sin, cos)
  if (left.z < 0) return first * Quat<double>{1, 0, 0, 0} * unit({left.y, 0, 0, 1.0 - left.z});
  return first * unit({-left.y, 0, 0, 1.0 + left.z});
}

void read_joint_frames(const schema::Joint& table, const FieldPath& at, SceneJoint& joint,
                       SceneFields& fields) {
  bool const in_world = table.anchor() != nullptr || table.anchor_b() != nullptr || table.axis() != nullptr ||
                        table.axis_z() != nullptr || table.euler_degrees() != nullptr;
  bool const on_bodies = table.frame_a() != nullptr || table.frame_b() != nullptr;
  if (joint.def.kind == JointKind::kGear) {
    if (in_world || on_bodies)
      fields.fail(at, {}, "a gear has no anchor, axis or frame: it goes by those of its joints");
    return;
  }
  if (in_world && on_bodies)
    fields.fail(at, {},
                "it has frames in the world and on a body: allowed is one of anchor with axis, and frame_a "
                "with frame_b");
  if (on_bodies) {
    if (table.frame_a() == nullptr) fields.fail(at, {}, "\"frame_a\" is missing: frame_b goes with it");
    if (table.frame_b() == nullptr) fields.fail(at, {}, "\"frame_b\" is missing: frame_a goes with it");
    if (!fields.ok()) return;
    joint.def.frame_a = read_frame(*table.frame_a(), FieldPath{&at, "frame_a"}, fields);
    joint.def.frame_b = read_frame(*table.frame_b(), FieldPath{&at, "frame_b"}, fields);
    return;
  }
  if (table.anchor() == nullptr)
    fields.fail(at, {}, "\"anchor\" is missing, or \"frame_a\" and \"frame_b\": expected [x, y, z]");
  SceneJoint::WorldFrames frames;
  auto const point = [&](std::string_view name, const schema::Vec3* value) {
    return fields.point(at, name,
                        fields.vector(at, name, value, {}, -kMaxSceneCoordinateM, kMaxSceneCoordinateM));
  };
  frames.anchor_a = point("anchor", table.anchor());
  frames.anchor_b = table.anchor_b() != nullptr ? point("anchor_b", table.anchor_b()) : frames.anchor_a;
  frames.rotation = read_world_rotation(table, at, fields);
  joint.world = frames;
}

}  // namespace takt::sim
