#include "physics/contacts/soft_contact_sweep.h"

#include "physics/geometry/shape_extent.h"
#include "physics/state/activity.h"
#include "physics/state/free_motion.h"
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

#define TAKT_INSTANTIATE(Real)                                                                   \
  template Vec3<double> displacement_to_soft(const WorldState<Real>&, std::uint32_t,             \
                                             std::uint32_t) noexcept;                            \
  template double sample_length(const WorldState<Real>&, std::uint32_t, std::uint32_t) noexcept; \
  template void take_back(Vec3<Real>, PreparedContact<Real>&) noexcept;
TAKT_INSTANTIATE(float)
TAKT_INSTANTIATE(Fixed)
#undef TAKT_INSTANTIATE

}  // namespace takt
