// interpolate() computes a position, rotation or vector between two of them, for track.h and rope_store.h.
// Positions go from Q31.32 to Q31.32 (fixed point) with an exact product, so nothing jitters far from the
// origin and both ends come out exactly. Rotations use nlerp along the shorter arc. Above 36 degrees, where
// nlerp's uneven speed would be visible, they use slerp. Vectors (velocities) are linear. The fraction is
// clamped to [0, 1], so nothing is extrapolated.
#pragma once

#include "protocol/messages/body_state.h"
#include "takt/physics/vector.h"

namespace takt::client {

/// from + (to - from) * fraction, rounded to nearest (2^-32 m). `fraction` is clamped to [0, 1] and taken in
/// steps of 2^-32.
[[nodiscard]] Position interpolate(const Position& from, const Position& to, double fraction) noexcept;
/// Between two unit quaternions; the result is a unit quaternion. Identity when both are unusable.
[[nodiscard]] Quat<float> interpolate(const Quat<float>& from, const Quat<float>& to,
                                      double fraction) noexcept;
/// Componentwise.
[[nodiscard]] Vec3<float> interpolate(const Vec3<float>& from, const Vec3<float>& to,
                                      double fraction) noexcept;

}  // namespace takt::client
