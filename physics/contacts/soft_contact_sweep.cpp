#include "physics/contacts/soft_contact_sweep.h"

#include "physics/geometry/convex_shape.h"
#include "physics/geometry/shape_extent.h"
#include "physics/math/unit_quat.h"
#include "physics/state/activity.h"
#include "physics/state/free_motion.h"
#include "physics/state/shape_bounds.h"
#include "physics/state/shape_geometry_of.h"

namespace takt {

template <class Real>
Vec3<double> displacement_to_soft(const WorldState<Real>& state, std::uint32_t shape_a,
                                  std::uint32_t shape_b) noexcept {
  const ShapeRecord<Real>& a = state.shapes[shape_a];
  const ShapeRecord<Real>& b = state.shapes[shape_b];
  if (!is_soft(a) && !is_soft(b)) return {};
  return displacement_in_tick(state, state.bodies[b.body]) -
         displacement_in_tick(state, state.bodies[a.body]);
}

template <class Real>
double sample_length(const WorldState<Real>& state, std::uint32_t shape_a, std::uint32_t shape_b) noexcept {
  auto const half = [&state](std::uint32_t index) {
    const ShapeRecord<Real>& shape = state.shapes[index];
    return smallest_half(shape.kind, to_double(shape.extents), hull_of(state, shape));
  };
  return kSpeculativeDistanceM + 0.5 * maximum(half(shape_a), half(shape_b));
}

template <class Real>
Real soft_depth(const WorldState<Real>& state, const ShapeRecord<Real>& a, const ShapeRecord<Real>& b,
                Vec3<Real> normal) noexcept {
  if (a.kind == ShapeKind::kHalfSpace || b.kind == ShapeKind::kHalfSpace) return Real(0);
  if (is_surface(a.kind) || is_surface(b.kind)) {
    const ShapeRecord<Real>& shape = is_surface(a.kind) ? b : a;
    Vec3<double> const along = is_surface(a.kind) ? -to_double(normal) : to_double(normal);
    Quat<double> const rotation = to_double(shape_pose(state.bodies[shape.body], shape).rotation);
    ShapeGeometry<double> const geometry{shape.kind, to_double(shape.extents), to_matrix(unit(rotation)),
                                         hull_of(state, shape), nullptr};
    ConvexShape const convex(geometry, {});
    return to_real<Real>(kSoftDepthFraction * (dot(along, convex.support(along)) + convex.radius()));
  }
  auto const half = [&state](const ShapeRecord<Real>& shape) {
    return smallest_half(shape.kind, to_double(shape.extents), hull_of(state, shape));
  };
  return to_real<Real>(kSoftDepthFraction * (half(a) + half(b)));
}

template <class Real>
void take_back(Vec3<Real> ahead, PreparedContact<Real>& contact) noexcept {
  Manifold<Real>& manifold = contact.manifold;
  Real const nearer = dot(manifold.normal, ahead);
  // Lever arms of a dynamic body are those at the time of touch. With two dynamic bodies each is off by half
  // of the displacement, along it.
  Vec3<Real> const back = !contact.dynamic_a  ? ahead
                          : contact.dynamic_b ? ahead * to_real<Real>(0.5)
                                              : Vec3<Real>{};
  for (std::uint32_t i = 0; i < manifold.point_count; ++i) {
    manifold.points[i].separation -= nearer;
    manifold.points[i].position -= back;
    contact.cached.separations[i] = manifold.points[i].separation;
    contact.cached.positions[i] = manifold.points[i].position;
  }
}

#define TAKT_INSTANTIATE(Real)                                                                          \
  template Vec3<double> displacement_to_soft(const WorldState<Real>&, std::uint32_t,                    \
                                             std::uint32_t) noexcept;                                   \
  template double sample_length(const WorldState<Real>&, std::uint32_t, std::uint32_t) noexcept;        \
  template Real soft_depth(const WorldState<Real>&, const ShapeRecord<Real>&, const ShapeRecord<Real>&, \
                           Vec3<Real>) noexcept;                                                        \
  template void take_back(Vec3<Real>, PreparedContact<Real>&) noexcept;
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
