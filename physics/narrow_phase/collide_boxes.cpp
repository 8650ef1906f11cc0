// Box against box: separating axes over 3 + 3 faces and 9 edge pairs. Then the incident face is clipped
// against the reference face, or one point is placed between two edges. Source for the axis arithmetic: S.
// Gottschalk, M. Lin, D. Manocha, OBBTree (1996), section 5.
#include "physics/base/solver_constants.h"
#include "physics/narrow_phase/manifold.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

// Edge pairs whose sine is below this are parallel: a face axis covers them.
constexpr double kParallelSine = 0.01;
// Advantage, m, that the second box's face needs to become the reference. Resting boxes keep their reference
// face through it.
constexpr double kSecondFaceBiasM = 0.0005;

// Tolerance of clipping, m: a corner outside the reference face by less is kept. Flush boxes then keep their
// corners, features and impulses despite rounding noise.
constexpr double kClipSlackM = 0.0025;

template <class Real>
using Triple = std::array<Real, 3>;

template <class Real>
Triple<Real> triple(Vec3<Real> v) noexcept {
  return {v.x, v.y, v.z};
}

/// Two boxes with their relative quantities: cosines[i][j] = axis i of the first . axis j of the second.
template <class Real>
struct BoxPair {
  std::array<Vec3<Real>, 3> axes_a;
  std::array<Vec3<Real>, 3> axes_b;
  Triple<Real> half_a;
  Triple<Real> half_b;
  std::array<Triple<Real>, 3> cosines;
  Triple<Real> delta_a;  ///< from the first centre to the second, in the first's frame
  Triple<Real> delta_b;  ///< the same vector in the second's frame
  Vec3<Real> delta_center;
};

template <class Real>
BoxPair<Real> make_pair(const ShapeGeometry<Real>& first, const ShapeGeometry<Real>& second,
                        Vec3<Real> delta_center) noexcept {
  BoxPair<Real> p;
  p.axes_a = {first.rotation.x, first.rotation.y, first.rotation.z};
  p.axes_b = {second.rotation.x, second.rotation.y, second.rotation.z};
  p.half_a = triple(first.extents);
  p.half_b = triple(second.extents);
  p.delta_center = delta_center;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) p.cosines[i][j] = dot(p.axes_a[i], p.axes_b[j]);
    p.delta_a[i] = dot(p.axes_a[i], delta_center);
    p.delta_b[i] = dot(p.axes_b[i], delta_center);
  }
  return p;
}

template <class Real>
struct FaceAxis {
  bool of_second = false;
  std::size_t axis = 0;
  Real separation{};
};

template <class Real>
struct EdgeAxis {
  bool found = false;
  std::size_t axis_a = 0;
  std::size_t axis_b = 0;
  Real separation{};
};

template <class Real>
FaceAxis<Real> best_face(const BoxPair<Real>& p) noexcept {
  FaceAxis<Real> best_a;
  FaceAxis<Real> best_b;
  for (std::size_t i = 0; i < 3; ++i) {
    const Triple<Real>& row = p.cosines[i];
    Real const reach_b =
        dot3(absolute(row[0]), p.half_b[0], absolute(row[1]), p.half_b[1], absolute(row[2]), p.half_b[2]);
    Real const separation_a = absolute(p.delta_a[i]) - (p.half_a[i] + reach_b);
    if (i == 0 || separation_a > best_a.separation) best_a = {false, i, separation_a};
    Real const reach_a = dot3(absolute(p.cosines[0][i]), p.half_a[0], absolute(p.cosines[1][i]), p.half_a[1],
                              absolute(p.cosines[2][i]), p.half_a[2]);
    Real const separation_b = absolute(p.delta_b[i]) - (p.half_b[i] + reach_a);
    if (i == 0 || separation_b > best_b.separation) best_b = {true, i, separation_b};
  }
  return best_b.separation > best_a.separation + to_real<Real>(kSecondFaceBiasM) ? best_b : best_a;
}

