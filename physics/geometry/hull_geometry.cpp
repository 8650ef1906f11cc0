#include "physics/geometry/hull_geometry.h"

#include <algorithm>

#include "physics/math/is_finite.h"
#include "takt/core/assert.h"
#include "takt/core/bytes.h"
#include "takt/core/hash.h"

namespace takt {
namespace {

/// The axis-aligned bounding box of the points.
struct GridBox {
  GridPoint low;
  GridPoint high;
};

GridBox box_of(std::span<const GridPoint> points) noexcept {
  GridBox box{points[0], points[0]};
  for (const GridPoint& p : points) {
    box.low = {minimum(box.low.x, p.x), minimum(box.low.y, p.y), minimum(box.low.z, p.z)};
    box.high = {maximum(box.high.x, p.x), maximum(box.high.y, p.y), maximum(box.high.z, p.z)};
  }
  return box;
}

/// Rounds down, so that a box centred once stays where it is when centred again.
std::int64_t middle(std::int64_t low, std::int64_t high) noexcept { return (low + high) >> 1; }
GridPoint middle(const GridBox& box) noexcept {
  return {middle(box.low.x, box.high.x), middle(box.low.y, box.high.y), middle(box.low.z, box.high.z)};
}

std::uint64_t digest_of(std::span<const GridPoint> corners) {
  std::vector<std::byte> bytes(corners.size() * 24);
  std::byte* at = bytes.data();
  for (const GridPoint& p : corners) {
    store_little_endian(at, p.x);
    store_little_endian(at + 8, p.y);
    store_little_endian(at + 16, p.z);
    at += 24;
  }
  return hash_bytes(bytes);
}

/// Twice the area of a loop times its unit normal.
Vec3<double> area_vector(std::span<const Vec3<double>> vertices,
                         std::span<const std::uint8_t> loop) noexcept {
  Vec3<double> sum{};
  const Vec3<double>& a = vertices[loop[0]];
  for (std::size_t i = 1; i + 1 < loop.size(); ++i)
    sum += cross(vertices[loop[i]] - a, vertices[loop[i + 1]] - a);
  return sum;
}

std::span<const std::uint8_t> loop_of(const std::vector<std::uint8_t>& loops, LoopRange range) noexcept {
  return std::span(loops).subspan(range.first, range.count);
}

/// Corners of a flat set of vertices seen along `normal`, counter-clockwise from the lowest index. Drops
/// corners within rounding of an edge.
std::vector<std::uint8_t> outline(std::span<const Vec3<double>> vertices,
                                  const std::vector<std::uint8_t>& members, Vec3<double> normal) {
  bool const x_min = absolute(normal.x) <= absolute(normal.y) && absolute(normal.x) <= absolute(normal.z);
  Vec3<double> const helper =
      x_min ? Vec3<double>{1, 0, 0}
            : (absolute(normal.y) <= absolute(normal.z) ? Vec3<double>{0, 1, 0} : Vec3<double>{0, 0, 1});
  Vec3<double> const u_axis = cross(helper, normal);
  Vec3<double> const v_axis = cross(normal, u_axis);
  struct Flat {
    double u;
    double v;
    std::uint8_t index;
  };
  std::vector<Flat> flat;
  flat.reserve(members.size());
  for (std::uint8_t const index : members)
    flat.push_back({dot(u_axis, vertices[index]), dot(v_axis, vertices[index]), index});
  std::sort(flat.begin(), flat.end(), [](const Flat& a, const Flat& b) {
    return a.u != b.u ? a.u < b.u : (a.v != b.v ? a.v < b.v : a.index < b.index);
  });
  std::vector<Flat> loop;
  auto const walk = [&loop](auto from, auto to) {
    std::size_t const base = loop.size();
    for (auto at = from; at != to; ++at) {
      while (loop.size() >= base + 2) {
        const Flat& a = loop[loop.size() - 2];
        const Flat& b = loop.back();
        if ((b.u - a.u) * (at->v - a.v) - (b.v - a.v) * (at->u - a.u) > 0) break;
        loop.pop_back();
      }
      loop.push_back(*at);
    }
    loop.pop_back();
  };
  walk(flat.begin(), flat.end());
  walk(flat.rbegin(), flat.rend());
  std::vector<std::uint8_t> result;
  result.reserve(loop.size());
  for (const Flat& f : loop) result.push_back(f.index);
  std::rotate(result.begin(), std::min_element(result.begin(), result.end()), result.end());
  return result;
}

/// Merges exact faces into contact faces. Starting from the largest remaining face, it adds neighbours whose
/// corners all lie on the face's plane.
class FaceMerger {
 public:
  FaceMerger(const ExactHull& hull, std::span<const Vec3<double>> vertices, double tolerance_m)
      : hull_(hull), vertices_(vertices), tolerance_m_(tolerance_m), group_(hull.faces.size(), kNone) {
    for (const LoopRange& face : hull.faces)
      areas_.push_back(area_vector(vertices, loop_of(hull.loops, face)));
  }

