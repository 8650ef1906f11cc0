// HeldBody is what joints, ropes and grabs do to a solver body beside contacts: the impulse that joints gave
// it in a substep of the last tick. WarmStartGuard balances it with the impulses that contacts carry over.
// run_substeps() fills one HeldBody for each solver body; JointSolver and RopeSolver mark theirs.
#pragma once

#include <cstdint>

#include "takt/physics/vector.h"

namespace takt {

enum class Hold : std::uint8_t {
  kNone,
  kJoints,   ///< by joints alone; `impulse` is theirs
  kUnknown,  ///< by a rope or a grab too
};

struct HeldBody {
  Vec3<double> impulse;  ///< of joints in a substep of the last tick, N s, world
  Hold hold = Hold::kNone;
};

}  // namespace takt
