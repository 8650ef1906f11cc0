#include "sim/state/tick_scope.h"

#include <algorithm>

namespace takt::sim {

Result<BodyId, PhysicsError> TickScope::create_body(const BodyDef& def, PlayerId owner) {
  Result<BodyId, PhysicsError> body = world.create_body(def);
  if (body) note_spawned(*body, owner);
  return body;
}

Result<MoverId, PhysicsError> TickScope::create_mover(const MoverDef& def, PlayerId owner) {
  Result<MoverId, PhysicsError> mover = world.create_mover(def);
  if (mover) note_spawned(world.mover(*mover).body, owner);
  return mover;
}

void TickScope::note_spawned(BodyId body, PlayerId owner) {
  spawned.push_back(body);
  if (owner == kServerPlayer) return;
  state.set_owner(body, owner);
  if (acting.sequence != 0 && acting.player == owner) tickets.push_back({body, owner, acting.sequence});
}

EditResult TickScope::destroy_body(BodyId body) {
  EditResult gone = world.destroy_body(body);
  if (!gone) return gone;
  state.forget_body(body);
  for (Player& player : state.players) (void)living_grab(player);
  auto const at = std::find(spawned.begin(), spawned.end(), body);
  if (at != spawned.end()) {
    spawned.erase(at);
    std::erase_if(tickets, [=](const SpawnTicket& ticket) { return ticket.body == body; });
  } else {
    removed.push_back(body);
  }
  return gone;
}

Result<Unit, SimError> TickScope::send(PlayerId player, std::span<const std::byte> bytes) {
  if (bytes.size() > kMaxGameMessageBytes) return SimError::kMessageTooLong;
  if (messages.size() >= kMaxGameMessagesPerTick) return SimError::kTooManyMessages;
  messages.push_back({0, player, {bytes.begin(), bytes.end()}});  // the tick is filled in at its end
  return Unit{};
}

GrabId TickScope::living_grab(Player& player) {
  if (player.grab && !world.contains(player.grab)) player.grab = GrabId{};
  return player.grab;
}

}  // namespace takt::sim
