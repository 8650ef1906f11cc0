// Movers as state: ids, definitions, images, snapshots and rollback; no bit depends on what is not canonical,
// and a steady tick does not allocate.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/physics/allocation_count.h"
#include "tests/physics/mover_world.h"

namespace takt {
namespace {

using test::at;
using test::drive;
using test::position_of;

template <class Real>
class MoverStateTest : public testing::Test {};
using Reals = testing::Types<float, Fixed>;
TYPED_TEST_SUITE(MoverStateTest, Reals);

TYPED_TEST(MoverStateTest, DiesWithItsBodyAndTheOtherWayRound) {
  auto world = test::make_world<TypeParam>();
  MoverId const a = test::add_mover(world, test::mover_at(0, 0, 0));
  MoverId const b = test::add_mover(world, test::mover_at(5, 0, 0));
  BodyId const body_a = world.mover(a).body;
  EXPECT_EQ(world.mover_of(body_a), a);
  EXPECT_EQ(world.body_type(body_a), BodyType::kKinematic);
  ASSERT_TRUE(world.destroy_body(body_a).ok());
  EXPECT_FALSE(world.contains(a));
  EXPECT_TRUE(world.mover_of(body_a) == MoverId{});
  BodyId const body_b = world.mover(b).body;
  ASSERT_TRUE(world.destroy_mover(b).ok());
  EXPECT_FALSE(world.contains(body_b));
  EXPECT_EQ(world.destroy_mover(b).error(), PhysicsError::kUnknownMover);
  MoverId const again = test::add_mover(world, test::mover_at(0, 0, 0));
  EXPECT_EQ(again.index, b.index);
  EXPECT_NE(again.generation, b.generation);
  std::vector<MoverId> all;
  world.list_movers(all);
  EXPECT_EQ(all, std::vector<MoverId>{again});
}

TYPED_TEST(MoverStateTest, RefusesBadDefinitionsByNameAndCreatesNothing) {
  auto world = test::make_world<TypeParam>();
  double const nan = std::numeric_limits<double>::quiet_NaN();
  auto const refused = [&](auto change, PhysicsError error) {
    MoverDef def;
    change(def);
    auto const made = world.create_mover(def);
    ASSERT_FALSE(made.ok());
    EXPECT_EQ(made.error(), error);
    EXPECT_EQ(world.body_count(), 0u);
  };
  refused([](MoverDef& d) { d.radius_m = 0.001; }, PhysicsError::kShapeTooSmall);
  refused([](MoverDef& d) { d.half_length_m = 200; }, PhysicsError::kShapeTooLarge);
  refused([&](MoverDef& d) { d.heading_rad = nan; }, PhysicsError::kNotFinite);
  refused([](MoverDef& d) { d.tuning.max_slope_rad = 1.5; }, PhysicsError::kOutOfRange);
  refused([](MoverDef& d) { d.tuning.skin_m = 0.001; }, PhysicsError::kOutOfRange);
  refused([&](MoverDef& d) { d.tuning.push_force_n = nan; }, PhysicsError::kNotFinite);
  refused([](MoverDef& d) { d.tuning.step_height_m = -1; }, PhysicsError::kOutOfRange);

  MoverId const mover = test::add_mover(world, MoverDef{});
  std::uint64_t const before = world.hash();
  MoverInput input;
  input.velocity_m_s = {nan, 0, 0};
  EXPECT_EQ(world.set_mover_input(mover, input).error(), PhysicsError::kNotFinite);
  input.velocity_m_s = {0, 0, 1e6};
  EXPECT_EQ(world.set_mover_input(mover, input).error(), PhysicsError::kOutOfRange);
  EXPECT_EQ(world.set_mover_input({7, 1}, MoverInput{}).error(), PhysicsError::kUnknownMover);
  BodyId const body = world.mover(mover).body;
  EXPECT_EQ(world.set_type(body, BodyType::kDynamic).error(), PhysicsError::kMoversBody);
  EXPECT_EQ(world.set_target(body, at(1, 0, 0), {}).error(), PhysicsError::kMoversBody);
  EXPECT_EQ(world.hash(), before);
}

/// Everything that a mover does: walls, steps, a lift, a crate, jumps; driven by the tick alone.
template <class Real>
struct Course {
  World<Real> world = test::make_world<Real>();
  std::vector<MoverId> movers;

