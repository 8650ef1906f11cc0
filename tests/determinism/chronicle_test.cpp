// The comparisons that every determinism test rests on: a table that always agreed would prove nothing.
#include "tests/determinism/chronicle.h"

#include <gtest/gtest.h>

namespace takt::determinism {
namespace {

Chronicle invented(std::uint64_t ticks) {
  Chronicle chronicle;
  for (std::uint64_t t = 0; t <= ticks; ++t)
    chronicle.note(t, t * 0x9e3779b97f4a7c15u + 1, t % kRowTicks == 0 ? 1000 + t : 0);
  return chronicle;
}
Chronicle invented_with(std::uint64_t ticks, std::uint64_t bad_tick, std::uint64_t flip,
                        std::uint64_t more_bytes) {
  Chronicle chronicle;
  for (std::uint64_t t = 0; t <= ticks; ++t) {
    std::uint64_t const hash = t * 0x9e3779b97f4a7c15u + 1;
    chronicle.note(t, t >= bad_tick ? hash ^ flip : hash,
                   t % kRowTicks == 0 ? 1000 + t + (t >= bad_tick ? more_bytes : 0) : 0);
  }
  return chronicle;
}

TEST(GoldenTable, TextComesBack) {
  GoldenTable const table = to_golden(invented(150), 42);
  auto const back = parse_golden(to_text(table, "invented, float"));
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(to_text(*back, "invented, float"), to_text(table, "invented, float"));
  EXPECT_EQ(back->scene_hash, 42u);
  EXPECT_EQ(back->rows.size(), 4u);
  EXPECT_EQ(first_difference(*back, invented(150)), "");
  EXPECT_EQ(first_difference(*back, invented(100)), "") << "a shorter run is held to the rows it has";
  EXPECT_FALSE(parse_golden("something else").has_value());
}

TEST(GoldenTable, NamesTheFirstBadTick) {
  GoldenTable const table = to_golden(invented(150), 42);
  EXPECT_TRUE(first_difference(table, invented_with(150, 77, 1, 0)).starts_with("tick 77: values changed"));
  EXPECT_TRUE(first_difference(table, invented_with(150, 0, 1, 0)).starts_with("tick 0: values changed"));
  EXPECT_TRUE(first_difference(table, invented_with(150, 150, 1, 0)).starts_with("tick 150: values changed"));
  // outside the fingerprint's 16 bits the chain still sees it
  EXPECT_TRUE(first_difference(table, invented_with(150, 77, std::uint64_t{1} << 40, 0))
                  .starts_with("tick 100 or up to 50 before: values changed"));
}

TEST(GoldenTable, TellsAnEncodingFromValues) {
  GoldenTable const table = to_golden(invented(150), 42);
  EXPECT_TRUE(first_difference(table, invented_with(150, 61, 1, 8))
                  .starts_with("tick 61: encoding changed: 1108 bytes instead of 1100"));
}

TEST(Chronicle, ComparesTickByTick) {
  EXPECT_EQ(first_difference(invented(90), invented(90)), "");
  EXPECT_TRUE(first_difference(invented(90), invented_with(90, 33, std::uint64_t{1} << 63, 0))
                  .starts_with("tick 33: values differ"));
  EXPECT_TRUE(
      first_difference(invented(90), invented_with(90, 50, 0, 8)).starts_with("tick 50: the encoding has"));
}

}  // namespace
}  // namespace takt::determinism
