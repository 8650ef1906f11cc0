// HullGeometry is the immutable geometry of a convex hull: corners relative to the centre of its bounding
// box, contact faces, and exact faces. make_hull() builds the geometry from the points of a shape definition.
// restored_hull() builds the geometry from the corners in a world image (a saved world). Equal corners give
// equal geometry, and the digest (a hash of the corners) identifies the geometry in its world. rounded_mass()
// computes volume, centre of mass and inertia.
//
// Contact faces are the exact faces after merging neighbours that are coplanar within kMergeFraction of the
// hull's longest side (at least kMergeMinM). Model points rounded to a few digits would otherwise split a
// flat face into slivers. Merging leaves all corners where they are. Mass properties and ray casts use the
// exact faces.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "physics/geometry/hull_builder.h"
#include "physics/geometry/point_soa.h"

namespace takt {

/// Maximum distance of a corner from the plane of its contact face: a fraction of the hull's longest side,
/// and a minimum, m. Both are below the solver's slop.
inline constexpr double kMergeFraction = 1.0 / 8192.0;
inline constexpr double kMergeMinM = 2e-6;

struct HullFace {
  Vec3<double> normal;  ///< unit, outward
  double offset = 0.0;  ///< no corner of the hull is farther along the normal, m
  LoopRange loop;       ///< range of HullGeometry::loops: counter-clockwise seen from outside
};

struct HullGeometry {
  std::vector<GridPoint> grid;         ///< the corners, ascending; the only canonical data
  std::vector<Vec3<double>> vertices;  ///< the corners in metres, exact
  PointSoa corners;                    ///< the corners in metres, as arrays by coordinate
  std::vector<HullFace> faces;         ///< contact faces
  PointSoa normals;                    ///< of `faces`
  std::vector<std::uint8_t> loops;
  std::vector<LoopRange> vertex_faces;        ///< by vertex: range of `faces_of_vertex`
  std::vector<std::uint8_t> faces_of_vertex;  ///< indices of faces
  Vec3<double> half_size_m;  ///< of its bounding box, which is centred on the origin within half a grid unit
  double thickness_m = 0.0;  ///< minimum width across a face
  std::vector<std::uint8_t> exact_loops;  ///< faces before merging
  std::vector<LoopRange> exact_faces;
  std::uint64_t digest = 0;  ///< XXH3-64 of the corners, three little-endian int64 each
};

/// A hull and the original position of its centre.
struct PlacedHull {
  std::shared_ptr<const HullGeometry> geometry;
  Vec3<double> middle_m{};
};

/// Mass properties of the solid with rounded corners and edges, density 1 kg/m^3.
[[nodiscard]] inline SolidMass rounded_mass(const HullGeometry& hull, double rounding_m) {
  return solid_mass({hull.vertices, hull.exact_loops, hull.exact_faces}, rounding_m);
}

/// Builds from the points of a definition, each finite and within +-kMaxExtentM. Errors: those of build_hull;
/// kShapeTooSmall when thinner than kMinExtentM across any of its faces; kHullTooManyPoints.
[[nodiscard]] Result<PlacedHull, PhysicsError> make_hull(std::span<const Vec3<double>> points_m);

/// Builds from the corners in an image. Null unless they are exactly the corners that make_hull would store.
[[nodiscard]] std::shared_ptr<const HullGeometry> restored_hull(std::span<const GridPoint> corners);

}  // namespace takt
