// Reduces the results of single triangles to the touched parts of a mesh: one manifold per facet, edges and
// vertices not covered by a facet, and a bounded total.
#include <algorithm>

#include "physics/narrow_phase/contact_clipping.h"
#include "physics/narrow_phase/mesh_collision_context.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

// Points of a facet closer than this, m, are one point, found by two triangles.
constexpr double kSameCornerM = 1e-6;
// Points closer than this, m, whose normals are within kSameCosine, are one point, found by a facet and by an
// edge.
constexpr double kSamePointM = 0.001;
constexpr double kSameCosine = 0.9995;
// Pairs with more manifolds than this merge those with normals within kJoinCosine; fine meshes would
// otherwise give one point per triangle.
constexpr std::size_t kMaxManifolds = 4;

double deepest_of(const Manifold<double>& manifold) noexcept {
  TAKT_ASSERT(manifold.point_count > 0);
  double deepest = manifold.points[0].separation;
  for (std::uint32_t i = 1; i < manifold.point_count; ++i)
    deepest = minimum(deepest, manifold.points[i].separation);
  return deepest;
}

void make_features_differ(Manifold<double>& manifold) noexcept {
  for (std::uint32_t i = 1; i < manifold.point_count; ++i) {
    for (std::uint32_t k = 0; k < i; ++k) {
      if (manifold.points[i].feature != manifold.points[k].feature) continue;
      manifold.points[i].feature += 1u << 29u;
      k = 0;
    }
  }
}

/// Merges the points of each facet into one manifold. A corner of the shape found by two triangles is one
/// point.
void gather_facets(MeshCollisionContext& context) {
  SurfaceScratch& scratch = context.scratch;
  auto& all = scratch.facet_points;
  std::sort(all.begin(), all.end(), [](const FacetPoint& a, const FacetPoint& b) {
    return a.facet != b.facet ? a.facet < b.facet : a.order < b.order;
  });
  for (std::size_t first = 0; first < all.size();) {
    std::uint32_t const index = all[first].facet;
    scratch.points.clear();
    bool proved = false;
    for (; first < all.size() && all[first].facet == index; ++first) {
      const FacetPoint& next = all[first];
      proved = proved || next.proves;
      if (next.proves) continue;
      auto const same = [&next](const ManifoldPoint<double>& p) {
        return p.feature == next.point.feature || length(p.position - next.point.position) < kSameCornerM;
      };
      if (std::none_of(scratch.points.begin(), scratch.points.end(), same))
        scratch.points.push_back(next.point);
    }
    if (!proved || scratch.points.empty()) continue;
    // In the order of the shape's own corners, independent of the triangles below them.
    std::sort(
        scratch.points.begin(), scratch.points.end(),
        [](const ManifoldPoint<double>& a, const ManifoldPoint<double>& b) { return a.feature < b.feature; });
    const SurfaceFacet& facet = context.surface.facet(index);
    SurfaceManifold& found = scratch.manifolds.emplace_back();
    found.child = facet.first_triangle;
    found.manifold.normal = context.is_in_front(index) ? facet.normal : -facet.normal;
    reduce(scratch.points, found.manifold);
  }
}

/// Adds edges and vertices not yet found by a facet or an earlier triangle.
void gather_edges(SurfaceScratch& scratch) {
  for (const SurfaceManifold& edge : scratch.edges) {
    Manifold<double> kept = edge.manifold;
    kept.point_count = 0;
    for (std::uint32_t i = 0; i < edge.manifold.point_count; ++i) {
      const ManifoldPoint<double>& point = edge.manifold.points[i];
      bool known = false;
      for (const SurfaceManifold& other : scratch.manifolds) {
        if (dot(other.manifold.normal, edge.manifold.normal) < kSameCosine) continue;
        for (std::uint32_t k = 0; k < other.manifold.point_count; ++k) {
          known = known || length(other.manifold.points[k].position - point.position) < kSamePointM;
        }
      }
      if (!known) kept.points[kept.point_count++] = point;
    }
    if (kept.point_count > 0) scratch.manifolds.push_back({edge.child, kept, false});
  }
}

/// Resolves deep overlap. If all directions belong to other parts and none is deep enough, the shape leaves
/// through the facet it is deepest in, at its lowest point. "Enough" is the guarantee of docs/COLLISION.md
/// for a pair: all of the depth except the two biases.
void push_out(MeshCollisionContext& context) {
  if (!(context.deepest_overlap < 0.0)) return;
  double const radius = context.shape.radius();
  double const enough = context.deepest_overlap + (kFaceBiasM + kLostDepthM) - radius;
  auto& list = context.scratch.manifolds;
  for (const SurfaceManifold& found : list) {
    if (deepest_of(found.manifold) <= enough) return;
  }
  std::uint32_t const child =
      context.surface.facet(context.surface.triangle(context.deepest.index).facet).first_triangle;
  auto const known = std::find_if(list.begin(), list.end(),
                                  [child](const SurfaceManifold& found) { return found.child == child; });
  SurfaceManifold& out = known != list.end() ? *known : list.emplace_back();
  Vec3<double> const n = context.deepest.normal;
  double const separation = context.deepest_gap - radius;
  out.child = child;
  out.manifold.normal = n;
  out.manifold.points[0] = {
      context.shape.support(-n) - n * (radius + 0.5 * separation), separation,
      kFeatureSurface | ((context.deepest.index * 4 + 3) * kLinesAnEdge + kLinesAnEdge - 1)};
  out.manifold.point_count = 1;
}

/// Merges surplus parts that have nearly equal normals and one material. The result has the lowest child and
/// the normal of the deepest.
void join_alike(const TriangleMesh& surface, SurfaceScratch& scratch) {
  auto& list = scratch.manifolds;
  if (list.size() <= kMaxManifolds) return;
  std::sort(list.begin(), list.end(),
            [](const SurfaceManifold& a, const SurfaceManifold& b) { return a.child < b.child; });
  auto const material = [&surface](const SurfaceManifold& m) {
    return surface.triangle(child_triangle(m.child)).material;
  };
  std::size_t kept = 0;
  auto& apart = scratch.edges;
  apart.assign(list.begin(), list.end());
  for (std::size_t i = 0; i < apart.size(); ++i) {
    if (apart[i].manifold.point_count == 0) continue;  // already merged
    SurfaceManifold joined = apart[i];
    Vec3<double> const seed = joined.manifold.normal;
    double deepest = deepest_of(joined.manifold);
    scratch.points.clear();
    for (std::size_t k = i; k < apart.size(); ++k) {
      SurfaceManifold& other = apart[k];
      if (other.manifold.point_count == 0 || dot(other.manifold.normal, seed) < kJoinCosine ||
          material(other) != material(joined))
        continue;
      if (deepest_of(other.manifold) < deepest) {
        deepest = deepest_of(other.manifold);
        joined.manifold.normal = other.manifold.normal;
      }
      for (std::uint32_t p = 0; p < other.manifold.point_count; ++p)
        scratch.points.push_back(other.manifold.points[p]);
      joined.joined = joined.joined || k > i;
      other.manifold.point_count = 0;
    }
    reduce(scratch.points, joined.manifold);
    make_features_differ(joined.manifold);
    list[kept++] = joined;
  }
  TAKT_ASSERT(kept <= list.size());
  list.resize(kept);
}

}  // namespace

void gather_parts(MeshCollisionContext& context) {
  gather_facets(context);
  gather_edges(context.scratch);
  push_out(context);
  join_alike(context.surface, context.scratch);
}

}  // namespace takt
