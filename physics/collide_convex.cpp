// Any two convex shapes: the best flat face when clipping proves it right, else the separating axis of the cores, and from either a manifold. Half-spaces
// with cylinders, cones and hulls stand at the end. Geometry in binary64 (docs/adr/0005); results are rounded to Real once.
#include <utility>

#include "physics/convex_distance.h"
#include "physics/manifold.h"
#include "physics/tuning.h"

namespace takt {
namespace {

// A face is kept when its gap is less than the best axis' by no more than this, m, so that what rests on a face keeps its points.
constexpr double kFaceBiasM = 0.002;
// The second shape's face becomes the reference only when it is better by this, m.
constexpr double kSecondFaceBiasM = 0.0005;
// A point may lie this far outside the reference face before it is cut off, m: flush corners keep their features while they tremble by rounding.
constexpr double kClipSlackM = 0.001;
// A face's deepest point may be less deep than the axis by this, m; else the axis' own point is used.
constexpr double kLostDepthM = 0.002;
// Points that differ by less than this, m, are alike when four are chosen: the lower place wins, so that symmetric shapes keep their choice.
constexpr double kTieM = 0.00025;
// Two lines within this sine of parallel, and square to the normal within it, touch along a line.
constexpr double kParallelSine = 0.05;
// Shared length below which one point is enough, m.
constexpr double kLeastOverlapM = 0.01;

// Above this many products of a face and a corner the separating axis is the cheaper beginning (some 10 us).
constexpr std::uint32_t kMostProducts = 2000;

constexpr std::uint32_t kMaxClipped = 2 * kMaxHullVertices;
constexpr std::uint32_t kClipLines = 64;  // line names: below it edges of the incident patch, from it on sides of the reference face

/// A corner of what is being clipped. `before` and `after` name the lines that meet in it.
struct ClipCorner {
  Vec3<double> at;
  std::uint32_t before = 0;
  std::uint32_t after = 0;
};

struct ClipPolygon {
  std::array<ClipCorner, kMaxClipped> corners;
  std::uint32_t count = 0;
};

/// The side of a reference face through `on`; `outward` is unit and square to the face's normal.
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

/// Keeps what is inside, and corners up to kClipSlackM beyond. Source: I. Sutherland, G. Hodgman, Reentrant Polygon Clipping (1974).
void clip(ClipPolygon& polygon, const ClipSide& side) noexcept {
  bool whole = true;
  for (std::uint32_t i = 0; i < polygon.count; ++i) whole = whole && side.distance(polygon.corners[i].at) <= kClipSlackM;
  if (whole) return;
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
    // An inside end within the slack already stands for the cut.
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
  ClipPolygon polygon;
  for (std::uint32_t i = 0; i < patch.count; i += step) {
    std::uint32_t const before = i == 0 ? patch.count - step : i - step;
    polygon.corners[polygon.count++] = {patch.points[i], before, i};
  }
  return polygon;
}

/// What of the incident patch lies over the reference face. A disc that lies over it wholly is its square, and so keeps four points.
ClipPolygon clipped(const SurfacePatch& reference, const SurfacePatch& incident) noexcept {
  ClipPolygon polygon = polygon_of(incident, incident.is_disc ? 2 : 1);
  for (int attempt = 0; attempt < 2; ++attempt) {
    bool whole = true;
    for (std::uint32_t edge = 0; edge < reference.count && polygon.count > 0; ++edge) {
      ClipSide const side = side_of(reference, edge);
      for (std::uint32_t i = 0; i < polygon.count; ++i) whole = whole && side.distance(polygon.corners[i].at) <= kClipSlackM;
      if (!whole && attempt == 0 && incident.is_disc) break;
      clip(polygon, side);
    }
    if (whole || !incident.is_disc) break;
    if (attempt == 0) polygon = polygon_of(incident, 1);
  }
  return polygon;
}

/// reduce_points with ties: the first point within kTieM of the deepest, the first within kTieM of the farthest from it, and so on.
void reduce(const std::array<ManifoldPoint<double>, kMaxClipped>& points, std::uint32_t count, Manifold<double>& out) noexcept {
  if (count <= 4) {
    for (std::uint32_t i = 0; i < count; ++i) out.points[i] = points[i];
    // Corners come in the order of a loop. Solved one after the other round the loop they would drive a swirl, which a tall body keeps up: opposite first.
    if (count == 4) std::swap(out.points[1], out.points[2]);
    out.point_count = count;
    return;
  }
  std::array<std::uint32_t, 4> chosen{};
  std::uint32_t taken = 0;
  // `score` grows from better to worse by metres.
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
  Vec3<double> const across = cross(out.normal, normalise_or(points[chosen[1]].position - origin, Vec3<double>{}, 0.0));
  choose([&](const ManifoldPoint<double>& p) { return -dot(across, p.position - origin); });
  choose([&](const ManifoldPoint<double>& p) { return dot(across, p.position - origin); });
  for (std::uint32_t i = 0; i < 4; ++i) out.points[i] = points[chosen[i]];
  out.point_count = 4;
}

struct BestFace {
  bool found = false;
  bool of_second = false;
  std::uint32_t index = 0;
  FlatFace face;
  double gap = 0.0;  ///< between the cores, along its normal
};

BestFace measured(const ConvexShape& shape, const ConvexShape& other, bool second, std::uint32_t index) noexcept {
  FlatFace const face = shape.flat_face(index);
  return {true, second, index, face, dot(face.normal, other.support(-face.normal)) - face.offset};
}

BestFace better(const BestFace& first, const BestFace& second) noexcept {
  if (!first.found) return second;
  return second.found && second.gap > first.gap + kSecondFaceBiasM ? second : first;
}

/// Of all faces of both.
BestFace best_face(const ConvexShape& a, const ConvexShape& b) noexcept {
  auto const best_of = [](const ConvexShape& shape, const ConvexShape& other, bool second) {
    BestFace best;
    for (std::uint32_t i = 0; i < shape.flat_face_count(); ++i) {
      BestFace const face = measured(shape, other, second, i);
      if (!best.found || face.gap > best.gap) best = face;
    }
    return best;
  };
  return better(best_of(a, b, false), best_of(b, a, true));
}

/// Of the two that look along an axis.
BestFace face_along(const ConvexShape& a, const ConvexShape& b, Vec3<double> normal) noexcept {
  auto const of = [](const ConvexShape& shape, const ConvexShape& other, bool second, Vec3<double> direction) {
    return shape.flat_face_count() > 0 ? measured(shape, other, second, shape.flat_face_towards(direction)) : BestFace{};
  };
  return better(of(a, b, false, normal), of(b, a, true, -normal));
}

/// The manifold on a face. Returns the height of its deepest point over the core's face; without points, `limit`.
double face_points(const ConvexShape& a, const ConvexShape& b, const BestFace& best, double limit, Manifold<double>& out) noexcept {
  const ConvexShape& reference = best.of_second ? b : a;
  const ConvexShape& incident = best.of_second ? a : b;
  SurfacePatch face;
  SurfacePatch patch;
  reference.flat_patch(best.index, face);
  incident.patch_towards(-best.face.normal, patch);
  ClipPolygon const polygon = clipped(face, patch);
  Vec3<double> const normal = best.face.normal;
  out.normal = best.of_second ? -normal : normal;
  std::array<ManifoldPoint<double>, kMaxClipped> points;
  std::uint32_t count = 0;
  double deepest = limit;
  std::uint32_t const faces = (best.of_second ? 1u << 28u : 0u) | (face.id << 21u) | (patch.id << 14u);
  for (std::uint32_t i = 0; i < polygon.count; ++i) {
    const ClipCorner& corner = polygon.corners[i];
    double const height = dot(normal, corner.at) - best.face.offset;
    if (height > limit) continue;
    deepest = minimum(deepest, height);
    double const separation = height - reference.radius() - incident.radius();
    // Midway between the incident surface, radius below the corner, and the reference surface.
    Vec3<double> const at = corner.at - normal * (incident.radius() + 0.5 * separation);
    points[count++] = {at, separation, faces | (corner.before << 7u) | corner.after};
  }
  reduce(points, count, out);
  return deepest;
}

/// Two lines side by side, such as cylinders lying on one another: the two ends of the stretch they share. `axis` is the cores' separating axis.
bool line_points(const ConvexShape& a, const ConvexShape& b, const SeparatingAxis& axis, double limit, Manifold<double>& out) noexcept {
  SurfacePatch first;
  SurfacePatch second;
  a.patch_towards(axis.normal, first);
  b.patch_towards(-axis.normal, second);
  if (first.count != 2 || second.count != 2) return false;
  Vec3<double> const along_a = first.points[1] - first.points[0];
  Vec3<double> const along_b = second.points[1] - second.points[0];
  double const size_a = length(along_a);
  double const size_b = length(along_b);
  if (length(cross(along_a, along_b)) > kParallelSine * size_a * size_b) return false;
  if (absolute(dot(axis.normal, along_a)) > kParallelSine * size_a || absolute(dot(axis.normal, along_b)) > kParallelSine * size_b) return false;
  Vec3<double> const u = along_a * (1.0 / size_a);
  double const from = dot(u, second.points[0] - first.points[0]);
  double const to = dot(u, second.points[1] - first.points[0]);
  double const low = maximum(0.0, minimum(from, to));
  double const high = minimum(size_a, maximum(from, to));
  if (high - low < kLeastOverlapM) return false;
  Manifold<double> line;
  line.normal = axis.normal;
  double const radii = a.radius() + b.radius();
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
      Vec3<double> const at = (on_a + on_b) * 0.5 + axis.normal * (0.5 * (a.radius() - b.radius()));
      line.points[line.point_count++] = {at, height - radii, (1u << 29u) | feature};
    }
    ++feature;
  }
  if (line.point_count != 2 || absolute(deepest - axis.gap) > kLostDepthM) return false;
  out = line;
  return true;
}

