// A convex shape against one triangle of a mesh. The facet's plane is tried first and proved by clipping.
// Otherwise the separating axis decides. It belongs to the facet, an edge, a vertex, or another part of the
// surface, which then gets the contact (docs/COLLISION.md, Meshes and height fields, rules 2 and 3).
#include "physics/geometry/voronoi_region.h"
#include "physics/math/is_finite.h"
#include "physics/narrow_phase/contact_clipping.h"
#include "physics/narrow_phase/mesh_collision_context.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

// Two vertices of a triangle within this sine along a direction are level: their edge touches, not a vertex.
constexpr double kEdgeSine = 0.02;
// Ghost contact depth, m. A direction that belongs to another part of the surface is replaced by the facet's,
// unless the facet is deeper by more than this. A shape this deep in smooth ground finds each triangle's edge
// as the nearest way out.
constexpr double kGhostDepthM = 0.1;
// Feature id bit: the single point of an axis.
constexpr std::uint32_t kFeatureAxis = 1u << 30;

/// The part of the triangle from which a separating axis points outward.
struct AxisFeature {
  BorderFeature part;
  bool is_flat = false;  ///< all three vertices are level along it: the axis is (almost) the facet's normal
};

class TriangleContact {
 public:
  TriangleContact(MeshCollisionContext& context, const FacedTriangle& triangle)
      : context_(context),
        shape_(context.shape),
        surface_(context.surface),
        triangle_(triangle),
        radius_(context.shape.radius()),
        limit_(context.limit) {}

  void run() {
    double const gap = dot(triangle_.normal, shape_.support(-triangle_.normal)) - triangle_.offset;
    if (gap > limit_) return;
    SurfacePatch face;
    SurfacePatch incident;
    patch_of_triangle(face);
    shape_.patch_towards(-triangle_.normal, incident);
    ClipPolygon const over = clipped(face, incident);
    double lowest = limit_;
    bool found = find_lowest(over, lowest);
    // As in collide_convex: a point over the face, or nearly in it, proves the face.
    if (found && gap >= -kFaceBiasM && maximum(lowest, 0.0) - gap <= kFaceBiasM)
      return add_facet(over, incident.id);
    ConvexShape const part = surface_.convex(triangle_.index);
    SeparatingAxis axis = separating_axis(part, shape_, limit_);
    // Points below the plane but apart from the triangle have passed through the facet elsewhere, or come
    // from beyond its border. They count in the first case.
    if (found && !axis.overlap && lowest < axis.gap - kFaceBiasM) {
      add_facet_points(over, incident.id);
      found = false;
    }
    if (axis.gap > limit_) return;
    if (axis.overlap && axis.gap < context_.deepest_overlap) {
      context_.deepest_overlap = axis.gap;
      context_.deepest_gap = gap;
      context_.deepest = triangle_;
    }
    bool const reaches_axis = found && lowest <= axis.gap + kLostDepthM;
    bool const faces_facet = dot(axis.normal, triangle_.normal) >= kFacetCosine;
    bool const facet_first = reaches_axis && (gap >= axis.gap - kFaceBiasM || faces_facet);
    if (!facet_first && touch_border(part, axis)) return;
    if (facet_first || (found && gap >= axis.gap - kGhostDepthM)) add_facet(over, incident.id);
  }

  /// The shape reaches through the facet by up to its whole extent: the axis of least overlap does not count.
  void run_passed() {
    SurfacePatch face;
    SurfacePatch incident;
    patch_of_triangle(face);
    shape_.patch_towards(-triangle_.normal, incident);
    add_facet_points(clipped(face, incident), incident.id);
    if (triangle_.index != context_.passed.index) return;
    context_.prove(triangle_);
    // The patch may be beside the triangle that the centre passed.
    Vec3<double> const lowest = shape_.support(-triangle_.normal);
    double const separation = height_of(lowest) - radius_;
    context_.add_facet_point(
        triangle_, {lowest - triangle_.normal * (radius_ + 0.5 * separation), separation, kFeatureAxis});
  }

 private:
  void patch_of_triangle(SurfacePatch& out) const noexcept {
    // Vertices in mesh order, so that line i is edge i; reversed for the back side.
    for (std::uint32_t i = 0; i < 3; ++i)
      out.points[i] = surface_.corner(triangle_.index, corner_of_point(i));
    out.count = 3;
    out.normal = triangle_.normal;
    out.id = 0;
    out.is_disc = false;
  }
  /// Mesh edge of line i of patch_of_triangle.
  [[nodiscard]] std::uint32_t edge_of_line(std::uint32_t line) const noexcept {
    return triangle_.front ? line : 2 - line;
  }
  [[nodiscard]] std::uint32_t corner_of_point(std::uint32_t point) const noexcept {
    return triangle_.front ? point : (3 - point) % 3;
  }

