#include "physics/geometry/ray_cast.h"

#include "physics/geometry/hull_geometry.h"
#include "physics/math/is_finite.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

// A point beyond an edge by less than this fraction of the shape's size is still on the face: a ray through
// an edge hits one of the two faces.
constexpr double kEdgeFraction = 1e-12;

/// A ray in a shape's frame. Positions on it are metres from `near`, its point nearest to the centre.
struct LocalRay {
  Vec3<double> origin;
  Vec3<double> direction;  ///< unit
  Vec3<double> near;
  double start = 0.0;  ///< position of the origin
  double end = 0.0;
  [[nodiscard]] Vec3<double> at(double position) const noexcept { return near + direction * position; }
};

/// The first entry so far of the ray into a surface from outside.
struct Entry {
  bool found = false;
  double position = 0.0;
  Vec3<double> normal;
  void offer(const LocalRay& ray, double at, Vec3<double> out) noexcept {
    if (!(at >= ray.start && at <= ray.end) || (found && at >= position)) return;
    found = true;
    position = at;
    normal = out;
  }
};

Vec3<double> unit_or_up(Vec3<double> v) noexcept {
  return normalise_or(v, Vec3<double>{0.0, 1.0, 0.0}, 1e-300);
}

void offer_sphere(const LocalRay& ray, Vec3<double> center, double radius, Entry& entry) noexcept {
  Vec3<double> const from = ray.near - center;
  double const b = dot(from, ray.direction);
  double const inside = b * b - (dot(from, from) - radius * radius);
  if (inside < 0.0) return;
  double const position = -b - sqrt(inside);
  entry.offer(ray, position, unit_or_up(from + ray.direction * position));
}

/// The round side of a cylinder about the segment from `from` to `to`.
void offer_side(const LocalRay& ray, Vec3<double> from, Vec3<double> to, double radius,
                Entry& entry) noexcept {
  double const size = length(to - from);
  if (!(size > 0.0)) return;
  Vec3<double> const axis = (to - from) * (1.0 / size);
  Vec3<double> const away = ray.near - from;
  Vec3<double> const across = ray.direction - axis * dot(axis, ray.direction);
  Vec3<double> const off = away - axis * dot(axis, away);
  double const a = dot(across, across);
  if (!(a > 0.0)) return;
  double const b = dot(off, across);
  double const inside = b * b - a * (dot(off, off) - radius * radius);
  if (inside < 0.0) return;
  double const position = (-b - sqrt(inside)) / a;
  Vec3<double> const at = away + ray.direction * position;
  double const along = dot(axis, at);
  if (along < 0.0 || along > size) return;
  entry.offer(ray, position, unit_or_up(at - axis * along));
}

void offer_capsule(const LocalRay& ray, Vec3<double> from, Vec3<double> to, double radius,
                   Entry& entry) noexcept {
  offer_sphere(ray, from, radius, entry);
  offer_sphere(ray, to, radius, entry);
  offer_side(ray, from, to, radius, entry);
}

/// The part of the ray behind all given planes.
struct Clip {
  double in = -1e300;
  double out = 1e300;
  bool missed = false;
  Vec3<double> normal;
  void plane(const LocalRay& ray, Vec3<double> outward, double offset) noexcept {
    double const rise = dot(outward, ray.direction);
    double const below = offset - dot(outward, ray.near);
    if (rise == 0.0) {
      missed = missed || below < 0.0;
      return;
    }
    double const position = below / rise;
    if (rise > 0.0) {
      out = minimum(out, position);
    } else if (position > in) {
      in = position;
      normal = outward;
    }
  }
  void offer_to(const LocalRay& ray, Entry& entry) const noexcept {
    if (!missed && in <= out) entry.offer(ray, in, normal);
  }
};

void offer_box(const LocalRay& ray, Vec3<double> half, Entry& entry) noexcept {
  Clip clip;
  clip.plane(ray, {1.0, 0.0, 0.0}, half.x);
  clip.plane(ray, {-1.0, 0.0, 0.0}, half.x);
  clip.plane(ray, {0.0, 1.0, 0.0}, half.y);
  clip.plane(ray, {0.0, -1.0, 0.0}, half.y);
  clip.plane(ray, {0.0, 0.0, 1.0}, half.z);
  clip.plane(ray, {0.0, 0.0, -1.0}, half.z);
  clip.offer_to(ray, entry);
}

