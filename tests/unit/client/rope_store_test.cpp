#include "client_sdk/cpp/rope_store.h"

#include <gtest/gtest.h>

#include "client_sdk/cpp/complete_ticks.h"

namespace takt::client {
namespace {

constexpr RopeId kRope{5, 1};
constexpr std::int64_t kMetre = std::int64_t{1} << 32;

// Nodes 1 m apart along x, `y` m up, from x = 100 m.
protocol::RopeState rope(std::int64_t y = 0, RopeId id = kRope, std::size_t count = 4) {
  protocol::RopeState out{id.to_u64(), 0, 0.5f, {}, {}};
  for (std::size_t i = 0; i < count; ++i)
    out.nodes.push_back({(100 + static_cast<std::int64_t>(i)) * kMetre, y * kMetre, 0});
  out.tensions.assign(count - 1, static_cast<float>(8 + y));
  return out;
}
double y_of(RopeStore& provider, double tick, std::uint64_t complete = 0) {
  return static_cast<double>(provider.show_at(tick, complete).at(0).nodes[1].y_raw) /
         static_cast<double>(kMetre);
}

TEST(RopeStore, ARopeIsShownFromItsTickOn) {
  RopeStore provider;
  provider.add(10, 0, rope());
  EXPECT_TRUE(provider.show_at(9.5, 0).empty());
  ASSERT_EQ(provider.show_at(10, 0).size(), 1u);
  Rope const shown = provider.show_at(10, 0)[0];
  EXPECT_EQ(shown.id, kRope);
  EXPECT_EQ(shown.radius_m, 0.5f);
  EXPECT_FALSE(shown.asleep);
  ASSERT_EQ(shown.nodes.size(), 4u);
  EXPECT_EQ(shown.nodes[3].x_raw, 103 * kMetre);
  EXPECT_EQ(std::vector<float>(shown.tensions_n.begin(), shown.tensions_n.end()),
            (std::vector<float>{8, 8, 8}));
}

TEST(RopeStore, LiesBetweenTwoTicksAndGoesOnForAMoment) {
  RopeStore provider;
  provider.add(20, 0, rope(4));
  provider.add(10, 0, rope(0));  // overtaken
  EXPECT_EQ(y_of(provider, 10), 0);
  EXPECT_EQ(y_of(provider, 12.5), 1);
  EXPECT_EQ(provider.show_at(12.5, 0)[0].tensions_n[0], 9);
  EXPECT_EQ(y_of(provider, 20), 4);
  EXPECT_EQ(y_of(provider, 22.5), 5);
  EXPECT_NEAR(y_of(provider, 90), 6.4, 1e-9) << "six ticks at most";
}

TEST(RopeStore, WhatACompleteSnapshotDidNotNameHadNotMovedByThen) {
  RopeStore provider;
  provider.add(8, 0, rope(0));
  provider.add(10, 0, rope(4));
  EXPECT_EQ(y_of(provider, 11, 10), 6) << "it goes on";
  EXPECT_EQ(y_of(provider, 11, 11), 4) << "a snapshot of tick 11 came and said nothing of it";
  provider.add(40, 38, rope(8));
  EXPECT_EQ(y_of(provider, 38, 38), 4);
  EXPECT_EQ(y_of(provider, 39, 38), 6);
  protocol::RopeState asleep = rope(9);
  asleep.flags = protocol::kRopeAsleep;
  provider.add(42, 0, std::move(asleep));
  EXPECT_EQ(y_of(provider, 45), 9) << "what sleeps does not go on";
  EXPECT_TRUE(provider.show_at(45, 0)[0].asleep);
}

TEST(RopeStore, ARopeIsGoneFromItsTickOn) {
  RopeStore provider;
  RopeId const other{6, 1};
  provider.add(10, 0, rope());
  provider.add(10, 0, rope(0, other));
  provider.remove_at(20, other);
  provider.remove_at(20, RopeId{7, 1});  // never heard of
  EXPECT_EQ(provider.show_at(19.9, 0).size(), 2u);
  ASSERT_EQ(provider.show_at(20, 0).size(), 1u);
  EXPECT_EQ(provider.show_at(20, 0)[0].id, kRope);
}

TEST(RopeStore, ACutRopeHasOtherNodesFromItsTickOn) {
  RopeStore provider;
  provider.add(10, 0, rope());
  provider.add(20, 0, rope(1, kRope, 2));
  EXPECT_EQ(provider.show_at(19, 0)[0].nodes.size(), 4u);
  EXPECT_EQ(y_of(provider, 19), 0);
  EXPECT_EQ(provider.show_at(20, 0)[0].nodes.size(), 2u);
  provider.clear();
  EXPECT_TRUE(provider.show_at(20, 0).empty());
}

TEST(RopeStore, KeepsABoundedPast) {
  RopeStore provider;
  for (std::uint64_t tick = 1; tick <= 1000; ++tick) provider.add(tick, 0, rope());
  EXPECT_TRUE(provider.show_at(1000.0 - static_cast<double>(RopeTrack::kSamplesMax), 0).empty());
  EXPECT_EQ(provider.show_at(1000, 0).size(), 1u);
}

TEST(CompleteTicks, TheNewestBeforeATickInAnyOrder) {
  CompleteTicks ticks;
  EXPECT_EQ(ticks.newest_before(100), 0u);
  for (std::uint64_t const tick : {7u, 3u, 5u}) ticks.note(tick);
  EXPECT_EQ(ticks.newest(), 7u);
  EXPECT_EQ(ticks.newest_before(7), 5u);
  EXPECT_EQ(ticks.newest_before(3), 0u);
  for (std::uint64_t tick = 10; tick < 1000; ++tick) ticks.note(tick);
  EXPECT_EQ(ticks.newest_before(12), 0u) << "forgotten";
}

TEST(RopeStore, RopesThatAreGoneAndNobodyLooksAtAreForgotten) {
  RopeStore provider;
  constexpr std::size_t kNodes = 1000;
  constexpr std::uint32_t kMax = RopeStore::kGoneNodesMax / kNodes;
  RopeId const stays{1, 1};
  provider.add(10, 0, rope(0, stays));
  // Gone at a tick that the render tick never reaches.
  for (std::uint32_t i = 0; i <= kMax; ++i) {
    RopeId const id{2, i + 1};
    provider.add(10, 0, rope(0, id, kNodes));
    provider.remove_at(1'000'000, id);
    if (i + 1 == kMax) {
      EXPECT_EQ(provider.show_at(10, 0).size(), kMax + 1);
    }
  }
  ASSERT_EQ(provider.show_at(10, 0).size(), 1u);
  EXPECT_EQ(provider.show_at(10, 0)[0].id, stays);
}

TEST(RopeStore, ARopeThatIsListedAgainComesBackAndWhatIsLateDoesNot) {
  RopeStore provider;
  provider.add(10, 0, rope());
  provider.remove_at(20, kRope);
  provider.add(15, 0, rope());  // late, of before it went
  EXPECT_EQ(provider.show_at(15, 0).size(), 1u);
  provider.add(30, 0, rope());    // there was room for it again
  provider.remove_at(20, kRope);  // said again
  EXPECT_TRUE(provider.show_at(25, 0).empty());
  EXPECT_EQ(provider.show_at(30, 0).size(), 1u);
  EXPECT_EQ(provider.show_at(100, 0).size(), 1u);
  provider.remove_at(120, kRope);
  provider.add(119, 0, rope());
  EXPECT_TRUE(provider.show_at(120, 0).empty());
}

}  // namespace
}  // namespace takt::client
