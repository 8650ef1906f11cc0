// The narrow phase of a convex shape and a surface of triangles (mesh, height field): a manifold for each
// part of the surface that the shape touches, such that edges within the surface are not felt. In binary64 in
// both number modes (docs/adr/0005), in the surface's frame; no history, no caches.
//
// Parts and their numbers ("children" of the pair). A facet (triangle_mesh.h) that the shape lies on is
// one part, named by its lowest triangle. An edge or a corner of the surface that the shape leans on is
// another, named by kChildEdge and a triangle at it. Contacts are told apart by the pair's key, then the
// child; both mean the same from tick to tick.
//
// What may touch what (docs/CONTACTS.md, Surfaces): a facet only pushes along its normal; an edge or corner
// only along directions between the normals of the facets around it. What a single triangle would add beyond
// that is the bump on an internal edge, and is not a contact of the surface.
#pragma once

#include <cstdint>
#include <vector>

#include "physics/geometry/mesh_geometry.h"
#include "physics/narrow_phase/manifold.h"

namespace takt {

/// Set in a child's number when it is an edge or corner; the rest is the index of a triangle.
inline constexpr std::uint32_t kChildEdge = 1u << 31;
[[nodiscard]] constexpr std::uint32_t child_triangle(std::uint32_t child) noexcept {
  return child & ~kChildEdge;
}

/// The part of a surface that a shape touches. The normal goes from the shape to the surface; positions are
/// from the shape's middle, world axes, m.
struct SurfaceManifold {
  std::uint32_t child = 0;
  Manifold<double> manifold;
  bool joined = false;  ///< of several parts that look nearly the same way, with the normal of the deepest
};

/// What a triangle says about its facet, before the facet's points are gathered: that the shape touches it
/// there, or a point.
struct FacetPoint {
  std::uint32_t facet = 0;
  std::uint32_t order = 0;  ///< in which it was found
  bool proves =
      false;  ///< the shape touches the triangle itself: the facet's points count. No point of its own
  ManifoldPoint<double> point;
};

/// Scratch of collide_surface; reuse one to avoid allocation.
struct SurfaceScratch {
  std::vector<FacetPoint> facet_points;
  std::vector<ManifoldPoint<double>> points;
  std::vector<SurfaceManifold> edges;
  std::vector<SurfaceManifold> manifolds;  ///< the result: ascending by child, each child once
};

/// Fills scratch.manifolds. `shape` is convex and not a half-space; `between` goes from its middle to the
/// surface's origin, world axes, m.
template <class Real>
void collide_surface(const ShapeGeometry<Real>& shape, const ShapeGeometry<Real>& surface,
                     Vec3<double> delta_center, SurfaceScratch& scratch);

}  // namespace takt
