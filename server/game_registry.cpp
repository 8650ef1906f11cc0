#include "takt/server/game_registry.h"

#include <algorithm>
#include <utility>

#include "takt/core/assert.h"

namespace takt::server {

GameRegistry& GameRegistry::add(Maker maker) {
  std::unique_ptr<sim::Game> const game = maker();
  TAKT_ASSERT(game != nullptr);
  std::string name(game->name());
  TAKT_ASSERT(!name.empty() && name != "none" && std::ranges::find(names_, name) == names_.end());
  names_.push_back(std::move(name));
  makers_.push_back(std::move(maker));
  return *this;
}

std::unique_ptr<sim::Game> GameRegistry::make(std::string_view name) const {
  auto const at = std::ranges::find(names_, name);
  if (at == names_.end()) return nullptr;
  std::unique_ptr<sim::Game> game = makers_[static_cast<std::size_t>(at - names_.begin())]();
  TAKT_ASSERT(game != nullptr && game->name() == name);
  return game;
}

sim::GameFactory GameRegistry::factory() const {
  return [registry = *this](std::string_view name) { return registry.make(name); };
}

}  // namespace takt::server
