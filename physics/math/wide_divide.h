// quotient_q65() computes a 2^65 / b for an integer a and a divisor b that exceeds 64 bits. quotient_q65()
// avoids the bitwise loop of the compiler's library. The arc tangent uses quotient_q65() (trigonometry.cpp,
// atan_lanes.h).
#pragma once

#include <cstdint>

#include "takt/physics/fixed.h"

namespace takt {

/// a 2^65 / b towards 0, for |a| <= 2^58 and b in [2^65, 2^66]. The quotient by b's leading bits is at most
/// one too large. Omitting r <= 7 of b adds |a| 2^65 r / (b (b - r)), less than 8 / 2^7.
[[nodiscard]] constexpr std::int64_t quotient_q65(std::int64_t a, UInt128 b) noexcept {
  auto const size = static_cast<UInt128>(a < 0 ? -a : a);
  auto quotient = static_cast<std::int64_t>((size << 62u) / static_cast<std::uint64_t>(b >> 3u));
  if (static_cast<UInt128>(quotient) * b > size << 65u) --quotient;
  return a < 0 ? -quotient : quotient;
}

}  // namespace takt
