#include "client_sdk/cpp/interpolation.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace takt::client {
namespace {

__extension__ using Wide = __int128;

/// Above this cosine of half the angle (36 degrees apart) nlerp is within 0.2 % of the angle of slerp.
constexpr double kNlerpCosine = 0.95;

std::int64_t between(std::int64_t from, std::int64_t to, std::int64_t fraction) noexcept {
  Wide const product = (static_cast<Wide>(to) - from) * fraction;
  return static_cast<std::int64_t>(from + ((product + (Wide{1} << 31)) >> 32));
}

}  // namespace

Position interpolate(const Position& from, const Position& to, double fraction) noexcept {
  auto const f = static_cast<std::int64_t>(std::clamp(fraction, 0.0, 1.0) * kUnitsPerMetre);
  return Position::from_raw(between(from.x_raw, to.x_raw, f), between(from.y_raw, to.y_raw, f),
                            between(from.z_raw, to.z_raw, f));
}

Quat<float> interpolate(const Quat<float>& from, const Quat<float>& to, double fraction) noexcept {
  double const f = std::clamp(fraction, 0.0, 1.0);
  double cosine = static_cast<double>(from.x) * to.x + static_cast<double>(from.y) * to.y +
                  static_cast<double>(from.z) * to.z + static_cast<double>(from.w) * to.w;
  double a = 1 - f;
  double b = f;
  double const sign = cosine < 0 ? -1 : 1;  // q and -q are the same rotation: take the nearer one
  cosine = std::min(cosine * sign, 1.0);
  if (cosine < kNlerpCosine) {
    double const angle = std::acos(cosine);
    a = std::sin(a * angle);
    b = std::sin(b * angle);
  }
  b *= sign;
  double const x = a * from.x + b * to.x;
  double const y = a * from.y + b * to.y;
  double const z = a * from.z + b * to.z;
  double const w = a * from.w + b * to.w;
  double const norm = std::sqrt(x * x + y * y + z * z + w * w);
  if (!(norm > 0)) return {};
  return {static_cast<float>(x / norm), static_cast<float>(y / norm), static_cast<float>(z / norm),
          static_cast<float>(w / norm)};
}

Vec3<float> interpolate(const Vec3<float>& from, const Vec3<float>& to, double fraction) noexcept {
  auto const f = static_cast<float>(std::clamp(fraction, 0.0, 1.0));
  return {from.x + (to.x - from.x) * f, from.y + (to.y - from.y) * f, from.z + (to.z - from.z) * f};
}

}  // namespace takt::client
