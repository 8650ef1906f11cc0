// Movers and bodies: platforms that carry, bodies that are pushed with the stated force and no more, that
// carry, hit and wake, and surfaces of triangles.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/physics/mover_world.h"

namespace takt {
namespace {

using test::at;
using test::drive;
using test::foot_of;
using test::position_of;

constexpr double kTick = 1.0 / 60.0;
constexpr double kNear = 2e-3;  // as in mover_test.cpp

template <class Real>
class MoverBodiesTest : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(MoverBodiesTest, Reals);

template <class Real>
BodyId add_platform(World<Real>& world, Vec3<double> half, const Position& position, Vec3<double> velocity,
                    Vec3<double> spin) {
  ShapeDef const shape = test::box(half.x, half.y, half.z);
  BodyDef def = test::body(BodyType::kKinematic, {&shape, 1}, position);
  def.linear_velocity_m_s = velocity;
  def.angular_velocity_rad_s = spin;
  return test::add(world, def);
}

TYPED_TEST(MoverBodiesTest, RidesAPlatformThatMovesAnyWay) {
  for (Vec3<double> const velocity : {Vec3<double>{3, 0, 1}, Vec3<double>{0, 2, 0}, Vec3<double>{1, -2, 0}}) {
    auto world = test::make_world<TypeParam>();
    BodyId const platform = add_platform(world, {2, 0.5, 2}, at(0, -0.5, 0), velocity, {});
    MoverId const mover = test::add_mover(world, test::mover_at(0, 0, 0));
    test::run(world, 40);  // to fall after a platform that sinks takes 0.41 s
    Vec3<double> const before = position_of(world, mover) - test::metres(world.pose(platform).position);
    for (int i = 0; i < 120; ++i) {
      (void)world.step();
      ASSERT_TRUE(world.mover(mover).grounded) << i;
    }
    Vec3<double> const slip =
        position_of(world, mover) - test::metres(world.pose(platform).position) - before;
    EXPECT_LT(test::length_of(slip), 1.5e-3) << velocity;
    EXPECT_LT(test::length_of(world.mover(mover).velocity_m_s - velocity), 1e-5) << velocity;
  }
}

// A turn about its middle: the mover goes round with it, at its radius, and looks where it looked.
TYPED_TEST(MoverBodiesTest, RidesAPlatformThatTurns) {
  auto world = test::make_world<TypeParam>();
  (void)add_platform(world, {6, 0.5, 6}, at(0, -0.5, 0), {}, {0, 1, 0});
  MoverDef def = test::mover_at(4, 0, 0);
  MoverId const mover = test::add_mover(world, def);
  test::run(world, 5);
  double const start = std::atan2(-position_of(world, mover).z, position_of(world, mover).x);
  double const heading = world.mover(mover).heading_rad;
  double const radius = std::hypot(position_of(world, mover).x, position_of(world, mover).z);
  test::run(world, 120);
  Vec3<double> const position = position_of(world, mover);
  EXPECT_NEAR(std::hypot(position.x, position.z), radius, 1e-4) << "no drift outwards";
  EXPECT_NEAR(std::atan2(-position.z, position.x) - start, 2.0, 1e-3);
  EXPECT_NEAR(world.mover(mover).heading_rad - heading, 2.0, 1e-3);
}

TYPED_TEST(MoverBodiesTest, TakesThePlatformsVelocityAlongWhenItJumps) {
  auto world = test::make_world<TypeParam>();
  (void)add_platform(world, {50, 0.5, 2}, at(0, -0.5, 0), {4, 1, 0}, {});
  MoverId const mover = test::add_mover(world, test::mover_at(0, 0, 0));
  test::run(world, 5);
  drive(world, mover, {}, true);
  (void)world.step();
  Vec3<double> const velocity = world.mover(mover).velocity_m_s;
  EXPECT_NEAR(velocity.x, 4, 1e-5);
  EXPECT_NEAR(velocity.y, 1 + 5 - 9.81 * kTick, 1e-5);
  double const x = position_of(world, mover).x;
  test::run(world, 30);
  EXPECT_NEAR(position_of(world, mover).x - x, 2.0, 1e-4);
}

TYPED_TEST(MoverBodiesTest, IsPushedByAWallThatMovesAndNotThroughIt) {
  auto world = test::make_world<TypeParam>();
  test::add_ground(world);
  BodyId const wall = add_platform(world, {0.2, 2, 4}, at(3, 2.1, 0), {-6, 0, 0}, {});
  MoverId const mover = test::add_mover(world, test::mover_at(0, 0, 0));
  for (int i = 0; i < 60; ++i) {
    (void)world.step();
    ASSERT_LT(position_of(world, mover).x, test::metres(world.pose(wall).position).x - 0.2 - 0.4 + 1e-3) << i;
  }
  EXPECT_LT(position_of(world, mover).x, -3);
}

TYPED_TEST(MoverBodiesTest, ABeltCarriesIt) {
  auto world = test::make_world<TypeParam>();
  ShapeDef belt = test::box(20, 0.5, 2);
  belt.surface_velocity_m_s = {2, 0, 0};
  test::add(world, BodyType::kStatic, belt, at(0, -0.5, 0));
  MoverId const mover = test::add_mover(world, test::mover_at(0, 0, 0));
  test::run(world, 30);
  double const x = position_of(world, mover).x;
  test::run(world, 60);
  EXPECT_NEAR(position_of(world, mover).x - x, 2.0, 1e-4);
}

// On ice: a second of pushing gives the body force x time, no more, and with a strong mover the speed of the
// mover, no more.
TYPED_TEST(MoverBodiesTest, PushesWithItsForceAndNoMore) {
  auto world = test::make_world<TypeParam>();
  test::add_ground(world, {}, {}, 0.0);
  ShapeDef crate = test::box(0.5, 0.5, 0.5);
  crate.density_kg_m3 = 1000;
  crate.friction = 0;
  BodyId const body = test::add(world, BodyType::kDynamic, crate, at(1, 0.5, 0));
  MoverDef def = test::mover_at(0.08, 0, 0);
  def.tuning.push_force_n = 300;
  MoverId const mover = test::add_mover(world, def);
  test::run(world, 30);
  drive(world, mover, {4, 0, 0});
  test::run(world, 60);
  double const impulse = 1000 * to_double(world.linear_velocity(body).x);
  EXPECT_LE(impulse, 300 * (1 + 1e-4));
  EXPECT_GT(impulse, 300 * 0.9) << "a tick or two until it touches";
  EXPECT_NEAR(to_double(world.linear_velocity(body).z), 0, 1e-3);
  EXPECT_LT(test::length_of(to_double(world.angular_velocity(body))), 1e-3)
      << "pushed at the height of its middle";
  // The mover goes on behind it.
  EXPECT_NEAR(position_of(world, mover).x,
              test::metres(world.pose(body).position).x - 0.5 - 0.4 - test::kSkin, 0.02);
}

TYPED_TEST(MoverBodiesTest, PushesALightBodyToItsOwnSpeed) {
  auto world = test::make_world<TypeParam>();
  test::add_ground(world, {}, {}, 0.0);
  ShapeDef crate = test::box(0.5, 0.5, 0.5);
  crate.density_kg_m3 = 20;
  crate.friction = 0;
  BodyId const body = test::add(world, BodyType::kDynamic, crate, at(2, 0.5, 0));
  MoverId const mover = test::add_mover(world, test::mover_at(0, 0, 0));
  drive(world, mover, {3, 0, 0});
  double fastest = 0;
  for (int i = 0; i < 120; ++i) {
    (void)world.step();
    fastest = std::max(fastest, to_double(world.linear_velocity(body).x));
  }
  EXPECT_LE(fastest, 3.0 + 1e-3);
  EXPECT_NEAR(fastest, 3.0, 0.1);
  EXPECT_GT(position_of(world, mover).x, 4.5);
}

// A push counted the whole mass of a body that is locked along it: the mover walked into the body, and the
// push took the force from the body beside.
TYPED_TEST(MoverBodiesTest, ABodyLockedAlongThePushStopsItAndTakesNoForce) {
  auto world = test::make_world<TypeParam>();
  test::add_ground(world, {}, {}, 0.0);
  ShapeDef const gate = test::box(0.5, 0.5, 0.5);
  BodyDef def = test::body(BodyType::kDynamic, {&gate, 1}, at(2, 0.5, -0.5));
  def.locked_axes = kLockLinearX | kLockAngularX | kLockAngularY | kLockAngularZ;
  BodyId const locked = test::add(world, def);
  ShapeDef crate = test::box(0.5, 0.5, 0.5);
  crate.density_kg_m3 = 1000;
  crate.friction = 0;
  BodyId const free = test::add(world, BodyType::kDynamic, crate, at(2, 0.5, 0.5));
  MoverDef mover_def = test::mover_at(1.08, 0, 0);
  mover_def.tuning.push_force_n = 300;
  MoverId const mover = test::add_mover(world, mover_def);
  test::run(world, 30);
  drive(world, mover, {4, 0, 0});
  for (int i = 0; i < 60; ++i) {
    (void)world.step();
    Vec3<double> const position = position_of(world, mover);
    ASSERT_GT(std::hypot(1.5 - position.x, std::max(position.z, 0.0)), 0.4 - kNear) << i;
  }
  EXPECT_EQ(test::metres(world.pose(locked).position).x, 2.0);
  double const impulse = 1000 * to_double(world.linear_velocity(free).x);
  EXPECT_LE(impulse, 300 * (1 + 1e-4));
  EXPECT_GT(impulse, 0.0);
}

// Friction of 0.6 holds 1000 kg against 5900 N.
TYPED_TEST(MoverBodiesTest, ABodyTooHeavyForItsForceStays) {
  auto world = test::make_world<TypeParam>();
  test::add_ground(world);
  BodyId const body = test::add_box(world, BodyType::kDynamic, {0.5, 0.5, 0.5}, at(2, 0.5, 0));
  MoverDef def = test::mover_at(0, 0, 0);
  def.tuning.push_force_n = 3000;
  MoverId const mover = test::add_mover(world, def);
  test::run(world, 30);
  Vec3<double> const before = test::metres(world.pose(body).position);
  drive(world, mover, {4, 0, 0});
  test::run(world, 300);
  EXPECT_LT(test::length_of(test::metres(world.pose(body).position) - before), 2e-3);
  EXPECT_NEAR(position_of(world, mover).x, 1.5 - 0.4 - test::kSkin, 5e-3);
}

TYPED_TEST(MoverBodiesTest, WakesWhatItPushes) {
  auto world = test::make_world<TypeParam>();
  test::add_ground(world);
  ShapeDef crate = test::box(0.5, 0.5, 0.5);
  crate.density_kg_m3 = 50;
  BodyId const body = test::add(world, BodyType::kDynamic, crate, at(2, 0.5, 0));
  MoverId const mover = test::add_mover(world, test::mover_at(0, 0, 0));
  test::run(world, 60);
  ASSERT_TRUE(world.is_asleep(body));
  drive(world, mover, {3, 0, 0});
  test::run(world, 60);
  EXPECT_GT(test::metres(world.pose(body).position).x, 2.2);
}

TYPED_TEST(MoverBodiesTest, IsCarriedByADynamicBodyAndWeighsOnIt) {
  auto world = test::make_world<TypeParam>();
  test::add_ground(world, {}, {}, 0.0);
  ShapeDef raft = test::box(2, 0.25, 2);
  raft.friction = 0;
  BodyDef def = test::body(BodyType::kDynamic, {&raft, 1}, at(0, 0.25, 0));
  def.linear_velocity_m_s = {1.5, 0, 0};
  BodyId const body = test::add(world, def);
  MoverId const mover = test::add_mover(world, test::mover_at(0, 0.5, 0));
  test::run(world, 30);
  Vec3<double> const before = position_of(world, mover) - test::metres(world.pose(body).position);
  test::run(world, 90);
  EXPECT_TRUE(world.mover(mover).grounded);
  EXPECT_LT(test::length_of(position_of(world, mover) - test::metres(world.pose(body).position) - before),
            5e-3);
  EXPECT_NEAR(world.mover(mover).velocity_m_s.x, 1.5, 1e-3);

  // A see-saw: 80 kg at 1.5 m lift 100 kg at the other end's 0.75 m.
  auto scales = test::make_world<TypeParam>();
  test::add_ground(scales);
  test::add_box(scales, BodyType::kStatic, {0.1, 0.2, 1}, at(0, 0.2, 0));
  ShapeDef plank = test::box(2, 0.05, 1);
  plank.density_kg_m3 = 100;
  BodyId const board = test::add(scales, BodyType::kDynamic, plank, at(0, 0.45, 0));
  test::run(scales, 5);
  (void)test::add_mover(scales, test::mover_at(1.5, 0.5, 0));
  test::run(scales, 120);
  EXPECT_LT(rotate(scales.pose(board).rotation, Vec3<TypeParam>{TypeParam(1), TypeParam(0), TypeParam(0)}).y,
            to_real<TypeParam>(-0.1));
}

/// How fast a ball comes back that is thrown at 10 m/s at a capsule of restitution 0.5: a mover's, or a
/// static body's.
template <class Real>
double rebound(bool off_mover) {
  auto world = test::make_world<Real>();
  test::add_ground(world);
  MoverDef def = test::mover_at(0, 0, 0);
  def.restitution = 0.5;
  MoverId mover;
  ShapeDef capsule = test::capsule(def.radius_m, def.half_length_m);
  capsule.restitution = 0.5;
  if (off_mover) {
    mover = test::add_mover(world, def);
  } else {
    test::add(world, BodyType::kStatic, capsule, def.position);
  }
  test::run(world, 5);
  ShapeDef const ball = test::sphere(0.2);
  BodyDef thrown = test::body(BodyType::kDynamic, {&ball, 1}, at(3, 1, 0));
  thrown.linear_velocity_m_s = {-10, 0, 0};
  thrown.gravity_scale = 0;
  BodyId const body = test::add(world, thrown);
  test::run(world, 60);
  if (off_mover) {
    EXPECT_LT(std::abs(position_of(world, mover).x), 1e-6);
  }
  return to_double(world.linear_velocity(body).x);
}

// A ball thrown at a mover comes back as off a static capsule; the mover stays.
TYPED_TEST(MoverBodiesTest, IsHitByBodiesAsAWallIs) {
  EXPECT_NEAR(rebound<TypeParam>(true), rebound<TypeParam>(false), 1e-3);
  EXPECT_GT(rebound<TypeParam>(true), 4.5);
}

// 1,000 triangles and a height field, level: no bump. Up and down hills: never off the ground.
TYPED_TEST(MoverBodiesTest, FeelsNoEdgesWithinASurface) {
  for (bool const field : {false, true}) {
    auto world = test::make_world<TypeParam>();
    MeshDef mesh;
    HeightFieldDef heights;
    ShapeDef shape;
    std::vector<Vec3<double>> vertices;
    std::vector<std::array<std::uint32_t, 3>> triangles;
    std::vector<double> const flat(24 * 24, 0.0);
    if (field) {
      heights.rows = 24;
      heights.columns = 24;
      heights.spacing_x_m = 0.5;
      heights.spacing_z_m = 0.5;
      heights.heights_m = flat;
      shape.kind = ShapeKind::kHeightField;
      shape.height_field = &heights;
    } else {
      for (int z = 0; z < 24; ++z) {
        for (int x = 0; x < 24; ++x) vertices.push_back({0.5 * x, 0, 0.5 * z});
      }
      for (std::uint32_t z = 0; z < 23; ++z) {
        for (std::uint32_t x = 0; x < 23; ++x) {
          std::uint32_t const a = z * 24 + x;
          triangles.push_back({a, a + 24, a + 25});
          triangles.push_back({a, a + 25, a + 1});
        }
      }
      mesh.vertices_m = vertices;
      mesh.triangles = triangles;
      shape.kind = ShapeKind::kMesh;
      shape.mesh = &mesh;
    }
    test::add(world, BodyType::kStatic, shape, at(-1, 0, -1));
    MoverId const mover = test::add_mover(world, test::mover_at(0.1, 0, 0.2));
    test::run(world, 5);
    double const level = foot_of(world, mover);
    drive(world, mover, {3, 0, 1.7});
    for (int i = 0; i < 150; ++i) {
      (void)world.step();
      ASSERT_TRUE(world.mover(mover).grounded) << i;
      ASSERT_NEAR(foot_of(world, mover), level, 1e-3) << i;
    }
    EXPECT_NEAR(position_of(world, mover).x, 0.1 + 7.5, 0.1);
  }
}

// Separate boxes side by side: their edges are real, but it does not rise over them.
TYPED_TEST(MoverBodiesTest, WalksOverTilesWithoutABump) {
  auto world = test::make_world<TypeParam>();
  for (int x = 0; x < 10; ++x) {
    for (int z = 0; z < 6; ++z) test::add_box(world, BodyType::kStatic, {0.5, 0.5, 0.5}, at(x, -0.5, z));
  }
  MoverId const mover = test::add_mover(world, test::mover_at(0.1, 0, 0.2));
  test::run(world, 5);
  double const level = foot_of(world, mover);
  drive(world, mover, {4, 0, 2.1});
  for (int i = 0; i < 120; ++i) {
    (void)world.step();
    ASSERT_TRUE(world.mover(mover).grounded) << i;
    ASSERT_NEAR(foot_of(world, mover), level, 1e-3) << i;
  }
  EXPECT_NEAR(position_of(world, mover).x, 0.1 + 8.0, 0.25);
}

TYPED_TEST(MoverBodiesTest, StaysOnTheHillsOfAHeightField) {
  auto world = test::make_world<TypeParam>();
  HeightFieldDef heights;
  heights.rows = 40;
  heights.columns = 40;
  heights.spacing_x_m = 0.5;
  heights.spacing_z_m = 0.5;
  std::vector<double> hills;
  for (int z = 0; z < 40; ++z) {
    for (int x = 0; x < 40; ++x) hills.push_back(0.6 * std::sin(0.5 * x) + 0.3 * std::cos(0.7 * z));
  }
  heights.heights_m = hills;
  ShapeDef shape;
  shape.kind = ShapeKind::kHeightField;
  shape.height_field = &heights;
  test::add(world, BodyType::kStatic, shape, at(-10, 0, -10));
  MoverId const mover = test::add_mover(world, test::mover_at(-8, 1.5, -3));
  test::run(world, 60);
  ASSERT_TRUE(world.mover(mover).grounded);
  drive(world, mover, {4, 0, 1});
  for (int i = 0; i < 200; ++i) {
    (void)world.step();
    ASSERT_TRUE(world.mover(mover).grounded) << i << " at " << position_of(world, mover);
  }
  EXPECT_GT(position_of(world, mover).x, 3);
}

}  // namespace
}  // namespace takt
