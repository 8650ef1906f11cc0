// Random rotations and vectors of the manifold tests. Reproducible: a pure function of the stream handed in.
#pragma once

#include <cmath>

#include "takt/core/random.h"
#include "takt/physics/vector.h"

namespace takt::test {

/// A unit quaternion; not evenly spread over the rotations, which no test asks for.
template <class Real>
Quat<Real> draw_rotation(Random& random) {
  double const x = random.next_between(-1, 1);
  double const y = random.next_between(-1, 1);
  double const z = random.next_between(-1, 1);
  double const w = random.next_between(-1, 1);
  double const size = std::sqrt(x * x + y * y + z * z + w * w) + 1e-9;
  return normalise(Quat<Real>{to_real<Real>(x / size), to_real<Real>(y / size), to_real<Real>(z / size),
                              to_real<Real>(w / size)});
}

/// Each component in [-1, 1).
inline Vec3<double> draw_vector(Random& random) {
  Vec3<double> d;
  d.x = random.next_between(-1, 1);
  d.y = random.next_between(-1, 1);
  d.z = random.next_between(-1, 1);
  return d;
}

}  // namespace takt::test
