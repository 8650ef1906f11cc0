#include "takt/sim/simulation.h"

#include <gtest/gtest.h>

#include "sim/shuttles.h"
#include "takt/core/hash.h"
#include "tests/unit/sim/small_scene.h"

namespace takt::sim {
namespace {

class SimulationTest : public ::testing::TestWithParam<NumbersMode> {};

TEST_P(SimulationTest, SceneBodiesGetIdsInOrder) {
  Simulation const simulation = make_simulation(stack_scene(3), GetParam());
  std::vector<BodyId> bodies;
  simulation.world().list_bodies(bodies);
  EXPECT_EQ(bodies, (std::vector<BodyId>{scene_body(0), scene_body(1), scene_body(2), scene_body(3)}));
  EXPECT_EQ(simulation.tick(), 0u);
  EXPECT_EQ(simulation.scene_hash(), scene_hash(stack_scene(3)));
}

TEST_P(SimulationTest, InputOrderWithinATickDoesNotMatter) {
  Simulation a = make_simulation(stack_scene(), GetParam());
  Simulation b = make_simulation(stack_scene(), GetParam());
  InputMaker ma;
  InputMaker mb;
  join_players(a, ma, 2);
  join_players(b, mb, 2);
  std::vector<Input> inputs{
      ma.make(1, 1, ImpulseCommand{scene_body(1), {500, 0, 0}, {}}), ma.make(1, 1, SpawnCommand{}),
      ma.make(1, 2, ImpulseCommand{scene_body(1), {0, 0, 700}, {}}), ma.make(1, 2, SpawnCommand{})};
  TickResult const forward = a.step(inputs);
  std::reverse(inputs.begin(), inputs.end());
  TickResult const backward = b.step(inputs);
  EXPECT_EQ(forward.hash, backward.hash);
  EXPECT_EQ(a.owner(forward.spawned.at(0)), 1u);
}

TEST_P(SimulationTest, AForceActsForItsTicksAndAnImpulseOnce) {
  // Free fall without gravity: 1 kg, F = 60 N for 3 ticks of 1/60 s gives 3 m/s; an impulse of 2 N s gives 2
  // m/s.
  Scene const scene = parse_scene(R"({"world": {"gravity": [0, 0, 0]}, "bodies": [{"shapes": [{"sphere": {}}],
    "mass": {"mass": 1, "inertia": [1, 1, 1]}}]})");
  Simulation simulation = make_simulation(scene, GetParam());
  std::vector<Input> inputs{{0, kServerPlayer, 1, ForceCommand{scene_body(0), {60, 0, 0}, {}, 3}},
                            {0, kServerPlayer, 2, ImpulseCommand{scene_body(0), {0, 2, 0}, {}}}};
  (void)simulation.step(inputs);
  for (int i = 0; i < 9; ++i) (void)simulation.step({});
  Vec3<double> const v = simulation.world().view(scene_body(0)).linear_velocity_m_s;
  EXPECT_NEAR(v.x, 3, 1e-5);
  EXPECT_NEAR(v.y, 2, 1e-5);
}

TEST_P(SimulationTest, AnImpulseAtALocalPointTurnsTheBody) {
  Scene const scene = parse_scene(
      R"({"world": {"gravity": [0, 0, 0]}, "bodies": [{"euler_degrees": [0, 90, 0], "shapes": [{"box": {}}],
    "mass": {"mass": 1, "inertia": [2, 2, 2]}}]})");
  Simulation simulation = make_simulation(scene, GetParam());
  // Local +x points to world -z after a quarter turn about y: r = (0, 0, -0.5), J = (1, 0, 0), w = r x J / I
  // = (0, -0.25, 0).
  Input const input{0, kServerPlayer, 1, ImpulseCommand{scene_body(0), {1, 0, 0}, Vec3<float>{0.5f, 0, 0}}};
  (void)simulation.step(std::span(&input, 1));
  Vec3<double> const w = simulation.world().view(scene_body(0)).angular_velocity_rad_s;
  EXPECT_NEAR(w.x, 0, 1e-6);
  EXPECT_NEAR(w.y, -0.25, 1e-6);
  EXPECT_NEAR(w.z, 0, 1e-6);
}

