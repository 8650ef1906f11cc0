// refusal_of() maps a PhysicsError, which the physics engine returned while a command acted, to the Refusal
// of that command. Errors without a Refusal of their own become kOutOfRange. The files *_rules.cpp call it.
#pragma once

#include "takt/core/result.h"
#include "takt/physics/error.h"
#include "takt/sim/error.h"

namespace takt::sim {

[[nodiscard]] Refusal refusal_of(PhysicsError error) noexcept;

/// kNone for a success.
template <class T>
[[nodiscard]] Refusal refusal_of(const Result<T, PhysicsError>& result) noexcept {
  return result ? Refusal::kNone : refusal_of(result.error());
}

}  // namespace takt::sim
