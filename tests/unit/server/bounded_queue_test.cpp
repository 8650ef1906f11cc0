#include "server/bounded_queue.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

namespace takt::server {
namespace {

TEST(BoundedQueue, RefusesPastItsBoundAndLeavesTheItemAlone) {
  BoundedQueue<std::unique_ptr<int>> queue(1);
  auto first = std::make_unique<int>(1);
  auto second = std::make_unique<int>(2);
  EXPECT_TRUE(queue.try_push(std::move(first)));
  EXPECT_FALSE(queue.try_push(std::move(second)));
  ASSERT_NE(second, nullptr);
  queue.push_always(std::move(second));
  std::unique_ptr<int> out;
  ASSERT_TRUE(queue.try_pop(out));
  EXPECT_EQ(*out, 1);
  ASSERT_TRUE(queue.try_pop(out));
  EXPECT_EQ(*out, 2);
  EXPECT_FALSE(queue.try_pop(out));
}

TEST(BoundedQueue, PushWaitsForRoomAndKeepsTheOrder) {
  BoundedQueue<int> queue(2);
  constexpr int kItems = 10'000;
  std::thread producer([&] {
    for (int i = 0; i < kItems; ++i) EXPECT_TRUE(queue.push(int{i}));
  });
  for (int expected = 0; expected < kItems;) {
    int item = -1;
    if (!queue.try_pop(item)) continue;
    ASSERT_EQ(item, expected);
    ++expected;
  }
  producer.join();
}

TEST(BoundedQueue, CloseLetsAWaitingPushGo) {
  BoundedQueue<int> queue(1);
  ASSERT_TRUE(queue.push(1));
  bool pushed = true;
  std::thread producer([&] { pushed = queue.push(2); });
  queue.close();
  producer.join();
  EXPECT_FALSE(pushed);
}

}  // namespace
}  // namespace takt::server
