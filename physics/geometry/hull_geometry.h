// HullGeometry is the immutable geometry of a convex hull: corners relative to the centre of its bounding
// box, contact faces, and exact faces. make_hull() builds the geometry from the points of a shape definition.
// restored_hull() builds the geometry from the corners in a world image (a saved world). Equal corners give
// equal geometry, and the digest (a hash of the corners) identifies the geometry in its world. rounded_mass()
// computes volume, centre of mass and inertia.
//
// Contact faces are the exact faces after merging neighbours that are coplanar within kMergeFraction of the
// hull's longest side (at least kMergeMinM). Without the merging, points of a model rounded to a few digits
// would split a flat face into slivers. Merging leaves all corners where they are. Mass properties and ray
// casts use the exact faces.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "physics/geometry/hull_builder.h"
#include "physics/geometry/point_soa.h"

namespace takt {

/// Maximum distance of a corner from the plane of its contact face, m. It is kMergeFraction of the longest
/// side of the hull's bounding box, at least kMergeMinM.
inline constexpr double kMergeFraction = 1.0 / 8192.0;
inline constexpr double kMergeMinM = 2e-6;

/// A contact face.
struct HullFace {
  Vec3<double> normal;  ///< unit, outward
  double offset = 0.0;  ///< no corner of the hull is farther along the normal, m
  LoopRange loop;       ///< range of HullGeometry::loops: counter-clockwise seen from outside
};

struct HullGeometry {
  std::vector<GridPoint> grid;          ///< the corners, ascending: the only data that is saved and hashed
  std::vector<Vec3<double>> vertices;   ///< the corners in metres, exact
  PointSoa corners;                     ///< the corners in metres, as arrays by coordinate
  std::vector<HullFace> faces;          ///< contact faces
  PointSoa normals;                     ///< of `faces`
  std::vector<std::uint8_t> loops;      ///< vertex indices of the contact faces
  std::vector<LoopRange> vertex_faces;  ///< by vertex: range of `faces_of_vertex`; empty for a corner
                                        ///< that merging left inside a face
  std::vector<std::uint8_t> faces_of_vertex;  ///< indices of faces
  Vec3<double> half_size_m;  ///< of its bounding box, which is centred on the origin within half a grid unit
  double thickness_m = 0.0;  ///< minimum width of the hull across a contact face, m
  std::vector<std::uint8_t> exact_loops;  ///< vertex indices of the faces before merging
  std::vector<LoopRange> exact_faces;     ///< ranges of exact_loops
  std::uint64_t digest = 0;               ///< XXH3-64 of the corners, three little-endian int64 each
};

/// A hull and the position of its origin in the frame of the definition's points, m.
struct PlacedHull {
  std::shared_ptr<const HullGeometry> geometry;
  Vec3<double> middle_m{};
};

/// Mass properties of the hull enlarged by `rounding_m`, at least 0, with density 1 kg/m^3.
[[nodiscard]] inline SolidMass rounded_mass(const HullGeometry& hull, double rounding_m) {
  return solid_mass({hull.vertices, hull.exact_loops, hull.exact_faces}, rounding_m);
}

/// Builds from the points of a definition. The caller has checked that each is finite and within
/// +-kMaxExtentM. Errors: those of build_hull(); kShapeTooSmall when the hull is thinner than kMinExtentM
/// across one of its faces; kHullTooManyPoints above kMaxHullPoints.
[[nodiscard]] Result<PlacedHull, PhysicsError> make_hull(std::span<const Vec3<double>> points_m);

/// Builds from the untrusted corners in a world image. The result is null unless they are exactly the corners
/// that make_hull() would store.
[[nodiscard]] std::shared_ptr<const HullGeometry> restored_hull(std::span<const GridPoint> corners);

}  // namespace takt
