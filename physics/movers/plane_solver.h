// solve_planes() returns the displacement (or velocity) nearest to a wanted one that satisfies all contact
// planes of a mover at once. A MoverPlane demands dot(normal, displacement) >= min; MoverPlanes is a list of
// at most 12. The answer is exact, not iterative: in space at most three planes determine it. Hence every set
// of one, two and three planes is tried, unless the normals of the set are nearly linearly dependent. If no
// candidate satisfies all planes, the one with the smallest violation is returned.
//
// MoverCollision finds the planes; MoverSlide solves for displacements, MoverStep for velocities. The
// function uses binary64 and has no state.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "takt/physics/vector.h"

namespace takt {

/// Maximum number of planes of one solve. A capsule touches more only in a heap of rubble. 12 give 298
/// candidates.
inline constexpr std::size_t kMaxMoverPlanes = 12;

/// A constraint: dot(normal, displacement) >= min.
struct MoverPlane {
  Vec3<double> normal;         ///< unit, outward from the obstacle
  double min = 0.0;            ///< m, or m/s
  double gap = 0.0;            ///< m, between the surfaces
  Vec3<double> point;          ///< on the obstacle's surface, from the mover's start, m
  std::uint32_t obstacle = 0;  ///< index in MoverCollision
};

/// A fixed-capacity list of planes; a full list ignores further planes.
struct MoverPlanes {
  std::array<MoverPlane, kMaxMoverPlanes> planes;
  std::size_t count = 0;

  /// Adds a plane. If a plane of that obstacle has an equal direction (within 0.6 degrees), only the stricter
  /// stays.
  void add(const MoverPlane& plane) noexcept;
  [[nodiscard]] std::span<const MoverPlane> list() const noexcept { return {planes.data(), count}; }
};

/// Returns the allowed displacement nearest to `wanted`. If no candidate is allowed (the mover is squeezed),
/// returns the one with the smallest violation.
[[nodiscard]] Vec3<double> solve_planes(Vec3<double> wanted, std::span<const MoverPlane> planes) noexcept;

}  // namespace takt
