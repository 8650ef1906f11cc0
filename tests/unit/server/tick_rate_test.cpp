#include "server/tick_rate.h"

#include <gtest/gtest.h>

#include <limits>

namespace takt::server {
namespace {

using protocol::Control;
using protocol::ControlAction;
using protocol::ControlStatus;

std::optional<ControlStatus> apply(TickRate& tick_rate, ControlAction action, float speed = 1,
                                   std::uint64_t tick = 0) {
  return tick_rate.apply(Control{1, action, speed, tick, {}});
}

TEST(TickRate, RunsAtSpeedOneUntilTold) {
  TickRate tick_rate;
  EXPECT_FALSE(tick_rate.is_paused());
  EXPECT_EQ(tick_rate.ticks_per_s(60), 60.0);
  EXPECT_FALSE(tick_rate.count_tick());
}

TEST(TickRate, PausesAndResumesAtTheSameSpeed) {
  TickRate tick_rate;
  EXPECT_EQ(apply(tick_rate, ControlAction::kSetSpeed, 0.5f), ControlStatus::kDone);
  EXPECT_EQ(apply(tick_rate, ControlAction::kPause), ControlStatus::kDone);
  EXPECT_TRUE(tick_rate.is_paused());
  EXPECT_EQ(tick_rate.ticks_per_s(60), 0.0);
  EXPECT_EQ(apply(tick_rate, ControlAction::kResume), ControlStatus::kDone);
  EXPECT_EQ(tick_rate.ticks_per_s(60), 30.0);
}

TEST(TickRate, StepsAreCountedAndThenItIsPaused) {
  TickRate tick_rate;
  EXPECT_EQ(apply(tick_rate, ControlAction::kStep, 1, 3), ControlStatus::kDone);
  EXPECT_TRUE(tick_rate.is_paused());
  EXPECT_FALSE(tick_rate.count_tick());
  EXPECT_FALSE(tick_rate.count_tick());
  EXPECT_TRUE(tick_rate.count_tick());
  EXPECT_EQ(tick_rate.steps_left(), 0u);
  EXPECT_FALSE(tick_rate.count_tick());
}

TEST(TickRate, StepsAskedForBeforeTheLastOnesRanAddUp) {
  TickRate tick_rate;
  (void)apply(tick_rate, ControlAction::kStep, 1, 2);
  (void)tick_rate.count_tick();
  EXPECT_EQ(apply(tick_rate, ControlAction::kStep, 1, 2), ControlStatus::kDone);
  EXPECT_EQ(tick_rate.steps_left(), 3u);
  EXPECT_EQ(apply(tick_rate, ControlAction::kStep, 1, 1000), ControlStatus::kDone);
  EXPECT_EQ(tick_rate.steps_left(), 1000u);
}

TEST(TickRate, ResumingForgetsStepsThatAreLeft) {
  TickRate tick_rate;
  (void)apply(tick_rate, ControlAction::kStep, 1, 100);
  (void)apply(tick_rate, ControlAction::kResume);
  EXPECT_EQ(tick_rate.steps_left(), 0u);
  (void)apply(tick_rate, ControlAction::kStep, 1, 100);
  (void)apply(tick_rate, ControlAction::kPause);
  EXPECT_EQ(tick_rate.steps_left(), 0u);
}

TEST(TickRate, RefusesWhatIsOutOfRangeAndChangesNothing) {
  TickRate tick_rate;
  for (float const speed : {0.0f, 0.009f, -1.0f, 100.1f, std::numeric_limits<float>::quiet_NaN(),
                            std::numeric_limits<float>::infinity()})
    EXPECT_EQ(apply(tick_rate, ControlAction::kSetSpeed, speed), ControlStatus::kRefusedRange) << speed;
  for (std::uint64_t const ticks : {std::uint64_t{0}, std::uint64_t{1001}, UINT64_MAX})
    EXPECT_EQ(apply(tick_rate, ControlAction::kStep, 1, ticks), ControlStatus::kRefusedRange) << ticks;
  EXPECT_EQ(tick_rate.ticks_per_s(60), 60.0);
  EXPECT_EQ(apply(tick_rate, ControlAction::kSetSpeed, 0.01f), ControlStatus::kDone);
  EXPECT_EQ(apply(tick_rate, ControlAction::kSetSpeed, 100.0f), ControlStatus::kDone);
}

TEST(TickRate, LeavesScenesAndSeeksToOthers) {
  TickRate tick_rate;
  EXPECT_EQ(apply(tick_rate, ControlAction::kLoadScene), std::nullopt);
  EXPECT_EQ(apply(tick_rate, ControlAction::kSeek), std::nullopt);
}

}  // namespace
}  // namespace takt::server
