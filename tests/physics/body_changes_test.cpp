// Changes of a body between ticks, and their consequences: locked axes, disabled and enabled again, another
// type, a target for the next step.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/physics/simple_world.h"

namespace takt {
namespace {

using test::at;

template <class Real>
class BodyChangesTest : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(BodyChangesTest, Reals);

template <class Real>
Vec3<double> position(const World<Real>& world, BodyId body) {
  return test::metres(world.pose(body).position);
}

// A heap of planar bodies, boxes with an off-centre lump (so that their inertia has products) and balls,
// pushed about: z, and the turns about x and y, stay exactly 0.
TYPED_TEST(BodyChangesTest, PlanarBodiesStayExactlyOnTheirPlane) {
  auto world = test::make_world<TypeParam>();
  test::add_ground(world);
  std::vector<BodyId> bodies;
  for (int i = 0; i < 12; ++i) {
    ShapeDef shapes[2] = {i % 3 == 0 ? test::sphere(0.4) : test::box(0.4, 0.25, 0.3), test::sphere(0.15)};
    shapes[1].local_position_m = {0.2, 0.1, 0.25};
    shapes[1].density_kg_m3 = 8000;
    BodyDef def = test::body(BodyType::kDynamic, {shapes, i % 2 == 0 ? 2u : 1u},
                             at(0.3 * (i % 4), 0.6 + 0.7 * i, 0), test::about_z(0.3 * i));
    def.locked_axes = kLockToPlaneXY;
    def.linear_velocity_m_s = {1, 0, 5};
    def.angular_velocity_rad_s = {3, 2, 1};
    bodies.push_back(test::add(world, def));
  }
  // A free ball comes in across the plane.
  BodyDef stray = test::body(BodyType::kDynamic, {}, at(0.5, 1.0, 3));
  ShapeDef const ball = test::sphere(0.3);
  stray.shapes = {&ball, 1};
  stray.linear_velocity_m_s = {0, 0, -8};
  test::add(world, stray);
  ASSERT_TRUE(world.create_grab(bodies[5], {0.1, 0, 0.1}, at(2, 3, 2), 20000).ok());
  double max_rotation = 0;
  for (int tick = 0; tick < 300; ++tick) {
    if (tick % 40 == 7) {
      ASSERT_TRUE(
          world.apply_impulse_at(bodies[static_cast<std::size_t>(tick / 40)], {50, 100, 300}, at(0.5, 1, 0.4))
              .ok());
      ASSERT_TRUE(world.apply_angular_impulse(bodies[1], {10, 10, 10}).ok());
      ASSERT_TRUE(world.apply_force(bodies[2], {100, 500, 900}, {50, 60, 70}).ok());
    }
    (void)world.step();
    for (BodyId const body : bodies) {
      BodyPose<TypeParam> const pose = world.pose(body);
      ASSERT_EQ(pose.position.z_raw, 0) << "tick " << tick;
      ASSERT_EQ(to_double(pose.rotation.x), 0.0);
      ASSERT_EQ(to_double(pose.rotation.y), 0.0);
      ASSERT_EQ(to_double(world.linear_velocity(body).z), 0.0);
      ASSERT_EQ(to_double(world.angular_velocity(body).x), 0.0);
      ASSERT_EQ(to_double(world.angular_velocity(body).y), 0.0);
      max_rotation = std::max(max_rotation, std::fabs(to_double(world.angular_velocity(body).z)));
    }
  }
  EXPECT_GT(max_rotation, 1.0) << "something must turn for the test to mean anything";
}

// In the plane they obey mechanics: a box slides exactly as a free one does on the same floor, and a
// pendulum's moment is that about z.
TYPED_TEST(BodyChangesTest, APlanarBoxSlidesAndTopplesLikeAFreeOne) {
  auto const slide = [](std::uint8_t locked) {
    auto world = test::make_world<TypeParam>();
    test::add_ground(world, {}, {}, 0.5);
    ShapeDef shape = test::box(0.5, 0.25, 0.5);
    shape.friction = 0.5;
    BodyDef def = test::body(BodyType::kDynamic, {&shape, 1}, at(0, 0.25, 0));
    def.linear_velocity_m_s = {4, 0, 0};
    def.locked_axes = locked;
    BodyId const id = test::add(world, def);
    test::run(world, 120);
    return position(world, id).x;
  };
  double const expected = 16 / (2 * 9.81 * 0.5);
  EXPECT_NEAR(slide(0), expected, 0.01 * expected);
  EXPECT_NEAR(slide(kLockToPlaneXY), expected, 0.01 * expected);
}

// The inverse inertia of a planar body is 1 / I_zz, not (I^-1)_zz, which products of inertia make larger.
TYPED_TEST(BodyChangesTest, APlanarBodyTurnsByItsMomentAboutTheAxis) {
  auto world = test::make_world<TypeParam>();
  ShapeDef shapes[2] = {test::sphere(0.2), test::sphere(0.2)};
  shapes[0].local_position_m = {1, 0, 1};
  shapes[1].local_position_m = {-1, 0, -1};
  BodyDef def = test::body(BodyType::kDynamic, shapes, at(0, 10, 0));
  def.locked_axes = kLockAngularX | kLockAngularY;
  BodyId const id = test::add(world, def);
  double const half = 0.5 * world.mass_kg(id);
  double const moment = 2 * (half * 1.0 + 0.4 * half * 0.04);
  ASSERT_TRUE(world.apply_angular_impulse(id, {0, 0, 100}).ok());
  EXPECT_NEAR(to_double(world.angular_velocity(id).z), 100 / moment, 1e-5 * 100 / moment);
  EXPECT_EQ(world.locked_axes(id), kLockAngularX | kLockAngularY);
  // Unlocked, the body keeps its velocity; locked about the other axis, it stops.
  ASSERT_TRUE(world.set_locked_axes(id, kLockAngularZ | kLockLinearY).ok());
  EXPECT_EQ(to_double(world.angular_velocity(id).z), 0.0);
  test::run(world, 30);
  EXPECT_EQ(position(world, id).y, 10.0) << "gravity has nothing to pull along";
  EXPECT_EQ(world.set_locked_axes(id, 64).error(), PhysicsError::kOutOfRange);
  EXPECT_EQ(world.set_locked_axes(BodyId{}, 0).error(), PhysicsError::kUnknownBody);
}

// A body whose turns are all locked stays upright however it is hit, and passes the blow on as a mass.
TYPED_TEST(BodyChangesTest, AHitOnABodyThatDoesNotTurnMovesItsMassAlone) {
  WorldDef none;
  none.gravity_m_s2 = {};
  auto world = test::make_world<TypeParam>(none);
  ShapeDef shape = test::box(0.5, 1, 0.5);
  BodyDef def = test::body(BodyType::kDynamic, {&shape, 1}, at(0, 0, 0));
  def.locked_axes = kLockAngularX | kLockAngularY | kLockAngularZ;
  BodyId const post = test::add(world, def);
  ShapeDef ball = test::sphere(0.3);
  BodyDef shot = test::body(BodyType::kDynamic, {&ball, 1}, at(-3, 0.9, 0));
  shot.linear_velocity_m_s = {10, 0, 0};
  BodyId const id = test::add(world, shot);
  test::run(world, 60);
  double const m = world.mass_kg(id);
  double const together = 10 * m / (m + world.mass_kg(post));
  EXPECT_NEAR(to_double(world.linear_velocity(post).x), together, 0.01 * together);
  EXPECT_EQ(world.angular_velocity(post), (Vec3<TypeParam>{}));
}

TYPED_TEST(BodyChangesTest, ADisabledBodyTakesNoPartAndGoesOnWhereItWas) {
  auto world = test::make_world<TypeParam>();
  BodyId const floor = test::add_ground(world);
  BodyId const lower = test::add(world, BodyType::kDynamic, test::box(0.5, 0.5, 0.5), at(0, 0.5, 0));
  BodyId const upper = test::add(world, BodyType::kDynamic, test::box(0.5, 0.5, 0.5), at(0, 1.5, 0));
  test::run(world, 90);
  ASSERT_TRUE(world.is_asleep(upper));
  Position const before = world.pose(lower).position;
  ASSERT_TRUE(world.set_enabled(lower, false).ok());
  EXPECT_FALSE(world.is_enabled(lower));
  EXPECT_FALSE(world.is_asleep(upper)) << "its support is gone";
  (void)world.step();
  EXPECT_EQ(world.events().contact_end.size(), 2u);
  EXPECT_EQ(world.apply_impulse(lower, {0, 1, 0}).error(), PhysicsError::kDisabled);
  EXPECT_EQ(world.create_grab(lower, {}, at(0, 1, 0), 1).error(), PhysicsError::kDisabled);
  test::run(world, 120);
  EXPECT_EQ(world.pose(lower).position, before);
  EXPECT_NEAR(position(world, upper).y, 0.5, 0.005) << "it fell through";
  EXPECT_EQ(world.step().awake_body_count, 0u) << "a disabled body keeps nothing awake";
  // Enabled inside the other it pushes itself free; ids are the old ones.
  ASSERT_TRUE(world.set_pose(lower, at(0, 5, 0), {}).ok());
  ASSERT_TRUE(world.set_velocity(lower, {0, -1, 0}, {}).ok());
  test::run(world, 10);
  EXPECT_EQ(position(world, lower).y, 5.0);
  ASSERT_TRUE(world.set_enabled(lower, true).ok());
  (void)world.step();
  EXPECT_NEAR(to_double(world.linear_velocity(lower).y), -1 - 9.81 / 60, 1e-5) << "it kept its velocity";
  test::run(world, 150);
  EXPECT_NEAR(position(world, lower).y, 1.5, 0.01);
  // The ground too.
  ASSERT_TRUE(world.set_enabled(floor, false).ok());
  test::run(world, 60);
  EXPECT_LT(position(world, upper).y, -3.0);
}

TYPED_TEST(BodyChangesTest, ABodyMayChangeItsTypeAndBack) {
  auto world = test::make_world<TypeParam>();
  test::add_ground(world);
  ShapeDef shapes[2] = {test::box(0.5, 0.5, 0.5), test::sphere(0.4)};
  shapes[1].local_position_m = {0.5, 0.6, 0};
  BodyId const pillar =
      test::add(world, test::body(BodyType::kStatic, shapes, at(0, 2, 0), test::about_z(0.4)));
  BodyId const twin =
      test::add(world, test::body(BodyType::kDynamic, shapes, at(10, 2, 0), test::about_z(0.4)));
  BodyId const rider = test::add(world, BodyType::kDynamic, test::sphere(0.3), at(-0.4, 3.2, 0));
  EXPECT_EQ(world.mass_kg(pillar), 0.0);
  Position const before = world.pose(pillar).position;
  // Static to dynamic: from its shapes it has the mass and centre that a dynamic twin has, to the rounding of
  // the stored sizes, and falls like it.
  ASSERT_TRUE(world.set_type(pillar, BodyType::kDynamic).ok());
  ASSERT_TRUE(world.set_pose(twin, at(10, 2, 0), test::about_z(0.4)).ok());
  ASSERT_TRUE(world.set_velocity(twin, {}, {}).ok());
  EXPECT_EQ(world.pose(pillar).position, before) << "the origin stays";
  EXPECT_NEAR(world.mass_kg(pillar), world.mass_kg(twin), 1e-6 * world.mass_kg(twin));
  Vec3<double> const apart = test::displacement(world.center_of_mass(pillar), world.center_of_mass(twin));
  EXPECT_NEAR(test::length_of(apart - Vec3<double>{10, 0, 0}), 0.0, 1e-6);
  ASSERT_TRUE(world.destroy_body(rider).ok());
  test::run(world, 20);
  EXPECT_NEAR(position(world, pillar).y, position(world, twin).y, 1e-5);
  // Dynamic to kinematic keeps the velocity for good; to static ends it.
  Vec3<TypeParam> const falling = world.linear_velocity(pillar);
  ASSERT_TRUE(world.set_type(pillar, BodyType::kKinematic).ok());
  test::run(world, 5);
  EXPECT_EQ(world.linear_velocity(pillar), falling);
  EXPECT_EQ(world.mass_kg(pillar), 0.0);
  ASSERT_TRUE(world.set_type(pillar, BodyType::kStatic).ok());
  EXPECT_EQ(world.linear_velocity(pillar), (Vec3<TypeParam>{}));
  Position const held = world.pose(pillar).position;
  test::run(world, 30);
  EXPECT_EQ(world.pose(pillar).position, held);
  ASSERT_TRUE(world.set_type(pillar, BodyType::kDynamic).ok());
  EXPECT_NEAR(world.mass_kg(pillar), world.mass_kg(twin), 1e-6 * world.mass_kg(twin)) << "its mass came back";
}

TYPED_TEST(BodyChangesTest, AChangeOfTypeIsRefusedWholeOrDone) {
  auto world = test::make_world<TypeParam>();
  BodyId const floor = test::add_ground(world);
  ShapeDef weightless = test::sphere(0.5);
  weightless.density_kg_m3 = 0;
  BodyId const bubble = test::add(world, BodyType::kStatic, weightless, at(5, 5, 5));
  std::uint64_t const before = world.hash();
  EXPECT_EQ(world.set_type(floor, BodyType::kDynamic).error(), PhysicsError::kHalfSpaceNotStatic);
  EXPECT_EQ(world.set_type(floor, BodyType::kKinematic).error(), PhysicsError::kHalfSpaceNotStatic);
  EXPECT_EQ(world.set_type(bubble, BodyType::kDynamic).error(), PhysicsError::kNoMass);
  EXPECT_EQ(world.set_type(bubble, static_cast<BodyType>(3)).error(), PhysicsError::kOutOfRange);
  EXPECT_EQ(world.set_type(BodyId{}, BodyType::kStatic).error(), PhysicsError::kUnknownBody);
  EXPECT_EQ(world.hash(), before);
}

// Support that turns dynamic under a sleeper falls with it; what is made static holds, and its grab is gone.
TYPED_TEST(BodyChangesTest, ChangesOfTypeWakeWhatTheyConcern) {
  auto world = test::make_world<TypeParam>();
  BodyId const shelf = test::add(world, BodyType::kStatic, test::box(1, 0.1, 1), at(0, 3, 0));
  BodyId const box = test::add(world, BodyType::kDynamic, test::box(0.3, 0.3, 0.3), at(0, 3.4, 0));
  test::run(world, 90);
  ASSERT_TRUE(world.is_asleep(box));
  ASSERT_TRUE(world.set_type(shelf, BodyType::kDynamic).ok());
  EXPECT_FALSE(world.is_asleep(box));
  test::run(world, 30);
  EXPECT_LT(position(world, box).y, 2.5);
  GrabId const grab = world.create_grab(shelf, {}, at(0, 5, 0), 10).value();
  ASSERT_TRUE(world.set_type(shelf, BodyType::kStatic).ok());
  EXPECT_FALSE(world.contains(grab));
  test::run(world, 90);
  EXPECT_NEAR(position(world, box).y, position(world, shelf).y + 0.4, 0.01);
}

// The body is exactly where it was sent, after a turn of nearly half a circle as well; what rides on it was
// carried, not teleported under.
TYPED_TEST(BodyChangesTest, AKinematicBodyArrivesExactlyAtItsTarget) {
  auto world = test::make_world<TypeParam>();
  BodyId const lift = test::add(world, BodyType::kKinematic, test::box(1, 0.1, 1), at(0, 1, 0));
  BodyId const rider = test::add(world, BodyType::kDynamic, test::box(0.3, 0.3, 0.3), at(0, 1.4, 0));
  test::run(world, 60);
  for (int i = 1; i <= 60; ++i) {
    double const t = i / 60.0;
    Position const to = at(0.7 * t, 1 + 0.5 * t, -0.2 * t);
    ASSERT_TRUE(world.set_target(lift, to, test::about_y(0.4 * t)).ok());
    EXPECT_NEAR(to_double(world.linear_velocity(lift).y), 0.5, 1e-4) << "the velocity that the way implies";
    EXPECT_NEAR(to_double(world.angular_velocity(lift).y), 0.4, 1e-3);
    (void)world.step();
    ASSERT_EQ(world.pose(lift).position, to);
  }
  EXPECT_FALSE(world.is_asleep(rider));
  EXPECT_NEAR(position(world, rider).x, 0.7, 0.03);
  EXPECT_NEAR(position(world, rider).y, 1.9, 0.01);
  EXPECT_NE(world.linear_velocity(lift), (Vec3<TypeParam>{})) << "as it came";
  (void)world.step();
  EXPECT_EQ(world.linear_velocity(lift), (Vec3<TypeParam>{})) << "without another target it stands";
  Position const there = world.pose(lift).position;
  test::run(world, 90);
  EXPECT_EQ(world.pose(lift).position, there);
  EXPECT_TRUE(world.is_asleep(rider));
  ASSERT_TRUE(world.set_target(lift, there, test::about_x(3.1)).ok());
  (void)world.step();
  Quat<TypeParam> const q = world.pose(lift).rotation;
  EXPECT_NEAR(to_double(q.x), std::sin(1.55), 1e-6);
  // Standing still as a target is one; a velocity or a pose set after it takes its place.
  ASSERT_TRUE(world.set_target(lift, at(3, 3, 3), {}).ok());
  ASSERT_TRUE(world.set_velocity(lift, {0, 6, 0}, {}).ok());
  double const from = position(world, lift).y;
  test::run(world, 2);
  EXPECT_NEAR(position(world, lift).y, from + 0.2, 1e-5);
  EXPECT_EQ(world.set_target(rider, there, {}).error(), PhysicsError::kNotKinematic);
  EXPECT_EQ(world.set_target(lift, at(0, 1000, 0), {}).error(), PhysicsError::kOutOfRange)
      << "1 km in a tick";
  EXPECT_EQ(world.set_target(lift, there, {0, 0, 0, 0}).error(), PhysicsError::kBadRotation);
  ASSERT_TRUE(world.set_enabled(lift, false).ok());
  EXPECT_EQ(world.set_target(lift, there, {}).error(), PhysicsError::kDisabled);
}

TYPED_TEST(BodyChangesTest, GravityScaleDampingAndTagMayChange) {
  auto world = test::make_world<TypeParam>();
  BodyId const body = test::add(world, BodyType::kDynamic, test::sphere(0.5), at(0, 100, 0));
  ASSERT_TRUE(world.set_gravity_scale(body, -0.5).ok());
  test::run(world, 60);
  EXPECT_NEAR(to_double(world.linear_velocity(body).y), 0.5 * 9.81, 1e-4);
  ASSERT_TRUE(world.set_gravity_scale(body, 0).ok());
  ASSERT_TRUE(world.set_damping(body, 2, 3).ok());
  ASSERT_TRUE(world.set_velocity(body, {1, 0, 0}, {0, 1, 0}).ok());
  test::run(world, 60);
  // 1 / (1 + h c) each of 240 substeps.
  EXPECT_NEAR(to_double(world.linear_velocity(body).x), std::pow(1 + 2.0 / 240, -240), 1e-4);
  EXPECT_NEAR(to_double(world.angular_velocity(body).y), std::pow(1 + 3.0 / 240, -240), 1e-4);
  ASSERT_TRUE(world.set_user_tag(body, ~std::uint64_t{0}).ok());
  auto const copy = std::move(World<TypeParam>::restore(world.save())).value();
  EXPECT_EQ(copy.user_tag(body), ~std::uint64_t{0});
  EXPECT_EQ(world.set_gravity_scale(body, 1001).error(), PhysicsError::kOutOfRange);
  EXPECT_EQ(world.set_damping(body, -1, 0).error(), PhysicsError::kOutOfRange);
  EXPECT_EQ(world.set_damping(BodyId{}, 0, 0).error(), PhysicsError::kUnknownBody);
}

// Every change there is, in a world that is restored, or rolled back and stepped again, at every tick: the
// same bits and events.
TYPED_TEST(BodyChangesTest, RestoringAtEveryTickChangesNothing) {
  auto straight = test::make_world<TypeParam>();
  std::vector<BodyId> bodies;
  test::add_ground(straight);
  bodies.push_back(test::add(straight, BodyType::kKinematic, test::box(2, 0.2, 2), at(0, 0.6, 0)));
  for (int i = 0; i < 6; ++i) {
    ShapeDef shape = i % 2 == 0 ? test::box(0.3, 0.2, 0.4) : test::capsule(0.2, 0.3);
    shape.rolling_resistance = 0.01 * i;
    BodyDef def = test::body(BodyType::kDynamic, {&shape, 1}, at(0.2 * i, 1.5 + 0.8 * i, 0));
    if (i == 4) def.locked_axes = kLockToPlaneXY;
    bodies.push_back(test::add(straight, def));
  }
  auto nervous = std::move(World<TypeParam>::restore(straight.save())).value();
  auto const act = [&](World<TypeParam>& world, int tick) {
    if (tick % 3 == 0)
      (void)world.set_target(bodies[0], at(0.01 * (tick % 50), 0.6 + 0.002 * (tick % 40), 0),
                             test::about_y(0.01 * (tick % 30)));
    if (tick % 50 == 10) (void)world.set_enabled(bodies[2], false);
    if (tick % 50 == 35) (void)world.set_enabled(bodies[2], true);
    if (tick % 60 == 20) (void)world.set_type(bodies[3], BodyType::kStatic);
    if (tick % 60 == 40) (void)world.set_type(bodies[3], BodyType::kDynamic);
    if (tick % 70 == 30) (void)world.set_locked_axes(bodies[4], kLockLinearX);
    if (tick % 70 == 60) (void)world.set_locked_axes(bodies[4], 0);
    if (tick % 80 == 79) (void)world.apply_impulse(bodies[5], {100, 300, 50});
  };
  WorldSnapshot<TypeParam> snapshot;
  for (int tick = 0; tick < 300; ++tick) {
    act(straight, tick);
    act(nervous, tick);
    (void)straight.step();
    nervous = std::move(World<TypeParam>::restore(nervous.save())).value();
    nervous.capture(snapshot);
    test::run(nervous, 3);
    nervous.rollback(snapshot);
    (void)nervous.step();
    ASSERT_EQ(straight.hash(), nervous.hash()) << "tick " << tick;
    ASSERT_EQ(straight.events().contact_begin, nervous.events().contact_begin);
    ASSERT_EQ(straight.events().contact_end, nervous.events().contact_end);
    ASSERT_EQ(straight.events().hits, nervous.events().hits);
  }
}

}  // namespace
}  // namespace takt
