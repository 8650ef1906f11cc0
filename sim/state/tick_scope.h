// TickScope refers to the world and the SimState of a Simulation while commands and the Game act in a tick.
// Within a tick, bodies and movers are created and destroyed only through TickScope. So ownership, grabs,
// lasting forces and the tick's lists of spawned and removed bodies agree with the world. CommandRules and
// WorldAccess use it.
#pragma once

#include <vector>

#include "sim/state/sim_state.h"
#include "takt/sim/any_world.h"

namespace takt::sim {

struct TickScope {
  AnyWorld& world;
  SimState& state;
  std::vector<BodyId>& spawned;  ///< of this tick, in order of creation
  std::vector<BodyId>& removed;  ///< of this tick; never holds a body of `spawned`

  [[nodiscard]] Result<BodyId, PhysicsError> create_body(const BodyDef& def, PlayerId owner);
  [[nodiscard]] Result<MoverId, PhysicsError> create_mover(const MoverDef& def, PlayerId owner);
  EditResult destroy_body(BodyId body);
  /// The player's grab if it still holds something; otherwise forgets it and gives null.
  [[nodiscard]] GrabId living_grab(Player& player);
};

}  // namespace takt::sim
