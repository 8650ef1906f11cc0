#include "physics/collide_surface.h"

#include <algorithm>

#include "physics/convex_patch.h"
#include "physics/tuning.h"

namespace takt {
namespace {

// A direction this sine beyond a facet around an edge still belongs to the edge: rounding, and shapes that lie flat on the facet.
constexpr double kRegionSine = 0.01;
// Within this cosine of a facet's normal a direction is the facet's.
constexpr double kFacetCosine = 0.9995;
// Two corners of a triangle are alike along a direction within this sine: then their edge touches, not a corner.
constexpr double kEdgeSine = 0.02;
// A direction that belongs to another part of the surface gives way to the facet's, if the facet is not deeper by more than this, m. A shape that has dug into
// smooth ground by this much sees each triangle's edge as the nearest way out.
constexpr double kGhostDepthM = 0.1;
// Points nearer than this, m, whose normals are within kSameCosine are one point, found by two triangles.
constexpr double kSamePlaceM = 0.001;
constexpr double kSameCosine = 0.9995;
// A pair of more manifolds than this has those joined whose normals are within kJoinCosine (5 degrees): fine meshes would give a point a triangle.
constexpr std::size_t kMostManifolds = 4;
constexpr double kJoinCosine = 0.9962;
// A centre nearer to a triangle than this, m, is in it: the way out is the facet's.
constexpr double kInsideM = 1e-9;
// A centre is over a triangle up to this far beyond its edge, m, so that none falls between two by rounding.
constexpr double kOnEdgeM = 1e-7;

constexpr std::uint32_t kFeatureSurface = 1u << 31;  // a feature that names a part of the surface, not of the shape
constexpr std::uint32_t kLinesAnEdge = 64;           // lines of the shape's patch that may cross it

std::uint32_t after(std::uint32_t corner) noexcept { return corner == 2 ? 0 : corner + 1; }

/// Axes made square and unit, as in ConvexShape: distances in the surface's frame are those of the world.
Mat3<double> square(const Mat3<double>& m) noexcept {
  Vec3<double> const y = m.y * (1.0 / length(m.y));
  Vec3<double> const x = m.x - y * dot(m.x, y);
  Vec3<double> const x_unit = x * (1.0 / length(x));
  return {x_unit, y, cross(x_unit, y)};
}

/// A triangle as a shape sees it: its facet's plane, turned to the side on which the shape's middle is.
struct FacedTriangle {
  std::uint32_t index = 0;
  Vec3<double> normal;
  double offset = 0.0;
  bool front = true;
};

class SurfaceCollider {
 public:
  SurfaceCollider(const ConvexShape& shape, const TriangleSurface& surface, SurfaceScratch& scratch)
      : shape_(shape), surface_(surface), scratch_(scratch), limit_(kSpeculativeDistanceM + shape.radius()) {}

  void run(bool is_sphere) {
    scratch_.facet_points.clear();
    scratch_.edges.clear();
    scratch_.manifolds.clear();
    surface_.visit_triangles(box_around(), [this, is_sphere](std::uint32_t index) {
      FacedTriangle triangle;
      triangle.index = index;
      const SurfaceFacet& facet = surface_.facet(surface_.triangle(index).facet);
      triangle.front = dot(facet.normal, shape_.center()) >= facet.offset;
      triangle.normal = triangle.front ? facet.normal : -facet.normal;
      triangle.offset = triangle.front ? facet.offset : -facet.offset;
      if (is_sphere) {
        touch_ball(triangle);
      } else if (triangle.front || !surface_.one_sided()) {
        touch(triangle);
      }
    });
    // So deep that every direction belongs to some other part: out through the facet that is nearest.
    if (scratch_.facet_points.empty() && scratch_.edges.empty() && has_last_) add_support_point(last_, last_gap_);
    gather_facets();
    gather_edges();
    join_alike();
    std::sort(scratch_.manifolds.begin(), scratch_.manifolds.end(),
              [](const SurfaceManifold& a, const SurfaceManifold& b) { return a.child < b.child; });
  }

