#include "physics/joints/elimination_forest.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace takt {
namespace {

std::uint32_t body(std::uint32_t width, std::uint32_t row, std::uint32_t column) {
  return 1 + row * width + column;
}

/// Balls between neighbours of width x height bodies from `first` on.
std::vector<ForestJoint> net(std::uint32_t width, std::uint32_t height, std::uint32_t first = 0) {
  std::vector<ForestJoint> joints;
  for (std::uint32_t row = 0; row < height; ++row) {
    for (std::uint32_t column = 0; column < width; ++column) {
      std::uint32_t const here = first + body(width, row, column);
      if (row > 0) joints.push_back({here - width, here, true, true});
      if (column > 0) joints.push_back({here - 1, here, true, true});
    }
  }
  return joints;
}

std::size_t woven_count(const JointForest& forest, std::size_t joint_count) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < joint_count; ++i) count += forest.is_batched(i) ? 1u : 0u;
  return count;
}

TEST(JointForestTest, SheetsAreWovenFromSixtyFourLoopsOn) {
  JointForest forest;
  std::vector<ForestJoint> joints = net(9, 9);  // 8 x 8 loops
  forest.build(joints, 82);
  EXPECT_EQ(woven_count(forest, joints.size()), joints.size());
  EXPECT_TRUE(forest.order().empty());
  EXPECT_EQ(forest.group_of(81), 1u);
  EXPECT_TRUE(forest.is_looped(81));
  joints.erase(joints.begin());  // 63
  forest.build(joints, 82);
  EXPECT_EQ(woven_count(forest, joints.size()), 0u);
  EXPECT_EQ(forest.order().size(), joints.size());
  EXPECT_EQ(forest.first_loop_closing(), 80u);
}

TEST(JointForestTest, ChainsRingsAndTreesWithFewLoopsAreNot) {
  JointForest forest;
  // A sheet with a tail so long that its loops are fewer than a quarter of the joints.
  std::vector<ForestJoint> joints = net(9, 9);
  for (std::uint32_t i = 0; i < 113; ++i) joints.push_back({81 + i, 82 + i, true, true});
  ASSERT_GT(joints.size(), 4u * 64u);
  forest.build(joints, 195);
  EXPECT_EQ(woven_count(forest, joints.size()), 0u);
  joints.pop_back();
  forest.build(joints, 195);
  EXPECT_EQ(woven_count(forest, joints.size()), joints.size());

  std::vector<ForestJoint> ring;
  for (std::uint32_t i = 0; i < 200; ++i) ring.push_back({1 + i, 1 + (i + 1) % 200, true, true});
  forest.build(ring, 201);
  EXPECT_EQ(woven_count(forest, ring.size()), 0u);
  EXPECT_EQ(forest.first_loop_closing(), 199u);
}

TEST(JointForestTest, PlanksHeldByTwoBallsEachAreAChain) {
  JointForest forest;
  std::vector<ForestJoint> bridge;
  for (std::uint32_t plank = 1; plank < 200; ++plank)
    bridge.insert(bridge.end(), {{plank, plank + 1, true, true}, {plank + 1, plank, true, true}});
  forest.build(bridge, 201);
  EXPECT_EQ(woven_count(forest, bridge.size()), 0u);
  EXPECT_EQ(forest.first_loop_closing(), 199u);
  EXPECT_TRUE(forest.is_looped(200));
}

TEST(JointForestTest, OnlyBallsOfTheGroupAreWoven) {
  JointForest forest;
  std::vector<ForestJoint> joints = net(12, 12);
  joints[5].ball = false;
  joints[6].ball = false;
  joints[6].direct = false;
  std::size_t const of_sheet = joints.size();
  joints.push_back({145, 146, true, true});  // two more bodies, apart from it
  forest.build(joints, 147);
  EXPECT_EQ(woven_count(forest, joints.size()), of_sheet - 2);
  EXPECT_FALSE(forest.is_batched(5));
  EXPECT_FALSE(forest.is_batched(6));
  ASSERT_EQ(forest.order().size(), 3u);
  EXPECT_EQ(forest.first_loop_closing(), 2u);
  EXPECT_EQ(forest.order()[2], 6u);
  EXPECT_EQ(forest.group_of(146), 145u);
}

TEST(JointForestTest, WhatItWasBuiltOfBeforeDoesNotCount) {
  std::vector<ForestJoint> const sheet = net(12, 12);
  std::vector<ForestJoint> const chain = net(1, 100);
  JointForest used;
  used.build(sheet, 145);
  used.build(chain, 101);
  JointForest fresh;
  fresh.build(chain, 101);
  EXPECT_EQ(used.order(), fresh.order());
  EXPECT_EQ(used.tree_ends(), fresh.tree_ends());
  EXPECT_EQ(woven_count(used, chain.size()), 0u);
  used.build(sheet, 145);
  EXPECT_EQ(woven_count(used, sheet.size()), sheet.size());
}

}  // namespace
}  // namespace takt
