// The grab against the spring it promises: critically damped, 5 Hz, force held within its maximum.
#include <gtest/gtest.h>

#include "tests/physics/simple_world.h"

namespace takt {
namespace {

using test::at;

constexpr double kGrabGravity = 9.81;
constexpr double kOmega = 2 * 3.14159265358979323846 * 5;  // rad/s

template <class Real>
class GrabTest : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(GrabTest, Reals);

// Critical damping at 31.4 rad/s: after a second the rest of the way, (1 + w t) e^(-w t), is 1e-12 of it;
// rounding is all that remains.
TYPED_TEST(GrabTest, PullsABodyToItsTarget) {
  WorldDef def;
  def.gravity_m_s2 = {};
  auto world = test::make_world<TypeParam>(def);
  BodyId const held = test::add(world, BodyType::kDynamic, test::box(0.5, 0.5, 0.5), at(0, 0, 0));
  GrabId const grab = world.create_grab(held, {}, at(1, 2, -1), 1e6).value();
  double farthest = 0;
  for (int i = 0; i < 60; ++i) {
    (void)world.step();
    farthest = std::max(farthest, test::metres(world.center_of_mass(held)).y);
  }
  EXPECT_LT(length(test::displacement(world.center_of_mass(held), at(1, 2, -1))), 1e-5);
  EXPECT_LT(farthest, 2 + 1e-5) << "critically damped: it does not overshoot";
  ASSERT_TRUE(world.move_grab(grab, at(0, 0, 0)).ok());
  test::run(world, 60);
  EXPECT_LT(length(test::displacement(world.center_of_mass(held), at(0, 0, 0))), 1e-5);
}

// A spring of m w^2 under m g hangs g / w^2 = 9.94 mm low, whatever the mass; the implicit soft row has the
// same rest.
TYPED_TEST(GrabTest, HoldsABodyAgainstGravityAtTheSpringsOffset) {
  for (double const density : {1.0, 1000.0}) {
    auto world = test::make_world<TypeParam>();
    ShapeDef shape = test::box(0.5, 0.5, 0.5);
    shape.density_kg_m3 = density;
    BodyId const held = test::add(world, BodyType::kDynamic, shape, at(3, 5, 0));
    ASSERT_TRUE(world.create_grab(held, {}, at(3, 5, 0), 1e6).ok());
    test::run(world, 300);
    double const offset = kGrabGravity / (kOmega * kOmega);
    EXPECT_NEAR(5 - test::metres(world.center_of_mass(held)).y, offset, 0.002 * offset) << density << " kg";
  }
}

// Held by a corner it hangs with its centre below the corner.
TYPED_TEST(GrabTest, HangsFromTheAnchor) {
  auto world = test::make_world<TypeParam>();
  ShapeDef const shape = test::box(0.5, 0.5, 0.5);
  BodyDef def = test::body(BodyType::kDynamic, {&shape, 1}, at(0, 0, 0));
  def.angular_damping_1_s = 2;
  def.linear_damping_1_s = 2;
  BodyId const held = test::add(world, def);
  ASSERT_TRUE(world.create_grab(held, {0.5, 0.5, 0.5}, at(0.5, 0.5, 0.5), 1e6).ok());
  test::run(world, 600);
  Vec3<double> const hang = test::displacement(at(0.5, 0.5, 0.5), world.center_of_mass(held));
  EXPECT_NEAR(hang.x, 0, 2e-3);
  EXPECT_NEAR(hang.z, 0, 2e-3);
  EXPECT_NEAR(hang.y, -(std::sqrt(0.75) + kGrabGravity / (kOmega * kOmega)), 2e-3);
}

// With a maximum of half its weight the body still falls, at g / 2.
TYPED_TEST(GrabTest, NeverPullsHarderThanItsMaximum) {
  auto world = test::make_world<TypeParam>();
  BodyId const falling = test::add(world, BodyType::kDynamic, test::box(0.5, 0.5, 0.5), at(0, 0, 0));
  double const weight = world.mass_kg(falling) * kGrabGravity;
  ASSERT_TRUE(world.create_grab(falling, {}, at(0, 100, 0), 0.5 * weight).ok());
  test::run(world, 60);
  // 240 substeps, each rounding velocities of up to 5 m/s and impulses of up to 40 N s once or twice.
  EXPECT_NEAR(to_double(world.linear_velocity(falling).y), -0.5 * kGrabGravity,
              240 * 3 * 5 * test::kRounding<float>);
}

TYPED_TEST(GrabTest, LetsGoWhenDestroyed) {
  auto world = test::make_world<TypeParam>();
  BodyId const held = test::add(world, BodyType::kDynamic, test::sphere(0.5), at(0, 0, 0));
  GrabId const grab = world.create_grab(held, {}, at(0, 0, 0), 1e6).value();
  EXPECT_EQ(world.grabbed_body(grab), held);
  test::run(world, 60);
  ASSERT_TRUE(world.destroy_grab(grab).ok());
  EXPECT_FALSE(world.contains(grab));
  EXPECT_EQ(world.destroy_grab(grab).error(), PhysicsError::kUnknownGrab);
  EXPECT_EQ(world.move_grab(grab, {}).error(), PhysicsError::kUnknownGrab);
  double const before = to_double(world.linear_velocity(held).y);
  test::run(world, 30);
  EXPECT_NEAR(to_double(world.linear_velocity(held).y), before - kGrabGravity / 2, 1e-3);
}

}  // namespace
}  // namespace takt
