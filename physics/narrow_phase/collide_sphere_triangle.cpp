// A sphere against a triangle of a mesh: exact, by the nearest point.
#include "physics/geometry/voronoi_region.h"
#include "physics/math/is_finite.h"
#include "physics/narrow_phase/mesh_collision_context.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

// A centre closer to a triangle than this, m, is in it: the facet's normal is the way out.
constexpr double kInsideM = 1e-9;
// A centre is over a triangle up to this far beyond its edge, m, so that none falls between two by rounding.
constexpr double kOnEdgeM = 1e-7;
// An edge that approaches the sphere by less than this sine does not lead nearer: rounding.
constexpr double kNearerSine = 1e-9;

/// The point of a triangle's border nearest to a point beyond its edges.
struct NearestBorder {
  bool outside = false;
  double square = 0.0;  ///< of the distance, m^2
  Vec3<double> at;
  std::uint32_t edge = 0;
  int corner = -1;  ///< -1 = on the edge
};

NearestBorder nearest_border(const TriangleMesh& surface, std::uint32_t triangle,
                             Vec3<double> center) noexcept {
  Vec3<double> const n = surface.normal(triangle);
  NearestBorder best;
  for (std::uint32_t e = 0; e < 3; ++e) {
    Vec3<double> const from = surface.corner(triangle, e);
    Vec3<double> const along = surface.corner(triangle, next_corner(e)) - from;
    Vec3<double> const to_center = center - from;
    double const size = dot(along, along);
    if (!(dot(cross(along, n), to_center) > kOnEdgeM * sqrt(size))) continue;
    double const t = dot(along, to_center) / size;
    Vec3<double> const q = from + along * clamp(t, 0.0, 1.0);
    double const square = dot(center - q, center - q);
    if (best.outside && !(square < best.square)) continue;
    best = {true, square, q, e,
            t <= 0.0 ? static_cast<int>(e) : (t >= 1.0 ? static_cast<int>(next_corner(e)) : -1)};
  }
  return best;
}

/// True when the border may push along the direction, on a colliding side.
bool may_push(const TriangleMesh& surface, std::uint32_t triangle, const NearestBorder& border,
              Vec3<double> direction) noexcept {
  if (border.corner >= 0) {
    std::uint32_t const vertex =
        surface.triangle(triangle).vertices[static_cast<std::uint32_t>(border.corner)];
    if (!corner_owns(surface, vertex, direction, kNearerSine)) return false;
    return !surface.one_sided() || dot(direction, surface.corner_normal(vertex)) >= 0.0;
  }
  std::uint32_t const other = surface.triangle(triangle).neighbours[border.edge];
  bool const is_border = other == TriangleMesh::kNone;
  if (!is_border && dot(direction, surface.beyond_edge(other, edge_towards(surface, other, triangle))) < 0.0)
    return false;
  Vec3<double> const n = surface.normal(triangle);
  return !surface.one_sided() || dot(direction, is_border ? n : n + surface.normal(other)) >= 0.0;
}

void add_sphere_point(MeshCollisionContext& context, const FacedTriangle& triangle, double height) {
  double const separation = height - context.shape.radius();
  Vec3<double> const at =
      context.shape.center() - triangle.normal * (context.shape.radius() + 0.5 * separation);
  context.prove(triangle);
  context.add_facet_point(triangle, {at, separation, 0});
}

}  // namespace

void touch_sphere(MeshCollisionContext& context, const FacedTriangle& triangle) {
  TAKT_ASSERT(triangle.index < context.surface.triangle_count());
  const TriangleMesh& surface = context.surface;
  Vec3<double> const center = context.shape.center();
  double const height = dot(triangle.normal, center) - triangle.offset;
  if (height > context.limit) return;
  NearestBorder const border = nearest_border(surface, triangle.index, center);
  bool const usable = triangle.front || !surface.one_sided();
  double const distance = border.outside ? sqrt(border.square) : height;
  if (!border.outside || distance <= kInsideM) {
    if (usable) add_sphere_point(context, triangle, height);
    return;
  }
  if (distance > context.limit || (border.corner < 0 && is_inner_edge(surface, triangle.index, border.edge)))
    return;
  Vec3<double> const direction = (center - border.at) * (1.0 / distance);
  TAKT_VALIDATE(is_unit(direction));
  if (!may_push(surface, triangle.index, border, direction)) return;
  if (dot(direction, triangle.normal) >= kFacetCosine && usable)
    return add_sphere_point(context, triangle, height);
  double const separation = distance - context.shape.radius();
  SurfaceManifold& found = context.scratch.edges.emplace_back();
  found.child = kChildEdge | triangle.index;
  found.manifold.normal = direction;
  found.manifold.points[0] = {border.at + direction * (0.5 * separation), separation, 0};
  found.manifold.point_count = 1;
}

}  // namespace takt
