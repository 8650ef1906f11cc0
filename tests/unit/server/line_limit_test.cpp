#include "server/line_limit.h"

#include <gtest/gtest.h>

namespace takt::server {
namespace {

// A client that simulates could claim one desync after another, each with a line of the log.
TEST(LineLimitTest, WritesItsBurstThenItsRateAndCountsTheRest) {
  std::uint64_t now_us = 1'000'000;
  LineLimit limit(1, 20, now_us);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(limit.take(now_us), 0u);
  for (int i = 0; i < 500; ++i) EXPECT_FALSE(limit.take(now_us));
  now_us += 1'000'000;
  EXPECT_EQ(limit.take(now_us), 500u);
  EXPECT_FALSE(limit.take(now_us));
  int written = 0;
  for (int i = 0; i < 10'000; ++i) written += limit.take(now_us += 1000) ? 1 : 0;
  EXPECT_EQ(written, 10) << "10 s";
}

}  // namespace
}  // namespace takt::server