  Course() {
    test::add_ground(world);
    test::add_box(world, BodyType::kStatic, {3, 0.15, 1}, at(6, 0.15, 0));
    test::add_box(world, BodyType::kStatic, {0.5, 2, 3}, at(-5, 2, 0), test::about_y(0.4));
    ShapeDef crate = test::box(0.4, 0.4, 0.4);
    crate.density_kg_m3 = 100;
    for (int i = 0; i < 4; ++i) test::add(world, BodyType::kDynamic, crate, at(1.5, 0.4 + 0.8 * i, 0.3 * i));
    ShapeDef const lift = test::box(1, 0.1, 1);
    BodyDef def = test::body(BodyType::kKinematic, {&lift, 1}, at(0, 0.1, 4));
    def.angular_velocity_rad_s = {0, 0.7, 0};
    def.linear_velocity_m_s = {0, 0.2, 0};
    test::add(world, def);
    for (int i = 0; i < 3; ++i)
      movers.push_back(test::add_mover(world, test::mover_at(-1.5 * i, 0.2, 1.3 * i)));
  }
  void step(std::uint32_t lanes = 0) {
    auto const tick = static_cast<double>(world.tick());
    for (std::size_t i = 0; i < movers.size(); ++i) {
      MoverInput input;
      double const angle = 0.03 * tick + static_cast<double>(i);
      input.velocity_m_s = {5 * std::sin(angle), 0, 5 * std::cos(1.7 * angle)};
      input.jump = world.tick() % 50 == 10 * i;
      input.turn_rad_s = static_cast<double>(i) - 1.0;
      input.in_heading_frame = i == 2;
      ASSERT_TRUE(world.set_mover_input(movers[i], input).ok());
    }
    (void)world.step({lanes});
  }
};

TYPED_TEST(MoverStateTest, RestoringAtEveryTickChangesNothing) {
  Course<TypeParam> straight;
  Course<TypeParam> broken;
  WorldSnapshot<TypeParam> snapshot;
  for (int i = 0; i < 400; ++i) {
    straight.step();
    switch (i % 3) {
      case 0: {
        auto restored = World<TypeParam>::restore(broken.world.save());
        ASSERT_TRUE(restored.ok());
        broken.world = *std::move(restored);
        break;
      }
      case 1:
        broken.world.capture(snapshot);
        for (int k = 0; k < 3; ++k) broken.step();
        broken.world.rollback(snapshot);
        break;
      default: broken.world.drop_derived_state(); break;
    }
    broken.step(1);
    auto const differences = World<TypeParam>::diff(straight.world, broken.world, 3);
    ASSERT_TRUE(differences.empty()) << "tick " << i << ": " << differences[0].path << ' '
                                     << differences[0].left << " and " << differences[0].right;
    ASSERT_EQ(straight.world.hash(), broken.world.hash()) << i;
  }
  EXPECT_EQ(straight.world.fixed_overflow_total(), 0u);
}

// Whatever it does: no mover is ever in a static body, and none leaves the ground plane behind.
TYPED_TEST(MoverStateTest, IsNeverInsideOfWhatStandsStill) {
  Course<TypeParam> course;
  std::vector<QueryHit> hits;
  double deepest = 0;
  for (int i = 0; i < 1500; ++i) {
    course.step();
    for (MoverId const mover : course.movers) {
      BodyId const body = course.world.mover(mover).body;
      Query query = Query::overlap(test::capsule(0.4, 0.5), course.world.pose(body).position, {});
      query.ignore = {&body, 1};
      ASSERT_TRUE(course.world.query(query, hits).ok());
      for (const QueryHit& hit : hits) {
        if (course.world.body_type(hit.body) == BodyType::kStatic)
          deepest = std::min(deepest, hit.distance_m);
      }
    }
  }
  EXPECT_GE(deepest, -1e-4) << "the skin keeps it apart";
}

TYPED_TEST(MoverStateTest, StandsWhereverTheWorldIs) {
  auto const run = [](double x) {
    auto world = test::make_world<TypeParam>();
    test::add_ground(world, test::about_z(0.3), at(x, 0, 0));
    test::add_box(world, BodyType::kStatic, {0.5, 3, 5}, at(x + 2, 1, 0), test::about_y(0.7));
    MoverDef def;
    def.position = at(x, 1.5, 0);
    MoverId const mover = test::add_mover(world, def);
    drive(world, mover, {3, 0, 1});
    test::run(world, 120);
    Position const position = world.pose(world.mover(mover).body).position;
    Position const origin = at(x, 0, 0);
    return Position::from_raw(position.x_raw - origin.x_raw, position.y_raw, position.z_raw);
  };
  EXPECT_EQ(run(0), run(1e6));
}

TYPED_TEST(MoverStateTest, ASteadyTickAllocatesNothing) {
  Course<TypeParam> course;
  for (int i = 0; i < 600; ++i) course.step();
  std::uint64_t const before = test::allocation_count();
  for (int i = 0; i < 60; ++i) course.step();
  EXPECT_EQ(test::allocation_count(), before);
}

TYPED_TEST(MoverStateTest, ItsBodyCanBeTeleportedThrownAndSwitchedOff) {
  auto world = test::make_world<TypeParam>();
  test::add_ground(world);
  MoverId const mover = test::add_mover(world, test::mover_at(0, 0, 0));
  BodyId const body = world.mover(mover).body;
  test::run(world, 10);
  ASSERT_TRUE(world.set_velocity(body, {0, 8, 0}, {}).ok());
  (void)world.step();
  EXPECT_FALSE(world.mover(mover).grounded);
  EXPECT_NEAR(world.mover(mover).velocity_m_s.y, 8 - 9.81 / 60, 1e-6);
  ASSERT_TRUE(world.set_pose(body, at(7, 3, 0), {}).ok());
  test::run(world, 2);
  EXPECT_NEAR(position_of(world, mover).x, 7, 1e-6);
  ASSERT_TRUE(world.set_enabled(body, false).ok());
  Vec3<double> const position = position_of(world, mover);
  test::run(world, 10);
  EXPECT_EQ(position_of(world, mover), position);
  ASSERT_TRUE(world.set_enabled(body, true).ok());
  test::run(world, 200);
  EXPECT_TRUE(world.mover(mover).grounded);
}

// The floor is taken away from under it.
TYPED_TEST(MoverStateTest, FallsWhenItsGroundGoes) {
  auto world = test::make_world<TypeParam>();
  BodyId const floor = test::add_box(world, BodyType::kStatic, {2, 0.5, 2}, at(0, -0.5, 0));
  MoverId const mover = test::add_mover(world, test::mover_at(0, 0, 0));
  test::run(world, 60);
  ASSERT_TRUE(world.mover(mover).grounded);
  ASSERT_TRUE(world.destroy_body(floor).ok());
  test::run(world, 30);
  EXPECT_FALSE(world.mover(mover).grounded);
  EXPECT_NEAR(position_of(world, mover).y, 0.91 - 0.5 * 9.81 * 0.25, 0.05);
}

}  // namespace
}  // namespace takt
