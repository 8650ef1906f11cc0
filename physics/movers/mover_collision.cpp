#include "physics/movers/mover_collision.h"

#include <algorithm>

#include "physics/base/solver_constants.h"
#include "physics/broad_phase/swept_box.h"
#include "physics/geometry/mesh_instance.h"
#include "physics/geometry/ray_cast.h"
#include "physics/state/activity.h"
#include "physics/state/mass_properties.h"
#include "physics/state/shape_bounds.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

// A call near a surface may test the triangles that are left, divided by this number.
constexpr std::uint32_t kCallsOfRest = 4;
// Each call may test this number. The capsule of a mover of half its radius over triangles of its own size
// has about as many.
constexpr std::uint32_t kMinTriangles = 16;

template <class Real>
const TargetRecord<Real>* target_of(const WorldState<Real>& state, std::uint32_t body) noexcept {
  auto const at = std::lower_bound(
      state.targets.begin(), state.targets.end(), body,
      [](const TargetRecord<Real>& record, std::uint32_t index) { return record.body < index; });
  return at != state.targets.end() && at->body == body && !at->reached ? &*at : nullptr;
}

MeshInstance mesh_instance(const ShapeGeometry<double>& geometry, Vec3<double> center) noexcept {
  return {&geometry.surface->surface, geometry.rotation, center};
}

template <class Real>
Mat3<Real> rounded(const Mat3<double>& m) noexcept {
  auto const column = [](Vec3<double> v) {
    return Vec3<Real>{to_real<Real>(v.x), to_real<Real>(v.y), to_real<Real>(v.z)};
  };
  return {column(m.x), column(m.y), column(m.z)};
}

}  // namespace

Vec3<double> SurfaceMotion::carried(Vec3<double> point) const noexcept {
  Vec3<double> const local = rotate(conjugate(rotation), point - center);
  return end_center + rotate(end_rotation, local);
}

template <class Real>
SurfaceMotion surface_motion(const WorldState<Real>& state, std::uint32_t index, const Position& about) {
  const BodyRecord<Real>& body = state.bodies[index];
  SurfaceMotion motion;
  motion.center = relative<double>(body.motion.center, about);
  motion.rotation = unit(to_double(body.motion.rotation));
  motion.end_center = motion.center;
  motion.end_rotation = motion.rotation;
  bool const moves = moves_on_its_own(body) || is_awake_dynamic(body);
  if (!moves) return motion;
  if (const TargetRecord<Real>* const target = target_of(state, index)) {
    motion.end_center = relative<double>(target->center, about);
    motion.end_rotation = unit(to_double(target->rotation));
    return motion;
  }
  // Predicts the substeps: linear motion, and one normalised rotation per substep.
  double const rate = static_cast<double>(state.def.tick_rate_hz);
  double const half = 0.5 / (rate * static_cast<double>(state.def.substeps));
  Vec3<double> const velocity = to_double(body.motion.linear_velocity);
  Vec3<double> const turn = to_double(body.motion.angular_velocity) * half;
  motion.end_center = motion.center + Vec3<double>{velocity.x / rate, velocity.y / rate, velocity.z / rate};
  for (std::uint32_t i = 0; i < state.def.substeps; ++i) {
    Quat<double> const& q = motion.end_rotation;
    Quat<double> const change = Quat<double>{turn.x, turn.y, turn.z, 0.0} * q;
    motion.end_rotation = unit({q.x + change.x, q.y + change.y, q.z + change.z, q.w + change.w});
  }
  return motion;
}

template <class Real>
void MoverCollision<Real>::gather(const WorldState<Real>& state, Proxies& proxies, std::uint32_t self,
                                  double reach, double kinematic_reach,
                                  const std::vector<std::uint8_t>& movers) {
  const ShapeRecord<Real>& own = state.shapes[self];
  TAKT_ASSERT(own.kind == ShapeKind::kCapsule);
  self_ = self;
  start_ = state.bodies[own.body].motion.center;
  radius_ = to_double(own.extents.x);
  half_length_ = to_double(own.extents.y);
  found_.clear();
  obstacles_.clear();
  auto const test = [&](std::uint32_t shape) {
    const ShapeRecord<Real>& other = state.shapes[shape];
    if (other.body != own.body && !other.is_sensor && meet(own.filter, other.filter)) found_.push_back(shape);
  };
  double const all = reach + kinematic_reach + radius_ + half_length_;
  SweptBox const box(relative<double>(start_, proxies.broad_phase().origin()), {-all, -all, -all},
                     {all, all, all}, {});
  proxies.walk([&](const FatBounds& bounds) { return box.meets(bounds, 1.0); }, test);
  std::sort(found_.begin(), found_.end());
  TAKT_VALIDATE(std::ranges::adjacent_find(found_) == found_.end());
  for (std::uint32_t const shape : found_) add(state, shape, movers);
}

