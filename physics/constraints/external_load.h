// ExternalLoad describes what acts on a solver body beside contacts: joints, with their impulse in a substep
// of the last tick, a rope or a grab. WarmStartGuard and PassiveIslands read it. WarmStartGuard adds the
// impulse to those that contacts carry over. run_substeps() fills one ExternalLoad for each solver body at a
// tick's start; JointSolver adds impulses, RopeSolver and grabs set the source.
#pragma once

#include <cstdint>

#include "takt/physics/vector.h"

namespace takt {

/// Sources of a body's load beside contacts.
enum class LoadSource : std::uint8_t {
  kNone,     ///< contacts only
  kJoints,   ///< joints, but neither a rope nor a grab
  kUnknown,  ///< a rope or a grab, whose impulse is not known
};

struct ExternalLoad {
  Vec3<double> impulse;  ///< of all joints on the body in a substep of the last tick, N s, world
  LoadSource source = LoadSource::kNone;
};

}  // namespace takt