/// A disc perpendicular to the y axis, hit only against its outward normal.
void offer_disc(const LocalRay& ray, double y, double outward, double radius, Entry& entry) noexcept {
  if (!(ray.direction.y * outward < 0.0)) return;
  double const position = (y - ray.near.y) / ray.direction.y;
  Vec3<double> const at = ray.at(position);
  if (at.x * at.x + at.z * at.z > radius * radius * (1.0 + kEdgeFraction)) return;
  entry.offer(ray, position, {0.0, outward, 0.0});
}

void offer_cylinder(const LocalRay& ray, double radius, double half, Entry& entry) noexcept {
  offer_side(ray, {0.0, -half, 0.0}, {0.0, half, 0.0}, radius, entry);
  offer_disc(ray, half, 1.0, radius, entry);
  offer_disc(ray, -half, -1.0, radius, entry);
}

// The side satisfies x^2 + z^2 = k^2 (h - y)^2 with k = r / 2h, below the tip.
void offer_cone(const LocalRay& ray, double radius, double half, Entry& entry) noexcept {
  offer_disc(ray, -half, -1.0, radius, entry);
  double const k2 = radius * radius / (4.0 * half * half);
  const Vec3<double>& u = ray.direction;
  const Vec3<double>& p = ray.near;
  double const down = half - p.y;
  double const a = u.x * u.x + u.z * u.z - k2 * u.y * u.y;
  double const b = p.x * u.x + p.z * u.z + k2 * down * u.y;
  double const c = p.x * p.x + p.z * p.z - k2 * down * down;
  double const slack = kEdgeFraction * half;
  auto const offer = [&](double position) {
    Vec3<double> const at = ray.at(position);
    double const depth = half - at.y;
    if (depth < -slack || depth > 2.0 * half + slack) return;
    entry.offer(ray, position, unit_or_up({at.x, k2 * depth, at.z}));
  };
  double const inside = b * b - a * c;
  if (inside < 0.0) return;
  double const q = b < 0.0 ? sqrt(inside) - b
                           : -sqrt(inside) - b;  // the root of larger magnitude, times a: no cancellation
  if (q != 0.0) offer(c / q);
  if (a != 0.0) offer(q / a);
}

/// An exact face of a hull.
struct ExactFace {
  Vec3<double> normal;
  double offset = 0.0;
};

ExactFace exact_face(const HullGeometry& hull, const LoopRange& loop) noexcept {
  auto const corner = [&](std::uint32_t i) { return hull.vertices[hull.exact_loops[loop.first + i]]; };
  Vec3<double> const first = corner(0);
  Vec3<double> normal{};
  for (std::uint32_t i = 2; i < loop.count; ++i) normal += cross(corner(i - 1) - first, corner(i) - first);
  normal = unit_or_up(normal);
  return {normal, dot(normal, first)};
}

bool over_face(const HullGeometry& hull, const LoopRange& loop, Vec3<double> normal,
               Vec3<double> point) noexcept {
  for (std::uint32_t i = 0; i < loop.count; ++i) {
    Vec3<double> const from = hull.vertices[hull.exact_loops[loop.first + i]];
    Vec3<double> const to = hull.vertices[hull.exact_loops[loop.first + (i + 1 == loop.count ? 0 : i + 1)]];
    Vec3<double> const edge = to - from;
    if (dot(cross(edge, normal), point - from) > kEdgeFraction * dot(edge, edge)) return false;
  }
  return true;
}

/// Calls visit(from, to) for each edge of the hull once.
template <class Visit>
void for_each_edge(const HullGeometry& hull, Visit visit) {
  for (const LoopRange& loop : hull.exact_faces) {
    for (std::uint32_t i = 0; i < loop.count; ++i) {
      std::uint32_t const from = hull.exact_loops[loop.first + i];
      std::uint32_t const to = hull.exact_loops[loop.first + (i + 1 == loop.count ? 0 : i + 1)];
      if (from < to) visit(hull.vertices[from], hull.vertices[to]);
    }
  }
}

void offer_hull(const LocalRay& ray, const HullGeometry& hull, double rounding, Entry& entry) noexcept {
  if (rounding == 0.0) {
    Clip clip;
    for (const LoopRange& loop : hull.exact_faces) {
      ExactFace const face = exact_face(hull, loop);
      clip.plane(ray, face.normal, face.offset);
    }
    clip.offer_to(ray, entry);
    return;
  }
  // The surface of the rounded hull consists of offset faces and rounded edges.
  for (const LoopRange& loop : hull.exact_faces) {
    ExactFace const face = exact_face(hull, loop);
    double const rise = dot(face.normal, ray.direction);
    if (!(rise < 0.0)) continue;
    double const position = (face.offset + rounding - dot(face.normal, ray.near)) / rise;
    if (over_face(hull, loop, face.normal, ray.at(position))) entry.offer(ray, position, face.normal);
  }
  for_each_edge(hull,
                [&](Vec3<double> from, Vec3<double> to) { offer_capsule(ray, from, to, rounding, entry); });
}

