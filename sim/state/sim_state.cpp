#include "sim/state/sim_state.h"

#include <algorithm>

namespace takt::sim {
namespace {

template <class Players>
auto* find_in(Players& players, PlayerId id) noexcept {
  auto const at = std::lower_bound(players.begin(), players.end(), id,
                                   [](const Player& p, PlayerId wanted) { return p.id < wanted; });
  return at != players.end() && at->id == id ? &*at : nullptr;
}

constexpr auto kByBody = [](const OwnedBody& o, BodyId wanted) { return o.body < wanted; };

}  // namespace

Player* SimState::find_player(PlayerId id) noexcept { return find_in(players, id); }
const Player* SimState::find_player(PlayerId id) const noexcept { return find_in(players, id); }

PlayerId SimState::owner_of(BodyId body) const noexcept {
  auto const at = std::lower_bound(owned.begin(), owned.end(), body, kByBody);
  return at != owned.end() && at->body == body ? at->owner : kServerPlayer;
}

std::uint32_t SimState::owned_count(PlayerId player) const noexcept {
  return static_cast<std::uint32_t>(
      std::count_if(owned.begin(), owned.end(), [=](const OwnedBody& o) { return o.owner == player; }));
}

std::uint32_t SimState::force_count(PlayerId player) const noexcept {
  return static_cast<std::uint32_t>(
      std::count_if(forces.begin(), forces.end(), [=](const LastingForce& f) { return f.player == player; }));
}

void SimState::set_owner(BodyId body, PlayerId owner) {
  auto const at = std::lower_bound(owned.begin(), owned.end(), body, kByBody);
  bool const is_listed = at != owned.end() && at->body == body;
  if (owner == kServerPlayer) {
    if (is_listed) owned.erase(at);
  } else if (is_listed) {
    at->owner = owner;
  } else {
    owned.insert(at, OwnedBody{body, owner});
  }
}

void SimState::forget_body(BodyId body) {
  set_owner(body, kServerPlayer);
  std::erase_if(forces, [=](const LastingForce& f) { return f.body == body; });
  std::erase_if(shuttles, [=](const Shuttle& m) { return m.body == body; });
}

}  // namespace takt::sim
