// RotationSweep interpolates a body's rotation from the start of a tick to its end, along the shorter path.
// at(t) returns the rotation at fraction t, by normalised linear interpolation of quaternions (nlerp). `rate`
// is an upper bound of the angular speed during the sweep, in rad per whole sweep. Continuous collision
// (physics/step) uses at() and `rate` to find a time of impact.
#pragma once

#include "physics/math/unit_quat.h"

namespace takt {

/// The shorter path between two unit rotations, linear and normalised (nlerp).
struct RotationSweep {
  Quat<double> from;
  Quat<double> to;    ///< in the hemisphere of `from`
  double rate = 0.0;  ///< maximum rotation rate, rad per whole sweep

  RotationSweep(Quat<double> a, Quat<double> b) noexcept : from(a), to(b) {
    if (dot4(a.x, b.x, a.y, b.y, a.z, b.z, a.w, b.w) < 0.0) to = {-b.x, -b.y, -b.z, -b.w};
    Quat<double> const d{to.x - from.x, to.y - from.y, to.z - from.z, to.w - from.w};
    double const chord = sqrt(dot4(d.x, d.x, d.y, d.y, d.z, d.z, d.w, d.w));
    // The angular rate is largest in the middle of the chord, where it is nearest to the origin. A rotation's
    // angle is twice its quaternion's.
    rate = 2.0 * chord / sqrt(maximum(1.0 - 0.25 * chord * chord, 0.25));
  }
  /// The rotation at the fraction t, 0 to 1, of the sweep; unit.
  [[nodiscard]] Quat<double> at(double t) const noexcept {
    return unit({from.x + (to.x - from.x) * t, from.y + (to.y - from.y) * t, from.z + (to.z - from.z) * t,
                 from.w + (to.w - from.w) * t});
  }
};

}  // namespace takt
