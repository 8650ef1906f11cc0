// Makers of shape and body definitions (takt/physics/body.h).
#include "takt/physics/body.h"

namespace takt {
namespace {

ShapeDef of_kind(ShapeKind kind) {
  ShapeDef shape;
  shape.kind = kind;
  return shape;
}

ShapeDef round_shape(ShapeKind kind, double radius_m, double half_length_m) {
  ShapeDef shape = of_kind(kind);
  shape.radius_m = radius_m;
  shape.half_length_m = half_length_m;
  return shape;
}

}  // namespace

ShapeDef ShapeDef::sphere(double radius_m) {
  ShapeDef shape = of_kind(ShapeKind::kSphere);
  shape.radius_m = radius_m;
  return shape;
}
ShapeDef ShapeDef::capsule(double radius_m, double half_length_m) {
  return round_shape(ShapeKind::kCapsule, radius_m, half_length_m);
}
ShapeDef ShapeDef::box(double half_x_m, double half_y_m, double half_z_m) {
  ShapeDef shape = of_kind(ShapeKind::kBox);
  shape.half_extents_m = {half_x_m, half_y_m, half_z_m};
  return shape;
}
ShapeDef ShapeDef::cylinder(double radius_m, double half_length_m) {
  return round_shape(ShapeKind::kCylinder, radius_m, half_length_m);
}
ShapeDef ShapeDef::cone(double radius_m, double half_length_m) {
  return round_shape(ShapeKind::kCone, radius_m, half_length_m);
}
ShapeDef ShapeDef::hull(std::span<const Vec3<double>> points_m) {
  ShapeDef shape = of_kind(ShapeKind::kHull);
  shape.hull_points_m = points_m;
  return shape;
}
ShapeDef ShapeDef::from_mesh(const MeshDef& mesh) {
  ShapeDef shape = of_kind(ShapeKind::kMesh);
  shape.mesh = &mesh;
  return shape;
}
ShapeDef ShapeDef::from_height_field(const HeightFieldDef& height_field) {
  ShapeDef shape = of_kind(ShapeKind::kHeightField);
  shape.height_field = &height_field;
  return shape;
}
ShapeDef ShapeDef::half_space() { return of_kind(ShapeKind::kHalfSpace); }

BodyDef BodyDef::make(BodyType type, const Position& position, std::span<const ShapeDef> shapes) {
  BodyDef body;
  body.type = type;
  body.position = position;
  body.shapes = shapes;
  return body;
}

}  // namespace takt
