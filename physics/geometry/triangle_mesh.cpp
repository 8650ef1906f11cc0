#include "physics/geometry/triangle_mesh.h"

#include <algorithm>
#include <bit>

#include "physics/base/radix_order.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

std::uint32_t after(std::uint32_t corner) noexcept { return corner == 2 ? 0 : corner + 1; }

/// One use of an edge by a triangle, listed under the edge's lower vertex. Uses ascend by the higher vertex,
/// then by triangle and edge.
class EdgeUse {
 public:
  EdgeUse() = default;
  EdgeUse(std::uint32_t high, std::uint32_t triangle, std::uint32_t edge) noexcept
      : key_(std::uint64_t{high} << 32 | triangle << 2 | edge) {}
  [[nodiscard]] std::uint32_t high() const noexcept { return static_cast<std::uint32_t>(key_ >> 32); }
  [[nodiscard]] std::uint32_t triangle() const noexcept { return static_cast<std::uint32_t>(key_) >> 2; }
  [[nodiscard]] std::uint32_t edge() const noexcept { return static_cast<std::uint32_t>(key_) & 3u; }
  friend bool operator<(EdgeUse a, EdgeUse b) noexcept { return a.key_ < b.key_; }

 private:
  std::uint64_t key_ = 0;
};
static_assert(kMaxMeshTriangles <= 1u << 30 && 2 * kMaxHeightSamples <= 1u << 30);

/// The vertex of a triangle that is not on its edge from `a` to `b`.
std::uint32_t opposite_vertex(const SurfaceTriangle& triangle, std::uint32_t a, std::uint32_t b) noexcept {
  for (std::uint32_t const vertex : triangle.vertices) {
    if (vertex != a && vertex != b) return vertex;
  }
  return a;
}

/// Turns counts, one element later than their bucket, into the first indices of the buckets.
void sum_up(std::vector<std::uint32_t>& starts) noexcept {
  for (std::size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
}

inline Vec3<double> unit_or_zero(Vec3<double> v) noexcept { return normalise_or(v, Vec3<double>{}, 0.0); }

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
  std::vector<SurfaceFacet> planes(triangles_.size());  // of each triangle
  for (std::uint32_t i = 0; i < triangle_count(); ++i) {
    Vec3<double> const n = normal(i);
    planes[i] = {n, dot(n, corner(i, 0)), i};
  }
  find_neighbours();
  grow_facets(planes);
  weigh_corners(planes);
}

void TriangleMesh::find_neighbours() {
  std::vector<std::uint32_t> starts(vertices_.size() + 1, 0);
  auto const low_of = [this](std::uint32_t t, std::uint32_t e) {
    return minimum(triangles_[t].vertices[e], triangles_[t].vertices[after(e)]);
  };
  for (std::uint32_t t = 0; t < triangle_count(); ++t) {
    triangles_[t].neighbours = {kNone, kNone, kNone};
    for (std::uint32_t e = 0; e < 3; ++e) ++starts[low_of(t, e) + 1];
  }
  sum_up(starts);
  std::vector<EdgeUse> uses(triangles_.size() * 3);
  std::vector<std::uint32_t> ends(starts.begin(), starts.end() - 1);
  for (std::uint32_t t = 0; t < triangle_count(); ++t) {
    for (std::uint32_t e = 0; e < 3; ++e) {
      std::uint32_t const high = maximum(triangles_[t].vertices[e], triangles_[t].vertices[after(e)]);
      uses[ends[low_of(t, e)]++] = {high, t, e};
    }
  }
  // Calls visit(lower vertex, first use, end of uses) for each edge, by lower vertex, then by higher vertex.
  auto const each_edge = [&](auto visit) {
    for (std::uint32_t low = 0; low < vertices_.size(); ++low) {
      const EdgeUse* const last = uses.data() + starts[low + 1];
      for (const EdgeUse* use = uses.data() + starts[low]; use != last;) {
        const EdgeUse* end = use + 1;
        while (end != last && end->high() == use->high()) ++end;
        visit(low, use, end);
        use = end;
      }
    }
  };
  for (std::size_t low = 0; low < vertices_.size(); ++low)
    std::sort(uses.begin() + starts[low], uses.begin() + starts[low + 1]);
  border_edge_count_ = 0;
  ring_first_.assign(vertices_.size() + 1, 0);
  each_edge([this](std::uint32_t low, const EdgeUse* use, const EdgeUse* end) {
    TAKT_VALIDATE(low < use->high());
    ++ring_first_[low + 1];
    ++ring_first_[use->high() + 1];
    if (end - use != 2) {
      ++border_edge_count_;
      return;
    }
    // Two triangles that traverse an edge in one direction face different sides. On a one-sided surface the
    // edge is then a border of both.
    auto const runs_upwards = [this, low](EdgeUse one) {
      return triangles_[one.triangle()].vertices[one.edge()] == low;
    };
    bool const opposite = runs_upwards(use[0]) != runs_upwards(use[1]);
    if (opposite || !one_sided_) {
      triangles_[use[0].triangle()].neighbours[use[0].edge()] = use[1].triangle();
      triangles_[use[1].triangle()].neighbours[use[1].edge()] = use[0].triangle();
    }
    if (!opposite) ++border_edge_count_;
  });
  // The order of the edges gives each vertex the lower ends of its edges first, then the higher ends, both
  // ascending.
  sum_up(ring_first_);
  ring_.resize(ring_first_.back());
  ends.assign(ring_first_.begin(), ring_first_.end() - 1);
  each_edge([&](std::uint32_t low, const EdgeUse* use, const EdgeUse*) {
    ring_[ends[low]++] = use->high();
    ring_[ends[use->high()]++] = low;
  });
}

