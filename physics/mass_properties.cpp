#include "physics/mass_properties.h"

namespace takt {
namespace {

constexpr double kPi = 3.14159265358979323846;

struct ShapeMass {
  double mass_kg = 0.0;
  Vec3<double> moments{};  // about the shape's centre, along its own axes
};

ShapeMass shape_mass(const ShapeDef& shape) noexcept {
  double const density = shape.density_kg_m3;
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
      double const across = cylinder * (h * h / 12.0 + r * r / 4.0) + caps * (0.4 * r * r + 0.25 * h * h + 0.375 * h * r);
      return {cylinder + caps, {across, axial, across}};
    }
    case ShapeKind::kBox: {
      Vec3<double> const e = shape.half_extents_m;
      double const mass = density * 8.0 * e.x * e.y * e.z;
      double const third = mass / 3.0;
      return {mass, {third * (e.y * e.y + e.z * e.z), third * (e.x * e.x + e.z * e.z), third * (e.x * e.x + e.y * e.y)}};
    }
    case ShapeKind::kHalfSpace: break;
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

Quat<double> unit(Quat<double> q) noexcept {
  double const size = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  return {q.x / size, q.y / size, q.z / size, q.w / size};
}

}  // namespace

MassProperties mass_properties(std::span<const ShapeDef> shapes) noexcept {
  MassProperties total;
  Vec3<double> weighted{};
  for (const ShapeDef& shape : shapes) {
    double const mass = shape_mass(shape).mass_kg;
    total.mass_kg += mass;
    weighted += shape.local_position_m * mass;
  }
  if (!(total.mass_kg > 0.0)) return total;
  total.center_m = {weighted.x / total.mass_kg, weighted.y / total.mass_kg, weighted.z / total.mass_kg};
  for (const ShapeDef& shape : shapes) {
    ShapeMass const part = shape_mass(shape);
    Mat3<double> const r = to_matrix(unit(shape.local_rotation));
    Vec3<double> const m = part.moments;
    total.inertia[0] += m.x * r.x.x * r.x.x + m.y * r.y.x * r.y.x + m.z * r.z.x * r.z.x;
    total.inertia[1] += m.x * r.x.y * r.x.y + m.y * r.y.y * r.y.y + m.z * r.z.y * r.z.y;
    total.inertia[2] += m.x * r.x.z * r.x.z + m.y * r.y.z * r.y.z + m.z * r.z.z * r.z.z;
    total.inertia[3] += m.x * r.x.x * r.x.y + m.y * r.y.x * r.y.y + m.z * r.z.x * r.z.y;
    total.inertia[4] += m.x * r.x.x * r.x.z + m.y * r.y.x * r.y.z + m.z * r.z.x * r.z.z;
    total.inertia[5] += m.x * r.x.y * r.x.z + m.y * r.y.y * r.y.z + m.z * r.z.y * r.z.z;
    add_scaled_identity_minus_outer(total.inertia, part.mass_kg, shape.local_position_m - total.center_m);
  }
  return total;
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
  return std::array<double, 6>{xx / determinant, yy / determinant, zz / determinant, xy / determinant, xz / determinant, yz / determinant};
}

}  // namespace takt
