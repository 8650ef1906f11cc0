// interpolate() computes a position, rotation or vector between two others, for track.h and rope_store.h.
// Positions are interpolated in Q31.32 (fixed point) with an exact product. So they do not jitter far from
// the origin, and both ends are exact. Rotations use nlerp along the shorter arc. Above 36 degrees, where
// nlerp's uneven speed would be visible, they use slerp. Vectors (velocities) are linear. The fraction must
// be finite and is clamped to [0, 1], so interpolate() does not extrapolate.
#pragma once

#include "protocol/messages/body_state.h"
#include "takt/physics/vector.h"

namespace takt::client {

/// Returns from + (to - from) * fraction, rounded to nearest (2^-32 m). `fraction` is rounded down to a
/// multiple of 2^-32.
[[nodiscard]] Position interpolate(const Position& from, const Position& to, double fraction) noexcept;
/// Returns a unit quaternion between two unit quaternions; the identity when both are zero or one has a NaN.
/// Components must not be infinite.
[[nodiscard]] Quat<float> interpolate(const Quat<float>& from, const Quat<float>& to,
                                      double fraction) noexcept;
/// Interpolates each component.
[[nodiscard]] Vec3<float> interpolate(const Vec3<float>& from, const Vec3<float>& to,
                                      double fraction) noexcept;

}  // namespace takt::client