template <class Real>
EdgeAxis<Real> best_edge(const BoxPair<Real>& p) {
  EdgeAxis<Real> best;
  for (std::size_t i = 0; i < 3; ++i) {
    std::size_t const i1 = (i + 1) % 3;
    std::size_t const i2 = (i + 2) % 3;
    for (std::size_t j = 0; j < 3; ++j) {
      // axis = a_i x b_j; in the first's frame its components are 0, -b[i2], b[i1]
      Real const c1 = p.cosines[i1][j];
      Real const c2 = p.cosines[i2][j];
      Real const size = sqrt(dot2(c1, c1, c2, c2));
      if (size < to_real<Real>(kParallelSine)) continue;
      std::size_t const j1 = (j + 1) % 3;
      std::size_t const j2 = (j + 2) % 3;
      Real const distance = absolute(dot2(p.delta_a[i2], c1, -p.delta_a[i1], c2));
      Real const reach_a = dot2(p.half_a[i1], absolute(c2), p.half_a[i2], absolute(c1));
      Real const reach_b =
          dot2(p.half_b[j1], absolute(p.cosines[i][j2]), p.half_b[j2], absolute(p.cosines[i][j1]));
      Real const separation = (distance - (reach_a + reach_b)) / size;
      if (!best.found || separation > best.separation) best = {true, i, j, separation};
      if (separation > to_real<Real>(kSpeculativeDistanceM)) return best;
    }
  }
  return best;
}

/// A corner of the polygon during clipping, in the reference face's frame. u and v run along the face, w
/// along its outward normal, from the box's centre. `before` and `after` identify the lines that meet in it:
/// 0 to 3 the incident face's edges, 4 to 7 the clip planes.
template <class Real>
struct Corner {
  Real u{};
  Real v{};
  Real w{};
  std::uint32_t before = 0;
  std::uint32_t after = 0;
};

template <class Real>
struct Polygon {
  std::array<Corner<Real>, 8> corners;
  std::uint32_t count = 0;
};

template <class Real>
Corner<Real> crossing(const Corner<Real>& from, const Corner<Real>& to, Real from_distance,
                      Real to_distance) noexcept {
  Real const t = from_distance / (from_distance - to_distance);
  return {from.u + (to.u - from.u) * t, from.v + (to.v - from.v) * t, from.w + (to.w - from.w) * t, 0, 0};
}

/// Keeps the part where sign * coordinate <= limit, and corners up to kClipSlackM beyond. Source: I.
/// Sutherland, G. Hodgman, Reentrant Polygon Clipping (1974).
template <class Real>
void clip(Polygon<Real>& polygon, bool along_v, bool negative, Real limit, std::uint32_t plane) {
  auto const distance = [&](const Corner<Real>& c) {
    Real const at = along_v ? c.v : c.u;
    return (negative ? -at : at) - limit;
  };
  Real const slack = to_real<Real>(kClipSlackM);
  bool inside = true;
  for (std::uint32_t i = 0; i < polygon.count; ++i) inside = inside && distance(polygon.corners[i]) <= slack;
  if (inside) return;
  Polygon<Real> kept;
  for (std::uint32_t i = 0; i < polygon.count; ++i) {
    const Corner<Real>& from = polygon.corners[i];
    const Corner<Real>& to = polygon.corners[i + 1 == polygon.count ? 0 : i + 1];
    Real const from_distance = distance(from);
    Real const to_distance = distance(to);
    bool const from_in = from_distance <= slack;
    bool const to_in = to_distance <= slack;
    if (from_in && kept.count < 8) kept.corners[kept.count++] = from;
    // An inner end within the tolerance already represents the cut.
    if (from_in != to_in && (from_in ? from_distance : to_distance) < Real(0) && kept.count < 8) {
      Corner<Real> cut = crossing(from, to, from_distance, to_distance);
      cut.before = from_in ? from.after : plane;
      cut.after = from_in ? plane : from.after;
      kept.corners[kept.count++] = cut;
    }
  }
  TAKT_ASSERT(kept.count <= kept.corners.size());
  polygon = kept;
}

