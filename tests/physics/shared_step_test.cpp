// A step that several workers share: it allocates nothing once things are steady, whoever does what, and what
// workers saturate in Fixed is counted.
#include <gtest/gtest.h>

#include "tests/fine_pool.h"
#include "tests/physics/allocation_count.h"
#include "tests/physics/simple_world.h"
#include "tests/physics/surfaces.h"
#include "tests/sanitizers.h"

namespace takt {
namespace {

template <class Real>
class SharedStepTest : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(SharedStepTest, Reals);

template <class Real>
void run(World<Real>& world, TaskPool* pool, int ticks) {
  for (int i = 0; i < ticks; ++i) (void)world.step({.pool = pool});
}

/// Boxes that rest and balls that roll on a flat mesh: kept manifolds and new ones, in rows of which none
/// meets another.
template <class Real>
World<Real> boxes_and_balls() {
  WorldDef def;
  def.allow_sleep = false;
  World<Real> world = test::make_world<Real>(def);
  test::MeshSource const grid =
      test::grid_mesh(30, 30, 2.0, -30.0, -30.0, [](double, double) { return 0.0; });
  ShapeDef ground;
  ground.kind = ShapeKind::kMesh;
  MeshDef const mesh = grid.def();
  ground.mesh = &mesh;
  test::add(world, test::body(BodyType::kStatic, {&ground, 1}, test::at(0, 0, 0)));
  ShapeDef const box = test::box(0.3, 0.3, 0.3);
  ShapeDef const ball = test::sphere(0.3);
  for (int row = 0; row < 10; ++row) {
    for (int i = 0; i < 10; ++i) {
      test::add(world, test::body(BodyType::kDynamic, {&box, 1}, test::at(-20 + 2 * i, 0.3, -20 + 4 * row)));
      BodyId const rolling = test::add(
          world, test::body(BodyType::kDynamic, {&ball, 1}, test::at(-20 + 2 * i, 0.3, -18 + 4 * row)));
      EXPECT_TRUE(world.set_velocity(rolling, {1, 0, 0}, {0, 0, -1 / 0.3}).ok());
    }
  }
  // Two equal chains that swing, and two loads on light boxes.
  ShapeDef heavy = test::box(0.4, 0.4, 0.4);
  heavy.density_kg_m3 *= 50;
  for (int i = 0; i < 2; ++i) {
    BodyId link = test::add(world, test::body(BodyType::kStatic, {&box, 1}, test::at(4 * i, 12, 0)));
    for (int k = 1; k <= 3; ++k) {
      BodyId const next =
          test::add(world, test::body(BodyType::kDynamic, {&box, 1}, test::at(4 * i + k, 12, 0)));
      JointDef joint = revolute_joint(link, next, {{0.5, 0, 0}, {}}, {{-0.5, 0, 0}, {}});
      joint.limit(JointAxis::kAngularX, -1.0, 1.0).friction(JointAxis::kAngularX, 5.0);
      EXPECT_TRUE(world.create_joint(joint).ok());
      link = next;
    }
    test::add(world, test::body(BodyType::kDynamic, {&box, 1}, test::at(-25 + 4 * i, 0.3, 25)));
    test::add(world, test::body(BodyType::kDynamic, {&heavy, 1}, test::at(-25 + 4 * i, 1.0, 25)));
  }
  return world;
}

TYPED_TEST(SharedStepTest, ASteadyTickAllocatesNothing) {
  World<TypeParam> world = boxes_and_balls<TypeParam>();
  test::FinePool fine(3);
  ThreadPool pool(2);
  run(world, &fine, 60);
  run(world, &pool, 60);
  std::uint64_t const before = test::allocation_count();
  run(world, &fine, 40);
  run(world, &pool, 40);
  if (!test::kIsSanitized) {
    EXPECT_EQ(test::allocation_count(), before);
  }
  EXPECT_EQ(world.tick(), 200u);
}

TYPED_TEST(SharedStepTest, ComesToTheSameStateAsOneThread) {
  World<TypeParam> scalar = boxes_and_balls<TypeParam>();
  World<TypeParam> shared = boxes_and_balls<TypeParam>();
  test::FinePool fine(3);
  for (int tick = 0; tick < 60; ++tick) {
    StepStatus const one = scalar.step();
    StepStatus const many = shared.step({.pool = &fine});
    ASSERT_EQ(scalar.hash(), shared.hash()) << "tick " << tick;
    EXPECT_EQ(many.contact_point_count, one.contact_point_count);
    EXPECT_EQ(many.contact_count, one.contact_count);
    EXPECT_EQ(many.colour_count, one.colour_count);
  }
}

// Torques that no spin can follow saturate where the bodies are gathered, on whichever worker that happens.
TEST(SharedStep, SaturationsOfAllWorkersAreCounted) {
  auto const make = [] {
    World<Fixed> world = test::make_world<Fixed>();
    ShapeDef const grain = test::sphere(0.01);
    for (int i = 0; i < 40; ++i)
      test::add(world, test::body(BodyType::kDynamic, {&grain, 1}, test::at(i, 0, 0)));
    return world;
  };
  auto const twist = [](World<Fixed>& world) {
    std::vector<BodyId> bodies;
    world.list_bodies(bodies);
    for (std::size_t i = 0; i < bodies.size(); i += 3)
      EXPECT_TRUE(world.apply_force(bodies[i], {}, {1e8, 2e8, 3e8}).ok());
  };
  World<Fixed> scalar = make();
  std::vector<std::uint64_t> expected;
  for (int tick = 0; tick < 10; ++tick) {
    twist(scalar);
    expected.push_back(scalar.step().fixed_overflow_count);
  }
  ASSERT_GT(expected.front(), 0u) << "nothing saturated: this proves nothing";
  for (std::uint32_t const workers : {1u, 2u, 3u, 8u}) {
    World<Fixed> shared = make();
    test::FinePool fine(workers);
    for (int tick = 0; tick < 10; ++tick) {
      twist(shared);
      EXPECT_EQ(shared.step({.pool = &fine}).fixed_overflow_count, expected[static_cast<std::size_t>(tick)])
          << workers << " workers, tick " << tick;
    }
    EXPECT_EQ(shared.fixed_overflow_total(), scalar.fixed_overflow_total());
    EXPECT_EQ(shared.hash(), scalar.hash());
  }
}

// More bullets than a part holds, through thin walls: swept by several workers, stopped where one would stop
// them.
TYPED_TEST(SharedStepTest, SweepsGiveTheSameState) {
  auto const make = [] {
    World<TypeParam> world = test::make_world<TypeParam>();
    ShapeDef const wall = test::box(0.02, 20, 40);
    ShapeDef const target = test::box(0.3, 0.3, 0.3);
    ShapeDef const ball = test::sphere(0.05);
    test::add(world, test::body(BodyType::kStatic, {&wall, 1}, test::at(10, 0, 0)));
    for (int i = 0; i < 24; ++i) {
      test::add(world, test::body(BodyType::kDynamic, {&target, 1}, test::at(8, i % 5, i)));
      for (bool const bullet : {false, true}) {
        BodyDef def =
            test::body(BodyType::kDynamic, {&ball, 1}, test::at(0, i % 5 + (bullet ? 0.1 : 0.5), i));
        def.linear_velocity_m_s = {300.0 + 7 * i, 0, 0};
        def.bullet = bullet;
        test::add(world, def);
      }
    }
    return world;
  };
  World<TypeParam> scalar = make();
  World<TypeParam> shared = make();
  test::FinePool fine(3);
  for (int tick = 0; tick < 30; ++tick) {
    (void)scalar.step();
    (void)shared.step({.pool = &fine});
    ASSERT_EQ(scalar.hash(), shared.hash()) << "tick " << tick;
  }
}

}  // namespace
}  // namespace takt
