// with_locks() computes the inverse inertia, in world axes, of a body with locked axes (world axes about
// which the body does not rotate). The result is the inverse of the inertia restricted to the free axes, not
// the full inverse with rows struck out. Impulses therefore never change the angular velocity about a locked
// axis. free_linear() of locked_axes.h does the same for inverse masses. invert_free() inverts a symmetric
// 3x3 matrix whose locked axes are 0, for the effective mass of three rows along the world axes.
#pragma once

#include "physics/math/mass.h"
#include "physics/state/locked_axes.h"
#include "takt/physics/body.h"
#include "takt/physics/vector.h"

namespace takt {

/// A contact row is not solved if locked axes leave less than this fraction of the bodies' mobility (inverse
/// effective mass) along it. Such a remainder stems from the rounding of a normal.
inline constexpr double kMinFreeFraction = 1e-4;

/// Returns the inverse of the inertia restricted to the free axes, 0 elsewhere. `inverse` is the full inverse
/// inertia in world axes; `locked` has kLock bits, of which the angular ones count.
[[nodiscard]] FloatSymMat with_locks(FloatSymMat inverse, std::uint8_t locked) noexcept;
[[nodiscard]] FixedSymMat with_locks(FixedSymMat inverse, std::uint8_t locked) noexcept;

/// Inverts a symmetric 3 x 3 matrix (xx, yy, zz, xy, xz, yz) in place. An axis whose diagonal is at most
/// `min` x the trace counts as locked: its row and column become 0. The rest must be positive definite; a
/// trace or a determinant that is not positive makes all entries 0. The matrix is scaled by its trace, so
/// that binary32 holds the determinant for the lightest and heaviest bodies. `one` is 1 in the type M.
template <class M>
void invert_free(M (&k)[6], M one, M min) noexcept {
  M const zero = one - one;  // NOLINT(misc-redundant-expression): the zero of any number type
  M const trace = k[0] + k[1] + k[2];
  if (!is_positive(trace)) {
    for (M& entry : k) entry = zero;
    return;
  }
  for (M& entry : k) entry = entry / trace;
  bool const free[3] = {is_positive(k[0] - min), is_positive(k[1] - min), is_positive(k[2] - min)};
  for (int i = 0; i < 3; ++i) k[i] = free[i] ? k[i] : one;
  if (!free[0] || !free[1]) k[3] = zero;
  if (!free[0] || !free[2]) k[4] = zero;
  if (!free[1] || !free[2]) k[5] = zero;
  M const cxx = k[1] * k[2] - k[5] * k[5];
  M const cxy = k[4] * k[5] - k[3] * k[2];
  M const cxz = k[3] * k[5] - k[4] * k[1];
  M const cyy = k[0] * k[2] - k[4] * k[4];
  M const czz = k[0] * k[1] - k[3] * k[3];
  M const cyz = k[3] * k[4] - k[0] * k[5];
  M const determinant = (k[0] * cxx + k[3] * cxy + k[4] * cxz) * trace;
  bool const sound = is_positive(determinant);
  k[0] = sound && free[0] ? cxx / determinant : zero;
  k[1] = sound && free[1] ? cyy / determinant : zero;
  k[2] = sound && free[2] ? czz / determinant : zero;
  k[3] = sound ? cxy / determinant : zero;
  k[4] = sound ? cxz / determinant : zero;
  k[5] = sound ? cyz / determinant : zero;
}

}  // namespace takt
