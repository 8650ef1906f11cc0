// Sphere, capsule and box against a half-space, and the dispatch over pairs of kinds.
#include "physics/base/solver_constants.h"
#include "physics/narrow_phase/manifold.h"
#include "takt/core/assert.h"

namespace takt {
namespace {

// One candidate: `surface` is the shape's surface point, `height` its distance above the plane.
template <class Real>
ManifoldPoint<Real> on_plane(Vec3<Real> surface, Real height, Vec3<Real> up, std::uint32_t feature) {
  return {surface - up * (height * to_real<Real>(0.5)), height, feature};
}

}  // namespace

template <class Real>
void collide_half_space(const ShapeGeometry<Real>& first, const ShapeGeometry<Real>& half_space,
                        Vec3<Real> delta_center, Manifold<Real>& out) {
  Vec3<Real> const up = half_space.rotation.y;
  Real const center_height = -dot(delta_center, up);
  Real const limit = to_real<Real>(kSpeculativeDistanceM);
  out.point_count = 0;
  out.normal = -up;
  if (first.kind == ShapeKind::kSphere) {
    Real const height = center_height - first.extents.x;
    if (height <= limit) out.points[out.point_count++] = on_plane(-up * first.extents.x, height, up, 0);
    return;
  }
  if (first.kind == ShapeKind::kCapsule) {
    Vec3<Real> const axis = first.rotation.y * first.extents.y;
    Real const rise = dot(axis, up);
    Real const low = center_height - first.extents.x;
    if (low - rise <= limit)
      out.points[out.point_count++] = on_plane(-axis - up * first.extents.x, low - rise, up, 1);
    if (low + rise <= limit)
      out.points[out.point_count++] = on_plane(axis - up * first.extents.x, low + rise, up, 2);
    return;
  }
  TAKT_ASSERT(first.kind == ShapeKind::kBox);
  Vec3<Real> const x = first.rotation.x * first.extents.x;
  Vec3<Real> const y = first.rotation.y * first.extents.y;
  Vec3<Real> const z = first.rotation.z * first.extents.z;
  Real const rise_x = dot(x, up);
  Real const rise_y = dot(y, up);
  Real const rise_z = dot(z, up);
  if (center_height - (absolute(rise_x) + absolute(rise_y) + absolute(rise_z)) > limit) return;
  std::array<ManifoldPoint<Real>, 8> corners;
  std::uint32_t count = 0;
  for (std::uint32_t corner = 0; corner < 8; ++corner) {
    bool const px = (corner & 1u) != 0;
    bool const py = (corner & 2u) != 0;
    bool const pz = (corner & 4u) != 0;
    Real const height =
        center_height + (px ? rise_x : -rise_x) + (py ? rise_y : -rise_y) + (pz ? rise_z : -rise_z);
    if (height > limit) continue;
    Vec3<Real> const position = (px ? x : -x) + (py ? y : -y) + (pz ? z : -z);
    corners[count++] = on_plane(position, height, up, corner);
  }
  reduce_points(corners, count, out);
}

namespace {

template <class Real>
void dispatch(const ShapeGeometry<Real>& first, const ShapeGeometry<Real>& second, Vec3<Real> delta_center,
              Manifold<Real>& out) {
  if (second.kind == ShapeKind::kHalfSpace) {
    return first.kind <= ShapeKind::kBox ? collide_half_space(first, second, delta_center, out)
                                         : collide_convex_half_space(first, second, delta_center, out);
  }
  if (second.kind > ShapeKind::kHalfSpace) return collide_convex(first, second, delta_center, out);
  if (second.kind == ShapeKind::kSphere) return collide_spheres(first, second, delta_center, out);
  if (second.kind == ShapeKind::kCapsule) {
    return first.kind == ShapeKind::kSphere ? collide_sphere_capsule(first, second, delta_center, out)
                                            : collide_capsules(first, second, delta_center, out);
  }
  if (first.kind == ShapeKind::kSphere) return collide_sphere_box(first, second, delta_center, out);
  if (first.kind == ShapeKind::kCapsule) return collide_capsule_box(first, second, delta_center, out);
  collide_boxes(first, second, delta_center, out);
}

}  // namespace

template <class Real>
void collide(const ShapeGeometry<Real>& first, const ShapeGeometry<Real>& second, Vec3<Real> delta_center,
             Manifold<Real>& out) {
  TAKT_ASSERT(collide_rank(first.kind) <= collide_rank(second.kind));
  TAKT_ASSERT(first.kind != ShapeKind::kHalfSpace);
  dispatch(first, second, delta_center, out);
  TAKT_VALIDATE(is_sound(out));
}

#define TAKT_INSTANTIATE(Real)                                                                         \
  template void collide_half_space(const ShapeGeometry<Real>&, const ShapeGeometry<Real>&, Vec3<Real>, \
                                   Manifold<Real>&);                                                   \
  template void collide(const ShapeGeometry<Real>&, const ShapeGeometry<Real>&, Vec3<Real>, Manifold<Real>&);
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