TEST_P(SimulationTest, AShuttleFollowsItsPathForEver) {
  Scene const scene =
      parse_scene(R"({"bodies": [{"type": "kinematic", "position": [1, 0, 0], "shapes": [{"box": {}}],
    "motion": {"to": [1, 3, 0], "period": 2, "phase": 0.5}}]})");
  Simulation simulation = make_simulation(scene, GetParam());
  Shuttle const shuttle =
      make_shuttle(scene_body(0), scene.bodies[0].def.position, *scene.bodies[0].motion, 60);
  EXPECT_EQ(shuttle.period_ticks, 120u);
  EXPECT_EQ(shuttle.phase_ticks, 30u);
  double highest = 0;
  for (int i = 0; i < 1000; ++i) {
    (void)simulation.step({});
    double const y = simulation.world().view(scene_body(0)).position.y_m();
    if (i >= 1) {  // the first ticks take it from its place to its phase
      EXPECT_NEAR(y, Fixed::from_raw(shuttle_position(shuttle, simulation.tick()).y_raw).to_double(), 1e-6)
          << i;
    }
    highest = std::max(highest, y);
  }
  EXPECT_NEAR(highest, 3, 1e-6);
}

TEST_P(SimulationTest, AnImageContinuesLikeTheOriginal) {
  Simulation a = make_simulation(stack_scene(4), GetParam());
  InputMaker maker;
  join_players(a, maker, 1);
  std::vector<Input> const inputs{
      maker.make(1, 1, GrabCommand{scene_body(4), {}, Position::from_metres(2, 6, 0), 20000}),
      maker.make(1, 1, ForceCommand{scene_body(1), {1000, 0, 0}, {}, 50}), maker.make(1, 1, SpawnCommand{})};
  EXPECT_TRUE(a.step(inputs).refused.empty());
  for (int i = 0; i < 20; ++i) (void)a.step({});
  Result<Simulation, SimError> b = Simulation::restore(a.save());
  ASSERT_TRUE(b);
  EXPECT_EQ(b->hash(), a.hash());
  EXPECT_TRUE(Simulation::diff(a, *b).empty());
  for (int i = 0; i < 60; ++i) {
    Input const input = maker.make(a.tick(), 1, MoveGrabCommand{Position::from_metres(2, 6, i * 0.1)});
    ASSERT_EQ(a.step(std::span(&input, 1)).hash, b->step(std::span(&input, 1)).hash) << i;
  }
  EXPECT_EQ(b->players().at(0).grabbed, scene_body(4));
}

TEST_P(SimulationTest, DiffNamesTheFieldOfTheSimState) {
  Simulation a = make_simulation(stack_scene(1), GetParam());
  Simulation b = make_simulation(stack_scene(1), GetParam());
  Input const join{0, kServerPlayer, 3, JoinCommand{1, false, "a"}};
  Input const other{0, kServerPlayer, 3, JoinCommand{1, true, "a"}};
  (void)a.step(std::span(&join, 1));
  (void)b.step(std::span(&other, 1));
  std::vector<StateDifference> const differences = Simulation::diff(a, b);
  ASSERT_EQ(differences.size(), 1u);
  EXPECT_EQ(differences[0].path, "player[0].admin");
  EXPECT_EQ(differences[0].by, 1.0);
}

TEST_P(SimulationTest, ImagesAreRefusedWhenAnyByteIsOther) {
  std::vector<std::byte> image = make_simulation(stack_scene(2), GetParam()).save();
  for (std::size_t at = 0; at < image.size(); at += 7) {
    image[at] ^= std::byte{0x10};
    EXPECT_FALSE(Simulation::restore(image)) << at;
    image[at] ^= std::byte{0x10};
  }
  for (std::size_t size = 0; size < image.size(); size += 11)
    EXPECT_FALSE(Simulation::restore(std::span(image).first(size))) << size;
  EXPECT_TRUE(Simulation::restore(image));
}

