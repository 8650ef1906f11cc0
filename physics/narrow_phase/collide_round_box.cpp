// Sphere and capsule against a box, computed in the box's frame.
#include "physics/base/solver_constants.h"
#include "physics/narrow_phase/manifold.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

// A core (centre or axis) closer than this to the box counts as inside it, m: a face then gives the outward
// direction.
constexpr double kInsideM = 1e-4;
// The outward direction belongs to a face when one component exceeds this: a capsule lying on a face then
// gets two points.
constexpr double kFaceCosine = 0.99;
// The two points must also reach as deep as the nearest point, within this, m.
constexpr double kLieDepthM = 0.005;
// Advantage, m, that an edge axis needs over the best face when a capsule's axis is inside a box.
constexpr double kDeepEdgeBiasM = 0.001;

template <class Real>
Real component(Vec3<Real> v, int axis) noexcept {
  return axis == 0 ? v.x : (axis == 1 ? v.y : v.z);
}
template <class Real>
Vec3<Real> unit_axis(int axis, bool negative) noexcept {
  Real const one(negative ? -1 : 1);
  return axis == 0 ? Vec3<Real>{one, Real(0), Real(0)}
                   : (axis == 1 ? Vec3<Real>{Real(0), one, Real(0)} : Vec3<Real>{Real(0), Real(0), one});
}
template <class Real>
Vec3<Real> clamped(Vec3<Real> p, Vec3<Real> e) noexcept {
  return {clamp(p.x, -e.x, e.x), clamp(p.y, -e.y, e.y), clamp(p.z, -e.z, e.z)};
}

/// The face that a set with the given centre and half size per axis is least far inside; separation is below
/// 0 when the set reaches inside.
template <class Real>
struct FaceChoice {
  int axis = 0;
  bool negative = false;
  Real separation{};
};
template <class Real>
FaceChoice<Real> nearest_face(Vec3<Real> center, Vec3<Real> half, Vec3<Real> e) noexcept {
  FaceChoice<Real> best;
  for (int axis = 0; axis < 3; ++axis) {
    Real const at = component(center, axis);
    Real const separation = absolute(at) - component(half, axis) - component(e, axis);
    if (axis == 0 || separation > best.separation) best = {axis, at < Real(0), separation};
  }
  return best;
}

/// A capsule in a box's frame.
template <class Real>
struct CapsuleInBox {
  Vec3<Real> center;  ///< of the capsule, box frame
  Vec3<Real> axis;    ///< half axis vector, box frame
  Real radius{};
  Vec3<Real> extents;  ///< of the box
};

/// Parameter on the axis (in [-1, 1]) with the smallest distance to the box. The distance is convex in t. Its
/// slope is piecewise linear with breaks where a coordinate crosses a face plane. The zero lies between the
/// last break with a slope <= 0 and the first with one >= 0.
template <class Real>
Real closest_parameter(const CapsuleInBox<Real>& c) {
  auto const slope = [&c](Real t) {
    Vec3<Real> const p = c.center + c.axis * t;
    return dot(c.axis, p - clamped(p, c.extents));
  };
  Real low(-1);
  Real high(1);
  Real low_slope = slope(low);
  Real high_slope = slope(high);
  if (low_slope >= Real(0)) return low;
  if (high_slope <= Real(0)) return high;
  for (int axis = 0; axis < 3; ++axis) {
    Real const rate = component(c.axis, axis);
    if (absolute(rate) < to_real<Real>(1e-6)) continue;
    for (int side = 0; side < 2; ++side) {
      Real const plane = side == 0 ? component(c.extents, axis) : -component(c.extents, axis);
      Real const t = (plane - component(c.center, axis)) / rate;
      if (t <= low || t >= high) continue;
      Real const at = slope(t);
      if (at <= Real(0)) {
        low = t;
        low_slope = at;
      } else {
        high = t;
        high_slope = at;
      }
    }
  }
  Real const rise = high_slope - low_slope;
  if (!(rise > Real(0))) return low;
  return low + (high - low) * (-low_slope / rise);
}