/// The two boxes in the roles of reference and incident box.
template <class Real>
struct FaceContact {
  Vec3<Real> reference_center;            ///< from the first box's centre
  const std::array<Vec3<Real>, 3>* axes;  ///< of the reference box
  const Triple<Real>* half;               ///< of the reference box
  const Triple<Real>* incident_half;
  std::array<Triple<Real>, 3> incident_axes;  ///< in the reference frame
  Triple<Real> toward;                        ///< to the incident centre, in the reference frame
};

template <class Real>
FaceContact<Real> face_contact(const BoxPair<Real>& p, bool of_second) noexcept {
  FaceContact<Real> f;
  f.reference_center = of_second ? p.delta_center : Vec3<Real>{};
  f.axes = of_second ? &p.axes_b : &p.axes_a;
  f.half = of_second ? &p.half_b : &p.half_a;
  f.incident_half = of_second ? &p.half_a : &p.half_b;
  for (std::size_t k = 0; k < 3; ++k) {
    for (std::size_t axis = 0; axis < 3; ++axis)
      f.incident_axes[k][axis] = of_second ? p.cosines[k][axis] : p.cosines[axis][k];
    f.toward[k] = of_second ? -p.delta_b[k] : p.delta_a[k];
  }
  return f;
}

template <class Real>
void face_points(const BoxPair<Real>& p, const FaceAxis<Real>& face, Manifold<Real>& out) {
  TAKT_ASSERT(face.axis < 3);
  FaceContact<Real> const f = face_contact(p, face.of_second);
  std::size_t const w = face.axis;
  std::size_t const u = (w + 1) % 3;
  std::size_t const v = (w + 2) % 3;
  bool const flipped = f.toward[w] < Real(0);
  Real const sign(flipped ? -1 : 1);

  // The incident face is the one most opposed to the reference normal.
  std::size_t incident = 0;
  for (std::size_t k = 1; k < 3; ++k) {
    if (absolute(f.incident_axes[k][w]) > absolute(f.incident_axes[incident][w])) incident = k;
  }
  bool const incident_negative = f.incident_axes[incident][w] * sign > Real(0);
  std::size_t const e1 = (incident + 1) % 3;
  std::size_t const e2 = (incident + 2) % 3;
  Real const incident_sign(incident_negative ? -1 : 1);
  Real const depth = (*f.incident_half)[incident] * incident_sign;
  Polygon<Real> polygon;
  polygon.count = 4;
  for (std::uint32_t corner = 0; corner < 4; ++corner) {
    Real const h1 = corner == 1 || corner == 2 ? -(*f.incident_half)[e1] : (*f.incident_half)[e1];
    Real const h2 = corner >= 2 ? -(*f.incident_half)[e2] : (*f.incident_half)[e2];
    auto const coordinate = [&](std::size_t axis) {
      return f.toward[axis] + dot3(f.incident_axes[incident][axis], depth, f.incident_axes[e1][axis], h1,
                                   f.incident_axes[e2][axis], h2);
    };
    polygon.corners[corner] = {coordinate(u), coordinate(v), coordinate(w) * sign, (corner + 3) % 4, corner};
  }
  Corner<Real> deepest = polygon.corners[0];
  for (std::uint32_t i = 1; i < 4; ++i) {
    if (polygon.corners[i].w < deepest.w) deepest = polygon.corners[i];
  }
  clip(polygon, false, false, (*f.half)[u], 4);
  clip(polygon, false, true, (*f.half)[u], 5);
  clip(polygon, true, false, (*f.half)[v], 6);
  clip(polygon, true, true, (*f.half)[v], 7);
  if (polygon.count == 0 &&
      face.separation <= Real(0)) {  // overlapping boxes always touch: use the deepest corner
    polygon.corners[0] = deepest;
    polygon.count = 1;
  }

  const auto& axes = *f.axes;
  Vec3<Real> const normal = axes[w] * sign;
  out.normal = face.of_second ? -normal : normal;
  Real const half = to_real<Real>(0.5);
  std::uint32_t const faces = (face.of_second ? 1u << 15u : 0u) | (static_cast<std::uint32_t>(w) << 13u) |
                              (flipped ? 1u << 12u : 0u) | (static_cast<std::uint32_t>(incident) << 10u) |
                              (incident_negative ? 1u << 9u : 0u);
  std::array<ManifoldPoint<Real>, 8> points;
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < polygon.count; ++i) {
    const Corner<Real>& c = polygon.corners[i];
    Real const separation = c.w - (*f.half)[w];
    if (separation > to_real<Real>(kSpeculativeDistanceM)) continue;
    Vec3<Real> const position =
        f.reference_center + axes[u] * c.u + axes[v] * c.v + normal * (c.w - separation * half);
    points[count++] = {position, separation, faces | (c.before << 3u) | c.after};
  }
  reduce_points(points, count, out);
}

