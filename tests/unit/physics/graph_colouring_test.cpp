#include "physics/constraints/graph_colouring.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "takt/core/random.h"

namespace takt {
namespace {

std::vector<std::uint8_t> colour(const std::vector<ColouredPair>& pairs, std::uint32_t body_count) {
  std::vector<std::uint64_t> masks(body_count, 0);
  std::vector<std::uint8_t> colours(pairs.size());
  colour_pairs(
      pairs.size(), [&](std::size_t i) { return pairs[i]; }, masks, colours);
  return colours;
}

TEST(ColouringTest, NoTwoContactsOfAColourShareABodyThatMoves) {
  Random random(1);
  for (int run = 0; run < 50; ++run) {
    std::vector<ColouredPair> pairs;
    for (int i = 0; i < 400; ++i) {
      std::uint32_t const a = random.next_below(60);
      std::uint32_t const b = random.next_below(60);
      if (a == b) continue;
      bool const ground = random.next_below(5) == 0;
      pairs.push_back({a, ground ? kNoBody : b});
    }
    std::vector<std::uint8_t> const colours = colour(pairs, 60);
    std::set<std::pair<std::uint8_t, std::uint32_t>> taken;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (colours[i] == kOverflowColour) continue;
      ASSERT_LT(colours[i], kColourCount);
      for (std::uint32_t const body : {pairs[i].body_a, pairs[i].body_b}) {
        if (body != kNoBody) {
          ASSERT_TRUE(taken.insert({colours[i], body}).second) << "pair " << i;
        }
      }
    }
    EXPECT_EQ(colour(pairs, 60), colours) << "a pure function of the list";
  }
}

TEST(ColouringTest, PairsOfTwoTakeTheFirstColourAndPairsWithTheGroundTheLast) {
  std::vector<std::uint8_t> const colours = colour({{0, 1}, {1, 2}, {0, kNoBody}, {kNoBody, 0}, {3, 4}}, 5);
  EXPECT_EQ(colours, (std::vector<std::uint8_t>{0, 1, 63, 62, 0}));
}

TEST(ColouringTest, TheSixtyFifthContactOfABodyOverflows) {
  std::vector<ColouredPair> pairs;
  for (std::uint32_t i = 1; i <= 66; ++i) pairs.push_back({0, i});
  std::vector<std::uint8_t> const colours = colour(pairs, 67);
  for (std::uint8_t i = 0; i < 64; ++i) EXPECT_EQ(colours[i], i);
  EXPECT_EQ(colours[64], kOverflowColour);
  EXPECT_EQ(colours[65], kOverflowColour);
}

}  // namespace
}  // namespace takt
