// The signed distance of any two convex shapes by sampling directions, in long double: the largest gap
// between two parallel planes with a shape behind each, which is the distance of shapes that are apart and
// minus the depth of shapes that overlap. Shares nothing with the narrow phase but the definition of the
// shapes.
//
// A sample is a certain lower bound. The maximum is found from a spiral of directions over the sphere and the
// directions of flat faces and of crossed edges and axes, of which the best are climbed from by random steps
// that shrink to 1e-9.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "physics/geometry/hull_geometry.h"
#include "physics/narrow_phase/manifold.h"
#include "takt/core/random.h"

namespace takt::test {

using Wide = long double;
struct WideVec {
  Wide x = 0;
  Wide y = 0;
  Wide z = 0;
};
inline WideVec operator+(WideVec a, WideVec b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline WideVec operator-(WideVec a, WideVec b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline WideVec operator*(WideVec a, Wide s) { return {a.x * s, a.y * s, a.z * s}; }
inline Wide inner(WideVec a, WideVec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline WideVec outer(WideVec a, WideVec b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline Wide size_of(WideVec a) { return std::sqrt(inner(a, a)); }
inline WideVec widened(Vec3<double> v) { return {v.x, v.y, v.z}; }

/// A placed convex shape with its corners and the directions that matter for it.
struct WideShape {
  ShapeKind kind = ShapeKind::kSphere;
  Wide x = 0, y = 0, z = 0;  ///< extents
  WideVec center;
  WideVec axis_x, axis_y, axis_z;
  std::vector<WideVec> corners;     ///< of a box or hull, placed
  std::vector<WideVec> normals;     ///< of flat faces
  std::vector<WideVec> directions;  ///< of edges and axes
  Wide radius = 0;                  ///< around it all
  WideVec sweep;                    ///< the shape stands for all that it covers when it moves by this
};

template <class Real>
WideShape wide_shape(const ShapeGeometry<Real>& shape, Vec3<Real> center) {
  WideShape s;
  s.kind = shape.kind;
  Vec3<double> const e = to_double(shape.extents);
  s.x = e.x;
  s.y = e.y;
  s.z = e.z;
  s.center = widened(to_double(center));
  // Made square: with an axis that is 1e-7 too long a disc would seem to reach sqrt(2e-7) of its radius, half
  // a millimetre, beyond its plane.
  s.axis_y = widened(to_double(shape.rotation.y));
  s.axis_y = s.axis_y * (1 / size_of(s.axis_y));
  s.axis_x = widened(to_double(shape.rotation.x));
  s.axis_x = s.axis_x - s.axis_y * inner(s.axis_x, s.axis_y);
  s.axis_x = s.axis_x * (1 / size_of(s.axis_x));
  s.axis_z = outer(s.axis_x, s.axis_y);
  auto const position_of = [&s](WideVec local) {
    return s.center + s.axis_x * local.x + s.axis_y * local.y + s.axis_z * local.z;
  };
  auto const turn = [&s](WideVec local) {
    return s.axis_x * local.x + s.axis_y * local.y + s.axis_z * local.z;
  };
  if (s.kind == ShapeKind::kBox) {
    for (int i = 0; i < 8; ++i)
      s.corners.push_back(
          position_of({(i & 1) != 0 ? s.x : -s.x, (i & 2) != 0 ? s.y : -s.y, (i & 4) != 0 ? s.z : -s.z}));
    s.normals = {s.axis_x, s.axis_y, s.axis_z, s.axis_x * -1, s.axis_y * -1, s.axis_z * -1};
    s.directions = {s.axis_x, s.axis_y, s.axis_z};
  } else if (s.kind == ShapeKind::kHull) {
    s.radius = s.x;
    for (const Vec3<double>& v : shape.hull->vertices) s.corners.push_back(position_of(widened(v)));
    for (const LoopRange& face : shape.hull->exact_faces) {
      auto const corner = [&](std::uint32_t i) {
        return widened(shape.hull->vertices[shape.hull->exact_loops[face.first + i % face.count]]);
      };
      WideVec const n = outer(corner(1) - corner(0), corner(2) - corner(0));
      s.normals.push_back(turn(n * (1 / size_of(n))));
      for (std::uint32_t i = 0; i < face.count; ++i) {
        if (shape.hull->exact_loops[face.first + i] <
            shape.hull->exact_loops[face.first + (i + 1) % face.count]) {
          s.directions.push_back(turn(corner(i + 1) - corner(i)));
        }
      }
    }
  } else if (s.kind != ShapeKind::kSphere) {
    s.directions = {s.axis_y};
    if (s.kind != ShapeKind::kCapsule) s.normals = {s.axis_y, s.axis_y * -1};
  }
  return s;
}

/// max of d . p over the shape, for a unit direction.
inline Wide support(const WideShape& s, WideVec d) {
  Wide const at = inner(d, s.center) + std::max(Wide{0}, inner(d, s.sweep));
  Wide const along = inner(d, s.axis_y);
  Wide const across = std::sqrt(std::max(Wide{0}, 1 - along * along));
  switch (s.kind) {
    case ShapeKind::kSphere: return at + s.x;
    case ShapeKind::kCapsule: return at + s.x + s.y * std::abs(along);
    case ShapeKind::kCylinder: return at + s.y * std::abs(along) + s.x * across;
    case ShapeKind::kCone: return at + std::max(s.y * along, -s.y * along + s.x * across);
    case ShapeKind::kHalfSpace: return at;  // along its normal only
    default: break;
  }
  Wide max = inner(d, s.corners[0]);
  for (const WideVec& corner : s.corners) max = std::max(max, inner(d, corner));
  return max + s.radius;
}

/// The gap from a to b along the unit direction d.
inline Wide gap(const WideShape& a, const WideShape& b, WideVec d) {
  return -support(b, d * -1) - support(a, d);
}

inline WideVec towards(WideVec v) { return v * (1 / size_of(v)); }

/// The best direction known and its gap.
struct BestGap {
  WideVec direction;
  Wide gap = -1e300L;
};

/// `patience`: steps without success before they shrink. The gap has creases, where few steps lead up.
inline BestGap climb(const WideShape& a, const WideShape& b, BestGap from, Random& random,
                     int patience = 10) {
  Wide step = 0.15L;
  int failures = 1;
  WideVec change;
  while (step > 1e-9L) {
    if (failures > 0) {  // else twice as far the way that led up: a crease may be long
      change.x = random.next_between(-1, 1);
      change.y = random.next_between(-1, 1);
      change.z = random.next_between(-1, 1);
      change = change * step;
    }
    WideVec const d = towards(from.direction + change);
    Wide const g = gap(a, b, d);
    if (g > from.gap) {
      from = {d, g};
      change = change * 2;
      failures = 0;
    } else if (++failures == patience) {
      failures = 1;
      step *= 0.5L;
    }
  }
  return from;
}

inline BestGap largest_gap(const WideShape& a, const WideShape& b, Random& random) {
  if (b.kind == ShapeKind::kHalfSpace) return {b.axis_y * -1, gap(a, b, b.axis_y * -1)};
  std::vector<BestGap> samples;
  auto const sample = [&](WideVec d) { samples.push_back({d, gap(a, b, d)}); };
  constexpr int kSpiral = 300;
  for (int i = 0; i < kSpiral; ++i) {
    Wide const y = 1 - 2 * (i + 0.5L) / kSpiral;
    Wide const ring = std::sqrt(1 - y * y);
    Wide const angle = i * 2.399963229728653L;
    sample({ring * std::cos(angle), y, ring * std::sin(angle)});
  }
  for (const WideVec& n : a.normals) sample(n);
  for (const WideVec& n : b.normals) sample(n * -1);
  for (const WideVec& u : a.directions) {
    for (const WideVec& v : b.directions) {
      WideVec const n = outer(u, v);
      if (size_of(n) < 1e-6L * size_of(u) * size_of(v)) continue;
      sample(towards(n));
      sample(towards(n) * -1);
    }
  }
  if (size_of(b.center - a.center) > 0) sample(towards(b.center - a.center));
  std::sort(samples.begin(), samples.end(),
            [](const BestGap& left, const BestGap& right) { return left.gap > right.gap; });
  BestGap best = samples[0];
  // Climb from the best that are not the same hill's foot.
  std::vector<WideVec> feet;
  for (const BestGap& start : samples) {
    if (feet.size() == 5) break;
    if (std::any_of(feet.begin(), feet.end(),
                    [&](WideVec foot) { return inner(foot, start.direction) > 0.95L; }))
      continue;
    feet.push_back(start.direction);
    BestGap const top = climb(a, b, start, random);
    if (top.gap > best.gap) best = top;
  }
  return best;
}

/// How far a point is outside a shape along the worst of its face normals or its round side: 0 inside, never
/// more than the distance.
inline Wide outside(const WideShape& s, WideVec p) {
  WideVec const d = p - s.center;
  Wide const h = inner(d, s.axis_y);
  Wide const r = std::sqrt(std::max(Wide{0}, inner(d, d) - h * h));
  switch (s.kind) {
    case ShapeKind::kSphere: return std::max(Wide{0}, size_of(d) - s.x);
    case ShapeKind::kCapsule: return std::max(Wide{0}, std::hypot(r, h - std::clamp(h, -s.y, s.y)) - s.x);
    case ShapeKind::kCylinder:
      return std::hypot(std::max(Wide{0}, r - s.x), std::max(Wide{0}, std::abs(h) - s.y));
    case ShapeKind::kCone: {
      Wide const slant = std::hypot(s.x, 2 * s.y);
      return std::max({Wide{0}, -s.y - h, (r * 2 * s.y + (h - s.y) * s.x) / slant});
    }
    case ShapeKind::kHalfSpace: return std::max(Wide{0}, h);
    default: break;
  }
  Wide max = 0;
  for (const WideVec& n : s.normals) {
    Wide reach = inner(n, s.corners[0]);
    for (const WideVec& corner : s.corners) reach = std::max(reach, inner(n, corner));
    max = std::max(max, inner(n, p) - reach - s.radius);
  }
  return max;
}

}  // namespace takt::test
