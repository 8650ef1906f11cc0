// find_rope_planes() computes up to three contact planes (RopePlanes) between a rope's node, which is a
// sphere, and a shape of any kind. RopeSolver calls it for each candidate pair of an unpinned node in each
// substep. rope_collision.cpp calls it to find sleeping bodies that a rope touches. Cones and hulls use the
// iterative distance of convex_cast.h; all other kinds have closed forms. A node that moves by more than its
// radius is first cast as a ray, so that it does not pass thin walls. Numbers are binary64; the functions
// have no state.
#pragma once

#include <array>
#include <cstdint>

#include "physics/ropes/rope_scratch.h"

namespace takt {

/// A contact plane: unit normal out of the shape, and the gap of the node's surface, m; below 0 it overlaps.
struct RopePlane {
  Vec3<double> normal;
  double gap = 0.0;
};

/// Contact planes of a node, more than it can touch at once in practice.
struct RopePlanes {
  std::array<RopePlane, 3> planes;
  std::uint32_t count = 0;
  /// Adds a plane. Among planes with nearly equal normals (within 26 degrees) the nearer stays; a full list
  /// keeps the nearest.
  void add(const RopePlane& plane) noexcept;
};

/// Finds the contact planes of a node that moves from `before` to `at`, both from the shape's centre, world
/// axes, m. Planes farther than `zone` are omitted. A node that passed through the surface gets the plane at
/// its entry.
void find_rope_planes(const RopeShape& shape, Vec3<double> before, Vec3<double> at, double radius,
                      double zone, RopePlanes& out);

}  // namespace takt