 private:
  [[nodiscard]] SurfaceBox box_around() const noexcept {
    auto const reach = [this](Vec3<double> d) { return dot(d, shape_.support(d)); };
    Vec3<double> const upper{reach({1, 0, 0}), reach({0, 1, 0}), reach({0, 0, 1})};
    Vec3<double> const lower{-reach({-1, 0, 0}), -reach({0, -1, 0}), -reach({0, 0, -1})};
    Vec3<double> const all{limit_, limit_, limit_};
    return {lower - all, upper + all};
  }

  // --- what belongs to which part -------------------------------------------------------------------------------------------------

  /// Whether a direction out of an edge lies between the facets that meet there; 0 = no, 1 = yes, 2 = it is the other facet's own normal.
  [[nodiscard]] int edge_owns(std::uint32_t triangle, std::uint32_t edge, Vec3<double> direction) const noexcept {
    std::uint32_t const other = surface_.triangle(triangle).neighbours[edge];
    if (other == TriangleSurface::kNone) return 1;
    double const beyond = dot(direction, surface_.beyond_edge(other, edge_towards(other, triangle)));
    if (beyond < -kRegionSine) return 0;
    return beyond < kRegionSine ? 2 : 1;
  }
  [[nodiscard]] std::uint32_t edge_towards(std::uint32_t triangle, std::uint32_t neighbour) const noexcept {
    const auto& neighbours = surface_.triangle(triangle).neighbours;
    return neighbours[0] == neighbour ? 0 : (neighbours[1] == neighbour ? 1 : 2);
  }
  [[nodiscard]] bool corner_owns(std::uint32_t vertex, Vec3<double> direction) const noexcept {
    Vec3<double> const at = surface_.vertices()[vertex];
    for (std::uint32_t const other : surface_.ring(vertex)) {
      Vec3<double> const along = surface_.vertices()[other] - at;
      if (dot(direction, along) > kRegionSine * length(along)) return false;
    }
    return true;
  }
  /// An edge within a facet does not exist for contacts.
  [[nodiscard]] bool is_inner(std::uint32_t triangle, std::uint32_t edge) const noexcept {
    std::uint32_t const other = surface_.triangle(triangle).neighbours[edge];
    return other != TriangleSurface::kNone && surface_.triangle(other).facet == surface_.triangle(triangle).facet;
  }

  // --- any convex shape -----------------------------------------------------------------------------------------------------------

  void patch_of(const FacedTriangle& triangle, SurfacePatch& out) const noexcept {
    // Corner by corner as in the surface, so that line i is edge i; turned round when its back is looked at.
    for (std::uint32_t i = 0; i < 3; ++i) out.points[i] = surface_.corner(triangle.index, triangle.front ? i : (3 - i) % 3);
    out.count = 3;
    out.normal = triangle.normal;
    out.id = 0;
    out.is_disc = false;
  }
  /// The surface's edge that line i of patch_of is.
  static std::uint32_t edge_of_line(const FacedTriangle& triangle, std::uint32_t line) noexcept { return triangle.front ? line : 2 - line; }
  static std::uint32_t corner_of_point(const FacedTriangle& triangle, std::uint32_t point) noexcept {
    return triangle.front ? point : (3 - point) % 3;
  }

