// Selection of contacts for mass-ratio groups: contacts made by hand, with the impulses that the tick before
// would have left.
#include "physics/contact_solver/mass_ratio_groups.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "physics/base/solver_constants.h"

namespace takt {
namespace {

constexpr double kWeightMS = 9.81 / 240;  // of a substep
constexpr float kLight = 1.0f;            // kg
constexpr float kHeavy = 1000.0f;

/// Bodies and contacts between them; index 0 is the floor.
class MassRatioGroupsTest : public testing::Test {
 protected:
  MassRatioGroupsTest() { add_body(0.0f); }

  std::uint32_t add_body(float mass_kg) {
    masses_.push_back({mass_kg > 0 ? 1.0f / mass_kg : 0.0f, {}, 0});
    bodies_.emplace_back();
    moving_.emplace_back();
    moving_.back().linear.change = {0, static_cast<float>(-kWeightMS), 0};
    return static_cast<std::uint32_t>(masses_.size() - 1);
  }
  /// One point; the normal goes from the first body to the second. The impulse is in weights of a light body.
  void touch(std::uint32_t a, std::uint32_t b, Vec3<float> normal, double weights,
             float separation_m = 0.0f) {
    PreparedContact<float> contact;
    contact.body_a = a;
    contact.body_b = b;
    contact.dynamic_a = a != 0;
    contact.dynamic_b = b != 0;
    contact.manifold.normal = normal;
    contact.manifold.point_count = 1;
    contact.manifold.points[0].separation = separation_m;
    contact.impulses[0] = static_cast<float>(weights * kLight * kWeightMS);
    contacts_.push_back(contact);
  }
  /// Indices of the selected contacts, group by group.
  std::vector<std::uint32_t> find(double weight_m_s = kWeightMS) {
    std::vector<ContactBodies> contact_bodies;
    for (const PreparedContact<float>& contact : contacts_)
      contact_bodies.push_back(contact_bodies_of(contact));
    find_mass_ratio_groups<float>(
        {contacts_, masses_, bodies_, moving_, weight_m_s, 4.0, contact_bodies, nullptr}, groups_);
    return groups_.contacts;
  }

