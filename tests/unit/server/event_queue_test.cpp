#include "server/event_queue.h"

#include <gtest/gtest.h>

namespace takt::server {
namespace {

protocol::ServerEvent inputs_of(protocol::PlayerId player) {
  return protocol::InputsArrived{player, {protocol::Input{}}, 1};
}

TEST(EventQueue, KeepsTheOrder) {
  EventQueue queue;
  ASSERT_TRUE(queue.push(protocol::InspectArrived{1, 3}));
  ASSERT_TRUE(queue.push(inputs_of(2)));
  protocol::ServerEvent out;
  ASSERT_TRUE(queue.pop(out));
  EXPECT_TRUE(std::holds_alternative<protocol::InspectArrived>(out));
  ASSERT_TRUE(queue.pop(out));
  EXPECT_TRUE(std::holds_alternative<protocol::InputsArrived>(out));
  EXPECT_FALSE(queue.pop(out));
}

TEST(OneCuriousClientCostsTheTick, ItsInputsDisplaceNobodyElses) {
  EventQueue queue({8, 3});
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(queue.push(inputs_of(1)));
  EXPECT_FALSE(queue.push(inputs_of(1)));
  EXPECT_TRUE(queue.push(inputs_of(2)));
  protocol::ServerEvent out;
  ASSERT_TRUE(queue.pop(out));
  EXPECT_TRUE(queue.push(inputs_of(1))) << "one of its batches was taken";
}

TEST(EventQueue, InputsOfAllAreBoundedAndLeftAlone) {
  EventQueue queue({2, 2});
  ASSERT_TRUE(queue.push(inputs_of(1)));
  ASSERT_TRUE(queue.push(inputs_of(2)));
  protocol::ServerEvent third = inputs_of(3);
  EXPECT_FALSE(queue.push(std::move(third)));
  EXPECT_EQ(std::get<protocol::InputsArrived>(third).inputs.size(), 1u);
  EXPECT_TRUE(queue.push(protocol::PlayerLeft{1, protocol::DisconnectReason::kClientLeft, {}}));
}

}  // namespace
}  // namespace takt::server
