// find_rope_planes() computes up to three contact planes (RopePlanes) between a rope's node, which is a
// sphere, and a shape of any kind. RopeSolver calls it for each candidate pair of an unpinned node in each
// substep. rope_collision.cpp calls it to find sleeping bodies that a rope touches. Cones and hulls use the
// iterative distance of convex_cast.h; all other kinds have closed forms. A node that moves by more than its
// radius is first cast as a ray, so that it does not pass thin walls. Numbers are binary64. No result
// depends on earlier calls.
#pragma once

#include <array>
#include <cstdint>

#include "physics/ropes/rope_scratch.h"

namespace takt {

/// A contact plane: unit normal out of the shape, world axes, and the gap between shape and node surface, m.
/// A gap below 0 is an overlap.
struct RopePlane {
  Vec3<double> normal;
  double gap = 0.0;
};

/// Contact planes of a node and a shape. Only a mesh or a height field has more than one.
struct RopePlanes {
  std::array<RopePlane, 3> planes;
  std::uint32_t count = 0;
  /// Adds a plane. Among planes with nearly equal normals (within 26 degrees) the nearer stays; a full list
  /// keeps the nearest.
  void add(const RopePlane& plane) noexcept;
};

/// Replaces `out` by the contact planes of a node of this radius that moves from `before` to `at`. Both are
/// relative to the shape's centre, world axes, m. Gaps are those at `at`; planes with a gap above `zone`, m,
/// are omitted. A node that moved by more than its radius through the surface gets one plane, at its entry.
/// update_rope_shape() must have set the shape's pose. `triangles` is memory, and is told of a cut.
void find_rope_planes(const RopeShape& shape, Vec3<double> before, Vec3<double> at, double radius,
                      double zone, RopeTriangles& triangles, RopePlanes& out);

}  // namespace takt
