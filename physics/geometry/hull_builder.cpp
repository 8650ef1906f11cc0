#include "physics/geometry/hull_builder.h"

#include <algorithm>

#include "takt/core/assert.h"

namespace takt {
namespace {

/// The nearest integer, halves to even; |value| < 2^52.
std::int64_t nearest_integer(double value) noexcept {
  TAKT_VALIDATE(value < 0x1p52 && value > -0x1p52);
  auto const truncated = static_cast<std::int64_t>(value);
  double const rest = value - static_cast<double>(truncated);  // exact
  if (rest > 0.5 || (rest == 0.5 && (truncated & 1) != 0)) return truncated + 1;
  if (rest < -0.5 || (rest == -0.5 && (truncated & 1) != 0)) return truncated - 1;
  return truncated;
}

/// Components below 2^81: differences of coordinates are below 2^40.
struct WideVector {
  Int128 x = 0;
  Int128 y = 0;
  Int128 z = 0;
  [[nodiscard]] bool is_zero() const noexcept { return x == 0 && y == 0 && z == 0; }
};

GridPoint operator-(const GridPoint& a, const GridPoint& b) noexcept {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}

WideVector cross(const GridPoint& a, const GridPoint& b) noexcept {
  return {Int128{a.y} * b.z - Int128{a.z} * b.y, Int128{a.z} * b.x - Int128{a.x} * b.z,
          Int128{a.x} * b.y - Int128{a.y} * b.x};
}
/// Below 3 x 2^81 x 2^40 < 2^123.
Int128 dot(const WideVector& n, const GridPoint& d) noexcept { return n.x * d.x + n.y * d.y + n.z * d.z; }

Int128 magnitude(Int128 v) noexcept { return v < 0 ? -v : v; }

using Loop = std::vector<std::uint32_t>;

/// A plane through `point`; all points of a hull lie on it or on the side opposite to `normal`.
struct SupportPlane {
  GridPoint point;
  WideVector normal;
};

class Wrapper {
 public:
  explicit Wrapper(std::span<const GridPoint> points) : points_(points) {}

  /// Rotates a plane about the line through `from` along `direction`, which touches the hull, until the hull
  /// lies below it.
  [[nodiscard]] SupportPlane pivot(const GridPoint& from, const GridPoint& direction) const {
    SupportPlane plane{from, {}};
    for (const GridPoint& p : points_) {
      GridPoint const d = p - from;
      if (plane.normal.is_zero() || dot(plane.normal, d) > 0) {
        WideVector const normal = cross(direction, d);
        if (!normal.is_zero()) plane.normal = normal;
      }
    }
    return plane;
  }

  /// Corners of the intersection of the hull with a supporting plane, counter-clockwise seen from outside: a
  /// face, an edge (2) or a point.
  [[nodiscard]] Loop corners_on(const SupportPlane& plane) const {
    Loop on;
    for (std::uint32_t i = 0; i < points_.size(); ++i) {
      if (dot(plane.normal, points_[i] - plane.point) == 0) on.push_back(i);
    }
    // Projects along the axis nearest to the normal; the order of u and v keeps the orientation.
    Int128 const x = magnitude(plane.normal.x);
    Int128 const y = magnitude(plane.normal.y);
    Int128 const z = magnitude(plane.normal.z);
    int const axis = x >= y && x >= z ? 0 : (y >= z ? 1 : 2);
    bool const flipped = (axis == 0 ? plane.normal.x : (axis == 1 ? plane.normal.y : plane.normal.z)) < 0;
    auto const u = [&](std::uint32_t i) {
      return axis == 0 ? points_[i].y : (axis == 1 ? points_[i].z : points_[i].x);
    };
    auto const v = [&](std::uint32_t i) {
      return axis == 0 ? points_[i].z : (axis == 1 ? points_[i].x : points_[i].y);
    };
    auto const turn = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
      return Int128{u(b) - u(a)} * (v(c) - v(a)) - Int128{v(b) - v(a)} * (u(c) - u(a));
    };
    std::sort(on.begin(), on.end(), [&](std::uint32_t a, std::uint32_t b) {
      return u(a) != u(b) ? u(a) < u(b) : v(a) < v(b);
    });  // no two are equal
    Loop loop;
    auto const walk = [&](auto from, auto to) {
      std::size_t const base = loop.size();
      for (auto at = from; at != to; ++at) {
        while (loop.size() >= base + 2 && turn(loop[loop.size() - 2], loop.back(), *at) <= 0) loop.pop_back();
        loop.push_back(*at);
      }
      loop.pop_back();  // the last point of this half is the first of the other
    };
    if (on.size() < 2) return on;
    walk(on.begin(), on.end());
    walk(on.rbegin(), on.rend());
    if (flipped) std::reverse(loop.begin(), loop.end());
    return loop;
  }

  [[nodiscard]] const GridPoint& point(std::uint32_t index) const { return points_[index]; }

