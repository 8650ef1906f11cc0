#include "physics/contact_shear.h"

#include "physics/tuning.h"

namespace takt {

template <class Real>
void update_shear(PreparedContact<Real>& contact, Vec3<Real> arm_a, Vec3<Real> arm_b, Real radius, const SolverBody<Real>& a,
                  const SolverBody<Real>& b) noexcept {
  Real total(0);
  for (std::uint32_t i = 0; i < contact.manifold.point_count; ++i) total = total + contact.impulses[i];
  bool const runs = contact.slide.x != Real(0) || contact.slide.y != Real(0) || contact.slide.z != Real(0);
  if (!contact.dynamic_a || !contact.dynamic_b || !(total > Real(0)) || runs) {
    contact.shear = {};
    contact.twist_shear = Real(0);
    return;
  }
  Vec3<Real> const n = contact.manifold.normal;
  Vec3<Real> const turn_a = vector_of(a.angular_shift);
  Vec3<Real> const turn_b = vector_of(b.angular_shift);
  Real const limit = contact.friction * total * to_real<Real>(kSlidingShare);
  Vec3<Real> shear = contact.shear;
  if (length(contact.friction_impulse) < limit) {
    shear += (vector_of(b.linear_shift) + cross(turn_b, arm_b)) - (vector_of(a.linear_shift) + cross(turn_a, arm_a));
  }
  contact.shear = shear - n * dot(n, shear);
  if (!(radius > Real(0))) {
    contact.twist_shear = Real(0);
  } else if (absolute(contact.twist_impulse) < limit * radius) {
    contact.twist_shear = contact.twist_shear + dot(n, turn_b - turn_a);
  }
}

template void update_shear(PreparedContact<float>&, Vec3<float>, Vec3<float>, float, const SolverBody<float>&, const SolverBody<float>&) noexcept;
template void update_shear(PreparedContact<Fixed>&, Vec3<Fixed>, Vec3<Fixed>, Fixed, const SolverBody<Fixed>&, const SolverBody<Fixed>&) noexcept;

}  // namespace takt