bool TriangleMesh::lies_in(std::uint32_t triangle, std::uint32_t seed,
                           std::span<const SurfaceFacet> planes) const noexcept {
  const SurfaceFacet& plane = planes[seed];
  if (triangles_[triangle].material != triangles_[seed].material ||
      !(dot(planes[triangle].normal, plane.normal) > 0.0))
    return false;
  for (std::uint32_t i = 0; i < 3; ++i) {
    if (absolute(dot(plane.normal, corner(triangle, i)) - plane.offset) > kFacetFlatnessM) return false;
  }
  return true;
}

void TriangleMesh::grow_facets(std::span<const SurfaceFacet> planes) {
  // The bits of a float above 0 ascend with its value; their complement descends.
  std::vector<std::uint64_t> keys(triangles_.size());
  // Triangles with a neighbour that may lie in their plane, by its corner off their common edge. Seeds come
  // in no order of memory, so this is found before.
  std::vector<std::uint8_t> may_grow(triangles_.size());
  for (std::uint32_t t = 0; t < triangle_count(); ++t) {
    Vec3<double> const a = corner(t, 0);
    Vec3<double> const n = cross(corner(t, 1) - a, corner(t, 2) - a);
    keys[t] = ~std::bit_cast<std::uint64_t>(dot(n, n));
    for (std::uint32_t e = 0; e < 3; ++e) {
      std::uint32_t const neighbour = triangles_[t].neighbours[e];
      if (neighbour == kNone) continue;
      std::uint32_t const off =
          opposite_vertex(triangles_[neighbour], triangles_[t].vertices[e], triangles_[t].vertices[after(e)]);
      if (absolute(dot(planes[t].normal, vertices_[off]) - planes[t].offset) <= kFacetFlatnessM)
        may_grow[t] = 1;
    }
    triangles_[t].facet = kNone;
  }
  std::vector<std::uint32_t> seeds = ascending_order(keys);
  std::uint32_t count = 0;
  std::vector<std::uint32_t> waiting;
  for (std::uint32_t const seed : seeds) {
    if (triangles_[seed].facet != kNone) continue;
    triangles_[seed].facet = count;
    if (may_grow[seed] != 0) waiting.push_back(seed);
    while (!waiting.empty()) {
      std::uint32_t const t = waiting.back();
      waiting.pop_back();
      for (std::uint32_t const neighbour : triangles_[t].neighbours) {
        if (neighbour == kNone || triangles_[neighbour].facet != kNone || !lies_in(neighbour, seed, planes))
          continue;
        triangles_[neighbour].facet = count;
        waiting.push_back(neighbour);
      }
    }
    seeds[count++] = seed;
  }
  facets_.clear();
  facets_.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) facets_.push_back(planes[seeds[i]]);
  for (std::uint32_t t = triangle_count(); t-- > 0;) facets_[triangles_[t].facet].first_triangle = t;
}

void TriangleMesh::weigh_corners(std::span<const SurfaceFacet> planes) {
  corner_normals_.assign(vertices_.size(), {});
  for (std::uint32_t t = 0; t < triangle_count(); ++t) {
    Vec3<double> const n = planes[t].normal;
    Vec3<double> const a = corner(t, 0);
    Vec3<double> const b = corner(t, 1);
    Vec3<double> const c0 = corner(t, 2);
    std::array<Vec3<double>, 3> const along{unit_or_zero(b - a), unit_or_zero(c0 - b), unit_or_zero(a - c0)};
    for (std::uint32_t i = 0; i < 3; ++i) {
      Vec3<double> const u = along[i];
      Vec3<double> const v = -along[after(after(i))];
      // The angle between two unit vectors within a few per cent, sufficient for a sign: 2 atan(s / (1 + c)),
      // with atan(x) = x / (1 + 0.28 x^2) up to 1.
      double const s = length(cross(u, v));
      double const c = dot(u, v);
      double const x = s / (1.0 + absolute(c));
      double const half = x / (1.0 + 0.28 * x * x);
      constexpr double kHalfPi = 1.57079632679489661923;
      double const angle = c >= 0.0 ? 2.0 * half : 2.0 * (kHalfPi - half);
      corner_normals_[triangles_[t].vertices[i]] += n * angle;
    }
  }
}

}  // namespace takt
