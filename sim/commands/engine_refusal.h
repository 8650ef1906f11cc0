// Maps errors of the engine to refusals of a player's command. It decides nothing.
#pragma once

#include "takt/core/result.h"
#include "takt/physics/error.h"
#include "takt/sim/error.h"

namespace takt::sim {

[[nodiscard]] Refusal refusal_of(PhysicsError error) noexcept;

template <class T>
[[nodiscard]] Refusal refusal_of(const Result<T, PhysicsError>& result) noexcept {
  return result ? Refusal::kNone : refusal_of(result.error());
}

}  // namespace takt::sim
