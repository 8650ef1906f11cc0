// collide_surface() collides a convex shape with a triangle surface (mesh or height field). It returns a
// manifold for each part of the surface that the shape touches, without ghost contacts at internal edges. If
// the shape touches more than four parts, those with nearly equal normals and one material are merged.
// make_surface_manifolds() (pair_manifold.h) and movers call collide_surface(). Float mode and fixed mode
// both compute the manifolds in binary64 (docs/adr/0005), in the surface's frame. The only history is the
// contacts of the last tick (HeldContact). A shape whose centre was pressed through a triangle since then is
// pushed back to the side that it came from. A shape over more triangles than SurfaceScratch::max_triangles
// collides with a choice of them (triangle_sample.h).
//
// A part is a facet (coplanar triangles, triangle_mesh.h), an edge or a vertex; `child` is its number within
// the pair. A facet has the number of its lowest triangle. An edge or vertex has kChildEdge and a triangle at
// it. Contacts are identified by the pair's key, then the child; both are stable while the shape touches the
// same triangles.
//
// A facet pushes only along its normal (docs/COLLISION.md, Meshes and height fields). An edge or vertex
// pushes only along directions between the normals of the facets around it. Further directions of a single
// triangle are bumps on internal edges, and not contacts of the surface.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "physics/geometry/mesh_geometry.h"
#include "physics/geometry/triangle_sample.h"
#include "physics/narrow_phase/manifold.h"

namespace takt {

/// A part of a surface and its manifold. The normal points from the shape to the surface; positions are
/// relative to the shape's centre, world axes, m.
struct SurfaceManifold {
  std::uint32_t child = 0;
  Manifold<double> manifold;
  /// True when merged from several parts with nearly equal normals. `child` is then the lowest of them, the
  /// normal that of the deepest.
  bool joined = false;
};

/// Contribution of one triangle to its facet's manifold: either a point, or the proof that the shape touches
/// the facet there.
struct FacetPoint {
  std::uint32_t facet = 0;
  std::uint32_t order = 0;  ///< order of discovery
  bool proves = false;  ///< true: the shape touches the triangle itself, so the facet's points count. It has
                        ///< no point of its own
  ManifoldPoint<double> point;
};

/// A contact of the last tick in which the surface held the shape on one side.
struct HeldContact {
  Vec3<double> normal;      ///< unit, from the surface to the shape
  std::uint32_t child = 0;  ///< part of the surface
};

/// Scratch of collide_surface(), for one thread at a time. Reuse avoids allocation.
struct SurfaceScratch {
  std::vector<FacetPoint> facet_points;
  std::vector<ManifoldPoint<double>> points;
  std::vector<SurfaceManifold> edges;
  std::vector<HeldContact> held;  ///< for the next call, filled by its caller
  /// Maximum number of triangles of the next call, at least 1, set by its caller.
  std::uint32_t max_triangles = kAllTriangles;
  TriangleSample sample;                   ///< the triangles of a shape over more than max_triangles
  std::vector<SurfaceManifold> manifolds;  ///< the result: ascending by child, each child once
};

/// Replaces scratch.manifolds by the parts within kSpeculativeDistanceM of the shape, each with at least one
/// point. `shape` is convex and not a half-space; `surface` is a mesh or height field. `delta_center` points
/// from the shape's centre to the surface's origin, world axes, m. `held` has the pair's touching contacts of
/// the last tick, world axes, of which the first eight count; it may be scratch.held.
template <class Real>
void collide_surface(const ShapeGeometry<Real>& shape, const ShapeGeometry<Real>& surface,
                     Vec3<double> delta_center, std::span<const HeldContact> held, SurfaceScratch& scratch);

/// Returns the number of triangles that collide_surface() would test, as MeshBvh::count() counts them: a
/// number above `max`, which is below kAllTriangles, means more. `displacement` of the shape, world axes, m,
/// widens its box.
template <class Real>
[[nodiscard]] std::uint32_t count_triangles(const ShapeGeometry<Real>& shape,
                                            const ShapeGeometry<Real>& surface, Vec3<double> delta_center,
                                            Vec3<double> displacement, std::uint32_t max);

}  // namespace takt
