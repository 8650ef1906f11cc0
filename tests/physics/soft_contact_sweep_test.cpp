// Bodies that fall on a soft material, at any speed: a spring and damper brake them, and nothing else does.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "joint_world.h"
#include "one_sided_spring.h"
#include "physics/base/solver_constants.h"

namespace takt::test {
namespace {

template <class Real>
class SoftContactSweepTest : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(SoftContactSweepTest, Reals);

constexpr double kRadiusM = 0.25;

/// A ball of kMassKg whose lowest point is `gap_m` above a soft ground at height 0.
template <class Real>
struct FallingBall {
  World<Real> world;
  BodyId ball;

  FallingBall(const WorldDef& def, ShapeDef ground, double top_m, const Softness& of_ground,
              const Softness& of_ball, double gap_m, double speed_m_s)
      : world(make_world<Real>(def)) {
    ground.contact_softness = of_ground;
    ShapeDef grounds[] = {ground};
    add(world, body(BodyType::kStatic, grounds, at(0, -top_m, 0)));
    ShapeDef shapes[] = {sphere(kRadiusM)};
    shapes[0].contact_softness = of_ball;
    BodyDef of_body = body(BodyType::kDynamic, shapes, at(0, kRadiusM + gap_m, 0));
    of_body.mass = MassOverride{kMassKg, {}, {0.05, 0.05, 0.05}};
    of_body.linear_velocity_m_s = {0.0, -speed_m_s, 0.0};
    ball = add(world, of_body);
  }
  [[nodiscard]] double gap() const { return metres(world.center_of_mass(ball)).y - kRadiusM; }
};

TYPED_TEST(SoftContactSweepTest, ABallFollowsTheImplicitRecurrenceAtAnySpeed) {
  std::uint32_t lanes = 1;
  for (bool const half : {true, false}) {
    for (std::uint32_t const substeps : {4u, 16u}) {
      for (double const speed : {0.125, 1.0, 5.0, 20.0}) {
        for (double const hertz : {2.0, 6.0, 15.0}) {
          for (double const ratio : {0.0, 0.3, 1.0, 4.0}) {
            double const w = kTwoPi * hertz;
            Softness const by_frequency = Softness::frequency(hertz, ratio);
            Softness const by_spring = Softness::spring(kMassKg * w * w, 2.0 * kMassKg * ratio * w);
            double const gap = 0.3125;
            FallingBall<TypeParam> fall(
                exact_in_flight(substeps, -8.0), half ? half_space() : box(16, 16, 16), half ? 0.0 : 16.0,
                half ? by_frequency : Softness{}, half ? Softness{} : by_spring, gap, speed);
            OneSidedSpring expected{
                kMassKg, kMassKg * w * w, 2.0 * kMassKg * ratio * w, 1.0 / (64.0 * substeps), -8.0,
                gap,     -speed};
            StepOptions options;
            options.lanes = lanes;
            lanes = lanes == 1 ? 4 : lanes == 16 ? 1 : 2 * lanes;
            double const max = rounding_m<TypeParam>(substeps, speed, w, w);
            for (int tick = 0; tick < 64; ++tick) {
              (void)fall.world.step(options);
              expected.tick(static_cast<int>(substeps));
              ASSERT_NEAR(fall.gap(), expected.x_m, max)
                  << (half ? "half-space, " : "box, ") << substeps << " substeps, " << speed << " m/s, "
                  << hertz << " Hz, ratio " << ratio << ", tick " << tick;
            }
          }
        }
      }
    }
  }
}

TYPED_TEST(SoftContactSweepTest, WithManySubstepsABallSinksAsFarAsTheExactMotion) {
  WorldDef def = without_gravity();
  def.tick_rate_hz = 1000;
  def.substeps = 64;
  for (double const speed : {0.5, 5.0, 20.0}) {
    for (double const ratio : {0.0, 0.25, 1.0, 2.0}) {
      double const w = kTwoPi * 4.0;
      FallingBall<TypeParam> fall(def, half_space(), 0.0, Softness::frequency(4.0, ratio), {}, 0.01, speed);
      double lowest = 0.0;
      for (int tick = 0; tick < 200; ++tick) {
        (void)fall.world.step();
        lowest = std::min(lowest, fall.gap());
      }
      // As for limits: of first order in h w, and between two ticks.
      double const share = 2.0 * w / 64000.0 * (1.0 + 2.0 * ratio) + (w / 1000.0) * (w / 1000.0) / 8.0;
      EXPECT_NEAR(-lowest / deepest(speed, w, ratio), 1.0, share) << speed << " m/s, ratio " << ratio;
    }
  }
}

/// A crate of half extents 0.25 m, its bottom `gap_m` above a soft ground at height 0.
template <class Real>
BodyId add_crate(World<Real>& world, double gap_m, double speed_m_s, Vec3<double> center_m = {},
                 Quat<double> rotation = {}) {
  ShapeDef shapes[] = {box(0.25, 0.25, 0.25)};
  BodyDef of_body = body(BodyType::kDynamic, shapes, at(0, 0.25 + gap_m, 0), rotation);
  of_body.mass = MassOverride{kMassKg, center_m, {0.08, 0.08, 0.08}};
  of_body.linear_velocity_m_s = {0.0, -speed_m_s, 0.0};
  return add(world, of_body);
}
template <class Real>
void add_ground(World<Real>& world, const Softness& softness, ShapeDef ground = half_space(),
                double top_m = 0.0) {
  ground.contact_softness = softness;
  ShapeDef grounds[] = {ground};
  add(world, body(BodyType::kStatic, grounds, at(0, -top_m, 0)));
}

TYPED_TEST(SoftContactSweepTest, ACrateFollowsTheSameRecurrenceOnItsFourPoints) {
  // Each of its corners has a quarter of the spring. A sweep takes them one after the other, so the crate
  // follows less exactly than a ball: within 1 % of the way it goes.
  for (std::uint32_t const lanes : {1u, 4u, 8u, 16u}) {
    for (double const speed : {1.0, 5.0}) {
      double const w = kTwoPi * 3.0;
      double const ratio = 0.2;
      World<TypeParam> world = make_world<TypeParam>(exact_in_flight(4, -8.0));
      add_ground(world, Softness::frequency(3.0, ratio));
      BodyId const crate = add_crate(world, 0.3125, speed);
      OneSidedSpring expected{kMassKg, kMassKg * w * w, 2.0 * kMassKg * ratio * w, 1.0 / 256.0, -8.0,
                              0.3125,  -speed};
      StepOptions options;
      options.lanes = lanes;
      for (int tick = 0; tick < 40; ++tick) {
        (void)world.step(options);
        expected.tick(4);
        ASSERT_NEAR(metres(world.center_of_mass(crate)).y - 0.25, expected.x_m, 0.01 * (0.3125 + speed / w))
            << speed << " m/s, tick " << tick;
      }
    }
  }
}

TYPED_TEST(SoftContactSweepTest, ABallAndACrateSinkByGravityOverTheSquareOfTheFrequency) {
  for (double const hertz : {1.5, 3.0}) {
    double const w = kTwoPi * hertz;
    World<TypeParam> world = make_world<TypeParam>(exact_in_flight(4, -8.0));
    add_ground(world, Softness::frequency(hertz, 1.0), box(8, 8, 8), 8.0);
    BodyId const crate = add_crate(world, 0.0, 0.0);
    ShapeDef shapes[] = {sphere(kRadiusM)};
    BodyId const ball = add(world, body(BodyType::kDynamic, shapes, at(2, kRadiusM, 0)));
    run(world, 64 * 10);
    double const expected = 8.0 / (w * w);
    EXPECT_NEAR((0.25 - metres(world.center_of_mass(crate)).y) / expected, 1.0, 1e-3);
    EXPECT_NEAR((kRadiusM - metres(world.center_of_mass(ball)).y) / expected, 1.0, 1e-3);
  }
}

TYPED_TEST(SoftContactSweepTest, ACrateWithItsWeightAsideLeansAsFourEqualSpringsLetIt) {
  // Four springs of k / 4 at corners a apart from the middle: by the weight's m g x they turn by m g x / (k
  // a^2), and the middle sinks by m g / k. The lean itself moves the weight on by m g h / (k a^2) = 0.2 % of
  // x.
  double const stiffness = 40000.0;
  double const aside = 0.05;
  World<TypeParam> world = make_world<TypeParam>(exact_in_flight(4, -8.0));
  add_ground(world, Softness::spring(stiffness, 1000.0));
  BodyId const crate = add_crate(world, 0.0, 0.0, {aside, 0.0, 0.0});
  run(world, 64 * 10);
  double const lean = kMassKg * 8.0 * aside / (stiffness * 0.25 * 0.25);
  Quat<double> const rotation = to_double(world.pose(crate).rotation);
  EXPECT_NEAR(-2.0 * rotation.z / lean, 1.0, 0.003);
  Vec3<double> const bottom =
      metres(world.pose(crate).position) + rotate(rotation, Vec3<double>{0.0, -0.25, 0.0});
  EXPECT_NEAR(-bottom.y / (kMassKg * 8.0 / stiffness), 1.0, 0.003);
}

TYPED_TEST(SoftContactSweepTest, NoArrivalGainsEnergyAndNothingComesThrough) {
  // Pads from thin to thick, balls and crates from slow to far faster than a pad is thick in a tick, in all
  // kinds of poses.
  for (double const half : {0.05, 0.2, 4.0}) {
    for (double const speed : {0.5, 4.0, 15.0, 60.0}) {
      for (double const hertz : {3.0, 12.0, 60.0}) {
        for (int i = 0; i < 4; ++i) {
          World<TypeParam> world = make_world<TypeParam>(exact_in_flight(i % 2 == 0 ? 4 : 16, 0.0));
          add_ground(world, Softness::frequency(hertz, 0.0), box(8, half, 8), half);
          double const gap = 0.3 + 0.071 * i;
          BodyId faller;
          if (i < 2) {
            ShapeDef shapes[] = {sphere(kRadiusM)};
            BodyDef of_body = body(BodyType::kDynamic, shapes, at(0, kRadiusM + gap, 0));
            of_body.linear_velocity_m_s = {0.0, -speed, 0.0};
            faller = add(world, of_body);
          } else {
            faller = add_crate(world, gap + 0.2, speed, {}, about_z(0.3 * i));
          }
          run(world, 64 * 8);
          Vec3<double> const velocity = to_double(world.linear_velocity(faller));
          Vec3<double> const spin = to_double(world.angular_velocity(faller));
          double const energy = dot(velocity, velocity) + (i < 2 ? 0.0 : 0.04 * dot(spin, spin));
          EXPECT_LE(energy, speed * speed * (1.0 + 1e-4))
              << "half " << half << " speed " << speed << " Hz " << hertz << " " << i;
          EXPECT_GT(metres(world.center_of_mass(faller)).y, 0.0)
              << "half " << half << " speed " << speed << " Hz " << hertz << " " << i;
        }
      }
    }
  }
}

TYPED_TEST(SoftContactSweepTest, EveryKindOfShapeIsBrakedByTheSpringAlone) {
  // Each falls at 6 m/s on the middle of a pad of each kind, its lowest point on the line through its centre:
  // one spring, one recurrence.
  std::vector<Vec3<double>> const slab_points = {{-4, -2, -4}, {-4, -2, 4}, {4, -2, -4}, {4, -2, 4},
                                                 {-4, 0, -4},  {-4, 0, 4},  {4, 0, -4},  {4, 0, 4}};
  std::vector<Vec3<double>> const diamond_points = {{0, -0.25, 0}, {0.25, 0, 0},  {-0.25, 0, 0},
                                                    {0, 0, 0.25},  {0, 0, -0.25}, {0, 0.25, 0}};
  Vec3<double> const corners[] = {{-4, 0, -4}, {-4, 0, 4}, {4, 0, -4}, {4, 0, 4}};
  std::array<std::uint32_t, 3> const triangles[] = {{0, 1, 2}, {1, 3, 2}};
  MeshDef surface;
  surface.vertices_m = corners;
  surface.triangles = triangles;
  ShapeDef mesh;
  mesh.kind = ShapeKind::kMesh;
  mesh.mesh = &surface;
  struct Pad {
    ShapeDef shape;
    double top;
  };
  std::vector<Pad> const pads = {
      {half_space(), 0.0}, {box(4, 2, 4), 2.0}, {cylinder(4, 2), 2.0}, {hull(slab_points), 0.0}, {mesh, 0.0}};
  std::vector<ShapeDef> const fallers = {sphere(0.25), hull(diamond_points), capsule(0.125, 0.125)};
  double const w = kTwoPi * 8.0;
  for (std::size_t p = 0; p < pads.size(); ++p) {
    for (std::size_t f = 0; f < fallers.size(); ++f) {
      World<TypeParam> world = make_world<TypeParam>(exact_in_flight(8, -8.0));
      add_ground(world, Softness::spring(kMassKg * w * w, 0.4 * kMassKg * w), pads[p].shape, pads[p].top);
      ShapeDef shapes[] = {fallers[f]};
      BodyDef of_body = body(BodyType::kDynamic, shapes, at(0, 0.25 + 0.3125, 0));
      of_body.mass = MassOverride{kMassKg, {}, {0.05, 0.05, 0.05}};
      of_body.linear_velocity_m_s = {0.0, -6.0, 0.0};
      BodyId const faller = add(world, of_body);
      OneSidedSpring expected{kMassKg, kMassKg * w * w, 0.4 * kMassKg * w, 1.0 / 512.0, -8.0, 0.3125, -6.0};
      for (int tick = 0; tick < 20; ++tick) {
        (void)world.step();
        expected.tick(8);
        // Hulls lie on a grid of 60 nm; what is worked out as the general narrow phase does is off by no more
        // than 0.1 mm here.
        ASSERT_NEAR(metres(world.center_of_mass(faller)).y - 0.25, expected.x_m, 1e-3)
            << "pad " << p << " faller " << f << " tick " << tick;
      }
    }
  }
}

// Springs that could not stop a body within the plate let it pass: 352 of 1,728 arrivals at plates of 10 to
// 100 mm, at 0.3 to 50 m/s.
TYPED_TEST(SoftContactSweepTest, SoftPlatesOfAnyThicknessLetNothingThrough) {
  for (double const half_m : {0.005, 0.01, 0.05}) {
    for (double const radius_m : {0.005, 0.02, 0.05, 0.2}) {
      for (double const hertz : {2.0, 15.0}) {
        for (double const speed_m_s : {0.3, 1.0, 1.19, 5.0, 15.0, 50.0}) {
          for (bool const is_ball : {true, false}) {
            WorldDef def;
            def.gravity_m_s2 = {};
            auto world = test::make_world<TypeParam>(def);
            ShapeDef plate = box(2, half_m, 2);
            plate.contact_softness = Softness::frequency(hertz, 0.1);
            (void)add(world, BodyType::kStatic, plate, test::at(0, -half_m, 0));
            ShapeDef const shape = is_ball ? test::sphere(radius_m) : test::box(radius_m, radius_m, radius_m);
            BodyDef body = test::body(BodyType::kDynamic, {&shape, 1}, test::at(0, radius_m + 0.05, 0));
            body.linear_velocity_m_s = {0, -speed_m_s, 0};
            BodyId const id = add(world, body);
            double const lowest_m = radius_m - kSoftDepthFraction * (radius_m + half_m);
            double fastest = 0;
            double lowest = 1;
            for (int tick = 0; tick < 90; ++tick) {
              (void)world.step();
              lowest = std::min(lowest, test::metres(world.center_of_mass(id)).y);
              fastest = std::max(fastest, to_double(world.linear_velocity(id).y));
            }
            // A rigid contact's speculative rows stop a body at their depth, less what rounding adds.
            EXPECT_GE(lowest, lowest_m - 1e-4 * (1 + speed_m_s))
                << (is_ball ? "ball " : "box ") << radius_m << " plate " << half_m << " at " << speed_m_s
                << " m/s, " << hertz << " Hz";
            EXPECT_LE(fastest, speed_m_s * 1.001);
          }
        }
      }
    }
  }
}

TYPED_TEST(SoftContactSweepTest, LanesAndRestoringChangeNothingOfFastArrivals) {
  auto const build = [] {
    World<TypeParam> world = make_world<TypeParam>(WorldDef{});
    add_ground(world, Softness::frequency(4.0, 0.3), box(20, 1, 20), 1.0);
    for (int i = 0; i < 30; ++i) {
      ShapeDef shape[] = {i % 3 == 0 ? sphere(0.3) : i % 3 == 1 ? capsule(0.15, 0.2) : box(0.3, 0.2, 0.25)};
      if (i % 4 == 0) shape[0].contact_softness = Softness::spring(20000.0, 100.0 + i);
      if (i % 7 == 0) shape[0].rolling_resistance = 0.05;
      BodyDef of_body =
          body(BodyType::kDynamic, shape, at(0.5 * (i % 7), 1.0 + 0.7 * i, 0.4 * (i % 3)), about_z(0.2 * i));
      of_body.linear_velocity_m_s = {0.1 * (i % 5), -3.0 * (i % 8), 0.0};
      add(world, of_body);
    }
    return world;
  };
  World<TypeParam> plain = build();
  World<TypeParam> restored = build();
  std::array<World<TypeParam>, 3> wide{build(), build(), build()};
  for (int i = 0; i < 180; ++i) {
    StepOptions options;
    options.lanes = 1;
    (void)plain.step(options);
    for (World<TypeParam>& world : wide) {
      options.lanes = options.lanes == 1 ? 4 : 2 * options.lanes;
      (void)world.step(options);
      ASSERT_EQ(plain.hash(), world.hash()) << i << " lanes " << options.lanes;
    }
    (void)restored.step();
    restored = World<TypeParam>::restore(restored.save()).value();
    ASSERT_EQ(plain.hash(), restored.hash()) << i;
  }
}

}  // namespace
}  // namespace takt::test
