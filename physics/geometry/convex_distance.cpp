#include "physics/geometry/convex_distance.h"

#include "physics/math/is_finite.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

constexpr int kMaxSteps = 96;
// The search ends when the nearest point can approach by at most this fraction of its squared distance. Its
// direction is then accurate to the square root of this.
constexpr double kRelativeProgress = 1e-10;
// Cores closer than this fraction of their size count as touching: the direction between them would be noise.
constexpr double kTouchingFraction = 1e-9;

void keep(Simplex& s, std::initializer_list<std::uint32_t> indices,
          std::initializer_list<double> weights) noexcept {
  Simplex kept;
  auto weight = weights.begin();
  for (std::uint32_t const index : indices) {
    kept.points[kept.count] = s.points[index];
    kept.weights[kept.count++] = *weight++;
  }
  TAKT_ASSERT(kept.count >= 1 && kept.count <= 3);
  s = kept;
}

Vec3<double> weighted_sum(const Simplex& s) noexcept {
  Vec3<double> sum{};
  for (std::uint32_t i = 0; i < s.count; ++i) sum += s.points[i].w * s.weights[i];
  return sum;
}

/// Each of the following functions reduces the simplex to its part nearest to the origin and returns the
/// nearest point.
Vec3<double> nearest_on_segment(Simplex& s) noexcept {
  Vec3<double> const a = s.points[0].w;
  Vec3<double> const ab = s.points[1].w - a;
  double const along = -dot(a, ab);
  double const size = dot(ab, ab);
  if (!(along > 0.0)) {
    keep(s, {0}, {1.0});
  } else if (!(along < size)) {
    keep(s, {1}, {1.0});
  } else {
    double const t = along / size;
    s.weights = {1.0 - t, t, 0.0, 0.0};
  }
  return weighted_sum(s);
}

Vec3<double> nearest_on_triangle(Simplex& s) noexcept {
  Vec3<double> const a = s.points[0].w;
  Vec3<double> const b = s.points[1].w;
  Vec3<double> const c = s.points[2].w;
  Vec3<double> const ab = b - a;
  Vec3<double> const ac = c - a;
  double const d1 = -dot(ab, a);
  double const d2 = -dot(ac, a);
  double const d3 = -dot(ab, b);
  double const d4 = -dot(ac, b);
  double const d5 = -dot(ab, c);
  double const d6 = -dot(ac, c);
  // Areas projected on the normal. Products of the d values would square the thinness of the triangle.
  Vec3<double> const n = cross(ab, ac);
  double const va = dot(n, cross(b, c));
  double const vb = dot(n, cross(c, a));
  double const vc = dot(n, cross(a, b));
  if (d1 <= 0.0 && d2 <= 0.0) {
    keep(s, {0}, {1.0});
  } else if (d3 >= 0.0 && d4 <= d3) {
    keep(s, {1}, {1.0});
  } else if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) {
    double const t = d1 > d3 ? d1 / (d1 - d3) : 0.0;
    keep(s, {0, 1}, {1.0 - t, t});
  } else if (d6 >= 0.0 && d5 <= d6) {
    keep(s, {2}, {1.0});
  } else if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) {
    double const t = d2 > d6 ? d2 / (d2 - d6) : 0.0;
    keep(s, {0, 2}, {1.0 - t, t});
  } else if (va <= 0.0 && d4 >= d3 && d5 >= d6) {
    double const rise = (d4 - d3) + (d5 - d6);
    double const t = rise > 0.0 ? (d4 - d3) / rise : 0.0;
    keep(s, {1, 2}, {1.0 - t, t});
  } else {
    double const sum = va + vb + vc;
    s.weights = {va / sum, vb / sum, vc / sum, 0.0};
    return n * (dot(n, a) / dot(n, n));  // more exact than the weighted sum: the normal keeps its direction
                                         // however near the origin is
  }
  return weighted_sum(s);
}

