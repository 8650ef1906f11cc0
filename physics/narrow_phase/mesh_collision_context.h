// One convex shape and one surface of triangles while their contacts are being worked out: what both are, and
// what the pieces of the narrow phase have found so far. Shared by collide_convex_triangle.cpp,
// collide_sphere_triangle.cpp and mesh_manifold_reduction.cpp; see collide_mesh.h for what they are pieces
// of.
#pragma once

#include <cstdint>

#include "physics/geometry/convex_shape.h"
#include "physics/geometry/triangle_mesh.h"
#include "physics/narrow_phase/collide_mesh.h"

namespace takt {

/// Within this cosine of a facet's normal (1.8 degrees) a direction is the facet's.
inline constexpr double kFacetCosine = 0.9995;
/// Parts whose normals are within this (5 degrees) look the same way.
inline constexpr double kJoinCosine = 0.9962;
/// In a feature: it names a part of the surface, not of the shape.
inline constexpr std::uint32_t kFeatureSurface = 1u << 31;
/// Lines of the shape's patch that may cross an edge of a triangle.
inline constexpr std::uint32_t kLinesAnEdge = 64;

/// A triangle as a shape sees it: its facet's plane, turned to the side on which the shape's middle is.
struct FacedTriangle {
  std::uint32_t index = 0;
  Vec3<double> normal;
  double offset = 0.0;
  bool front = true;
};

struct SurfaceTouch {
  const ConvexShape& shape;
  const TriangleSurface& surface;
  SurfaceScratch& scratch;
  double limit = 0.0;            ///< a core that is farther than this has no contact, m
  double deepest_overlap = 0.0;  ///< of the core and a triangle that did not prove its facet, as the gap
                                 ///< along their axis, m; 0 = none
  FacedTriangle deepest;         ///< that triangle
  double deepest_gap = 0.0;      ///< between the core and that triangle's plane, m

  /// The shape touches this triangle of the facet itself: what the facet's other triangles say of it counts.
  void prove(const FacedTriangle& triangle) {
    scratch.facet_points.push_back({surface.triangle(triangle.index).facet,
                                    static_cast<std::uint32_t>(scratch.facet_points.size()),
                                    true,
                                    {}});
  }
  void add_facet_point(const FacedTriangle& triangle, const ManifoldPoint<double>& point) {
    scratch.facet_points.push_back({surface.triangle(triangle.index).facet,
                                    static_cast<std::uint32_t>(scratch.facet_points.size()), false, point});
  }
};

/// Any convex shape and a triangle that may push it (collide_convex_triangle.cpp).
void touch_triangle(SurfaceTouch& touch, const FacedTriangle& triangle);
/// A sphere and any triangle near it (collide_sphere_triangle.cpp).
void touch_ball(SurfaceTouch& touch, const FacedTriangle& triangle);
/// What was found becomes scratch.manifolds, in no order yet (mesh_manifold_reduction.cpp).
void gather_parts(SurfaceTouch& touch);

}  // namespace takt