  // --- the facet ---

  [[nodiscard]] double height_of(Vec3<double> point) const noexcept {
    return dot(triangle_.normal, point) - triangle_.offset;
  }

  /// Finds the smallest height within the limit; false when there is none.
  [[nodiscard]] bool find_lowest(const ClipPolygon& over, double& lowest) const noexcept {
    bool found = false;
    for (std::uint32_t i = 0; i < over.count; ++i) {
      double const height = height_of(over.corners[i].at);
      if (height > limit_) continue;
      found = true;
      lowest = minimum(lowest, height);
    }
    return found;
  }

  void add_facet(const ClipPolygon& over, std::uint32_t patch) {
    context_.prove(triangle_);
    add_facet_points(over, patch);
  }

  void add_facet_points(const ClipPolygon& over, std::uint32_t patch) {
    for (std::uint32_t i = 0; i < over.count; ++i) {
      const ClipCorner& corner = over.corners[i];
      double const height = height_of(corner.at);
      std::uint32_t feature = 0;
      if (height > limit_ || !name_corner(corner, patch, feature)) continue;
      double const separation = height - radius_;
      context_.add_facet_point(
          triangle_, {corner.at - triangle_.normal * (radius_ + 0.5 * separation), separation, feature});
    }
  }

  /// Computes a feature id. False where the shape's patch continues over the next triangle of the facet:
  /// there is no corner.
  [[nodiscard]] bool name_corner(const ClipCorner& corner, std::uint32_t patch,
                                 std::uint32_t& feature) const noexcept {
    bool const cut_before = corner.before >= kClipLines;
    bool const cut_after = corner.after >= kClipLines;
    feature = patch << 7u | corner.after;
    if (!cut_before && !cut_after) return true;
    std::uint32_t const edge_before = cut_before ? edge_of_line(corner.before - kClipLines) : 0;
    std::uint32_t const edge_after = cut_after ? edge_of_line(corner.after - kClipLines) : 0;
    bool const inner_before = !cut_before || is_inner_edge(surface_, triangle_.index, edge_before);
    bool const inner_after = !cut_after || is_inner_edge(surface_, triangle_.index, edge_after);
    if (inner_before && inner_after) return false;
    std::uint32_t const slot = cut_before && cut_after ? 3 : (cut_before ? edge_before : edge_after);
    std::uint32_t const line = cut_before ? (cut_after ? edge_after : corner.after) : corner.before;
    feature = kFeatureSurface | ((triangle_.index * 4 + slot) * kLinesAnEdge + line % kLinesAnEdge);
    return true;
  }

  // --- an edge or a vertex ---

  /// The vertex farthest along the axis, or its edge when a second vertex is level.
  [[nodiscard]] AxisFeature feature_of(Vec3<double> n) const noexcept {
    std::array<double, 3> at{};
    for (std::uint32_t i = 0; i < 3; ++i) at[i] = dot(n, surface_.corner(triangle_.index, i));
    std::uint32_t const top = at[0] >= at[1] && at[0] >= at[2] ? 0 : (at[1] >= at[2] ? 1 : 2);
    auto const level = [&](std::uint32_t other) {
      Vec3<double> const along =
          surface_.corner(triangle_.index, other) - surface_.corner(triangle_.index, top);
      return at[top] - at[other] <= kEdgeSine * length(along);
    };
    std::uint32_t const next = next_corner(top);
    std::uint32_t const last = next_corner(next);
    bool const level_next = level(next);
    bool const level_last = level(last);
    return {{level_next || level_last, level_next ? top : last, top}, level_next && level_last};
  }

  /// Adds a contact with an edge or a vertex. False when the direction does not belong to it; the facet is
  /// then tried.
  bool touch_border(const ConvexShape& part, SeparatingAxis& axis) {
    Vec3<double> const n = axis.normal;  // from the triangle to the shape
    AxisFeature feature = feature_of(n);
    if (feature.is_flat) {
      if (axis.overlap) transform_points(part, shape_, axis);
      if (!find_border(surface_, triangle_.index, axis.on_a, n, feature.part)) return false;
    } else if (feature.part.is_edge) {
      EdgeClaim const claim = claim_of_edge(surface_, triangle_.index, feature.part.edge, n);
      if (claim == EdgeClaim::kNone) return false;
      if (claim == EdgeClaim::kNeighbour)
        return !is_inner_edge(surface_, triangle_.index,
                              feature.part.edge);  // the neighbour's facet touches there
    } else if (!corner_owns(surface_, surface_.triangle(triangle_.index).vertices[feature.part.corner], n)) {
      return false;
    }
    SurfaceManifold& found = context_.scratch.edges.emplace_back();
    found.child = kChildEdge | triangle_.index;
    if (touch_face_of_shape(axis, found.manifold)) return true;
    if (feature.part.is_edge && touch_line(feature.part.edge, axis, found.manifold)) return true;
    if (axis.overlap && !feature.is_flat) transform_points(part, shape_, axis);
    found.manifold.normal = n;
    found.manifold.points[0] = {(axis.on_a + axis.on_b - n * radius_) * 0.5, axis.gap - radius_,
                                kFeatureAxis};
    found.manifold.point_count = 1;
    return true;
  }