/// Returns true when the origin is inside the tetrahedron. Otherwise `s` and `nearest` become those of its
/// nearest face. `may_hold` is false when a separating plane is known: tetrahedra flat to rounding would
/// contain anything.
bool holds_origin(Simplex& s, bool may_hold, Vec3<double>& nearest) noexcept {
  constexpr std::array<std::array<std::uint32_t, 4>, 4> kFaces = {
      {{0, 1, 2, 3}, {0, 3, 1, 2}, {0, 2, 3, 1}, {1, 3, 2, 0}}};
  Simplex best;
  double best_square = 0.0;
  bool outside = false;
  for (const auto& face : kFaces) {
    Vec3<double> const a = s.points[face[0]].w;
    Vec3<double> const ab = s.points[face[1]].w - a;
    Vec3<double> const ac = s.points[face[2]].w - a;
    Vec3<double> const ad = s.points[face[3]].w - a;
    Vec3<double> const n = cross(ab, ac);
    double const height = dot(n, ad);
    bool const flat = absolute(height) <= 1e-13 * length(n) * length(ad);
    if (may_hold && !flat && -dot(n, a) * height >= 0.0) continue;
    Simplex part;
    part.count = 3;
    for (std::size_t i = 0; i < 3; ++i) part.points[i] = s.points[face[i]];
    Vec3<double> const at = nearest_on_triangle(part);
    double const square = dot(at, at);
    if (!outside || square < best_square) {
      best = part;
      best_square = square;
      nearest = at;
    }
    outside = true;
  }
  if (!outside) return true;
  s = best;
  return false;
}

SeparatingAxis axis_between(const ConvexShape& a, const ConvexShape& b, const Simplex& s,
                            Vec3<double> nearest) {
  SeparatingAxis axis;
  axis.normal = nearest * (1.0 / length(nearest));
  DifferencePoint const end = difference_support(a, b, -axis.normal);
  axis.gap = dot(end.w, axis.normal);
  TAKT_VALIDATE(is_unit(axis.normal) && is_finite(axis.gap));
  for (std::uint32_t i = 0; i < s.count; ++i) {
    axis.on_a += s.points[i].a * s.weights[i];
    axis.on_b += s.points[i].b * s.weights[i];
  }
  return axis;
}

}  // namespace

SeparatingAxis separating_axis(const ConvexShape& a, const ConvexShape& b, double enough) {
  double const size = a.reach() + b.reach();
  double const touching = kTouchingFraction * size;
  Simplex s;
  Vec3<double> nearest = b.center() - a.center();
  if (!(length(nearest) > touching)) nearest = {0.0, 1.0, 0.0};
  s.points[0] = difference_support(a, b, -nearest);
  s.weights[0] = 1.0;
  s.count = 1;
  nearest = s.points[0].w;
  for (int step = 0; step < kMaxSteps; ++step) {
    double const square = dot(nearest, nearest);
    if (square <= touching * touching) return deepest_axis(a, b, s);
    DifferencePoint const next = difference_support(a, b, -nearest);
    double const along = dot(next.w, nearest);
    if (along > 0.0 && along * along > enough * enough * square) {
      double const distance = sqrt(square);
      return {nearest * (1.0 / distance), along / distance, next.a, next.b, false};
    }
    if (square - along <= kRelativeProgress * square) break;
    TAKT_ASSERT(s.count < 4);
    Simplex grown = s;
    grown.points[grown.count++] = next;
    Vec3<double> closer{};
    if (grown.count == 4) {
      if (holds_origin(grown, along <= 0.0, closer)) return deepest_axis(a, b, grown);
    } else {
      closer = grown.count == 3 ? nearest_on_triangle(grown) : nearest_on_segment(grown);
    }
    if (!(dot(closer, closer) < square)) break;  // rounding limit: no further progress
    s = grown;
    nearest = closer;
  }
  return axis_between(a, b, s, nearest);
}

}  // namespace takt