/// Where overlapping cores meet: where they come nearest when the second is pulled out along the axis, a little too far.
void place_points(const ConvexShape& a, const ConvexShape& b, SeparatingAxis& axis) {
  constexpr double kTooFarM = 0.001;
  Vec3<double> const out = axis.normal * (kTooFarM - axis.gap);
  SeparatingAxis const apart = separating_axis(a, b.moved(out), 1e6 * kTooFarM);
  axis.on_a = apart.on_a;
  axis.on_b = apart.on_b - out;
}

void collide_cores(const ConvexShape& a, const ConvexShape& b, Manifold<double>& out) {
  out.point_count = 0;
  double const radii = a.radius() + b.radius();
  double const limit = kSpeculativeDistanceM + radii;
  bool const many = a.flat_face_count() * b.corner_count() + b.flat_face_count() * a.corner_count() > kMostProducts;
  BestFace best;
  if (!many) best = best_face(a, b);
  if (best.found && best.gap > limit) return;
  // No axis has a gap above the distance of two points, and none above 0 when the cores overlap: a point over the face, or nearly in it, proves the face.
  if (best.found && best.gap >= -kFaceBiasM) {
    double const height = face_points(a, b, best, limit, out);
    if (out.point_count > 0 && maximum(height, 0.0) - best.gap <= kFaceBiasM) return;
    out.point_count = 0;
  }
  SeparatingAxis axis = separating_axis(a, b, limit);
  if (axis.gap > limit) return;
  if (many) best = face_along(a, b, axis.normal);
  if (best.found && best.gap >= axis.gap - kFaceBiasM) {
    double const height = face_points(a, b, best, limit, out);
    if (out.point_count > 0 && height <= axis.gap + kLostDepthM) return;
  }
  if (line_points(a, b, axis, limit, out)) return;
  if (axis.overlap) place_points(a, b, axis);
  double const separation = axis.gap - radii;
  Vec3<double> const middle = (axis.on_a + axis.on_b) * 0.5;
  out.normal = axis.normal;
  // Midway between the surfaces: the cores' middle, moved by half the difference of the radii.
  out.points[0] = {middle + axis.normal * (0.5 * (a.radius() - b.radius())), separation, 1u << 30u};
  out.point_count = 1;
}

