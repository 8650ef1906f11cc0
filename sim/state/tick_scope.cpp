#include "sim/state/tick_scope.h"

#include <algorithm>

namespace takt::sim {

Result<BodyId, PhysicsError> TickScope::create_body(const BodyDef& def, PlayerId owner) {
  Result<BodyId, PhysicsError> body = world.create_body(def);
  if (body) {
    spawned.push_back(*body);
    if (owner != kServerPlayer) state.set_owner(*body, owner);
  }
  return body;
}

Result<MoverId, PhysicsError> TickScope::create_mover(const MoverDef& def, PlayerId owner) {
  Result<MoverId, PhysicsError> mover = world.create_mover(def);
  if (mover) {
    BodyId const body = world.mover(*mover).body;
    spawned.push_back(body);
    if (owner != kServerPlayer) state.set_owner(body, owner);
  }
  return mover;
}

EditResult TickScope::destroy_body(BodyId body) {
  EditResult gone = world.destroy_body(body);
  if (!gone) return gone;
  state.forget_body(body);
  for (Player& player : state.players) (void)living_grab(player);
  auto const at = std::find(spawned.begin(), spawned.end(), body);
  if (at != spawned.end()) {
    spawned.erase(at);
  } else {
    removed.push_back(body);
  }
  return gone;
}

GrabId TickScope::living_grab(Player& player) {
  if (player.grab && !world.contains(player.grab)) player.grab = GrabId{};
  return player.grab;
}

}  // namespace takt::sim
