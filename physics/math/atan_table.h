// What arc tangents are made of: atan(q) = atan(k / 8) + atan((q - k / 8) / (1 + q k / 8)), in integers
// (trigonometry.cpp, and atan_lanes.h for several at once).
#pragma once

#include <cstdint>

namespace takt {

// Q62: one = 2^62; Q61: one = 2^61, for angles up to pi.
inline constexpr std::int64_t kPiQ61 = 7244019458077122842;
inline constexpr std::int64_t kHalfPiQ61 = 3622009729038561421;

/// Of atan(d) / d in 256 d^2, |d| <= 1/16: largest error 1.6e-16.
inline constexpr std::int64_t kAtan[] = {4611686018427387167, -6004799503123767, 14073748540163, -39267444515,
                                         118356649};
/// atan(k / 8) in Q61
inline constexpr std::int64_t kAtanEighths[] = {0,
                                                286743094836456889,
                                                564882337777596249,
                                                827268841954310215,
                                                1069098597953152948,
                                                1288042326236509171,
                                                1483812533132255525,
                                                1657509129440605134,
                                                1811004864519280711};

}  // namespace takt