template <class Real>
void round_into(const Manifold<double>& from, Manifold<Real>& out) noexcept {
  auto const rounded = [](Vec3<double> v) { return Vec3<Real>{to_real<Real>(v.x), to_real<Real>(v.y), to_real<Real>(v.z)}; };
  out.normal = rounded(from.normal);
  out.point_count = from.point_count;
  for (std::uint32_t i = 0; i < from.point_count; ++i) {
    out.points[i] = {rounded(from.points[i].position), to_real<Real>(from.points[i].separation), from.points[i].feature};
  }
}

}  // namespace

template <class Real>
void collide_convex(const ShapeGeometry<Real>& first, const ShapeGeometry<Real>& second, Vec3<Real> between, Manifold<Real>& out) {
  Manifold<double> manifold;
  collide_cores(ConvexShape(first, {}), ConvexShape(second, to_double(between)), manifold);
  round_into(manifold, out);
}

template <class Real>
void collide_convex_half_space(const ShapeGeometry<Real>& first, const ShapeGeometry<Real>& half_space, Vec3<Real> between, Manifold<Real>& out) {
  ConvexShape const shape(first, {});
  Vec3<double> const up = to_double(half_space.rotation.y);
  double const ground = dot(up, to_double(between));
  SurfacePatch patch;
  shape.corners_towards(-up, patch);
  Manifold<double> manifold;
  manifold.normal = -up;
  std::array<ManifoldPoint<double>, kMaxClipped> points;
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < patch.count; i += patch.is_disc ? 2 : 1) {
    double const height = dot(up, patch.points[i]) - ground - shape.radius();
    if (height > kSpeculativeDistanceM) continue;
    points[count++] = {patch.points[i] - up * (shape.radius() + 0.5 * height), height, (patch.id << 7u) | i};
  }
  reduce(points, count, manifold);
  round_into(manifold, out);
}

#define TAKT_INSTANTIATE(Real)                                                                                       \
  template void collide_convex(const ShapeGeometry<Real>&, const ShapeGeometry<Real>&, Vec3<Real>, Manifold<Real>&); \
  template void collide_convex_half_space(const ShapeGeometry<Real>&, const ShapeGeometry<Real>&, Vec3<Real>, Manifold<Real>&);
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
