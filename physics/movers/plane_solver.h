// The plane solver of movers: the way nearest to a wanted one that no plane forbids, with all planes at once.
// Exact, not iterated: in space at most three planes hold the answer, so every one, two and three of them are
// tried. No state; binary64.
//
// It does not find planes (mover_collision.h) and does not move anything (mover_step.h).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "takt/physics/vector.h"

namespace takt {

/// Planes that one solve looks at: more than a capsule can touch at once but in a heap of rubble. 12 make 298
/// candidates.
inline constexpr std::size_t kMaxMoverPlanes = 12;

/// dot(normal, way) must be at least `least`.
struct MoverPlane {
  Vec3<double> normal;         ///< unit, out of what it bounds
  double min = 0.0;            ///< m, or m/s
  double gap = 0.0;            ///< m, between the surfaces
  Vec3<double> point;          ///< on the other's surface, from the mover's start, m
  std::uint32_t obstacle = 0;  ///< place in MoverSurroundings
};

/// A list of planes without the heap. What is full takes no more.
struct MoverPlanes {
  std::array<MoverPlane, kMaxMoverPlanes> planes;
  std::size_t count = 0;

  /// A plane of the same direction (within 0.6 degrees) and obstacle is not added again: the stricter of the
  /// two stays.
  void add(const MoverPlane& plane) noexcept;
  [[nodiscard]] std::span<const MoverPlane> list() const noexcept { return {planes.data(), count}; }
};

/// The allowed way nearest to `wanted`. When the planes leave none (something squeezes the mover), the one of
/// those tried that breaks them least.
[[nodiscard]] Vec3<double> solve_planes(Vec3<double> wanted, std::span<const MoverPlane> planes) noexcept;

}  // namespace takt
