// Joints as state: restored at every tick, read from strangers' images, refused by name, asleep and awake,
// and what they keep from touching.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "joint_world.h"
#include "takt/core/bytes.h"
#include "takt/core/hash.h"

namespace takt::test {
namespace {

template <class Real>
class JointStateTest : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(JointStateTest, Reals);

/// A ragdoll-like tree that falls on the ground, a driven wheel with a gear, a pulley, a bounded motor, a
/// joint that breaks.
template <class Real>
World<Real> make_workshop() {
  World<Real> world = make_world<Real>();
  add_ground(world);
  BodyId const frame = add_anchor(world, at(0, 3, 5));
  BodyId const torso = add(world, BodyType::kDynamic, box(0.3, 0.4, 0.2), at(0, 2, 0));
  for (int side : {-1, 1}) {
    BodyId const arm = add(world, BodyType::kDynamic, capsule(0.1, 0.3), at(0.5 * side, 2, 0));
    Position const shoulder = at(0.35 * side, 2.3, 0);
    add_joint(world,
              point_joint(torso, arm, world.joint_frame(torso, shoulder), world.joint_frame(arm, shoulder))
                  .limit(JointAxis::kSwing, 0.0, 1.0)
                  .limit(JointAxis::kAngularX, -0.5, 0.5)
                  .friction(JointAxis::kAngularX, 0.1));
    BodyId const hand = add(world, BodyType::kDynamic, sphere(0.1), at(0.5 * side, 1.5, 0));
    Position const wrist = at(0.5 * side, 1.6, 0);
    add_joint(world, revolute_joint(arm, hand, world.joint_frame(arm, wrist), world.joint_frame(hand, wrist))
                         .limit(JointAxis::kAngularX, -0.8, 0.8));
  }
  BodyId const wheel = add(world, BodyType::kDynamic, cylinder(0.4, 0.1), at(0, 3, 5));
  BodyId const other = add(world, BodyType::kDynamic, cylinder(0.4, 0.1), at(1, 3, 5));
  JointId const first =
      add_joint(world, revolute_joint(frame, wheel, world.joint_frame(frame, at(0, 3, 5)), {})
                           .motor(JointAxis::kAngularX, 3.0, 40.0));
  JointId const second =
      add_joint(world, revolute_joint(frame, other, world.joint_frame(frame, at(1, 3, 5)), {}));
  add_joint(world, gear_joint(wheel, other, first, JointAxis::kAngularX, second, JointAxis::kAngularX, -0.5));
  BodyId const left = add(world, BodyType::kDynamic, box(0.2, 0.2, 0.2), at(-4, 2, 0));
  BodyId const right = add(world, BodyType::kDynamic, box(0.25, 0.25, 0.25), at(-3, 2, 0));
  add_joint(world, pulley_joint(left, right, {}, {}, at(-4, 4, 0), at(-3, 4, 0), 4.2));
  BodyId const drawn = add(world, BodyType::kDynamic, box(0.2, 0.2, 0.2), at(4, 1, 0));
  add_joint(world, motor_joint(frame, drawn, world.joint_frame(frame, at(4, 2, 1), about_y(0.7)), {},
                               Softness::frequency(2.0, 1.0), 500.0, 100.0));
  BodyId const doomed = add(world, BodyType::kDynamic, box(0.2, 0.2, 0.2), at(7, 2, 0));
  JointDef weak = distance_joint(frame, doomed, world.joint_frame(frame, at(7, 4, 0)), {}, 1.0,
                                 Softness::spring(200.0, 1.0));
  weak.break_force_n = 150.0;
  add_joint(world, weak);
  return world;
}

TYPED_TEST(JointStateTest, RestoringAtEveryTickAndRollingBackChangesNothing) {
  constexpr int kTicks = 180;
  World<TypeParam> straight = make_workshop<TypeParam>();
  std::vector<std::uint64_t> hashes;
  std::size_t broken = 0;
  for (int i = 0; i < kTicks; ++i) {
    (void)straight.step();
    broken += straight.events().broken_joints.size();
    hashes.push_back(straight.hash());
  }
  EXPECT_EQ(broken, 1u);
  World<TypeParam> restored = make_workshop<TypeParam>();
  for (int i = 0; i < kTicks; ++i) {
    auto image = restored.save();
    restored = World<TypeParam>::restore(image).value();
    (void)restored.step();
    ASSERT_EQ(restored.hash(), hashes[static_cast<std::size_t>(i)]) << "tick " << i;
  }
  World<TypeParam> rolled = make_workshop<TypeParam>();
  typename World<TypeParam>::Snapshot snapshot;
  for (int i = 0; i < kTicks; ++i) {
    rolled.capture(snapshot);
    run(rolled, 3);
    rolled.rollback(snapshot);
    if (i % 7 == 0) rolled.drop_derived_state();
    (void)rolled.step();
    ASSERT_EQ(rolled.hash(), hashes[static_cast<std::size_t>(i)]) << "tick " << i;
  }
}

TYPED_TEST(JointStateTest, EqualWorldsSaveEqualBytesAndReadBackWhatWasSaid) {
  World<TypeParam> world = make_workshop<TypeParam>();
  run(world, 30);
  // Equal worlds save equal bytes, and each joint reads back as it was said.
  World<TypeParam> again = World<TypeParam>::restore(world.save()).value();
  EXPECT_EQ(again.save(), world.save());
  std::vector<JointId> joints;
  world.list_joints(joints);
  ASSERT_EQ(joints.size(), 10u);
  for (JointId const joint : joints) {
    JointDef const def = world.joint_def(joint);
    EXPECT_EQ(again.joint_def(joint).axes, def.axes);
    ASSERT_TRUE(world.change_joint(joint, def).ok());
  }
}

/// Changes each byte of the joints, which come last in an image, and steps what is still accepted. Returns
/// how many were.
template <class Real>
int step_strangers_images(const World<Real>& world, std::size_t joints_bytes) {
  constexpr std::size_t kHeadBytes = 32;
  constexpr std::size_t kChecksumAt = 24;
  std::vector<std::byte> const image = world.save();
  int accepted = 0;
  for (std::size_t at = image.size() - joints_bytes; at < image.size(); ++at) {
    std::vector<std::byte> bad = image;
    bad[at] ^= at % 3 == 0 ? std::byte{0xff} : at % 3 == 1 ? std::byte{0x01} : std::byte{0x80};
    store_little_endian(&bad[kChecksumAt], hash_bytes(std::span<const std::byte>(bad).subspan(kHeadBytes)));
    auto restored = World<Real>::restore(bad);
    if (!restored.ok()) continue;
    ++accepted;
    World<Real> stranger = std::move(restored).value();
    run(stranger, 1);
  }
  return accepted;
}

TYPED_TEST(JointStateTest, StrangersImagesAreRefusedOrSound) {
  World<TypeParam> world = make_workshop<TypeParam>();
  run(world, 30);
  EXPECT_GT(step_strangers_images(world, 5000), 500);  // impulses and numbers in range may be anything
  // A gear whose bodies have become static names its joints as well.
  World<TypeParam> still = make_world<TypeParam>();
  BodyId const frame = add_anchor(still);
  BodyId const first = add_mass(still, 1.0, {1, 1, 1}, at(1, 0, 0));
  BodyId const second = add_mass(still, 1.0, {1, 1, 1}, at(2, 0, 0));
  JointId const one = add_joint(still, revolute_joint(frame, first, {}, {}));
  JointId const two = add_joint(still, revolute_joint(frame, second, {}, {}));
  add_joint(still, gear_joint(first, second, one, JointAxis::kAngularX, two, JointAxis::kAngularX, 2.0));
  ASSERT_TRUE(still.set_type(first, BodyType::kStatic).ok());
  ASSERT_TRUE(still.set_type(second, BodyType::kStatic).ok());
  EXPECT_GT(step_strangers_images(still, 3 * 321), 50);
}

TYPED_TEST(JointStateTest, PlanarBodiesTakeEveryJointOfEverySoftness) {
  Softness const all[] = {Softness::rigid(), Softness::beta_gamma(0.2, 0.01), Softness::erp_cfm(0.2, 0.001),
                          Softness::spring(500.0, 5.0), Softness::frequency(3.0, 0.5)};
  for (const Softness& soft : all) {
    World<TypeParam> world = make_world<TypeParam>(awake());
    BodyId const frame = add_anchor(world);
    std::vector<BodyId> bodies;
    auto const planar = [&](double x) {
      BodyDef def;
      def.type = BodyType::kDynamic;
      def.position = at(x, 0, 0);
      def.locked_axes = kLockLinearZ | kLockAngularX | kLockAngularY;
      MassOverride mass;
      mass.mass_kg = 2.0;
      mass.inertia_kg_m2 = {0.1, 0.1, 0.1};
      def.mass = mass;
      bodies.push_back(add(world, def));
      return bodies.back();
    };
    auto const held = [&](JointDef def) {
      def.linear = soft;
      def.angular = soft;
      add_joint(world, def);
    };
    held(point_joint(frame, planar(0), {}, {}));
    held(weld_joint(frame, planar(1), {}, {}));
    held(revolute_joint(frame, planar(2), {{}, kXToZ}, {{}, kXToZ}));
    held(prismatic_joint(frame, planar(3), {}, {}));
    held(angle_joint(frame, planar(4), {}, {}));
    held(parallel_joint(frame, planar(5), {}, {}));
    add_joint(world, target_joint(frame, planar(6), {}, {}, soft, 50.0));
    add_joint(world, distance_joint(frame, planar(7), {}, {}, 7.0, soft));
    add_joint(world, point_joint(frame, planar(8), {}, {}).drive(JointAxis::kAngularX, 0.0, soft));
    run(world, 120);
    for (BodyId const id : bodies) {
      EXPECT_FALSE(world.is_quarantined(id));
      EXPECT_EQ(metres(world.center_of_mass(id)).z, 0.0);
      EXPECT_LT(length_of(to_double(world.linear_velocity(id))), 60.0);
    }
    // The first, rigid, is a pendulum of no length: held where it is, whatever else its joint asks of the
    // axes that are locked.
    if (!soft.is_rigid()) continue;
    EXPECT_LT(length_of(metres(world.center_of_mass(bodies[0]))), 1e-3);
  }
}

TYPED_TEST(JointStateTest, AFarWorkshopRunsTheSame) {
  // Everything 1,000 km away: same bits of relative motion.
  auto const run_at = [](double far_m) {
    World<TypeParam> world = make_world<TypeParam>(awake());
    BodyId const anchor = add_anchor(world, at(far_m, 0, 0));
    BodyId const a = add_mass(world, 1.0, {0.1, 0.2, 0.2}, at(far_m + 1, 0, 0));
    BodyId const b = add_mass(world, 5.0, {0.1, 0.2, 0.2}, at(far_m + 2, 0, 0));
    JointFrame front;
    front.position_m = {0.5, 0, 0};
    JointFrame back;
    back.position_m = {-0.5, 0, 0};
    add_joint(world, point_joint(anchor, a, front, back));
    add_joint(world, revolute_joint(a, b, front, back));
    run(world, 300);
    return relative<double>(world.center_of_mass(b), at(far_m, 0, 0));
  };
  EXPECT_EQ(run_at(0.0), run_at(1'000'000.0));
}

TYPED_TEST(JointStateTest, BadDefinitionsAreRefusedByNameAndNothingIsHalfMade) {
  World<TypeParam> world = make_world<TypeParam>();
  BodyId const a = add_mass(world, 1.0, {1, 1, 1}, {});
  BodyId const b = add_mass(world, 1.0, {1, 1, 1}, at(1, 0, 0));
  BodyId const s = add_anchor(world);
  BodyId const t = add_anchor(world);
  std::uint64_t const before = world.hash();
  double const nan = std::numeric_limits<double>::quiet_NaN();
  auto const refused = [&](JointDef def, PhysicsError error) {
    auto const made = world.create_joint(def);
    ASSERT_FALSE(made.ok()) << message(error);
    EXPECT_EQ(made.error(), error) << message(made.error());
  };
  JointDef const good = point_joint(a, b, {}, {});
  auto const changed = [&good](auto change) {
    JointDef def = good;
    change(def);
    return def;
  };
  refused(point_joint(a, a, {}, {}), PhysicsError::kJointToItself);
  refused(point_joint(s, t, {}, {}), PhysicsError::kJointNothingMoves);
  refused(point_joint(a, BodyId{99, 1}, {}, {}), PhysicsError::kUnknownBody);
  refused(changed([](JointDef& d) { d.frame_a.rotation = {1, 1, 0, 0}; }), PhysicsError::kJointBadRotation);
  refused(changed([nan](JointDef& d) { d.frame_b.position_m.x = nan; }), PhysicsError::kNotFinite);
  refused(changed([](JointDef& d) { d.frame_b.position_m.x = 1e6; }), PhysicsError::kOutOfRange);
  refused(changed([](JointDef& d) { d.linear = Softness::spring(-1.0, 0.0); }),
          PhysicsError::kJointBadSoftness);
  refused(changed([nan](JointDef& d) { d.angular = Softness::frequency(nan, 0.0); }),
          PhysicsError::kJointBadSoftness);
  refused(changed([](JointDef& d) { d.linear = Softness::beta_gamma(1.5, 0.0); }),
          PhysicsError::kJointBadSoftness);
  refused(changed([](JointDef& d) { d.limit(JointAxis::kAngularX, 1.0, -1.0); }),
          PhysicsError::kJointLimitsCrossed);
  refused(changed([nan](JointDef& d) { d.limit(JointAxis::kAngularX, nan, 1.0); }), PhysicsError::kNotFinite);
  refused(changed([](JointDef& d) { d.limit(JointAxis::kLinearX, -1.0, 1.0); }), PhysicsError::kJointBadAxis);
  refused(changed([](JointDef& d) { d.locked = 0xff; }), PhysicsError::kJointBadAxis);
  refused(changed([](JointDef& d) { d.motor(JointAxis::kAngularX, 1.0, -5.0); }), PhysicsError::kOutOfRange);
  refused(changed([](JointDef& d) { d.motor(JointAxis::kAngularX, 1e9, 5.0); }), PhysicsError::kOutOfRange);
  refused(changed([](JointDef& d) { d.friction(JointAxis::kAngularX, -0.1); }), PhysicsError::kOutOfRange);
  refused(changed([](JointDef& d) { d.break_force_n = 0.0; }), PhysicsError::kOutOfRange);
  refused(changed([](JointDef& d) { d.max_force_n = -1.0; }), PhysicsError::kOutOfRange);
  refused(changed([](JointDef& d) { d.kind = static_cast<JointKind>(99); }), PhysicsError::kJointBadKind);
  refused(gear_joint(a, b, {}, JointAxis::kAngularX, {}, JointAxis::kAngularY, 1.0),
          PhysicsError::kUnknownJoint);
  refused(gear_joint(a, b, {}, JointAxis::kAngularX, {}, JointAxis::kAngularY, 0.0),
          PhysicsError::kJointBadCoupling);
  refused(pulley_joint(a, b, {}, {}, {}, {}, -1.0), PhysicsError::kJointBadCoupling);
  EXPECT_EQ(world.hash(), before);
  EXPECT_EQ(world.destroy_joint({3, 1}).error(), PhysicsError::kUnknownJoint);
}

TYPED_TEST(JointStateTest, IslandsOfJointsSleepTogetherAndWakeTogether) {
  World<TypeParam> world = make_world<TypeParam>();
  Chain const chain = add_chain(world, 5, 10.0, {0, -1, 0});
  run(world, 120);
  EXPECT_TRUE(world.is_asleep(chain.load));
  std::uint64_t const asleep = world.hash();
  JointId const first = chain.joints.front();
  BodyId const top = world.joint(first).body_b;
  EXPECT_TRUE(world.is_asleep(top));
  ASSERT_TRUE(world.apply_impulse(top, {1, 0, 0}).ok());
  (void)world.step();
  EXPECT_FALSE(world.is_asleep(chain.load));
  EXPECT_NE(world.hash(), asleep);
  // Taken away, what hung on it falls.
  run(world, 60 * 120);
  EXPECT_TRUE(world.is_asleep(chain.load) || std::abs(to_double(world.linear_velocity(chain.load).x)) < 0.5);
  ASSERT_TRUE(world.destroy_joint(chain.joints.back()).ok());
  double const height = metres(world.center_of_mass(chain.load)).y;
  run(world, 60);
  EXPECT_LT(metres(world.center_of_mass(chain.load)).y, height - 4.0);
  // A body takes its joints with it.
  ASSERT_TRUE(world.destroy_body(top).ok());
  EXPECT_FALSE(world.contains(first));
}

TYPED_TEST(JointStateTest, ConnectedBodiesTouchOnlyWhenTheyAreToldTo) {
  for (bool const collide : {false, true}) {
    World<TypeParam> world = make_world<TypeParam>(without_gravity());
    BodyId const a = add(world, BodyType::kDynamic, box(0.5, 0.5, 0.5), at(0, 0, 0));
    BodyId const b = add(world, BodyType::kDynamic, box(0.5, 0.5, 0.5), at(0.9, 0, 0));
    JointDef def = angle_joint(a, b, {}, {});
    def.collide_connected = collide;
    JointId const joint = add_joint(world, def);
    run(world, 1);
    std::vector<ContactView> contacts;
    world.list_contacts(contacts);
    EXPECT_EQ(!contacts.empty(), collide);
    ASSERT_TRUE(world.set_joint_enabled(joint, false).ok());
    run(world, 1);
    world.list_contacts(contacts);
    EXPECT_FALSE(contacts.empty());
  }
}

}  // namespace
}  // namespace takt::test
