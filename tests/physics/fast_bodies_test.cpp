// Fast bodies: what is shot at something thin never ends up behind it, keeps its speed and hands over its
// momentum (physics/step/continuous_collision.h).
#include <gtest/gtest.h>

#include <cmath>

#include "takt/core/random.h"
#include "takt/physics/world.h"
#include "tests/physics/polyhedra.h"
#include "tests/physics/simple_world.h"
#include "tests/physics/surfaces.h"

namespace takt {
namespace {

using test::at;

template <class Real>
class FastBodies : public testing::Test {
 protected:
  static WorldDef weightless() {
    WorldDef def;
    def.gravity_m_s2 = {};
    return def;
  }
};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(FastBodies, Reals);

Vec3<double> draw(Random& random, double size) {
  double const x = random.next_between(-size, size);
  double const y = random.next_between(-size, size);
  double const z = random.next_between(-size, size);
  return {x, y, z};
}

ShapeDef projectile(std::uint32_t kind, std::span<const Vec3<double>> points) {
  switch (kind % 6) {
    case 0: return test::sphere(0.05);
    case 1: return test::box(0.05, 0.1, 0.2);
    case 2: return test::capsule(0.03, 0.15);
    case 3: return test::cylinder(0.06, 0.1);
    case 4: return test::cone(0.08, 0.15);
    default: return test::hull(points);
  }
}

enum class Wall { kStatic, kKinematic, kDynamic };

/// A wall of 0.02 m across x = 0, so wide that nothing slides off it, and shots at it from the left that
/// would all be behind it within a few ticks. `others` kinematic boxes stand by, out of the way.
template <class Real>
void shoot(Wall wall, bool bullet, bool spin, std::uint64_t seed, int shots = 1000, int others = 0) {
  std::vector<Vec3<double>> const points = test::icosahedron(0.07);
  Random random(seed);
  for (int shot = 0; shot < shots; ++shot) {
    WorldDef def;
    def.gravity_m_s2 = {};
    World<Real> world = test::make_world<Real>(def);
    ShapeDef plate = test::box(0.01, 100, 100);
    plate.density_kg_m3 = 90;  // 72 t: it hardly moves
    BodyType const type = wall == Wall::kStatic
                              ? BodyType::kStatic
                              : (wall == Wall::kKinematic ? BodyType::kKinematic : BodyType::kDynamic);
    BodyDef wall_def = test::body(type, {&plate, 1}, at(0, 0, 0));
    if (wall == Wall::kKinematic) wall_def.linear_velocity_m_s = {random.next_between(-3, 3), 0, 0};
    for (int i = 0; i < others; ++i)
      test::add(world, BodyType::kKinematic, test::box(0.5, 0.5, 0.5), at(50 + 2 * i, 0, 0));
    BodyId const target = test::add(world, wall_def);
    ShapeDef shape = projectile(static_cast<std::uint32_t>(shot), points);
    shape.restitution = shot % 3 == 0 ? 0.5 : 0.0;
    double const distance = random.next_between(0.4, 20);
    Vec3<double> const aim = draw(random, 1.5);
    Vec3<double> const start{-distance, draw(random, 1.5).y, aim.z * 0.5};
    Vec3<double> const to{0, aim.y, aim.z};
    double const speed = random.next_between(20, 500);
    Vec3<double> const displacement = (to - start) * (1 / length(to - start));
    Vec3<double> const axis = draw(random, 1);
    BodyDef body = test::body(BodyType::kDynamic, {&shape, 1}, at(start.x, start.y, start.z),
                              {0.5, 0.5, 0.5, shot % 2 == 0 ? 0.5 : -0.5});
    body.linear_velocity_m_s = displacement * speed;
    if (spin) body.angular_velocity_rad_s = axis * 100;
    body.bullet = bullet;
    BodyId const flying = test::add(world, body);
    int const ticks = static_cast<int>(60 * length(to - start) / speed) + 8;
    for (int tick = 0; tick < ticks; ++tick) {
      (void)world.step();
      double const side = test::displacement(world.center_of_mass(target), world.center_of_mass(flying)).x;
      ASSERT_LT(side, 0) << "seed " << seed << " shot " << shot << " tick " << tick << " at " << speed
                         << " m/s";
    }
    ASSERT_FALSE(world.is_quarantined(flying));
  }
}

TYPED_TEST(FastBodies, AThousandShotsNeverPassAThinStaticWall) {
  shoot<TypeParam>(Wall::kStatic, true, false, 1);
}
TYPED_TEST(FastBodies, AThousandSpinningShotsNeverPassAThinStaticWall) {
  shoot<TypeParam>(Wall::kStatic, true, true, 2);
}
TYPED_TEST(FastBodies, AThousandShotsThatAreNoBulletsNeverPassAThinStaticWall) {
  shoot<TypeParam>(Wall::kStatic, false, true, 3);
}
TYPED_TEST(FastBodies, AThousandShotsNeverPassAThinMovingWall) {
  shoot<TypeParam>(Wall::kKinematic, false, true, 4);
}
// Few kinematic shapes are looked at one by one, many by the tree.
TYPED_TEST(FastBodies, NoShotPassesAThinMovingWallAmongManyOthers) {
  shoot<TypeParam>(Wall::kKinematic, false, true, 7, 150, 100);
}
TYPED_TEST(FastBodies, AThousandBulletsNeverPassAThinDynamicWall) {
  shoot<TypeParam>(Wall::kDynamic, true, true, 5);
}

TYPED_TEST(FastBodies, NoShotPassesAMesh) {
  test::MeshSource const source =
      test::grid_mesh(30, 30, 2, -30, -30, [](double x, double z) { return 0.01 * x * x - 0.02 * x * z; });
  MeshDef const mesh = source.def();
  Random random(6);
  for (std::uint32_t shot = 0; shot < 200; ++shot) {
    World<TypeParam> world = test::make_world<TypeParam>();
    test::add(world, BodyType::kStatic, test::mesh_shape(mesh), at(0, 0, 0));
    ShapeDef const shape = projectile(shot % 5, {});
    double const x = random.next_between(-4, 4);
    double const z = random.next_between(-4, 4);
    BodyDef body = test::body(BodyType::kDynamic, {&shape, 1}, at(x, random.next_between(2, 12), z));
    body.linear_velocity_m_s = {random.next_between(-10, 10), -random.next_between(30, 500), 0};
    body.angular_velocity_rad_s = draw(random, 50);
    BodyId const flying = test::add(world, body);
    for (int tick = 0; tick < 30; ++tick) {
      (void)world.step();
      Vec3<double> const p = test::metres(world.center_of_mass(flying));
      if (std::abs(p.x) > 28 || std::abs(p.z) > 28) break;
      ASSERT_GT(p.y, 0.01 * p.x * p.x - 0.02 * p.x * p.z - 0.03)
          << "shot " << shot << " tick " << tick;  // 0.02: facets under a saddle
    }
  }
}

TYPED_TEST(FastBodies, WhatIsNoBulletMayPassAThinDynamicWall) {
  World<TypeParam> world = test::make_world<TypeParam>(this->weightless());
  BodyId const wall = test::add(world, BodyType::kDynamic, test::box(0.01, 3, 3), at(0, 0, 0));
  ShapeDef const shape = test::sphere(0.05);
  BodyDef body = test::body(BodyType::kDynamic, {&shape, 1}, at(-4, 0, 0));
  body.linear_velocity_m_s = {500, 0, 0};
  BodyId const flying = test::add(world, body);
  (void)world.step();
  EXPECT_GT(test::metres(world.center_of_mass(flying)).x, 4);
  EXPECT_EQ(length(to_double(world.linear_velocity(wall))), 0) << "this is what bullets are for";
}

TYPED_TEST(FastBodies, ABulletHandsItsMomentumToWhatItHits) {
  World<TypeParam> world = test::make_world<TypeParam>(this->weightless());
  BodyId const block = test::add(world, BodyType::kDynamic, test::box(0.1, 0.5, 0.5), at(3, 0, 0));
  ShapeDef shape = test::sphere(0.05);
  shape.density_kg_m3 = 8000;
  BodyDef body = test::body(BodyType::kDynamic, {&shape, 1}, at(0, 0, 0));
  body.linear_velocity_m_s = {400, 0, 0};
  body.bullet = true;
  BodyId const bullet = test::add(world, body);
  double const momentum = world.mass_kg(bullet) * 400;
  (void)world.step();
  EXPECT_NEAR(test::metres(world.center_of_mass(bullet)).x, 2.85, 0.001)
      << "it stands at the touch for the rest of the tick";
  EXPECT_EQ(to_double(world.linear_velocity(bullet)).x, 400) << "with its velocity";
  (void)world.step();
  double const together = momentum / (world.mass_kg(bullet) + world.mass_kg(block));
  EXPECT_NEAR(to_double(world.linear_velocity(bullet)).x, together, 0.05 * together);
  EXPECT_NEAR(to_double(world.linear_velocity(block)).x, together, 0.05 * together);
  double const after = world.mass_kg(bullet) * to_double(world.linear_velocity(bullet)).x +
                       world.mass_kg(block) * to_double(world.linear_velocity(block)).x;
  EXPECT_NEAR(after, momentum, momentum * 1e-5);
}

// A bullet that stopped at a body knocked aside was carried along with it, off its locked axes.
TYPED_TEST(FastBodies, ABulletStaysOnItsLockedAxes) {
  Random random(7);
  int deflected = 0;
  for (int shot = 0; shot < 60; ++shot) {
    World<TypeParam> world = test::make_world<TypeParam>(WorldDef{});
    ShapeDef drum = test::cylinder(0.64, 1.8);
    drum.density_kg_m3 = 10;
    Vec3<double> const aside{random.next_between(-0.4, 0.4), 0, random.next_between(-0.4, 0.4)};
    BodyId const hit = test::add(world, BodyType::kDynamic, drum, at(aside.x, 1, aside.z));
    ShapeDef const shape = test::sphere(0.3);
    BodyDef body = test::body(BodyType::kDynamic, {&shape, 1}, at(0, 4, 0));
    body.linear_velocity_m_s = {0, -60, 0};
    body.bullet = true;
    body.locked_axes = shot % 3 == 0   ? kLockLinearX
                       : shot % 3 == 1 ? kLockLinearZ
                                       : static_cast<std::uint8_t>(kLockLinearX | kLockLinearZ);
    BodyId const bullet = test::add(world, body);
    for (int tick = 0; tick < 30; ++tick) {
      (void)world.step();
      Vec3<double> const center = test::metres(world.center_of_mass(bullet));
      if ((body.locked_axes & kLockLinearX) != 0) {
        EXPECT_EQ(center.x, 0) << shot << ' ' << tick;
      }
      if ((body.locked_axes & kLockLinearZ) != 0) {
        EXPECT_EQ(center.z, 0) << shot << ' ' << tick;
      }
    }
    Vec3<double> const drum_velocity = to_double(world.linear_velocity(hit));
    if (std::abs(drum_velocity.x) + std::abs(drum_velocity.z) > 1) ++deflected;
  }
  EXPECT_GT(deflected, 20) << "or the shots test nothing";
}

TYPED_TEST(FastBodies, ABulletWakesAndScattersASleepingStack) {
  World<TypeParam> world = test::make_world<TypeParam>();
  test::add_ground(world);
  std::vector<BodyId> stack;
  for (int i = 0; i < 5; ++i)
    stack.push_back(
        test::add(world, BodyType::kDynamic, test::box(0.25, 0.25, 0.25), at(0, 0.25 + 0.5 * i, 0)));
  test::run(world, 120);
  for (BodyId const id : stack) ASSERT_TRUE(world.is_asleep(id));
  ShapeDef shape = test::sphere(0.1);
  shape.density_kg_m3 = 8000;
  BodyDef body = test::body(BodyType::kDynamic, {&shape, 1}, at(-6, 1.25, 0));
  body.linear_velocity_m_s = {300, 0, 0};
  body.bullet = true;
  (void)test::add(world, body);
  test::run(world, 4);
  for (BodyId const id : stack) EXPECT_FALSE(world.is_asleep(id));
  EXPECT_GT(to_double(world.linear_velocity(stack[2])).x, 20);
  test::run(world, 60);
  EXPECT_GT(length(test::metres(world.center_of_mass(stack[2]))), 3);
}

// Tiles with flush tops: the sweep must not take the side of the next one for a wall.
TYPED_TEST(FastBodies, AThrownBoxSlidesOverTilesWithoutCatching) {
  World<TypeParam> world = test::make_world<TypeParam>();
  for (int i = 0; i < 60; ++i) {
    ShapeDef tile = test::box(0.5, 0.1, 1);
    tile.friction = 0;
    test::add(world, BodyType::kStatic, tile, at(i, -0.1, 0));
  }
  ShapeDef shape = test::box(0.2, 0.1, 0.2);
  shape.friction = 0;
  BodyDef body = test::body(BodyType::kDynamic, {&shape, 1}, at(0, 0.1, 0));
  body.linear_velocity_m_s = {25, 0, 0};
  BodyId const box = test::add(world, body);
  for (int tick = 0; tick < 120; ++tick) {
    (void)world.step();
    ASSERT_NEAR(to_double(world.linear_velocity(box)).x, 25, 0.05) << "at tick " << tick;
    ASSERT_NEAR(test::metres(world.center_of_mass(box)).x, 25.0 * (tick + 1) / 60, 0.02)
        << "at tick " << tick;
    ASSERT_NEAR(test::metres(world.center_of_mass(box)).y, 0.1, 0.005) << "at tick " << tick;
  }
}

// A fast ball keeps its energy but for the restitution, and loses less than a tick a bounce.
TYPED_TEST(FastBodies, ABallBouncesBetweenThinWallsWithoutLosingSpeed) {
  World<TypeParam> world = test::make_world<TypeParam>(this->weightless());
  ShapeDef wall = test::box(0.01, 3, 3);
  wall.restitution = 1;
  test::add(world, BodyType::kStatic, wall, at(-2, 0, 0));
  test::add(world, BodyType::kStatic, wall, at(2, 0, 0));
  ShapeDef const shape = test::sphere(0.1);
  BodyDef body = test::body(BodyType::kDynamic, {&shape, 1}, at(0, 0, 0));
  body.linear_velocity_m_s = {200, 0, 0};
  BodyId const ball = test::add(world, body);
  int turns = 0;
  double last = 200;
  for (int tick = 0; tick < 300; ++tick) {
    (void)world.step();
    double const speed = to_double(world.linear_velocity(ball)).x;
    ASSERT_NEAR(std::abs(speed), 200, 0.1) << "at tick " << tick;
    ASSERT_LT(std::abs(test::metres(world.center_of_mass(ball)).x), 1.9) << "at tick " << tick;
    if (speed * last < 0) ++turns;
    last = speed;
  }
  EXPECT_GT(turns, 90) << "it crosses 3.8 m and turns in two or three ticks";
}

// A corner that would turn into the ground within the tick has no contact yet. The sweep stopped such a body
// at its start in each tick, with its velocities, for ever. Each stop now halves the spin: eight of them
// leave 0.1 rad/s of 30.
TYPED_TEST(FastBodies, ATumblingBodyThatMeetsTheGroundGoesOn) {
  Random random(11);
  for (int shot = 0; shot < 60; ++shot) {
    World<TypeParam> world = test::make_world<TypeParam>();
    (void)test::add_ground(world);
    (void)test::add(world, BodyType::kStatic, test::box(0.02, 0.3, 0.3), at(0, 0.3, 0));
    std::vector<BodyId> bodies;
    for (double const x : {-0.5, 0.5}) {
      ShapeDef const shape = test::box(0.25, 0.06, 0.12);
      BodyDef def = test::body(BodyType::kDynamic, {&shape, 1}, at(x, 0.7, 0),
                               unit(Quat<double>{random.next_between(-1, 1), random.next_between(-1, 1),
                                                 random.next_between(-1, 1), random.next_between(0.1, 1)}));
      def.linear_velocity_m_s = draw(random, 4) + Vec3<double>{-6 * x, -4, 0};
      def.angular_velocity_rad_s = draw(random, 30);
      bodies.push_back(test::add(world, def));
    }
    int still[2] = {};
    for (int tick = 0; tick < 120; ++tick) {
      Position const before[2] = {world.pose(bodies[0]).position, world.pose(bodies[1]).position};
      (void)world.step();
      for (std::size_t i = 0; i < 2; ++i) {
        bool const stays = test::displacement(before[i], world.pose(bodies[i]).position) == Vec3<double>{};
        Vec3<double> const velocity = to_double(world.linear_velocity(bodies[i]));
        still[i] = stays && dot(velocity, velocity) > 0.25 ? still[i] + 1 : 0;
        ASSERT_LE(still[i], 8) << "shot " << shot << " tick " << tick;
      }
    }
  }
}

TYPED_TEST(FastBodies, SavedAndRestoredAtEveryTickAShotGoesTheSameWay) {
  World<TypeParam> world = test::make_world<TypeParam>();
  test::add_ground(world);
  test::add(world, BodyType::kStatic, test::box(0.01, 3, 3), at(5, 2, 0));
  for (int i = 0; i < 4; ++i) {
    for (std::uint32_t kind = 0; kind < 5; ++kind) {
      ShapeDef const shape = projectile(kind, {});
      BodyDef body = test::body(BodyType::kDynamic, {&shape, 1}, at(-3.0 * i, 1 + 0.5 * kind, 0.3 * i));
      body.linear_velocity_m_s = {150.0 + 40 * i, 3, 0};
      body.angular_velocity_rad_s = {30, 20, 10};
      body.bullet = kind % 2 == 0;
      (void)test::add(world, body);
    }
  }
  auto other = World<TypeParam>::restore(world.save());
  for (int tick = 0; tick < 60; ++tick) {
    (void)world.step({.lanes = tick % 2 == 0 ? 1u : 4u});
    other = World<TypeParam>::restore(other->save());
    (void)other->step();
    ASSERT_EQ(world.hash(), other->hash()) << "at tick " << tick;
  }
}

// An elastic impact of a heavy body gives a light one up to twice its speed, and any spin. Clients that
// correct a body to a published speed have it refused beyond the limits.
TYPED_TEST(FastBodies, PublishedSpeedsAreWithinTheLimits) {
  Random random(17);
  int at_limit = 0;
  for (int scene = 0; scene < 60; ++scene) {
    World<TypeParam> world = test::make_world<TypeParam>(this->weightless());
    ShapeDef heavy = test::sphere(0.5);
    heavy.density_kg_m3 = 1e4;
    heavy.restitution = 1.0;
    ShapeDef light = test::box(random.next_between(0.02, 0.1), 0.02, random.next_between(0.02, 0.3));
    light.restitution = 1.0;
    light.friction = 2.0;
    light.density_kg_m3 = 10;
    Vec3<double> const beside = draw(random, 0.1);
    BodyDef fast = test::body(BodyType::kDynamic, {&heavy, 1}, at(0, 0, 0));
    fast.linear_velocity_m_s = {random.next_between(20, kMaxLinearSpeedMS), 0, 0};
    std::vector<BodyId> bodies{
        test::add(world, fast),
        test::add(world, BodyType::kDynamic, light, at(0.5 + light.half_extents_m.x, beside.y, beside.z))};
    for (int tick = 0; tick < 5; ++tick) {
      (void)world.step();
      for (BodyId const body : bodies) {
        double const linear = length(to_double(world.linear_velocity(body)));
        double const angular = length(to_double(world.angular_velocity(body)));
        EXPECT_LE(linear, kMaxLinearSpeedMS * (1.0 + 1e-6)) << "scene " << scene << " tick " << tick;
        EXPECT_LE(angular, kMaxAngularSpeedRadS * (1.0 + 1e-6)) << "scene " << scene << " tick " << tick;
        if (linear > 0.999 * kMaxLinearSpeedMS || angular > 0.999 * kMaxAngularSpeedRadS) ++at_limit;
      }
    }
  }
  EXPECT_GT(at_limit, 60);
}

}  // namespace
}  // namespace takt
