// The geometry of a convex hull as the engine uses it: corners about the middle of the hull's box, contact
// faces, and what its solid weighs. Built once from the points of a definition or the corners in an image,
// immutable, and the same for equal corners: its digest names it in the world.
//
// Contact faces are the exact faces with neighbours merged that lie on one plane but for kMergeFraction of
// the hull's size (at least kMergeMinM): points of a model rounded to a few digits would otherwise break a
// flat face into slivers. Corners are never moved, and mass comes from the exact faces; merging only decides
// which corners a contact face offers.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "physics/geometry/hull_builder.h"
#include "physics/geometry/point_soa.h"

namespace takt {

/// Largest distance of a corner from the plane of its contact face, as a share of the hull's longest side,
/// and at least, m: below the solver's slop.
inline constexpr double kMergeFraction = 1.0 / 8192.0;
inline constexpr double kMergeMinM = 2e-6;

struct HullFace {
  Vec3<double> normal;  ///< unit, outward
  double offset = 0.0;  ///< no corner of the hull is farther along the normal, m
  LoopRange loop;       ///< of HullGeometry::loops: counter-clockwise seen from outside
};

struct HullGeometry {
  std::vector<GridPoint> grid;         ///< the corners, ascending; all that is canonical
  std::vector<Vec3<double>> vertices;  ///< the same in metres, exactly
  PointColumns corners;                ///< the same again
  std::vector<HullFace> faces;         ///< for contacts
  PointColumns normals;                ///< of faces
  std::vector<std::uint8_t> loops;
  std::vector<LoopRange> vertex_faces;        ///< by vertex: which part of `faces_of_vertex`
  std::vector<std::uint8_t> faces_of_vertex;  ///< indices of faces
  Vec3<double> half_size_m;  ///< of its box, which is centred on the origin within half a grid unit
  double thickness_m = 0.0;  ///< the least width across a face
  std::vector<std::uint8_t> exact_loops;  ///< the faces before they were merged
  std::vector<LoopRange> exact_faces;
  std::uint64_t digest = 0;  ///< XXH3-64 of the corners, three little-endian int64 each
};

/// A hull and where its middle was.
struct PlacedHull {
  std::shared_ptr<const HullGeometry> geometry;
  Vec3<double> middle_m{};
};

/// Of the solid with its corners and edges rounded, density 1.
[[nodiscard]] inline SolidMass rounded_mass(const HullGeometry& hull, double rounding_m) {
  return solid_mass({hull.vertices, hull.exact_loops, hull.exact_faces}, rounding_m);
}

/// From the points of a definition, each finite and within +-kMaxExtentM. Errors: those of build_hull;
/// kShapeTooSmall when it is thinner than kMinExtentM across any of its faces; kHullTooManyPoints.
[[nodiscard]] Result<PlacedHull, PhysicsError> make_hull(std::span<const Vec3<double>> points_m);

/// From the corners that an image holds. Null unless they are exactly what make_hull would store.
[[nodiscard]] std::shared_ptr<const HullGeometry> restored_hull(std::span<const GridPoint> corners);

}  // namespace takt
