// Bodies that touch nothing: the discrete integrator against its exact recurrence.
#include <gtest/gtest.h>

#include "takt/core/random.h"
#include "tests/physics/simple_world.h"

namespace takt {
namespace {

using test::at;

// 64 ticks of 4 substeps: h = 1/256 and g = 8 are dyadic, so every sum below is exact in both modes and the
// test may ask for equality.
WorldDef dyadic_world() {
  WorldDef def;
  def.gravity_m_s2 = {0, -8, 0};
  def.tick_rate_hz = 64;
  return def;
}
constexpr double kSubstepS = 1.0 / 256.0;

template <class Real>
class FreeMotionTest : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(FreeMotionTest, Reals);

// Velocity first, then position: v_n = -n g h, y_n = y_0 - g h^2 n (n + 1) / 2.
TYPED_TEST(FreeMotionTest, FreeFallIsTheRecurrenceOfTheSemiImplicitIntegrator) {
  auto world = test::make_world<TypeParam>(dyadic_world());
  BodyId const ball = test::add(world, BodyType::kDynamic, test::sphere(0.5), at(1, 1000, 2));
  for (int tick = 1; tick <= 192; ++tick) {
    (void)world.step();
    double const n = 4.0 * tick;
    ASSERT_EQ(world.linear_velocity(ball),
              (Vec3<TypeParam>{TypeParam(0), to_real<TypeParam>(-n * 8 * kSubstepS), TypeParam(0)}));
    ASSERT_EQ(world.center_of_mass(ball), at(1, 1000 - 8 * kSubstepS * kSubstepS * n * (n + 1) / 2, 2))
        << "tick " << tick;
  }
}

TYPED_TEST(FreeMotionTest, AProjectileKeepsItsHorizontalVelocity) {
  auto world = test::make_world<TypeParam>(dyadic_world());
  ShapeDef const shape = test::box(0.25, 0.25, 0.25);
  BodyDef def = test::body(BodyType::kDynamic, {&shape, 1}, at(0, 0, 0));
  def.linear_velocity_m_s = {3, 16, -0.5};
  BodyId const thrown = test::add(world, def);
  test::run(world, 256);
  double const n = 4.0 * 256;
  EXPECT_EQ(world.center_of_mass(thrown),
            at(3.0 * 4, 16.0 * 4 - 8 * kSubstepS * kSubstepS * n * (n + 1) / 2, -0.5 * 4));
  EXPECT_EQ(world.linear_velocity(thrown),
            (Vec3<TypeParam>{TypeParam(3), TypeParam(16 - 32), to_real<TypeParam>(-0.5)}));
}

// Bodies are integrated several at a time: each goes to the last bit as it would alone, in whatever company
// and at whatever index of the list.
TYPED_TEST(FreeMotionTest, EachBodyMovesAsItWouldAlone) {
  Random random(4);
  auto const draw = [&random](double max) {
    double const x = random.next_between(-max, max);
    double const y = random.next_between(-max, max);
    double const z = random.next_between(-max, max);
    return Vec3<double>{x, y, z};
  };
  ShapeDef const shape = test::box(0.25, 0.5, 0.125);
  std::vector<BodyDef> defs;
  for (int i = 0; i < 11; ++i) {
    BodyDef def = test::body(BodyType::kDynamic, {&shape, 1}, at(100 * i, 1000, 0));
    def.linear_velocity_m_s = draw(10);
    def.angular_velocity_rad_s = draw(5);
    if (i % 3 == 1) def.angular_damping_1_s = 0.5;
    defs.push_back(def);
  }
  auto together = test::make_world<TypeParam>(dyadic_world());
  std::vector<BodyId> bodies;
  for (const BodyDef& def : defs) bodies.push_back(test::add(together, def));
  test::run(together, 60);
  for (std::size_t i = 0; i < defs.size(); ++i) {
    auto scalar = test::make_world<TypeParam>(dyadic_world());
    BodyId const body = test::add(scalar, defs[i]);
    test::run(scalar, 60);
    EXPECT_EQ(together.center_of_mass(bodies[i]), scalar.center_of_mass(body)) << "body " << i;
    EXPECT_EQ(together.pose(bodies[i]).rotation, scalar.pose(body).rotation) << "body " << i;
    EXPECT_EQ(together.linear_velocity(bodies[i]), scalar.linear_velocity(body)) << "body " << i;
    EXPECT_EQ(together.angular_velocity(bodies[i]), scalar.angular_velocity(body)) << "body " << i;
  }
}

// Gravity would take each of these past the limit, along one axis, across two or across all three: length is
// held, direction kept.
TYPED_TEST(FreeMotionTest, SpeedIsHeldWithinTheLimitInEveryDirection) {
  double const max = kMaxLinearSpeedMS;
  for (Vec3<double> const along : {Vec3<double>{1, 0, 0}, Vec3<double>{0.8, 0.6, 0},
                                   Vec3<double>{0.64, -0.6, 0.48}, Vec3<double>{-0.48, 0.64, 0.6}}) {
    WorldDef def = dyadic_world();
    def.gravity_m_s2 = along * 900;  // 14 m/s a tick
    auto world = test::make_world<TypeParam>(def);
    ShapeDef const shape = test::sphere(0.5);
    BodyDef body = test::body(BodyType::kDynamic, {&shape, 1}, at(0, 0, 0));
    body.linear_velocity_m_s = along * (max - 2);
    BodyId const thrown = test::add(world, body);
    test::run(world, 3);
    Vec3<double> const velocity = to_double(world.linear_velocity(thrown));
    EXPECT_NEAR(length(velocity), max, 1e-3);
    EXPECT_NEAR(dot(velocity, along), max, 1e-3);
  }
}

// Implicit damping: v_n = v_0 / (1 + h c)^n. With h c = 1 the factor is exactly a half.
TYPED_TEST(FreeMotionTest, DampingIsTheImplicitRecurrence) {
  WorldDef world_def = dyadic_world();
  world_def.gravity_m_s2 = {};
  auto world = test::make_world<TypeParam>(world_def);
  ShapeDef const shape = test::sphere(0.5);
  BodyDef def = test::body(BodyType::kDynamic, {&shape, 1}, {});
  def.linear_velocity_m_s = {1024, 0, 0};
  def.angular_velocity_rad_s = {0, 0, 64};
  def.linear_damping_1_s = 256;
  def.angular_damping_1_s = 256;
  BodyId const ball = test::add(world, def);
  test::run(world, 2);
  EXPECT_EQ(world.linear_velocity(ball).x, TypeParam(4));
  EXPECT_EQ(world.angular_velocity(ball).z, to_real<TypeParam>(0.25));
  // The sum of the geometric series, times h.
  EXPECT_EQ(world.center_of_mass(ball), at((1024 - 4) * kSubstepS, 0, 0));
}

// Tolerance for any damping: 240 roundings of a factor near 1.
TYPED_TEST(FreeMotionTest, DampingOfASecondFollowsThePower) {
  WorldDef world_def;
  world_def.gravity_m_s2 = {};
  auto world = test::make_world<TypeParam>(world_def);
  ShapeDef const shape = test::sphere(0.5);
  BodyDef def = test::body(BodyType::kDynamic, {&shape, 1}, {});
  def.linear_velocity_m_s = {10, 0, 0};
  def.linear_damping_1_s = 0.7;
  BodyId const ball = test::add(world, def);
  test::run(world, 60);
  double const expected = 10 * std::pow(1 + 0.7 / 240, -240);
  EXPECT_NEAR(to_double(world.linear_velocity(ball).x), expected, 10 * 240 * 3 * test::kRounding<TypeParam>);
}

// A force acts through all substeps of one step and is gone in the next; gravity_scale weighs gravity.
TYPED_TEST(FreeMotionTest, AForceActsForOneTick) {
  auto world = test::make_world<TypeParam>(dyadic_world());
  ShapeDef const shape = test::box(0.5, 0.5, 0.5);
  BodyDef def = test::body(BodyType::kDynamic, {&shape, 1}, {});
  def.gravity_scale = 0;
  def.mass = MassOverride{2.0, {}, {0.5, 0.5, 0.5}};
  BodyId const pushed = test::add(world, def);
  ASSERT_TRUE(world.apply_force(pushed, {32, 0, 0}, {0, 16, 0}).ok());
  ASSERT_TRUE(world.apply_force(pushed, {32, 0, 0}, {0, 0, 0}).ok());
  test::run(world, 3);
  EXPECT_EQ(world.linear_velocity(pushed),
            (Vec3<TypeParam>{to_real<TypeParam>(64.0 / 2 / 64), TypeParam(0), TypeParam(0)}));
  // The inertia is rounded once and rotated each tick.
  EXPECT_NEAR(to_double(world.angular_velocity(pushed).y), 16 / 0.5 / 64, 8 * test::kRounding<TypeParam>);
}

// Positions are exact and only differences become Real: the same scene 1,000 km away moves by the same bits.
TYPED_TEST(FreeMotionTest, AThousandKilometresAwayEveryBitOfRelativeMotionIsTheSame) {
  auto const build = [](World<TypeParam>& world, const Position& base) {
    auto const from_base = [&](double x, double y, double z) {
      Position const p = at(x, y, z);
      return Position::from_raw(base.x_raw + p.x_raw, base.y_raw + p.y_raw, base.z_raw + p.z_raw);
    };
    std::vector<BodyId> bodies;
    test::add_ground(world, test::about_z(2 * test::kDegree), base);
    for (int i = 0; i < 4; ++i) {
      bodies.push_back(test::add(world, BodyType::kDynamic, test::box(0.5, 0.3, 0.4),
                                 from_base(0.1 * i, 0.6 + i, 0.05 * i), test::about_y(0.3 * i)));
    }
    bodies.push_back(test::add(world, BodyType::kDynamic, test::capsule(0.2, 0.5), from_base(0.4, 6, 0),
                               test::about_x(1)));
    bodies.push_back(test::add(world, BodyType::kDynamic, test::sphere(0.4), from_base(-0.1, 7, 0.1)));
    return bodies;
  };
  Position const far = at(1e6, -1e6, 1e6);
  auto here = test::make_world<TypeParam>();
  auto there = test::make_world<TypeParam>();
  auto const bodies_here = build(here, {});
  auto const bodies_there = build(there, far);
  for (int tick = 0; tick < 300; ++tick) {
    (void)here.step();
    (void)there.step();
    for (std::size_t i = 0; i < bodies_here.size(); ++i) {
      Position const p = here.center_of_mass(bodies_here[i]);
      ASSERT_EQ(Position::from_raw(p.x_raw + far.x_raw, p.y_raw + far.y_raw, p.z_raw + far.z_raw),
                there.center_of_mass(bodies_there[i]))
          << "tick " << tick << " body " << i;
      ASSERT_EQ(here.pose(bodies_here[i]).rotation, there.pose(bodies_there[i]).rotation);
      ASSERT_EQ(here.linear_velocity(bodies_here[i]), there.linear_velocity(bodies_there[i]));
      ASSERT_EQ(here.angular_velocity(bodies_here[i]), there.angular_velocity(bodies_there[i]));
    }
  }
}

}  // namespace
}  // namespace takt
