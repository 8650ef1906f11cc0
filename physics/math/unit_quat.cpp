#include "physics/math/unit_quat.h"

namespace takt {

Quat<double> unit(Quat<double> q) noexcept {
  double const size = sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  return {q.x / size, q.y / size, q.z / size, q.w / size};
}

}  // namespace takt
