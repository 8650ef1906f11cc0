#include "physics/narrow_phase/collide_mesh.h"

#include <algorithm>

#include "physics/base/solver_constants.h"
#include "physics/narrow_phase/mesh_collision_context.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

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

/// Collides in the mesh's frame.
void collide(const ConvexShape& shape, bool is_sphere, const TriangleMesh& surface, SurfaceScratch& scratch) {
  scratch.facet_points.clear();
  scratch.edges.clear();
  scratch.manifolds.clear();
  MeshCollisionContext context{shape, surface, scratch, kSpeculativeDistanceM + shape.radius(), 0.0, {}, 0.0};
  surface.visit_triangles(box_around(shape, context.limit), [&](std::uint32_t index) {
    FacedTriangle const triangle = faced(surface, index, shape.center());
    if (is_sphere) {
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
                     Vec3<double> delta_center, SurfaceScratch& scratch) {
  TAKT_ASSERT(surface.surface != nullptr && shape.kind != ShapeKind::kHalfSpace);
  Mat3<double> const frame =
      square({to_double(surface.rotation.x), to_double(surface.rotation.y), to_double(surface.rotation.z)});
  auto const into = [&frame](Vec3<Real> v) { return transpose_multiply(frame, to_double(v)); };
  ShapeGeometry<double> const local{shape.kind,
                                    to_double(shape.extents),
                                    {into(shape.rotation.x), into(shape.rotation.y), into(shape.rotation.z)},
                                    shape.hull,
                                    nullptr};
  Vec3<double> const center = transpose_multiply(frame, -delta_center);
  collide(ConvexShape(local, center), shape.kind == ShapeKind::kSphere, surface.surface->surface, scratch);
  for (SurfaceManifold& found : scratch.manifolds) {
    Manifold<double>& manifold = found.manifold;
    manifold.normal = -(frame * manifold.normal);
    for (std::uint32_t i = 0; i < manifold.point_count; ++i)
      manifold.points[i].position = frame * (manifold.points[i].position - center);
  }
}

template void collide_surface(const ShapeGeometry<float>&, const ShapeGeometry<float>&, Vec3<double>,
                              SurfaceScratch&);
template void collide_surface(const ShapeGeometry<Fixed>&, const ShapeGeometry<Fixed>&, Vec3<double>,
                              SurfaceScratch&);

}  // namespace takt
