// same_input() decides whether two inputs have the same encoding (takt/sim/command.h), without encoding them:
// it compares bits, so that -0 and 0 differ. The operator== of commands compares numbers. RollbackBuffer
// steps again where confirmed inputs have other bits than predicted ones.
#pragma once

#include "takt/sim/command.h"

namespace takt::sim {

[[nodiscard]] bool same_input(const Input& a, const Input& b);

}  // namespace takt::sim
