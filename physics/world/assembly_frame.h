// AssemblyFrame is the position and rotation at which an assembly is built: the bodies and joints of a
// ragdoll or vehicle, before they are created. ragdoll.cpp and vehicle.cpp map points and rotations of the
// assembly to the world with an AssemblyFrame.
#pragma once

#include "takt/physics/vector.h"

namespace takt {

struct AssemblyFrame {
  Position origin;
  Quat<double> rotation;  ///< from the assembly to the world, unit to rounding of doubles

  /// `q` is normalised; its length must be above 0.
  AssemblyFrame(const Position& at, Quat<double> q) noexcept : origin(at) {
    double const size = __builtin_sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    rotation = {q.x / size, q.y / size, q.z / size, q.w / size};
  }
  /// Returns the world position of a point of the assembly, m.
  [[nodiscard]] Position point(Vec3<double> local_m) const noexcept {
    Vec3<double> const displacement = rotate(rotation, local_m);
    return moved(origin, Vec3<Fixed>{to_real<Fixed>(displacement.x), to_real<Fixed>(displacement.y),
                                     to_real<Fixed>(displacement.z)});
  }
};

}  // namespace takt
