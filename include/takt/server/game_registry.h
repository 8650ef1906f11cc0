// GameRegistry holds the games of a program by their names (sim::Game::name), such as "balloons/3". A server
// makes its game from it, and a replay the game that the recording names: earlier versions of a game stay in
// the registry, so that old recordings still replay. takt_main() (takt/cli/takt_main.h) takes a GameRegistry;
// sim::verify() and its neighbours take its factory().
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "takt/sim/game.h"
#include "takt/sim/replay.h"

namespace takt::server {

class GameRegistry {
 public:
  /// Returns a new game, never null (asserted), with one name each time.
  using Maker = std::function<std::unique_ptr<sim::Game>()>;

  /// Adds a game. `maker` is called once at this point for its name, which must be new to the registry, not
  /// empty and not "none" (asserted).
  GameRegistry& add(Maker maker);
  /// Adds a game whose class has a constructor without arguments.
  template <class G>
  GameRegistry& add() {
    return add([] { return std::unique_ptr<sim::Game>(std::make_unique<G>()); });
  }

  /// In the order of add().
  [[nodiscard]] std::span<const std::string> names() const noexcept { return names_; }
  [[nodiscard]] bool is_empty() const noexcept { return names_.empty(); }
  /// A new game; null when the registry has none of this name.
  [[nodiscard]] std::unique_ptr<sim::Game> make(std::string_view name) const;
  /// make() as a function with its own copy of the registry.
  [[nodiscard]] sim::GameFactory factory() const;

 private:
  std::vector<std::string> names_;
  std::vector<Maker> makers_;  // of names_
};

}  // namespace takt::server
