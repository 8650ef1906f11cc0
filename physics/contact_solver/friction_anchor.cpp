#include "physics/contact_solver/friction_anchor.h"

#include "physics/base/solver_constants.h"

namespace takt {

template <class Real>
void update_friction_anchor(PreparedContact<Real>& contact, Vec3<Real> r_a, Vec3<Real> r_b, Real radius,
                            const SolverBody<Real>& a, const SolverBody<Real>& b) noexcept {
  Real total(0);
  for (std::uint32_t i = 0; i < contact.manifold.point_count; ++i) total = total + contact.impulses[i];
  bool const runs = contact.slide.x != Real(0) || contact.slide.y != Real(0) || contact.slide.z != Real(0);
  if (!contact.dynamic_a || !contact.dynamic_b || !(total > Real(0)) || runs) {
    contact.anchor_offset = {};
    contact.twist_offset = Real(0);
    return;
  }
  Vec3<Real> const n = contact.manifold.normal;
  Vec3<Real> const ra_cross_n = vector_of(a.delta_rotation);
  Vec3<Real> const rb_cross_n = vector_of(b.delta_rotation);
  Real const limit = contact.friction * total * to_real<Real>(kSlidingFraction);
  Vec3<Real> anchor_offset = contact.anchor_offset;
  if (length(contact.friction_impulse) < limit) {
    anchor_offset += (vector_of(b.delta_position) + cross(rb_cross_n, r_b)) -
                     (vector_of(a.delta_position) + cross(ra_cross_n, r_a));
  }
  contact.anchor_offset = anchor_offset - n * dot(n, anchor_offset);
  if (!(radius > Real(0))) {
    contact.twist_offset = Real(0);
  } else if (absolute(contact.twist_impulse) < limit * radius) {
    contact.twist_offset = contact.twist_offset + dot(n, rb_cross_n - ra_cross_n);
  }
}

template void update_friction_anchor(PreparedContact<float>&, Vec3<float>, Vec3<float>, float,
                                     const SolverBody<float>&, const SolverBody<float>&) noexcept;
template void update_friction_anchor(PreparedContact<Fixed>&, Vec3<Fixed>, Vec3<Fixed>, Fixed,
                                     const SolverBody<Fixed>&, const SolverBody<Fixed>&) noexcept;

}  // namespace takt
