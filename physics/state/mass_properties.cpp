#include "physics/state/mass_properties.h"

#include "physics/geometry/mesh_geometry.h"
#include "physics/state/definition_check.h"
#include "takt/core/assert.h"
#include "takt/physics/float_control.h"

namespace takt {
namespace {

constexpr double kPi = 3.14159265358979323846;

struct ShapeMass {
  double mass_kg = 0.0;
  Vec3<double> moments{};   // about the shape's centre of mass, along its own axes
  Vec3<double> center{};    // of mass, in the shape's frame; 0 for kinds symmetric about their centre
  Vec3<double> products{};  // xy, xz, yz of the tensor; hulls only
};

ShapeMass shape_mass(const ShapeDef& shape, const PlacedHull* hull) noexcept {
  double const density = shape.density_kg_m3;
  if (shape.is_sensor) return {};
  switch (shape.kind) {
    case ShapeKind::kSphere: {
      double const r = shape.radius_m;
      double const mass = density * (4.0 / 3.0) * kPi * r * r * r;
      double const moment = 0.4 * mass * r * r;
      return {mass, {moment, moment, moment}};
    }
    case ShapeKind::kCapsule: {
      double const r = shape.radius_m;
      double const h = 2.0 * shape.half_length_m;
      double const cylinder = density * kPi * r * r * h;
      double const caps = density * (4.0 / 3.0) * kPi * r * r * r;
      // Half-sphere centroids lie 3r/8 beyond the cylinder's ends.
      double const axial = cylinder * 0.5 * r * r + caps * 0.4 * r * r;
      double const across =
          cylinder * (h * h / 12.0 + r * r / 4.0) + caps * (0.4 * r * r + 0.25 * h * h + 0.375 * h * r);
      return {cylinder + caps, {across, axial, across}};
    }
    case ShapeKind::kBox: {
      Vec3<double> const e = shape.half_extents_m;
      double const mass = density * 8.0 * e.x * e.y * e.z;
      double const third = mass / 3.0;
      return {mass,
              {third * (e.y * e.y + e.z * e.z), third * (e.x * e.x + e.z * e.z),
               third * (e.x * e.x + e.y * e.y)}};
    }
    case ShapeKind::kMesh:
    case ShapeKind::kHeightField:
    case ShapeKind::kHalfSpace: break;
    case ShapeKind::kCylinder: {
      double const r = shape.radius_m;
      double const h = 2.0 * shape.half_length_m;
      double const mass = density * kPi * r * r * h;
      double const across = mass * (h * h / 12.0 + r * r / 4.0);
      return {mass, {across, mass * 0.5 * r * r, across}};
    }
    case ShapeKind::kCone: {
      double const r = shape.radius_m;
      double const h = 2.0 * shape.half_length_m;
      double const mass = density * kPi * r * r * h / 3.0;
      // About the centre of mass, a quarter of the height above the base.
      double const across = mass * (0.15 * r * r + 0.0375 * h * h);
      return {mass, {across, mass * 0.3 * r * r, across}, {0.0, -0.25 * h, 0.0}};
    }
    case ShapeKind::kHull: {
      TAKT_ASSERT(hull != nullptr && hull->geometry != nullptr);
      SolidMass const solid = rounded_mass(*hull->geometry, shape.rounding_m);
      const auto& i = solid.inertia;
      return {density * solid.volume_m3,
              {density * i[0], density * i[1], density * i[2]},
              hull->middle_m + solid.center_m,
              {density * i[3], density * i[4], density * i[5]}};
    }
  }
  return {};
}

void add_scaled_identity_minus_outer(std::array<double, 6>& inertia, double mass, Vec3<double> d) noexcept {
  inertia[0] += mass * (d.y * d.y + d.z * d.z);
  inertia[1] += mass * (d.x * d.x + d.z * d.z);
  inertia[2] += mass * (d.x * d.x + d.y * d.y);
  inertia[3] -= mass * d.x * d.y;
  inertia[4] -= mass * d.x * d.z;
  inertia[5] -= mass * d.y * d.z;
}

// Centre of mass of a part in the body's frame.
Vec3<double> part_center(const ShapeDef& shape, const ShapeMass& part) noexcept {
  if (part.center == Vec3<double>{}) return shape.local_position_m;
  return shape.local_position_m + rotate(unit(shape.local_rotation), part.center);
}

// Adds R P R^T of a tensor that has only products of inertia.
void add_rotated_products(std::array<double, 6>& inertia, const Mat3<double>& r, Vec3<double> p) noexcept {
  if (p == Vec3<double>{}) return;
  // Columns of P R^T: P applied to the rows of R.
  auto const times = [p](double x, double y, double z) {
    return Vec3<double>{p.x * y + p.y * z, p.x * x + p.z * z, p.y * x + p.z * y};
  };
  Vec3<double> const row_x{r.x.x, r.y.x, r.z.x};
  Vec3<double> const row_y{r.x.y, r.y.y, r.z.y};
  Vec3<double> const row_z{r.x.z, r.y.z, r.z.z};
  Vec3<double> const x = times(row_x.x, row_x.y, row_x.z);
  Vec3<double> const y = times(row_y.x, row_y.y, row_y.z);
  Vec3<double> const z = times(row_z.x, row_z.y, row_z.z);
  inertia[0] += dot(row_x, x);
  inertia[1] += dot(row_y, y);
  inertia[2] += dot(row_z, z);
  inertia[3] += dot(row_x, y);
  inertia[4] += dot(row_x, z);
  inertia[5] += dot(row_y, z);
}

}  // namespace

MassProperties mass_properties(std::span<const ShapeDef> shapes, std::span<const PlacedHull> hulls) noexcept {
  auto const hull_at = [hulls](std::size_t i) { return i < hulls.size() ? &hulls[i] : nullptr; };
  TAKT_ASSERT(hulls.empty() || hulls.size() == shapes.size());
  MassProperties total;
  Vec3<double> weighted{};
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    ShapeMass const part = shape_mass(shapes[i], hull_at(i));
    total.mass_kg += part.mass_kg;
    weighted += part_center(shapes[i], part) * part.mass_kg;
  }
  if (!(total.mass_kg > 0.0)) return total;
  total.center_m = {weighted.x / total.mass_kg, weighted.y / total.mass_kg, weighted.z / total.mass_kg};
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const ShapeDef& shape = shapes[i];
    ShapeMass const part = shape_mass(shape, hull_at(i));
    Mat3<double> const r = to_matrix(unit(shape.local_rotation));
    Vec3<double> const m = part.moments;
    total.inertia[0] += m.x * r.x.x * r.x.x + m.y * r.y.x * r.y.x + m.z * r.z.x * r.z.x;
    total.inertia[1] += m.x * r.x.y * r.x.y + m.y * r.y.y * r.y.y + m.z * r.z.y * r.z.y;
    total.inertia[2] += m.x * r.x.z * r.x.z + m.y * r.y.z * r.y.z + m.z * r.z.z * r.z.z;
    total.inertia[3] += m.x * r.x.x * r.x.y + m.y * r.y.x * r.y.y + m.z * r.z.x * r.z.y;
    total.inertia[4] += m.x * r.x.x * r.x.z + m.y * r.y.x * r.y.z + m.z * r.z.x * r.z.z;
    total.inertia[5] += m.x * r.x.y * r.x.z + m.y * r.y.y * r.y.z + m.z * r.z.y * r.z.z;
    add_rotated_products(total.inertia, r, part.products);
    add_scaled_identity_minus_outer(total.inertia, part.mass_kg, part_center(shape, part) - total.center_m);
  }
  return total;
}

