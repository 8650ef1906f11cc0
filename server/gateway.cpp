#include "server/gateway.h"

#include <vector>

namespace takt::server {

bool Gateway::poll_event(protocol::ServerEvent& out) {
  if (!endpoint_->poll_event(out)) return false;
  if (auto const* left = std::get_if<protocol::PlayerLeft>(&out)) welcomed_.erase(left->player);
  return true;
}

// A player may have gone since the update was made; every send to it then fails with unknown_player or not_connected, which is what we want.
void Gateway::handle_update(std::uint64_t now_us, const RoomUpdate& update) {
  endpoint_->handle_tick(now_us, update.tick);
  for (protocol::PlayerId const player : std::vector<protocol::PlayerId>(welcomed_.begin(), welcomed_.end())) {
    if (!update.removed.empty()) (void)endpoint_->send_bodies_removed(player, update.tick, update.removed);
    if (!update.added.empty()) (void)endpoint_->send_bodies_added(player, update.tick, update.added);
  }
  for (const Welcome& welcome : update.welcomes) {
    if (endpoint_->send_bodies_added(welcome.player, update.tick, *welcome.bodies)) welcomed_.insert(welcome.player);
  }
  std::vector<protocol::InputOutcome> outcomes;
  for (std::size_t i = 0; i < update.outcomes.size();) {
    protocol::PlayerId const player = update.outcomes[i].player;
    outcomes.clear();
    for (; i < update.outcomes.size() && update.outcomes[i].player == player; ++i) outcomes.push_back(update.outcomes[i].outcome);
    (void)endpoint_->send_input_outcomes(player, outcomes);
  }
  for (const Kick& kick : update.kicks) endpoint_->disconnect(now_us, kick.player, protocol::DisconnectReason::kKicked, kick.text);
  if (update.snapshot) endpoint_->publish_snapshot(now_us, update.tick, *update.snapshot);
  if (update.stats) {
    protocol::ServerStats stats = *update.stats;
    stats.client_count = static_cast<std::uint32_t>(endpoint_->player_count());
    endpoint_->publish_stats(stats);
  }
}

void Gateway::refuse(const protocol::InputsArrived& inputs) {
  std::vector<protocol::InputOutcome> outcomes;
  for (const protocol::Input& input : inputs.inputs) outcomes.push_back({input.sequence, protocol::InputStatus::kRefusedLimit, input.tick});
  (void)endpoint_->send_input_outcomes(inputs.player, outcomes);
}

}  // namespace takt::server
