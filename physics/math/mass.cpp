#include "physics/math/mass.h"

#include <algorithm>

#include "takt/core/assert.h"

namespace takt {
namespace {

FixedSymMat with_common_exponent(const std::array<Scaled, 6>& entries) noexcept {
  FixedSymMat a;
  bool any = false;
  int top = 0;
  for (const Scaled& entry : entries) {
    if (entry.is_zero()) continue;
    if (!any || entry.exponent() > top) top = entry.exponent();
    any = true;
  }
  if (!any) return a;
  // Scaled mantissas have 62 bits; two fewer prevent overflow in sums of three.
  a.exponent = top + 2;
  for (std::size_t i = 0; i < 6; ++i) {
    if (entries[i].is_zero()) continue;
    int const shift = a.exponent - entries[i].exponent();
    a.mantissa[i] =
        shift > 100 ? 0 : static_cast<std::int64_t>(detail::round_shift(entries[i].mantissa(), shift));
  }
  return a;
}

double quadratic_form(const double (&a)[6], Vec3<double> v) noexcept {
  double const off_diagonal = a[3] * v.x * v.y + a[4] * v.x * v.z + a[5] * v.y * v.z;
  return a[0] * v.x * v.x + a[1] * v.y * v.y + a[2] * v.z * v.z + 2.0 * off_diagonal;
}

}  // namespace

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

void copy_entries(const FloatSymMat& a, double (&entries)[6]) noexcept {
  for (std::size_t i = 0; i < 6; ++i) entries[i] = static_cast<double>(a.m[i]);
}

void copy_entries(const FixedSymMat& a, double (&entries)[6]) noexcept {
  for (std::size_t i = 0; i < 6; ++i) entries[i] = Scaled::from_parts(a.mantissa[i], a.exponent).to_double();
}

double quadratic(const FloatSymMat& a, Vec3<double> v) noexcept {
  double entries[6];
  copy_entries(a, entries);
  return quadratic_form(entries, v);
}

double quadratic(const FixedSymMat& a, Vec3<double> v) noexcept {
  double entries[6];
  copy_entries(a, entries);
  return quadratic_form(entries, v);
}

FloatSymMat scaled(const FloatSymMat& a, double factor) noexcept {
  FloatSymMat product;
  for (std::size_t i = 0; i < 6; ++i) product.m[i] = static_cast<float>(static_cast<double>(a.m[i]) * factor);
  return product;
}

FixedSymMat scaled(const FixedSymMat& a, double factor) noexcept {
  std::array<Scaled, 6> entries;
  for (std::size_t i = 0; i < 6; ++i)
    entries[i] = Scaled::from_parts(a.mantissa[i], a.exponent) * Scaled(factor);
  return with_common_exponent(entries);
}

template <>
FixedSymMat to_sym_mat<Fixed>(const std::array<double, 6>& entries) noexcept {
  std::array<Scaled, 6> scaled;
  for (std::size_t i = 0; i < 6; ++i) scaled[i] = Scaled(entries[i]);
  return with_common_exponent(scaled);
}

}  // namespace takt
