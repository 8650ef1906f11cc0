#include "physics/narrow_phase/contact_clipping.h"

#include <utility>

#include "physics/math/is_finite.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

// Tolerance of clipping, m: a point outside the reference face by less is kept. Flush corners then keep their
// features despite rounding noise.
constexpr double kClipSlackM = 0.001;
// Tie tolerance, m: candidates that differ by less are equal when four points are chosen, and the lower index
// wins. Symmetric shapes then keep their choice.
constexpr double kTieM = 0.00025;
// Sine of the largest angle at which two lines count as parallel, and as perpendicular to the normal: they
// then touch along a line.
constexpr double kParallelSine = 0.05;
// Shared length below which one point suffices, m.
constexpr double kMinOverlapM = 0.01;

/// A side plane of a reference face through `on`; `outward` is unit and perpendicular to the face's normal.
struct ClipSide {
  Vec3<double> on;
  Vec3<double> outward;
  std::uint32_t line = 0;
  [[nodiscard]] double distance(Vec3<double> p) const noexcept { return dot(outward, p - on); }
};

ClipSide side_of(const SurfacePatch& face, std::uint32_t edge) noexcept {
  const Vec3<double>& from = face.points[edge];
  const Vec3<double>& to = face.points[edge + 1 == face.count ? 0 : edge + 1];
  return {from, normalise_or(cross(to - from, face.normal), Vec3<double>{}, 0.0), kClipLines + edge};
}

/// Clips the polygon to one side, keeping corners up to kClipSlackM beyond it. Source: I. Sutherland, G.
/// Hodgman, Reentrant Polygon Clipping (1974).
void clip(ClipPolygon& polygon, const ClipSide& side) noexcept {
  bool all_inside = true;
  for (std::uint32_t i = 0; i < polygon.count; ++i)
    all_inside = all_inside && side.distance(polygon.corners[i].at) <= kClipSlackM;
  if (all_inside) return;
  ClipPolygon kept;
  auto const add = [&kept](const ClipCorner& corner) {
    if (kept.count < kMaxClipped) kept.corners[kept.count++] = corner;
  };
  bool const closed = polygon.count > 2;
  for (std::uint32_t i = 0; i < polygon.count; ++i) {
    const ClipCorner& from = polygon.corners[i];
    double const from_distance = side.distance(from.at);
    bool const from_in = from_distance <= kClipSlackM;
    if (from_in) add(from);
    if (!closed && i + 1 == polygon.count) break;
    const ClipCorner& to = polygon.corners[i + 1 == polygon.count ? 0 : i + 1];
    double const to_distance = side.distance(to.at);
    bool const to_in = to_distance <= kClipSlackM;
    // An inner end within the tolerance already represents the cut.
    if (from_in == to_in || !((from_in ? from_distance : to_distance) < 0.0)) continue;
    double const t = from_distance / (from_distance - to_distance);
    ClipCorner cut{from.at + (to.at - from.at) * t, 0, 0};
    cut.before = from_in ? from.after : side.line;
    cut.after = from_in ? side.line : from.after;
    add(cut);
  }
  polygon = kept;
}

ClipPolygon polygon_of(const SurfacePatch& patch, std::uint32_t step) noexcept {
  TAKT_ASSERT(step > 0 && patch.count % step == 0 && patch.count <= kMaxClipped);
  ClipPolygon polygon;
  for (std::uint32_t i = 0; i < patch.count; i += step) {
    std::uint32_t const before = i == 0 ? patch.count - step : i - step;
    polygon.corners[polygon.count++] = {patch.points[i], before, i};
  }
  return polygon;
}

}  // namespace

ClipPolygon clipped(const SurfacePatch& reference, const SurfacePatch& incident) noexcept {
  TAKT_VALIDATE(is_unit(reference.normal));
  ClipPolygon polygon = polygon_of(incident, incident.is_disc ? 2 : 1);
  for (int attempt = 0; attempt < 2; ++attempt) {
    bool all_inside = true;
    for (std::uint32_t edge = 0; edge < reference.count && polygon.count > 0; ++edge) {
      ClipSide const side = side_of(reference, edge);
      for (std::uint32_t i = 0; i < polygon.count; ++i)
        all_inside = all_inside && side.distance(polygon.corners[i].at) <= kClipSlackM;
      if (!all_inside && attempt == 0 && incident.is_disc) break;
      clip(polygon, side);
    }
    if (all_inside || !incident.is_disc) break;
    if (attempt == 0) polygon = polygon_of(incident, 1);
  }
  TAKT_ASSERT(polygon.count <= kMaxClipped);
  return polygon;
}

