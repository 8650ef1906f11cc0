// Simulation::correct() and admit_body(): what a client that predicts a part of a world does to it.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/unit/sim/small_scene.h"

namespace takt::sim {
namespace {

class Correction : public ::testing::TestWithParam<NumbersMode> {};

BodyCorrection state_of(const AnyWorld& world, BodyId body) {
  BodyView const view = world.view(body);
  return {view.position, view.rotation, view.linear_velocity_m_s, view.angular_velocity_rad_s};
}

std::vector<BodyId> bodies_of(const Simulation& simulation) {
  std::vector<BodyId> ids;
  simulation.world().list_bodies(ids);
  return ids;
}

void run(Simulation& simulation, int ticks) {
  for (int i = 0; i < ticks; ++i) (void)simulation.step({}, {.step = {}, .want_hash = false});
}

/// A scene with turned bodies, movers, a joint and a sleeping pile after a while.
Scene mixed_scene() {
  return parse_scene(R"({"bodies": [
    {"type": "static", "shapes": [{"half_space": {}}]},
    {"name": "a", "position": [3,2,0], "velocity": [1,0,2], "shapes": [{"box": {"size": [1,0.4,0.7]}}]},
    {"name": "b", "position": [3,3,0], "shapes": [{"capsule": {}, "position": [0.3,0.1,0]}]},
    {"position": [0,0.92,4], "mover": {}}, {"position": [-4,0.5,0], "shapes": [{"box": {"size": [1,1,1]}}]}],
    "joints": [{"kind": "revolute", "a": "a", "b": "b", "anchor": [3,2.5,0], "axis": [0,0,1]}],
    "generators": [{"stack": {"count": 5}}]})");
}

TEST_P(Correction, ToTheOwnStateChangesNoBit) {
  Simulation plain = make_simulation(mixed_scene(), GetParam());
  Simulation corrected = make_simulation(mixed_scene(), GetParam());
  for (int tick = 0; tick < 400; ++tick) {
    if (tick == 10) {
      InputMaker maker, same;
      join_players(plain, maker, 1, true);
      join_players(corrected, same, 1, true);
      continue;
    }
    for (BodyId const body : bodies_of(corrected))
      ASSERT_TRUE(corrected.correct(body, state_of(corrected.world(), body)).ok());
    ASSERT_EQ(corrected.hash(), plain.hash()) << "before tick " << tick;
    TickResult const result = corrected.step({});
    ASSERT_EQ(result.hash, plain.step({}).hash) << "after tick " << tick;
  }
}

TEST_P(Correction, OfASleepingBodyWakesNothing) {
  Simulation simulation = make_simulation(stack_scene(4), GetParam());
  run(simulation, 400);
  BodyId const top = scene_body(4);
  for (int i = 1; i <= 4; ++i)
    ASSERT_TRUE(simulation.world().view(scene_body(static_cast<std::uint32_t>(i))).asleep) << i;
  BodyCorrection to = state_of(simulation.world(), top);
  to.position.x_raw += std::int64_t{1} << 28;  // 1/16 m
  to.linear_velocity_m_s = {3, 0, 0};
  ASSERT_TRUE(simulation.correct(top, to).ok());
  run(simulation, 30);
  for (int i = 1; i <= 4; ++i)
    EXPECT_TRUE(simulation.world().view(scene_body(static_cast<std::uint32_t>(i))).asleep) << i;
  EXPECT_EQ(simulation.world().view(top).position.x_raw, to.position.x_raw);
  EXPECT_EQ(simulation.world().view(top).linear_velocity_m_s.x, 0);
  // Its image is one that restore() accepts, and that steps on to equal bits.
  auto restored = Simulation::restore(simulation.save());
  ASSERT_TRUE(restored);
  EXPECT_EQ(restored->hash(), simulation.hash());
  ASSERT_TRUE(simulation.local_world().wake(top).ok());
  ASSERT_TRUE(restored->local_world().wake(top).ok());
  run(simulation, 50);
  run(*restored, 50);
  EXPECT_EQ(restored->hash(), simulation.hash());
}

// Queries see the corrected pose of a body that sleeps.
TEST_P(Correction, MovesWhatQueriesFind) {
  Simulation simulation = make_simulation(stack_scene(1), GetParam());
  run(simulation, 300);
  BodyId const box = scene_body(1);
  ASSERT_TRUE(simulation.world().view(box).asleep);
  BodyCorrection to = state_of(simulation.world(), box);
  to.position.x_raw += std::int64_t{20} << 32;
  ASSERT_TRUE(simulation.correct(box, to).ok());
  run(simulation, 1);
  Query ray;
  ray.kind = QueryKind::kRay;
  ray.position = Position::from_metres(to.position.x_m(), 5, to.position.z_m());
  ray.translation_m = {0, -10, 0};
  std::vector<QueryHit> hits;
  ASSERT_TRUE(simulation.world().query(ray, hits));
  ASSERT_FALSE(hits.empty());
  EXPECT_EQ(hits.front().body, box);
}

