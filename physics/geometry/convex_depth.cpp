// deepest_axis of convex_distance.h: the expanding polytope algorithm. A polytope inside the Minkowski
// difference of two cores grows at its face nearest to the origin, until the difference does not extend
// beyond that face.
#include "physics/base/scratch_array.h"
#include "physics/geometry/convex_distance.h"
#include "physics/math/is_finite.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

constexpr std::uint32_t kMaxPoints = 128;
constexpr std::uint32_t kMaxFaces =
    2 * kMaxPoints + 64;  // a closed surface of n points has 2 n - 4 faces; dead slots are reused
constexpr std::uint32_t kNone = 0xffffffffu;
// A face is visible from a point that is above it by this fraction of the shapes' size: far above rounding,
// far below any tolerance.
constexpr double kVisibleFraction = 1e-11;
// The search ends when the difference extends beyond the nearest face by at most this fraction of the size,
// or this, m.
constexpr double kGrowthFraction = 1e-9;
constexpr double kGrowthM = 1e-7;

struct Face {
  std::array<std::uint32_t, 3> corners{};
  std::array<std::uint32_t, 3> neighbours{};  ///< across the edge from corner i to corner i + 1
  Vec3<double> normal;                        ///< outward, unit
  double distance = 0.0;                      ///< of its plane from the origin, along the normal
  bool alive = false;
  bool visible = false;
  bool degenerate = false;  ///< no area: never chosen, never visible
};

/// An edge between visible and hidden faces (horizon).
struct Rim {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  std::uint32_t beyond = 0;  ///< the hidden face, which stays
};

class Polytope {
 public:
  explicit Polytope(double size) : visible_m_(kVisibleFraction * size) {}

  /// Starts from four points in general position.
  void start(const Simplex& s) {
    for (std::size_t i = 0; i < 4; ++i) points_[i] = s.points[i];
    point_count_ = 4;
    Vec3<double> const a = points_[0].w;
    if (dot(cross(points_[1].w - a, points_[2].w - a), points_[3].w - a) > 0.0)
      std::swap(points_[1], points_[2]);
    // Orientation seen from outside, with point 3 below the face 0 1 2.
    constexpr std::array<std::array<std::uint32_t, 3>, 4> kCorners = {
        {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}}};
    constexpr std::array<std::array<std::uint32_t, 3>, 4> kNeighbours = {
        {{1, 2, 3}, {3, 2, 0}, {1, 3, 0}, {2, 1, 0}}};
    for (std::uint32_t f = 0; f < 4; ++f) {
      (void)add_face(kCorners[f]);
      faces_[f].neighbours = kNeighbours[f];
    }
  }

  [[nodiscard]] std::uint32_t nearest_face() const {
    std::uint32_t best = kNone;
    for (std::uint32_t f = 0; f < face_end_; ++f) {
      const Face& face = faces_[f];
      if (face.alive && !face.degenerate && (best == kNone || face.distance < faces_[best].distance))
        best = f;
    }
    return best;
  }
  [[nodiscard]] const Face& face(std::uint32_t index) const { return faces_[index]; }
  [[nodiscard]] const DifferencePoint& point(std::uint32_t index) const { return points_[index]; }

  /// Adds a point. Returns false without room or when rounding broke the horizon.
  [[nodiscard]] bool grow(std::uint32_t seen_face, const DifferencePoint& point) {
    if (point_count_ == kMaxPoints) return false;
    rim_count_ = 0;
    stack_count_ = 0;
    cut_count_ = 0;
    if (!look_from(seen_face, point.w)) return false;
    if (rim_count_ < 3) return false;
    for (std::uint32_t i = 0; i < point_count_; ++i) starts_[i] = kNone;
    for (std::uint32_t i = 0; i < rim_count_; ++i) {
      if (starts_[rim_[i].from] != kNone) return false;  // the horizon touches itself
      starts_[rim_[i].from] = i;
    }
    for (std::uint32_t i = 0; i < rim_count_; ++i) {
      if (starts_[rim_[i].to] == kNone) return false;
    }
    TAKT_ASSERT(faces_[seen_face].alive && rim_count_ <= kMaxFaces);
    std::uint32_t const apex = point_count_++;
    points_[apex] = point;
    for (std::uint32_t i = 0; i < cut_count_; ++i) faces_[cut_[i]].alive = false;
    ScratchArray<std::uint32_t, kMaxFaces> made;
    for (std::uint32_t i = 0; i < rim_count_; ++i) {
      made[i] = add_face({rim_[i].from, rim_[i].to, apex});
      if (made[i] == kNone) return false;
    }
    for (std::uint32_t i = 0; i < rim_count_; ++i) {
      Face& face = faces_[made[i]];
      Face& beyond = faces_[rim_[i].beyond];
      face.neighbours[0] = rim_[i].beyond;
      for (std::size_t e = 0; e < 3; ++e) {
        if (beyond.corners[e] == rim_[i].to && beyond.corners[(e + 1) % 3] == rim_[i].from)
          beyond.neighbours[e] = made[i];
      }
      std::uint32_t const after = made[starts_[rim_[i].to]];
      TAKT_ASSERT(after != kNone);
      face.neighbours[1] = after;
      faces_[after].neighbours[2] = made[i];
    }
    return true;
  }

 private:
  std::uint32_t add_face(const std::array<std::uint32_t, 3>& corners) {
    std::uint32_t slot = 0;
    while (slot < face_end_ && faces_[slot].alive) ++slot;
    if (slot == kMaxFaces) return kNone;
    if (slot == face_end_) ++face_end_;
    Face& face = faces_[slot];
    face = Face{};
    face.alive = true;
    face.corners = corners;
    Vec3<double> const a = points_[corners[0]].w;
    Vec3<double> const n = cross(points_[corners[1]].w - a, points_[corners[2]].w - a);
    double const size = length(n);
    face.degenerate = !(size > visible_m_ * visible_m_);
    if (!face.degenerate) face.normal = n * (1.0 / size);
    face.distance = dot(face.normal, a);
    return slot;
  }

  /// Marks all faces visible from `w`, starting at a visible one, and collects the horizon around them.
  bool look_from(std::uint32_t first, Vec3<double> w) {
    auto const see = [this](std::uint32_t f) {
      faces_[f].visible = true;
      cut_[cut_count_++] = f;
      stack_[stack_count_++] = f;
    };
    see(first);
    while (stack_count_ > 0) {
      std::uint32_t const f = stack_[--stack_count_];
      for (std::size_t e = 0; e < 3; ++e) {
        std::uint32_t const other = faces_[f].neighbours[e];
        const Face& beyond = faces_[other];
        if (beyond.visible) continue;
        if (!beyond.degenerate && dot(beyond.normal, w) - beyond.distance > visible_m_) {
          see(other);
          continue;
        }
        if (rim_count_ == rim_.size()) return false;
        rim_[rim_count_++] = {faces_[f].corners[e], faces_[f].corners[(e + 1) % 3], other};
      }
    }
    return true;
  }

  double visible_m_;
  ScratchArray<DifferencePoint, kMaxPoints> points_;
  ScratchArray<Face, kMaxFaces> faces_;
  ScratchArray<Rim, kMaxFaces> rim_;
  ScratchArray<std::uint32_t, kMaxFaces> stack_;
  ScratchArray<std::uint32_t, kMaxFaces> cut_;
  ScratchArray<std::uint32_t, kMaxPoints> starts_;
  std::uint32_t point_count_ = 0;
  std::uint32_t face_end_ = 0;
  std::uint32_t rim_count_ = 0;
  std::uint32_t stack_count_ = 0;
  std::uint32_t cut_count_ = 0;
};

