// limit_length() and its callers keep velocities within kMaxLinearSpeedMS and kMaxAngularSpeedRadS: each
// substep before its passes, each tick when bodies are stored, and each call that changes a velocity. A
// smaller velocity has less kinetic energy, so a limit adds none.
#pragma once

#include "takt/physics/body.h"
#include "takt/physics/vector.h"

namespace takt {

/// `v`, clamped to a length of `max`, but for rounding.
template <class Real>
[[nodiscard]] Vec3<Real> limit_length(Vec3<Real> v, Real max) noexcept {
  Real const size = length(v);
  if (!(size > max)) return v;
  return Vec3<Real>{v.x / size, v.y / size, v.z / size} * max;
}

template <class Real>
[[nodiscard]] Vec3<Real> limit_linear(Vec3<Real> v) noexcept {
  return limit_length(v, to_real<Real>(kMaxLinearSpeedMS));
}
template <class Real>
[[nodiscard]] Vec3<Real> limit_angular(Vec3<Real> v) noexcept {
  return limit_length(v, to_real<Real>(kMaxAngularSpeedRadS));
}

}  // namespace takt
