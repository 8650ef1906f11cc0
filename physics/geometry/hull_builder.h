// build_hull() computes the exact convex hull of a set of points on a grid of 2^-24 m (60 nm). to_grid()
// rounds a point to that grid; every later decision is the sign of an integer. The result is the true hull of
// the rounded points, on every machine and for any order of the points. Points that lie in one plane, and
// hulls of more than kMaxHullVertices vertices, are errors; no hull is simplified. make_hull() and
// restored_hull() (hull_geometry.h) call build_hull(); meshes use the grid alone.
//
// Faces are whole polygons: coplanar points form one face, and points inside a face or an edge are dropped.
// The order of the result is unique. Vertices ascend by x, then y, then z. Each face's loop starts at its
// lowest vertex and runs counter-clockwise seen from outside. Faces ascend lexicographically by their loops.
// Two hulls are therefore the same solid exactly when their vertices are equal.
//
// Source: gift wrapping in space, D. Chand and S. Kapur, An Algorithm for Convex Polytopes (1970); the planar
// hull of each face after A. Andrew (1979).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "physics/geometry/hull_mass_properties.h"
#include "takt/core/result.h"
#include "takt/physics/body.h"
#include "takt/physics/error.h"

namespace takt {

/// A point of the grid of hulls and meshes, units of kHullGridM. Each coordinate is at most
/// kMaxGridCoordinate in size, below 2^39, so a determinant of three differences fits 128 bits.
struct GridPoint {
  std::int64_t x = 0;
  std::int64_t y = 0;
  std::int64_t z = 0;
  friend bool operator==(const GridPoint&, const GridPoint&) = default;
  friend auto operator<=>(const GridPoint&, const GridPoint&) = default;
};
/// Grid spacing, m. Digests and saved worlds depend on it.
inline constexpr double kHullGridM = 0x1p-24;
/// Twice kMaxExtentM, in grid units: a difference of two points of a definition reaches that.
inline constexpr std::int64_t kMaxGridCoordinate = std::int64_t{20'000} << 24;

/// A convex hull in the unique order of the first paragraphs.
struct ExactHull {
  std::vector<GridPoint> vertices;  ///< 4 to kMaxHullVertices, each a corner; ascending
  std::vector<std::uint8_t> loops;  ///< vertex indices of all faces, face after face
  std::vector<LoopRange> faces;     ///< at least 4, each of at least 3 vertices
};

/// The nearest grid point, ties to even; the coordinates must be finite and within +-2 kMaxExtentM.
/// to_metres() is exact.
[[nodiscard]] GridPoint to_grid(Vec3<double> point_m) noexcept;
[[nodiscard]] constexpr Vec3<double> to_metres(const GridPoint& p) noexcept {
  return {static_cast<double>(p.x) * kHullGridM, static_cast<double>(p.y) * kHullGridM,
          static_cast<double>(p.z) * kHullGridM};
}

/// Builds the hull. Errors: kHullTooFewPoints (fewer than four different points), kHullFlat (all on one
/// plane), kHullTooManyVertices, kOutOfRange (a coordinate beyond kMaxGridCoordinate). The thinnest possible
/// hull is below one grid unit thick; the caller checks sizes.
[[nodiscard]] Result<ExactHull, PhysicsError> build_hull(std::span<const GridPoint> points);

}  // namespace takt
