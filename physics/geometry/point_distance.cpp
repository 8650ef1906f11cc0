#include "physics/geometry/point_distance.h"

#include "physics/geometry/hull_geometry.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

// A difference shorter than this, m, has no reliable direction.
constexpr double kMinM = 1e-12;

PointDistance from_core(Vec3<double> offset, double radius) noexcept {
  return {normalise_or(offset, {0.0, 1.0, 0.0}, kMinM), length(offset) - radius};
}

PointDistance from_box(Vec3<double> half, Vec3<double> p) noexcept {
  Vec3<double> const nearest{clamp(p.x, -half.x, half.x), clamp(p.y, -half.y, half.y),
                             clamp(p.z, -half.z, half.z)};
  Vec3<double> const away = p - nearest;
  double const distance = length(away);
  if (distance > kMinM) return {{away.x / distance, away.y / distance, away.z / distance}, distance};
  Vec3<double> const depth = half - absolute(p);
  if (depth.x <= depth.y && depth.x <= depth.z) return {{p.x < 0.0 ? -1.0 : 1.0, 0.0, 0.0}, -depth.x};
  if (depth.y <= depth.z) return {{0.0, p.y < 0.0 ? -1.0 : 1.0, 0.0}, -depth.y};
  return {{0.0, 0.0, p.z < 0.0 ? -1.0 : 1.0}, -depth.z};
}

PointDistance from_cylinder(double radius, double half, Vec3<double> p) noexcept {
  double const ring = sqrt(p.x * p.x + p.z * p.z);
  Vec3<double> const outward =
      ring > kMinM ? Vec3<double>{p.x / ring, 0.0, p.z / ring} : Vec3<double>{1.0, 0.0, 0.0};
  Vec3<double> const along{0.0, p.y < 0.0 ? -1.0 : 1.0, 0.0};
  double const beside = ring - radius;
  double const beyond = absolute(p.y) - half;
  if (beside > 0.0 && beyond > 0.0) {
    Vec3<double> const away = outward * beside + along * beyond;
    double const distance = length(away);
    return {{away.x / distance, away.y / distance, away.z / distance}, distance};
  }
  return beside > beyond ? PointDistance{outward, beside} : PointDistance{along, beyond};
}

/// The apex is at +half along y, the base at -half.
PointDistance from_cone(double radius, double half, Vec3<double> p) noexcept {
  double const ring = sqrt(p.x * p.x + p.z * p.z);
  Vec3<double> const outward =
      ring > kMinM ? Vec3<double>{p.x / ring, 0.0, p.z / ring} : Vec3<double>{1.0, 0.0, 0.0};
  double const slant = sqrt(radius * radius + 4.0 * half * half);
  Vec3<double> const side = outward * (2.0 * half / slant) + Vec3<double>{0.0, radius / slant, 0.0};
  double const beside = dot(side, p - Vec3<double>{0.0, half, 0.0});
  double const below = -half - p.y;
  return beside > below ? PointDistance{side, beside} : PointDistance{{0.0, -1.0, 0.0}, below};
}

PointDistance from_hull(const HullGeometry& hull, Vec3<double> p) noexcept {
  TAKT_ASSERT(!hull.faces.empty());
  PointDistance farthest{hull.faces[0].normal, dot(hull.faces[0].normal, p) - hull.faces[0].offset};
  for (const HullFace& face : hull.faces) {
    double const distance = dot(face.normal, p) - face.offset;
    if (distance > farthest.distance) farthest = {face.normal, distance};
  }
  return farthest;
}

}  // namespace

bool point_distance(const ShapeGeometry<double>& shape, Vec3<double> p, PointDistance& out) noexcept {
  Vec3<double> const e = shape.extents;
  switch (shape.kind) {
    case ShapeKind::kSphere: out = from_core(p, e.x); return true;
    case ShapeKind::kCapsule: out = from_core({p.x, p.y - clamp(p.y, -e.y, e.y), p.z}, e.x); return true;
    case ShapeKind::kBox: out = from_box(e, p); return true;
    case ShapeKind::kCylinder: out = from_cylinder(e.x, e.y, p); return true;
    case ShapeKind::kHalfSpace: out = {{0.0, 1.0, 0.0}, p.y}; return true;
    case ShapeKind::kCone:
    case ShapeKind::kHull:
    case ShapeKind::kMesh:
    case ShapeKind::kHeightField: break;
  }
  return false;
}

PointDistance approximate_distance(const ShapeGeometry<double>& shape, Vec3<double> p) noexcept {
  PointDistance out;
  if (point_distance(shape, p, out)) return out;
  TAKT_ASSERT(shape.kind == ShapeKind::kCone || shape.hull != nullptr);
  if (shape.kind == ShapeKind::kCone) return from_cone(shape.extents.x, shape.extents.y, p);
  return from_hull(*shape.hull, p);
}

Vec3<double> nearest_on_triangle(Vec3<double> a, Vec3<double> b, Vec3<double> c, Vec3<double> p) noexcept {
  Vec3<double> const ab = b - a;
  Vec3<double> const ac = c - a;
  double const d1 = dot(ab, p - a);
  double const d2 = dot(ac, p - a);
  if (d1 <= 0.0 && d2 <= 0.0) return a;
  double const d3 = dot(ab, p - b);
  double const d4 = dot(ac, p - b);
  if (d3 >= 0.0 && d4 <= d3) return b;
  double const vc = d1 * d4 - d3 * d2;
  if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) return a + ab * (d1 / (d1 - d3));
  double const d5 = dot(ab, p - c);
  double const d6 = dot(ac, p - c);
  if (d6 >= 0.0 && d5 <= d6) return c;
  double const vb = d5 * d2 - d1 * d6;
  if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) return a + ac * (d2 / (d2 - d6));
  double const va = d3 * d6 - d5 * d4;
  if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0)
    return b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6)));
  double const sum = va + vb + vc;
  return a + ab * (vb / sum) + ac * (vc / sum);
}

}  // namespace takt
