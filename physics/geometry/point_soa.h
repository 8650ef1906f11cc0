// Points by coordinate, for the question that the general narrow phase asks most: which of them reaches
// farthest in a direction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "takt/physics/vector.h"

namespace takt {

/// Points of hulls, m, or unit normals of their faces: at least one. All in one piece, since worlds have many
/// hulls and each is seldom looked at twice in a row.
class PointColumns {
 public:
  void assign(const std::vector<Vec3<double>>& points);

  [[nodiscard]] Vec3<double> point(std::size_t index) const noexcept {
    return {numbers_[index], numbers_[stride_ + index], numbers_[2 * stride_ + index]};
  }
  /// The first of those with the largest dot(point, direction).
  [[nodiscard]] std::uint32_t farthest(Vec3<double> direction) const noexcept;

 private:
  std::vector<double> numbers_;  ///< all x, all y, all z; each filled up with the first point's to a multiple
                                 ///< of four, which changes no answer
  std::size_t stride_ = 0;
};

}  // namespace takt
