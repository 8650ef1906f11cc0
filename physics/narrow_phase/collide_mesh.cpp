#include "physics/narrow_phase/collide_mesh.h"

#include <algorithm>
#include <array>

#include "physics/base/solver_constants.h"
#include "physics/geometry/voronoi_region.h"
#include "physics/narrow_phase/mesh_collision_context.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

/// A contact of the last tick held the shape from a triangle's front if its normal is within this cosine (60
/// degrees) of the triangle's.
constexpr double kHeldCosine = 0.5;
/// More contacts of the last tick are not read.
constexpr std::size_t kMaxHeldContacts = 8;

/// Re-orthonormalises axes as ConvexShape does, so that distances in the mesh's frame equal those of the
/// world.
Mat3<double> square(const Mat3<double>& m) noexcept {
  Vec3<double> const y = m.y * (1.0 / length(m.y));
  Vec3<double> const x = m.x - y * dot(m.x, y);
  Vec3<double> const x_unit = x * (1.0 / length(x));
  return {x_unit, y, cross(x_unit, y)};
}

/// Box around the core, enlarged by `limit`.
SurfaceBox box_around(const ConvexShape& shape, double limit) noexcept {
  auto const reach = [&shape](Vec3<double> d) { return dot(d, shape.support(d)); };
  Vec3<double> const upper{reach({1, 0, 0}), reach({0, 1, 0}), reach({0, 0, 1})};
  Vec3<double> const lower{-reach({-1, 0, 0}), -reach({0, -1, 0}), -reach({0, 0, -1})};
  Vec3<double> const all{limit, limit, limit};
  return {lower - all, upper + all};
}

FacedTriangle faced(const TriangleMesh& surface, std::uint32_t index, Vec3<double> center) noexcept {
  const SurfaceFacet& facet = surface.facet(surface.triangle(index).facet);
  bool const front = dot(facet.normal, center) >= facet.offset;
  return {index, front ? facet.normal : -facet.normal, front ? facet.offset : -facet.offset, front};
}

/// True when the point is between the planes that stand on the triangle's edges.
bool is_over(const TriangleMesh& surface, std::uint32_t index, Vec3<double> point) noexcept {
  Vec3<double> const normal = surface.normal(index);
  for (std::uint32_t edge = 0; edge < 3; ++edge) {
    Vec3<double> const from = surface.corner(index, edge);
    Vec3<double> const along = surface.corner(index, next_corner(edge)) - from;
    if (dot(cross(along, normal), point - from) > 0.0) return false;
  }
  return true;
}

/// True when the triangles are of one facet or share a corner: a shape moves from one to the other in a tick.
bool are_neighbours(const TriangleMesh& surface, std::uint32_t a, std::uint32_t b) noexcept {
  if (surface.triangle(a).facet == surface.triangle(b).facet) return true;
  for (std::uint32_t i = 0; i < 3; ++i) {
    for (std::uint32_t k = 0; k < 3; ++k) {
      if (surface.corner(a, i) == surface.corner(b, k)) return true;
    }
  }
  return false;
}

/// Finds the triangle through which the shape's centre was pressed since the last tick: the centre is behind
/// it, the shape reaches through it, and it or a neighbour held the shape from its front. The nearest one
/// counts. A contact elsewhere on the surface holds nothing: a level is one surface, with floors above
/// floors.
template <class VisitTriangles>
void find_passed(MeshCollisionContext& context, std::span<const HeldContact> held,
                 const VisitTriangles& visit_triangles) {
  const TriangleMesh& surface = context.surface;
  const ConvexShape& shape = context.shape;
  double nearest = 0.0;
  visit_triangles(box_around(shape, shape.radius()), [&](std::uint32_t index) {
    const SurfaceFacet& facet = surface.facet(surface.triangle(index).facet);
    double const height = dot(facet.normal, shape.center()) - facet.offset;
    bool const front = height < 0.0;  // the side that the centre left
    if (!front && (surface.one_sided() || height == 0.0)) return;
    Vec3<double> const normal = front ? facet.normal : -facet.normal;
    double const offset = front ? facet.offset : -facet.offset;
    double const depth = absolute(height);
    if (context.has_passed && !(depth < nearest)) return;
    auto const holds = [&](const HeldContact& contact) {
      std::uint32_t const triangle = child_triangle(contact.child);
      return dot(contact.normal, normal) >= kHeldCosine && triangle < surface.triangle_count() &&
             are_neighbours(surface, triangle, index);
    };
    if (std::ranges::none_of(held, holds)) return;
    if (!is_over(surface, index, shape.center())) return;
    if (dot(normal, shape.support(normal)) + shape.radius() < offset) return;
    nearest = depth;
    context.has_passed = true;
    context.passed = {index, normal, offset, front};
  });
}

/// A shape at its place in the frame of a surface.
struct LocalShape {
  ShapeGeometry<double> geometry;
  Vec3<double> center;
};

/// `frame` has the rotation of the surface, as square() returns it.
template <class Real>
LocalShape in_frame(const Mat3<double>& frame, const ShapeGeometry<Real>& shape, Vec3<double> delta_center) {
  auto const into = [&frame](Vec3<Real> v) { return transpose_multiply(frame, to_double(v)); };
  return {{shape.kind,
           to_double(shape.extents),
           {into(shape.rotation.x), into(shape.rotation.y), into(shape.rotation.z)},
           shape.hull,
           nullptr},
          transpose_multiply(frame, -delta_center)};
}

