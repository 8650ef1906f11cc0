// Laws of the state of a game: what is saved is loaded, and bytes that load are the encoding of the state
// that they give, however they were damaged.
#include <gtest/gtest.h>

#include "sim/state/game_state.h"
#include "tests/unit/sim/varied_game.h"

namespace takt::sim {
namespace {

class GameStateLaw : public testing::TestWithParam<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Seeds, GameStateLaw, testing::Range<std::uint64_t>(1, 41));

TEST_P(GameStateLaw, ALoadedStateIsTheSavedOne) {
  VariedGame game = VariedGame::random(GetParam());
  SavedGame saved;
  save_game(game, saved);
  VariedGame other = VariedGame::random(GetParam() + 1000);  // nothing of it is left
  std::optional<std::string> const refusal = load_game(other, saved.bytes);
  ASSERT_FALSE(refusal) << *refusal;
  SavedGame again;
  save_game(other, again);
  EXPECT_EQ(again.bytes, saved.bytes);
  EXPECT_TRUE(compare_records([&](FieldSink& sink) { list_game(saved, sink); },
                              [&](FieldSink& sink) { list_game(again, sink); }, 1)
                  .empty());
}

TEST_P(GameStateLaw, DamagedBytesAreRefusedOrAreTheEncodingOfTheirState) {
  VariedGame game = VariedGame::random(GetParam());
  std::vector<std::byte> bytes;
  save_game(game, bytes);
  Random random(GetParam());
  int loaded = 0;
  for (int trial = 0; trial < 500; ++trial) {
    std::vector<std::byte> damaged = bytes;
    for (std::uint32_t i = 1 + random.next_below(3); i > 0; --i)
      damaged[random.next_below(static_cast<std::uint32_t>(damaged.size()))] ^=
          static_cast<std::byte>(1u << random.next_below(8));
    if (random.next_below(4) == 0)
      damaged.resize(random.next_below(static_cast<std::uint32_t>(2 * damaged.size())));
    VariedGame other;
    if (load_game(other, damaged)) continue;
    ++loaded;
    std::vector<std::byte> again;
    save_game(other, again);
    ASSERT_EQ(again, damaged) << "trial " << trial;
  }
  EXPECT_GT(loaded, 50) << "most damage is in numbers, which may have any value";
}

}  // namespace
}  // namespace takt::sim
