#include "physics/geometry/triangle_sample.h"

#include <algorithm>
#include <array>

#include "physics/geometry/point_distance.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

// Patches are searched towards at most so many directions, which differ by more than this cosine (26
// degrees): the ground and the walls of a corner.
constexpr std::size_t kMaxDirections = 4;
constexpr double kSameDirection = 0.9;
// A leaf of MeshBvh has no more triangles.
constexpr std::size_t kMaxLeaf = 4;
constexpr double kNever = std::numeric_limits<double>::infinity();

/// Half of the area of the overlap of two boxes, m^2, and a little for boxes without one; 0 if they are
/// apart.
double overlap_area(const SurfaceBox& a, const SurfaceBox& b) noexcept {
  if (!overlap(a, b)) return 0.0;
  auto const side = [](double a_low, double a_high, double b_low, double b_high) {
    constexpr double kMinSideM = 1e-6;
    return maximum(minimum(a_high, b_high) - maximum(a_low, b_low), kMinSideM);
  };
  double const x = side(a.lower.x, a.upper.x, b.lower.x, b.upper.x);
  double const y = side(a.lower.y, a.upper.y, b.lower.y, b.upper.y);
  double const z = side(a.lower.z, a.upper.z, b.lower.z, b.upper.z);
  return x * y + y * z + z * x;
}

double square_distance(const SurfaceBox& box, Vec3<double> p) noexcept {
  Vec3<double> const nearest{clamp(p.x, box.lower.x, box.upper.x), clamp(p.y, box.lower.y, box.upper.y),
                             clamp(p.z, box.lower.z, box.upper.z)};
  return dot(p - nearest, p - nearest);
}

}  // namespace

/// One call of choose().
class TriangleSample::Selection {
 public:
  Selection(const TriangleMesh& surface, const SurfaceBox& box, const ShapeGeometry<double>& shape,
            Vec3<double> center, TriangleSample& out)
      : surface_(surface), box_(box), shape_(shape), center_(center), out_(out) {}

  void run(std::uint32_t max_count) {
    searches_left_ = max_count / 2;
    (void)add_even(0, max_count - searches_left_);
    ConvexShape const convex(shape_, center_);
    add_nearest(convex.center());
    std::size_t const seen_count = out_.chosen_.size();
    std::array<Vec3<double>, kMaxDirections> directions;
    std::size_t count = 0;
    SurfacePatch patch;
    for (std::size_t i = 0; i < seen_count && count < kMaxDirections; ++i) {
      Vec3<double> const direction = towards(out_.chosen_[i]);
      auto const is_alike = [&](Vec3<double> other) { return dot(direction, other) > kSameDirection; };
      if (std::any_of(directions.begin(), directions.begin() + static_cast<std::ptrdiff_t>(count), is_alike))
        continue;
      directions[count++] = direction;
      convex.patch_towards(direction, patch);
      for (std::uint32_t k = 0; k < patch.count; ++k) add_nearest(patch.points[k]);
    }
  }

 private:
  /// The direction from the shape to a triangle's facet.
  [[nodiscard]] Vec3<double> towards(std::uint32_t triangle) const noexcept {
    const SurfaceFacet& facet = surface_.facet(surface_.triangle(triangle).facet);
    return dot(facet.normal, center_) >= facet.offset ? -facet.normal : facet.normal;
  }

  /// Adds at most `max_count` triangles of a subtree, even over the area. Returns their number.
  std::uint32_t add_even(std::uint32_t node, std::uint32_t max_count) {
    const MeshBvh& tree = surface_.tree();
    if (max_count == 0 || !tree.overlaps(node, box_)) return 0;
    if (std::span const leaf = tree.leaf_triangles(node); !leaf.empty()) return add_deepest(leaf, max_count);
    if (max_count == 1) return add_deepest_below(node);
    auto [small, large] = tree.children(node);
    double small_area = overlap_area(tree.box_of(small), box_);
    double large_area = overlap_area(tree.box_of(large), box_);
    if (large_area < small_area) {
      std::swap(small, large);
      std::swap(small_area, large_area);
    }
    std::uint32_t part = 0;
    if (small_area > 0.0) {
      double const fraction = small_area / (small_area + large_area);
      part = static_cast<std::uint32_t>(fraction * static_cast<double>(max_count) + 0.5);
      part = clamp(part, 1u, max_count - 1);
    }
    std::uint32_t const used = add_even(small, part);
    return used + add_even(large, max_count - used);
  }

