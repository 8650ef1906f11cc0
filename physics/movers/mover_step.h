// Movement of all movers of a tick (docs/MOVER.md). Before contacts are found, each mover in id order moves
// through its surroundings, and its kinematic body gets the end position as target. Binary64 in both number
// modes (docs/adr/0009); a function of canonical state alone.
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