  void touch(const FacedTriangle& triangle) {
    double const gap = dot(triangle.normal, shape_.support(-triangle.normal)) - triangle.offset;
    if (gap > limit_) return;
    SurfacePatch face;
    SurfacePatch incident;
    patch_of(triangle, face);
    shape_.patch_towards(-triangle.normal, incident);
    ClipPolygon const over = clipped(face, incident);
    bool found = false;
    double lowest = limit_;
    for (std::uint32_t i = 0; i < over.count; ++i) {
      double const height = dot(triangle.normal, over.corners[i].at) - triangle.offset;
      if (height > limit_) continue;
      found = true;
      lowest = minimum(lowest, height);
    }
    // As in collide_convex: a point over the face, or nearly in it, proves the face.
    if (found && gap >= -kFaceBiasM && maximum(lowest, 0.0) - gap <= kFaceBiasM) return add_facet_points(triangle, over, incident.id);
    ConvexShape const part = surface_.convex(triangle.index);
    SeparatingAxis axis = separating_axis(part, shape_, limit_);
    if (axis.gap > limit_) return;
    if (found && gap >= axis.gap - kFaceBiasM && lowest <= axis.gap + kLostDepthM) return add_facet_points(triangle, over, incident.id);
    bool const faces_facet = dot(axis.normal, triangle.normal) >= kFacetCosine;
    if (!faces_facet && touch_edge(triangle, part, axis)) return;
    if (found && gap >= axis.gap - kGhostDepthM) return add_facet_points(triangle, over, incident.id);
    if (faces_facet && !found) {  // nearest just beyond a border of the facet, and looking its way
      if (!is_on_inner_edge(triangle.index, axis.on_a)) add_support_point(triangle, gap);
    } else if (!has_last_ || gap > last_gap_) {
      has_last_ = true;
      last_gap_ = gap;
      last_ = triangle;
    }
  }

  /// The shape's own nearest point to a facet's plane.
  void add_support_point(const FacedTriangle& triangle, double gap) {
    double const separation = gap - shape_.radius();
    Vec3<double> const at = shape_.support(-triangle.normal) - triangle.normal * (shape_.radius() + 0.5 * separation);
    add_facet_point(triangle, {at, separation, kFeatureSurface | ((triangle.index * 4 + 3) * kLinesAnEdge + kLinesAnEdge - 1)});
  }

  [[nodiscard]] bool is_on_inner_edge(std::uint32_t triangle, Vec3<double> p) const noexcept {
    for (std::uint32_t e = 0; e < 3; ++e) {
      if (is_inner(triangle, e) && absolute(dot(surface_.beyond_edge(triangle, e), p - surface_.corner(triangle, e))) < kOnEdgeM) return true;
    }
    return false;
  }

  void add_facet_points(const FacedTriangle& triangle, const ClipPolygon& over, std::uint32_t patch) {
    for (std::uint32_t i = 0; i < over.count; ++i) {
      const ClipCorner& corner = over.corners[i];
      double const height = dot(triangle.normal, corner.at) - triangle.offset;
      if (height > limit_) continue;
      bool const cut_before = corner.before >= kClipLines;
      bool const cut_after = corner.after >= kClipLines;
      std::uint32_t feature = patch << 7u | corner.after;
      if (cut_before || cut_after) {
        // Where the shape's patch goes on over the next triangle of the facet there is no corner.
        std::uint32_t const edge_before = cut_before ? edge_of_line(triangle, corner.before - kClipLines) : 0;
        std::uint32_t const edge_after = cut_after ? edge_of_line(triangle, corner.after - kClipLines) : 0;
        if ((!cut_before || is_inner(triangle.index, edge_before)) && (!cut_after || is_inner(triangle.index, edge_after))) continue;
        std::uint32_t const place = cut_before && cut_after ? 3 : (cut_before ? edge_before : edge_after);
        std::uint32_t const line = cut_before ? (cut_after ? edge_after : corner.after) : corner.before;
        feature = kFeatureSurface | ((triangle.index * 4 + place) * kLinesAnEdge + line % kLinesAnEdge);
      }
      double const separation = height - shape_.radius();
      Vec3<double> const at = corner.at - triangle.normal * (shape_.radius() + 0.5 * separation);
      add_facet_point(triangle, {at, separation, feature});
    }
  }

