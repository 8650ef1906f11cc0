// What impulses do to the stiffness of a pull (joint_pull.h), for one body in binary64 or several side by side in lanes of it (double_lanes.h): one order of operations for both.
// Internal linkage for the reason given in contact_kernels.h.
#pragma once

#include "takt/physics/vector.h"

namespace takt {
namespace {  // NOLINT: internal linkage on purpose

template <class N>
void add_diagonal(N (&to)[6], const N& value) noexcept {
  for (int i = 0; i < 3; ++i) to[i] += value;
}

/// Of an impulse at the end of an arm.
template <class N>
void add_stiffness(N (&to)[6], const Vec3<N>& arm, const Vec3<N>& impulse) noexcept {
  N const half = N(0.5);
  add_diagonal(to, dot(arm, impulse));
  to[0] -= arm.x * impulse.x;
  to[1] -= arm.y * impulse.y;
  to[2] -= arm.z * impulse.z;
  to[3] -= half * (arm.x * impulse.y + arm.y * impulse.x);
  to[4] -= half * (arm.x * impulse.z + arm.z * impulse.x);
  to[5] -= half * (arm.y * impulse.z + arm.z * impulse.y);
}

}  // namespace
}  // namespace takt
