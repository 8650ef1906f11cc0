#include "physics/ropes/rope_contacts.h"

#include "physics/geometry/convex_cast.h"
#include "physics/geometry/mesh_instance.h"
#include "physics/geometry/point_distance.h"
#include "physics/geometry/ray_cast.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

constexpr double kSameDirection = 0.9;  // cosine of 26 degrees
// Square of a distance that counts as none, m^2: the nearest point is perpendicularly below.
constexpr double kMinM2 = 1e-12;

void planes_of_surface(const RopeShape& shape, Vec3<double> before, Vec3<double> at, double radius,
                       double zone, RopeTriangles& triangles, RopePlanes& out) {
  MeshInstance const surface{&shape.geometry.surface->surface, shape.geometry.rotation, {}};
  if (length(at - before) > radius) {
    if (auto const hit = cast_ray(surface, before, at - before)) {
      out.add({hit->normal, dot(hit->normal, at - (before + (at - before) * hit->fraction)) - radius});
      return;
    }
  }
  double const all = radius + zone;
  Vec3<double> const reach{all, all, all};
  SurfaceBox const box = surface.local_box(at - reach, at + reach);
  auto const test = [&](std::uint32_t triangle) {
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
    bool const over = distance * distance - height * height <= kMinM2;
    if (over) {
      if (height - radius <= zone) out.add({facing, height - radius});
    } else if (height > 0.0 && distance - radius <= zone) {
      out.add({{away.x / distance, away.y / distance, away.z / distance}, distance - radius});
    }
  };
  if (shape.max_triangles == kAllTriangles ||
      surface.surface->count_triangles(box, shape.max_triangles) <= shape.max_triangles) {
    surface.surface->visit_triangles(box, test);
    return;
  }
  triangles.is_cut = true;
  triangles.sample.choose(*surface.surface, box,
                          {ShapeKind::kSphere, {radius, 0.0, 0.0}, {}, nullptr, nullptr},
                          surface.local_point(at), shape.max_triangles);
  for (std::uint32_t const triangle : triangles.sample.triangles()) test(triangle);
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
                      double zone, RopeTriangles& triangles, RopePlanes& out) {
  out.count = 0;
  const ShapeGeometry<double>& geometry = shape.geometry;
  if (geometry.surface != nullptr) {
    planes_of_surface(shape, before, at, radius, zone, triangles, out);
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
  PointDistance near_at;
  if (point_distance(geometry, transpose_multiply(geometry.rotation, at), near_at)) {
    if (near_at.distance - radius <= zone)
      out.add({geometry.rotation * near_at.normal, near_at.distance - radius});
    return;
  }
  TAKT_ASSERT(shape.convex.has_value());
  ConvexShape const node(ShapeGeometry<double>{ShapeKind::kSphere, {radius, 0.0, 0.0}, {}, nullptr, nullptr},
                         at);
  Nearness const near = nearness(node, *shape.convex, zone);
  if (near.distance <= zone) out.add({near.normal, near.distance});
}

}  // namespace takt