/// Extends the simplex to four points in general position. They always exist for the difference of two
/// solids, or of a solid and a point.
bool complete(const ConvexShape& a, const ConvexShape& b, double size, Simplex& s) {
  double const min = 1e-7 * size;
  constexpr std::array<Vec3<double>, 6> kAxes = {
      {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}}};
  // Drops dependent points first.
  Simplex kept;
  auto const height = [&kept](Vec3<double> w) {
    if (kept.count == 0) return 1e300;
    Vec3<double> const d = w - kept.points[0].w;
    if (kept.count == 1) return length(d);
    Vec3<double> const ab = kept.points[1].w - kept.points[0].w;
    if (kept.count == 2) return length(cross(ab, d)) / length(ab);
    Vec3<double> const n = cross(ab, kept.points[2].w - kept.points[0].w);
    return absolute(dot(n, d)) / length(n);
  };
  auto const take = [&](const DifferencePoint& p) {
    if (kept.count == 4 || !(height(p.w) > min)) return;
    kept.points[kept.count++] = p;
  };
  for (std::uint32_t i = 0; i < s.count; ++i) take(s.points[i]);
  if (kept.count == 3) {
    Vec3<double> const n = cross(kept.points[1].w - kept.points[0].w, kept.points[2].w - kept.points[0].w);
    DifferencePoint const up = difference_support(a, b, n);
    DifferencePoint const down = difference_support(a, b, -n);
    take(height(up.w) < height(down.w) ? down : up);
  }
  while (kept.count < 4) {
    // Chooses the farthest of six supports from the present points. Testing only perpendicular axes first
    // would save nothing.
    DifferencePoint best{};
    double max = min;
    for (const Vec3<double>& axis : kAxes) {
      Vec3<double> direction = axis;
      if (kept.count == 2) direction = cross(axis, kept.points[1].w - kept.points[0].w);
      if (kept.count == 3) {
        direction = cross(kept.points[1].w - kept.points[0].w, kept.points[2].w - kept.points[0].w);
        if (axis.x + axis.y + axis.z < 0.0) direction = -direction;
      }
      DifferencePoint const p = difference_support(a, b, direction);
      double const h = height(p.w);
      if (h > max) {
        max = h;
        best = p;
      }
    }
    if (!(max > min)) return false;
    kept.points[kept.count++] = best;
  }
  s = kept;
  return true;
}

}  // namespace

SeparatingAxis deepest_axis(const ConvexShape& a, const ConvexShape& b, const Simplex& start) {
  TAKT_ASSERT(start.count <= 4);
  double const size = a.reach() + b.reach();
  double const tolerance = maximum(kGrowthM, kGrowthFraction * size);
  Simplex s = start;
  if (!complete(a, b, size, s)) {  // only two touching cores without thickness: any axis is valid
    return {{0.0, 1.0, 0.0}, 0.0, s.points[0].a, s.points[0].b, false};
  }
  Polytope polytope(size);
  polytope.start(s);
  Face found;
  double reach = 0.0;
  for (;;) {
    std::uint32_t const nearest = polytope.nearest_face();
    if (nearest == kNone) break;
    const Face& face = polytope.face(nearest);
    DifferencePoint const next = difference_support(a, b, face.normal);
    double const h = dot(face.normal, next.w);
    if (found.alive == false || h < reach) {  // the smallest extent so far is the best known depth
      found = face;
      reach = h;
    }
    if (h - face.distance <= tolerance || !polytope.grow(nearest, next)) break;
  }
  TAKT_VALIDATE(!found.alive || (is_unit(found.normal) && is_finite(reach)));
  SeparatingAxis axis;
  axis.normal = -found.normal;
  axis.gap = -reach;
  axis.overlap = true;
  return axis;
}

}  // namespace takt
