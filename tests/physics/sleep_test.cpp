// Sleep against mechanics: what rests falls asleep and costs nothing, what is hit or loses its support wakes
// in time, and nothing else changes.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/physics/simple_world.h"

namespace takt {
namespace {

using test::at;

template <class Real>
class SleepTest : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(SleepTest, Reals);

template <class Real>
std::vector<BodyId> add_stack(World<Real>& world, int count) {
  std::vector<BodyId> stack;
  for (int i = 0; i < count; ++i)
    stack.push_back(test::add(world, BodyType::kDynamic, test::box(0.5, 0.5, 0.5), at(0, 0.5 + i, 0)));
  return stack;
}

/// Steps until all bodies sleep; false after ten seconds.
template <class Real>
bool run_to_sleep(World<Real>& world) {
  for (int i = 0; i < 600; ++i) {
    if (world.step().awake_body_count == 0) return true;
  }
  return false;
}

template <class Real>
bool all_asleep(const World<Real>& world, const std::vector<BodyId>& bodies) {
  return std::all_of(bodies.begin(), bodies.end(), [&](BodyId body) { return world.is_asleep(body); });
}

TYPED_TEST(SleepTest, AStackFallsAsleepTogetherAndSaysSo) {
  auto world = test::make_world<TypeParam>();
  test::add_ground(world);
  std::vector<BodyId> const stack = add_stack(world, 5);
  int ticks = 0;
  for (; ticks < 600 && world.events().slept.empty(); ++ticks) (void)world.step();
  EXPECT_GE(ticks, 30) << "half a second of stillness comes first";
  EXPECT_LT(ticks, 300);
  EXPECT_EQ(world.events().slept, stack) << "all in one tick, in id order";
  for (BodyId const body : stack) {
    EXPECT_EQ(world.linear_velocity(body), Vec3<TypeParam>{});
    EXPECT_EQ(world.angular_velocity(body), Vec3<TypeParam>{});
  }
  (void)world.step();
  EXPECT_TRUE(world.events().slept.empty());
}

// Once asleep a step changes the tick and nothing else, whether or not derived state was thrown away in
// between.
TYPED_TEST(SleepTest, AQuietWorldChangesOnlyItsTick) {
  auto world = test::make_world<TypeParam>();
  test::add_ground(world);
  (void)add_stack(world, 3);
  ASSERT_TRUE(run_to_sleep(world));
  (void)world.step();
  auto const before = World<TypeParam>::restore(world.save()).value();
  for (int i = 0; i < 5; ++i) {
    if (i == 2) world.drop_derived_state();
    StepStatus const status = world.step();
    EXPECT_EQ(status.awake_body_count, 0u);
    auto const differences = World<TypeParam>::diff(before, world);
    ASSERT_EQ(differences.size(), 1u) << differences.back().path;
    EXPECT_EQ(differences[0].path, "world.tick");
    EXPECT_TRUE(world.events().contact_begin.empty() && world.events().contact_end.empty());
  }
}

// The first hit meets bodies that give way: in every tick the motion has the bits of a world that never
// sleeps.
TYPED_TEST(SleepTest, AHitOnASleeperHasTheBitsOfAHitOnOneAwake) {
  WorldDef weightless;
  weightless.gravity_m_s2 = {};
  World<TypeParam> sleeping = test::make_world<TypeParam>(weightless);
  weightless.allow_sleep = false;
  World<TypeParam> awake = test::make_world<TypeParam>(weightless);
  std::vector<BodyId> bodies;
  for (World<TypeParam>* world : {&sleeping, &awake}) {
    bodies = {test::add(*world, BodyType::kDynamic, test::box(0.5, 0.5, 0.5), at(0, 0, 0))};
    test::run(*world, 60);
    bodies.push_back(test::add(*world, BodyType::kDynamic, test::sphere(0.25), at(-3, 0.2, 0.1)));
    ASSERT_TRUE(world->set_velocity(bodies[1], {7, 0, 0}, {}));
  }
  ASSERT_TRUE(sleeping.is_asleep(bodies[0]));
  ASSERT_FALSE(awake.is_asleep(bodies[0]));
  for (int tick = 0; tick < 60; ++tick) {
    (void)sleeping.step();
    (void)awake.step();
    for (BodyId const body : bodies) {
      ASSERT_EQ(sleeping.linear_velocity(body), awake.linear_velocity(body)) << tick;
      ASSERT_EQ(sleeping.angular_velocity(body), awake.angular_velocity(body)) << tick;
      ASSERT_EQ(sleeping.pose(body).position, awake.pose(body).position) << tick;
    }
  }
  EXPECT_FALSE(sleeping.is_asleep(bodies[0]));
  EXPECT_GT(to_double(sleeping.linear_velocity(bodies[0]).x), 0.1);
}

TYPED_TEST(SleepTest, AHitWakesTheWholeIsland) {
  auto world = test::make_world<TypeParam>();
  test::add_ground(world);
  std::vector<BodyId> const stack = add_stack(world, 5);
  BodyId const apart = test::add(world, BodyType::kDynamic, test::box(0.5, 0.5, 0.5), at(0, 0.5, 20));
  ASSERT_TRUE(run_to_sleep(world));
  BodyId const ball = test::add(world, BodyType::kDynamic, test::sphere(0.25), at(-2, 4.6, 0));
  ASSERT_TRUE(world.set_velocity(ball, {10, 0, 0}, {}));
  int ticks = 0;
  for (; ticks < 60 && world.events().woken.empty(); ++ticks) (void)world.step();
  EXPECT_LT(ticks, 12) << "1.25 m at 10 m/s are 7.5 ticks";
  EXPECT_EQ(world.events().woken, stack);
  EXPECT_TRUE(world.is_asleep(apart)) << "another island sleeps on";
}

TYPED_TEST(SleepTest, EveryCallThatActsOnABodyWakesIt) {
  auto const check = [](const char* what, auto&& act) {
    auto world = test::make_world<TypeParam>();
    test::add_ground(world);
    std::vector<BodyId> const stack = add_stack(world, 2);
    ASSERT_TRUE(run_to_sleep(world)) << what;
    act(world, stack[0]);
    EXPECT_FALSE(world.is_asleep(stack[0])) << what;
    (void)world.step();
    EXPECT_FALSE(world.is_asleep(stack[1])) << what << ": its neighbour wakes with it";
  };
  using W = World<TypeParam>;
  check("wake", [](W& world, BodyId body) { ASSERT_TRUE(world.wake(body)); });
  check("impulse", [](W& world, BodyId body) { ASSERT_TRUE(world.apply_impulse(body, {1, 0, 0})); });
  check("impulse at", [](W& world, BodyId body) {
    ASSERT_TRUE(world.apply_impulse_at(body, {1, 0, 0}, at(0, 1, 0)));
  });
  check("angular impulse", [](W& world, BodyId body) {
    ASSERT_TRUE(world.apply_angular_impulse(body, {1, 0, 0}));
  });
  check("force", [](W& world, BodyId body) { ASSERT_TRUE(world.apply_force(body, {1, 0, 0}, {})); });
  check("velocity", [](W& world, BodyId body) { ASSERT_TRUE(world.set_velocity(body, {0.1, 0, 0}, {})); });
  check("pose", [](W& world, BodyId body) { ASSERT_TRUE(world.set_pose(body, at(0.01, 0.5, 0), {})); });
  check("grab",
        [](W& world, BodyId body) { ASSERT_TRUE(world.create_grab(body, {}, at(0, 1, 0), 100).ok()); });
}

TYPED_TEST(SleepTest, WhatLosesItsSupportFalls) {
  // By destroying it, by carrying it off, and by making a kinematic one move.
  for (int displacement = 0; displacement < 3; ++displacement) {
    auto world = test::make_world<TypeParam>();
    test::add_ground(world);
    BodyId const support = test::add(world,
                                     displacement == 0   ? BodyType::kDynamic
                                     : displacement == 1 ? BodyType::kStatic
                                                         : BodyType::kKinematic,
                                     test::box(0.5, 0.5, 0.5), at(0, 0.5, 0));
    BodyId const load = test::add(world, BodyType::kDynamic, test::box(0.5, 0.5, 0.5), at(0, 1.5, 0));
    ASSERT_TRUE(run_to_sleep(world) || displacement == 2);
    test::run(world, 60);
    ASSERT_TRUE(world.is_asleep(load)) << displacement;
    if (displacement == 0) {
      ASSERT_TRUE(world.destroy_body(support));
    }
    if (displacement == 1) {
      ASSERT_TRUE(world.set_pose(support, at(10, 0.5, 0), {}));
    }
    if (displacement == 2) {
      ASSERT_TRUE(world.set_velocity(support, {0, -1, 0}, {}));
    }
    test::run(world, 20);
    EXPECT_FALSE(world.is_asleep(load)) << displacement;
    EXPECT_LT(test::metres(world.pose(load).position).y, 1.4) << displacement;
  }
}

// A wall that is put into a sleeping stack, or made there, wakes it.
TYPED_TEST(SleepTest, WhatIsPutIntoASleeperWakesIt) {
  for (bool const made_new : {false, true}) {
    auto world = test::make_world<TypeParam>();
    test::add_ground(world);
    BodyId const wall = test::add(world, BodyType::kStatic, test::box(0.5, 0.5, 0.5), at(5, 0.5, 0));
    std::vector<BodyId> const stack = add_stack(world, 2);
    ASSERT_TRUE(run_to_sleep(world));
    if (made_new) {
      (void)test::add(world, BodyType::kStatic, test::box(0.5, 0.5, 0.5), at(0.9, 0.5, 0));
    } else {
      ASSERT_TRUE(world.set_pose(wall, at(0.9, 0.5, 0), {}));
    }
    (void)world.step();
    EXPECT_FALSE(world.is_asleep(stack[0])) << made_new;
    EXPECT_FALSE(world.is_asleep(stack[1])) << made_new;
  }
}

TYPED_TEST(SleepTest, WhoMayNotSleepDoesNot) {
  WorldDef def;
  def.allow_sleep = false;
  for (bool const body_may : {true, false}) {
    auto world = body_may ? test::make_world<TypeParam>(def) : test::make_world<TypeParam>();
    test::add_ground(world);
    ShapeDef const shape = test::box(0.5, 0.5, 0.5);
    BodyDef insomniac = test::body(BodyType::kDynamic, {&shape, 1}, at(0, 0.5, 0));
    insomniac.can_sleep = body_may;
    BodyId const body = test::add(world, insomniac);
    BodyId const on_top = test::add(world, BodyType::kDynamic, shape, at(0, 1.5, 0));
    BodyId const riding = test::add(world, BodyType::kDynamic, shape, at(10, 1.0, 0));
    BodyId const lift = test::add(world, BodyType::kKinematic, test::box(2, 0.25, 2), at(10, 0.25, 0));
    ASSERT_TRUE(world.set_velocity(lift, {0, 0.01, 0}, {}));
    test::run(world, 300);
    EXPECT_FALSE(world.is_asleep(body));
    EXPECT_FALSE(world.is_asleep(on_top)) << "an island sleeps together or not at all";
    EXPECT_FALSE(world.is_asleep(riding)) << "slowly, but it rides";
  }
}

// Thrown straight up it stands still for an instant, not for half a second.
TYPED_TEST(SleepTest, ABallAtItsHighestPointGoesOn) {
  auto world = test::make_world<TypeParam>();
  BodyId const ball = test::add(world, BodyType::kDynamic, test::sphere(0.5), at(0, 10, 0));
  ASSERT_TRUE(world.set_velocity(ball, {0, 9.81, 0}, {}));
  test::run(world, 120);
  EXPECT_NEAR(to_double(world.linear_velocity(ball).y), -9.81, 1e-3);
}

// Interrupted at any tick, by restoring into a fresh world or by rolling back, it goes on as if nothing had
// happened: asleep, waking, falling asleep.
TYPED_TEST(SleepTest, RestoredAtEveryTickItGoesOnTheSame) {
  auto world = test::make_world<TypeParam>();
  test::add_ground(world);
  std::vector<BodyId> const stack = add_stack(world, 3);
  auto restored = World<TypeParam>::restore(world.save()).value();
  typename World<TypeParam>::Snapshot snapshot;
  BodyId ball;
  for (int tick = 0; tick < 400; ++tick) {
    for (World<TypeParam>* w : {&world, &restored}) {
      if (tick == 150) ball = test::add(*w, BodyType::kDynamic, test::sphere(0.25), at(-4, 2.6, 0));
      if (tick == 150) {
        ASSERT_TRUE(w->set_velocity(ball, {8, 0, 0}, {}));
      }
      if (tick == 350) {
        ASSERT_TRUE(w->destroy_body(stack[0]));
      }
    }
    world.capture(snapshot);
    (void)world.step();
    world.rollback(snapshot);
    (void)world.step();
    restored = World<TypeParam>::restore(restored.save()).value();
    (void)restored.step();
    ASSERT_EQ(world.hash(), restored.hash())
        << tick << ": " << World<TypeParam>::diff(world, restored).at(0).path;
  }
}

}  // namespace
}  // namespace takt
