#include "server/input_schedule.h"

#include <gtest/gtest.h>

namespace takt::server {
namespace {

using enum protocol::CommandStatus;

sim::Input input(std::uint64_t tick, sim::PlayerId player, std::uint32_t sequence) {
  return {tick, player, sequence, sim::ReleaseCommand{}};
}

TEST(InputSchedule, KeepsInputsForTheirTickInPlayerAndSequenceOrder) {
  InputSchedule schedule;
  EXPECT_EQ(schedule.add(10, input(11, 2, 1)).status, kApplied);
  EXPECT_EQ(schedule.add(10, input(11, 1, 1)).status, kApplied);
  EXPECT_EQ(schedule.add(10, input(10, 3, 1)).status, kApplied);
  EXPECT_EQ(schedule.add(10, input(11, 2, 2)).status, kApplied);
  std::vector<sim::Input> out;
  schedule.take(10, out);
  EXPECT_EQ(out, (std::vector<sim::Input>{input(10, 3, 1)}));
  schedule.take(11, out);
  EXPECT_EQ(out, (std::vector<sim::Input>{input(11, 1, 1), input(11, 2, 1), input(11, 2, 2)}));
  schedule.take(12, out);
  EXPECT_TRUE(out.empty());
}

TEST(InputSchedule, MovesALateInputToTheNextTickAndSaysSo) {
  InputSchedule schedule({.late_ticks_max = 5});
  EXPECT_EQ(schedule.add(10, input(5, 1, 1)),
            (protocol::CommandOutcome{1, kMoved, 10, protocol::CommandRefusal::kNone, {}}));
  EXPECT_EQ(schedule.add(10, input(4, 1, 2)),
            (protocol::CommandOutcome{2, kRefusedLate, 10, protocol::CommandRefusal::kTooLate, {}}));
  std::vector<sim::Input> out;
  schedule.take(10, out);
  EXPECT_EQ(out, (std::vector<sim::Input>{input(10, 1, 1)}));
}

TEST(InputSchedule, RefusesTheFarFutureAndMoreThanItsShare) {
  InputSchedule schedule({.early_ticks_max = 100, .waiting_max = 3});
  EXPECT_EQ(schedule.add(10, input(111, 1, 1)).status, kRefusedEarly);
  EXPECT_EQ(schedule.add(10, input(111, 1, 1)).refusal, protocol::CommandRefusal::kTooEarly);
  EXPECT_EQ(schedule.add(10, input(UINT64_MAX, 1, 2)).status, kRefusedEarly);
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(schedule.add(10, input(110, 1, 3 + i)).status, kApplied);
  EXPECT_EQ(schedule.add(10, input(110, 1, 6)).status, kRefusedLimit);
  EXPECT_EQ(schedule.add(10, input(110, 1, 6)).refusal, protocol::CommandRefusal::kTooManyWaiting);
  EXPECT_EQ(schedule.add(10, input(110, 2, 1)).status, kApplied);  // another player's share is its own
  EXPECT_EQ(schedule.waiting_count(), 4u);
}

// A player whose clock jumps back would otherwise make its own earlier inputs stale.
TEST(InputSchedule, NeverLetsALaterSequenceActBeforeAnEarlierOne) {
  InputSchedule schedule;
  EXPECT_EQ(schedule.add(10, input(20, 1, 1)).status, kApplied);
  EXPECT_EQ(schedule.add(10, input(12, 1, 2)),
            (protocol::CommandOutcome{2, kMoved, 20, protocol::CommandRefusal::kNone, {}}));
  std::vector<sim::Input> out;
  schedule.take(12, out);
  EXPECT_TRUE(out.empty());
  schedule.take(20, out);
  EXPECT_EQ(out, (std::vector<sim::Input>{input(20, 1, 1), input(20, 1, 2)}));
}

TEST(InputSchedule, ForgetsAPlayerThatLeft) {
  InputSchedule schedule;
  (void)schedule.add(10, input(12, 1, 1));
  (void)schedule.add(10, input(12, 2, 1));
  schedule.remove_player(1);
  std::vector<sim::Input> out;
  schedule.take(12, out);
  EXPECT_EQ(out, (std::vector<sim::Input>{input(12, 2, 1)}));
}

}  // namespace
}  // namespace takt::server
