#include "physics/joints/elimination_forest.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace takt {
namespace {

std::uint32_t body(std::uint32_t width, std::uint32_t row, std::uint32_t column) {
  return 1 + row * width + column;
}

/// Point joints between neighbours of width x height bodies from `first` on.
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

std::size_t batched_count(const EliminationForest& forest, std::size_t joint_count) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < joint_count; ++i) count += forest.is_batched(i) ? 1u : 0u;
  return count;
}

TEST(EliminationForestTest, SheetsAreBatchedFromSixtyFourLoopsOn) {
  EliminationForest forest;
  std::vector<ForestJoint> joints = net(9, 9);  // 8 x 8 loops
  forest.build(joints, 82);
  EXPECT_EQ(batched_count(forest, joints.size()), joints.size());
  EXPECT_TRUE(forest.order().empty());
  EXPECT_EQ(forest.group_of(81), 1u);
  EXPECT_TRUE(forest.is_looped(81));
  joints.erase(joints.begin());  // 63
  forest.build(joints, 82);
  EXPECT_EQ(batched_count(forest, joints.size()), 0u);
  EXPECT_EQ(forest.order().size(), joints.size());
  EXPECT_EQ(forest.first_loop_closing(), 80u);
}

TEST(EliminationForestTest, ChainsRingsAndTreesWithFewLoopsAreNot) {
  EliminationForest forest;
  // A sheet with a tail so long that its loops are fewer than a quarter of the joints.
  std::vector<ForestJoint> joints = net(9, 9);
  for (std::uint32_t i = 0; i < 113; ++i) joints.push_back({81 + i, 82 + i, true, true});
  ASSERT_GT(joints.size(), 4u * 64u);
  forest.build(joints, 195);
  EXPECT_EQ(batched_count(forest, joints.size()), 0u);
  joints.pop_back();
  forest.build(joints, 195);
  EXPECT_EQ(batched_count(forest, joints.size()), joints.size());

  std::vector<ForestJoint> ring;
  for (std::uint32_t i = 0; i < 200; ++i) ring.push_back({1 + i, 1 + (i + 1) % 200, true, true});
  forest.build(ring, 201);
  EXPECT_EQ(batched_count(forest, ring.size()), 0u);
  EXPECT_EQ(forest.first_loop_closing(), 199u);
}

TEST(EliminationForestTest, PlanksOnTwoPointJointsEachAreAChain) {
  EliminationForest forest;
  std::vector<ForestJoint> bridge;
  for (std::uint32_t plank = 1; plank < 200; ++plank)
    bridge.insert(bridge.end(), {{plank, plank + 1, true, true}, {plank + 1, plank, true, true}});
  forest.build(bridge, 201);
  EXPECT_EQ(batched_count(forest, bridge.size()), 0u);
  EXPECT_EQ(forest.first_loop_closing(), 199u);
  EXPECT_TRUE(forest.is_looped(200));
}

TEST(EliminationForestTest, OnlyPointJointsOfTheGroupAreBatched) {
  EliminationForest forest;
  std::vector<ForestJoint> joints = net(12, 12);
  joints[5].point = false;
  joints[6].point = false;
  joints[6].direct = false;
  std::size_t const of_sheet = joints.size();
  joints.push_back({145, 146, true, true});  // two more bodies, apart from it
  forest.build(joints, 147);
  EXPECT_EQ(batched_count(forest, joints.size()), of_sheet - 2);
  EXPECT_FALSE(forest.is_batched(5));
  EXPECT_FALSE(forest.is_batched(6));
  ASSERT_EQ(forest.order().size(), 3u);
  EXPECT_EQ(forest.first_loop_closing(), 2u);
  EXPECT_EQ(forest.order()[2], 6u);
  EXPECT_EQ(forest.group_of(146), 145u);
}

