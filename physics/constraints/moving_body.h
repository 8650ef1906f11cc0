// A body in the substeps, beside what the contact kernels see of it.
#pragma once

#include <cstdint>

#include "physics/base/slot_pool.h"
#include "takt/physics/vector.h"

namespace takt {

/// What a substep does to a velocity: (v + change) x factor.
template <class Real>
struct VelocityStep {
  Vec3<Real> change;
  Real factor{};  ///< damping
};

/// What integration needs of a body that moves, parallel to the solver's bodies: in float a line of the
/// cache.
template <class Real>
struct alignas(16 * sizeof(Real)) MovingBody {
  VelocityStep<Real> linear;   ///< of gravity and force, m/s
  VelocityStep<Real> angular;  ///< of torque, rad/s
  Quat<Real> rotation;
  std::uint32_t index = kNoIndex;  ///< in the pool
  bool dynamic = false;
};

/// q turned by a small `turn` (world axes, rad): one explicit step, exact to first order, of unit length
/// again.
template <class Real>
[[nodiscard]] Quat<Real> rotated(Quat<Real> q, Vec3<Real> delta) noexcept {
  Real const half = to_real<Real>(0.5);
  Quat<Real> const change = Quat<Real>{delta.x * half, delta.y * half, delta.z * half, Real(0)} * q;
  return normalise(Quat<Real>{q.x + change.x, q.y + change.y, q.z + change.z, q.w + change.w});
}

}  // namespace takt
