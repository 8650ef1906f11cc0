// A body in the substeps, beside what the contact kernels see of it.
#pragma once

#include <cstdint>

#include "physics/slot_pool.h"
#include "takt/physics/vector.h"

namespace takt {

/// What integration needs of a body that moves, parallel to the solver's bodies.
template <class Real>
struct MovingBody {
  std::uint32_t index = kNoIndex;  ///< in the pool
  bool dynamic = false;
  Vec3<Real> velocity_change;  ///< of gravity and force in one substep, m/s
  Vec3<Real> spin_change;      ///< of torque in one substep, rad/s
  Real linear_factor{};        ///< damping: velocity x this each substep
  Real angular_factor{};
  Quat<Real> rotation;
};

/// q turned by a small `turn` (world axes, rad): one explicit step, exact to first order, of unit length again.
template <class Real>
[[nodiscard]] Quat<Real> turned(Quat<Real> q, Vec3<Real> turn) noexcept {
  Real const half = to_real<Real>(0.5);
  Quat<Real> const change = Quat<Real>{turn.x * half, turn.y * half, turn.z * half, Real(0)} * q;
  return normalise(Quat<Real>{q.x + change.x, q.y + change.y, q.z + change.z, q.w + change.w});
}

}  // namespace takt
