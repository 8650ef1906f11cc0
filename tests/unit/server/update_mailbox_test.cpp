#include "server/update_mailbox.h"

#include <gtest/gtest.h>

namespace takt::server {
namespace {

RoomUpdate update_at(std::uint64_t tick) {
  RoomUpdate update;
  update.tick = tick;
  update.epoch = 1;
  update.snapshot.emplace(3);
  update.stats.emplace();
  return update;
}

sim::GameMessage message_to(sim::PlayerId player, std::size_t bytes) {
  sim::GameMessage message;
  message.player = player;
  message.bytes.resize(bytes);
  return message;
}

// ------------------------------------------------ the network thread stops the simulation

TEST(TheNetworkThreadStopsTheSimulation, APutNeverWaitsForAReader) {
  // A minute at 60 Hz without a reader. The queue before this mailbox held 32 updates, and then waited.
  UpdateMailbox mailbox;
  for (std::uint64_t tick = 1; tick <= 3600; ++tick) mailbox.put(update_at(tick));
  UpdateMailbox::Delivery delivery;
  ASSERT_TRUE(mailbox.take(delivery));
  ASSERT_EQ(delivery.updates.size(), 1u) << "only the newest snapshot counts";
  EXPECT_EQ(delivery.updates[0].tick, 3600u);
  EXPECT_FALSE(delivery.is_overrun);
  EXPECT_FALSE(mailbox.take(delivery));
}

TEST(TheNetworkThreadStopsTheSimulation, FactsStayInOrderAndSnapshotsDoNot) {
  UpdateMailbox mailbox;
  for (std::uint64_t tick = 1; tick <= 100; ++tick) {
    RoomUpdate update = update_at(tick);
    if (tick % 10 == 0) update.removed.push_back(tick);
    mailbox.put(std::move(update));
  }
  UpdateMailbox::Delivery delivery;
  ASSERT_TRUE(mailbox.take(delivery));
  ASSERT_EQ(delivery.updates.size(), 10u);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(delivery.updates[i].removed, std::vector<protocol::BodyId>{10 * (i + 1)});
    EXPECT_EQ(delivery.updates[i].snapshot.has_value(), i == 9);
    EXPECT_EQ(delivery.updates[i].stats.has_value(), i == 9);
  }
}

TEST(TheNetworkThreadStopsTheSimulation, AnUpdateWithoutASnapshotLeavesTheNewestOneAlone) {
  UpdateMailbox mailbox;
  mailbox.put(update_at(1));
  RoomUpdate plain;
  plain.tick = 2;
  plain.removed.push_back(7);
  mailbox.put(std::move(plain));
  UpdateMailbox::Delivery delivery;
  ASSERT_TRUE(mailbox.take(delivery));
  ASSERT_EQ(delivery.updates.size(), 2u);
  EXPECT_TRUE(delivery.updates[0].snapshot.has_value());
}

TEST(TheNetworkThreadStopsTheSimulation, APlayerForWhomTooMuchWaitsGoesWithAReason) {
  UpdateMailbox mailbox(10'000);
  for (int i = 0; i < 100; ++i) {
    RoomUpdate update;
    update.messages.push_back(message_to(1, 1000));
    if (i == 0) update.messages.push_back(message_to(2, 1000));
    mailbox.put(std::move(update));
  }
  UpdateMailbox::Delivery delivery;
  ASSERT_TRUE(mailbox.take(delivery));
  EXPECT_FALSE(delivery.is_overrun);
  std::size_t messages_to_1 = 0;
  std::size_t messages_to_2 = 0;
  std::vector<Kick> kicks;
  for (const RoomUpdate& update : delivery.updates) {
    for (const sim::GameMessage& message : update.messages)
      ++(message.player == 1 ? messages_to_1 : messages_to_2);
    kicks.insert(kicks.end(), update.kicks.begin(), update.kicks.end());
  }
  EXPECT_EQ(messages_to_1, 0u);
  EXPECT_EQ(messages_to_2, 1u);
  ASSERT_EQ(kicks.size(), 1u);
  EXPECT_EQ(kicks[0].player, 1u);
  EXPECT_EQ(kicks[0].reason, protocol::DisconnectReason::kSlowReader);
  EXPECT_FALSE(kicks[0].text.empty());
}

TEST(TheNetworkThreadStopsTheSimulation, FactsForAllAreBoundedAndTheNewestRoomStays) {
  UpdateMailbox mailbox(10'000);
  RoomUpdate first;
  first.change.emplace();
  first.change->state.epoch = 5;
  mailbox.put(std::move(first));
  for (std::uint64_t i = 0; i < 2000; ++i) {
    RoomUpdate update;
    update.tick = i;
    update.removed.push_back(i);
    mailbox.put(std::move(update));
  }
  UpdateMailbox::Delivery delivery;
  ASSERT_TRUE(mailbox.take(delivery));
  EXPECT_TRUE(delivery.is_overrun);
  EXPECT_LE(delivery.updates.size(), 10'000u / 8 + 1);
  ASSERT_TRUE(delivery.updates.front().change.has_value());
  EXPECT_EQ(delivery.updates.front().change->state.epoch, 5u);
  mailbox.put(update_at(3000));
  ASSERT_TRUE(mailbox.take(delivery));
  EXPECT_FALSE(delivery.is_overrun) << "said once";
}

}  // namespace
}  // namespace takt::server