  using Places = std::vector<std::uint32_t>;
  static constexpr Vec3<float> kUp{0, 1, 0};
  static constexpr Vec3<float> kAside{1, 0, 0};
  std::vector<SolverMass<float>> masses_;
  std::vector<SolverBody<float>> bodies_;
  std::vector<MovingBody<float>> moving_;
  std::vector<PreparedContact<float>> contacts_;
  MassRatioGroups groups_;
};

TEST_F(MassRatioGroupsTest, ALightBodyThatCarriesAHeavyOneMakesAGroupDownToTheFloor) {
  std::uint32_t const light = add_body(kLight);
  std::uint32_t const heavy = add_body(kHeavy);
  touch(0, light, kUp, 1001);
  touch(light, heavy, kUp, 1000);
  EXPECT_EQ(find(), (Places{1, 0}));
}

TEST_F(MassRatioGroupsTest, ALightBodyThatLiesOnAHeavyOneMakesNone) {
  std::uint32_t const light = add_body(kLight);
  std::uint32_t const heavy = add_body(kHeavy);
  touch(0, heavy, kUp, 1001);
  touch(heavy, light, kUp, 1);
  EXPECT_EQ(find(), Places{});
  contacts_[1].impulses[0] = 0.0f;  // a new contact
  EXPECT_EQ(find(), Places{});
}

TEST_F(MassRatioGroupsTest, OneThatLeansAgainstAHeavyOneMakesNone) {
  std::uint32_t const light = add_body(kLight);
  std::uint32_t const heavy = add_body(kHeavy);
  touch(light, heavy, kAside, 0);
  EXPECT_EQ(find(), Places{});
  contacts_[0].impulses[0] = static_cast<float>(0.9 * kGroupWeights * kWeightMS);
  EXPECT_EQ(find(), Places{});
  contacts_[0].impulses[0] = static_cast<float>(1.1 * kGroupWeights * kWeightMS);
  EXPECT_EQ(find(), Places{0});
}

TEST_F(MassRatioGroupsTest, AHeavyBodyLaidOnALightOneLoadsItBeforeItsFirstImpulse) {
  std::uint32_t const light = add_body(kLight);
  std::uint32_t const heavy = add_body(kHeavy);
  touch(light, heavy, kUp, 0);
  EXPECT_EQ(find(), Places{0});
  contacts_[0].manifold.points[0].separation = 0.015f;  // too far to close within this tick
  EXPECT_EQ(find(), Places{});
}

TEST_F(MassRatioGroupsTest, AHeavyBodyThatComesLoadsALightOneFromAnySide) {
  std::uint32_t const light = add_body(kLight);
  std::uint32_t const heavy = add_body(kHeavy);
  touch(light, heavy, kAside, 0);
  bodies_[heavy].linear_velocity[0] = -1.0f;
  EXPECT_EQ(find(), Places{0});
  bodies_[heavy].linear_velocity[0] = 1.0f;
  EXPECT_EQ(find(), Places{});
}

TEST_F(MassRatioGroupsTest, WithoutGravityEveryImpulseIsALoad) {
  std::uint32_t const light = add_body(kLight);
  std::uint32_t const heavy = add_body(kHeavy);
  for (MovingBody<float>& body : moving_) body.linear.change = {};
  touch(light, heavy, kAside, 1e-3);
  EXPECT_EQ(find(0.0), Places{0});
  contacts_[0].impulses[0] = 0.0f;
  EXPECT_EQ(find(0.0), Places{});
}

TEST_F(MassRatioGroupsTest, ItGrowsThroughWhatCarriesAlone) {
  std::uint32_t const light = add_body(kLight);
  std::uint32_t const below = add_body(kLight);
  std::uint32_t const beside = add_body(kLight);
  std::uint32_t const heavy = add_body(kHeavy);
  touch(0, below, kUp, 1002);
  touch(light, beside, kAside, 0.1);
  touch(light, heavy, kUp, 1000);
  touch(below, light, kUp, 1001);
  touch(0, beside, kUp, 1);
  EXPECT_EQ(find(), (Places{2, 3, 0}));
}

TEST_F(MassRatioGroupsTest, WhatComesLoadsAllThatTouches) {
  std::uint32_t const light = add_body(kLight);
  std::uint32_t const below = add_body(kLight);
  std::uint32_t const heavy = add_body(kHeavy);
  touch(0, below, kUp, 0);
  touch(below, light, kUp, 0);
  touch(light, heavy, kUp, 0);
  EXPECT_EQ(find(), (Places{2, 1, 0}));
}

TEST_F(MassRatioGroupsTest, TheFloorUnderTheHeavyBodyAndItsPeersStayOut) {
  std::uint32_t const light = add_body(kLight);
  std::uint32_t const heavy = add_body(kHeavy);
  std::uint32_t const peer = add_body(kHeavy);
  touch(0, heavy, kUp, 500);
  touch(light, heavy, kUp, 500);
  touch(heavy, peer, kUp, 1000);
  touch(0, light, kUp, 501);
  EXPECT_EQ(find(), (Places{1, 3}));
}

TEST_F(MassRatioGroupsTest, BelowTheRatioThereIsNone) {
  std::uint32_t const light = add_body(kLight);
  std::uint32_t const heavy = add_body(static_cast<float>(kHighMassRatio) * kLight);
  touch(light, heavy, kUp, kHighMassRatio);
  EXPECT_EQ(find(), Places{});
}

// The second and the last group share body 7, the last and the first body 2: these three are one cluster, in
// the order of the groups.
TEST(GroupClustersTest, GroupsThatShareABodyDirectlyOrByAnotherAreOne) {
  std::vector<std::uint32_t> const bodies = {1, 2, 7, 8, 3, 4, 2, 7};
  std::vector<GroupBodies> const groups = {{0, 2}, {2, 4}, {4, 6}, {6, 8}};
  GroupClusters clusters;
  clusters.find(groups, bodies);
  ASSERT_EQ(clusters.size(), 2u);
  EXPECT_TRUE(std::ranges::equal(clusters.groups_of(0), std::vector<std::uint32_t>{0, 1, 3}));
  EXPECT_TRUE(std::ranges::equal(clusters.groups_of(1), std::vector<std::uint32_t>{2}));
  clusters.find({}, {});
  EXPECT_EQ(clusters.size(), 0u);
}

}  // namespace
}  // namespace takt
