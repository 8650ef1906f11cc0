#include "physics/geometry/convex_cast.h"

#include "physics/geometry/convex_distance.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

// Iteration limit. On a grazing path each iteration at least halves the rest, and 48 halvings of the longest
// cast end below the tolerance. Hits take 3 to 8 iterations.
constexpr int kMaxSteps = 64;

// Larger than any distance, and its square is finite.
constexpr double kFar = 1e100;

/// True when the bounding spheres of the two shapes stay apart during the cast.
bool spheres_miss(const ConvexShape& moving, Vec3<double> translation, const ConvexShape& still,
                  double touch) noexcept {
  Vec3<double> const away = moving.center() - still.center();
  double const square = dot(translation, translation);
  double const t = square > 0.0 ? clamp(-dot(away, translation) / square, 0.0, 1.0) : 0.0;
  return length(away + translation * t) > touch;
}

}  // namespace

double cast_tolerance_m(const ConvexShape& a, const ConvexShape& b) noexcept {
  return kCastToleranceM + kCastToleranceFraction * (a.reach() + a.radius() + b.reach() + b.radius());
}

Nearness nearness(const ConvexShape& shape, const ConvexShape& other, double enough) {
  double const radii = shape.radius() + other.radius();
  SeparatingAxis axis = separating_axis(shape, other, enough + radii);
  Nearness found{axis.gap - radii, -axis.normal, {}};
  if (axis.overlap) {
    // Separates the shapes along the axis, so that nearest points exist again.
    Vec3<double> const apart = axis.normal * (axis.gap - cast_tolerance_m(shape, other));
    axis = separating_axis(shape.moved(apart), other, kFar);
  }
  found.point = axis.on_b + found.normal * other.radius();
  return found;
}

Nearness nearness_to_plane(const ConvexShape& shape, Vec3<double> on, Vec3<double> up) noexcept {
  Vec3<double> const lowest = shape.support(-up);
  double const height = dot(up, lowest - on);
  return {height - shape.radius(), up, lowest - up * height};
}

std::optional<ConvexHit> cast_convex(const ConvexShape& moving, Vec3<double> translation,
                                     const ConvexShape& still) {
  double const radii = moving.radius() + still.radius();
  double const tolerance = cast_tolerance_m(moving, still);
  if (spheres_miss(moving, translation, still, moving.reach() + still.reach() + radii + tolerance))
    return std::nullopt;
  double t = 0.0;
  for (int step = 0;; ++step) {
    ConvexShape const there = moving.moved(translation * t);
    SeparatingAxis const axis = separating_axis(there, still, kFar);
    double const distance = axis.gap - radii;
    double const approach = dot(axis.normal, translation);
    bool const overlaps = step == 0 && distance < -tolerance;
    if (!overlaps && !(approach > 0.0)) return std::nullopt;
    if (distance <= tolerance || step == kMaxSteps) {
      TAKT_ASSERT(t >= 0.0 && t <= 1.0);
      ConvexHit hit{t, nearness(there, still, kFar)};
      if (!overlaps) hit.nearness.distance = 0.0;
      return hit;
    }
    t += (distance - 0.5 * tolerance) / approach;
    if (!(t <= 1.0)) return std::nullopt;
  }
}

std::optional<ConvexHit> cast_convex_on_plane(const ConvexShape& moving, Vec3<double> translation,
                                              Vec3<double> on, Vec3<double> up) noexcept {
  Nearness const start = nearness_to_plane(moving, on, up);
  double const approach = -dot(up, translation);
  if (start.distance < -kCastToleranceM) return ConvexHit{0.0, start};
  if (!(approach > 0.0)) return std::nullopt;
  double const t = maximum(start.distance, 0.0) / approach;
  if (!(t <= 1.0)) return std::nullopt;
  ConvexHit hit{t, nearness_to_plane(moving.moved(translation * t), on, up)};
  hit.nearness.distance = 0.0;
  return hit;
}

}  // namespace takt
