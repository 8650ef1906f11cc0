// PointSoa stores points by coordinate (structure of arrays: all x, all y, all z). farthest() returns the
// index of the point farthest along a direction, with SIMD. HullGeometry stores its corners and its face
// normals as PointSoa. Support queries of hulls are the most frequent operation of GJK and EPA
// (convex_distance.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "takt/physics/vector.h"

namespace takt {

/// Returns the index of the first point with the largest dot(point, direction). `x` points to all x, then all
/// y, then all z. There are `stride` of each, a multiple of PointSoa::kPadding above 0.
using FarthestPoint = std::uint32_t (*)(const double* x, std::size_t stride,
                                        const Vec3<double>& direction) noexcept;
/// Returns the widest search that this CPU runs with at most `lanes` numbers side by side, at least 2. All
/// searches give equal results.
[[nodiscard]] FarthestPoint farthest_point(std::uint32_t lanes) noexcept;

/// At least one point: corners of a hull, m, or unit normals of its faces. All numbers are in one allocation,
/// since worlds have many hulls and two queries in a row seldom use the same hull.
class PointSoa {
 public:
  static constexpr int kPadding = 8;  ///< points of the widest lanes

  /// Replaces all points. `points` must not be empty.
  void assign(const std::vector<Vec3<double>>& points);

  /// Point `index`, which must be below the number assigned; it is not checked.
  [[nodiscard]] Vec3<double> point(std::size_t index) const noexcept {
    return {numbers_[index], numbers_[stride_ + index], numbers_[2 * stride_ + index]};
  }
  /// Index of the first point with the largest dot(point, direction). Needs assign() before.
  [[nodiscard]] std::uint32_t farthest(Vec3<double> direction) const noexcept;

 private:
  std::vector<double> numbers_;  ///< all x, all y, all z; each padded with the first point to a multiple of
                                 ///< kPadding, which changes no result
  std::size_t stride_ = 0;
};

}  // namespace takt
