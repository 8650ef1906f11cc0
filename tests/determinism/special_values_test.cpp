// Values that machines disagree about: a zero's sign, NaN, infinity. None may reach canonical state, whatever
// a caller hands in.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "takt/physics/world.h"

namespace takt::determinism {
namespace {

template <class Real>
class SpecialValues : public testing::Test {
 protected:
  static World<Real> make(double zero) {
    WorldDef def;
    def.gravity_m_s2 = {zero, -9.81, zero};
    auto world = World<Real>::create(def);
    EXPECT_TRUE(world.ok());
    World<Real> out = std::move(world).value();
    ShapeDef floor;
    floor.kind = ShapeKind::kHalfSpace;
    floor.local_position_m = {zero, zero, zero};
    BodyDef ground;
    ground.type = BodyType::kStatic;
    ground.shapes = {&floor, 1};
    EXPECT_TRUE(out.create_body(ground).ok());
    ShapeDef box;
    box.local_position_m = {zero, zero, zero};
    for (int i = 0; i < 5; ++i) {
      BodyDef body;
      body.position = Position::from_metres(zero, 0.5 + 1.01 * i, zero);
      body.rotation = {zero, zero, zero, 1.0};
      body.linear_velocity_m_s = {zero, zero, zero};
      body.angular_velocity_rad_s = {zero, zero, zero};
      body.shapes = {&box, 1};
      EXPECT_TRUE(out.create_body(body).ok());
    }
    return out;
  }
};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(SpecialValues, Reals);

TYPED_TEST(SpecialValues, ANegativeZeroIsAZero) {
  World<TypeParam> plus = this->make(0.0);
  World<TypeParam> minus = this->make(-0.0);
  ASSERT_EQ(plus.hash(), minus.hash()) << "at creation";
  std::vector<BodyId> ids;
  plus.list_bodies(ids);
  for (int tick = 0; tick < 120; ++tick) {
    if (tick % 10 == 5) {
      EXPECT_TRUE(plus.apply_impulse(ids[2], {0.0, 0.0, 0.0}).ok());
      EXPECT_TRUE(minus.apply_impulse(ids[2], {-0.0, -0.0, -0.0}).ok());
      EXPECT_TRUE(plus.set_velocity(ids[3], {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}).ok());
      EXPECT_TRUE(minus.set_velocity(ids[3], {-0.0, -0.0, -0.0}, {-0.0, -0.0, -0.0}).ok());
      EXPECT_TRUE(plus.apply_force(ids[4], {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}).ok());
      EXPECT_TRUE(minus.apply_force(ids[4], {-0.0, -0.0, -0.0}, {-0.0, -0.0, -0.0}).ok());
      ASSERT_EQ(plus.hash(), minus.hash()) << "after calls before tick " << tick;
    }
    plus.step();
    minus.step();
    ASSERT_EQ(plus.hash(), minus.hash()) << "tick " << tick;
  }
}

TYPED_TEST(SpecialValues, NotANumberAndInfinityAreRefusedWithoutATrace) {
  World<TypeParam> world = this->make(0.0);
  std::vector<BodyId> ids;
  world.list_bodies(ids);
  std::uint64_t const before = world.hash();
  for (double const bad : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                           -std::numeric_limits<double>::infinity()}) {
    EXPECT_FALSE(world.apply_impulse(ids[1], {0.0, bad, 0.0}).ok());
    EXPECT_FALSE(world.apply_force(ids[1], {0.0, 0.0, 0.0}, {bad, 0.0, 0.0}).ok());
    EXPECT_FALSE(world.set_velocity(ids[1], {bad, 0.0, 0.0}, {}).ok());
    EXPECT_FALSE(world.set_pose(ids[1], Position{}, Quat<double>{bad, 0.0, 0.0, 1.0}).ok());
    BodyDef body;
    body.angular_velocity_rad_s.z = bad;
    EXPECT_FALSE(world.create_body(body).ok());
  }
  EXPECT_EQ(world.hash(), before);
}

}  // namespace
}  // namespace takt::determinism
