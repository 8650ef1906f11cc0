#include "client_sdk/cpp/replica/step_clock.h"

#include <gtest/gtest.h>

#include <cmath>

namespace takt::client {
namespace {

TEST(StepClock, TheRateChangesByAtMostThreePercent) {
  StepClock clock;
  clock.start(0, 100, 6);
  EXPECT_DOUBLE_EQ(clock.tick(), 106);
  double before = clock.tick();
  for (std::uint64_t frame = 1; frame <= 600; ++frame) {
    // The server's tick is 10 ahead of what the start said.
    clock.advance(frame * 10'000, 110 + static_cast<double>(frame) * 0.6, 60);
    double const rate = (clock.tick() - before) / 0.6;
    EXPECT_GE(rate, 1 - StepClock::kDilationMax - 1e-9);
    EXPECT_LE(rate, 1 + StepClock::kDilationMax + 1e-9);
    before = clock.tick();
  }
  EXPECT_NEAR(clock.tick(), 110 + 360 + 6, 6);
}

TEST(StepClock, TheTickNeverGoesBackAndJumpsOverAStall) {
  StepClock clock;
  clock.start(0, 1000, 5);
  double const before = clock.tick();
  clock.advance(10'000, 100, 60);  // a server that has gone back
  EXPECT_EQ(clock.tick(), before);
  clock.advance(20'000, 2000, 60);
  EXPECT_DOUBLE_EQ(clock.tick(), 2005);
}

TEST(StepClock, APausedRoomStandsStill) {
  StepClock clock;
  clock.start(0, 100, 5);
  clock.advance(1'000'000, 100, 0);
  EXPECT_EQ(clock.tick(), 105);
}

// A loop against a path of 7 ticks: the lead settles at the way and one tick.
TEST(StepClock, MarginsCorrectTheLead) {
  for (double const start : {0.0, 30.0}) {
    StepClock clock;
    clock.start(0, 0, start);
    for (std::uint64_t frame = 1; frame <= 6000; ++frame) {
      std::uint64_t const now_us = frame * 16'667;
      double const server_tick = static_cast<double>(frame);
      clock.advance(now_us, server_tick, 59.9988);
      if (frame % 4 == 0)
        clock.handle_margin(now_us, static_cast<std::int32_t>(std::floor(clock.tick() - server_tick - 7)));
    }
    EXPECT_NEAR(clock.lead_ticks(), 8.5, 1.01) << "from a lead of " << start;
  }
}

}  // namespace
}  // namespace takt::client
