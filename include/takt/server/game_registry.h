// GameRegistry holds functions that make the games of a program, by the games' names (sim::Game::name), such
// as "balloons/3". A server makes its game from the registry. A replay makes the game that the recording
// names, so a program keeps earlier versions of its games in the registry for old recordings. takt_main()
// (takt/cli/takt_main.h) takes a GameRegistry; the functions of takt/sim/replay.h take its factory().
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
  /// Returns a new game, never null and of one name in all calls (both asserted).
  using Maker = std::function<std::unique_ptr<sim::Game>()>;

  /// Adds a game. `maker` is called once at this point for its name, which must be new to the registry, not
  /// empty and not "none" (asserted).
  GameRegistry& add(Maker maker);
  /// Adds a game whose class has a constructor without arguments.
  template <class G>
  GameRegistry& add() {
    return add([] { return std::unique_ptr<sim::Game>(std::make_unique<G>()); });
  }

  /// The names in the order of add(). The span is valid until the next add().
  [[nodiscard]] std::span<const std::string> names() const noexcept { return names_; }
  [[nodiscard]] bool is_empty() const noexcept { return names_.empty(); }
  /// Returns a new game, or null when the registry has none of this name.
  [[nodiscard]] std::unique_ptr<sim::Game> make(std::string_view name) const;
  /// Returns make() as a function with its own copy of the registry.
  [[nodiscard]] sim::GameFactory factory() const;

 private:
  std::vector<std::string> names_;
  std::vector<Maker> makers_;  // of names_
};

}  // namespace takt::server
