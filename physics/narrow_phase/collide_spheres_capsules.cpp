// Spheres and capsules against each other. A capsule is the set of points within its radius of a segment, so
// every pair reduces to closest points.
#include "physics/base/solver_constants.h"
#include "physics/narrow_phase/manifold.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

// Below this distance of two centres, m, the direction between them is noise; the normal is then +y.
constexpr double kDegenerateM = 1e-5;
// Capsules whose axes are within about 3 degrees (sin^2 below this) touch along a line and get two points.
constexpr double kParallelSin2 = 0.003;
// Shared length of parallel capsules below which one point suffices, m.
constexpr double kMinOverlapM = 0.01;

// One point between spheres of radius `radius_a` at `a` and `radius_b` at `b`.
template <class Real>
void touch_spheres(Vec3<Real> a, Real radius_a, Vec3<Real> b, Real radius_b, Manifold<Real>& out) {
  out.point_count = 0;
  Vec3<Real> const d = b - a;
  TAKT_VALIDATE(radius_a >= Real(0) && radius_b >= Real(0));
  Real const distance = length(d);
  Real const separation = distance - (radius_a + radius_b);
  if (separation > to_real<Real>(kSpeculativeDistanceM)) return;
  Vec3<Real> const up{Real(0), Real(1), Real(0)};
  out.normal = normalise_or(d, up, to_real<Real>(kDegenerateM));
  out.points[0] = {a + out.normal * (radius_a + separation * to_real<Real>(0.5)), separation, 0};
  out.point_count = 1;
}

}  // namespace

template <class Real>
SegmentPair<Real> closest_on_segments(Vec3<Real> direction_a, Real half_a, Vec3<Real> direction_b,
                                      Real half_b, Vec3<Real> delta_center) {
  // Minimises |delta_center + t b - s a|^2 over the box of s and t: the free minimum, clamped one variable
  // after the other. Source: C. Ericson, Real-Time Collision Detection (2005), 5.1.9.
  Real const cosine = dot(direction_a, direction_b);
  Real const along_a = dot(direction_a, delta_center);
  Real const along_b = dot(direction_b, delta_center);
  Real const denominator = Real(1) - cosine * cosine;
  Real s(0);
  if (denominator > to_real<Real>(1e-6))
    s = clamp((along_a - cosine * along_b) / denominator, -half_a, half_a);
  Real t = cosine * s - along_b;
  if (t < -half_b || t > half_b) {
    t = clamp(t, -half_b, half_b);
    s = clamp(cosine * t + along_a, -half_a, half_a);
  }
  TAKT_VALIDATE(absolute(s) <= half_a && absolute(t) <= half_b);
  return {s, t};
}

template <class Real>
void collide_spheres(const ShapeGeometry<Real>& first, const ShapeGeometry<Real>& second,
                     Vec3<Real> delta_center, Manifold<Real>& out) {
  touch_spheres({}, first.extents.x, delta_center, second.extents.x, out);
}

template <class Real>
void collide_sphere_capsule(const ShapeGeometry<Real>& sphere, const ShapeGeometry<Real>& capsule,
                            Vec3<Real> delta_center, Manifold<Real>& out) {
  Vec3<Real> const axis = capsule.rotation.y;
  Real const half = capsule.extents.y;
  Real const t = clamp(-dot(delta_center, axis), -half, half);
  touch_spheres({}, sphere.extents.x, delta_center + axis * t, capsule.extents.x, out);
}

template <class Real>
void collide_capsules(const ShapeGeometry<Real>& first, const ShapeGeometry<Real>& second,
                      Vec3<Real> delta_center, Manifold<Real>& out) {
  Vec3<Real> const a = first.rotation.y;
  Vec3<Real> const b = second.rotation.y;
  Real const half_a = first.extents.y;
  Real const half_b = second.extents.y;
  SegmentPair<Real> const closest = closest_on_segments(a, half_a, b, half_b, delta_center);
  touch_spheres(a * closest.s, first.extents.x, delta_center + b * closest.t, second.extents.x, out);
  if (out.point_count == 0) return;

  Real const cosine = dot(a, b);
  if (Real(1) - cosine * cosine > to_real<Real>(kParallelSin2)) return;
  // The segment of the first axis adjacent to the second.
  Real const center = dot(a, delta_center);
  Real const reach = absolute(cosine) * half_b;
  Real const low = maximum(-half_a, center - reach);
  Real const high = minimum(half_a, center + reach);
  if (high - low < to_real<Real>(kMinOverlapM)) return;
  Manifold<Real> line;
  line.normal = out.normal;
  Real const half(to_real<Real>(0.5));
  std::uint32_t feature = 1;
  for (Real const s : {low, high}) {
    Vec3<Real> const on_a = a * s;
    Vec3<Real> const on_b = delta_center + b * clamp(dot(b, on_a - delta_center), -half_b, half_b);
    Real const separation = dot(on_b - on_a, line.normal) - (first.extents.x + second.extents.x);
    if (separation <= to_real<Real>(kSpeculativeDistanceM)) {
      line.points[line.point_count++] = {on_a + line.normal * (first.extents.x + separation * half),
                                         separation, feature};
    }
    ++feature;
  }
  TAKT_ASSERT(line.point_count <= 2);
  if (line.point_count == 2) out = line;
}

#define TAKT_INSTANTIATE(Real)                                                                             \
  template SegmentPair<Real> closest_on_segments(Vec3<Real>, Real, Vec3<Real>, Real, Vec3<Real>);          \
  template void collide_spheres(const ShapeGeometry<Real>&, const ShapeGeometry<Real>&, Vec3<Real>,        \
                                Manifold<Real>&);                                                          \
  template void collide_sphere_capsule(const ShapeGeometry<Real>&, const ShapeGeometry<Real>&, Vec3<Real>, \
                                       Manifold<Real>&);                                                   \
  template void collide_capsules(const ShapeGeometry<Real>&, const ShapeGeometry<Real>&, Vec3<Real>,       \
                                 Manifold<Real>&);
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
