// angle_of() computes the angle of a point (x, y) from the x axis, with doubles as argument and result,
// through Fixed numbers. kAtanEighths has atan(k / 8), kAtan a polynomial, both as integers. They are
// combined by atan(q) = atan(k / 8) + atan((q - k / 8) / (1 + q k / 8)). trigonometry.cpp computes one angle
// with both tables, atan_lanes.h several in SIMD lanes, with equal bits. Joint poses use angle_of()
// (joint_pose_steps.h).
#pragma once

#include <cstdint>

namespace takt {

// Q62: one = 2^62; Q61: one = 2^61, for angles up to pi.
inline constexpr std::int64_t kPiQ61 = 7244019458077122842;
inline constexpr std::int64_t kHalfPiQ61 = 3622009729038561421;

/// Coefficients in Q62 of a polynomial of atan(d) / d in 256 d^2, |d| <= 1/16, lowest power first. The
/// largest error is 1.6e-16.
inline constexpr std::int64_t kAtan[] = {4611686018427387167, -6004799503123767, 14073748540163, -39267444515,
                                         118356649};
/// atan(k / 8), k = 0 to 8, in Q61.
inline constexpr std::int64_t kAtanEighths[] = {0,
                                                286743094836456889,
                                                564882337777596249,
                                                827268841954310215,
                                                1069098597953152948,
                                                1288042326236509171,
                                                1483812533132255525,
                                                1657509129440605134,
                                                1811004864519280711};

/// Returns the angle of the point (x, y) from the x axis, rad, -pi to pi; 0 for (0, 0). x and y are rounded
/// to Fixed, so the error is up to 1.2e-10 for parts of unit vectors and grows for shorter ones. The result
/// is 0 when one of them is NaN or 2^31 or more in size.
[[nodiscard]] double angle_of(double y, double x) noexcept;

}  // namespace takt
