// MovingBody holds the data of a moving body that integration reads in each substep: velocity change by
// gravity, force and torque (VelocityStep), damping, and rotation. Joints and the gyroscopic term read the
// rotation too. The contact kernels do not read MovingBody; their data is SolverBody (solver_body.h).
// rotated() integrates a rotation by one explicit step.
#pragma once

#include <cstdint>

#include "physics/base/slot_pool.h"
#include "takt/physics/vector.h"

namespace takt {

/// One substep's change of a velocity: (v + change) x factor.
template <class Real>
struct VelocityStep {
  Vec3<Real> change;
  Real factor{};  ///< damping, dimensionless, 0 to 1
};

/// Integration data of a moving body, parallel to the solver bodies. In float it fills one cache line.
template <class Real>
struct alignas(16 * sizeof(Real)) MovingBody {
  VelocityStep<Real> linear;       ///< by gravity and force, m/s
  VelocityStep<Real> angular;      ///< by torque, rad/s
  Quat<Real> rotation;             ///< body to world, now
  std::uint32_t index = kNoIndex;  ///< in the body pool; kNoIndex at solver index 0
  bool dynamic = false;            ///< false for a kinematic body
};

/// q rotated by a small `delta` (world axes, rad): one explicit step, exact to first order, normalised.
template <class Real>
[[nodiscard]] Quat<Real> rotated(Quat<Real> q, Vec3<Real> delta) noexcept {
  Real const half = to_real<Real>(0.5);
  Quat<Real> const change = Quat<Real>{delta.x * half, delta.y * half, delta.z * half, Real(0)} * q;
  return normalise(Quat<Real>{q.x + change.x, q.y + change.y, q.z + change.z, q.w + change.w});
}

}  // namespace takt
