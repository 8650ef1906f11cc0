// MoverStep moves the movers (characters) of a world, once a tick before contacts are found (docs/MOVER.md).
// The movers move one after the other, in pool order, each among the obstacles of its MoverCollision. A
// mover's kinematic body gets the end position as its target for the tick, unless the mover neither moved nor
// turned. A mover that would leave the world gets no target and a velocity of 0. Dynamic bodies that a mover
// pushes or stands on get forces. Float mode and fixed mode both compute in binary64 (docs/adr/0009) and
// round the values of bodies to Real. The result is a function of the world's hashed state.
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
  /// Moves every mover whose body is enabled and not quarantined. Needs Proxies::begin_step(). Sets
  /// velocities and targets of movers' bodies, and forces of dynamic bodies. Wakes bodies that a mover pushes
  /// or steps on or off, and appends these to events.woken. Returns false if the world has no mover: nothing
  /// has changed.
  bool move(WorldState<Real>& state, Proxies& proxies, StepEvents& events);
  /// True when WorldDef::max_contacts left out triangles in the last move().
  [[nodiscard]] bool is_cut() const noexcept { return collision_.is_cut(); }

 private:
  MoverCollision<Real> collision_;
  SurfaceScratch scratch_;
  std::vector<std::uint8_t> is_mover_;  ///< by body: a mover owns it
};

}  // namespace takt
