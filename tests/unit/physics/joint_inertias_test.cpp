#include "physics/joints/joint_inertias.h"

#include <gtest/gtest.h>

#include "joint_scene.h"

namespace takt {
namespace {

struct JointInertiasTest : testing::Test {
  JointScene scene;
  JointInertias<float> inertias;
  std::uint32_t a = scene.index_of(scene.add_body({}, 1.0, 2.0));
  std::uint32_t b = scene.index_of(scene.add_body({3, 0, 0}, 1.0, 4.0));

  void SetUp() override {
    std::vector<std::uint32_t> const used{b, a, b};
    inertias.prepare(scene.state, scene.bodies(), used);
    inertias.update(scene.bodies(), true, false);
  }
};

TEST_F(JointInertiasTest, BodiesAreListedOnceInAscendingOrder) {
  EXPECT_EQ(inertias.bodies(), (std::vector<std::uint32_t>{a, b}));
}

TEST_F(JointInertiasTest, OnlyABodyInAnotherPoseIsStale) {
  inertias.update(scene.bodies(), false, false);
  EXPECT_FALSE(inertias.any_moved());
  EXPECT_FALSE(inertias.is_stale(a));
  scene.solver[b].delta_position[1] = 0.5f;
  inertias.update(scene.bodies(), false, false);
  EXPECT_TRUE(inertias.any_moved());
  EXPECT_FALSE(inertias.is_stale(a));
  EXPECT_TRUE(inertias.is_stale(b));
}

TEST_F(JointInertiasTest, ARaisedInertiaLastsUntilTheNextUpdateThatDoesNotKeepIt) {
  SymMat64 const raised{0.1, 0.1, 0.1, 0.0, 0.0, 0.0};
  inertias.raise(a, raised);
  EXPECT_TRUE(inertias.is_raised(a));
  EXPECT_TRUE(inertias.is_stale(a));
  inertias.update(scene.bodies(), true, true);
  EXPECT_EQ(inertias.inverse()[a], raised);
  inertias.update(scene.bodies(), false, false);
  EXPECT_TRUE(inertias.is_stale(a));
  EXPECT_NEAR(inertias.inverse()[a][0], 0.5, 1e-6);
}

TEST_F(JointInertiasTest, TensorsTurnWithTheirBodies) {
  SymMat64 const local{1.0, 2.0, 3.0, 0.0, 0.0, 0.0};
  scene.state.bodies[scene.moving[a].index].inverse_inertia = to_sym_mat<float>(local);
  double const half = 0.70710678118654752;
  scene.moving[a].rotation = {0.0f, 0.0f, static_cast<float>(half), static_cast<float>(half)};
  std::vector<std::uint32_t> const used{a};
  inertias.prepare(scene.state, scene.bodies(), used);
  inertias.update(scene.bodies(), true, false);
  EXPECT_NEAR(inertias.inverse()[a][0], 2.0, 1e-6);  // a quarter turn about z exchanges x and y
  EXPECT_NEAR(inertias.inverse()[a][1], 1.0, 1e-6);
  EXPECT_NEAR(inertias.inverse()[a][2], 3.0, 1e-6);
}

}  // namespace
}  // namespace takt
