// Checks that rules of several commands share: positions inside the range of commands, and the first refusal
// of several checks. The files *_rules.cpp use them.
#pragma once

#include <initializer_list>

#include "takt/physics/vector.h"
#include "takt/sim/command.h"
#include "takt/sim/error.h"

namespace takt::sim {

/// True when each coordinate is within +-kMaxCommandCoordinateM.
[[nodiscard]] inline bool is_inside(const Position& p) noexcept {
  constexpr std::int64_t kMax = kMaxCommandCoordinateM << 32;
  auto const inside = [](std::int64_t c) { return c >= -kMax && c <= kMax; };
  return inside(p.x_raw) && inside(p.y_raw) && inside(p.z_raw);
}

/// Returns the first refusal of several checks, all of which have been made; kNone without one.
[[nodiscard]] inline Refusal first_of(std::initializer_list<Refusal> checks) noexcept {
  for (Refusal const refusal : checks) {
    if (refusal != Refusal::kNone) return refusal;
  }
  return Refusal::kNone;
}

}  // namespace takt::sim
