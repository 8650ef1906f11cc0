// The last step of the search for the largest gap of shapes that overlap (sampled_distance.h), whose random
// climb stays behind on creases by up to millimetres: around the best direction, the planes through three
// points each of the difference of the shapes, as its support points nearby say. At a crease's end the top is
// such a plane; where the difference is round, planes through ever nearer points converge to it.
#pragma once

#include "tests/property/physics/certified_distance.h"

namespace takt::test {

inline BestGap polish(const WideShape& a, const WideShape& b, BestGap from) {
  constexpr int kRing = 10;
  for (Wide reach = 0.2L; reach > 1e-7L;) {
    WideVec const side = std::abs(from.direction.x) < 0.7L ? WideVec{1, 0, 0} : WideVec{0, 1, 0};
    WideVec const u = towards(outer(from.direction, side));
    WideVec const v = outer(from.direction, u);
    std::vector<WideVec> points;
    auto const add = [&](WideVec d) {
      WideVec const p = core_support(b, d * -1) - core_support(a, d);
      bool const known =
          std::any_of(points.begin(), points.end(), [&](WideVec q) { return size_of(q - p) < 1e-12L; });
      if (!known) points.push_back(p);
    };
    add(from.direction);
    for (int i = 0; i < kRing; ++i) {
      Wide const angle = i * 2.399963229728653L;
      Wide const r = i % 2 == 0 ? reach : 0.3L * reach;
      add(towards(from.direction + u * (r * std::cos(angle)) + v * (r * std::sin(angle))));
    }
    BestGap best = from;
    for (std::size_t i = 0; i < points.size(); ++i) {
      for (std::size_t k = i + 1; k < points.size(); ++k) {
        for (std::size_t m = k + 1; m < points.size(); ++m) {
          WideVec const n = outer(points[k] - points[i], points[m] - points[i]);
          if (!(size_of(n) > 1e-18L)) continue;
          WideVec const d = inner(n, from.direction) < 0 ? towards(n) * -1 : towards(n);
          Wide const g = gap(a, b, d);
          if (g > best.gap) best = {d, g};
        }
      }
    }
    bool const better = best.gap > from.gap + 1e-12L;
    from = best;
    if (!better) reach *= 0.4L;
  }
  return from;
}

}  // namespace takt::test
