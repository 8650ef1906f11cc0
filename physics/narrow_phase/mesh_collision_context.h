// MeshCollisionContext is the context of one collision of a convex shape with a mesh or height field: both
// geometries and the intermediate results. collide_surface() (collide_mesh.h) makes one MeshCollisionContext
// for each call. touch_triangle() or touch_sphere() adds the results of each triangle near the shape, then
// gather_parts() reduces them to one manifold for each touched part. These functions are in
// collide_convex_triangle.cpp, collide_sphere_triangle.cpp and mesh_manifold_reduction.cpp.
#pragma once

#include <cstdint>

#include "physics/geometry/convex_shape.h"
#include "physics/geometry/triangle_mesh.h"
#include "physics/narrow_phase/collide_mesh.h"
#include "takt/core/assert.h"

namespace takt {

/// A direction within this cosine of a facet's normal (1.8 degrees) belongs to the facet.
inline constexpr double kFacetCosine = 0.9995;
/// Parts whose normals are within this cosine (5 degrees) can be merged.
inline constexpr double kJoinCosine = 0.9962;
/// Feature id bit: the id identifies a part of the surface, not of the shape.
inline constexpr std::uint32_t kFeatureSurface = 1u << 31;
/// Maximum number of lines of the shape's patch that cross an edge of a triangle.
inline constexpr std::uint32_t kLinesAnEdge = 64;

/// A triangle with the plane of its facet. The plane is oriented to the side of the shape's centre, or to the
/// side from which a passed centre came.
struct FacedTriangle {
  std::uint32_t index = 0;  ///< of the triangle in the surface
  Vec3<double> normal;      ///< unit, surface's frame
  double offset = 0.0;      ///< of the plane along the normal, m
  bool front = true;        ///< normal is that of the facet's front, else the opposite
};

/// All vectors are in the surface's frame, m. The references must outlive the context.
struct MeshCollisionContext {
  const ConvexShape& shape;
  const TriangleMesh& surface;
  SurfaceScratch& scratch;
  double limit = 0.0;            ///< maximum gap between core and surface for a contact, m
  double deepest_overlap = 0.0;  ///< deepest overlap of the core with a triangle that did not prove its
                                 ///< facet, as the gap along their axis, m; 0 = none
  FacedTriangle deepest;         ///< that triangle
  double deepest_gap = 0.0;      ///< between the core and that triangle's plane, m
  bool has_passed = false;       ///< the shape's centre was pressed through a triangle
  FacedTriangle passed;          ///< that triangle, oriented to the side from which the centre came

  /// Records that the shape touches this triangle of the facet itself. Points found by the facet's other
  /// triangles then count.
  void prove(const FacedTriangle& triangle) {
    TAKT_VALIDATE(triangle.index < surface.triangle_count());
    scratch.facet_points.push_back({surface.triangle(triangle.index).facet,
                                    static_cast<std::uint32_t>(scratch.facet_points.size()),
                                    true,
                                    {}});
  }
  /// True if the contact of a facet pushes the shape to the facet's front: the shape's centre is in front, or
  /// came from there.
  [[nodiscard]] bool is_in_front(std::uint32_t facet) const noexcept {
    if (has_passed && facet == surface.triangle(passed.index).facet) return passed.front;
    return dot(surface.facet(facet).normal, shape.center()) >= surface.facet(facet).offset;
  }
  /// Adds a point that the triangle contributes to its facet.
  void add_facet_point(const FacedTriangle& triangle, const ManifoldPoint<double>& point) {
    scratch.facet_points.push_back({surface.triangle(triangle.index).facet,
                                    static_cast<std::uint32_t>(scratch.facet_points.size()), false, point});
  }
};

/// Collides a shape other than a sphere with one triangle near it, whose front it is in unless the surface is
/// two-sided (collide_convex_triangle.cpp).
void touch_triangle(MeshCollisionContext& context, const FacedTriangle& triangle);
/// Collides any convex shape, spheres included, with one triangle of the facet through which its centre
/// passed; has_passed is true (collide_convex_triangle.cpp).
void touch_passed(MeshCollisionContext& context, const FacedTriangle& triangle);
/// Collides a sphere with one triangle near it, on either side (collide_sphere_triangle.cpp).
void touch_sphere(MeshCollisionContext& context, const FacedTriangle& triangle);
/// Converts the results of all triangles to scratch.manifolds, unordered (mesh_manifold_reduction.cpp).
void gather_parts(MeshCollisionContext& context);

}  // namespace takt