template <class Real>
void MoverCollision<Real>::add(const WorldState<Real>& state, std::uint32_t index,
                               const std::vector<std::uint8_t>& movers) {
  const ShapeRecord<Real>& shape = state.shapes[index];
  const BodyRecord<Real>& body = state.bodies[shape.body];
  MoverObstacle<Real>& found = obstacles_.emplace_back();
  found.shape = index;
  found.body = shape.body;
  found.is_dynamic = body.type == BodyType::kDynamic && !body.quarantined;
  if (found.is_dynamic || movers[shape.body] != 0) {
    found.kind = MoverObstacleKind::kYielding;
  } else if (moves_on_its_own(body)) {
    found.kind = MoverObstacleKind::kDriven;
  }
  SurfaceMotion const motion = surface_motion(state, shape.body, start_);
  Vec3<double> const center = found.is_dynamic ? motion.center : motion.end_center;
  Quat<double> const rotation = found.is_dynamic ? motion.rotation : motion.end_rotation;
  Quat<double> const turn = unit(rotation * unit(to_double(shape.local_rotation)));
  const HullGeometry* const hull =
      shape.kind == ShapeKind::kHull ? state.hulls.find(shape.geometry) : nullptr;
  const SurfaceGeometry* const surface =
      is_surface(shape.kind) ? state.surfaces.find(shape.geometry) : nullptr;
  found.geometry = {shape.kind, to_double(shape.extents), to_matrix(turn), hull, surface};
  found.center = center + rotate(rotation, to_double(shape.local_position) - to_double(body.local_center));
  TAKT_ASSERT(shape.kind != ShapeKind::kHull || hull != nullptr);
  TAKT_ASSERT(!is_surface(shape.kind) || surface != nullptr);
  found.surface_rotation = rounded<Real>(found.geometry.rotation);
  if (shape.kind != ShapeKind::kHalfSpace && surface == nullptr)
    found.convex.emplace(found.geometry, found.center);
}

template <class Real>
ConvexShape MoverCollision<Real>::capsule(Vec3<double> at, double extra) const noexcept {
  return {capsule_geometry(extra), at};
}

template <class Real>
ShapeGeometry<double> MoverCollision<Real>::capsule_geometry(double extra) const noexcept {
  return {ShapeKind::kCapsule, {radius_ + extra, half_length_, 0.0}, {}, nullptr, nullptr};
}

/// Takes the triangles of a call near `surface` from those left, and returns the call's maximum.
template <class Real>
std::uint32_t MoverCollision<Real>::take_triangles(const TriangleMesh& surface,
                                                   const SurfaceBox& box) noexcept {
  if (triangles_left_ == kAllTriangles) return kAllTriangles;
  std::uint32_t const max = maximum(triangles_left_ / kCallsOfRest, kMinTriangles);
  std::uint32_t const count = surface.count_triangles(box, max);
  is_cut_ = is_cut_ || count > max;
  triangles_left_ -= minimum(triangles_left_, minimum(count, max));
  return count > max ? max : kAllTriangles;
}

template <class Real>
void MoverCollision<Real>::touch(Vec3<double> at, double zone, std::uint32_t ignored, SurfaceScratch& scratch,
                                 MoverPlanes& out) {
  ConvexShape const own = capsule(at, 0.0);
  for (std::uint32_t slot = 0; slot < obstacles_.size(); ++slot) {
    const MoverObstacle<Real>& other = obstacles_[slot];
    if (other.body == ignored) continue;
    if (other.geometry.surface == nullptr) {
      Nearness const near = other.convex.has_value()
                                ? nearness(own, *other.convex, zone)
                                : nearness_to_plane(own, other.center, other.geometry.rotation.y);
      if (near.distance <= zone) out.add({near.normal, 0.0, near.distance, near.point, slot});
      continue;
    }
    // As contacts with the surface: a facet pushes along its normal, so internal edges have no effect.
    ShapeGeometry<Real> const shape{ShapeKind::kCapsule,
                                    {to_real<Real>(radius_), to_real<Real>(half_length_), Real(0)},
                                    {},
                                    nullptr,
                                    nullptr};
    ShapeGeometry<Real> const surface{
        other.geometry.kind, {}, other.surface_rotation, nullptr, other.geometry.surface};
    double const size = radius_ + kSpeculativeDistanceM;
    Vec3<double> const reach{size, size + half_length_, size};
    MeshInstance const mesh = mesh_instance(other.geometry, other.center);
    scratch.max_triangles = take_triangles(*mesh.surface, mesh.local_box(at - reach, at + reach));
    collide_surface(shape, surface, other.center - at, {}, scratch);
    for (const SurfaceManifold& part : scratch.manifolds) {
      const Manifold<double>& manifold = part.manifold;
      std::uint32_t nearest = 0;
      for (std::uint32_t i = 1; i < manifold.point_count; ++i) {
        if (manifold.points[i].separation < manifold.points[nearest].separation) nearest = i;
      }
      double const gap = manifold.points[nearest].separation;
      if (gap <= zone)
        out.add({-manifold.normal, 0.0, gap,
                 at + manifold.points[nearest].position + manifold.normal * (0.5 * gap), slot});
    }
  }
}

