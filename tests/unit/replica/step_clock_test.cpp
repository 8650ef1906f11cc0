#include "client_sdk/cpp/replica/step_clock.h"

#include <gtest/gtest.h>

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
TEST(StepClock, ArrivalsCorrectTheLead) {
  for (double const start : {0.0, 30.0}) {
    StepClock clock;
    clock.start(0, 0, start);
    for (std::uint64_t frame = 1; frame <= 6000; ++frame) {
      std::uint64_t const now_us = frame * 16'667;
      clock.advance(now_us, static_cast<double>(frame), 59.9988);
      if (frame % 4 != 0) continue;
      std::uint64_t const tick = frame + 20;
      clock.handle_input(tick, static_cast<double>(frame), 0);
      clock.handle_arrival(now_us, tick, frame + 7);
    }
    EXPECT_NEAR(clock.lead_ticks(), 8, 0.01) << "from a lead of " << start;
  }
}

// One input in 64 is lost three times and arrives 130 ticks later than the others. Its acknowledgements come
// when the lead has changed, and more than once.
TEST(StepClock, RareLateInputsDoNotRaiseTheLead) {
  StepClock clock;
  clock.start(0, 0, 60);
  for (std::uint64_t frame = 1; frame <= 20'000; ++frame) {
    std::uint64_t const now_us = frame * 16'667;
    clock.advance(now_us, static_cast<double>(frame), 59.9988);
    if (frame % 30 != 0) continue;
    clock.handle_input(frame + 70, static_cast<double>(frame), 0);
    std::uint64_t const way = frame / 30 % 64 == 0 ? 190 : 60;
    for (int i = 0; i < 3; ++i) clock.handle_arrival(now_us + 2'000'000, frame + 70, frame + way);
    EXPECT_LE(clock.lead_ticks(), 62) << "at frame " << frame;
  }
}

TEST(StepClock, AnInputDelayShortensTheLead) {
  StepClock clock;
  clock.start(0, 0, 10);
  for (std::uint64_t tick = 1; tick <= 2000; ++tick) {
    clock.handle_input(tick, static_cast<double>(tick), 8);
    clock.handle_arrival(tick * 16'667, tick, tick + 10);
  }
  EXPECT_NEAR(clock.lead_ticks(), 3, 0.01);
}

}  // namespace
}  // namespace takt::client
