// relative_m() and moved_by_m() compute with world positions (Q31.32) and offsets in doubles, in metres;
// root() is the square root. Scene loading and shuttles use them. Each operation is correctly rounded, and
// relative_m() subtracts exactly before it rounds. So the bits are the same everywhere, while a
// FloatControlGuard (takt/physics/float_control.h) sets the floating-point mode of the thread.
#pragma once

#include "takt/physics/vector.h"

namespace takt::sim {

/// The square root, correctly rounded on every machine, unlike other functions of <cmath>.
[[nodiscard]] inline double root(double value) noexcept { return __builtin_sqrt(value); }

/// to - from in metres: the difference in raw units is exact, and then rounded to a double. A difference of
/// 2^31 m or more wraps.
[[nodiscard]] inline Vec3<double> relative_m(const Position& to, const Position& from) noexcept {
  auto const metres = [](std::int64_t a, std::int64_t b) {
    auto const difference =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
    return static_cast<double>(difference) * 0x1p-32;
  };
  return {metres(to.x_raw, from.x_raw), metres(to.y_raw, from.y_raw), metres(to.z_raw, from.z_raw)};
}

/// `from` plus an offset in metres, whose components are rounded half to even to 2^-32 m. The sum saturates.
[[nodiscard]] inline Position moved_by_m(const Position& from, Vec3<double> offset_m) noexcept {
  auto const sum = [](std::int64_t a, double b) { return (Fixed::from_raw(a) + Fixed(b)).raw(); };
  return Position::from_raw(sum(from.x_raw, offset_m.x), sum(from.y_raw, offset_m.y),
                            sum(from.z_raw, offset_m.z));
}

}  // namespace takt::sim
