// refusal_of maps an error that the engine returned for a player's command to the Refusal of that command.
// CommandRules calls it.
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
