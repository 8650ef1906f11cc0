#include "server/pace.h"

#include <gtest/gtest.h>

#include <limits>

namespace takt::server {
namespace {

using protocol::Control;
using protocol::ControlAction;
using protocol::ControlStatus;

std::optional<ControlStatus> apply(Pace& pace, ControlAction action, float speed = 1, std::uint64_t tick = 0) {
  return pace.apply(Control{1, action, speed, tick, {}});
}

TEST(Pace, RunsAtSpeedOneUntilTold) {
  Pace pace;
  EXPECT_FALSE(pace.is_paused());
  EXPECT_EQ(pace.ticks_per_s(60), 60.0);
  EXPECT_FALSE(pace.count_tick());
}

TEST(Pace, PausesAndResumesAtTheSameSpeed) {
  Pace pace;
  EXPECT_EQ(apply(pace, ControlAction::kSetSpeed, 0.5f), ControlStatus::kDone);
  EXPECT_EQ(apply(pace, ControlAction::kPause), ControlStatus::kDone);
  EXPECT_TRUE(pace.is_paused());
  EXPECT_EQ(pace.ticks_per_s(60), 0.0);
  EXPECT_EQ(apply(pace, ControlAction::kResume), ControlStatus::kDone);
  EXPECT_EQ(pace.ticks_per_s(60), 30.0);
}

TEST(Pace, StepsAreCountedAndThenItIsPaused) {
  Pace pace;
  EXPECT_EQ(apply(pace, ControlAction::kStep, 1, 3), ControlStatus::kDone);
  EXPECT_TRUE(pace.is_paused());
  EXPECT_FALSE(pace.count_tick());
  EXPECT_FALSE(pace.count_tick());
  EXPECT_TRUE(pace.count_tick());
  EXPECT_EQ(pace.steps_left(), 0u);
  EXPECT_FALSE(pace.count_tick());
}

TEST(Pace, StepsAskedForBeforeTheLastOnesRanAddUp) {
  Pace pace;
  (void)apply(pace, ControlAction::kStep, 1, 2);
  (void)pace.count_tick();
  EXPECT_EQ(apply(pace, ControlAction::kStep, 1, 2), ControlStatus::kDone);
  EXPECT_EQ(pace.steps_left(), 3u);
  EXPECT_EQ(apply(pace, ControlAction::kStep, 1, 1000), ControlStatus::kDone);
  EXPECT_EQ(pace.steps_left(), 1000u);
}

TEST(Pace, ResumingForgetsStepsThatAreLeft) {
  Pace pace;
  (void)apply(pace, ControlAction::kStep, 1, 100);
  (void)apply(pace, ControlAction::kResume);
  EXPECT_EQ(pace.steps_left(), 0u);
  (void)apply(pace, ControlAction::kStep, 1, 100);
  (void)apply(pace, ControlAction::kPause);
  EXPECT_EQ(pace.steps_left(), 0u);
}

TEST(Pace, RefusesWhatIsOutOfRangeAndChangesNothing) {
  Pace pace;
  for (float const speed : {0.0f, 0.009f, -1.0f, 100.1f, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()})
    EXPECT_EQ(apply(pace, ControlAction::kSetSpeed, speed), ControlStatus::kRefusedRange) << speed;
  for (std::uint64_t const ticks : {std::uint64_t{0}, std::uint64_t{1001}, UINT64_MAX})
    EXPECT_EQ(apply(pace, ControlAction::kStep, 1, ticks), ControlStatus::kRefusedRange) << ticks;
  EXPECT_EQ(pace.ticks_per_s(60), 60.0);
  EXPECT_EQ(apply(pace, ControlAction::kSetSpeed, 0.01f), ControlStatus::kDone);
  EXPECT_EQ(apply(pace, ControlAction::kSetSpeed, 100.0f), ControlStatus::kDone);
}

TEST(Pace, LeavesScenesAndSeeksToOthers) {
  Pace pace;
  EXPECT_EQ(apply(pace, ControlAction::kLoadScene), std::nullopt);
  EXPECT_EQ(apply(pace, ControlAction::kSeek), std::nullopt);
}

}  // namespace
}  // namespace takt::server