/// Points of a capsule lying over a face: its axis clipped to the face's sides.
template <class Real>
void face_points(const CapsuleInBox<Real>& c, int face_axis, bool negative, Manifold<Real>& out) {
  Real low(-1);
  Real high(1);
  for (int axis = 0; axis < 3; ++axis) {
    if (axis == face_axis) continue;
    Real const at = component(c.center, axis);
    Real const rate = component(c.axis, axis);
    Real const e = component(c.extents, axis);
    if (absolute(rate) < to_real<Real>(1e-6)) {
      if (absolute(at) > e) return;
      continue;
    }
    Real const t0 = (-e - at) / rate;
    Real const t1 = (e - at) / rate;
    low = maximum(low, minimum(t0, t1));
    high = minimum(high, maximum(t0, t1));
  }
  if (!(low < high)) return;
  Vec3<Real> const up = unit_axis<Real>(face_axis, negative);
  Real const half = to_real<Real>(0.5);
  std::uint32_t const face = static_cast<std::uint32_t>(face_axis) * 2u + (negative ? 1u : 0u);
  std::uint32_t end = 0;
  for (Real const t : {low, high}) {
    Vec3<Real> const p = c.center + c.axis * t;
    Real const separation = dot(p, up) - component(c.extents, face_axis) - c.radius;
    if (separation <= to_real<Real>(kSpeculativeDistanceM)) {
      out.points[out.point_count++] = {p - up * (c.radius + separation * half), separation,
                                       0x10u + face * 2u + end};
    }
    ++end;
  }
  out.normal = -up;
}

/// The axis is inside the box: chooses the shortest way out, over faces and over edges crossed with the axis.
template <class Real>
void deep_points(const CapsuleInBox<Real>& c, Manifold<Real>& out) {
  FaceChoice<Real> const face = nearest_face(c.center, absolute(c.axis), c.extents);
  Real best_edge(0);
  Vec3<Real> best_normal;
  int best_axis = -1;
  for (int axis = 0; axis < 3; ++axis) {
    Vec3<Real> const crossed = cross(unit_axis<Real>(axis, false), c.axis);
    Real const size = length(crossed);
    if (size < to_real<Real>(1e-3)) continue;
    Vec3<Real> const n{crossed.x / size, crossed.y / size, crossed.z / size};
    Real const offset = dot(n, c.center);
    Real const separation = absolute(offset) - dot(absolute(n), c.extents);
    if (best_axis < 0 || separation > best_edge) {
      best_axis = axis;
      best_edge = separation;
      best_normal = offset < Real(0) ? -n : n;
    }
  }
  if (best_axis < 0 || !(best_edge > face.separation + to_real<Real>(kDeepEdgeBiasM))) {
    face_points(c, face.axis, face.negative, out);
    if (out.point_count > 0) return;
    // The axis leaves through the sides before it is over the face: push out at its nearest end.
    Vec3<Real> const up = unit_axis<Real>(face.axis, face.negative);
    bool const far_end = dot(c.axis, up) < Real(0);
    Vec3<Real> const p = far_end ? c.center + c.axis : c.center - c.axis;
    Real const separation = face.separation - c.radius;
    out.normal = -up;
    out.points[0] = {p - up * (c.radius + separation * to_real<Real>(0.5)), separation,
                     0x40u + (far_end ? 1u : 0u)};
    out.point_count = 1;
    return;
  }
  TAKT_ASSERT(best_axis >= 0 && best_axis < 3);
  Vec3<Real> edge;
  edge.x = best_normal.x < Real(0) ? -c.extents.x : c.extents.x;
  edge.y = best_normal.y < Real(0) ? -c.extents.y : c.extents.y;
  edge.z = best_normal.z < Real(0) ? -c.extents.z : c.extents.z;
  Vec3<Real> const along = unit_axis<Real>(best_axis, false);
  edge = edge - along * dot(along, edge);
  Real const half_axis = length(c.axis);
  Vec3<Real> const axis_unit{c.axis.x / half_axis, c.axis.y / half_axis, c.axis.z / half_axis};
  SegmentPair<Real> const closest =
      closest_on_segments(axis_unit, half_axis, along, component(c.extents, best_axis), edge - c.center);
  Real const separation = best_edge - c.radius;
  Vec3<Real> const p = c.center + axis_unit * closest.s;
  out.normal = -best_normal;
  out.points[0] = {p - best_normal * (c.radius + separation * to_real<Real>(0.5)), separation,
                   0x50u + static_cast<std::uint32_t>(best_axis)};
  out.point_count = 1;
}

}  // namespace

