#include "sim/scene_shapes.h"

namespace takt::sim {

ShapeDef read_shape(const schema::Shape& table, const FieldPath& at, BodyType type, SceneFields& fields) {
  ShapeDef shape;
  int const kinds = (table.sphere() != nullptr) + (table.capsule() != nullptr) + (table.box() != nullptr) + (table.half_space() != nullptr);
  if (kinds != 1) fields.fail(at, {}, "a shape is exactly one of sphere, capsule, box, half_space, not " + std::to_string(kinds));
  if (table.sphere() != nullptr) {
    shape.kind = ShapeKind::kSphere;
    shape.radius_m = fields.number({&at, "sphere"}, "radius", table.sphere()->radius(), kMinExtentM, kMaxExtentM);
  } else if (table.capsule() != nullptr) {
    FieldPath const here{&at, "capsule"};
    shape.kind = ShapeKind::kCapsule;
    shape.radius_m = fields.number(here, "radius", table.capsule()->radius(), kMinExtentM, kMaxExtentM);
    shape.half_length_m = 0.5 * fields.number(here, "length", table.capsule()->length(), 2 * kMinExtentM, 2 * kMaxExtentM);
  } else if (table.box() != nullptr) {
    FieldPath const here{&at, "box"};
    shape.kind = ShapeKind::kBox;
    shape.half_extents_m = fields.vector(here, "size", table.box()->size(), {1, 1, 1}, 2 * kMinExtentM, 2 * kMaxExtentM) * 0.5;
  } else if (table.half_space() != nullptr) {
    shape.kind = ShapeKind::kHalfSpace;
    if (type != BodyType::kStatic) fields.fail(at, "half_space", "a half-space has no mass: allowed on static bodies only");
  }
  shape.local_position_m = fields.vector(at, "position", table.position(), {}, -kMaxExtentM, kMaxExtentM);
  shape.local_rotation = fields.rotation(at, table.rotation(), table.euler_degrees());
  shape.density_kg_m3 = fields.number(at, "density", table.density(), 0, 1e9);
  shape.friction = fields.number(at, "friction", table.friction(), 0, 100);
  shape.restitution = fields.number(at, "restitution", table.restitution(), 0, 1);
  return shape;
}

std::vector<ShapeDef> read_shapes(const flatbuffers::Vector<flatbuffers::Offset<schema::Shape>>* list, const FieldPath& at, BodyType type,
                                  SceneFields& fields) {
  std::vector<ShapeDef> shapes;
  flatbuffers::uoffset_t const count = list != nullptr ? list->size() : 0;
  if (count == 0) fields.fail(at, {}, "\"shapes\" is missing or empty: expected 1 to " + std::to_string(kMaxShapesPerBody) + " shapes");
  if (count > kMaxShapesPerBody) fields.fail(at, "shapes", std::to_string(count) + " shapes: allowed are " + std::to_string(kMaxShapesPerBody));
  for (flatbuffers::uoffset_t i = 0; i < count && fields.ok(); ++i) {
    shapes.push_back(read_shape(*list->Get(i), {&at, "shapes", i}, type, fields));
  }
  return shapes;
}

}  // namespace takt::sim
