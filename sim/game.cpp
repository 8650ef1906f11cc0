#include "takt/sim/game.h"

#include "sim/state/tick_scope.h"

namespace takt::sim {

std::uint64_t WorldAccess::tick() const noexcept { return world_->tick(); }
std::uint32_t WorldAccess::tick_rate_hz() const noexcept { return world_->def().tick_rate_hz; }

Result<BodyId, PhysicsError> WorldAccess::create_body(const BodyDef& def, PlayerId owner) {
  TickScope scope{*world_, *state_, *spawned_, *removed_};
  return scope.create_body(def, state_->find_player(owner) != nullptr ? owner : kServerPlayer);
}
EditResult WorldAccess::destroy_body(BodyId body) {
  TickScope scope{*world_, *state_, *spawned_, *removed_};
  return scope.destroy_body(body);
}
PlayerId WorldAccess::owner(BodyId body) const noexcept { return state_->owner_of(body); }

Result<MoverId, PhysicsError> WorldAccess::create_mover(const MoverDef& def, PlayerId owner) {
  TickScope scope{*world_, *state_, *spawned_, *removed_};
  return scope.create_mover(def, state_->find_player(owner) != nullptr ? owner : kServerPlayer);
}

void Game::on_join(WorldAccess&, PlayerId) {}
void Game::on_leave(WorldAccess&, PlayerId) {}
bool Game::on_command(WorldAccess&, PlayerId, std::span<const std::byte>) { return false; }
void Game::before_tick(WorldAccess&) {}
void Game::after_tick(WorldAccess&, const StepEvents&) {}

}  // namespace takt::sim