template <class Real>
void collide_sphere_box(const ShapeGeometry<Real>& sphere, const ShapeGeometry<Real>& box,
                        Vec3<Real> delta_center, Manifold<Real>& out) {
  out.point_count = 0;
  Real const radius = sphere.extents.x;
  Vec3<Real> const center = transpose_multiply(box.rotation, -delta_center);
  Vec3<Real> const nearest = clamped(center, box.extents);
  Vec3<Real> const excess = center - nearest;
  Real const distance = length(excess);
  Real separation = distance - radius;
  if (separation > to_real<Real>(kSpeculativeDistanceM)) return;
  Vec3<Real> outward;
  if (distance > to_real<Real>(kInsideM)) {
    outward = {excess.x / distance, excess.y / distance, excess.z / distance};
  } else {
    FaceChoice<Real> const face = nearest_face(center, Vec3<Real>{}, box.extents);
    outward = unit_axis<Real>(face.axis, face.negative);
    separation = face.separation - radius;
  }
  out.normal = -(box.rotation * outward);
  out.points[0] = {out.normal * (radius + separation * to_real<Real>(0.5)), separation, 0};
  out.point_count = 1;
}

template <class Real>
void collide_capsule_box(const ShapeGeometry<Real>& capsule, const ShapeGeometry<Real>& box,
                         Vec3<Real> delta_center, Manifold<Real>& out) {
  out.point_count = 0;
  CapsuleInBox<Real> c;
  c.center = transpose_multiply(box.rotation, -delta_center);
  c.axis = transpose_multiply(box.rotation, capsule.rotation.y * capsule.extents.y);
  c.radius = capsule.extents.x;
  c.extents = box.extents;
  Real const t = closest_parameter(c);
  TAKT_VALIDATE(absolute(t) < to_real<Real>(1.001));
  Vec3<Real> const p = c.center + c.axis * t;
  Vec3<Real> const excess = p - clamped(p, c.extents);
  Real const distance = length(excess);
  Real const separation = distance - c.radius;
  if (separation > to_real<Real>(kSpeculativeDistanceM)) return;
  if (distance > to_real<Real>(kInsideM)) {
    Vec3<Real> const outward{excess.x / distance, excess.y / distance, excess.z / distance};
    for (int axis = 0; axis < 3 && out.point_count == 0; ++axis) {
      Real const cosine = component(outward, axis);
      if (absolute(cosine) > to_real<Real>(kFaceCosine)) face_points(c, axis, cosine < Real(0), out);
    }
    TAKT_ASSERT(out.point_count <= 2);
    // An axis that rises from beyond the face's side loses its deepest point to the clipping: it does not lie
    // on the face.
    bool lies = out.point_count == 2;
    if (lies)
      lies = minimum(out.points[0].separation, out.points[1].separation) <=
             separation + to_real<Real>(kLieDepthM);
    if (!lies) {
      out.normal = -outward;
      out.points[0] = {p - outward * (c.radius + separation * to_real<Real>(0.5)), separation, 0};
      out.point_count = 1;
    }
  } else {
    deep_points(c, out);
  }
  // Transforms back to world axes about the capsule's centre.
  out.normal = box.rotation * out.normal;
  for (std::uint32_t i = 0; i < out.point_count; ++i)
    out.points[i].position = box.rotation * (out.points[i].position - c.center);
}

#define TAKT_INSTANTIATE(Real)                                                                          \
  template void collide_sphere_box(const ShapeGeometry<Real>&, const ShapeGeometry<Real>&, Vec3<Real>,  \
                                   Manifold<Real>&);                                                    \
  template void collide_capsule_box(const ShapeGeometry<Real>&, const ShapeGeometry<Real>&, Vec3<Real>, \
                                    Manifold<Real>&);
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