template <class Real>
MoverCast MoverCollision<Real>::cast(Vec3<double> at, Vec3<double> by, double extra, std::uint32_t ignored) {
  ConvexShape const own = capsule(at, extra);
  MoverCast first;
  auto const test = [&](const std::optional<ConvexHit>& hit, std::uint32_t slot) {
    if (!hit.has_value() || hit->nearness.distance < 0.0) return;
    if (first.hit && hit->fraction >= first.fraction)
      return;  // ties go to the first, which has the lower index
    first = {hit->fraction, true, hit->nearness.normal, hit->nearness.point, slot};
  };
  double const reach = radius_ + half_length_ + extra + 2.0 * kCastToleranceM;
  Vec3<double> const low{minimum(by.x, 0.0) - reach, minimum(by.y, 0.0) - reach, minimum(by.z, 0.0) - reach};
  Vec3<double> const high{maximum(by.x, 0.0) + reach, maximum(by.y, 0.0) + reach, maximum(by.z, 0.0) + reach};
  for (std::uint32_t slot = 0; slot < obstacles_.size(); ++slot) {
    const MoverObstacle<Real>& other = obstacles_[slot];
    if (other.body == ignored) continue;
    if (other.convex.has_value()) {
      test(cast_convex(own, by, *other.convex), slot);
    } else if (other.geometry.surface == nullptr) {
      test(cast_convex_on_plane(own, by, other.center, other.geometry.rotation.y), slot);
    } else {
      MeshInstance const surface = mesh_instance(other.geometry, other.center);
      SurfaceBox const box = surface.local_box(at + low, at + high);
      auto const test_triangle = [&](std::uint32_t triangle) {
        if (surface.faces(triangle, at)) test(cast_convex(own, by, surface.convex(triangle)), slot);
      };
      std::uint32_t const max_triangles = take_triangles(*surface.surface, box);
      if (max_triangles == kAllTriangles) {
        surface.surface->visit_triangles(box, test_triangle);
        continue;
      }
      sample_.choose(*surface.surface, box, surface.local_shape(capsule_geometry(extra)),
                     surface.local_point(at + by), max_triangles);
      if (auto const hit = cast_ray(surface, at, by)) sample_.add(hit->triangle);
      for (std::uint32_t const triangle : sample_.triangles()) test_triangle(triangle);
    }
  }
  TAKT_VALIDATE(first.fraction >= 0.0 && first.fraction <= 1.0);
  return first;
}

template <class Real>
MoverRay MoverCollision<Real>::ray(Vec3<double> from, Vec3<double> by) const {
  MoverRay first;
  auto const test = [&first](double fraction, Vec3<double> normal) {
    if (!first.hit || fraction < first.fraction) first = {fraction, true, normal};
  };
  for (const MoverObstacle<Real>& other : obstacles_) {
    if (other.geometry.surface != nullptr) {
      if (auto const hit = cast_ray(mesh_instance(other.geometry, other.center), from, by))
        test(hit->fraction, hit->normal);
    } else if (auto const hit = cast_ray(other.geometry, from - other.center, by)) {
      test(hit->fraction, hit->normal);
    }
  }
  return first;
}

template SurfaceMotion surface_motion(const WorldState<float>&, std::uint32_t, const Position&);
template SurfaceMotion surface_motion(const WorldState<Fixed>&, std::uint32_t, const Position&);
template class MoverCollision<float>;
template class MoverCollision<Fixed>;

}  // namespace takt
