#include "server/replica_feed.h"

#include <gtest/gtest.h>

namespace takt::server {
namespace {

sim::Input input_of(sim::PlayerId player, std::uint32_t sequence) {
  return {7, player, sequence, sim::ReleaseCommand{}};
}

TEST(ReplicaFeed, OneImageIsInWorkForAllWhoWait) {
  ReplicaFeed feed;
  EXPECT_FALSE(feed.take_image_request());
  feed.add({1, 0}, protocol::ReplicationMode::kRollback, false);
  feed.add({2, 0}, protocol::ReplicationMode::kRollback, false);
  EXPECT_TRUE(feed.take_image_request());
  feed.add({3, 0}, protocol::ReplicationMode::kRollback, false);
  EXPECT_FALSE(feed.take_image_request()) << "one is in work";
  feed.remove(2);
  auto const image = std::make_shared<const std::vector<std::byte>>(5);
  JoinImages const first = feed.handle_image(40, image);
  EXPECT_EQ(first.receivers, (std::vector<ImageReceiver>{{1, 0}}));
  EXPECT_EQ(first.tick, 40u);
  EXPECT_TRUE(feed.take_image_request());
  feed.handle_image_lost();
  EXPECT_TRUE(feed.take_image_request()) << "it is requested again";
  EXPECT_EQ(feed.handle_image(50, image).receivers, (std::vector<ImageReceiver>{{3, 0}}));
}

TEST(ReplicaFeed, AnotherWorldNeedsAnotherImage) {
  ReplicaFeed feed;
  feed.add({1, 0}, protocol::ReplicationMode::kRollback, false);
  EXPECT_TRUE(feed.take_image_request());
  feed.enter_world(60);
  EXPECT_FALSE(feed.take_image_request()) << "nobody has entered it";
  feed.welcome(1);
  feed.welcome(2);  // does not simulate
  EXPECT_TRUE(feed.take_image_request());
  EXPECT_EQ(feed.handle_image(3, nullptr).receivers, (std::vector<ImageReceiver>{{1, 0}}));
}

TEST(ReplicaFeed, RecordsNameTheirPlayerAndCarryHashes) {
  ReplicaFeed feed;
  feed.handle_hash(0, 9);
  EXPECT_TRUE(feed.confirm(7, {}).record.empty()) << "nobody simulates";
  feed.add({1, 0}, protocol::ReplicationMode::kRollback, false);
  feed.handle_hash(8, 9);
  feed.handle_hash(9, 10);  // no multiple of 8
  std::vector<sim::Input> const own{input_of(4, 1), input_of(4, 2)};
  protocol::ConfirmedTick const tick = feed.confirm(7, own);
  EXPECT_TRUE(tick.has_inputs);
  EXPECT_EQ(tick.sole_player, 4u);
  auto const record = sim::decode_tick_record(7, tick.record);
  ASSERT_TRUE(record.ok());
  EXPECT_EQ(record->inputs, own);
  EXPECT_EQ(record->hash, (sim::StateHash{8, 9}));
  EXPECT_TRUE(feed.confirm(8, {}).record.empty());
  std::vector<sim::Input> const both{input_of(0, 1), input_of(4, 3)};
  EXPECT_EQ(feed.confirm(7, both).sole_player, 0u);
}

TEST(ReplicaFeed, PredictedSessionsGetImagesButNeedNoRecords) {
  ReplicaFeed feed;
  feed.add({1, 0}, protocol::ReplicationMode::kPredicted, false);
  EXPECT_TRUE(feed.contains(1) && feed.is_predicted(1));
  EXPECT_TRUE(!feed.wants_ticks() && !feed.wants_hash(8)) << "nobody steps confirmed ticks";
  EXPECT_TRUE(feed.take_image_request());
  EXPECT_EQ(feed.handle_image(3, nullptr).receivers, (std::vector<ImageReceiver>{{1, 0}}));
  feed.add({2, 0}, protocol::ReplicationMode::kLockstep, false);
  EXPECT_FALSE(feed.is_predicted(2));
  EXPECT_TRUE(feed.wants_ticks() && feed.wants_hash(8) && !feed.wants_hash(9));
  feed.remove(1);
  EXPECT_FALSE(feed.contains(1) || feed.is_predicted(1));
  EXPECT_TRUE(feed.wants_ticks());
  feed.remove(2);
  EXPECT_FALSE(feed.wants_ticks()) << "no world has begun, so there is no time to linger";
}

TEST(ReplicaFeed, TheLastOneMayComeBackForTicksOfThirtySeconds) {
  ReplicaFeed feed;
  feed.enter_world(10);
  feed.add({1, 0}, protocol::ReplicationMode::kRollback, false);
  feed.remove(1);
  std::uint64_t tick = 0;
  for (; tick < ReplicaFeed::kLingerS * 10; ++tick) {
    EXPECT_TRUE(feed.wants_ticks()) << tick;
    (void)feed.confirm(tick, {});
  }
  EXPECT_FALSE(feed.wants_ticks());
  feed.add({2, 0}, protocol::ReplicationMode::kLockstep, true);
  EXPECT_TRUE(feed.wants_ticks());
  EXPECT_FALSE(feed.take_image_request()) << "it has the world";
  feed.remove(2);
  feed.enter_world(10);
  EXPECT_FALSE(feed.wants_ticks()) << "nobody lacks ticks of a world that has begun";
}

TEST(ReplicaFeed, RecordsNameTheirHash) {
  ReplicaFeed feed;
  feed.enter_world(60);
  feed.add({1, 0}, protocol::ReplicationMode::kRollback, false);
  feed.handle_hash(8, 9);
  protocol::ConfirmedTick const tick = feed.confirm(9, {});
  EXPECT_EQ(tick.hash_tick, 8u);
  EXPECT_EQ(tick.hash, 9u);
  EXPECT_EQ(feed.confirm(10, {}).hash_tick, 0u);
}

// An image in work is of no use to a session that goes on in another mode meanwhile: what came since its tick
// was of the mode before.
TEST(ReplicaFeed, AnImageIsForTheModeInWhichItWasAskedFor) {
  ReplicaFeed feed;
  feed.add({1, 0}, protocol::ReplicationMode::kPredicted);
  feed.add({2, 0}, protocol::ReplicationMode::kPredicted);
  EXPECT_TRUE(feed.take_image_request());
  feed.remove(1);
  feed.add({1, 1}, protocol::ReplicationMode::kRollback);
  EXPECT_EQ(feed.handle_image(40, nullptr).receivers, (std::vector<ImageReceiver>{{2, 0}}));
  EXPECT_TRUE(feed.take_image_request());
  EXPECT_EQ(feed.handle_image(50, nullptr).receivers, (std::vector<ImageReceiver>{{1, 1}}));
}

}  // namespace
}  // namespace takt::server
