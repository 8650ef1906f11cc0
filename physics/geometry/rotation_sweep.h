// A turn from one rotation to another, part by part.
#pragma once

#include "physics/state/mass_properties.h"

namespace takt {

/// The shorter way between two rotations, straight and normalised.
struct RotationSweep {
  Quat<double> from;
  Quat<double> to;    ///< in the same half of the quaternions
  double rate = 0.0;  ///< most rad for a whole way

  RotationSweep(Quat<double> a, Quat<double> b) noexcept : from(a), to(b) {
    if (dot4(a.x, b.x, a.y, b.y, a.z, b.z, a.w, b.w) < 0.0) to = {-b.x, -b.y, -b.z, -b.w};
    Quat<double> const d{to.x - from.x, to.y - from.y, to.z - from.z, to.w - from.w};
    double const chord = sqrt(dot4(d.x, d.x, d.y, d.y, d.z, d.z, d.w, d.w));
    // The chord is passed fastest in its middle, where it is nearest to the origin; a rotation turns by twice
    // its quaternion's angle.
    rate = 2.0 * chord / sqrt(maximum(1.0 - 0.25 * chord * chord, 0.25));
  }
  [[nodiscard]] Quat<double> at(double t) const noexcept {
    return unit({from.x + (to.x - from.x) * t, from.y + (to.y - from.y) * t, from.z + (to.z - from.z) * t,
                 from.w + (to.w - from.w) * t});
  }
};

}  // namespace takt
