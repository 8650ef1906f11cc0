// Events against mechanics: who ran into whom, how fast and how hard; what a sensor notices and when; and
// that neither depends on saves or sleep.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/physics/simple_world.h"

namespace takt {
namespace {

using test::at;

template <class Real>
class EventsTest : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(EventsTest, Reals);

ShapeDef as_sensor(ShapeDef shape) {
  shape.is_sensor = true;
  return shape;
}

template <class Real>
ShapeId shape_of(const World<Real>& world, BodyId body) {
  return world.shapes(body)[0];
}

// A ball of mass m that falls from H hits with sqrt(2 g H) and takes (1 + e) m v from the floor.
TYPED_TEST(EventsTest, AHitReportsSpeedImpulseAndPlace) {
  for (double const restitution : {0.0, 0.5, 1.0}) {
    auto world = test::make_world<TypeParam>();
    BodyId const floor = test::add_ground(world);
    ShapeDef shape = test::sphere(0.5);
    shape.restitution = restitution;
    BodyId const ball = test::add(world, BodyType::kDynamic, shape, at(3, 5.5, -2));
    std::vector<HitEvent> hits;
    double speed_before = 0;
    double speed_after = 0;
    for (int i = 0; i < 75; ++i) {
      double const before = -to_double(world.linear_velocity(ball).y);
      (void)world.step();
      hits.insert(hits.end(), world.events().hits.begin(), world.events().hits.end());
      if (hits.empty() || speed_before != 0) continue;
      speed_before = before;
      speed_after = to_double(world.linear_velocity(ball).y);
    }
    ASSERT_EQ(hits.size(), 1u) << "restitution " << restitution;
    EXPECT_EQ(hits[0].shape_a, shape_of(world, floor));
    EXPECT_EQ(hits[0].shape_b, shape_of(world, ball));
    EXPECT_NEAR(hits[0].normal.y, 1.0, 1e-6);
    double const mass = world.mass_kg(ball);
    double const speed = std::sqrt(2 * 9.81 * 5);
    // The speed is that of the tick's start or, when it bounces, of the substep in which it did.
    EXPECT_NEAR(hits[0].approach_speed_m_s, speed, 9.81 / 60);
    EXPECT_GE(hits[0].approach_speed_m_s, speed_before - 1e-5);
    EXPECT_LE(hits[0].approach_speed_m_s, speed_before + (restitution > 0 ? 9.81 / 60 : 0) + 1e-5);
    // The impulse is what changed the momentum in the tick, beside gravity: to rounding.
    double const change = mass * (speed_after + speed_before + 9.81 / 60);
    EXPECT_NEAR(hits[0].impulse_n_s, change, 1e-5 * change);
    EXPECT_NEAR(test::metres(hits[0].point).x, 3.0, 0.001);
    EXPECT_NEAR(test::metres(hits[0].point).z, -2.0, 0.001);
    EXPECT_NEAR(test::metres(hits[0].point).y, 0.0, 0.02 + speed / 120) << "midway of the gap that was left";
  }
}

TYPED_TEST(EventsTest, TheThresholdIsTheWorlds) {
  auto const hits = [](double threshold) {
    WorldDef def;
    def.hit_threshold_m_s = threshold;
    auto world = test::make_world<TypeParam>(def);
    test::add_ground(world);
    test::add(world, BodyType::kDynamic, test::box(0.5, 0.5, 0.5), at(0, 1.0, 0));  // lands at 3.1 m/s
    std::size_t count = 0;
    for (int i = 0; i < 60; ++i) {
      (void)world.step();
      count += world.events().hits.size();
    }
    return count;
  };
  EXPECT_EQ(hits(3.3), 0u);
  EXPECT_EQ(hits(2.5), 1u);
  WorldDef bad;
  bad.hit_threshold_m_s = -1;
  EXPECT_EQ(World<TypeParam>::create(bad).error(), PhysicsError::kOutOfRange);
}

TYPED_TEST(EventsTest, HitsOfATickAreSortedByTheirShapes) {
  auto world = test::make_world<TypeParam>();
  test::add_ground(world);
  for (int i = 0; i < 12; ++i)
    test::add(world, BodyType::kDynamic, test::sphere(0.3), at((i * 7) % 12, 2, 0));
  std::size_t max = 0;
  for (int i = 0; i < 60; ++i) {
    (void)world.step();
    const auto& hits = world.events().hits;
    max = std::max(max, hits.size());
    EXPECT_TRUE(std::is_sorted(hits.begin(), hits.end(), [](const HitEvent& a, const HitEvent& b) {
      return std::pair(a.shape_a, a.shape_b) < std::pair(b.shape_a, b.shape_b);
    }));
  }
  EXPECT_EQ(max, 12u);
}

// A body that crosses a slab at a constant speed is inside from when its front enters to when its back
// leaves.
TYPED_TEST(EventsTest, ASensorNoticesEntryAndExitAndPushesNothing) {
  WorldDef none;
  none.gravity_m_s2 = {};
  for (bool const sensor_moves : {false, true}) {
    auto world = test::make_world<TypeParam>(none);
    BodyId const gate = test::add(world, BodyType::kStatic, as_sensor(test::box(0.5, 2, 2)), at(0, 0, 0));
    BodyDef def = test::body(BodyType::kDynamic, {}, at(-3, 0, 0));
    ShapeDef const shapes[2] = {test::sphere(0.25), as_sensor(test::sphere(1.0))};
    def.shapes = {shapes, sensor_moves ? 2u : 1u};
    def.linear_velocity_m_s = {6, 0, 0};  // 0.1 m a tick
    BodyId const ball = test::add(world, def);
    EXPECT_NEAR(world.mass_kg(ball), 1000 * 4.0 / 3.0 * 3.14159265 / 64, 1e-3) << "a sensor weighs nothing";
    int began = -1;
    int ended = -1;
    for (int tick = 0; tick < 60; ++tick) {
      (void)world.step();
      for (const SensorOverlap& event : world.events().sensor_begin) {
        EXPECT_EQ(event, (SensorOverlap{shape_of(world, gate), shape_of(world, ball)}))
            << "sensors do not notice sensors";
        EXPECT_EQ(began, -1);
        began = tick;
      }
      if (!world.events().sensor_end.empty()) ended = tick;
      EXPECT_TRUE(world.events().contact_begin.empty());
    }
    // Step k starts at x = -3 + 0.1 k; inside while |x| <= 0.75, which no step hits within 0.05.
    EXPECT_EQ(began, 23);
    EXPECT_EQ(ended, 38);
    EXPECT_EQ(to_double(world.linear_velocity(ball).x), 6.0) << "not pushed at all";
  }
}

// Every mover, every shape as a sensor, kinematic sensors at static and kinematic shapes; static ones do not
// notice static ones.
TYPED_TEST(EventsTest, SensorsNoticeWhatIsNotAsStillAsThey) {
  auto const begins = [](ShapeDef sensor, BodyType of_sensor, BodyType of_visitor) {
    WorldDef none;
    none.gravity_m_s2 = {};
    auto world = test::make_world<TypeParam>(none);
    ShapeDef const ballast = test::sphere(0.1);  // far away on the same body, so that a dynamic one has mass
    ShapeDef shapes[2] = {as_sensor(sensor), ballast};
    shapes[1].local_position_m = {0, 50, 0};
    BodyDef def = test::body(of_sensor, shapes, at(0, 0, 0));
    if (of_sensor == BodyType::kStatic) def.shapes = {shapes, 1};
    test::add(world, def);
    test::add(world, of_visitor, test::sphere(0.5), at(0, -0.2, 0));
    (void)world.step();
    return world.events().sensor_begin.size();
  };
  constexpr auto kStatic = BodyType::kStatic;
  constexpr auto kKinematic = BodyType::kKinematic;
  constexpr auto kDynamic = BodyType::kDynamic;
  for (const ShapeDef& shape : {test::sphere(0.5), test::box(0.5, 0.5, 0.5), test::capsule(0.3, 0.4),
                                test::cylinder(0.4, 0.4), test::cone(0.5, 0.5)}) {
    EXPECT_EQ(begins(shape, kStatic, kStatic), 0u);
    EXPECT_EQ(begins(shape, kStatic, kKinematic), 1u);
    EXPECT_EQ(begins(shape, kStatic, kDynamic), 1u);
    EXPECT_EQ(begins(shape, kKinematic, kStatic), 1u);
    EXPECT_EQ(begins(shape, kKinematic, kKinematic), 1u);
    EXPECT_EQ(begins(shape, kDynamic, kStatic), 1u);
    EXPECT_EQ(begins(shape, kDynamic, kKinematic), 1u);
    EXPECT_EQ(begins(shape, kDynamic, kDynamic), 1u);
  }
  EXPECT_EQ(begins(test::half_space(), kStatic, kKinematic), 1u);
  EXPECT_EQ(begins(test::half_space(), kStatic, kDynamic), 1u);
}

TYPED_TEST(EventsTest, SleepIsNeitherAnEntryNorAnExitAndFiltersAndDestructionAre) {
  auto world = test::make_world<TypeParam>();
  test::add_ground(world);
  BodyId const zone = test::add(world, BodyType::kStatic, as_sensor(test::box(2, 2, 2)), at(0, 1, 0));
  BodyId const box = test::add(world, BodyType::kDynamic, test::box(0.5, 0.5, 0.5), at(0, 0.5, 0));
  (void)world.step();
  SensorOverlap const overlap{shape_of(world, zone), shape_of(world, box)};
  EXPECT_EQ(world.events().sensor_begin, std::vector{overlap});
  std::vector<SensorOverlap> inside;
  auto const quiet_ticks = [&](int count) {
    for (int i = 0; i < count; ++i) {
      (void)world.step();
      EXPECT_TRUE(world.events().sensor_begin.empty() && world.events().sensor_end.empty());
      world.list_overlaps(inside);
      EXPECT_EQ(inside, std::vector{overlap});
    }
  };
  quiet_ticks(120);
  ASSERT_TRUE(world.is_asleep(box));
  ASSERT_TRUE(world.wake(box).ok());
  quiet_ticks(120);
  ASSERT_TRUE(world.is_asleep(box));
  // A second sensor made around a sleeper notices it and leaves it asleep.
  BodyId const late = test::add(world, BodyType::kStatic, as_sensor(test::sphere(1)), at(0, 0.5, 0));
  (void)world.step();
  EXPECT_EQ(world.events().sensor_begin,
            (std::vector{SensorOverlap{shape_of(world, late), shape_of(world, box)}}));
  EXPECT_TRUE(world.is_asleep(box));
  ASSERT_TRUE(world.set_filter(shape_of(world, zone), {1, 0, 0}).ok());
  (void)world.step();
  EXPECT_EQ(world.events().sensor_end, std::vector{overlap});
  SensorOverlap const second{shape_of(world, late), shape_of(world, box)};
  ASSERT_TRUE(world.destroy_body(box).ok());
  world.list_overlaps(inside);
  EXPECT_TRUE(inside.empty()) << "not of what is gone";
  (void)world.step();
  EXPECT_EQ(world.events().sensor_end, std::vector{second}) << "named although destroyed";
  (void)world.step();
  EXPECT_TRUE(world.events().sensor_end.empty());
}

// Restored at every tick: the same events in the same order, with bodies that enter, leave, sleep in, and die
// in sensors.
TYPED_TEST(EventsTest, RestoringAtEveryTickChangesNoEvent) {
  auto straight = test::make_world<TypeParam>();
  auto const fill = [](World<TypeParam>& world) {
    test::add_ground(world);
    test::add(world, BodyType::kStatic, as_sensor(test::box(1, 1, 1)), at(0, 1.5, 0));
    test::add(world, BodyType::kStatic, as_sensor(test::sphere(1)), at(1.5, 0.5, 0));
    for (int i = 0; i < 8; ++i) {
      BodyDef def = test::body(BodyType::kDynamic, {}, at(0.3 * (i % 3), 2 + i, 0.2 * (i % 2)));
      ShapeDef shape = i % 2 == 0 ? test::sphere(0.3) : test::box(0.3, 0.2, 0.3);
      shape.restitution = 0.4;
      def.shapes = {&shape, 1};
      test::add(world, def);
    }
  };
  fill(straight);
  auto nervous = test::make_world<TypeParam>();
  fill(nervous);
  std::size_t seen = 0;
  for (int tick = 0; tick < 420; ++tick) {
    if (tick % 60 == 59) {
      std::vector<BodyId> bodies;
      straight.list_bodies(bodies);
      ASSERT_TRUE(straight.destroy_body(bodies.back()).ok());
      ASSERT_TRUE(nervous.destroy_body(bodies.back()).ok());
    }
    nervous = std::move(World<TypeParam>::restore(nervous.save())).value();
    (void)straight.step();
    (void)nervous.step();
    ASSERT_EQ(straight.hash(), nervous.hash()) << "tick " << tick;
    const StepEvents& a = straight.events();
    const StepEvents& b = nervous.events();
    ASSERT_EQ(a.contact_begin, b.contact_begin);
    ASSERT_EQ(a.contact_end, b.contact_end);
    ASSERT_EQ(a.hits, b.hits);
    ASSERT_EQ(a.sensor_begin, b.sensor_begin);
    ASSERT_EQ(a.sensor_end, b.sensor_end);
    ASSERT_EQ(a.slept, b.slept);
    ASSERT_EQ(a.woken, b.woken);
    seen += a.sensor_begin.size() + a.sensor_end.size() + a.hits.size();
  }
  EXPECT_GT(seen, 30u);
}

}  // namespace
}  // namespace takt
