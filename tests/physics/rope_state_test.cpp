// Ropes as state: ids, definitions, cutting, images, rollback, sleep; no bit depends on what is not canonical
// or on the position, and a steady tick does not allocate.
#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "tests/physics/allocation_count.h"
#include "tests/physics/rope_world.h"
#include "tests/physics/simple_world.h"
#include "tests/physics/surfaces.h"

namespace takt {
namespace {

using test::at;
using test::metres;
using test::view;

template <class Real>
class RopeStateTest : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(RopeStateTest, Reals);

Position beyond(double x, double y, double z, std::int64_t far_raw) {
  Position p = at(x, y, z);
  p.x_raw += far_raw;
  p.z_raw -= far_raw;
  return p;
}

/// A load on a rope over a drum, a slack rope on a crate, a rope between two bodies; cut on the way.
template <class Real>
struct Yard {
  World<Real> world = test::make_world<Real>();
  RopeId over;
  RopeId slack;
  RopeId between;
  BodyId load;

  explicit Yard(std::int64_t far_raw = 0) {
    auto const position_of = [far_raw](double x, double y, double z) { return beyond(x, y, z, far_raw); };
    (void)test::add(world, BodyType::kStatic, test::half_space(), position_of(0, 0, 0));
    (void)test::add(world, BodyType::kStatic, test::cylinder(0.4, 1.0), position_of(0, 4, 0),
                    test::about_x(90 * test::kDegree));
    load = test::add_load(world, 20.0, position_of(-1.0, 3.0, 0));
    RopePin pin;
    pin.node = 0;
    pin.body = load;
    std::array<RopePin, 2> pins{pin, RopePin{}};
    pins[1].node = 39;
    RopeDef def;
    def.node_count = 40;
    def.start = position_of(-1.0, 3.0, 0);
    def.end = position_of(1.5, 4.6, 0);
    def.pins = pins;
    over = world.create_rope(def).value();

    (void)test::add(world, BodyType::kDynamic, test::box(0.5, 0.5, 0.5), position_of(4, 0.5, 0));
    RopeDef loose;
    loose.node_count = 24;
    loose.start = position_of(3.2, 1.4, 0.1);
    loose.end = position_of(5.2, 1.5, -0.1);
    loose.mode = RopeMode::kCompliant;
    slack = world.create_rope(loose).value();

    std::array<RopePin, 2> ends{};
    ends[0].body = test::add_load(world, 2.0, position_of(-4, 3, 0));
    ends[1].node = 15;
    ends[1].body = test::add_load(world, 40.0, position_of(-6, 3, 1));
    RopeDef free;
    free.node_count = 16;
    free.start = position_of(-4, 3, 0);
    free.end = position_of(-6, 3, 1);
    free.stiffness = 0.7;
    free.pins = ends;
    between = world.create_rope(free).value();
  }
  void act() {
    if (world.tick() == 90) (void)world.cut_rope(over, 10).value();
    if (world.tick() == 120) (void)world.set_rope_segment_length(between, 0.05);
    if (world.tick() == 150) (void)world.clear_rope_pin(between, 0);
    if (world.tick() == 160) (void)world.destroy_body(load);
    if (world.tick() == 170) (void)world.destroy_rope(slack);
  }
  void step() {
    act();
    (void)world.step();
  }
};

TYPED_TEST(RopeStateTest, RestoringDroppingAndRollingBackChangeNothing) {
  Yard<TypeParam> plain;
  Yard<TypeParam> restored;
  Yard<TypeParam> rolled;
  typename World<TypeParam>::Snapshot snapshot;
  for (int tick = 0; tick < 240; ++tick) {
    plain.step();
    restored.act();
    restored.world = std::move(World<TypeParam>::restore(restored.world.save())).value();
    (void)restored.world.step();
    rolled.act();
    rolled.world.capture(snapshot);
    (void)rolled.world.step();
    (void)rolled.world.step();
    rolled.world.rollback(snapshot);
    if (tick % 7 == 0) rolled.world.drop_derived_state();
    (void)rolled.world.step();
    ASSERT_EQ(restored.world.hash(), plain.world.hash()) << "tick " << tick;
    ASSERT_EQ(rolled.world.hash(), plain.world.hash()) << "tick " << tick;
  }
}

TYPED_TEST(RopeStateTest, AThousandKilometresAwayItMovesTheSame) {
  std::int64_t const far_raw = std::int64_t{1'000'000} << 32;
  Yard<TypeParam> here;
  Yard<TypeParam> there(far_raw);
  for (int tick = 0; tick < 200; ++tick) {
    here.step();
    there.step();
    for (RopeId const rope : {here.over, here.between}) {
      RopeView const a = view(here.world, rope);
      RopeView const b = view(there.world, rope);
      ASSERT_EQ(a.velocities_m_s, b.velocities_m_s) << "tick " << tick;
      ASSERT_EQ(a.tensions_n, b.tensions_n) << "tick " << tick;
      for (std::size_t i = 0; i < a.nodes.size(); ++i) {
        ASSERT_EQ(b.nodes[i].x_raw - a.nodes[i].x_raw, far_raw);
        ASSERT_EQ(b.nodes[i].y_raw, a.nodes[i].y_raw);
      }
    }
  }
}

TYPED_TEST(RopeStateTest, RefusesBadDefinitionsByNameAndCreatesNothing) {
  auto world = test::make_world<TypeParam>();
  BodyId const gone = test::add_load(world, 1.0, at(0, 0, 0));
  ASSERT_TRUE(world.destroy_body(gone).ok());
  double const nan = std::numeric_limits<double>::quiet_NaN();
  std::uint64_t const before = world.hash();
  auto const refused = [&](auto change, PhysicsError error) {
    RopeDef def;
    def.end = at(1, 0, 0);
    change(def);
    auto const made = world.create_rope(def);
    ASSERT_FALSE(made.ok()) << message(error);
    EXPECT_EQ(made.error(), error) << message(made.error());
    EXPECT_EQ(world.hash(), before);
  };
  std::vector<Position> const many(kMaxRopeNodes + 1);
  RopePin pin;
  refused([](RopeDef& d) { d.node_count = 1; }, PhysicsError::kRopeNodeCount);
  refused([](RopeDef& d) { d.node_count = kMaxRopeNodes + 1; }, PhysicsError::kRopeNodeCount);
  refused([&](RopeDef& d) { d.points = {many.data(), 1}; }, PhysicsError::kRopeNodeCount);
  refused([&](RopeDef& d) { d.points = many; }, PhysicsError::kRopeNodeCount);
  refused([&](RopeDef& d) { d.points = {many.data(), 3}; }, PhysicsError::kRopeLength);  // all at one place
  refused([](RopeDef& d) { d.segment_length_m = -1; }, PhysicsError::kRopeLength);
  refused([](RopeDef& d) { d.segment_length_m = 0.001; }, PhysicsError::kRopeLength);
  refused([&](RopeDef& d) { d.segment_length_m = nan; }, PhysicsError::kNotFinite);
  refused([](RopeDef& d) { d.mass_kg = 0; }, PhysicsError::kRopeMass);
  refused([](RopeDef& d) { d.mass_kg = -1; }, PhysicsError::kRopeMass);
  refused([](RopeDef& d) { d.linear_density_kg_m = -1; }, PhysicsError::kRopeMass);
  refused([&](RopeDef& d) { d.mass_kg = nan; }, PhysicsError::kNotFinite);
  refused([](RopeDef& d) { d.stiffness = 0; }, PhysicsError::kRopeStiffness);
  refused([](RopeDef& d) { d.stiffness = 1.01; }, PhysicsError::kRopeStiffness);
  refused([&](RopeDef& d) { d.stiffness = nan; }, PhysicsError::kNotFinite);
  refused(
      [](RopeDef& d) {
        d.mode = RopeMode::kCompliant;
        d.compliance_m_n = -1e-9;
      },
      PhysicsError::kRopeCompliance);
  refused([](RopeDef& d) { d.mode = static_cast<RopeMode>(2); }, PhysicsError::kOutOfRange);
  refused([](RopeDef& d) { d.passes = 0; }, PhysicsError::kOutOfRange);
  refused([](RopeDef& d) { d.passes = 65; }, PhysicsError::kOutOfRange);
  refused([](RopeDef& d) { d.radius_m = 0; }, PhysicsError::kOutOfRange);
  refused([](RopeDef& d) { d.drag_1_s = -1; }, PhysicsError::kOutOfRange);
  refused([&](RopeDef& d) { d.friction = nan; }, PhysicsError::kNotFinite);
  refused([](RopeDef& d) { d.damping_n_s_m = -1; }, PhysicsError::kOutOfRange);
  refused([](RopeDef& d) { d.gravity_scale = 1e4; }, PhysicsError::kOutOfRange);
  refused([](RopeDef& d) { d.end.x_raw = std::numeric_limits<std::int64_t>::max(); },
          PhysicsError::kOutOfRange);
  pin.node = 16;
  refused([&](RopeDef& d) { d.pins = {&pin, 1}; }, PhysicsError::kRopePinIndex);
  std::array<RopePin, 2> const twice{};
  refused([&](RopeDef& d) { d.pins = twice; }, PhysicsError::kRopePinIndex);
  RopePin lost;
  lost.body = gone;
  refused([&](RopeDef& d) { d.pins = {&lost, 1}; }, PhysicsError::kUnknownBody);
  RopePin mad;
  mad.body = test::add_load(world, 1.0, at(0, 0, 0));
  mad.local_anchor_m = {nan, 0, 0};
  RopeDef def;
  def.end = at(1, 0, 0);
  def.pins = {&mad, 1};
  EXPECT_EQ(world.create_rope(def).error(), PhysicsError::kNotFinite);

  def.pins = {};
  RopeId const rope = world.create_rope(def).value();
  std::uint64_t const standing = world.hash();
  EXPECT_EQ(world.cut_rope(rope, 15).error(), PhysicsError::kRopeSegment);
  EXPECT_EQ(world.set_rope_pin(rope, pin).error(), PhysicsError::kRopePinIndex);
  EXPECT_EQ(world.set_rope_pin(rope, lost).error(), PhysicsError::kUnknownBody);
  EXPECT_EQ(world.clear_rope_pin(rope, 16).error(), PhysicsError::kRopePinIndex);
  EXPECT_EQ(world.set_rope_segment_length(rope, 0).error(), PhysicsError::kRopeLength);
  EXPECT_EQ(world.apply_rope_impulse(rope, 0, {nan, 0, 0}).error(), PhysicsError::kNotFinite);
  RopeId const unknown{7, 1};
  EXPECT_EQ(world.destroy_rope(unknown).error(), PhysicsError::kUnknownRope);
  EXPECT_EQ(world.cut_rope(unknown, 0).error(), PhysicsError::kUnknownRope);
  EXPECT_EQ(world.set_rope_pin(unknown, RopePin{}).error(), PhysicsError::kUnknownRope);
  EXPECT_EQ(world.hash(), standing);
}

TYPED_TEST(RopeStateTest, CuttingMakesTwoRopesWithTheirNodesPinsAndMotion) {
  auto world = test::make_world<TypeParam>();
  std::array<RopePin, 2> pins{};
  pins[1].node = 19;
  RopeDef def;
  def.node_count = 20;
  def.start = at(0, 5, 0);
  def.end = at(3, 5, 0);
  def.segment_length_m = 0.2;
  def.user_tag = 77;
  def.pins = pins;
  RopeId const left = world.create_rope(def).value();
  test::run(world, 60);
  RopeView const before = view(world, left);
  RopeId const right = world.cut_rope(left, 7).value();
  EXPECT_NE(left, right);
  RopeView const a = view(world, left);
  RopeView const b = view(world, right);
  ASSERT_EQ(a.nodes.size(), 8u);
  ASSERT_EQ(b.nodes.size(), 12u);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ((i < 8 ? a.nodes[i] : b.nodes[i - 8]), before.nodes[i]);
  EXPECT_EQ(b.velocities_m_s[0], before.velocities_m_s[8]);
  ASSERT_EQ(a.pins.size(), 1u);
  ASSERT_EQ(b.pins.size(), 1u);
  EXPECT_EQ(b.pins[0].node, 11u);
  EXPECT_EQ(b.user_tag, 77u);
  test::run(world, 300);
  EXPECT_LT(metres(view(world, left).nodes.back()).y, 4.0);  // both hang from their pins now
  EXPECT_LT(metres(view(world, right).nodes.front()).y, 3.5);
  // Down to single nodes, which are ropes too; and a free slot is used again.
  for (std::uint32_t nodes = 8; nodes > 1; --nodes) ASSERT_TRUE(world.cut_rope(left, 0).ok() || nodes < 8);
  ASSERT_EQ(view(world, left).nodes.size(), 1u);
  EXPECT_EQ(world.cut_rope(left, 0).error(), PhysicsError::kRopeSegment);
  ASSERT_TRUE(world.destroy_rope(left).ok());
  EXPECT_FALSE(world.contains(left));
  RopeId const again = world.create_rope(def).value();
  EXPECT_EQ(again.index, left.index);
  test::run(world, 60);
  ASSERT_TRUE(World<TypeParam>::restore(world.save()).ok());
}

TYPED_TEST(RopeStateTest, SleepsWithItsLoadAndWakesWithIt) {
  auto world = test::make_world<TypeParam>();
  BodyId const load = test::add_load(world, 10.0, at(0, 2.7, 0));
  std::array<RopePin, 2> pins{};
  pins[1].node = 9;
  pins[1].body = load;
  pins[1].local_anchor_m = {0, 0.3, 0};
  RopeDef def;
  def.node_count = 10;
  def.start = at(0, 5, 0);
  def.end = at(0, 3, 0);
  def.pins = pins;
  RopeId const rope = world.create_rope(def).value();
  test::run(world, 240);
  EXPECT_TRUE(view(world, rope).asleep);
  EXPECT_TRUE(world.is_asleep(load));
  double const tension = view(world, rope).tensions_n[0];
  EXPECT_NEAR(tension, 10.9 * 9.81, 1.1);
  // Pushed, the body wakes and the rope with it; let go of, it falls.
  ASSERT_TRUE(world.apply_impulse(load, {5, 0, 0}).ok());
  test::run(world, 2);
  EXPECT_FALSE(view(world, rope).asleep);
  test::run(world, 10);
  EXPECT_NEAR(test::rope_length(view(world, rope)), 2.0, 1e-4);
  test::run(world, 3000);
  ASSERT_TRUE(world.cut_rope(rope, 4).ok());
  double const y = metres(world.pose(load).position).y;
  test::run(world, 30);
  EXPECT_LT(metres(world.pose(load).position).y, y - 1.0);
}

// The rope kept its still ticks, and slept again in the tick that woke it.
TYPED_TEST(RopeStateTest, ARopeThatABodyWakesCountsItsStillTicksAnew) {
  auto world = test::make_world<TypeParam>();
  test::add(world, BodyType::kStatic, test::box(1, 0.5, 1), at(0, 2, 0));
  RopeDef def;
  def.start = at(-0.5, 2.6, 0);
  def.end = at(0.5, 2.6, 0);
  RopeId const rope = world.create_rope(def).value();
  test::run(world, 240);
  ASSERT_TRUE(view(world, rope).asleep);
  ShapeDef const ball = test::sphere(0.1);
  BodyDef passing = test::body(BodyType::kDynamic, {&ball, 1}, at(-3, 2.7, 0));
  passing.linear_velocity_m_s = {30, 0, 0};
  (void)test::add(world, passing);
  int awake_ticks = 0;
  for (int tick = 0; tick < 60; ++tick) {
    (void)world.step();
    awake_ticks += view(world, rope).asleep ? 0 : 1;
  }
  // It sleeps at the end of its 30th still tick. The ball is near for 0.15 s at most.
  EXPECT_GE(awake_ticks, 29);
  EXPECT_LE(awake_ticks, 45);
}

TYPED_TEST(RopeStateTest, WhatARopeLiesOnWakesItWhenItGoes) {
  auto world = test::make_world<TypeParam>();
  BodyId const table = test::add(world, BodyType::kStatic, test::box(1, 0.5, 1), at(0, 2, 0));
  RopeDef def;
  def.start = at(-0.5, 2.6, 0);
  def.end = at(0.5, 2.6, 0);
  RopeId const rope = world.create_rope(def).value();
  test::run(world, 240);
  ASSERT_TRUE(view(world, rope).asleep);
  ASSERT_TRUE(world.destroy_body(table).ok());
  test::run(world, 60);
  EXPECT_LT(metres(view(world, rope).nodes[0]).y, 0.0);
}

TYPED_TEST(RopeStateTest, ARopeThatLeavesTheWorldIsFrozenAndTheRestGoesOn) {
  auto world = test::make_world<TypeParam>();
  BodyId const ball = test::add_load(world, 1.0, at(0, 0, 0));
  RopeDef def;
  def.start.x_raw = kWorldLimitRaw - (std::int64_t{1} << 32);
  def.end = def.start;
  def.end.x_raw -= std::int64_t{2} << 32;
  RopeId const rope = world.create_rope(def).value();
  for (std::uint32_t node = 0; node < 16; ++node)
    ASSERT_TRUE(world.apply_rope_impulse(rope, node, {1000, 0, 0}).ok());
  test::run(world, 30);
  EXPECT_TRUE(view(world, rope).quarantined);
  EXPECT_LT(metres(world.pose(ball).position).y, -1.0);
  ASSERT_TRUE(World<TypeParam>::restore(world.save()).ok());
}

TYPED_TEST(RopeStateTest, EveryDamagedImageIsRefusedOrSound) {
  Yard<TypeParam> yard;
  for (int tick = 0; tick < 20; ++tick) yard.step();
  std::vector<std::byte> const image = yard.world.save();
  // Ropes stand at the end: each byte of the last 6,000 set to what a stranger might, under a checksum that
  // fits.
  for (std::size_t i = image.size() - 6000; i < image.size(); i += 3) {
    std::vector<std::byte> bad = image;
    bad[i] ^= std::byte{0xff};
    test::seal(bad);
    auto restored = World<TypeParam>::restore(bad);
    if (restored.ok()) (void)restored->step();
  }
}

TYPED_TEST(RopeStateTest, ASteadyTickDoesNotAllocate) {
  auto world = test::make_world<TypeParam>();
  (void)test::add_ground(world);
  std::array<RopePin, 2> pins{};
  pins[1].node = 15;
  pins[1].body = test::add_load(world, 5.0, at(4, 6, 0));
  RopeDef def;
  def.start = at(0, 6, 0);
  def.end = at(4, 6, 0);
  def.pins = pins;
  RopeId const swinging = world.create_rope(def).value();
  RopeDef lying;
  lying.start = at(3, 0.1, 5);
  lying.end = at(6, 0.1, 5);
  lying.can_sleep = false;
  RopeId const still = world.create_rope(lying).value();
  test::run(world, 240);
  std::uint64_t const before = test::allocation_count();
  test::run(world, 60);
  EXPECT_EQ(test::allocation_count(), before);
  EXPECT_FALSE(view(world, swinging).asleep);
  EXPECT_FALSE(view(world, still).asleep);
}

TYPED_TEST(RopeStateTest, ASteadyTickDoesNotAllocateWhereTrianglesAreLeftOut) {
  WorldDef limited;
  limited.max_contacts = 64;
  auto world = test::make_world<TypeParam>(limited);
  test::MeshSource const ground =
      test::grid_mesh(100, 100, 0.01, -0.5, -0.5, [](double x, double) { return 0.1 * x; });
  MeshDef const mesh = ground.def();
  (void)test::add(world, BodyType::kStatic, test::mesh_shape(mesh), {});
  RopeDef lying;
  lying.start = at(-0.4, 0.15, 0);
  lying.end = at(0.4, 0.15, 0);
  lying.radius_m = 0.1;
  lying.can_sleep = false;
  ASSERT_TRUE(world.create_rope(lying).ok());
  test::run(world, 60);
  std::uint64_t const before = test::allocation_count();
  for (int tick = 0; tick < 10; ++tick) EXPECT_TRUE(world.step().contacts_cut) << tick;
  EXPECT_EQ(test::allocation_count(), before);
}

// A body that turns is thrown at a rope farther than it would have gone by itself. One of its shapes meets
// nothing any more: where that was is nothing to go by.
TYPED_TEST(RopeStateTest, WhatMeetsNothingLeavesNoPast) {
  WorldDef def;
  def.gravity_m_s2 = {};
  World<TypeParam> world = test::make_world<TypeParam>(def);
  double const x = 1000.0;
  std::array<ShapeDef, 2> shapes{test::sphere(0.2), test::box(0.05, 0.05, 0.05)};
  shapes[0].restitution = 1.0;
  shapes[1].local_position_m = {0, 0.3, 0};
  BodyDef turning = test::body(BodyType::kDynamic, shapes, at(x, 0, 0));
  turning.angular_velocity_rad_s = {0, 0, 1};
  BodyId const thrown = test::add(world, turning);
  RopeDef rope;
  rope.node_count = 20;
  rope.start = at(x + 1.2, -1, 0);
  rope.end = at(x + 1.2, 1, 0);
  ASSERT_TRUE(world.create_rope(rope).ok());
  (void)world.step();
  ASSERT_TRUE(world.set_filter(world.shapes(thrown)[1], ShapeFilter{.category = 1, .mask = 0}).ok());
  ShapeDef ball = test::sphere(0.2);
  ball.restitution = 1.0;
  BodyDef fast = test::body(BodyType::kDynamic, {&ball, 1}, at(x - 0.405, 0, 0));
  fast.linear_velocity_m_s = {120, 0, 0};
  (void)test::add(world, fast);
  for (int tick = 0; tick < 20; ++tick) {
    World<TypeParam> other = World<TypeParam>::restore(world.save()).value();
    (void)world.step();
    (void)other.step();
    ASSERT_EQ(other.hash(), world.hash()) << "tick " << tick;
  }
  EXPECT_GT(metres(world.center_of_mass(thrown)).x, x + 1.5)
      << "it was thrown to where the rope hangs, and past it";
}

}  // namespace
}  // namespace takt