template <class Real>
void edge_point(const BoxPair<Real>& p, const EdgeAxis<Real>& edge, Manifold<Real>& out) {
  TAKT_ASSERT(edge.found && edge.axis_a < 3 && edge.axis_b < 3);
  Vec3<Real> const direction_a = p.axes_a[edge.axis_a];
  Vec3<Real> const direction_b = p.axes_b[edge.axis_b];
  Vec3<Real> normal = normalise_or(cross(direction_a, direction_b), Vec3<Real>{Real(0), Real(1), Real(0)},
                                   to_real<Real>(1e-6));
  if (dot(normal, p.delta_center) < Real(0)) normal = -normal;
  Vec3<Real> center_a{};
  Vec3<Real> center_b = p.delta_center;
  std::uint32_t signs = 0;
  for (std::size_t k = 0; k < 3; ++k) {
    if (k != edge.axis_a) {
      bool const positive = dot(normal, p.axes_a[k]) > Real(0);
      center_a += p.axes_a[k] * (positive ? p.half_a[k] : -p.half_a[k]);
      signs = signs * 2u + (positive ? 1u : 0u);
    }
    if (k != edge.axis_b) {
      bool const positive = dot(normal, p.axes_b[k]) < Real(0);
      center_b += p.axes_b[k] * (positive ? p.half_b[k] : -p.half_b[k]);
      signs = signs * 2u + (positive ? 1u : 0u);
    }
  }
  SegmentPair<Real> const closest = closest_on_segments(direction_a, p.half_a[edge.axis_a], direction_b,
                                                        p.half_b[edge.axis_b], center_b - center_a);
  out.normal = normal;
  out.points[0] = {center_a + direction_a * closest.s + normal * (edge.separation * to_real<Real>(0.5)),
                   edge.separation,
                   (1u << 16u) | (static_cast<std::uint32_t>(edge.axis_a) << 6u) |
                       (static_cast<std::uint32_t>(edge.axis_b) << 4u) | signs};
  out.point_count = 1;
}

}  // namespace

template <class Real>
void collide_boxes(const ShapeGeometry<Real>& first, const ShapeGeometry<Real>& second,
                   Vec3<Real> delta_center, Manifold<Real>& out) {
  out.point_count = 0;
  BoxPair<Real> const pair = make_pair(first, second, delta_center);
  Real const limit = to_real<Real>(kSpeculativeDistanceM);
  FaceAxis<Real> const face = best_face(pair);
  if (face.separation > limit) return;
  EdgeAxis<Real> const edge = best_edge(pair);
  if (edge.found && edge.separation > limit) return;
  if (edge.found && edge.separation > face.separation + to_real<Real>(kEdgeAxisBiasM)) {
    edge_point(pair, edge, out);
  } else {
    face_points(pair, face, out);
  }
}

template void collide_boxes(const ShapeGeometry<float>&, const ShapeGeometry<float>&, Vec3<float>,
                            Manifold<float>&);
template void collide_boxes(const ShapeGeometry<Fixed>&, const ShapeGeometry<Fixed>&, Vec3<Fixed>,
                            Manifold<Fixed>&);

}  // namespace takt
