// The games of a program: found by name, in order, and copied with the registry's factory.
#include "takt/server/game_registry.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/server/counting_game.h"

namespace takt::server {
namespace {

using test::CountingGame;

TEST(GameRegistry, MakesEachGameByItsName) {
  GameRegistry games;
  EXPECT_TRUE(games.is_empty());
  games.add<CountingGame<2>>().add([] { return std::make_unique<CountingGame<1>>(); });
  EXPECT_FALSE(games.is_empty());
  EXPECT_EQ(std::vector<std::string>(games.names().begin(), games.names().end()),
            (std::vector<std::string>{"counting/2", "counting/1"}));
  for (const std::string& name : games.names()) {
    auto const game = games.make(name);
    ASSERT_NE(game, nullptr);
    EXPECT_EQ(game->name(), name);
  }
  EXPECT_EQ(games.make("counting/3"), nullptr);
  EXPECT_EQ(games.make(""), nullptr);
}

TEST(GameRegistry, TheFactoryOutlivesTheRegistry) {
  sim::GameFactory factory;
  {
    GameRegistry games;
    games.add<CountingGame<1>>();
    factory = games.factory();
  }
  ASSERT_NE(factory("counting/1"), nullptr);
  EXPECT_EQ(factory("counting/2"), nullptr);
}

TEST(GameRegistryDeathTest, ANameIsUsedOnceAndIsNoneOfTheReservedWords) {
  struct Nameless final : sim::Game {
    explicit Nameless(std::string_view text) : text_(text) {}
    [[nodiscard]] std::string_view name() const override { return text_; }
    void visit_state(sim::StateVisitor&) override {}
    std::string_view text_;
  };
  GameRegistry games;
  games.add<CountingGame<1>>();
  EXPECT_DEATH(games.add<CountingGame<1>>(), "names_");
  EXPECT_DEATH(games.add([] { return std::make_unique<Nameless>(""); }), "names_");
  EXPECT_DEATH(games.add([] { return std::make_unique<Nameless>("none"); }), "names_");
  EXPECT_DEATH(games.add([] { return std::unique_ptr<sim::Game>(); }), "nullptr");
}

}  // namespace
}  // namespace takt::server
