#include "physics/geometry/point_soa.h"

#include <cstring>

#include "takt/core/assert.h"

namespace takt {
namespace {

constexpr std::size_t kTogether = 4;

using Double2 = double __attribute__((vector_size(16)));
using Mask2 = std::int64_t __attribute__((vector_size(16)));

Double2 load(const double* from) noexcept {
  Double2 v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

/// Two running maxima, each over every fourth point.
struct Runs {
  Double2 max;
  Mask2 best;

  void look_at(Double2 at, Mask2 index) noexcept {
    Mask2 const farther = at > max;
    max = farther ? at : max;
    best = farther ? index : best;
  }
};

}  // namespace

void PointSoa::assign(const std::vector<Vec3<double>>& points) {
  TAKT_ASSERT(!points.empty());
  stride_ = (points.size() + kTogether - 1) / kTogether * kTogether;
  numbers_.resize(3 * stride_);
  for (std::size_t i = 0; i < stride_; ++i) {
    Vec3<double> const p = points[i < points.size() ? i : 0];
    numbers_[i] = p.x;
    numbers_[stride_ + i] = p.y;
    numbers_[2 * stride_ + i] = p.z;
  }
}

std::uint32_t PointSoa::farthest(Vec3<double> direction) const noexcept {
  TAKT_VALIDATE(stride_ >= kTogether);
  Double2 const dx = Double2{} + direction.x;
  Double2 const dy = Double2{} + direction.y;
  Double2 const dz = Double2{} + direction.z;
  const double* const x = numbers_.data();
  const double* const y = x + stride_;
  const double* const z = y + stride_;
  auto const reach = [&](std::size_t i) { return load(x + i) * dx + load(y + i) * dy + load(z + i) * dz; };
  Runs even{reach(0), {0, 1}};
  Runs odd{reach(2), {2, 3}};
  Mask2 index{0, 1};
  for (std::size_t i = kTogether; i < stride_; i += kTogether) {
    index += 4;
    even.look_at(reach(i), index);
    odd.look_at(reach(i + 2), index + 2);
  }
  double max = even.max[0];
  std::int64_t best = even.best[0];
  auto const compare = [&](double at, std::int64_t of) {
    if (!(at > max || (at == max && of < best))) return;
    max = at;
    best = of;
  };
  compare(even.max[1], even.best[1]);
  compare(odd.max[0], odd.best[0]);
  compare(odd.max[1], odd.best[1]);
  return static_cast<std::uint32_t>(best);
}

}  // namespace takt
