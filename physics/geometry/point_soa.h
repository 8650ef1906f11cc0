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

/// Index of the first point with the largest dot(point, direction). `x` has all x, then all y, then all z,
/// `stride` of each, a multiple of PointSoa::kPadding.
using FarthestPoint = std::uint32_t (*)(const double* x, std::size_t stride,
                                        const Vec3<double>& direction) noexcept;
/// The search with at most `lanes` numbers side by side that this CPU runs. All give equal results.
[[nodiscard]] FarthestPoint farthest_point(std::uint32_t lanes) noexcept;

/// Corners of hulls, m, or unit normals of their faces; at least one point. One allocation, since worlds have
/// many hulls and two queries in a row seldom use the same hull.
class PointSoa {
 public:
  static constexpr int kPadding = 8;  ///< points of the widest lanes

  void assign(const std::vector<Vec3<double>>& points);

  [[nodiscard]] Vec3<double> point(std::size_t index) const noexcept {
    return {numbers_[index], numbers_[stride_ + index], numbers_[2 * stride_ + index]};
  }
  /// Index of the first point with the largest dot(point, direction).
  [[nodiscard]] std::uint32_t farthest(Vec3<double> direction) const noexcept;

 private:
  std::vector<double> numbers_;  ///< all x, all y, all z; each padded with the first point to a multiple of
                                 ///< kPadding, which changes no result
  std::size_t stride_ = 0;
};

}  // namespace takt