Result<double, PhysicsError> volume_m3(const ShapeDef& shape) {
  FloatControlGuard const guard;
  if (auto const error = check(shape)) return *error;
  PlacedHull hull;
  if (shape.kind == ShapeKind::kHull) {
    auto built = make_hull(shape.hull_points_m);
    if (!built.ok()) return built.error();
    hull = *std::move(built);
  }
  if (shape.kind == ShapeKind::kMesh || shape.kind == ShapeKind::kHeightField) {
    auto const built =
        shape.kind == ShapeKind::kMesh ? make_surface(*shape.mesh) : make_surface(*shape.height_field);
    if (!built.ok()) return built.error();
    return 0.0;
  }
  ShapeDef unit_density = shape;
  unit_density.density_kg_m3 = 1.0;
  unit_density.is_sensor = false;
  return shape_mass(unit_density, &hull).mass_kg;
}

Result<std::array<double, 6>, PhysicsError> inverted(const std::array<double, 6>& a) noexcept {
  double const xx = a[1] * a[2] - a[5] * a[5];
  double const yy = a[0] * a[2] - a[4] * a[4];
  double const zz = a[0] * a[1] - a[3] * a[3];
  double const xy = a[4] * a[5] - a[3] * a[2];
  double const xz = a[3] * a[5] - a[4] * a[1];
  double const yz = a[3] * a[4] - a[0] * a[5];
  double const determinant = a[0] * xx + a[3] * xy + a[4] * xz;
  bool const positive_definite = a[0] > 0.0 && zz > 0.0 && determinant > 0.0;
  if (!positive_definite) return PhysicsError::kMassOutOfRange;
  return std::array<double, 6>{xx / determinant, yy / determinant, zz / determinant,
                               xy / determinant, xz / determinant, yz / determinant};
}

}  // namespace takt
