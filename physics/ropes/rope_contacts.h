// Which planes of a shape a rope's node is near to: a sphere against every kind of shape, in closed form but
// for cones and hulls. Binary64, no state.
#pragma once

#include <array>
#include <cstdint>

#include "physics/ropes/rope_scratch.h"

namespace takt {

/// Out of a shape, unit, and how far the node's surface is from it: below 0 it is inside.
struct RopePlane {
  Vec3<double> normal;
  double gap = 0.0;
};

/// More than a node can lean on at once.
struct RopePlanes {
  std::array<RopePlane, 3> planes;
  std::uint32_t count = 0;
  /// Of planes that look nearly the same way (within 26 degrees) the nearer stays; what is full keeps the
  /// nearest.
  void add(const RopePlane& plane) noexcept;
};

/// The node goes from `before` to `at`, both from the shape's middle, world axes, m. Planes farther than
/// `zone` are left out. One that went through the shape's skin on the way finds the plane where it went in.
void find_rope_planes(const RopeShape& shape, Vec3<double> before, Vec3<double> at, double radius,
                      double zone, RopePlanes& out);

}  // namespace takt
