#include "sim/scene/scene_shapes.h"

#include "sim/scene/scene_joint_parts.h"
#include "sim/scene/scene_surfaces.h"

namespace takt::sim {
namespace {

constexpr std::string_view kKinds =
    "sphere, capsule, box, half_space, cylinder, cone, hull, mesh, height_field";

int kind_count(const schema::Shape& table) {
  return (table.sphere() != nullptr) + (table.capsule() != nullptr) + (table.box() != nullptr) +
         (table.half_space() != nullptr) + (table.cylinder() != nullptr) + (table.cone() != nullptr) +
         (table.hull() != nullptr) + (table.mesh() != nullptr) + (table.height_field() != nullptr);
}

/// Radius and height of a cylinder or cone.
template <class Round>
void read_round(const Round& table, const FieldPath& at, SceneFields& fields, ShapeDef& shape) {
  shape.radius_m = fields.number(at, "radius", table.radius(), kMinExtentM, kMaxExtentM);
  shape.half_length_m = 0.5 * fields.number(at, "height", table.height(), 2 * kMinExtentM, 2 * kMaxExtentM);
}

void read_hull(const schema::Hull& table, const FieldPath& at, SceneFields& fields, ShapeDef& shape) {
  shape.kind = ShapeKind::kHull;
  auto const* const list = table.points();
  flatbuffers::uoffset_t const count = list != nullptr ? list->size() : 0;
  if (count < 4 || count > kMaxHullPoints) {
    fields.fail(at, list != nullptr ? "points" : "",
                "\"points\" has " + std::to_string(count) + " points: allowed are 4 to " +
                    std::to_string(kMaxHullPoints));
    return;
  }
  if (!is_aligned(*list)) {
    fields.fail(at, "points", kMisaligned);
    return;
  }
  std::vector<Vec3<double>> points;
  for (flatbuffers::uoffset_t i = 0; i < count && fields.ok(); ++i) {
    points.push_back(fields.vector({&at, "points", i}, {}, list->Get(i), {}, -kMaxExtentM, kMaxExtentM));
  }
  shape.hull_points_m = fields.keep(std::move(points));
  if (table.rounding() != 0.0)
    shape.rounding_m = fields.number(at, "rounding", table.rounding(), kMinRoundingM, kMaxExtentM);
  if (!fields.ok()) return;
  auto const volume = volume_m3(shape);  // only building it shows whether it is one
  if (!volume.ok()) fields.fail(at, "points", std::string(message(volume.error())));
}

}  // namespace

MixRule read_mix(const FieldPath& at, std::string_view name, schema::Mix mix, MixRule first,
                 SceneFields& fields) {
  auto const rule = static_cast<MixRule>(mix);  // the same values in both
  if (rule >= first && rule <= MixRule::kMaximum) return rule;
  std::string const words = "average, geometric_mean, minimum, multiply, maximum";
  fields.fail(at, name,
              "not a rule here: expected one of " + (first == MixRule::kWorld ? "world, " + words : words));
  return MixRule::kMaximum;
}
static_assert(static_cast<int>(schema::Mix::world) == static_cast<int>(MixRule::kWorld));
static_assert(static_cast<int>(schema::Mix::average) == static_cast<int>(MixRule::kAverage));
static_assert(static_cast<int>(schema::Mix::geometric_mean) == static_cast<int>(MixRule::kGeometricMean));
static_assert(static_cast<int>(schema::Mix::minimum) == static_cast<int>(MixRule::kMinimum));
static_assert(static_cast<int>(schema::Mix::multiply) == static_cast<int>(MixRule::kMultiply));
static_assert(static_cast<int>(schema::Mix::maximum) == static_cast<int>(MixRule::kMaximum));

ShapeDef read_shape(const schema::Shape& table, const FieldPath& at, BodyType type, SceneFields& fields) {
  ShapeDef shape;
  int const kinds = kind_count(table);
  if (kinds != 1)
    fields.fail(at, {},
                "a shape is exactly one of " + std::string(kKinds) + ", not " + std::to_string(kinds));
  if (table.sphere() != nullptr) {
    shape.kind = ShapeKind::kSphere;
    shape.radius_m =
        fields.number({&at, "sphere"}, "radius", table.sphere()->radius(), kMinExtentM, kMaxExtentM);
  } else if (table.capsule() != nullptr) {
    FieldPath const here{&at, "capsule"};
    shape.kind = ShapeKind::kCapsule;
    shape.radius_m = fields.number(here, "radius", table.capsule()->radius(), kMinExtentM, kMaxExtentM);
    shape.half_length_m =
        0.5 * fields.number(here, "length", table.capsule()->length(), 2 * kMinExtentM, 2 * kMaxExtentM);
  } else if (table.box() != nullptr) {
    FieldPath const here{&at, "box"};
    shape.kind = ShapeKind::kBox;
    shape.half_extents_m =
        fields.vector(here, "size", table.box()->size(), {1, 1, 1}, 2 * kMinExtentM, 2 * kMaxExtentM) * 0.5;
  } else if (table.half_space() != nullptr) {
    shape.kind = ShapeKind::kHalfSpace;
    if (type != BodyType::kStatic)
      fields.fail(at, "half_space", "a half-space has no mass: allowed on static bodies only");
  } else if (table.cylinder() != nullptr) {
    shape.kind = ShapeKind::kCylinder;
    read_round(*table.cylinder(), {&at, "cylinder"}, fields, shape);
  } else if (table.cone() != nullptr) {
    shape.kind = ShapeKind::kCone;
    read_round(*table.cone(), {&at, "cone"}, fields, shape);
  } else if (table.hull() != nullptr) {
    read_hull(*table.hull(), {&at, "hull"}, fields, shape);
  } else if (table.mesh() != nullptr) {
    if (type == BodyType::kDynamic)
      fields.fail(at, "mesh", "a mesh has no mass: allowed on static and kinematic bodies only");
    read_mesh(*table.mesh(), {&at, "mesh"}, fields, shape);
  } else if (table.height_field() != nullptr) {
    if (type != BodyType::kStatic)
      fields.fail(at, "height_field", "a height field has no mass: allowed on static bodies only");
    read_height_field(*table.height_field(), {&at, "height_field"}, fields, shape);
  }
  shape.local_position_m = fields.vector(at, "position", table.position(), {}, -kMaxExtentM, kMaxExtentM);
  shape.local_rotation = fields.rotation(at, table.rotation(), table.euler_degrees());
  shape.density_kg_m3 = fields.number(at, "density", table.density(), 0, 1e9);
  shape.friction = fields.number(at, "friction", table.friction(), 0, 100);
  shape.restitution = fields.number(at, "restitution", table.restitution(), 0, 1);
  shape.is_sensor = table.sensor();
  shape.friction_rule = read_mix(at, "friction_mix", table.friction_mix(), MixRule::kWorld, fields);
  shape.restitution_rule = read_mix(at, "restitution_mix", table.restitution_mix(), MixRule::kWorld, fields);
  shape.rolling_resistance = fields.number(at, "rolling_resistance", table.rolling_resistance(), 0, 100);
  shape.contact_softness = read_softness(table.softness(), {&at, "softness"}, fields);
  if (shape.contact_softness.is_idle())
    fields.fail(at, "softness", "a spring of 0 pushes nothing: give it a stiffness, or write sensor");
  shape.surface_velocity_m_s = fields.vector(at, "surface_velocity", table.surface_velocity(), {},
                                             -kMaxSurfaceSpeedMS, kMaxSurfaceSpeedMS);
  if (auto const* const filter = table.filter(); filter != nullptr)
    shape.filter = {filter->category(), filter->mask(), filter->group()};
  return shape;
}

std::vector<ShapeDef> read_shapes(const flatbuffers::Vector<flatbuffers::Offset<schema::Shape>>* list,
                                  const FieldPath& at, BodyType type, SceneFields& fields) {
  std::vector<ShapeDef> shapes;
  flatbuffers::uoffset_t const count = list != nullptr ? list->size() : 0;
  if (count == 0)
    fields.fail(
        at, {},
        "\"shapes\" is missing or empty: expected 1 to " + std::to_string(kMaxShapesPerBody) + " shapes");
  if (count > kMaxShapesPerBody)
    fields.fail(at, "shapes",
                std::to_string(count) + " shapes: allowed are " + std::to_string(kMaxShapesPerBody));
  for (flatbuffers::uoffset_t i = 0; i < count && fields.ok(); ++i) {
    shapes.push_back(read_shape(*list->Get(i), {&at, "shapes", i}, type, fields));
  }
  return shapes;
}

std::vector<std::string> read_shape_names(const flatbuffers::Vector<flatbuffers::Offset<schema::Shape>>* list,
                                          const FieldPath& at, SceneFields& fields) {
  std::vector<std::string> names;
  flatbuffers::uoffset_t const count = list != nullptr ? list->size() : 0;
  for (flatbuffers::uoffset_t i = 0; i < count && fields.ok(); ++i) {
    auto const* const name = list->Get(i)->name();
    if (name == nullptr || name->size() == 0) continue;
    if (name->size() > kMaxNameBytes) {
      FieldPath const shape{&at, "shapes", i};
      fields.fail(shape, "name", "too long: allowed are " + std::to_string(kMaxNameBytes) + " bytes");
    }
    names.resize(count);
    names[i] = name->str();
  }
  return names;
}

}  // namespace takt::sim