bool holds_in_hull(const HullGeometry& hull, double rounding, Vec3<double> p) noexcept {
  bool inside = true;
  for (const LoopRange& loop : hull.exact_faces) {
    ExactFace const face = exact_face(hull, loop);
    double const above = dot(face.normal, p) - face.offset;
    if (above > rounding) return false;
    if (above > 0.0) {
      inside = false;
      if (over_face(hull, loop, face.normal, p)) return true;
    }
  }
  if (inside || rounding == 0.0) return inside;
  bool near = false;
  for_each_edge(hull, [&](Vec3<double> from, Vec3<double> to) {
    Vec3<double> const edge = to - from;
    double const t = clamp(dot(edge, p - from) / dot(edge, edge), 0.0, 1.0);
    Vec3<double> const away = p - (from + edge * t);
    near = near || dot(away, away) <= rounding * rounding;
  });
  return near;
}

/// True when the shape, its surface included, contains a point of its frame.
bool holds(const ShapeGeometry<double>& shape, Vec3<double> p) noexcept {
  const Vec3<double>& e = shape.extents;
  double const ring = p.x * p.x + p.z * p.z;
  switch (shape.kind) {
    case ShapeKind::kSphere: return ring + p.y * p.y <= e.x * e.x;
    case ShapeKind::kCapsule: {
      double const beyond = p.y - clamp(p.y, -e.y, e.y);
      return ring + beyond * beyond <= e.x * e.x;
    }
    case ShapeKind::kBox: return absolute(p.x) <= e.x && absolute(p.y) <= e.y && absolute(p.z) <= e.z;
    case ShapeKind::kHalfSpace: return p.y <= 0.0;
    case ShapeKind::kCylinder: return ring <= e.x * e.x && absolute(p.y) <= e.y;
    case ShapeKind::kCone: {
      double const reach = e.x * (e.y - p.y) / (2.0 * e.y);
      return absolute(p.y) <= e.y && ring <= reach * reach;
    }
    case ShapeKind::kHull: return holds_in_hull(*shape.hull, e.x, p);
    case ShapeKind::kMesh:
    case ShapeKind::kHeightField: break;  // mesh_instance.h
  }
  return false;
}

}  // namespace

std::optional<RayHit> cast_ray(const ShapeGeometry<double>& shape, Vec3<double> origin,
                               Vec3<double> translation) noexcept {
  TAKT_ASSERT(shape.kind != ShapeKind::kHull || shape.hull != nullptr);
  double const size = length(translation);
  LocalRay ray;
  ray.origin = transpose_multiply(shape.rotation, origin);
  ray.direction = size > 0.0 ? transpose_multiply(shape.rotation, translation * (1.0 / size))
                             : Vec3<double>{0.0, 1.0, 0.0};
  if (holds(shape, ray.origin))
    return RayHit{0.0, size > 0.0 ? translation * (-1.0 / size) : Vec3<double>{0.0, 1.0, 0.0}};
  if (!(size > 0.0)) return std::nullopt;
  ray.start = dot(ray.origin, ray.direction);
  ray.end = ray.start + size;
  ray.near = ray.origin - ray.direction * ray.start;
  Entry entry;
  const Vec3<double>& e = shape.extents;
  switch (shape.kind) {
    case ShapeKind::kSphere: offer_sphere(ray, {}, e.x, entry); break;
    case ShapeKind::kCapsule: offer_capsule(ray, {0.0, -e.y, 0.0}, {0.0, e.y, 0.0}, e.x, entry); break;
    case ShapeKind::kBox: offer_box(ray, e, entry); break;
    case ShapeKind::kHalfSpace:
      if (ray.direction.y < 0.0) entry.offer(ray, -ray.near.y / ray.direction.y, {0.0, 1.0, 0.0});
      break;
    case ShapeKind::kCylinder: offer_cylinder(ray, e.x, e.y, entry); break;
    case ShapeKind::kCone: offer_cone(ray, e.x, e.y, entry); break;
    case ShapeKind::kHull: offer_hull(ray, *shape.hull, e.x, entry); break;
    case ShapeKind::kMesh:
    case ShapeKind::kHeightField: break;
  }
  if (!entry.found) return std::nullopt;
  TAKT_VALIDATE(is_unit(entry.normal) && entry.position >= ray.start);
  return RayHit{clamp((entry.position - ray.start) / size, 0.0, 1.0), shape.rotation * entry.normal};
}

}  // namespace takt