 private:
  std::span<const GridPoint> points_;  // sorted, all different
};

/// A directed edge of a face.
struct HalfEdge {
  std::uint32_t from;
  std::uint32_t to;
  friend bool operator==(const HalfEdge&, const HalfEdge&) = default;
};

/// Finds a first face; kHullFlat when one plane contains all points.
Result<Loop, PhysicsError> first_face(const Wrapper& wrapper, std::span<const GridPoint> points) {
  // The line along z through the first point in order of x, y, z touches the hull and has all points on one
  // side.
  Loop loop = wrapper.corners_on(wrapper.pivot(points.front(), {0, 0, 1}));
  if (loop.size() == 2) {
    SupportPlane const plane =
        wrapper.pivot(wrapper.point(loop[0]), wrapper.point(loop[1]) - wrapper.point(loop[0]));
    if (plane.normal.is_zero()) return PhysicsError::kHullFlat;  // all on one line
    loop = wrapper.corners_on(plane);
  }
  if (loop.size() < 3) return PhysicsError::kHullFlat;
  const GridPoint& a = wrapper.point(loop[0]);
  WideVector const normal = cross(wrapper.point(loop[1]) - a, wrapper.point(loop[2]) - a);
  bool const solid =
      std::any_of(points.begin(), points.end(), [&](const GridPoint& p) { return dot(normal, p - a) != 0; });
  if (!solid) return PhysicsError::kHullFlat;
  return loop;
}

ExactHull canonical_form(std::span<const GridPoint> points, std::vector<Loop> faces,
                         std::vector<std::uint32_t> used) {
  std::sort(used.begin(), used.end());
  ExactHull hull;
  for (std::uint32_t const index : used) hull.vertices.push_back(points[index]);
  for (Loop& loop : faces) {
    for (std::uint32_t& index : loop) {
      index = static_cast<std::uint32_t>(std::lower_bound(used.begin(), used.end(), index) - used.begin());
    }
    std::rotate(loop.begin(), std::min_element(loop.begin(), loop.end()), loop.end());
  }
  // No two faces share three vertices, so the order is total. Compared by elements: operator< of vectors
  // compares too few bytes on big-endian machines with GCC 12.
  std::sort(faces.begin(), faces.end(), [](const Loop& a, const Loop& b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                        [](std::uint32_t x, std::uint32_t y) { return x < y; });
  });
  for (const Loop& loop : faces) {
    hull.faces.push_back(
        {static_cast<std::uint32_t>(hull.loops.size()), static_cast<std::uint32_t>(loop.size())});
    for (std::uint32_t const index : loop) hull.loops.push_back(static_cast<std::uint8_t>(index));
  }
  // Euler's formula of a closed convex surface; every edge is in two loops.
  TAKT_ASSERT(hull.loops.size() % 2 == 0);
  TAKT_ASSERT(hull.vertices.size() + hull.faces.size() == hull.loops.size() / 2 + 2);
  return hull;
}

}  // namespace

GridPoint to_grid(Vec3<double> point_m) noexcept {
  constexpr double kPerMetre = 1.0 / kHullGridM;  // exact: a power of two
  return {nearest_integer(point_m.x * kPerMetre), nearest_integer(point_m.y * kPerMetre),
          nearest_integer(point_m.z * kPerMetre)};
}

Result<ExactHull, PhysicsError> build_hull(std::span<const GridPoint> points) {
  std::vector<GridPoint> sorted(points.begin(), points.end());
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  if (sorted.size() < 4) return PhysicsError::kHullTooFewPoints;
  auto const beyond = [](std::int64_t c) { return c < -kMaxGridCoordinate || c > kMaxGridCoordinate; };
  for (const GridPoint& p : sorted) {
    if (beyond(p.x) || beyond(p.y) || beyond(p.z)) return PhysicsError::kOutOfRange;
  }
  Wrapper const wrapper(sorted);
  auto seed = first_face(wrapper, sorted);
  if (!seed.ok()) return seed.error();

  std::vector<Loop> faces;
  std::vector<std::uint32_t> used;
  std::vector<HalfEdge> open;  // edges of a face whose other face is not found yet
  auto const add_face = [&](Loop loop) {
    TAKT_ASSERT(loop.size() >= 3);
    for (std::size_t i = 0; i < loop.size(); ++i) {
      HalfEdge const edge{loop[i], loop[i + 1 == loop.size() ? 0 : i + 1]};
      auto const other = std::find(open.begin(), open.end(), HalfEdge{edge.to, edge.from});
      if (other != open.end()) {
        open.erase(other);
      } else {
        open.push_back(edge);
      }
      if (std::find(used.begin(), used.end(), edge.from) == used.end()) used.push_back(edge.from);
    }
    faces.push_back(std::move(loop));
  };
  add_face(*std::move(seed));
  while (!open.empty()) {
    if (used.size() > kMaxHullVertices) return PhysicsError::kHullTooManyVertices;
    HalfEdge const edge = open.back();
    // The face on the other side traverses the edge in the opposite direction.
    SupportPlane const plane = wrapper.pivot(sorted[edge.to], sorted[edge.from] - sorted[edge.to]);
    add_face(wrapper.corners_on(plane));
  }
  if (used.size() > kMaxHullVertices) return PhysicsError::kHullTooManyVertices;
  return canonical_form(sorted, std::move(faces), std::move(used));
}

}  // namespace takt