  void add_facet_point(const FacedTriangle& triangle, const ManifoldPoint<double>& point) {
    scratch_.facet_points.push_back({surface_.triangle(triangle.index).facet, static_cast<std::uint32_t>(scratch_.facet_points.size()), point});
  }

  /// The shape leans on an edge or a corner. False: the direction is not theirs, and the facet may have a say.
  bool touch_edge(const FacedTriangle& triangle, const ConvexShape& part, SeparatingAxis& axis) {
    Vec3<double> const n = axis.normal;  // from the triangle to the shape
    const auto& corners = surface_.triangle(triangle.index).vertices;
    std::array<double, 3> at{};
    for (std::uint32_t i = 0; i < 3; ++i) at[i] = dot(n, surface_.corner(triangle.index, i));
    std::uint32_t const top = at[0] >= at[1] && at[0] >= at[2] ? 0 : (at[1] >= at[2] ? 1 : 2);
    auto const level = [&](std::uint32_t other) {
      Vec3<double> const along = surface_.corner(triangle.index, other) - surface_.corner(triangle.index, top);
      return at[top] - at[other] <= kEdgeSine * length(along);
    };
    std::uint32_t const next = after(top);
    std::uint32_t const last = after(next);
    bool const level_next = level(next);
    bool const level_last = level(last);
    if (level_next && level_last) return false;
    bool const is_edge = level_next || level_last;
    std::uint32_t const edge = level_next ? top : last;
    if (is_edge) {
      int const owns = edge_owns(triangle.index, edge, n);
      if (owns == 0) return false;
      if (owns == 2) return !is_inner(triangle.index, edge);  // the neighbour's facet touches there
    } else if (!corner_owns(corners[top], n)) {
      return false;
    }
    SurfaceManifold& found = scratch_.edges.emplace_back();
    found.child = kChildEdge | triangle.index;
    if (face_of_shape(triangle, axis, found.manifold)) return true;
    if (is_edge) {
      SurfacePatch line;
      line.points[0] = surface_.corner(triangle.index, edge);
      line.points[1] = surface_.corner(triangle.index, after(edge));
      line.count = 2;
      SurfacePatch other;
      shape_.patch_towards(-n, other);
      if (line_points(line, other, 0.0, shape_.radius(), axis, limit_, found.manifold)) return true;
    }
    if (axis.overlap) place_points(part, shape_, axis);
    double const separation = axis.gap - shape_.radius();
    found.manifold.normal = n;
    found.manifold.points[0] = {(axis.on_a + axis.on_b - n * shape_.radius()) * 0.5, separation, 1u << 30u};
    found.manifold.point_count = 1;
    return true;
  }

  /// The triangle against the shape's own flat face, when that is as good as the axis: corners of the surface below the underside of a box.
  bool face_of_shape(const FacedTriangle& triangle, const SeparatingAxis& axis, Manifold<double>& out) {
    if (shape_.flat_face_count() == 0) return false;
    std::uint32_t const index = shape_.flat_face_towards(-axis.normal);
    FlatFace const face = shape_.flat_face(index);
    double deepest = dot(face.normal, surface_.corner(triangle.index, 0));
    for (std::uint32_t i = 1; i < 3; ++i) deepest = minimum(deepest, dot(face.normal, surface_.corner(triangle.index, i)));
    if (deepest - face.offset < axis.gap - kFaceBiasM) return false;
    Vec3<double> const n = -face.normal;
    SurfacePatch reference;
    SurfacePatch incident;
    shape_.flat_patch(index, reference);
    patch_of(triangle, incident);
    ClipPolygon const over = clipped(reference, incident);
    scratch_.points.clear();
    double lowest = limit_;
    for (std::uint32_t i = 0; i < over.count; ++i) {
      const ClipCorner& corner = over.corners[i];
      double const height = dot(face.normal, corner.at) - face.offset;
      if (height > limit_ || !owns_point(triangle, corner, n)) continue;
      lowest = minimum(lowest, height);
      double const separation = height - shape_.radius();
      Vec3<double> const at = corner.at - face.normal * (0.5 * separation);
      std::uint32_t const feature = kFeatureSurface | (reference.id << 14u) | (corner.before << 7u) | corner.after;
      scratch_.points.push_back({at, separation, feature});
    }
    if (scratch_.points.empty() || lowest > axis.gap + kLostDepthM) return false;
    out.normal = n;
    reduce(scratch_.points, out);
    return true;
  }

