// Filters against what bodies then do: which pairs hold one another up, pass through one another, and what a
// change at run time lets go.
#include <gtest/gtest.h>

#include "tests/physics/simple_world.h"

namespace takt {
namespace {

using test::at;

template <class Real>
class FilterTest : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(FilterTest, Reals);

ShapeDef filtered(ShapeDef shape, ShapeFilter filter) {
  shape.filter = filter;
  return shape;
}

template <class Real>
double height(const World<Real>& world, BodyId body) {
  return test::metres(world.pose(body).position).y;
}

// Every case of the rule, decided by whether a sphere stays on a slab for a second or falls through (a fall
// of 4.9 m).
TYPED_TEST(FilterTest, MasksAndGroupsDecideWhatHoldsWhat) {
  struct Case {
    ShapeFilter slab;
    ShapeFilter ball;
    bool holds;
  };
  constexpr std::uint32_t kTop = 0x80000000u;
  Case const cases[] = {
      {{}, {}, true},
      {{2, ~0u, 0}, {1, ~2u, 0}, false},         // the ball does not want it
      {{1, ~2u, 0}, {2, ~0u, 0}, false},         // the slab does not want the ball
      {{6, 8, 0}, {8, 2, 0}, true},              // one shared bit each way
      {{kTop, kTop, 0}, {kTop, kTop, 0}, true},  // the last bit counts like the first
      {{0, ~0u, 0}, {1, ~0u, 0}, false},         // no category: meets nothing
      {{1, 0, 7}, {1, 0, 7}, true},              // a positive group wins over the masks
      {{1, ~0u, -7}, {1, ~0u, -7}, false},       // a negative group too
      {{1, ~0u, -7}, {1, ~0u, -8}, true},        // different groups: the masks
      {{1, ~0u, 7}, {1, ~0u, -7}, true},         // of opposite sign are different
      {{1, 0, 7}, {1, ~0u, 0}, false},           // group on one side only: the masks
  };
  for (const Case& c : cases) {
    for (bool const half_space : {false, true}) {
      auto world = test::make_world<TypeParam>();
      ShapeDef const floor = half_space ? test::half_space() : test::box(2, 0.5, 2);
      test::add(world, BodyType::kStatic, filtered(floor, c.slab), at(0, half_space ? 0 : -0.5, 0));
      BodyId const ball =
          test::add(world, BodyType::kDynamic, filtered(test::sphere(0.5), c.ball), at(0, 0.5, 0));
      test::run(world, 60);
      EXPECT_EQ(meet(c.slab, c.ball), c.holds);
      EXPECT_EQ(meet(c.ball, c.slab), c.holds);
      if (c.holds) {
        EXPECT_NEAR(height(world, ball), 0.5, 0.005);
      } else {
        EXPECT_LT(height(world, ball), -4.0);
      }
    }
  }
}

// Each shape of a body has its own: the body stands on the one that may touch the floor.
TYPED_TEST(FilterTest, AFilterIsOfAShapeNotOfItsBody) {
  auto world = test::make_world<TypeParam>();
  test::add_ground(world);
  ShapeDef shapes[2] = {test::box(0.5, 0.5, 0.5), filtered(test::box(0.5, 0.5, 0.5), {2, 0, 0})};
  shapes[0].local_position_m = {0, 1, 0};
  BodyId const body = test::add(world, test::body(BodyType::kDynamic, shapes, at(0, 0.5, 0)));
  test::run(world, 120);
  EXPECT_NEAR(height(world, body), -0.5, 0.005) << "the lower box sinks in, the upper one rests";
}

TYPED_TEST(FilterTest, AChangeLetsGoOfASleeperAndHoldsItAgain) {
  auto world = test::make_world<TypeParam>();
  BodyId const slab = test::add(world, BodyType::kStatic, test::box(2, 0.5, 2), at(0, -0.5, 0));
  test::add(world, BodyType::kStatic, test::box(2, 0.5, 2), at(0, -2.5, 0));
  BodyId const box = test::add(world, BodyType::kDynamic, test::box(0.5, 0.5, 0.5), at(0, 0.5, 0));
  test::run(world, 90);
  ASSERT_TRUE(world.is_asleep(box));
  std::uint64_t const before = world.hash();
  ASSERT_TRUE(world.set_filter(world.shapes(slab)[0], {}).ok());
  EXPECT_EQ(world.hash(), before) << "no change wakes nothing";
  ASSERT_TRUE(world.set_filter(world.shapes(slab)[0], {1, 0, 0}).ok());
  EXPECT_EQ(world.shape(world.shapes(slab)[0]).filter, (ShapeFilter{1, 0, 0}));
  EXPECT_FALSE(world.is_asleep(box));
  (void)world.step();
  ASSERT_EQ(world.events().contact_end.size(), 1u);
  test::run(world, 150);
  EXPECT_NEAR(height(world, box), -1.5, 0.005);
  ASSERT_TRUE(world.is_asleep(box));
  // Made to meet the slab that it stands under, across the gap of half a metre: nothing happens. Put inside
  // it: it is pushed out.
  ASSERT_TRUE(world.set_filter(world.shapes(slab)[0], {}).ok());
  ASSERT_TRUE(world.set_pose(box, at(0, 0.3, 0), {}).ok());
  test::run(world, 60);
  EXPECT_NEAR(height(world, box), 0.5, 0.005);
  ASSERT_TRUE(world.destroy_body(slab).ok());
  EXPECT_EQ(world.set_filter(ShapeId{}, {}).error(), PhysicsError::kUnknownShape);
}

// A rolled back filter is the old one, in the broad phase as well.
TYPED_TEST(FilterTest, RollbackAndRestoreTakeTheFilterAlong) {
  auto world = test::make_world<TypeParam>();
  BodyId const slab = test::add(world, BodyType::kStatic, test::box(2, 0.5, 2), at(0, -0.5, 0));
  test::add(world, BodyType::kDynamic, test::sphere(0.5), at(0, 0.5, 0));
  test::run(world, 10);
  WorldSnapshot<TypeParam> snapshot;
  world.capture(snapshot);
  auto copy = std::move(World<TypeParam>::restore(world.save())).value();
  ASSERT_TRUE(world.set_filter(world.shapes(slab)[0], {1, 0, 0}).ok());
  test::run(world, 20);
  EXPECT_NE(world.hash(), copy.hash());
  world.rollback(snapshot);
  for (int i = 0; i < 30; ++i) {
    (void)world.step();
    (void)copy.step();
    ASSERT_EQ(world.hash(), copy.hash()) << "tick " << i;
  }
  ASSERT_TRUE(copy.set_filter(copy.shapes(slab)[0], {1, 0, 0}).ok());
  auto third = std::move(World<TypeParam>::restore(copy.save())).value();
  for (int i = 0; i < 30; ++i) {
    (void)copy.step();
    (void)third.step();
    ASSERT_EQ(copy.hash(), third.hash()) << "tick " << i;
  }
}

}  // namespace
}  // namespace takt