  void write(HullGeometry& out) {
    std::vector<std::uint32_t> order(hull_.faces.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [this](std::uint32_t a, std::uint32_t b) {
      return dot(areas_[a], areas_[a]) > dot(areas_[b], areas_[b]);
    });
    std::uint32_t group = 0;
    for (std::uint32_t const seed : order) {
      if (group_[seed] == kNone) write_group(seed, group++, out);
    }
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffu;

  void write_group(std::uint32_t seed, std::uint32_t group, HullGeometry& out) {
    Vec3<double> const plane_normal = unit(areas_[seed]);
    double const plane_offset = dot(plane_normal, vertices_[hull_.loops[hull_.faces[seed].first]]);
    std::vector<std::uint32_t> waiting{seed};
    group_[seed] = group;
    Vec3<double> area{};
    std::vector<std::uint8_t> members;
    while (!waiting.empty()) {
      std::uint32_t const face = waiting.back();
      waiting.pop_back();
      area += areas_[face];
      for (std::uint8_t const v : loop_of(hull_.loops, hull_.faces[face])) {
        if (std::find(members.begin(), members.end(), v) == members.end()) members.push_back(v);
      }
      for (std::uint32_t other = 0; other < hull_.faces.size(); ++other) {
        if (group_[other] != kNone || !have_common_edge(face, other) ||
            !(dot(areas_[other], plane_normal) > 0))
          continue;
        bool const flat = std::ranges::all_of(loop_of(hull_.loops, hull_.faces[other]), [&](std::uint8_t v) {
          return absolute(dot(plane_normal, vertices_[v]) - plane_offset) <= tolerance_m_;
        });
        if (!flat) continue;
        group_[other] = group;
        waiting.push_back(other);
      }
    }
    std::sort(members.begin(), members.end());
    HullFace face;
    face.normal = unit(area);
    face.offset = dot(face.normal, vertices_[0]);
    for (const Vec3<double>& v : vertices_) face.offset = maximum(face.offset, dot(face.normal, v));
    std::vector<std::uint8_t> const loop = outline(vertices_, members, face.normal);
    TAKT_VALIDATE(loop.size() >= 3);
    face.loop = {static_cast<std::uint32_t>(out.loops.size()), static_cast<std::uint32_t>(loop.size())};
    out.loops.insert(out.loops.end(), loop.begin(), loop.end());
    out.faces.push_back(face);
  }

  [[nodiscard]] bool have_common_edge(std::uint32_t a, std::uint32_t b) const {
    int shared = 0;
    for (std::uint8_t const v : loop_of(hull_.loops, hull_.faces[a])) {
      auto const other = loop_of(hull_.loops, hull_.faces[b]);
      if (std::find(other.begin(), other.end(), v) != other.end()) ++shared;
    }
    return shared == 2;
  }

  static Vec3<double> unit(Vec3<double> v) noexcept {
    double const size = length(v);
    return {v.x / size, v.y / size, v.z / size};
  }

  const ExactHull& hull_;
  std::span<const Vec3<double>> vertices_;
  double tolerance_m_;
  std::vector<std::uint32_t> group_;
  std::vector<Vec3<double>> areas_;
};

void list_vertex_faces(HullGeometry& hull) {
  for (std::uint32_t v = 0; v < hull.vertices.size(); ++v) {
    auto const first = static_cast<std::uint32_t>(hull.faces_of_vertex.size());
    for (std::uint32_t f = 0; f < hull.faces.size(); ++f) {
      auto const loop = loop_of(hull.loops, hull.faces[f].loop);
      if (std::find(loop.begin(), loop.end(), v) != loop.end())
        hull.faces_of_vertex.push_back(static_cast<std::uint8_t>(f));
    }
    hull.vertex_faces.push_back({first, static_cast<std::uint32_t>(hull.faces_of_vertex.size()) - first});
  }
}

/// Minimum thickness across an exact face, m.
double thickness(const ExactHull& hull, std::span<const Vec3<double>> vertices) {
  double min = 4.0 * kMaxExtentM;
  for (const LoopRange& face : hull.faces) {
    auto const loop = loop_of(hull.loops, face);
    Vec3<double> const area = area_vector(vertices, loop);
    double const size = length(area);
    double deepest = 0.0;
    for (const Vec3<double>& v : vertices)
      deepest = maximum(deepest, dot(area, vertices[loop[0]] - v) / size);
    min = minimum(min, deepest);
  }
  return min;
}

/// Minimum width across a contact face, m.
double thickness(const HullGeometry& hull) noexcept {
  double min = 1e100;
  for (const HullFace& face : hull.faces) {
    double lowest = face.offset;
    for (const Vec3<double>& v : hull.vertices) lowest = minimum(lowest, dot(face.normal, v));
    min = minimum(min, face.offset - lowest);
  }
  return min;
}

/// True when every contact face has a unit normal, and no corner is in front of it.
[[maybe_unused]] bool faces_are_outward(const HullGeometry& hull) noexcept {
  return std::ranges::all_of(hull.faces, [&hull](const HullFace& face) {
    return is_unit(face.normal) && std::ranges::all_of(hull.vertices, [&face](const Vec3<double>& v) {
             return dot(face.normal, v) <= face.offset;
           });
  });
}

/// Builds the geometry of a hull whose box is already centred on the origin. Null when too thin.
std::shared_ptr<const HullGeometry> finished(ExactHull exact) {
  auto hull = std::make_shared<HullGeometry>();
  for (const GridPoint& p : exact.vertices) hull->vertices.push_back(to_metres(p));
  // Rounding to the grid may remove a unit from either side of a hull that was exactly thick enough.
  if (thickness(exact, hull->vertices) < kMinExtentM - 4.0 * kHullGridM) return nullptr;
  GridBox const box = box_of(exact.vertices);
  hull->half_size_m =
      to_metres({box.high.x - box.low.x, box.high.y - box.low.y, box.high.z - box.low.z}) * 0.5;
  double const longest =
      2.0 * maximum(hull->half_size_m.x, maximum(hull->half_size_m.y, hull->half_size_m.z));
  FaceMerger(exact, hull->vertices, maximum(longest * kMergeFraction, kMergeMinM)).write(*hull);
  hull->thickness_m = thickness(*hull);
  TAKT_ASSERT(!hull->faces.empty());
  TAKT_VALIDATE(hull->thickness_m > 0.0 && faces_are_outward(*hull));
  hull->corners.assign(hull->vertices);
  std::vector<Vec3<double>> normals;
  for (const HullFace& face : hull->faces) normals.push_back(face.normal);
  hull->normals.assign(normals);
  list_vertex_faces(*hull);
  hull->digest = digest_of(exact.vertices);
  hull->grid = std::move(exact.vertices);
  hull->exact_loops = std::move(exact.loops);
  hull->exact_faces = std::move(exact.faces);
  return hull;
}

}  // namespace

Result<PlacedHull, PhysicsError> make_hull(std::span<const Vec3<double>> points_m) {
  if (points_m.size() > kMaxHullPoints) return PhysicsError::kHullTooManyPoints;
  std::vector<GridPoint> points;
  for (const Vec3<double>& p : points_m) points.push_back(to_grid(p));
  if (points.empty()) return PhysicsError::kHullTooFewPoints;
  GridPoint const center = middle(box_of(points));
  for (GridPoint& p : points) p = {p.x - center.x, p.y - center.y, p.z - center.z};
  auto exact = build_hull(points);
  if (!exact.ok()) return exact.error();
  auto geometry = finished(*std::move(exact));
  if (geometry == nullptr) return PhysicsError::kShapeTooSmall;
  return PlacedHull{std::move(geometry), to_metres(center)};
}

std::shared_ptr<const HullGeometry> restored_hull(std::span<const GridPoint> corners) {
  if (corners.size() < 4 || corners.size() > kMaxHullVertices) return nullptr;
  auto exact = build_hull(corners);
  if (!exact.ok() || !std::ranges::equal(exact->vertices, corners)) return nullptr;
  if (middle(box_of(corners)) != GridPoint{}) return nullptr;
  return finished(*std::move(exact));
}

}  // namespace takt
