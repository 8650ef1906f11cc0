#include "physics/geometry/point_soa.h"

#include "physics/geometry/farthest_point.h"
#include "physics/simd/cpu_dispatch.h"
#include "takt/core/assert.h"

namespace takt {

FarthestPoint farthest_point_4() noexcept;  // farthest_point_avx2.cpp
FarthestPoint farthest_point_8() noexcept;  // farthest_point_avx512.cpp

FarthestPoint farthest_point(std::uint32_t lanes) noexcept {
  if (lanes >= 8 && has_avx512()) return farthest_point_8();
  if (lanes >= 4 && has_avx2()) return farthest_point_4();
  return &farthest_of<2>;
}

void PointSoa::assign(const std::vector<Vec3<double>>& points) {
  TAKT_ASSERT(!points.empty());
  stride_ = (points.size() + kPadding - 1) / kPadding * kPadding;
  numbers_.resize(3 * stride_);
  for (std::size_t i = 0; i < stride_; ++i) {
    Vec3<double> const p = points[i < points.size() ? i : 0];
    numbers_[i] = p.x;
    numbers_[stride_ + i] = p.y;
    numbers_[2 * stride_ + i] = p.z;
  }
}

std::uint32_t PointSoa::farthest(Vec3<double> direction) const noexcept {
  TAKT_VALIDATE(stride_ >= kPadding);
  static const FarthestPoint kWidest = farthest_point(kPadding);
  return kWidest(numbers_.data(), stride_, direction);
}

}  // namespace takt
