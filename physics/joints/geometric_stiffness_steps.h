// TensionOf<N> has the sums of joint tension on one body (N = double) or on W bodies in SIMD lanes (N =
// Doubles<W>, double_lanes.h). add_stiffness() adds the stiffness of an impulse at a lever arm;
// geometric_stiffness.h has the equations. GeometricStiffness uses doubles, the kernels of tree batches
// (tree_row_kernels.h) use lanes. Both number types run the same operations in the same order, so a lane has
// the bits of the scalar code. All functions are in an unnamed namespace, because the code is compiled once
// per instruction set (vector_lanes.h).
#pragma once

#include "takt/physics/vector.h"

namespace takt {

/// Tension on one body, or on W bodies.
template <class N>
struct TensionOf {
  N stiffness[6]{};  ///< h G, N m s: xx, yy, zz, xy, xz, yz
  Vec3<N> turning;   ///< sum of (r . P) x angular velocity of the line that pulls, N m s rad/s
  N weight{};        ///< sum of r . P where it is above 0, N m s
};

namespace {  // NOLINT: internal linkage on purpose

/// Adds `value` to the diagonal of a matrix in the order of TensionOf::stiffness.
template <class N>
void add_diagonal(N (&to)[6], const N& value) noexcept {
  for (int i = 0; i < 3; ++i) to[i] += value;
}

/// to += (r . P) 1 - sym(r P^T).
template <class N>
void add_stiffness(N (&to)[6], const Vec3<N>& lever_arm, const Vec3<N>& impulse) noexcept {
  N const half = N(0.5);
  add_diagonal(to, dot(lever_arm, impulse));
  to[0] -= lever_arm.x * impulse.x;
  to[1] -= lever_arm.y * impulse.y;
  to[2] -= lever_arm.z * impulse.z;
  to[3] -= half * (lever_arm.x * impulse.y + lever_arm.y * impulse.x);
  to[4] -= half * (lever_arm.x * impulse.z + lever_arm.z * impulse.x);
  to[5] -= half * (lever_arm.y * impulse.z + lever_arm.z * impulse.y);
}

}  // namespace
}  // namespace takt