  /// Contact of an edge with a parallel line of the shape.
  [[nodiscard]] bool touch_line(std::uint32_t edge, const SeparatingAxis& axis,
                                Manifold<double>& out) const noexcept {
    SurfacePatch line;
    line.points[0] = surface_.corner(triangle_.index, edge);
    line.points[1] = surface_.corner(triangle_.index, next_corner(edge));
    line.count = 2;
    SurfacePatch other;
    shape_.patch_towards(-axis.normal, other);
    return line_points(line, other, 0.0, radius_, axis, limit_, out);
  }

  /// The triangle against the shape's own flat face, when that is as good as the axis: vertices of the mesh
  /// below the underside of a box.
  [[nodiscard]] bool touch_face_of_shape(const SeparatingAxis& axis, Manifold<double>& out) {
    if (shape_.flat_face_count() == 0) return false;
    std::uint32_t const index = shape_.flat_face_towards(-axis.normal);
    FlatFace const face = shape_.flat_face(index);
    double deepest = dot(face.normal, surface_.corner(triangle_.index, 0));
    for (std::uint32_t i = 1; i < 3; ++i)
      deepest = minimum(deepest, dot(face.normal, surface_.corner(triangle_.index, i)));
    if (deepest - face.offset < axis.gap - kFaceBiasM) return false;
    Vec3<double> const n = -face.normal;
    SurfacePatch reference;
    SurfacePatch incident;
    shape_.flat_patch(index, reference);
    patch_of_triangle(incident);
    ClipPolygon const over = clipped(reference, incident);
    context_.scratch.points.clear();
    double lowest = limit_;
    for (std::uint32_t i = 0; i < over.count; ++i) {
      const ClipCorner& corner = over.corners[i];
      double const height = dot(face.normal, corner.at) - face.offset;
      if (height > limit_ || !owns_point(corner, n)) continue;
      lowest = minimum(lowest, height);
      double const separation = height - radius_;
      Vec3<double> const at = corner.at - face.normal * (0.5 * separation);
      std::uint32_t const feature =
          kFeatureSurface | (reference.id << 14u) | (corner.before << 7u) | corner.after;
      context_.scratch.points.push_back({at, separation, feature});
    }
    if (context_.scratch.points.empty() || lowest > axis.gap + kLostDepthM) return false;
    out.normal = n;
    reduce(context_.scratch.points, out);
    return true;
  }

  /// True when the triangle's part at a clipped corner may push along n.
  [[nodiscard]] bool owns_point(const ClipCorner& corner, Vec3<double> n) const noexcept {
    bool const own_before = corner.before < kClipLines;
    bool const own_after = corner.after < kClipLines;
    if (own_before && own_after) {
      return corner_owns(surface_, surface_.triangle(triangle_.index).vertices[corner_of_point(corner.after)],
                         n);
    }
    if (own_before || own_after)
      return claim_of_edge(surface_, triangle_.index, edge_of_line(own_before ? corner.before : corner.after),
                           n) != EdgeClaim::kNone;
    return dot(n, triangle_.normal) >= kJoinCosine;
  }

  MeshCollisionContext& context_;
  const ConvexShape& shape_;
  const TriangleMesh& surface_;
  FacedTriangle triangle_;
  double radius_;
  double limit_;
};

}  // namespace

void touch_passed(MeshCollisionContext& context, const FacedTriangle& triangle) {
  TAKT_ASSERT(triangle.index < context.surface.triangle_count() && context.has_passed);
  TriangleContact(context, triangle).run_passed();
}

void touch_triangle(MeshCollisionContext& context, const FacedTriangle& triangle) {
  TAKT_ASSERT(triangle.index < context.surface.triangle_count());
  TAKT_VALIDATE(is_unit(triangle.normal));
  TriangleContact(context, triangle).run();
}

}  // namespace takt
