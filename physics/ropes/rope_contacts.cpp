#include "physics/ropes/rope_contacts.h"

#include "physics/geometry/convex_cast.h"
#include "physics/geometry/mesh_instance.h"
#include "physics/geometry/ray_cast.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

constexpr double kSameDirection = 0.9;  // cosine of 26 degrees
// A difference shorter than this, m, has no reliable direction.
constexpr double kMinM = 1e-12;

/// The surface point nearest to a point, in the shape's local frame.
struct Skin {
  Vec3<double> normal{0.0, 1.0, 0.0};
  double distance = 0.0;
};

Skin around(Vec3<double> from_core, double radius) noexcept {
  return {normalise_or(from_core, {0.0, 1.0, 0.0}, kMinM), length(from_core) - radius};
}

Skin skin_of_box(Vec3<double> half, Vec3<double> p) noexcept {
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

Skin skin_of_cylinder(double radius, double half, Vec3<double> p) noexcept {
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
  return beside > beyond ? Skin{outward, beside} : Skin{along, beyond};
}

/// Computes the nearest surface in closed form; false for kinds without one.
bool skin_of(const ShapeGeometry<double>& shape, Vec3<double> p, Skin& out) noexcept {
  Vec3<double> const e = shape.extents;
  switch (shape.kind) {
    case ShapeKind::kSphere: out = around(p, e.x); return true;
    case ShapeKind::kCapsule: out = around({p.x, p.y - clamp(p.y, -e.y, e.y), p.z}, e.x); return true;
    case ShapeKind::kBox: out = skin_of_box(e, p); return true;
    case ShapeKind::kCylinder: out = skin_of_cylinder(e.x, e.y, p); return true;
    case ShapeKind::kHalfSpace: out = {{0.0, 1.0, 0.0}, p.y}; return true;
    case ShapeKind::kCone:
    case ShapeKind::kHull:
    case ShapeKind::kMesh:
    case ShapeKind::kHeightField: break;
  }
  return false;
}

/// The point of a triangle nearest to `p`. Source: C. Ericson, Real-Time Collision Detection (2005), 5.1.5.
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

void planes_of_surface(const RopeShape& shape, Vec3<double> before, Vec3<double> at, double radius,
                       double zone, RopePlanes& out) {
  MeshInstance const surface{&shape.geometry.surface->surface, shape.geometry.rotation, {}};
  if (length(at - before) > radius) {
    if (auto const hit = cast_ray(surface, before, at - before)) {
      out.add({hit->normal, dot(hit->normal, at - (before + (at - before) * hit->fraction)) - radius});
      return;
    }
  }
  double const all = radius + zone;
  Vec3<double> const reach{all, all, all};
  surface.visit(at - reach, at + reach, [&](std::uint32_t triangle) {
    Vec3<double> const a = surface.corner(triangle, 0);
    Vec3<double> const front = surface.normal(triangle);
    // The node stays on the side that it came from.
    double const side = dot(front, before - a);
    if (side < 0.0 && surface.surface->one_sided()) return;
    Vec3<double> const facing = side < 0.0 ? -front : front;
    Vec3<double> const nearest =
        nearest_on_triangle(a, surface.corner(triangle, 1), surface.corner(triangle, 2), at);
    Vec3<double> const away = at - nearest;
    double const height = dot(facing, away);
    double const distance = length(away);
    bool const over =
        distance * distance - height * height <= kMinM;  // the nearest point is perpendicularly below
    if (over) {
      if (height - radius <= zone) out.add({facing, height - radius});
    } else if (height > 0.0 && distance - radius <= zone) {
      out.add({{away.x / distance, away.y / distance, away.z / distance}, distance - radius});
    }
  });
}

}  // namespace

void RopePlanes::add(const RopePlane& plane) noexcept {
  for (std::uint32_t i = 0; i < count; ++i) {
    if (dot(planes[i].normal, plane.normal) < kSameDirection) continue;
    if (plane.gap < planes[i].gap) planes[i] = plane;
    return;
  }
  if (count < planes.size()) {
    planes[count++] = plane;
    return;
  }
  TAKT_ASSERT(count == planes.size());
  std::uint32_t farthest = 0;
  for (std::uint32_t i = 1; i < count; ++i) {
    if (planes[i].gap > planes[farthest].gap) farthest = i;
  }
  if (plane.gap < planes[farthest].gap) planes[farthest] = plane;
}

void find_rope_planes(const RopeShape& shape, Vec3<double> before, Vec3<double> at, double radius,
                      double zone, RopePlanes& out) {
  out.count = 0;
  const ShapeGeometry<double>& geometry = shape.geometry;
  if (geometry.surface != nullptr) {
    planes_of_surface(shape, before, at, radius, zone, out);
    return;
  }
  Vec3<double> const displacement = at - before;
  if (length(displacement) > radius) {
    auto const hit = cast_ray(geometry, before, displacement);
    if (hit.has_value() && hit->fraction > 0.0) {
      out.add({hit->normal, dot(hit->normal, displacement * (1.0 - hit->fraction)) - radius});
      return;
    }
  }
  Skin skin;
  if (skin_of(geometry, transpose_multiply(geometry.rotation, at), skin)) {
    if (skin.distance - radius <= zone) out.add({geometry.rotation * skin.normal, skin.distance - radius});
    return;
  }
  TAKT_ASSERT(shape.convex.has_value());
  ConvexShape const node(ShapeGeometry<double>{ShapeKind::kSphere, {radius, 0.0, 0.0}, {}, nullptr, nullptr},
                         at);
  Nearness const near = nearness(node, *shape.convex, zone);
  if (near.distance <= zone) out.add({near.normal, near.distance});
}

}  // namespace takt
