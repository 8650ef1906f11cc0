// collide_surface() collides a convex shape with a triangle surface (mesh or height field). It returns a
// manifold for each part of the surface that the shape touches, without ghost contacts at internal edges. If
// the shape touches more than four parts, those with nearly equal normals and one material are merged.
// make_surface_manifolds() (pair_manifold.h) and movers call collide_surface(). Float mode and fixed mode
// both compute it in binary64 (docs/adr/0005), in the surface's frame. Its only history is the normals of the
// contacts of the last tick. A shape whose centre was pressed through a triangle since then is pushed back to
// the side that it came from.
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
#include "physics/narrow_phase/manifold.h"

namespace takt {

/// A part of a surface and its manifold. The normal points from the shape to the surface; positions are
/// relative to the shape's centre, world axes, m.
struct SurfaceManifold {
  std::uint32_t child = 0;
  Manifold<double> manifold;
  bool joined =
      false;  ///< true: merged from several parts with nearly equal normals; it has the normal of the deepest
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

/// A contact of the last tick, in which the surface held the shape.
struct HeldContact {
  Vec3<double> normal;      ///< unit, from the surface to the shape
  std::uint32_t child = 0;  ///< part of the surface
};

/// Scratch of collide_surface; reuse one to avoid allocation.
struct SurfaceScratch {
  std::vector<FacetPoint> facet_points;
  std::vector<ManifoldPoint<double>> points;
  std::vector<SurfaceManifold> edges;
  std::vector<HeldContact> held;           ///< for the next call, filled by its caller
  std::vector<SurfaceManifold> manifolds;  ///< the result: ascending by child, each child once
};

/// Fills scratch.manifolds. `shape` is convex and not a half-space. `delta_center` points from its centre to
/// the surface's origin, world axes, m. `held`: the pair's contacts of the last tick, world axes.
template <class Real>
void collide_surface(const ShapeGeometry<Real>& shape, const ShapeGeometry<Real>& surface,
                     Vec3<double> delta_center, std::span<const HeldContact> held, SurfaceScratch& scratch);

}  // namespace takt
