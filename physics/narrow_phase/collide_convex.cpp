// Contact manifold of any two convex shapes: from the best flat face if clipping proves it, otherwise from
// the separating axis of the cores. Half-spaces with cylinders, cones and hulls are at the end. Geometry in
// binary64 (docs/adr/0005); results are rounded to Real once.
#include "physics/base/solver_constants.h"
#include "physics/math/is_finite.h"
#include "physics/narrow_phase/contact_clipping.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

// Advantage, m, that the second shape's face needs to become the reference.
constexpr double kSecondFaceBiasM = 0.0005;
// Above this number of face-corner products, computing the separating axis first is cheaper (some 10 us).
constexpr std::uint32_t kMaxProducts = 2000;

struct BestFace {
  bool found = false;
  bool of_second = false;
  std::uint32_t index = 0;
  FlatFace face;
  double gap = 0.0;  ///< between the cores, along its normal
};

BestFace measured(const ConvexShape& shape, const ConvexShape& other, bool second,
                  std::uint32_t index) noexcept {
  FlatFace const face = shape.flat_face(index);
  return {true, second, index, face, dot(face.normal, other.support(-face.normal)) - face.offset};
}

BestFace better(const BestFace& first, const BestFace& second) noexcept {
  if (!first.found) return second;
  return second.found && second.gap > first.gap + kSecondFaceBiasM ? second : first;
}

/// Best of all faces of both shapes.
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

/// Better of the two faces that point along an axis.
BestFace face_along(const ConvexShape& a, const ConvexShape& b, Vec3<double> normal) noexcept {
  auto const of = [](const ConvexShape& shape, const ConvexShape& other, bool second,
                     Vec3<double> direction) {
    return shape.flat_face_count() > 0 ? measured(shape, other, second, shape.flat_face_towards(direction))
                                       : BestFace{};
  };
  return better(of(a, b, false, normal), of(b, a, true, -normal));
}

/// Builds the manifold on a face. Returns the height of its deepest point over the core's face; without
/// points, `limit`.
double face_points(const ConvexShape& a, const ConvexShape& b, const BestFace& best, double limit,
                   Manifold<double>& out) noexcept {
  TAKT_ASSERT(best.found);
  TAKT_VALIDATE(is_unit(best.face.normal));
  const ConvexShape& reference = best.of_second ? b : a;
  const ConvexShape& incident = best.of_second ? a : b;
  SurfacePatch face;
  SurfacePatch patch;
  reference.flat_patch(best.index, face);
  incident.patch_towards(-best.face.normal, patch);
  ClipPolygon const polygon = clipped(face, patch);
  Vec3<double> const normal = best.face.normal;
  out.normal = best.of_second ? -normal : normal;
  ScratchArray<ManifoldPoint<double>, kMaxClipped> points;
  std::uint32_t count = 0;
  double deepest = limit;
  std::uint32_t const faces = (best.of_second ? 1u << 28u : 0u) | (face.id << 21u) | (patch.id << 14u);
  for (std::uint32_t i = 0; i < polygon.count; ++i) {
    const ClipCorner& corner = polygon.corners[i];
    double const height = dot(normal, corner.at) - best.face.offset;
    if (height > limit) continue;
    deepest = minimum(deepest, height);
    double const separation = height - reference.radius() - incident.radius();
    // Midway between the incident surface, one radius below the corner, and the reference surface.
    Vec3<double> const at = corner.at - normal * (incident.radius() + 0.5 * separation);
    points[count++] = {at, separation, faces | (corner.before << 7u) | corner.after};
  }
  reduce(points.first(count), out);
  return deepest;
}

void collide_cores(const ConvexShape& a, const ConvexShape& b, Manifold<double>& out) {
  out.point_count = 0;
  double const radii = a.radius() + b.radius();
  double const limit = kSpeculativeDistanceM + radii;
  bool const many =
      a.flat_face_count() * b.corner_count() + b.flat_face_count() * a.corner_count() > kMaxProducts;
  BestFace best;
  if (!many) best = best_face(a, b);
  if (best.found && best.gap > limit) return;
  // The gap of an axis never exceeds the distance of two points, and never 0 when the cores overlap. A point
  // over the face, or nearly in it, therefore proves the face.
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
  SurfacePatch first;
  SurfacePatch second;
  a.patch_towards(axis.normal, first);
  b.patch_towards(-axis.normal, second);
  if (line_points(first, second, a.radius(), b.radius(), axis, limit, out)) return;
  if (axis.overlap) transform_points(a, b, axis);
  double const separation = axis.gap - radii;
  Vec3<double> const middle = (axis.on_a + axis.on_b) * 0.5;
  out.normal = axis.normal;
  // Midway between the surfaces: the cores' midpoint, moved by half the difference of the radii.
  out.points[0] = {middle + axis.normal * (0.5 * (a.radius() - b.radius())), separation, 1u << 30u};
  out.point_count = 1;
}

template <class Real>
void round_into(const Manifold<double>& from, Manifold<Real>& out) noexcept {
  auto const rounded = [](Vec3<double> v) {
    return Vec3<Real>{to_real<Real>(v.x), to_real<Real>(v.y), to_real<Real>(v.z)};
  };
  TAKT_ASSERT(from.point_count <= 4);
  out.normal = rounded(from.normal);
  out.point_count = from.point_count;
  for (std::uint32_t i = 0; i < from.point_count; ++i) {
    out.points[i] = {rounded(from.points[i].position), to_real<Real>(from.points[i].separation),
                     from.points[i].feature};
  }
}

}  // namespace

template <class Real>
void collide_convex(const ShapeGeometry<Real>& first, const ShapeGeometry<Real>& second,
                    Vec3<Real> delta_center, Manifold<Real>& out) {
  Manifold<double> manifold;
  collide_cores(ConvexShape(first, {}), ConvexShape(second, to_double(delta_center)), manifold);
  round_into(manifold, out);
}

template <class Real>
void collide_convex_half_space(const ShapeGeometry<Real>& first, const ShapeGeometry<Real>& half_space,
                               Vec3<Real> delta_center, Manifold<Real>& out) {
  ConvexShape const shape(first, {});
  Vec3<double> const up = to_double(half_space.rotation.y);
  double const ground = dot(up, to_double(delta_center));
  SurfacePatch patch;
  shape.corners_towards(-up, patch);
  Manifold<double> manifold;
  manifold.normal = -up;
  ScratchArray<ManifoldPoint<double>, kMaxClipped> points;
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < patch.count; i += patch.is_disc ? 2 : 1) {
    double const height = dot(up, patch.points[i]) - ground - shape.radius();
    if (height > kSpeculativeDistanceM) continue;
    points[count++] = {patch.points[i] - up * (shape.radius() + 0.5 * height), height, (patch.id << 7u) | i};
  }
  reduce(points.first(count), manifold);
  round_into(manifold, out);
}

#define TAKT_INSTANTIATE(Real)                                                                     \
  template void collide_convex(const ShapeGeometry<Real>&, const ShapeGeometry<Real>&, Vec3<Real>, \
                               Manifold<Real>&);                                                   \
  template void collide_convex_half_space(const ShapeGeometry<Real>&, const ShapeGeometry<Real>&,  \
                                          Vec3<Real>, Manifold<Real>&);
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