template <class Real>
Mat3<double> frame_of(const ShapeGeometry<Real>& surface) {
  return square(
      {to_double(surface.rotation.x), to_double(surface.rotation.y), to_double(surface.rotation.z)});
}

/// Collides in the mesh's frame, with the triangles that visit_triangles(box, visit) visits.
template <class VisitTriangles>
void collide(const ConvexShape& shape, bool is_sphere, const TriangleMesh& surface,
             std::span<const HeldContact> held, SurfaceScratch& scratch,
             const VisitTriangles& visit_triangles) {
  scratch.facet_points.clear();
  scratch.edges.clear();
  scratch.manifolds.clear();
  MeshCollisionContext context{shape, surface, scratch, kSpeculativeDistanceM + shape.radius(), 0.0, {},
                               0.0,   false,   {}};
  if (!held.empty()) find_passed(context, held, visit_triangles);
  visit_triangles(box_around(shape, context.limit), [&](std::uint32_t index) {
    FacedTriangle triangle = faced(surface, index, shape.center());
    if (context.has_passed && surface.triangle(index).facet == surface.triangle(context.passed.index).facet) {
      triangle = context.passed;
      triangle.index = index;
      touch_passed(context, triangle);
    } else if (is_sphere) {
      touch_sphere(context, triangle);
    } else if (triangle.front || !surface.one_sided()) {
      touch_triangle(context, triangle);
    }
  });
  gather_parts(context);
  std::sort(scratch.manifolds.begin(), scratch.manifolds.end(),
            [](const SurfaceManifold& a, const SurfaceManifold& b) { return a.child < b.child; });
  TAKT_VALIDATE(std::ranges::adjacent_find(scratch.manifolds, {}, &SurfaceManifold::child) ==
                scratch.manifolds.end());
  TAKT_VALIDATE(std::ranges::all_of(scratch.manifolds, [](const SurfaceManifold& found) {
    return found.manifold.point_count > 0 && is_sound(found.manifold);
  }));
}

}  // namespace

template <class Real>
void collide_surface(const ShapeGeometry<Real>& shape, const ShapeGeometry<Real>& surface,
                     Vec3<double> delta_center, std::span<const HeldContact> held, SurfaceScratch& scratch) {
  TAKT_ASSERT(surface.surface != nullptr && shape.kind != ShapeKind::kHalfSpace);
  Mat3<double> const frame = frame_of(surface);
  LocalShape const local = in_frame(frame, shape, delta_center);
  Vec3<double> const center = local.center;
  std::array<HeldContact, kMaxHeldContacts> local_held;
  std::size_t const held_count = std::min(held.size(), local_held.size());
  for (std::size_t i = 0; i < held_count; ++i)
    local_held[i] = {transpose_multiply(frame, held[i].normal), held[i].child};
  ConvexShape const convex(local.geometry, center);
  const TriangleMesh& mesh = surface.surface->surface;
  bool const is_sphere = shape.kind == ShapeKind::kSphere;
  std::span const held_here = std::span(local_held).first(held_count);
  SurfaceBox const box = box_around(convex, kSpeculativeDistanceM + convex.radius());
  if (scratch.max_triangles == kAllTriangles ||
      mesh.count_triangles(box, scratch.max_triangles) <= scratch.max_triangles) {
    collide(convex, is_sphere, mesh, held_here, scratch,
            [&mesh](const SurfaceBox& near, const auto& visit) { mesh.visit_triangles(near, visit); });
  } else {
    scratch.sample.choose(mesh, box, local.geometry, center, scratch.max_triangles);
    collide(convex, is_sphere, mesh, held_here, scratch, [&](const SurfaceBox& near, const auto& visit) {
      for (std::uint32_t const triangle : scratch.sample.triangles()) {
        if (overlap(mesh.triangle_box(triangle), near)) visit(triangle);
      }
    });
  }
  for (SurfaceManifold& found : scratch.manifolds) {
    Manifold<double>& manifold = found.manifold;
    manifold.normal = -(frame * manifold.normal);
    for (std::uint32_t i = 0; i < manifold.point_count; ++i)
      manifold.points[i].position = frame * (manifold.points[i].position - center);
  }
}

template <class Real>
std::uint32_t count_triangles(const ShapeGeometry<Real>& shape, const ShapeGeometry<Real>& surface,
                              Vec3<double> delta_center, Vec3<double> displacement, std::uint32_t max) {
  TAKT_ASSERT(surface.surface != nullptr && max < kAllTriangles);
  Mat3<double> const frame = frame_of(surface);
  LocalShape const local = in_frame(frame, shape, delta_center);
  ConvexShape const convex(local.geometry, local.center);
  SurfaceBox box = box_around(convex, kSpeculativeDistanceM + convex.radius());
  Vec3<double> const by = transpose_multiply(frame, displacement);
  box.lower += Vec3<double>{minimum(by.x, 0.0), minimum(by.y, 0.0), minimum(by.z, 0.0)};
  box.upper += Vec3<double>{maximum(by.x, 0.0), maximum(by.y, 0.0), maximum(by.z, 0.0)};
  return surface.surface->surface.count_triangles(box, max);
}

#define TAKT_INSTANTIATE(Real)                                                                        \
  template void collide_surface(const ShapeGeometry<Real>&, const ShapeGeometry<Real>&, Vec3<double>, \
                                std::span<const HeldContact>, SurfaceScratch&);                       \
  template std::uint32_t count_triangles(const ShapeGeometry<Real>&, const ShapeGeometry<Real>&,      \
                                         Vec3<double>, Vec3<double>, std::uint32_t);
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
