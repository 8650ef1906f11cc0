#include "cli/refusal_counts.h"

#include <gtest/gtest.h>

namespace takt::cli {
namespace {

using protocol::CommandRefusal;

std::uint64_t& at(RefusalCounts& counts, CommandRefusal reason) {
  return counts.at(static_cast<std::size_t>(reason));
}

TEST(RefusalCounts, ListsTheMostFrequentReasonFirst) {
  RefusalCounts counts{};
  EXPECT_EQ(refusals_text(counts), "");
  EXPECT_EQ(refusals_json(counts), "{}");
  at(counts, CommandRefusal::kRateLimited) = 3;
  at(counts, CommandRefusal::kGameRefused) = 5;
  EXPECT_EQ(refusals_text(counts), " (game_refused 5, rate_limited 3)");
  EXPECT_EQ(refusals_json(counts), R"({"rate_limited":3,"game_refused":5})");
  EXPECT_EQ(refusals_text(counts, 4), " (game_refused 5, queue_full 4, rate_limited 3)");
}

TEST(RefusalCounts, NamesTheReasonThatAnEarlierServerDoesNotTell) {
  RefusalCounts counts{};
  at(counts, CommandRefusal::kNone) = 2;
  EXPECT_EQ(refusals_text(counts), " (unnamed 2)");
}

}  // namespace
}  // namespace takt::cli
