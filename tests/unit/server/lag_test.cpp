#include "server/lag.h"

#include <gtest/gtest.h>

namespace takt::server {
namespace {

TEST(Lag, CannotKeepUpIsSaidOfSlowTicksAlone) {
  EXPECT_EQ(lag_text({12, 20'000, 30'000, 16'667}),
            "the simulation cannot keep up: 12 ticks given up so far; a tick takes 20.00 ms (p99 30.00), its "
            "period is 16.67 ms");
  EXPECT_TRUE(lag_text({1, 15'001, 15'001, 16'667}).starts_with("the simulation cannot keep up: "));
}

TEST(Lag, AStallOfTheMachineIsNoSlowSimulation) {
  EXPECT_EQ(
      lag_text({60, 20, 150, 16'667}),
      "the machine was busy or suspended: 60 ticks given up so far; a tick takes 0.02 ms (p99 0.15), its "
      "period is 16.67 ms");
  EXPECT_TRUE(lag_text({1, 0, 0, 16'667}).starts_with("the machine was busy"));  // before the first tick
}

TEST(Lag, SingleSlowTicksAreNamed) {
  EXPECT_TRUE(lag_text({3, 200, 17'000, 16'667}).starts_with("single ticks are too slow: 3 ticks given up"));
}

TEST(Lag, ThePeriodIsThatOfTheSpeed) {
  EXPECT_TRUE(lag_text({3, 2'000, 2'500, 16'667.0 / 8}).starts_with("the simulation cannot keep up: "));
  EXPECT_TRUE(lag_text({3, 2'000, 2'500, 16'667}).starts_with("the machine was busy"));
}

}  // namespace
}  // namespace takt::server
