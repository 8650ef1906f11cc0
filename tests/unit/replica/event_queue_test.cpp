// The queue of a ReplicaClient: adjacent rollbacks that nobody took are one event.
#include "client_sdk/cpp/replica/event_queue.h"

#include <gtest/gtest.h>

namespace takt::client {
namespace {

TEST(EventQueue, MakesAdjacentRollbacksOne) {
  std::deque<ReplicaClientEvent> events;
  append_rollback(events, {12, 20});
  append_rollback(events, {10, 21});
  append_rollback(events, {15, 22});
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(std::get<RolledBack>(events[0]).from, 10u);
  EXPECT_EQ(std::get<RolledBack>(events[0]).to, 22u);
}

TEST(EventQueue, KeepsTheOrderOfARollbackAndAnotherEvent) {
  std::deque<ReplicaClientEvent> events{WorldEntered{7}};
  append_rollback(events, {12, 20});
  events.emplace_back(WorldEntered{8});
  append_rollback(events, {10, 21});
  ASSERT_EQ(events.size(), 4u);
  EXPECT_EQ(std::get<WorldEntered>(events[0]).tick, 7u);
  EXPECT_EQ(std::get<RolledBack>(events[1]).from, 12u);
  EXPECT_EQ(std::get<RolledBack>(events[1]).to, 20u);
  EXPECT_EQ(std::get<WorldEntered>(events[2]).tick, 8u);
  EXPECT_EQ(std::get<RolledBack>(events[3]).from, 10u);
}

}  // namespace
}  // namespace takt::client
