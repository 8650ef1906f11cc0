// TriangleSample chooses a bounded number of the triangles of a surface that overlap a box around a convex
// shape. Contacts, movers, ropes and continuous collision use it where more triangles are under a shape than
// WorldDef::max_contacts leaves it; a shape with fewer tests all of them. The choice must keep a shape where
// all triangles would hold it. It has two parts, and no triangle twice:
//
// - Half of it, at most, are nearest triangles: of the shape's centre, and of the corners of the shape's
//   patch (face, edge or point) towards the surface. The corners of a big box on a fine plane are the points
//   of its contact, and no other triangle of the plane has one.
// - The others are even over the surface: the number is divided among the nodes of the tree by the area of
//   their overlap with the box. Where one triangle is left for a node, it is the deepest in the shape, to the
//   accuracy of approximate_distance(). Each part of an uneven surface so has its highest point.
//
// The work is bounded by the number of triangles chosen: each costs one walk down the tree, and each nearest
// triangle at most kNearestNodes nodes. The choice is a function of its arguments alone. It is stable: the
// nodes belong to the surface, so a shape that creeps finds the same triangles again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "physics/geometry/convex_shape.h"
#include "physics/geometry/triangle_mesh.h"

namespace takt {

/// A maximum number of triangles that leaves out none.
inline constexpr std::uint32_t kAllTriangles = std::numeric_limits<std::uint32_t>::max();

class TriangleSample {
 public:
  /// Chooses at most `max_count` triangles, at least 1, of those that overlap `box`. `box` is around `shape`,
  /// whose centre is at `center`; all are in the surface's frame, m. The shape is convex and no half-space.
  void choose(const TriangleMesh& surface, const SurfaceBox& box, const ShapeGeometry<double>& shape,
              Vec3<double> center, std::uint32_t max_count);
  /// Adds `triangle` to the choice unless it is in it.
  void add(std::uint32_t triangle);

  /// Memory, in triangles.
  [[nodiscard]] std::size_t capacity() const noexcept { return chosen_.capacity(); }
  void reserve(std::size_t count) { chosen_.reserve(count); }

  /// The indices that the last choose() chose.
  [[nodiscard]] std::span<const std::uint32_t> triangles() const noexcept { return chosen_; }

  /// Maximum number of nodes that the search of one nearest triangle visits. The search in a tree of 2^20
  /// triangles visits 50 to 100; the bound serves points with many triangles at one distance.
  static constexpr std::uint32_t kNearestNodes = 256;

 private:
  class Selection;
  std::vector<std::uint32_t> chosen_;
};

}  // namespace takt
