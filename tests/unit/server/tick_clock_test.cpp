#include "server/tick_clock.h"

#include <gtest/gtest.h>

#include "server/tick_window.h"

namespace takt::server {
namespace {

TEST(TickClock, GivesExactlyTheRateOverAnyTimeHoweverItIsAsked) {
  for (std::uint32_t const rate : {1u, 7u, 60u, 144u, 1000u}) {
    TickClock clock(rate, 1000);
    clock.start(123);
    std::uint64_t ticks = 0;
    std::uint64_t now = 123;
    for (std::uint64_t step = 1; now < 123 + 100'000'000; step = step * 7 % 40'009 + 1) {
      now += step;
      ticks += clock.take_due(now);
    }
    EXPECT_EQ(ticks, (now - 123) * rate / 1'000'000) << rate;
    EXPECT_EQ(clock.dropped_ticks(), 0u);
  }
}

TEST(TickClock, IsDueAtTheTimeItNames) {
  TickClock clock(60, 5);
  clock.start(1'000);
  for (int i = 0; i < 1000; ++i) {
    std::uint64_t const due = clock.next_due_us();
    ASSERT_EQ(clock.take_due(due - 1), 0u);
    ASSERT_EQ(clock.take_due(due), 1u);
  }
  EXPECT_EQ(clock.late_ticks(), 0u);
}

TEST(TickClock, CatchesUpABoundedNumberAndGivesUpTheRest) {
  TickClock clock(60, 5);
  clock.start(0);
  EXPECT_EQ(clock.take_due(1'000'000), 5u);  // 60 are due
  EXPECT_EQ(clock.late_ticks(), 4u);
  EXPECT_EQ(clock.dropped_ticks(), 55u);
  EXPECT_EQ(clock.take_due(1'000'000), 0u);
  EXPECT_EQ(clock.take_due(1'016'667), 1u);  // back to normal
}

// A tick that costs three periods: the simulation runs at a third of real time, and the backlog stays bounded
// instead of growing.
TEST(TickClock, DoesNotSpiralWhenATickCostsMoreThanItsPeriod) {
  TickClock clock(100, 4);
  clock.start(0);
  std::uint64_t now = 0;
  std::uint64_t ticks = 0;
  for (int turn = 0; turn < 1000; ++turn) {
    now = std::max(now, clock.next_due_us());
    std::uint32_t const due = clock.take_due(now);
    ASSERT_LE(due, 4u);
    ticks += due;
    now += due * 30'000ull;
  }
  EXPECT_NEAR(static_cast<double>(ticks), static_cast<double>(now) / 30'000,
              static_cast<double>(ticks) * 0.02);
  EXPECT_NEAR(static_cast<double>(clock.dropped_ticks()), static_cast<double>(ticks) * 2,
              static_cast<double>(ticks) * 0.05);
}

TEST(TickWindow, IsExactOverTheLastTicks) {
  TickWindow window(100);
  EXPECT_EQ(window.quantile_us(0.5), 0u);
  for (std::uint32_t i = 0; i < 1000; ++i) window.add_us(i);  // the last hundred: 900 .. 999
  EXPECT_EQ(window.quantile_us(0), 900u);
  EXPECT_EQ(window.quantile_us(0.5), 950u);
  EXPECT_EQ(window.quantile_us(0.99), 998u);
  EXPECT_EQ(window.quantile_us(1), 999u);
}

}  // namespace
}  // namespace takt::server
