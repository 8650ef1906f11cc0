#include "physics/geometry/triangle_mesh.h"

#include <algorithm>

#include "takt/core/assert.h"

namespace takt {
namespace {

std::uint32_t after(std::uint32_t corner) noexcept { return corner == 2 ? 0 : corner + 1; }

/// An edge of a triangle, keyed by its two vertices.
struct EdgeUse {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  std::uint32_t triangle = 0;
  std::uint32_t edge = 0;
  bool upwards = false;  ///< runs from the lower vertex to the higher
};

Vec3<double> unit_or_zero(Vec3<double> v) noexcept { return normalise_or(v, Vec3<double>{}, 0.0); }

}  // namespace

Vec3<double> TriangleMesh::normal(std::uint32_t triangle) const noexcept {
  Vec3<double> const a = corner(triangle, 0);
  return unit_or_zero(cross(corner(triangle, 1) - a, corner(triangle, 2) - a));
}

Vec3<double> TriangleMesh::beyond_edge(std::uint32_t triangle, std::uint32_t edge) const noexcept {
  return unit_or_zero(cross(corner(triangle, after(edge)) - corner(triangle, edge), normal(triangle)));
}

SurfaceBox TriangleMesh::triangle_box(std::uint32_t index) const noexcept {
  Vec3<double> const a = corner(index, 0);
  Vec3<double> const b = corner(index, 1);
  Vec3<double> const c = corner(index, 2);
  return {
      {minimum(a.x, minimum(b.x, c.x)), minimum(a.y, minimum(b.y, c.y)), minimum(a.z, minimum(b.z, c.z))},
      {maximum(a.x, maximum(b.x, c.x)), maximum(a.y, maximum(b.y, c.y)), maximum(a.z, maximum(b.z, c.z))}};
}

ConvexShape TriangleMesh::convex(std::uint32_t index) const noexcept {
  return ConvexShape::triangle({corner(index, 0), corner(index, 1), corner(index, 2)});
}

std::size_t TriangleMesh::size_bytes() const noexcept {
  return vertices_.size() * 2 * sizeof(Vec3<double>) + triangles_.size() * sizeof(SurfaceTriangle) +
         facets_.size() * sizeof(SurfaceFacet) + (ring_.size() + ring_first_.size()) * sizeof(std::uint32_t) +
         tree_.size_bytes();
}

void TriangleMesh::build(std::vector<GridPoint> vertices, std::vector<std::array<std::uint32_t, 3>> triangles,
                         std::vector<std::uint32_t> numbers, std::vector<std::uint8_t> materials,
                         bool one_sided) {
  TAKT_ASSERT(!triangles.empty());
  TAKT_ASSERT(numbers.empty() || numbers.size() == triangles.size());
  TAKT_ASSERT(materials.empty() || materials.size() == triangles.size());
  one_sided_ = one_sided;
  vertices_.clear();
  vertices_.reserve(vertices.size());
  for (const GridPoint& p : vertices) vertices_.push_back(to_metres(p));
  triangles_.clear();
  triangles_.resize(triangles.size());
  for (std::uint32_t i = 0; i < triangles.size(); ++i) {
    for (std::uint32_t const vertex : triangles[i]) TAKT_ASSERT(vertex < vertices.size());
    triangles_[i].vertices = triangles[i];
    triangles_[i].number = numbers.empty() ? i : numbers[i];
    triangles_[i].material = materials.empty() ? std::uint8_t{0} : materials[i];
  }
  tree_.build(vertices, triangles);
  box_ = triangle_box(0);
  for (std::uint32_t i = 1; i < triangle_count(); ++i) {
    SurfaceBox const one = triangle_box(i);
    box_.lower = {minimum(box_.lower.x, one.lower.x), minimum(box_.lower.y, one.lower.y),
                  minimum(box_.lower.z, one.lower.z)};
    box_.upper = {maximum(box_.upper.x, one.upper.x), maximum(box_.upper.y, one.upper.y),
                  maximum(box_.upper.z, one.upper.z)};
  }
  find_neighbours();
  grow_facets();
  find_rings();
  weigh_corners();
}

void TriangleMesh::find_neighbours() {
  std::vector<EdgeUse> uses;
  uses.reserve(triangles_.size() * 3);
  for (std::uint32_t t = 0; t < triangle_count(); ++t) {
    triangles_[t].neighbours = {kNone, kNone, kNone};
    for (std::uint32_t e = 0; e < 3; ++e) {
      std::uint32_t const from = triangles_[t].vertices[e];
      std::uint32_t const to = triangles_[t].vertices[after(e)];
      uses.push_back({minimum(from, to), maximum(from, to), t, e, from < to});
    }
  }
  std::sort(uses.begin(), uses.end(), [](const EdgeUse& a, const EdgeUse& b) {
    if (a.low != b.low) return a.low < b.low;
    if (a.high != b.high) return a.high < b.high;
    return a.triangle != b.triangle ? a.triangle < b.triangle : a.edge < b.edge;
  });
  border_edge_count_ = 0;
  for (std::size_t i = 0; i < uses.size();) {
    std::size_t end = i + 1;
    while (end < uses.size() && uses[end].low == uses[i].low && uses[end].high == uses[i].high) ++end;
    // Two triangles that traverse an edge in one direction face different sides. On a one-sided surface the
    // edge is then a border of both.
    TAKT_VALIDATE(uses[i].low < uses[i].high);
    bool const joined = end - i == 2 && (uses[i].upwards != uses[i + 1].upwards || !one_sided_);
    if (joined) {
      triangles_[uses[i].triangle].neighbours[uses[i].edge] = uses[i + 1].triangle;
      triangles_[uses[i + 1].triangle].neighbours[uses[i + 1].edge] = uses[i].triangle;
    }
    if (end - i != 2 || uses[i].upwards == uses[i + 1].upwards) ++border_edge_count_;
    i = end;
  }
}

void TriangleMesh::grow_facets() {
  facets_.clear();
  std::vector<double> areas(triangles_.size());
  std::vector<std::uint32_t> order(triangles_.size());
  for (std::uint32_t t = 0; t < triangle_count(); ++t) {
    Vec3<double> const a = corner(t, 0);
    Vec3<double> const n = cross(corner(t, 1) - a, corner(t, 2) - a);
    areas[t] = dot(n, n);
    order[t] = t;
    triangles_[t].facet = kNone;
  }
  std::sort(order.begin(), order.end(), [&areas](std::uint32_t a, std::uint32_t b) {
    return areas[a] != areas[b] ? areas[a] > areas[b] : a < b;
  });
  std::vector<std::uint32_t> waiting;
  for (std::uint32_t const seed : order) {
    if (triangles_[seed].facet != kNone) continue;
    auto const number = static_cast<std::uint32_t>(facets_.size());
    Vec3<double> const n = normal(seed);
    SurfaceFacet facet{n, dot(n, corner(seed, 0)), seed};
    auto const lies_in = [&](std::uint32_t t) {
      if (triangles_[t].facet != kNone || triangles_[t].material != triangles_[seed].material ||
          !(dot(normal(t), n) > 0.0))
        return false;
      for (std::uint32_t i = 0; i < 3; ++i) {
        if (absolute(dot(n, corner(t, i)) - facet.offset) > kFacetFlatnessM) return false;
      }
      return true;
    };
    waiting.assign(1, seed);
    triangles_[seed].facet = number;
    while (!waiting.empty()) {
      std::uint32_t const t = waiting.back();
      waiting.pop_back();
      facet.first_triangle = minimum(facet.first_triangle, t);
      for (std::uint32_t const neighbour : triangles_[t].neighbours) {
        if (neighbour == kNone || !lies_in(neighbour)) continue;
        triangles_[neighbour].facet = number;
        waiting.push_back(neighbour);
      }
    }
    facets_.push_back(facet);
  }
  TAKT_VALIDATE(std::ranges::none_of(triangles_, [](const SurfaceTriangle& t) { return t.facet == kNone; }));
}

void TriangleMesh::find_rings() {
  struct Join {
    std::uint32_t from;
    std::uint32_t to;
  };
  std::vector<Join> joins;
  joins.reserve(triangles_.size() * 6);
  for (const SurfaceTriangle& triangle : triangles_) {
    for (std::uint32_t e = 0; e < 3; ++e) {
      joins.push_back({triangle.vertices[e], triangle.vertices[after(e)]});
      joins.push_back({triangle.vertices[after(e)], triangle.vertices[e]});
    }
  }
  std::sort(joins.begin(), joins.end(),
            [](Join a, Join b) { return a.from != b.from ? a.from < b.from : a.to < b.to; });
  ring_.clear();
  ring_first_.assign(vertices_.size() + 1, 0);
  std::size_t at = 0;
  for (std::uint32_t v = 0; v < vertices_.size(); ++v) {
    ring_first_[v] = static_cast<std::uint32_t>(ring_.size());
    for (; at < joins.size() && joins[at].from == v; ++at) {
      if (ring_.size() > ring_first_[v] && ring_.back() == joins[at].to) continue;
      ring_.push_back(joins[at].to);
    }
  }
  ring_first_.back() = static_cast<std::uint32_t>(ring_.size());
}

void TriangleMesh::weigh_corners() {
  corner_normals_.assign(vertices_.size(), {});
  for (std::uint32_t t = 0; t < triangle_count(); ++t) {
    Vec3<double> const n = normal(t);
    for (std::uint32_t i = 0; i < 3; ++i) {
      Vec3<double> const at = corner(t, i);
      Vec3<double> const u = unit_or_zero(corner(t, after(i)) - at);
      Vec3<double> const v = unit_or_zero(corner(t, after(after(i))) - at);
      // The angle between two unit vectors within a few per cent, sufficient for a sign: 2 atan(s / (1 + c)),
      // with atan(x) = x / (1 + 0.28 x^2) up to 1.
      double const s = length(cross(u, v));
      double const c = dot(u, v);
      double const x = c >= 0.0 ? s / (1.0 + c) : s / (1.0 - c);
      double const half = x / (1.0 + 0.28 * x * x);
      constexpr double kHalfPi = 1.57079632679489661923;
      double const angle = c >= 0.0 ? 2.0 * half : 2.0 * (kHalfPi - half);
      corner_normals_[triangles_[t].vertices[i]] += n * angle;
    }
  }
}

}  // namespace takt
