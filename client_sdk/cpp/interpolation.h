// A pose between two poses. Positions go from Q31.32 to Q31.32 with an exact product, so that there is no
// jitter far from the origin and both ends come out exactly; rotations by nlerp along the shorter arc, or
// slerp where the arc is long enough for nlerp's uneven speed to be seen. It extrapolates nothing.
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
