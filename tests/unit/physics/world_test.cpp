// The public face of the engine: what it refuses and by which name, what destroying takes along, and bodies
// that leave the world.
#include "takt/physics/world.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/physics/simple_world.h"

namespace takt {
namespace {

using test::at;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class Real>
class WorldTest : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(WorldTest, Reals);

TYPED_TEST(WorldTest, BadWorldsAreRefusedByName) {
  auto const refused = [](auto change) {
    WorldDef def;
    change(def);
    return World<TypeParam>::create(def).error();
  };
  EXPECT_EQ(refused([](WorldDef& d) { d.gravity_m_s2.y = kNan; }), PhysicsError::kNotFinite);
  EXPECT_EQ(refused([](WorldDef& d) { d.gravity_m_s2.y = -1001; }), PhysicsError::kOutOfRange);
  EXPECT_EQ(refused([](WorldDef& d) { d.tick_rate_hz = 0; }), PhysicsError::kOutOfRange);
  EXPECT_EQ(refused([](WorldDef& d) { d.tick_rate_hz = 1001; }), PhysicsError::kOutOfRange);
  EXPECT_EQ(refused([](WorldDef& d) { d.substeps = 65; }), PhysicsError::kOutOfRange);
  EXPECT_EQ(refused([](WorldDef& d) { d.max_bodies = 0; }), PhysicsError::kOutOfRange);
  EXPECT_EQ(refused([](WorldDef& d) { d.contact_push_max_m_s = kInfinity; }), PhysicsError::kNotFinite);
  EXPECT_EQ(refused([](WorldDef& d) { d.restitution_threshold_m_s = -1; }), PhysicsError::kOutOfRange);
  EXPECT_EQ(refused([](WorldDef& d) { d.friction_rule = MixRule::kWorld; }), PhysicsError::kOutOfRange);
}

TYPED_TEST(WorldTest, BadBodiesAreRefusedByNameAndLeaveNoTrace) {
  auto world = test::make_world<TypeParam>();
  std::uint64_t const empty = world.hash();
  auto const refused = [&](auto change) {
    ShapeDef shapes[2] = {test::box(0.5, 0.5, 0.5), test::sphere(0.5)};
    BodyDef def = test::body(BodyType::kDynamic, shapes, at(0, 0, 0));
    change(def, shapes);
    auto const made = world.create_body(def);
    EXPECT_EQ(world.hash(), empty) << "something was half made";
    return made.ok() ? PhysicsError{} : made.error();
  };
  using Shapes = ShapeDef(&)[2];
  EXPECT_EQ(refused([](BodyDef& d, Shapes) { d.linear_velocity_m_s.x = kNan; }), PhysicsError::kNotFinite);
  EXPECT_EQ(refused([](BodyDef& d, Shapes) { d.linear_velocity_m_s.x = 4001; }), PhysicsError::kOutOfRange);
  EXPECT_EQ(refused([](BodyDef& d, Shapes) {
              d.linear_velocity_m_s = {3000, 3000, 0};
            }),
            PhysicsError::kOutOfRange)
      << "the limit is of |v|";
  EXPECT_EQ(refused([](BodyDef& d, Shapes) { d.locked_axes = 64; }), PhysicsError::kOutOfRange);
  EXPECT_EQ(refused([](BodyDef& d, Shapes) { d.position.x_raw = kWorldLimitRaw + 1; }),
            PhysicsError::kOutOfRange);
  EXPECT_EQ(refused([](BodyDef& d, Shapes) { d.rotation = {0, 0, 0, 0}; }), PhysicsError::kBadRotation);
  EXPECT_EQ(refused([](BodyDef& d, Shapes) { d.rotation.w = kNan; }), PhysicsError::kNotFinite);
  EXPECT_EQ(refused([](BodyDef& d, Shapes) { d.linear_damping_1_s = -1; }), PhysicsError::kOutOfRange);
  EXPECT_EQ(refused([](BodyDef& d, Shapes) { d.type = static_cast<BodyType>(3); }),
            PhysicsError::kOutOfRange);
  EXPECT_EQ(refused([](BodyDef&, Shapes s) { s[1].kind = static_cast<ShapeKind>(0); }),
            PhysicsError::kBadShapeKind);
  EXPECT_EQ(refused([](BodyDef&, Shapes s) { s[1].kind = static_cast<ShapeKind>(100); }),
            PhysicsError::kBadShapeKind);
  EXPECT_EQ(refused([](BodyDef&, Shapes s) { s[1].radius_m = 0.0049; }), PhysicsError::kShapeTooSmall);
  EXPECT_EQ(refused([](BodyDef&, Shapes s) { s[1].radius_m = -1; }), PhysicsError::kShapeTooSmall);
  EXPECT_EQ(refused([](BodyDef&, Shapes s) { s[0].half_extents_m.z = 10'001; }),
            PhysicsError::kShapeTooLarge);
  EXPECT_EQ(refused([](BodyDef&, Shapes s) { s[0].half_extents_m.z = kInfinity; }), PhysicsError::kNotFinite);
  EXPECT_EQ(refused([](BodyDef&, Shapes s) { s[0].friction = -0.1; }), PhysicsError::kOutOfRange);
  EXPECT_EQ(refused([](BodyDef&, Shapes s) { s[0].restitution = 1.1; }), PhysicsError::kOutOfRange);
  EXPECT_EQ(refused([](BodyDef&, Shapes s) { s[0].rolling_resistance = -0.1; }), PhysicsError::kOutOfRange);
  EXPECT_EQ(refused([](BodyDef&, Shapes s) { s[0].surface_velocity_m_s.z = kNan; }),
            PhysicsError::kNotFinite);
  EXPECT_EQ(refused([](BodyDef&, Shapes s) { s[0].surface_velocity_m_s.z = 1001; }),
            PhysicsError::kOutOfRange);
  EXPECT_EQ(refused([](BodyDef&, Shapes s) { s[0].friction_rule = static_cast<MixRule>(6); }),
            PhysicsError::kOutOfRange);
  EXPECT_EQ(refused([](BodyDef&, Shapes s) { s[1].kind = ShapeKind::kHalfSpace; }),
            PhysicsError::kHalfSpaceNotStatic);
  EXPECT_EQ(refused([](BodyDef&, Shapes s) { s[0].density_kg_m3 = s[1].density_kg_m3 = 0; }),
            PhysicsError::kNoMass);
  EXPECT_EQ(refused([](BodyDef& d, Shapes) { d.shapes = {}; }), PhysicsError::kNoMass);
  EXPECT_EQ(refused([](BodyDef&, Shapes s) {
              s[0].half_extents_m = {100, 100, 100};
            }),
            PhysicsError::kMassOutOfRange);
  EXPECT_EQ(refused([](BodyDef& d, Shapes) {
              d.mass = MassOverride{1, {}, {1, 1, 3}};
            }),
            PhysicsError::kMassOutOfRange);
  EXPECT_EQ(refused([](BodyDef& d, Shapes) {
              d.mass = MassOverride{0, {}, {1, 1, 1}};
            }),
            PhysicsError::kMassOutOfRange);
  EXPECT_EQ(refused([](BodyDef& d, Shapes) {
              d.mass = MassOverride{kNan, {}, {1, 1, 1}};
            }),
            PhysicsError::kNotFinite);
  std::vector<ShapeDef> const many(kMaxShapesPerBody + 1, test::sphere(0.1));
  EXPECT_EQ(world.create_body(test::body(BodyType::kDynamic, many, {})).error(),
            PhysicsError::kTooManyShapes);
  EXPECT_EQ(world.hash(), empty);
}

TYPED_TEST(WorldTest, AFullWorldSaysSoAndAPlaceCanBeUsedAgain) {
  WorldDef def;
  def.max_bodies = 3;
  auto world = test::make_world<TypeParam>(def);
  std::vector<BodyId> bodies;
  for (int i = 0; i < 3; ++i)
    bodies.push_back(test::add(world, BodyType::kDynamic, test::sphere(0.5), at(2 * i, 0, 0)));
  ShapeDef const shape = test::sphere(0.5);
  EXPECT_EQ(world.create_body(test::body(BodyType::kDynamic, {&shape, 1}, {})).error(),
            PhysicsError::kWorldFull);
  ASSERT_TRUE(world.destroy_body(bodies[1]).ok());
  EXPECT_EQ(world.destroy_body(bodies[1]).error(), PhysicsError::kUnknownBody);
  BodyId const again = test::add(world, BodyType::kDynamic, shape, at(2, 0, 0));
  EXPECT_EQ(again, (BodyId{bodies[1].index, bodies[1].generation + 1}));
  EXPECT_FALSE(world.contains(bodies[1]));
}

TYPED_TEST(WorldTest, JointsAndRopesOfAWorldHaveLimits) {
  WorldDef def;
  def.max_bodies = 2;
  auto world = test::make_world<TypeParam>(def);
  JointDef joint;
  joint.body_a = test::add(world, BodyType::kDynamic, test::sphere(0.5), at(0, 0, 0));
  joint.body_b = test::add(world, BodyType::kDynamic, test::sphere(0.5), at(2, 0, 0));
  joint.locked = lock_of(JointAxis::kAngularX);
  for (std::uint32_t i = 0; i < 8 * def.max_bodies; ++i) EXPECT_TRUE(world.create_joint(joint).ok()) << i;
  EXPECT_EQ(world.create_joint(joint).error(), PhysicsError::kWorldFull);
  RopeDef rope;
  rope.start = at(0, 5, 0);
  rope.end = at(3, 5, 0);
  RopeId const first = world.create_rope(rope).value();
  EXPECT_TRUE(world.create_rope(rope).ok());
  EXPECT_EQ(world.rope_count(), 2u);
  EXPECT_EQ(world.create_rope(rope).error(), PhysicsError::kWorldFull);
  EXPECT_EQ(world.cut_rope(first, 4).error(), PhysicsError::kWorldFull) << "a cut makes a rope";
}

TYPED_TEST(WorldTest, UnknownIdsAndBadArgumentsAreNamed) {
  auto world = test::make_world<TypeParam>();
  BodyId const ground = test::add_ground(world);
  BodyId const ball = test::add(world, BodyType::kDynamic, test::sphere(0.5), at(0, 1, 0));
  BodyId const never{7, 1};
  EXPECT_EQ(world.apply_impulse(never, {}).error(), PhysicsError::kUnknownBody);
  EXPECT_EQ(world.apply_impulse(ground, {}).error(), PhysicsError::kNotDynamic);
  EXPECT_EQ(world.apply_impulse(ball, {kNan, 0, 0}).error(), PhysicsError::kNotFinite);
  EXPECT_EQ(world.apply_impulse(ball, {0, 1e10, 0}).error(), PhysicsError::kOutOfRange);
  EXPECT_EQ(world.apply_impulse_at(ball, {1, 0, 0}, at(50'000, 0, 0)).error(), PhysicsError::kOutOfRange);
  EXPECT_EQ(world.apply_force(ball, {}, {0, kInfinity, 0}).error(), PhysicsError::kNotFinite);
  EXPECT_EQ(world.set_pose(ball, Position::from_raw(INT64_MIN, 0, 0), {}).error(), PhysicsError::kOutOfRange);
  EXPECT_EQ(world.set_pose(ball, {}, {1, 1, 1, 1}).error(), PhysicsError::kBadRotation);
  EXPECT_EQ(world.set_velocity(ground, {}, {}).error(), PhysicsError::kNotDynamic);
  EXPECT_EQ(world.create_grab(ground, {}, {}, 1).error(), PhysicsError::kNotDynamic);
  EXPECT_EQ(world.create_grab(ball, {}, {}, -1).error(), PhysicsError::kOutOfRange);
  EXPECT_EQ(world.set_user_tag(never, 1).error(), PhysicsError::kUnknownBody);
}

TYPED_TEST(WorldTest, AnImpulseOffCentreTurnsTheBody) {
  auto world = test::make_world<TypeParam>();
  ShapeDef const shape = test::box(0.5, 0.5, 0.5);
  BodyDef def = test::body(BodyType::kDynamic, {&shape, 1}, at(0, 10, 0));
  def.mass = MassOverride{4.0, {}, {2, 2, 2}};
  BodyId const box = test::add(world, def);
  ASSERT_TRUE(world.apply_impulse_at(box, {8, 0, 0}, at(0, 10, 0.5)).ok());
  EXPECT_NEAR(to_double(world.linear_velocity(box).x), 2, 1e-6);
  EXPECT_NEAR(to_double(world.angular_velocity(box).y), 0.5 * 8 / 2, 1e-6);
}

// Its shapes, contacts and grabs go with it, the touch is reported as ended, and what stood on it falls.
TYPED_TEST(WorldTest, ADestroyedBodyTakesContactsAndGrabsAlong) {
  auto world = test::make_world<TypeParam>();
  test::add_ground(world);
  BodyId const lower = test::add(world, BodyType::kDynamic, test::box(0.5, 0.5, 0.5), at(0, 0.5, 0));
  BodyId const upper = test::add(world, BodyType::kDynamic, test::box(0.5, 0.5, 0.5), at(0, 1.5, 0));
  GrabId const grab = world.create_grab(lower, {}, at(0, 0.5, 0), 1).value();
  test::run(world, 10);
  ShapeId const lower_shape = world.shapes(lower)[0];
  ASSERT_TRUE(world.destroy_body(lower).ok());
  EXPECT_FALSE(world.contains(grab));
  // A new body in the same place is another: it inherits nothing.
  BodyId const heir = test::add(world, BodyType::kDynamic, test::sphere(0.1), at(50, 5, 0));
  EXPECT_EQ(heir.index, lower.index);
  (void)world.step();
  ASSERT_EQ(world.events().contact_end.size(), 2u);
  for (const ContactEvent& event : world.events().contact_end)
    EXPECT_TRUE(event.shape_a == lower_shape || event.shape_b == lower_shape);
  EXPECT_TRUE(world.events().contact_begin.empty());
  test::run(world, 60);
  EXPECT_NEAR(test::metres(world.center_of_mass(upper)).y, 0.5, 0.005);
}

TYPED_TEST(WorldTest, ABodyThatLeavesTheWorldIsFrozenAndReported) {
  auto world = test::make_world<TypeParam>();
  ShapeDef const shape = test::sphere(0.5);
  BodyDef def = test::body(BodyType::kDynamic, {&shape, 1}, Position::from_raw(kWorldLimitRaw - 1, 0, 0));
  def.linear_velocity_m_s = {4000, 0, 0};
  BodyId const leaver = test::add(world, def);
  BodyId const other = test::add(world, BodyType::kDynamic, test::sphere(0.5), at(0, 0, 0));
  Position const last = world.center_of_mass(leaver);
  (void)world.step();
  EXPECT_EQ(world.events().quarantined, std::vector<BodyId>{leaver});
  EXPECT_TRUE(world.is_quarantined(leaver));
  EXPECT_FALSE(world.is_quarantined(other));
  EXPECT_EQ(world.center_of_mass(leaver), last);
  ASSERT_TRUE(world.apply_impulse(leaver, {-1e6, 0, 0}).ok());
  ASSERT_TRUE(world.set_velocity(leaver, {-1, 0, 0}, {}).ok());
  test::run(world, 10);
  EXPECT_TRUE(world.events().quarantined.empty()) << "once";
  EXPECT_EQ(world.center_of_mass(leaver), last);
  auto const again = World<TypeParam>::restore(world.save());
  ASSERT_TRUE(again.ok());
  EXPECT_TRUE(again->is_quarantined(leaver));
}

// The hardest pushes that the interface takes, every tick, into a pile: numbers stay finite, or their bodies
// are quarantined; nothing else happens.
TYPED_TEST(WorldTest, TheLargestForcesLeaveAWorldThatRestores) {
  auto world = test::make_world<TypeParam>();
  test::add_ground(world);
  std::vector<BodyId> bodies;
  for (int i = 0; i < 12; ++i)
    bodies.push_back(test::add(world, BodyType::kDynamic,
                               i % 2 == 0 ? test::box(0.5, 0.5, 0.5) : test::capsule(0.02, 0.01),
                               at(0.1 * i, 0.6 * i, 0)));
  for (int tick = 0; tick < 60; ++tick) {
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      double const sign = (i + static_cast<std::size_t>(tick)) % 2 == 0 ? 1 : -1;
      ASSERT_TRUE(world.apply_force(bodies[i], {sign * 1e9, -1e9, 0}, {0, sign * 1e9, 1e9}).ok());
      ASSERT_TRUE(world.apply_angular_impulse(bodies[i], {1e9, 0, sign * 1e9}).ok());
    }
    (void)world.step();
    for (BodyId const id : bodies) {
      Vec3<double> const v = to_double(world.linear_velocity(id));
      ASSERT_TRUE(std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z));
    }
  }
  EXPECT_TRUE(World<TypeParam>::restore(world.save()).ok());
}

// A turning kinematic body moves by its velocities alone.
TYPED_TEST(WorldTest, AKinematicBodyIsMovedByItsVelocityOnly) {
  auto world = test::make_world<TypeParam>();
  ShapeDef const shape = test::box(2, 0.1, 2);
  BodyDef def = test::body(BodyType::kKinematic, {&shape, 1}, at(0, 1, 0));
  def.linear_velocity_m_s = {0, 0, 0.5};
  def.angular_velocity_rad_s = {0, 1, 0};
  BodyId const table = test::add(world, def);
  test::add(world, BodyType::kDynamic, test::box(0.5, 0.5, 0.5), at(0, 1.6, 0));
  test::run(world, 60);
  EXPECT_LT(length(test::displacement(world.center_of_mass(table), at(0, 1, 0.5))), 1e-5);
  Quat<TypeParam> const q = world.pose(table).rotation;
  // Each substep turns by 2 atan(h / 2): 1 - h^2 / 12 of a radian a second.
  EXPECT_NEAR(2 * std::atan2(to_double(q.y), to_double(q.w)), 1.0, 1e-4);
  EXPECT_EQ(world.mass_kg(table), 0.0);
}

TYPED_TEST(WorldTest, ShapesReadBackAsStored) {
  auto world = test::make_world<TypeParam>();
  ShapeDef parts[2] = {test::capsule(0.25, 0.5), test::box(0.5, 1, 2)};
  parts[0].local_position_m = {1, 0, 0};
  parts[0].friction = 0.25;
  parts[1].restitution = 0.5;
  BodyId const made = test::add(world, test::body(BodyType::kDynamic, parts, at(1, 2, 3)));
  auto const ids = world.shapes(made);
  ASSERT_EQ(ids.size(), 2u);
  ShapeDef const first = world.shape(ids[0]);
  EXPECT_EQ(first.kind, ShapeKind::kCapsule);
  EXPECT_EQ(first.radius_m, 0.25);
  EXPECT_EQ(first.half_length_m, 0.5);
  EXPECT_EQ(first.friction, 0.25);
  EXPECT_EQ(first.local_position_m, (Vec3<double>{1, 0, 0}));
  EXPECT_EQ(world.shape(ids[1]).half_extents_m, (Vec3<double>{0.5, 1, 2}));
  // The pose is of the origin, though the centre of mass is elsewhere; binary32 arms come back within their
  // rounding.
  EXPECT_LT(length(test::displacement(world.pose(made).position, at(1, 2, 3))), 1e-6);
}

}  // namespace
}  // namespace takt