// A liar who knows the checksum: fields are checked, not only sums.
TEST_P(SimulationTest, AnImageWithARightChecksumAndWrongFieldsIsRefused) {
  std::vector<std::byte> const sound = make_simulation(stack_scene(2), GetParam()).save();
  auto const forged = [&](std::size_t at, std::uint32_t value) {
    std::vector<std::byte> image = sound;
    store_little_endian(image.data() + at, value);
    store_little_endian(image.data() + image.size() - 8,
                        hash_bytes(std::span(image).first(image.size() - 8)));
    Result<Simulation, SimError> const restored = Simulation::restore(image);
    return restored ? std::string_view("restored") : message(restored.error());
  };
  EXPECT_EQ(forged(8, 3), message(SimError::kImageInconsistent));            // numbers mode
  EXPECT_EQ(forged(12, 0xFFFFFFFF), message(SimError::kImageInconsistent));  // game name's length
  EXPECT_EQ(forged(16, 5), message(SimError::kImageInconsistent));  // tick, which the world contradicts
  EXPECT_EQ(forged(24, 0xFFFFFFF0), message(SimError::kImageInconsistent));  // state's length
  EXPECT_EQ(forged(48 + 8, 0), message(SimError::kImageInconsistent));       // policy: max_players 0
}

TEST_P(SimulationTest, SpawnAndDespawnInOneTickLeaveNoTrace) {
  Simulation simulation = make_simulation(stack_scene(1), GetParam());
  InputMaker maker;
  join_players(simulation, maker, 1);
  std::vector<Input> const inputs{maker.make(1, 1, SpawnCommand{}),
                                  maker.make(1, 1, DespawnCommand{BodyId{2, 1}})};
  TickResult const result = simulation.step(inputs);
  EXPECT_TRUE(result.refused.empty());
  EXPECT_TRUE(result.spawned.empty());
  EXPECT_TRUE(result.removed.empty());
}

TEST_P(SimulationTest, AnInputAppliedBeforeTheStepGivesTheBitsOfAStepWithTheInput) {
  Simulation early = make_simulation(stack_scene(2), GetParam());
  Simulation in_step = make_simulation(stack_scene(2), GetParam());
  InputMaker maker;
  join_players(early, maker, 1);
  InputMaker other;
  join_players(in_step, other, 1);
  std::uint64_t const tick = early.tick();
  std::uint32_t const sequence = early.server_sequence();
  std::vector<Input> const edits{
      {tick, kServerPlayer, sequence + 1, ImpulseCommand{scene_body(1), {500, 0, 0}, {}}},
      {tick, kServerPlayer, sequence + 2, SpawnCommand{}},
      {tick, kServerPlayer, sequence + 3, DespawnCommand{BodyId{99, 1}}},
      {tick, kServerPlayer, sequence + 4, ForceCommand{scene_body(2), {0, 0, 60}, {}, 5}}};
  std::vector<Refusal> refusals;
  TickResult spawned;
  for (const Input& edit : edits) refusals.push_back(early.apply(edit, spawned));
  EXPECT_EQ(refusals,
            (std::vector<Refusal>{Refusal::kNone, Refusal::kNone, Refusal::kUnknownBody, Refusal::kNone}));
  EXPECT_EQ(spawned.spawned.size(), 1u);
  // A player's input of the tick acts after those of the server.
  std::vector<Input> inputs{maker.make(tick, 1, SpawnCommand{})};
  TickResult const after_edits = early.step(inputs);
  inputs.insert(inputs.end(), edits.begin(), edits.end());
  EXPECT_EQ(after_edits.hash, in_step.step(inputs).hash);
  for (int i = 0; i < 9; ++i) EXPECT_EQ(early.step({}).hash, in_step.step({}).hash);
}

INSTANTIATE_TEST_SUITE_P(Numbers, SimulationTest,
                         ::testing::Values(NumbersMode::kFloat, NumbersMode::kFixed));

}  // namespace
}  // namespace takt::sim
