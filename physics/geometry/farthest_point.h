// farthest_of<W>() is the search of PointSoa::farthest() with W numbers side by side. Each sum of products is
// the scalar one, and of equal sums the first point counts, so W never changes the result. Three files
// compile farthest_of(), each for one instruction set: point_soa.cpp, farthest_point_avx2.cpp and
// farthest_point_avx512.cpp. No other file includes this header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "physics/geometry/point_soa.h"

namespace takt {
namespace {  // NOLINT: internal linkage, see vector_lanes.h

template <int W>
struct FarthestVectors {
  typedef double V __attribute__((vector_size(W * 8)));
  typedef long long M __attribute__((vector_size(W * 8)));
};

template <int W>
struct FarthestLanes {
  using V = typename FarthestVectors<W>::V;
  using M = typename FarthestVectors<W>::M;

  V max;
  M best;

  static V load(const double* from) {
    V v;
    __builtin_memcpy(&v, from, sizeof v);
    return v;
  }
  static M first_indices() {
    M index{};
    for (int i = 0; i < W; ++i) index[i] = i;
    return index;
  }
  [[gnu::always_inline]] void update(V at, M index) {
    M const farther = at > max;
    max = farther ? at : max;
    best = farther ? index : best;
  }
  /// Half as many lanes, each with the better of two lanes.
  [[gnu::always_inline]] FarthestLanes<W / 2> halved() const {
    return [this]<int... Lane>(std::integer_sequence<int, Lane...>) {
      using Half = FarthestLanes<W / 2>;
      Half low{__builtin_shufflevector(max, max, Lane...), __builtin_shufflevector(best, best, Lane...)};
      Half const high{__builtin_shufflevector(max, max, (Lane + W / 2)...),
                      __builtin_shufflevector(best, best, (Lane + W / 2)...)};
      low.join(high);
      return low;
    }
    (std::make_integer_sequence<int, W / 2>{});
  }
  [[gnu::always_inline]] void join(const FarthestLanes& other) {
    M const farther = (other.max > max) | ((other.max == max) & (other.best < best));
    max = farther ? other.max : max;
    best = farther ? other.best : best;
  }
};

/// Index of the farthest point among the lanes; the lower index of equally far ones.
[[maybe_unused]] inline std::uint32_t first_farthest(const FarthestLanes<2>& pair) {
  bool const second =
      pair.max[1] > pair.max[0] || (pair.max[1] == pair.max[0] && pair.best[1] < pair.best[0]);
  return static_cast<std::uint32_t>(second ? pair.best[1] : pair.best[0]);
}
template <int W>
[[gnu::always_inline]] inline std::uint32_t first_farthest(const FarthestLanes<W>& lanes) {
  return first_farthest(lanes.halved());
}

/// The search of FarthestPoint (point_soa.h); `stride` is above 0. Two independent runs of lanes hide
/// latencies where kPadding allows two.
template <int W>
std::uint32_t farthest_of(const double* x, std::size_t stride, const Vec3<double>& direction) noexcept {
  using Lanes = FarthestLanes<W>;
  using V = typename Lanes::V;
  constexpr int kRuns = W < PointSoa::kPadding ? 2 : 1;
  static_assert(PointSoa::kPadding % (W * kRuns) == 0);
  V const dx = V{} + direction.x;
  V const dy = V{} + direction.y;
  V const dz = V{} + direction.z;
  const double* const y = x + stride;
  const double* const z = y + stride;
  auto const reach = [&](std::size_t i) {
    return Lanes::load(x + i) * dx + Lanes::load(y + i) * dy + Lanes::load(z + i) * dz;
  };
  auto index = Lanes::first_indices();
  Lanes even{reach(0), index};
  Lanes odd = kRuns == 2 ? Lanes{reach(W), index + W} : even;
  for (std::size_t i = W * kRuns; i < stride; i += W * kRuns) {
    index += W * kRuns;
    even.update(reach(i), index);
    if constexpr (kRuns == 2) odd.update(reach(i + W), index + W);
  }
  if constexpr (kRuns == 2) even.join(odd);
  return first_farthest(even);
}

}  // namespace
}  // namespace takt