  /// Adds the deepest triangle of a subtree: the walk goes to the child whose box is deeper in the shape.
  std::uint32_t add_deepest_below(std::uint32_t node) {
    const MeshBvh& tree = surface_.tree();
    while (tree.leaf_triangles(node).empty()) {
      auto const [left, right] = tree.children(node);
      bool const meets_left = tree.overlaps(left, box_);
      bool const meets_right = tree.overlaps(right, box_);
      if (!meets_left && !meets_right) return 0;
      bool const goes_right =
          !meets_left || (meets_right && gap_of(tree.box_of(right)) < gap_of(tree.box_of(left)));
      node = goes_right ? right : left;
    }
    return add_deepest(tree.leaf_triangles(node), 1);
  }

  std::uint32_t add_deepest(std::span<const std::uint32_t> leaf, std::uint32_t max_count) {
    TAKT_ASSERT(leaf.size() <= kMaxLeaf);
    std::array<double, kMaxLeaf> gaps;
    for (std::size_t i = 0; i < leaf.size(); ++i)
      gaps[i] = overlap(surface_.triangle_box(leaf[i]), box_) ? gap_of_triangle(leaf[i]) : kNever;
    std::uint32_t added = 0;
    for (; added < max_count; ++added) {
      std::size_t deepest = 0;
      for (std::size_t i = 1; i < leaf.size(); ++i) {
        if (gaps[i] < gaps[deepest]) deepest = i;
      }
      if (!(gaps[deepest] < kNever)) break;
      out_.chosen_.push_back(leaf[deepest]);
      gaps[deepest] = kNever;
    }
    return added;
  }

  /// The distance at a point and its direction, in the surface's frame.
  [[nodiscard]] PointDistance distance_at(Vec3<double> point) const noexcept {
    PointDistance found = approximate_distance(shape_, transpose_multiply(shape_.rotation, point - center_));
    found.normal = shape_.rotation * found.normal;
    return found;
  }
  /// The gap between shape and box, linear about the box's middle, m; below 0 inside.
  [[nodiscard]] double gap_of(const SurfaceBox& box) const noexcept {
    PointDistance const middle = distance_at((box.lower + box.upper) * 0.5);
    return middle.distance - dot(absolute(middle.normal), (box.upper - box.lower) * 0.5);
  }
  [[nodiscard]] double gap_of_triangle(std::uint32_t triangle) const noexcept {
    std::array<Vec3<double>, 3> const corners{surface_.corner(triangle, 0), surface_.corner(triangle, 1),
                                              surface_.corner(triangle, 2)};
    Vec3<double> const centroid = (corners[0] + corners[1] + corners[2]) * (1.0 / 3.0);
    PointDistance const middle = distance_at(centroid);
    double gap = kNever;
    for (Vec3<double> const corner : corners)
      gap = minimum(gap, middle.distance + dot(middle.normal, corner - centroid));
    return gap;
  }

  /// Adds the triangle nearest to a point, if a search is left. A search that adds none counts, too.
  void add_nearest(Vec3<double> point) {
    if (searches_left_ == 0) return;
    --searches_left_;
    std::uint32_t nodes = 0;
    double nearest = kNever;
    std::uint32_t found = TriangleMesh::kNone;
    surface_.tree().visit_nearest(
        [&](const SurfaceBox& part) {
          ++nodes;
          return square_distance(part, point);
        },
        [&](double key) { return key < nearest && nodes <= kNearestNodes; },
        [&](std::uint32_t triangle) {
          Vec3<double> const on =
              nearest_on_triangle(surface_.corner(triangle, 0), surface_.corner(triangle, 1),
                                  surface_.corner(triangle, 2), point);
          double const square = dot(point - on, point - on);
          if (!(square < nearest)) return;
          nearest = square;
          found = triangle;
        });
    if (found != TriangleMesh::kNone && overlap(surface_.triangle_box(found), box_)) out_.add(found);
  }

  const TriangleMesh& surface_;
  const SurfaceBox& box_;
  const ShapeGeometry<double>& shape_;
  Vec3<double> center_;
  TriangleSample& out_;
  std::uint32_t searches_left_ = 0;
};

void TriangleSample::add(std::uint32_t triangle) {
  if (std::find(chosen_.begin(), chosen_.end(), triangle) == chosen_.end()) chosen_.push_back(triangle);
}

void TriangleSample::choose(const TriangleMesh& surface, const SurfaceBox& box,
                            const ShapeGeometry<double>& shape, Vec3<double> center,
                            std::uint32_t max_count) {
  TAKT_ASSERT(max_count >= 1 && shape.kind != ShapeKind::kHalfSpace && shape.surface == nullptr);
  chosen_.clear();
  Selection(surface, box, shape, center, *this).run(max_count);
  TAKT_ASSERT(chosen_.size() <= max_count);
  TAKT_VALIDATE(std::ranges::all_of(
      chosen_, [&](std::uint32_t triangle) { return overlap(surface.triangle_box(triangle), box); }));
}

}  // namespace takt
