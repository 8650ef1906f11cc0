#include "physics/joints/point_joint_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace takt {
namespace {

/// Joints between neighbours of a square net; the first body is static.
std::vector<BatchedPointJoint> net(std::uint32_t width) {
  std::vector<BatchedPointJoint> joints;
  auto const add = [&](std::uint32_t a, std::uint32_t b) {
    joints.push_back({static_cast<std::uint32_t>(joints.size()), a, b, a, b});
  };
  for (std::uint32_t row = 0; row < width; ++row) {
    for (std::uint32_t column = 0; column < width; ++column) {
      std::uint32_t const here = row * width + column;
      if (column > 0) add(here - 1, here);
      if (row > 0) add(here - width, here);
    }
  }
  return joints;
}

TEST(PointJointLayoutTest, NoMovingBodyIsTwiceInARange) {
  std::vector<BatchedPointJoint> const joints = net(20);
  PointJointLayout layout;
  for (std::uint32_t const lanes : {1u, 4u, 8u, 16u}) {
    layout.build(joints, std::vector<std::uint32_t>{3, 7, 100}, 400, lanes);
    std::size_t found = 0;
    for (const BlockRange& range : layout.ranges()) {
      std::set<std::uint32_t> bodies;
      for (std::size_t slot = range.first * lanes; slot < range.end * lanes; ++slot) {
        if (layout.order()[slot] == kEmptyLane) continue;
        ++found;
        for (std::uint32_t const body :
             {joints[layout.order()[slot]].moving_a, joints[layout.order()[slot]].moving_b}) {
          if (body != 0) {
            ASSERT_TRUE(bodies.insert(body).second) << body;
          }
        }
      }
    }
    EXPECT_EQ(found, joints.size());
  }
}

TEST(PointJointLayoutTest, SpecialJointsAreInTheLastBlocks) {
  std::vector<BatchedPointJoint> const joints = net(20);
  std::vector<std::uint32_t> const special{3, 7, 100};
  PointJointLayout layout;
  layout.build(joints, special, 400, 8);
  for (std::uint32_t i = 0; i < joints.size(); ++i) {
    bool const is_special = std::find(special.begin(), special.end(), i) != special.end();
    ASSERT_EQ(layout.slot_of(i) / 8 >= layout.first_special(), is_special) << i;
    ASSERT_EQ(layout.order()[layout.slot_of(i)], i);
  }
}

TEST(PointJointLayoutTest, AnEarlierBuildLeavesNoTrace) {
  PointJointLayout used;
  used.build(net(20), {}, 400, 8);
  used.build(net(5), {}, 25, 4);
  PointJointLayout fresh;
  fresh.build(net(5), {}, 25, 4);
  EXPECT_EQ(used.order(), fresh.order());
  EXPECT_EQ(used.block_count(), fresh.block_count());
}

}  // namespace
}  // namespace takt