  /// Whether the part of the triangle that a clipped corner is may push along n.
  [[nodiscard]] bool owns_point(const FacedTriangle& triangle, const ClipCorner& corner, Vec3<double> n) const noexcept {
    bool const own_before = corner.before < kClipLines;
    bool const own_after = corner.after < kClipLines;
    if (own_before && own_after) {
      return corner_owns(surface_.triangle(triangle.index).vertices[corner_of_point(triangle, corner.after)], n);
    }
    if (own_before || own_after) return edge_owns(triangle.index, edge_of_line(triangle, own_before ? corner.before : corner.after), n) != 0;
    return dot(n, triangle.normal) >= kJoinCosine;
  }

  // --- a ball -----------------------------------------------------------------------------------------------------------------------

  void touch_ball(const FacedTriangle& triangle) {
    Vec3<double> const center = shape_.center();
    double const height = dot(triangle.normal, center) - triangle.offset;
    if (height > limit_) return;
    const auto& corners = surface_.triangle(triangle.index).vertices;
    Vec3<double> const n = surface_.normal(triangle.index);
    // Beyond an edge: the nearest point is on it, or at its ends.
    double best_square = 0.0;
    bool outside = false;
    Vec3<double> nearest;
    std::uint32_t at_edge = 0;
    int at_corner = -1;
    for (std::uint32_t e = 0; e < 3; ++e) {
      Vec3<double> const from = surface_.corner(triangle.index, e);
      Vec3<double> const along = surface_.corner(triangle.index, after(e)) - from;
      Vec3<double> const to_center = center - from;
      double const size = dot(along, along);
      if (!(dot(cross(along, n), to_center) > kOnEdgeM * sqrt(size))) continue;
      double const t = dot(along, to_center) / size;
      Vec3<double> const q = from + along * clamp(t, 0.0, 1.0);
      double const square = dot(center - q, center - q);
      if (outside && !(square < best_square)) continue;
      outside = true;
      best_square = square;
      nearest = q;
      at_edge = e;
      at_corner = t <= 0.0 ? static_cast<int>(e) : (t >= 1.0 ? static_cast<int>(after(e)) : -1);
    }
    bool const usable = triangle.front || !surface_.one_sided();
    double const distance = outside ? sqrt(best_square) : height;
    if (!outside || distance <= kInsideM) {
      if (usable) add_ball_point(triangle, height);
      return;
    }
    if (distance > limit_ || (at_corner < 0 && is_inner(triangle.index, at_edge))) return;
    Vec3<double> const direction = (center - nearest) * (1.0 / distance);
    if (at_corner >= 0) {
      std::uint32_t const vertex = corners[static_cast<std::uint32_t>(at_corner)];
      if (!nearest_is_corner(vertex, direction)) return;
      if (surface_.one_sided() && dot(direction, surface_.corner_normal(vertex)) < 0.0) return;
    } else {
      std::uint32_t const other = surface_.triangle(triangle.index).neighbours[at_edge];
      if (other != TriangleSurface::kNone && dot(direction, surface_.beyond_edge(other, edge_towards(other, triangle.index))) < 0.0) return;
      Vec3<double> const outward = other == TriangleSurface::kNone ? n : n + surface_.normal(other);
      if (surface_.one_sided() && dot(direction, outward) < 0.0) return;
    }
    if (dot(direction, triangle.normal) >= kFacetCosine && usable) return add_ball_point(triangle, height);
    double const separation = distance - shape_.radius();
    SurfaceManifold& found = scratch_.edges.emplace_back();
    found.child = kChildEdge | triangle.index;
    found.manifold.normal = direction;
    found.manifold.points[0] = {nearest + direction * (0.5 * separation), separation, 0};
    found.manifold.point_count = 1;
  }

