#include "client_sdk/cpp/rope_shelf.h"

#include <gtest/gtest.h>

namespace takt::client {
namespace {

constexpr RopeId kRope{5, 1};
constexpr std::int64_t kMetre = std::int64_t{1} << 32;

// Nodes on the x axis 1 m apart, `y` m up, from x = 100 m: `count` from `first` of four.
protocol::Ropes part(std::uint64_t tick, std::uint32_t first, std::uint32_t count, float y = 0, RopeId rope = kRope, std::uint32_t node_count = 4) {
  protocol::Ropes out;
  out.tick = tick;
  out.slices.push_back({rope.to_u64(), {100 * kMetre, 0, 0}, node_count, first, count, 0, 0.5f});
  for (std::uint32_t i = first; i < first + count; ++i) out.nodes.push_back({{static_cast<float>(i), y, 0}, 8 + y});
  return out;
}
double y_of(RopeShelf& shelf, double tick) { return static_cast<double>(shelf.show_at(tick).at(0).nodes[1].y) / static_cast<double>(kMetre); }

TEST(RopeShelf, ARopeIsShownOnceAllItsNodesAreHereAtItsTickAndNotBefore) {
  RopeShelf shelf;
  for (int i = 0; i < 2; ++i) shelf.handle_part(part(10, 0, 3));
  EXPECT_TRUE(shelf.show_at(20).empty()) << "a slice that comes twice fills no gap";
  shelf.handle_part(part(10, 3, 1));
  EXPECT_TRUE(shelf.show_at(9.5).empty());
  ASSERT_EQ(shelf.show_at(10).size(), 1u);
  Rope const rope = shelf.show_at(10)[0];
  EXPECT_EQ(rope.id, kRope);
  EXPECT_EQ(rope.radius_m, 0.5f);
  EXPECT_FALSE(rope.asleep);
  ASSERT_EQ(rope.nodes.size(), 4u);
  EXPECT_EQ(rope.nodes[3].x, 103 * kMetre);
  EXPECT_EQ(std::vector<float>(rope.tensions_n.begin(), rope.tensions_n.end()), (std::vector<float>{8, 8, 8}));
}

TEST(RopeShelf, LiesBetweenTwoTicksAndGoesOnForAMoment) {
  RopeShelf shelf;
  shelf.handle_part(part(20, 0, 4, 4));
  shelf.handle_part(part(10, 0, 4, 0));  // overtaken
  EXPECT_EQ(y_of(shelf, 10), 0);
  EXPECT_EQ(y_of(shelf, 12.5), 1);
  EXPECT_EQ(shelf.show_at(12.5)[0].tensions_n[0], 9);
  EXPECT_EQ(y_of(shelf, 20), 4);
  EXPECT_EQ(y_of(shelf, 22.5), 5);
  EXPECT_NEAR(y_of(shelf, 90), 6.4, 1e-9);
}

TEST(RopeShelf, WhatAWholeSetLeavesOutIsGoneAtItsTick) {
  RopeShelf shelf;
  RopeId const other{6, 1};
  shelf.handle_part(part(10, 0, 4));
  shelf.handle_part(part(10, 0, 4, 0, other));
  protocol::Ropes set = part(20, 0, 4);
  set.whole = true;
  set.part_count = 2;
  shelf.handle_part(set);
  set.slices.clear();
  set.nodes.clear();
  set.part = 1;
  EXPECT_EQ(shelf.show_at(20).size(), 2u) << "the set is not whole yet";
  shelf.handle_part(set);
  EXPECT_EQ(shelf.show_at(19).size(), 2u);
  ASSERT_EQ(shelf.show_at(20).size(), 1u);
  EXPECT_EQ(shelf.show_at(20)[0].id, kRope);
}

TEST(RopeShelf, ACutRopeHasOtherNodesFromItsTickOn) {
  RopeShelf shelf;
  shelf.handle_part(part(10, 0, 4));
  shelf.handle_part(part(20, 0, 2, 1, kRope, 2));
  EXPECT_EQ(shelf.show_at(19)[0].nodes.size(), 4u);
  EXPECT_EQ(shelf.show_at(20)[0].nodes.size(), 2u);
  shelf.clear();
  EXPECT_TRUE(shelf.show_at(20).empty());
}

}  // namespace
}  // namespace takt::client
