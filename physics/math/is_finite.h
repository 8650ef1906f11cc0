// is_finite() (neither NaN nor infinite), is_zero() and is_unit() test numbers and vectors. A Fixed is always
// finite. Definitions and saved worlds are tested with is_finite() before use. Bodies are tested after the
// substeps: a body with a number that is not finite is quarantined (gather_bodies.h).
#pragma once

#include "takt/physics/vector.h"

namespace takt {

[[nodiscard]] inline bool is_finite(float value) noexcept { return value - value == 0.0f; }
[[nodiscard]] inline bool is_finite(double value) noexcept { return value - value == 0.0; }
[[nodiscard]] inline bool is_finite(Fixed) noexcept { return true; }
template <class Real>
[[nodiscard]] bool is_finite(Vec3<Real> v) noexcept {
  return is_finite(v.x) && is_finite(v.y) && is_finite(v.z);
}
template <class Real>
[[nodiscard]] bool is_finite(Quat<Real> q) noexcept {
  return is_finite(q.x) && is_finite(q.y) && is_finite(q.z) && is_finite(q.w);
}

/// True when all components are 0 or -0.
template <class Real>
[[nodiscard]] bool is_zero(Vec3<Real> v) noexcept {
  return v == Vec3<Real>{};
}

/// True for a length within 1e-6 of 1: for assertions on normals computed in binary64.
[[nodiscard]] inline bool is_unit(Vec3<double> v) noexcept { return absolute(dot(v, v) - 1.0) < 2e-6; }

}  // namespace takt