TEST(EliminationForestTest, AnEarlierBuildLeavesNoTrace) {
  std::vector<ForestJoint> const sheet = net(12, 12);
  std::vector<ForestJoint> const chain = net(1, 100);
  EliminationForest used;
  used.build(sheet, 145);
  used.build(chain, 101);
  EliminationForest fresh;
  fresh.build(chain, 101);
  EXPECT_EQ(used.order(), fresh.order());
  EXPECT_EQ(used.tree_ends(), fresh.tree_ends());
  EXPECT_EQ(batched_count(used, chain.size()), 0u);
  used.build(sheet, 145);
  EXPECT_EQ(batched_count(used, sheet.size()), sheet.size());
}

/// A random graph of `body_count` bodies in which some joints end at the static world.
std::vector<ForestJoint> random_joints(std::uint32_t body_count, std::uint32_t seed) {
  std::vector<ForestJoint> joints;
  std::uint64_t state = seed;
  auto const next = [&state](std::uint32_t bound) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::uint32_t>((state >> 33u) % bound);
  };
  for (std::uint32_t i = 0; i < body_count + body_count / 4; ++i) {
    std::uint32_t const a = next(body_count);
    std::uint32_t const b = next(body_count);
    if (a != b) joints.push_back({a, b, next(8) != 0, false});
  }
  return joints;
}

TEST(EliminationForestTest, EachJointStandsInTheOrderOnce) {
  for (std::uint32_t seed = 1; seed <= 50; ++seed) {
    std::vector<ForestJoint> const joints = random_joints(40, seed);
    EliminationForest forest;
    forest.build(joints, 40);
    std::vector<std::uint32_t> order = forest.order();
    std::sort(order.begin(), order.end());
    ASSERT_EQ(order.size(), joints.size()) << seed;
    for (std::uint32_t i = 0; i < order.size(); ++i) ASSERT_EQ(order[i], i) << seed;
  }
}

// Eliminating a node must not fill in: the later nodes that couple with it couple with one another.
TEST(EliminationForestTest, LaterNeighboursOfANodeAreAClique) {
  std::vector<std::uint32_t> upper;
  std::vector<std::uint32_t> upper_of_upper;
  for (std::uint32_t seed = 1; seed <= 50; ++seed) {
    std::vector<ForestJoint> const joints = random_joints(40, seed);
    EliminationForest forest;
    forest.build(joints, 40);
    auto const shares_moving_body = [&](std::uint32_t i, std::uint32_t j) {
      const ForestJoint& a = joints[forest.order()[i]];
      const ForestJoint& b = joints[forest.order()[j]];
      return (a.body_a != 0 && (a.body_a == b.body_a || a.body_a == b.body_b)) ||
             (a.body_b != 0 && (a.body_b == b.body_a || a.body_b == b.body_b));
    };
    std::size_t coupled = 0;
    for (std::uint32_t i = 0; i < forest.first_loop_closing(); ++i) {
      forest.upper(i, upper);
      coupled += upper.size();
      for (std::uint32_t j = i + 1; j < forest.first_loop_closing(); ++j) {
        ASSERT_EQ(shares_moving_body(i, j), std::binary_search(upper.begin(), upper.end(), j)) << seed;
      }
      for (std::size_t k = 0; k < upper.size(); ++k) {
        forest.upper(upper[k], upper_of_upper);
        for (std::size_t m = k + 1; m < upper.size(); ++m) {
          ASSERT_TRUE(std::binary_search(upper_of_upper.begin(), upper_of_upper.end(), upper[m])) << seed;
        }
      }
    }
    ASSERT_GT(coupled, 10u) << seed;
  }
}

TEST(JointGroupsTest, TheLowestBodyNamesTheGroup) {
  JointGroups groups;
  std::vector<ForestJoint> const joints{{5, 3}, {3, 7}, {0, 4}, {6, 2}, {2, 6}};
  groups.build(joints, 9);
  EXPECT_EQ(groups.find_root(7), 3u);
  EXPECT_EQ(groups.find_root(5), 3u);
  EXPECT_EQ(groups.find_root(4), 4u);
  EXPECT_EQ(groups.find_root(8), 8u);
  EXPECT_FALSE(groups.is_looped(7));
  EXPECT_TRUE(groups.is_looped(6));
}

}  // namespace
}  // namespace takt
