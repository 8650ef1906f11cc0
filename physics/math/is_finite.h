// Whether a number is one: what comes out of the solver is asked before it is stored.
#pragma once

#include "takt/physics/vector.h"

namespace takt {

[[nodiscard]] inline bool finite(float value) noexcept { return value - value == 0.0f; }
[[nodiscard]] inline bool finite(Fixed) noexcept { return true; }
template <class Real>
[[nodiscard]] bool finite(Vec3<Real> v) noexcept {
  return finite(v.x) && finite(v.y) && finite(v.z);
}

}  // namespace takt
