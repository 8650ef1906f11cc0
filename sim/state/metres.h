// relative_m() and moved_by_m() compute with world positions (Q31.32) and offsets in doubles, in metres;
// root() is the square root. Scene loading and shuttles use them. Each operation is correctly rounded, and
// relative_m() subtracts exactly before it rounds. So the bits are the same everywhere, while a
// FloatControlGuard (takt/physics/float_control.h) sets the floating-point mode of the thread.
#pragma once

#include "takt/physics/vector.h"

namespace takt::sim {

/// Correctly rounded on every machine, unlike the other functions of <cmath>.
[[nodiscard]] inline double root(double value) noexcept { return __builtin_sqrt(value); }

/// to - from in metres: the difference is exact, then the nearest double.
[[nodiscard]] inline Vec3<double> relative_m(const Position& to, const Position& from) noexcept {
  auto const metres = [](std::int64_t a, std::int64_t b) {
    auto const difference =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
    return static_cast<double>(difference) * 0x1p-32;
  };
  return {metres(to.x_raw, from.x_raw), metres(to.y_raw, from.y_raw), metres(to.z_raw, from.z_raw)};
}

/// `from` moved by metres, each component rounded half to even to 2^-32 m; saturates.
[[nodiscard]] inline Position moved_by_m(const Position& from, Vec3<double> offset_m) noexcept {
  auto const sum = [](std::int64_t a, double b) { return (Fixed::from_raw(a) + Fixed(b)).raw(); };
  return Position::from_raw(sum(from.x_raw, offset_m.x), sum(from.y_raw, offset_m.y),
                            sum(from.z_raw, offset_m.z));
}

}  // namespace takt::sim