  void add_ball_point(const FacedTriangle& triangle, double height) {
    double const separation = height - shape_.radius();
    Vec3<double> const at = shape_.center() - triangle.normal * (shape_.radius() + 0.5 * separation);
    add_facet_point(triangle, {at, separation, 0});
  }

  /// No edge at the corner leads nearer.
  [[nodiscard]] bool nearest_is_corner(std::uint32_t vertex, Vec3<double> direction) const noexcept {
    Vec3<double> const at = surface_.vertices()[vertex];
    for (std::uint32_t const other : surface_.ring(vertex)) {
      Vec3<double> const along = surface_.vertices()[other] - at;
      if (dot(direction, along) > 1e-9 * length(along)) return false;
    }
    return true;
  }

  // --- from points to manifolds -----------------------------------------------------------------------------------------------------

  /// The points of each facet become one manifold. A corner of the shape that two triangles found is one.
  void gather_facets() {
    auto& all = scratch_.facet_points;
    std::sort(all.begin(), all.end(),
              [](const FacetPoint& a, const FacetPoint& b) { return a.facet != b.facet ? a.facet < b.facet : a.order < b.order; });
    for (std::size_t first = 0; first < all.size();) {
      std::uint32_t const index = all[first].facet;
      const SurfaceFacet& facet = surface_.facet(index);
      scratch_.points.clear();
      std::size_t end = first;
      for (; end < all.size() && all[end].facet == index; ++end) {
        auto const same = [&](const ManifoldPoint<double>& p) {
          return p.feature == all[end].point.feature || length(p.position - all[end].point.position) < 1e-6;
        };
        if (std::none_of(scratch_.points.begin(), scratch_.points.end(), same)) scratch_.points.push_back(all[end].point);
      }
      // In the order of the shape's own corners, whichever triangles they lie over.
      std::sort(scratch_.points.begin(), scratch_.points.end(),
                [](const ManifoldPoint<double>& a, const ManifoldPoint<double>& b) { return a.feature < b.feature; });
      SurfaceManifold& found = scratch_.manifolds.emplace_back();
      found.child = facet.first_triangle;
      bool const front = dot(facet.normal, shape_.center()) >= facet.offset;
      found.manifold.normal = front ? facet.normal : -facet.normal;
      reduce(scratch_.points, found.manifold);
      first = end;
    }
  }

  /// Edges and corners that no facet and no triangle before has found.
  void gather_edges() {
    for (const SurfaceManifold& edge : scratch_.edges) {
      Manifold<double> kept = edge.manifold;
      kept.point_count = 0;
      for (std::uint32_t i = 0; i < edge.manifold.point_count; ++i) {
        const ManifoldPoint<double>& point = edge.manifold.points[i];
        bool known = false;
        for (const SurfaceManifold& other : scratch_.manifolds) {
          if (dot(other.manifold.normal, edge.manifold.normal) < kSameCosine) continue;
          for (std::uint32_t k = 0; k < other.manifold.point_count; ++k) {
            known = known || length(other.manifold.points[k].position - point.position) < kSamePlaceM;
          }
        }
        if (!known) kept.points[kept.point_count++] = point;
      }
      if (kept.point_count > 0) scratch_.manifolds.push_back({edge.child, kept});
    }
  }

