#include "sim/scene/scene_chains.h"

#include <algorithm>

#include "sim/scene/scene_assemblies.h"
#include "sim/scene/scene_joint_frames.h"
#include "sim/scene/scene_names.h"
#include "sim/state/metres.h"
#include "takt/physics/trigonometry.h"

namespace takt::sim {
namespace {

constexpr double kMaxM = kMaxSceneCoordinateM - 10'000;

double length_of(Vec3<double> v) { return root(dot(v, v)); }

std::optional<std::size_t> find_body(const flatbuffers::String* name, std::string_view field,
                                     const FieldPath& at, SceneFields& fields, const Scene& scene) {
  if (name == nullptr) return std::nullopt;
  NameMatch const found = find_name(scene.bodies, name->string_view());
  if (found.count == 1) return found.index;
  fields.fail(at, field,
              found.count == 0 ? "no body before it has the name \"" + name->str() + '"'
                               : ambiguous_name(found.count, name->string_view(), "body"));
  return std::nullopt;
}

// A link: its shape lies along the x axis of the body, z is across.
ShapeDef read_link(const schema::Chain& table, const FieldPath& at, double length_m, SceneFields& fields) {
  ShapeDef shape;
  double const thickness = fields.number(at, "thickness", table.thickness(), 0.02, 100);
  double const width = fields.number(at, "width", table.width(), 0, 1000);
  shape.density_kg_m3 = fields.number(at, "density", table.density(), 1e-6, 1e9);
  shape.friction = fields.number(at, "friction", table.friction(), 0, 100);
  shape.restitution = fields.number(at, "restitution", table.restitution(), 0, 1);
  if (width > 0) {
    if (!is_at_least(width, 2 * kMinExtentM))
      fields.fail(at, "width",
                  to_text(width) + " is too thin: allowed is 0, or at least " + to_text(2 * kMinExtentM));
    shape.half_extents_m = {0.5 * length_m, 0.5 * thickness, 0.5 * width};
    return shape;
  }
  shape.kind = ShapeKind::kCapsule;
  shape.radius_m = 0.5 * thickness;
  shape.half_length_m = 0.5 * (length_m - thickness);
  constexpr double kHalf = 0.70710678118654752440;
  shape.local_rotation = {0, 0, kHalf, kHalf};  // the capsule's y axis along x
  if (!is_at_least(computed(shape.half_length_m), kMinExtentM)) {
    fields.fail(at, "thickness",
                to_text(thickness) + " is too thick for links of " + to_text(length_m) +
                    " m: allowed is at most " + to_text(length_m - 2 * kMinExtentM));
  }
  return shape;
}

// Where links begin and end, one more than there are links: on a line, or on an arc of a circle below it.
std::vector<Vec3<double>> read_ends(const schema::Chain& table, const FieldPath& at, SceneFields& fields) {
  std::uint32_t const count = fields.count(at, "count", table.count(), 1, 10'000);
  Vec3<double> const start = fields.required_vector(at, "start", table.start(), -kMaxM, kMaxM);
  Vec3<double> const end = fields.required_vector(at, "end", table.end(), -kMaxM, kMaxM);
  if (!fields.ok()) return {};
  Vec3<double> const way = end - start;
  double const length = length_of(way);
  if (!is_between(computed(length), 4 * kMinExtentM * count, 1e5)) {
    fields.fail(at, "end",
                to_text(length) + " m from start: allowed are " + to_text(4 * kMinExtentM * count) +
                    " to 100000 for so many links");
    return {};
  }
  double const sag = table.sag() >= 0 && is_at_most(computed(table.sag()), 0.5 * length)
                         ? table.sag()
                         : fields.number(at, "sag", table.sag(), 0, 0.5 * length);
  Vec3<double> const x = way * (1.0 / length);
  Vec3<double> const below = Vec3<double>{0, -1, 0} + x * x.y;  // across the line, in its upright plane
  if (sag > 0 && length_of(below) < 0.01)
    fields.fail(at, "sag", "of an upright chain: allowed is one that leans, or no sag");
  if (!fields.ok()) return {};
  std::vector<Vec3<double>> ends;
  // A flatter arc is straight to 1e-5 of its length, and rounding at its large radius would move it as much:
  // at a sag of 1.5e-6 of the length, ends were off by 8e-6 of the length.
  if (sag < 1e-5 * length) {
    for (std::uint32_t i = 0; i <= count; ++i) ends.push_back(start + x * (length / count * i));
    return ends;
  }
  Vec3<double> const down = below * (1.0 / length_of(below));
  // The circle through both ends and the lowest point: its radius, and half of the angle that the chain has
  // of it.
  double const radius = (0.25 * length * length + sag * sag) / (2 * sag);
  double const half_angle = 2 * to_double(atan2(Fixed(2 * sag), Fixed(length)));
  Vec3<double> const middle = (start + end) * 0.5 + down * (sag - radius);
  for (std::uint32_t i = 0; i <= count; ++i) {
    auto const turn = sin_cos(Fixed(half_angle * (2.0 * i / count - 1.0)));
    ends.push_back(middle + x * (radius * to_double(turn.sin)) + down * (radius * to_double(turn.cos)));
  }
  return ends;
}

}  // namespace

void run_chain(const schema::Chain& table, const FieldPath& at, SceneFields& fields, Scene& scene) {
  std::string const name = read_generator_name(table.name(), "chain", at, fields);
  std::vector<Vec3<double>> const ends = read_ends(table, at, fields);
  if (!fields.ok()) return;
  std::uint32_t const count = table.count();
  ShapeDef const shape = read_link(table, at, length_of(ends[1] - ends[0]), fields);
  auto const from = find_body(table.from(), "from", at, fields, scene);
  auto const to = find_body(table.to(), "to", at, fields, scene);
  bool const planks = shape.kind == ShapeKind::kBox;
  Vec3<double> const way = ends.back() - ends.front();
  double const level = root(way.x * way.x + way.z * way.z);
  if (planks && level < 0.01 * length_of(way))
    fields.fail(at, "width", "planks of an upright chain: allowed is one that leans, or no width");
  if (!fields.ok()) return;
  Vec3<double> const across = planks ? Vec3<double>{-way.z / level, 0, way.x / level} : Vec3<double>{};
  std::size_t const first = scene.bodies.size();
  for (std::uint32_t i = 0; i < count && scene.bodies.size() <= kMaxSceneBodies; ++i) {
    Vec3<double> const link = ends[i + 1] - ends[i];
    Vec3<double> const x = link * (1.0 / length_of(link));
    SceneBody body;
    body.name = name + ' ' + std::to_string(i);
    body.def.position = fields.point(at, "end", (ends[i] + ends[i + 1]) * 0.5);
    body.def.rotation = planks ? from_x_and_z_axes(x, across) : from_x_axis(x);
    body.shapes.push_back(shape);
    scene.bodies.push_back(std::move(body));
  }
  auto const join = [&](std::size_t a, std::size_t b, std::uint32_t i) {
    SceneJoint joint;
    joint.name = name + ' ' + std::to_string(i);
    joint.def = planks ? revolute_joint({}, {}, {}, {}) : point_joint({}, {}, {}, {});
    joint.def.collide_connected = table.collide_connected();
    joint.def.direct = table.direct();
    joint.body_a = a;
    joint.body_b = b;
    Position const anchor = fields.point(at, "end", ends[i]);
    joint.world = SceneJoint::WorldFrames{
        anchor, anchor, planks ? from_x_axis(across) : Quat<double>{}};  // a hinge turns about its x axis
    scene.joints.push_back(std::move(joint));
  };
  if (scene.bodies.size() - first < count) return;  // too many: the caller says so
  if (from) join(*from, first, 0);
  for (std::uint32_t i = 1; i < count; ++i) join(first + i - 1, first + i, i);
  if (to) join(first + count - 1, *to, count);
}

void run_net(const schema::Net& table, const FieldPath& at, SceneFields& fields, Scene& scene) {
  std::string const name = read_generator_name(table.name(), "net", at, fields);
  std::uint32_t const columns = fields.count(at, "columns", table.columns(), 2, 100);
  std::uint32_t const rows = fields.count(at, "rows", table.rows(), 2, 100);
  std::uint32_t const segments = fields.count(at, "segments", table.segments(), 1, 64);
  Vec3<double> const origin = fields.vector(at, "origin", table.origin(), {}, -kMaxM, kMaxM);
  Vec3<double> const along = fields.required_vector(at, "along", table.along(), -1000, 1000);
  Vec3<double> const across = fields.required_vector(at, "across", table.across(), -1000, 1000);
  auto const check_length = [&](std::string_view field, Vec3<double> way) {
    if (!is_at_least(computed(length_of(way)), 0.1))
      fields.fail(at, field, to_text(length_of(way)) + " m long: allowed is 0.1 to 1000");
  };
  check_length("along", along);
  check_length("across", across);
  if (table.hold() > schema::NetHold::MAX)
    fields.fail(at, "hold", "unknown word: expected one of nothing, corners, edge");
  ShapeDef knot;
  knot.kind = ShapeKind::kSphere;
  knot.radius_m = fields.number(at, "knot_radius", table.knot_radius(), kMinExtentM, 10);
  double const volume_m3 = 4.18879020478639098462 * knot.radius_m * knot.radius_m * knot.radius_m;
  knot.density_kg_m3 = fields.number(at, "knot_mass", table.knot_mass(), 0.001, 1e6) / volume_m3;
  RopeDef rope_def;
  rope_def.radius_m = fields.number(at, "rope_radius", table.rope_radius(), kMinExtentM, 10);
  rope_def.linear_density_kg_m = fields.number(at, "linear_density", table.linear_density(), 0.001, 1e6);
  rope_def.drag_1_s = fields.number(at, "drag", table.drag(), 0, 1000);
  if (!fields.ok()) return;
  auto const is_held = [&](std::uint32_t row, std::uint32_t column) {
    bool const corner = (row == 0 || row == rows - 1) && (column == 0 || column == columns - 1);
    return table.hold() == schema::NetHold::edge ? row == 0
                                                 : table.hold() == schema::NetHold::corners && corner;
  };
  auto const place_of = [&](std::uint32_t row, std::uint32_t column) {
    return origin + across * row + along * column;
  };
  std::size_t const first = scene.bodies.size();
  for (std::uint32_t row = 0; row < rows; ++row) {
    for (std::uint32_t column = 0; column < columns; ++column) {
      SceneBody body;
      body.name = name + ' ' + std::to_string(row * columns + column);
      body.def.type = is_held(row, column) ? BodyType::kStatic : BodyType::kDynamic;
      body.def.linear_damping_1_s = rope_def.drag_1_s;
      body.def.position = fields.point(at, "along", place_of(row, column));
      body.shapes.push_back(knot);
      scene.bodies.push_back(std::move(body));
    }
  }
  auto const tie = [&](std::uint32_t index, Vec3<double> begin, Vec3<double> step, std::uint32_t knots,
                       auto&& knot_place) {
    SceneRope rope;
    rope.name = name + ' ' + std::to_string(index);
    rope.def = rope_def;
    rope.def.node_count = (knots - 1) * segments + 1;
    rope.def.start = fields.point(at, "along", begin);
    rope.def.end = fields.point(at, "along", begin + step * (knots - 1));
    for (std::uint32_t i = 0; i < knots; ++i) {
      RopePin pin;
      pin.node = i * segments;
      rope.pins.push_back(pin);
      rope.pin_bodies.emplace_back(first + knot_place(i));
    }
    scene.ropes.push_back(std::move(rope));
  };
  for (std::uint32_t row = 0; row < rows; ++row) {
    tie(row, place_of(row, 0), along, columns,
        [&](std::uint32_t i) { return std::size_t{row} * columns + i; });
  }
  for (std::uint32_t column = 0; column < columns; ++column) {
    tie(rows + column, place_of(0, column), across, rows,
        [&](std::uint32_t i) { return std::size_t{i} * columns + column; });
  }
}

}  // namespace takt::sim
