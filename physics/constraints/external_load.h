// ExternalLoad is what joints, ropes and grabs do to a solver body beside contacts: the impulse that joints
// gave it in a substep of the last tick. WarmStartGuard balances the impulse with those that contacts carry
// over. run_substeps() fills one ExternalLoad for each solver body; JointSolver and RopeSolver add theirs.
#pragma once

#include <cstdint>

#include "takt/physics/vector.h"

namespace takt {

/// Sources of a body's load beside contacts.
enum class LoadSource : std::uint8_t {
  kNone,
  kJoints,   ///< by joints alone; `impulse` is theirs
  kUnknown,  ///< by a rope or a grab too
};

struct ExternalLoad {
  Vec3<double> impulse;  ///< of joints in a substep of the last tick, N s, world
  LoadSource source = LoadSource::kNone;
};

}  // namespace takt
