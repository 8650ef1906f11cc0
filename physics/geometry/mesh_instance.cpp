#include "physics/geometry/mesh_instance.h"

#include <limits>

#include "takt/core/assert.h"

namespace takt {
namespace {

// More than the rounding of a position on a ray, m: triangles beyond the best hit by more cannot win.
constexpr double kRaySlackM = 1e-6;
constexpr double kNever = std::numeric_limits<double>::infinity();

struct LocalRay {
  Vec3<double> origin;     ///< near the mesh, in its frame
  Vec3<double> direction;  ///< unit
  double start = 0.0;      ///< ends of the ray, m from the origin
  double end = 0.0;
};

/// Clips the ray to the box; false when nothing remains.
bool clip(const SurfaceBox& box, const LocalRay& ray, double& in, double& out) noexcept {
  in = ray.start;
  out = ray.end;
  auto const axis = [&](double low, double high, double from, double by) {
    double const slack = 1e-6 + 1e-12 * absolute(from);
    if (absolute(by) < 1e-300) return from >= low - slack && from <= high + slack;
    double const a = (low - slack - from) / by;
    double const b = (high + slack - from) / by;
    in = maximum(in, minimum(a, b));
    out = minimum(out, maximum(a, b));
    return in <= out;
  };
  return axis(box.lower.x, box.upper.x, ray.origin.x, ray.direction.x) &&
         axis(box.lower.y, box.upper.y, ray.origin.y, ray.direction.y) &&
         axis(box.lower.z, box.upper.z, ray.origin.z, ray.direction.z);
}

/// Tests signed volumes of the ray with the edges. Two triangles that share an edge compute equal volumes of
/// opposite sign, so no ray passes between them. Source: the triple products of A. Segura, F. Feito,
/// Algorithms to Test Ray-Triangle Intersection (2001).
bool crosses(const TriangleMesh& surface, std::uint32_t triangle, const LocalRay& ray,
             double& position) noexcept {
  Vec3<double> const a = surface.corner(triangle, 0) - ray.origin;
  Vec3<double> const b = surface.corner(triangle, 1) - ray.origin;
  Vec3<double> const c = surface.corner(triangle, 2) - ray.origin;
  double const u = dot(ray.direction, cross(c, b));
  double const v = dot(ray.direction, cross(a, c));
  double const w = dot(ray.direction, cross(b, a));
  bool const front = u >= 0.0 && v >= 0.0 && w >= 0.0;
  bool const back = u <= 0.0 && v <= 0.0 && w <= 0.0;
  if (!front && !back) return false;
  Vec3<double> const normal = surface.normal(triangle);
  double const rise = dot(normal, ray.direction);
  if (rise == 0.0 || (surface.one_sided() && rise > 0.0)) return false;
  position = dot(normal, a) / rise;
  return true;
}

}  // namespace

std::optional<SurfaceRayHit> cast_ray(const MeshInstance& instance, Vec3<double> origin,
                                      Vec3<double> translation, double max_fraction, QueryWork* work) {
  TAKT_ASSERT(instance.surface != nullptr);
  double const size = length(translation);
  if (!(size > 0.0)) return std::nullopt;  // a point hits no triangle
  const TriangleMesh& surface = *instance.surface;
  Vec3<double> const middle = (surface.box().lower + surface.box().upper) * 0.5;
  Vec3<double> const local = transpose_multiply(instance.rotation, origin - instance.center);
  LocalRay ray;
  ray.direction = transpose_multiply(instance.rotation, translation * (1.0 / size));
  ray.start = dot(local - middle, ray.direction);
  ray.end = ray.start + size;
  ray.origin = local - ray.direction * ray.start;
  double in = 0.0;
  double out = 0.0;
  if (!clip(surface.box(), ray, in, out)) return std::nullopt;
  double limit = minimum(out, ray.start + size * max_fraction) + kRaySlackM;
  bool found = false;
  double best = 0.0;
  std::uint32_t lowest = 0;
  surface.visit_nearest(
      [&](const SurfaceBox& box) {
        if (work != nullptr && !work->add(1)) return kNever;
        double entry = 0.0;
        double exit = 0.0;
        return clip(box, ray, entry, exit) ? entry : kNever;
      },
      [&](double key) { return key <= limit && (work == nullptr || !work->exceeded); },
      [&](std::uint32_t triangle) {
        double position = 0.0;
        if (!crosses(surface, triangle, ray, position) || !(position >= ray.start && position <= ray.end))
          return;
        if (found && (position > best || (position == best && triangle >= lowest))) return;
        found = true;
        best = position;
        lowest = triangle;
        limit = minimum(limit, best + kRaySlackM);
      });
  if (!found) return std::nullopt;
  Vec3<double> const normal = instance.normal(lowest);
  return SurfaceRayHit{clamp((best - ray.start) / size, 0.0, 1.0),
                       dot(normal, translation) > 0.0 ? -normal : normal, lowest};
}

}  // namespace takt
