#include "takt/physics/vector.h"

#include <bit>

namespace takt {
namespace {

/// a - b, saturating to the symmetric range.
std::int64_t difference(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t apart = 0;
  if (__builtin_sub_overflow(a, b, &apart) || apart < detail::kFixedMin) [[unlikely]]
    return a < 0 ? detail::kFixedMin : detail::kFixedMax;
  return apart;
}

// The exact int64 rounds once to binary32; the power of two is exact.
float metres(std::int64_t raw) noexcept { return static_cast<float>(raw) * 0x1p-32f; }

/// Fixed(offset_m).raw(), with one addition where the sum has the fixed point's digits: it rounds half to
/// even, because the control word does (float_control.h).
std::int64_t offset_raw(double offset_m) noexcept {
  constexpr double kDigits = 0x1.8p52;
  double const scaled = offset_m * 0x1p32;  // exact
  if (!(scaled < 0x1p51 && scaled > -0x1p51)) [[unlikely]]
    return Fixed(offset_m).raw();
  return std::bit_cast<std::int64_t>(scaled + kDigits) - std::bit_cast<std::int64_t>(kDigits);
}

std::int64_t add_saturating(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? detail::kFixedMin : detail::kFixedMax;
}

}  // namespace

template <>
Vec3<float> relative<float>(const Position& to, const Position& from) noexcept {
  return {metres(difference(to.x_raw, from.x_raw)), metres(difference(to.y_raw, from.y_raw)),
          metres(difference(to.z_raw, from.z_raw))};
}
template <>
Vec3<double> relative<double>(const Position& to, const Position& from) noexcept {
  auto const wide = [](std::int64_t raw) { return static_cast<double>(raw) * 0x1p-32; };
  return {wide(difference(to.x_raw, from.x_raw)), wide(difference(to.y_raw, from.y_raw)),
          wide(difference(to.z_raw, from.z_raw))};
}
template <>
Vec3<Fixed> relative<Fixed>(const Position& to, const Position& from) noexcept {
  // the difference of two raws equals that of two Fixed, which counts a saturation
  return {Fixed::from_raw(to.x_raw) - Fixed::from_raw(from.x_raw),
          Fixed::from_raw(to.y_raw) - Fixed::from_raw(from.y_raw),
          Fixed::from_raw(to.z_raw) - Fixed::from_raw(from.z_raw)};
}

template <>
Position moved<double>(const Position& from, Vec3<double> offset) noexcept {
  return Position::from_raw(add_saturating(from.x_raw, offset_raw(offset.x)),
                            add_saturating(from.y_raw, offset_raw(offset.y)),
                            add_saturating(from.z_raw, offset_raw(offset.z)));
}
template <>
Position moved<float>(const Position& from, Vec3<float> offset) noexcept {
  return moved(from, Vec3<double>{static_cast<double>(offset.x), static_cast<double>(offset.y),
                                  static_cast<double>(offset.z)});
}
template <>
Position moved<Fixed>(const Position& from, Vec3<Fixed> offset) noexcept {
  return Position::from_raw(add_saturating(from.x_raw, offset.x.raw()),
                            add_saturating(from.y_raw, offset.y.raw()),
                            add_saturating(from.z_raw, offset.z.raw()));
}

Quat<float> normalise(Quat<float> q) noexcept {
  float const square = dot2(q.x, q.x, q.y, q.y) + dot2(q.z, q.z, q.w, q.w);
  if (!(square > kMinSquareOfRotation)) return {};
  float const size = sqrt(square);
  return {q.x / size, q.y / size, q.z / size, q.w / size};
}

namespace {

/// Left shift (negative: right) that brings the largest of the raws to 61 bits, so that four squares sum to
/// below 2^124.
int room(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) noexcept {
  auto const bits = [](std::int64_t v) { return static_cast<std::uint64_t>(v < 0 ? -v : v); };
  return std::countl_zero(bits(a) | bits(b) | bits(c) | bits(d)) - 3;
}
Fixed shifted(Fixed value, int shift) noexcept {
  return Fixed::from_raw(shift >= 0 ? value.raw() << shift : value.raw() >> -shift);
}

UInt128 square(Fixed value) noexcept { return static_cast<UInt128>(Int128{value.raw()} * value.raw()); }
Fixed root(UInt128 sum_of_squares) noexcept {
  return Fixed::from_raw(static_cast<std::int64_t>(detail::sqrt_u128(sum_of_squares)));
}

}  // namespace

Vec3<Fixed> normalise_or(Vec3<Fixed> a, Vec3<Fixed> fallback, Fixed min) noexcept {
  int const shift = room(a.x.raw(), a.y.raw(), a.z.raw(), 0);
  Vec3<Fixed> const scaled{shifted(a.x, shift), shifted(a.y, shift), shifted(a.z, shift)};
  Fixed const size = root(square(scaled.x) + square(scaled.y) + square(scaled.z));
  if (size == Fixed(0) || !(shifted(size, -shift) > min)) return fallback;
  return {scaled.x / size, scaled.y / size, scaled.z / size};
}

Quat<Fixed> normalise(Quat<Fixed> q) noexcept {
  int const shift = room(q.x.raw(), q.y.raw(), q.z.raw(), q.w.raw());
  if (shift > 38) return {};  // every component is below 2^-10
  Quat<Fixed> const scaled{shifted(q.x, shift), shifted(q.y, shift), shifted(q.z, shift),
                           shifted(q.w, shift)};
  Fixed const size = root(square(scaled.x) + square(scaled.y) + square(scaled.z) + square(scaled.w));
  return {scaled.x / size, scaled.y / size, scaled.z / size, scaled.w / size};
}

}  // namespace takt