  /// Too many parts: those that look nearly the same way and are of one material become one, under the lowest child, with the normal of the deepest.
  void join_alike() {
    auto& list = scratch_.manifolds;
    if (list.size() <= kMostManifolds) return;
    std::sort(list.begin(), list.end(), [](const SurfaceManifold& a, const SurfaceManifold& b) { return a.child < b.child; });
    auto const material = [this](const SurfaceManifold& m) { return surface_.triangle(child_triangle(m.child)).material; };
    std::size_t kept = 0;
    scratch_.edges.assign(list.begin(), list.end());
    for (std::size_t i = 0; i < scratch_.edges.size(); ++i) {
      if (scratch_.edges[i].manifold.point_count == 0) continue;  // joined already
      SurfaceManifold joined = scratch_.edges[i];
      Vec3<double> const seed = joined.manifold.normal;
      double deepest = deepest_of(joined.manifold);
      scratch_.points.clear();
      for (std::size_t k = i; k < scratch_.edges.size(); ++k) {
        SurfaceManifold& other = scratch_.edges[k];
        if (other.manifold.point_count == 0 || dot(other.manifold.normal, seed) < kJoinCosine || material(other) != material(joined)) continue;
        if (deepest_of(other.manifold) < deepest) {
          deepest = deepest_of(other.manifold);
          joined.manifold.normal = other.manifold.normal;
        }
        for (std::uint32_t p = 0; p < other.manifold.point_count; ++p) scratch_.points.push_back(other.manifold.points[p]);
        other.manifold.point_count = 0;
      }
      reduce(scratch_.points, joined.manifold);
      make_features_differ(joined.manifold);
      list[kept++] = joined;
    }
    list.resize(kept);
  }

  static double deepest_of(const Manifold<double>& manifold) noexcept {
    double deepest = manifold.points[0].separation;
    for (std::uint32_t i = 1; i < manifold.point_count; ++i) deepest = minimum(deepest, manifold.points[i].separation);
    return deepest;
  }
  static void make_features_differ(Manifold<double>& manifold) noexcept {
    for (std::uint32_t i = 1; i < manifold.point_count; ++i) {
      for (std::uint32_t k = 0; k < i; ++k) {
        if (manifold.points[i].feature != manifold.points[k].feature) continue;
        manifold.points[i].feature += 1u << 29u;
        k = 0;
      }
    }
  }

  const ConvexShape& shape_;
  const TriangleSurface& surface_;
  SurfaceScratch& scratch_;
  double limit_;
  bool has_last_ = false;  ///< a triangle that overlaps and has no contact by itself
  double last_gap_ = 0.0;
  FacedTriangle last_;
};

}  // namespace

template <class Real>
void collide_surface(const ShapeGeometry<Real>& shape, const ShapeGeometry<Real>& surface, Vec3<double> between, SurfaceScratch& scratch) {
  Mat3<double> const frame = square({to_double(surface.rotation.x), to_double(surface.rotation.y), to_double(surface.rotation.z)});
  auto const into = [&frame](Vec3<Real> v) { return transpose_multiply(frame, to_double(v)); };
  ShapeGeometry<double> const local{
      shape.kind, to_double(shape.extents), {into(shape.rotation.x), into(shape.rotation.y), into(shape.rotation.z)}, shape.hull, nullptr};
  Vec3<double> const center = transpose_multiply(frame, -between);
  SurfaceCollider(ConvexShape(local, center), surface.surface->surface, scratch).run(shape.kind == ShapeKind::kSphere);
  for (SurfaceManifold& found : scratch.manifolds) {
    Manifold<double>& manifold = found.manifold;
    manifold.normal = -(frame * manifold.normal);
    for (std::uint32_t i = 0; i < manifold.point_count; ++i) manifold.points[i].position = frame * (manifold.points[i].position - center);
  }
}

template void collide_surface(const ShapeGeometry<float>&, const ShapeGeometry<float>&, Vec3<double>, SurfaceScratch&);
template void collide_surface(const ShapeGeometry<Fixed>&, const ShapeGeometry<Fixed>&, Vec3<double>, SurfaceScratch&);

}  // namespace takt
