#include "physics/math/mass.h"

#include <algorithm>

#include "takt/core/assert.h"

namespace takt {

FloatSymMat rotated(const FloatSymMat& a, const Mat3<float>& r) noexcept {
  // Columns of A R^T are A applied to the rows of R.
  Vec3<float> const row_x{r.x.x, r.y.x, r.z.x};
  Vec3<float> const row_y{r.x.y, r.y.y, r.z.y};
  Vec3<float> const row_z{r.x.z, r.y.z, r.z.z};
  Vec3<float> const ax = a * row_x;
  Vec3<float> const ay = a * row_y;
  Vec3<float> const az = a * row_z;
  return {{dot(row_x, ax), dot(row_y, ay), dot(row_z, az), dot(row_x, ay), dot(row_x, az), dot(row_y, az)}};
}

FixedSymMat rotated(const FixedSymMat& a, const Mat3<Fixed>& r) noexcept {
  struct Row {
    std::int64_t x, y, z;
  };
  Row const rows[3] = {{r.x.x.raw(), r.y.x.raw(), r.z.x.raw()},
                       {r.x.y.raw(), r.y.y.raw(), r.z.y.raw()},
                       {r.x.z.raw(), r.y.z.raw(), r.z.z.raw()}};
  // Mantissas have at most 60 bits and rotation entries 33, so every sum below fits 96 bits. A rotation does
  // not increase the tensor's norm, so 62 bits hold each entry of the result.
  TAKT_VALIDATE(std::ranges::all_of(a.mantissa, [](std::int64_t m) {
    return m >= -(std::int64_t{1} << 60) && m <= std::int64_t{1} << 60;
  }));
  auto const multiply = [&a](const Row& v) {
    auto const w =
        detail::multiply_wide(a, {Fixed::from_raw(v.x), Fixed::from_raw(v.y), Fixed::from_raw(v.z)});
    return Row{static_cast<std::int64_t>(detail::round_shift(w.x, 32)),
               static_cast<std::int64_t>(detail::round_shift(w.y, 32)),
               static_cast<std::int64_t>(detail::round_shift(w.z, 32))};
  };
  auto const product = [](const Row& u, const Row& v) {
    return static_cast<std::int64_t>(detail::round_shift(detail::sum3(u.x, v.x, u.y, v.y, u.z, v.z), 32));
  };
  Row const ax = multiply(rows[0]);
  Row const ay = multiply(rows[1]);
  Row const az = multiply(rows[2]);
  return {{product(rows[0], ax), product(rows[1], ay), product(rows[2], az), product(rows[0], ay),
           product(rows[0], az), product(rows[1], az)},
          a.exponent};
}

template <>
FloatSymMat to_sym_mat<float>(const std::array<double, 6>& entries) noexcept {
  FloatSymMat a;
  for (std::size_t i = 0; i < 6; ++i) a.m[i] = static_cast<float>(entries[i]);
  return a;
}

template <>
FixedSymMat to_sym_mat<Fixed>(const std::array<double, 6>& entries) noexcept {
  FixedSymMat a;
  std::array<Scaled, 6> scaled;
  bool any = false;
  int top = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    scaled[i] = Scaled(entries[i]);
    if (scaled[i].is_zero()) continue;
    if (!any || scaled[i].exponent() > top) top = scaled[i].exponent();
    any = true;
  }
  if (!any) return a;
  // Scaled mantissas have 62 bits; two fewer prevent overflow in sums of three.
  a.exponent = top + 2;
  for (std::size_t i = 0; i < 6; ++i) {
    if (scaled[i].is_zero()) continue;
    int const shift = a.exponent - scaled[i].exponent();
    a.mantissa[i] =
        shift > 100 ? 0 : static_cast<std::int64_t>(detail::round_shift(scaled[i].mantissa(), shift));
  }
  return a;
}

}  // namespace takt