void reduce(std::span<const ManifoldPoint<double>> points, Manifold<double>& out) noexcept {
  auto const count = static_cast<std::uint32_t>(points.size());
  if (count <= 4) {
    for (std::uint32_t i = 0; i < count; ++i) out.points[i] = points[i];
    // Corners arrive in loop order. Solving them around the loop would drive a rotation that a tall body
    // sustains, so opposite corners come first.
    if (count == 4) std::swap(out.points[1], out.points[2]);
    out.point_count = count;
    return;
  }
  std::array<std::uint32_t, 4> chosen{};
  std::uint32_t taken = 0;
  // Chooses the point of the lowest score, m, within kTieM.
  auto const choose = [&](auto score) {
    double best = 0.0;
    bool found = false;
    auto const free = [&](std::uint32_t i) {
      for (std::uint32_t k = 0; k < taken; ++k) {
        if (chosen[k] == i) return false;
      }
      return true;
    };
    for (std::uint32_t i = 0; i < count; ++i) {
      if (!free(i)) continue;
      double const s = score(points[i]);
      if (!found || s < best) best = s;
      found = true;
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      if (!free(i) || score(points[i]) > best + kTieM) continue;
      chosen[taken++] = i;
      return;
    }
  };
  choose([](const ManifoldPoint<double>& p) { return p.separation; });
  Vec3<double> const origin = points[chosen[0]].position;
  choose([&](const ManifoldPoint<double>& p) { return -length(p.position - origin); });
  Vec3<double> const across =
      cross(out.normal, normalise_or(points[chosen[1]].position - origin, Vec3<double>{}, 0.0));
  choose([&](const ManifoldPoint<double>& p) { return -dot(across, p.position - origin); });
  choose([&](const ManifoldPoint<double>& p) { return dot(across, p.position - origin); });
  TAKT_ASSERT(taken == 4);
  for (std::uint32_t i = 0; i < 4; ++i) out.points[i] = points[chosen[i]];
  out.point_count = 4;
}

bool line_points(const SurfacePatch& first, const SurfacePatch& second, double radius_a, double radius_b,
                 const SeparatingAxis& axis, double limit, Manifold<double>& out) noexcept {
  if (first.count != 2 || second.count != 2) return false;
  Vec3<double> const along_a = first.points[1] - first.points[0];
  Vec3<double> const along_b = second.points[1] - second.points[0];
  double const size_a = length(along_a);
  double const size_b = length(along_b);
  if (length(cross(along_a, along_b)) > kParallelSine * size_a * size_b) return false;
  if (absolute(dot(axis.normal, along_a)) > kParallelSine * size_a ||
      absolute(dot(axis.normal, along_b)) > kParallelSine * size_b)
    return false;
  Vec3<double> const u = along_a * (1.0 / size_a);
  double const from = dot(u, second.points[0] - first.points[0]);
  double const to = dot(u, second.points[1] - first.points[0]);
  double const low = maximum(0.0, minimum(from, to));
  double const high = minimum(size_a, maximum(from, to));
  if (high - low < kMinOverlapM) return false;
  Manifold<double> line;
  line.normal = axis.normal;
  double const radii = radius_a + radius_b;
  double deepest = limit;
  std::uint32_t feature = 1;
  for (double const s : {low, high}) {
    Vec3<double> const on_a = first.points[0] + u * s;
    Vec3<double> const on_b = second.points[0] + along_b * clamp((s - from) / (to - from), 0.0, 1.0);
    double const height = dot(on_b - on_a, axis.normal);
    // Lines that pass beside each other do not touch at their ends.
    if (length(on_b - on_a - axis.normal * height) > 2.0 * kClipSlackM) return false;
    if (height <= limit) {
      deepest = minimum(deepest, height);
      Vec3<double> const at = (on_a + on_b) * 0.5 + axis.normal * (0.5 * (radius_a - radius_b));
      line.points[line.point_count++] = {at, height - radii, (1u << 29u) | feature};
    }
    ++feature;
  }
  if (line.point_count != 2 || absolute(deepest - axis.gap) > kLostDepthM) return false;
  out = line;
  return true;
}

void transform_points(const ConvexShape& a, const ConvexShape& b, SeparatingAxis& axis) {
  constexpr double kTooFarM = 0.001;
  Vec3<double> const out = axis.normal * (kTooFarM - axis.gap);
  SeparatingAxis const apart = separating_axis(a, b.moved(out), 1e6 * kTooFarM);
  axis.on_a = apart.on_a;
  axis.on_b = apart.on_b - out;
}

}  // namespace takt
