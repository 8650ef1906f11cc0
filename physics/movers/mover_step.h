// MoverStep moves all movers of a world, once a tick before contacts are found (docs/MOVER.md). The movers
// move one after the other, in the order of their ids, each through its surroundings. The kinematic body of
// each mover gets the end position as its target for the tick. Float mode and fixed mode both compute in
// binary64 (docs/adr/0009); the result depends on the hashed state of the world alone.
#pragma once

#include <cstdint>
#include <vector>

#include "physics/broad_phase/proxies.h"
#include "physics/movers/mover_collision.h"
#include "physics/narrow_phase/collide_mesh.h"
#include "physics/state/world_state.h"
#include "takt/physics/step.h"

namespace takt {

template <class Real>
class MoverStep {
 public:
  /// Moves every mover with an enabled body. Needs Proxies::begin_step(). Sets velocities, targets and forces
  /// of bodies, and wakes pushed ones. False: the world has no mover, and nothing has changed.
  bool move(WorldState<Real>& state, Proxies& proxies, StepEvents& events);

 private:
  MoverSurroundings<Real> surroundings_;
  SurfaceScratch scratch_;
  std::vector<std::uint8_t> is_mover_;  ///< by body: a mover owns it
};

}  // namespace takt