// A stack of ten that is corrected each tick stays as calm as one that nobody touches, within a millimetre:
// without its warm starts it would sink.
TEST_P(Correction, KeepsTheImpulsesOfAStack) {
  constexpr std::uint32_t kBoxes = 10;
  Simulation simulation = make_simulation(stack_scene(kBoxes), GetParam());
  run(simulation, 40);
  BodyId const top = scene_body(kBoxes);
  double const before = simulation.world().view(top).position.y_m();
  for (int i = 0; i < 60; ++i) {
    for (std::uint32_t box = 1; box <= kBoxes; ++box) {
      BodyCorrection to = state_of(simulation.world(), scene_body(box));
      to.position.x_raw += i % 2 == 0 ? 1 << 20 : -(1 << 20);  // a quarter of a millimetre
      to.linear_velocity_m_s.x += i % 2 == 0 ? 1e-3 : -1e-3;
      ASSERT_TRUE(simulation.correct(scene_body(box), to).ok());
    }
    run(simulation, 1);
  }
  EXPECT_NEAR(simulation.world().view(top).position.y_m(), before, 1e-3);
}

TEST_P(Correction, OfABadStateIsRefusedAndChangesNothing) {
  Simulation simulation = make_simulation(stack_scene(1), GetParam());
  std::uint64_t const before = simulation.hash();
  BodyCorrection const good = state_of(simulation.world(), scene_body(1));
  BodyCorrection bad = good;
  bad.rotation = {1, 1, 1, 1};
  EXPECT_EQ(simulation.correct(scene_body(1), bad).error(), PhysicsError::kBadRotation);
  bad = good;
  bad.linear_velocity_m_s.y = std::nan("");
  EXPECT_EQ(simulation.correct(scene_body(1), bad).error(), PhysicsError::kNotFinite);
  bad = good;
  bad.angular_velocity_rad_s.y = 1e9;
  EXPECT_EQ(simulation.correct(scene_body(1), bad).error(), PhysicsError::kOutOfRange);
  EXPECT_EQ(simulation.correct(scene_body(7), good).error(), PhysicsError::kUnknownBody);
  EXPECT_EQ(simulation.hash(), before);
}

// Ids of another world in any order: beyond the last slot, into a hole, and with a higher generation.
TEST_P(Correction, AnAdmittedBodyHasTheIdThatIsWanted) {
  Simulation simulation = make_simulation(stack_scene(2), GetParam());
  ShapeDef const sphere = ShapeDef::sphere(0.5);
  BodyDef def;
  def.position = Position::from_metres(8, 4, 0);
  def.shapes = {&sphere, 1};
  for (BodyId const id : {BodyId{9, 4}, BodyId{5, 1}, BodyId{3, 7}}) {
    auto const made = simulation.admit_body(id, def, 3);
    ASSERT_TRUE(made) << id.index;
    EXPECT_EQ(*made, id);
    EXPECT_EQ(simulation.owner(id), 3u);
    EXPECT_EQ(simulation.admit_body(id, def, 3).error(), PhysicsError::kOutOfRange);
  }
  EXPECT_EQ(simulation.admit_body({10, 0}, def, 0).error(), PhysicsError::kOutOfRange);
  EXPECT_EQ(simulation.admit_body({simulation.world().def().max_bodies, 1}, def, 0).error(),
            PhysicsError::kOutOfRange);
  ASSERT_TRUE(simulation.dismiss_body({5, 1}).ok());
  EXPECT_EQ(simulation.owner({5, 1}), kServerPlayer);
  EXPECT_EQ(*simulation.admit_body({5, 2}, def, 0), (BodyId{5, 2}));
  run(simulation, 20);
  auto const restored = Simulation::restore(simulation.save());
  ASSERT_TRUE(restored);
  EXPECT_EQ(restored->hash(), simulation.hash());
}

INSTANTIATE_TEST_SUITE_P(Numbers, Correction, ::testing::Values(NumbersMode::kFloat, NumbersMode::kFixed),
                         [](const auto& one) {
                           return one.param == NumbersMode::kFloat ? "Float" : "Fixed";
                         });

}  // namespace
}  // namespace takt::sim
