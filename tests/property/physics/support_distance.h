// The signed distance of two convex shapes by brute force: every vertex against the other core and every edge
// against every edge while the cores are apart, the largest gap over all candidate axes when they overlap.
// Exact in doubles, slow, and shares nothing with the narrow phase. gap() bounds it from below for any
// direction, which a test may sample.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "physics/narrow_phase/manifold.h"

namespace takt::test {

/// A placed shape in doubles.
struct Solid {
  ShapeKind kind = ShapeKind::kSphere;
  Vec3<double> extents;
  Mat3<double> rotation;
  Vec3<double> center;
};

template <class Real>
Solid solid(const ShapeGeometry<Real>& shape, Vec3<Real> center) {
  return {shape.kind,
          to_double(shape.extents),
          {to_double(shape.rotation.x), to_double(shape.rotation.y), to_double(shape.rotation.z)},
          to_double(center)};
}

/// max of d . p over the solid; not for half-spaces.
inline double support(const Solid& s, Vec3<double> d) {
  double const at = dot(d, s.center);
  switch (s.kind) {
    case ShapeKind::kSphere: return at + s.extents.x * length(d);
    case ShapeKind::kCapsule:
      return at + s.extents.x * length(d) + s.extents.y * std::abs(dot(d, s.rotation.y));
    default:
      return at + s.extents.x * std::abs(dot(d, s.rotation.x)) +
             s.extents.y * std::abs(dot(d, s.rotation.y)) + s.extents.z * std::abs(dot(d, s.rotation.z));
  }
}

/// The gap from a to b along the unit direction d; a half-space has a finite support along its own normal
/// only.
inline double gap(const Solid& a, const Solid& b, Vec3<double> d) { return -support(b, -d) - support(a, d); }

/// How far a point is outside a solid (0 inside).
inline double outside(const Solid& s, Vec3<double> p) {
  Vec3<double> q = transpose_multiply(s.rotation, p - s.center);
  switch (s.kind) {
    case ShapeKind::kSphere: return std::max(0.0, length(q) - s.extents.x);
    case ShapeKind::kCapsule:
      q.y -= clamp(q.y, -s.extents.y, s.extents.y);
      return std::max(0.0, length(q) - s.extents.x);
    case ShapeKind::kHalfSpace: return std::max(0.0, q.y);
    default: break;
  }
  return length(Vec3<double>{std::max(0.0, std::abs(q.x) - s.extents.x),
                             std::max(0.0, std::abs(q.y) - s.extents.y),
                             std::max(0.0, std::abs(q.z) - s.extents.z)});
}

inline Vec3<double> unit(Vec3<double> v) {
  double const size = length(v);
  return size > 0 ? v * (1 / size) : Vec3<double>{0, 1, 0};
}

struct Segment {
  Vec3<double> from;
  Vec3<double> to;
};

inline double distance(Vec3<double> p, const Segment& s) {
  Vec3<double> const d = s.to - s.from;
  double const size = dot(d, d);
  double const t = size > 0 ? clamp(dot(d, p - s.from) / size, 0.0, 1.0) : 0.0;
  return length(p - (s.from + d * t));
}

/// The least of four ends against the other segment and the crossing of the lines, where it lies on both.
inline double distance(const Segment& a, const Segment& b) {
  double best = std::min(std::min(distance(a.from, b), distance(a.to, b)),
                         std::min(distance(b.from, a), distance(b.to, a)));
  Vec3<double> const u = a.to - a.from;
  Vec3<double> const v = b.to - b.from;
  Vec3<double> const w = b.from - a.from;
  Vec3<double> const n = cross(u, v);
  double const size = dot(n, n);
  if (size < 1e-20) return best;
  double const s = dot(cross(w, v), n) / size;
  double const t = dot(cross(w, u), n) / size;
  if (s >= 0 && s <= 1 && t >= 0 && t <= 1) best = std::min(best, std::abs(dot(w, n)) / std::sqrt(size));
  return best;
}

/// A round shape without its radius: a point, a segment; a box is its own core.
struct Core {
  Solid hull;  ///< with radius 0
  double radius = 0;
  std::vector<Vec3<double>> corners;
  std::vector<Segment> edges;
};

inline Core core(const Solid& s) {
  Core c{s, 0, {}, {}};
  if (s.kind == ShapeKind::kSphere) {
    c.radius = std::exchange(c.hull.extents.x, 0.0);
    c.corners = {s.center};
  } else if (s.kind == ShapeKind::kCapsule) {
    c.radius = std::exchange(c.hull.extents.x, 0.0);
    Vec3<double> const half = s.rotation.y * s.extents.y;
    c.corners = {s.center - half, s.center + half};
    c.edges = {{c.corners[0], c.corners[1]}};
  } else {
    for (int i = 0; i < 8; ++i) {
      c.corners.push_back(s.center + s.rotation.x * ((i & 1) != 0 ? s.extents.x : -s.extents.x) +
                          s.rotation.y * ((i & 2) != 0 ? s.extents.y : -s.extents.y) +
                          s.rotation.z * ((i & 4) != 0 ? s.extents.z : -s.extents.z));
    }
    for (std::size_t i = 0; i < 8; ++i) {
      for (std::size_t const bit : {1u, 2u, 4u}) {
        if ((i & bit) == 0) c.edges.push_back({c.corners[i], c.corners[i | bit]});
      }
    }
  }
  return c;
}

/// Below 0 the shapes overlap by that much.
inline double signed_distance(const Solid& a, const Solid& b) {
  if (b.kind == ShapeKind::kHalfSpace) {
    Vec3<double> const up = b.rotation.y;
    return -dot(up, b.center) - support(a, -up);
  }
  Core const core_a = core(a);
  Core const core_b = core(b);
  double apart = 1e300;
  for (Vec3<double> const p : core_a.corners) apart = std::min(apart, outside(core_b.hull, p));
  for (Vec3<double> const p : core_b.corners) apart = std::min(apart, outside(core_a.hull, p));
  for (const Segment& u : core_a.edges) {
    for (const Segment& v : core_b.edges) apart = std::min(apart, distance(u, v));
  }
  // Cores that cross without a corner inside have edges through faces: an axis without a gap tells.
  double widest = -1e300;
  for (Vec3<double> const u : {a.rotation.x, a.rotation.y, a.rotation.z}) {
    for (Vec3<double> const v : {b.rotation.x, b.rotation.y, b.rotation.z}) {
      for (double const sign : {1.0, -1.0}) {
        bool const box_a = a.kind == ShapeKind::kBox;
        bool const box_b = b.kind == ShapeKind::kBox;
        if (box_a) widest = std::max(widest, gap(core_a.hull, core_b.hull, u * sign));
        if (box_b) widest = std::max(widest, gap(core_a.hull, core_b.hull, v * sign));
        if (length(cross(u, v)) > 1e-6)
          widest = std::max(widest, gap(core_a.hull, core_b.hull, unit(cross(u, v)) * sign));
      }
    }
  }
  bool const solid_core = a.kind == ShapeKind::kBox || b.kind == ShapeKind::kBox;
  double const cores = solid_core && widest <= 0 ? widest : apart;
  return cores - core_a.radius - core_b.radius;
}

}  // namespace takt::test
