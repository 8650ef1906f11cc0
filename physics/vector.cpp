#include "takt/physics/vector.h"

namespace takt {
namespace {

std::int64_t wrapping_difference(std::int64_t a, std::int64_t b) noexcept {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

// The exact int64 rounds once to binary32; the power of two is exact.
float metres(std::int64_t raw) noexcept { return static_cast<float>(raw) * 0x1p-32f; }

std::int64_t offset_raw(float offset_m) noexcept { return Fixed(offset_m).raw(); }

std::int64_t add_saturating(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return a < 0 ? detail::kFixedMin : detail::kFixedMax;
}

}  // namespace

template <>
Vec3<float> relative<float>(const Position& to, const Position& from) noexcept {
  return {metres(wrapping_difference(to.x, from.x)), metres(wrapping_difference(to.y, from.y)), metres(wrapping_difference(to.z, from.z))};
}
template <>
Vec3<Fixed> relative<Fixed>(const Position& to, const Position& from) noexcept {
  return {Fixed::from_raw(wrapping_difference(to.x, from.x)), Fixed::from_raw(wrapping_difference(to.y, from.y)),
          Fixed::from_raw(wrapping_difference(to.z, from.z))};
}

template <>
Position moved<float>(const Position& from, Vec3<float> offset) noexcept {
  return {add_saturating(from.x, offset_raw(offset.x)), add_saturating(from.y, offset_raw(offset.y)), add_saturating(from.z, offset_raw(offset.z))};
}
template <>
Position moved<Fixed>(const Position& from, Vec3<Fixed> offset) noexcept {
  return {add_saturating(from.x, offset.x.raw()), add_saturating(from.y, offset.y.raw()), add_saturating(from.z, offset.z.raw())};
}

Quat<float> normalise(Quat<float> q) noexcept {
  float const square = dot2(q.x, q.x, q.y, q.y) + dot2(q.z, q.z, q.w, q.w);
  if (!(square > 1e-12f)) return {};
  float const size = sqrt(square);
  return {q.x / size, q.y / size, q.z / size, q.w / size};
}

Quat<Fixed> normalise(Quat<Fixed> q) noexcept {
  Fixed const square = dot2(q.x, q.x, q.y, q.y) + dot2(q.z, q.z, q.w, q.w);
  if (!(square > Fixed(1e-6))) return {};
  Fixed const size = sqrt(square);
  return {q.x / size, q.y / size, q.z / size, q.w / size};
}

}  // namespace takt
