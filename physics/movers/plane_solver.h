// solve_planes() returns the displacement (or velocity) nearest to a wanted one that satisfies all contact
// planes of a mover at once. A MoverPlane demands dot(normal, displacement) >= min; MoverPlanes is a list of
// at most 12. The answer is exact, not iterative: in space at most three planes determine it. Candidates are
// 0, the wanted displacement, and its nearest point on each set of one, two or three planes. Sets whose
// normals are nearly linearly dependent are left out. If no candidate satisfies all planes within 1e-9, the
// candidate whose largest violation is smallest is returned.
//
// MoverCollision finds the planes; MoverSlide solves for displacements, MoverStep for velocities. The
// function uses binary64 and has no state.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "takt/physics/vector.h"

namespace takt {

/// Maximum number of planes of one solve. A capsule touches more only in a heap of rubble. 12 planes give 298
/// sets. A change of it changes results.
inline constexpr std::size_t kMaxMoverPlanes = 12;

/// A constraint: dot(normal, displacement) >= min.
struct MoverPlane {
  Vec3<double> normal;         ///< unit, outward from the obstacle
  double min = 0.0;            ///< m, or m/s for velocities
  double gap = 0.0;            ///< m, between the surfaces; below 0: overlap. Unused by solve_planes()
  Vec3<double> point;          ///< on the obstacle's surface, from the mover's start, m
  std::uint32_t obstacle = 0;  ///< index in MoverCollision
};

/// A fixed-capacity list of planes; a full list ignores further planes.
struct MoverPlanes {
  std::array<MoverPlane, kMaxMoverPlanes> planes;
  std::size_t count = 0;

  /// Adds a plane. If a plane of the same obstacle has an equal direction (within 0.6 degrees), only the one
  /// with the larger `min` stays.
  void add(const MoverPlane& plane) noexcept;
  [[nodiscard]] std::span<const MoverPlane> list() const noexcept { return {planes.data(), count}; }
};

/// Returns the displacement nearest to `wanted` that satisfies all planes, or the best candidate (see above)
/// if the mover is squeezed. `planes` has at most kMaxMoverPlanes entries (asserted); the first of equal
/// candidates wins.
[[nodiscard]] Vec3<double> solve_planes(Vec3<double> wanted, std::span<const MoverPlane> planes) noexcept;

}  // namespace takt
