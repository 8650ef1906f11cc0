#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "takt/physics/assembly.h"
#include "takt/sim/rollback_buffer.h"
#include "tests/unit/sim/counting_game.h"
#include "tests/unit/sim/small_scene.h"

namespace takt::sim {
namespace {

const CountingGame& counts(const Simulation& simulation) {
  return dynamic_cast<const CountingGame&>(*simulation.game());
}

class GameInSimulation : public ::testing::TestWithParam<NumbersMode> {
 protected:
  Simulation simulation = make_simulation(stack_scene(), GetParam(), std::make_unique<CountingGame>());
  InputMaker maker;
};

TEST_P(GameInSimulation, IsCalledAtItsPlaces) {
  join_players(simulation, maker, 2);
  std::vector<Input> inputs{maker.make(simulation.tick(), 1, CustomCommand{{std::byte{7}}}),
                            maker.make(simulation.tick(), 2, CustomCommand{}),
                            maker.make(simulation.tick(), kServerPlayer, LeaveCommand{2})};
  TickResult const result = simulation.step(inputs);
  EXPECT_EQ(counts(simulation).joins, 2u);
  EXPECT_EQ(counts(simulation).leaves, 1u);
  EXPECT_EQ(counts(simulation).commands, 1u);
  EXPECT_EQ(counts(simulation).last_leave_tick, 1u);
  ASSERT_EQ(result.spawned.size(), 1u);
  EXPECT_EQ(simulation.owner(result.spawned[0]), 1u);  // the game made it for player 1
  ASSERT_EQ(result.refused.size(),
            1u);  // player 2 had left before its command: the server's inputs come first
  EXPECT_EQ(result.refused[0].reason, Refusal::kNotJoined);
}

/// Throws dice and counts the results.
class DiceGame final : public Game {
 public:
  [[nodiscard]] std::string_view name() const override { return "dice/1"; }
  void before_tick(WorldAccess& world) override {
    for (int i = 0; i < 100; ++i) ++counts.at(world.random_below(6));
    EXPECT_EQ(world.random_below(0), 0u);
    EXPECT_EQ(world.random_below(1), 0u);
    EXPECT_LT(world.random_below(0x80000001u), 0x80000001u);  // about half of its draws are repeated
    last = world.random_below(1'000'000);
  }
  void visit_state(StateVisitor&) override {}

  std::array<std::uint32_t, 6> counts{};
  std::uint32_t last = 0;
};

TEST_P(GameInSimulation, DrawsIntegersBelowABound) {
  Simulation dice = make_simulation(stack_scene(), GetParam(), std::make_unique<DiceGame>());
  for (int tick = 0; tick < 600; ++tick) dice.step({});
  auto const& played = dynamic_cast<const DiceGame&>(*dice.game());
  // 60,000 throws: 10,000 of each, with a standard deviation of 91.
  for (std::uint32_t const count : played.counts) EXPECT_NEAR(count, 10'000, 5 * 91);
  auto copy = Simulation::restore(dice.save(), std::make_unique<DiceGame>());
  ASSERT_TRUE(copy.ok());
  EXPECT_EQ(copy->step({}).hash, dice.step({}).hash);
  EXPECT_EQ(dynamic_cast<const DiceGame&>(*copy->game()).last, played.last) << "the stream is in the image";
}

/// Removes what enters a sensor and remembers the hardest hit.
class GoalGame final : public Game {
 public:
  [[nodiscard]] std::string_view name() const override { return "goal/1"; }
  void after_tick(WorldAccess& world, const StepEvents& events) override {
    for (const HitEvent& hit : events.hits) hardest_n_s = std::max(hardest_n_s, hit.impulse_n_s);
    if (events.sensor_begin.empty()) return;
    goal_tick = world.tick();
    goals += events.sensor_begin.size();
    std::vector<BodyId> bodies;
    world.world().list_bodies(bodies);
    EXPECT_TRUE(world.destroy_body(bodies.back()).ok());
  }
  void visit_state(StateVisitor& state) override {
    state.field("goals", goals);
    state.field("goal_tick", goal_tick);
    state.field("hardest_n_s", hardest_n_s);
  }
  std::uint64_t goals = 0;
  std::uint64_t goal_tick = 0;
  double hardest_n_s = 0;
};

TEST_P(GameInSimulation, SeesHitsAndSensorsInsideTheTickAlsoWhenRestoredBeforeEach) {
  // The ball hits the ground at tick 20 and rolls into the goal.
  Scene const scene = parse_scene(R"({"bodies": [
    {"type": "static", "shapes": [{"half_space": {}}]},
    {"type": "static", "position": [4, 0.5, 0], "shapes": [{"box": {}, "sensor": true}]},
    {"name": "ball", "position": [0, 1, 0], "velocity": [4, 0, 0], "shapes": [{"sphere": {"radius": 0.25}}]}]})");
  Simulation straight = make_simulation(scene, GetParam(), std::make_unique<GoalGame>());
  Simulation nervous = make_simulation(scene, GetParam(), std::make_unique<GoalGame>());
  auto const state = [](const Simulation& s) -> const GoalGame& {
    return dynamic_cast<const GoalGame&>(*s.game());
  };
  for (int tick = 0; tick < 90; ++tick) {
    std::size_t const removed = straight.step({}).removed.size();
    EXPECT_EQ(removed, state(straight).goal_tick == straight.tick() ? 1u : 0u);
    nervous = std::move(Simulation::restore(nervous.save(), std::make_unique<GoalGame>())).value();
    (void)nervous.step({});
    ASSERT_EQ(straight.hash(), nervous.hash()) << "tick " << tick;
  }
  EXPECT_EQ(state(straight).goals, 1u);
  EXPECT_GT(state(straight).goal_tick, 45u);  // 3.25 m at 4 m/s and less
  EXPECT_GT(state(straight).hardest_n_s, 0.0);
  EXPECT_EQ(straight.world().body_count(), 2u);
}

/// Creates a car before its first tick and drives it forward.
class DrivingGame final : public Game {
 public:
  [[nodiscard]] std::string_view name() const override { return "driving/1"; }
  void before_tick(WorldAccess& world) override {
    VehicleDef const def;
    if (wheels.empty()) {
      Result<AssemblyIds, PhysicsError> const car = create_assembly(world, *vehicle(def));
      ASSERT_TRUE(car.ok());
      chassis = car->bodies.front();
      wheels = car->joints;
    }
    VehicleControls const controls{.speed_m_s = 5, .drive_torque_n_m = 400};
    EXPECT_TRUE(control_vehicle(world, wheels, def, controls).ok());
  }
  void visit_state(StateVisitor& state) override {
    state.field("chassis", chassis);
    state.list("wheel", wheels, 4);
  }
  BodyId chassis;
  std::vector<JointId> wheels;
};

TEST_P(GameInSimulation, DrivesAVehicleByItsJointsAlsoWhenRestored) {
  Scene const scene =
      parse_scene(R"({"bodies": [{"type": "static", "shapes": [{"half_space": {}, "friction": 0.9}]}]})");
  Simulation driven = make_simulation(scene, GetParam(), std::make_unique<DrivingGame>());
  EXPECT_EQ(driven.step({}).spawned.size(), 5u);
  Simulation copy = std::move(Simulation::restore(driven.save(), std::make_unique<DrivingGame>())).value();
  for (int tick = 1; tick < 180; ++tick) {
    ASSERT_EQ(driven.step({}).hash, copy.step({}).hash) << "tick " << tick;
  }
  BodyId const chassis = dynamic_cast<const DrivingGame&>(*driven.game()).chassis;
  EXPECT_GT(driven.world().view(chassis).position.x_m(), 2.0);
  EXPECT_EQ(driven.owner(chassis), kServerPlayer);
}

/// Makes one call per command: 0 wakes the newest body, 1 pushes the middle of its rope, 2 creates a ball.
class CallingGame final : public Game {
 public:
  [[nodiscard]] std::string_view name() const override { return "calling/1"; }
  bool on_command(WorldAccess& world, PlayerId player, std::span<const std::byte> bytes) override {
    std::vector<BodyId> bodies;
    world.world().list_bodies(bodies);
    switch (std::to_integer<int>(bytes.front())) {
      case 0: return world.wake(bodies.back()).ok();
      case 1: {
        RopeDef def;
        def.start = Position::from_metres(10, 5, 0);
        def.end = Position::from_metres(12, 5, 0);
        def.node_count = 3;
        def.mass_kg = 3;
        Result<RopeId, PhysicsError> const rope = world.create_rope(def);
        return rope.ok() && world.apply_rope_impulse(*rope, 1, {0, 0, 2}).ok() &&
               !world.apply_rope_impulse(*rope, 3, {0, 0, 2}).ok();
      }
      case 2: {
        BodyDef const def = BodyDef::make(BodyType::kDynamic, Position::from_metres(30, 2, 0));
        return world.create_body(def, ShapeDef::sphere(0.25), player).ok();
      }
      default: return !world.wake(BodyId{}).ok();  // refused by its error
    }
  }
  void visit_state(StateVisitor&) override {}
};

TEST_P(GameInSimulation, WakesBodiesPushesRopesAndCreatesABodyOfOneShape) {
  Simulation calling = make_simulation(stack_scene(1), GetParam(), std::make_unique<CallingGame>());
  join_players(calling, maker, 1);
  auto const call = [&](int what) {
    Input const input = maker.make(calling.tick(), 1, CustomCommand{{static_cast<std::byte>(what)}});
    TickResult result = calling.step(std::span(&input, 1));
    EXPECT_TRUE(result.refused.empty()) << what;
    return result;
  };
  BodyId const box = scene_body(1);
  for (int tick = 0; tick < 600 && !calling.world().view(box).asleep; ++tick) (void)calling.step({});
  ASSERT_TRUE(calling.world().view(box).asleep);
  (void)call(3);
  EXPECT_TRUE(calling.world().view(box).asleep);
  (void)call(0);
  EXPECT_FALSE(calling.world().view(box).asleep);

  (void)call(1);
  std::vector<RopeId> ropes;
  calling.world().list_ropes(ropes);
  ASSERT_EQ(ropes.size(), 1u);
  RopeView rope;
  calling.world().read_rope(ropes[0], rope);
  double momentum_kg_m_s = 0;
  for (const Vec3<double>& velocity : rope.velocities_m_s) momentum_kg_m_s += velocity.z * rope.node_mass_kg;
  EXPECT_NEAR(momentum_kg_m_s, 2.0, 0.02);  // less drag of 0.2 1/s for one tick

  TickResult const result = call(2);
  ASSERT_EQ(result.spawned.size(), 1u);
  EXPECT_EQ(calling.owner(result.spawned[0]), 1u);
  std::vector<ShapeId> const shapes = calling.world().shapes(result.spawned[0]);
  ASSERT_EQ(shapes.size(), 1u);
  EXPECT_EQ(calling.world().shape(shapes[0]).kind, ShapeKind::kSphere);
  EXPECT_EQ(calling.world().shape(shapes[0]).radius_m, 0.25);
}

TEST_P(GameInSimulation, RefusalsOfTheGameAreRecordedRefusals) {
  join_players(simulation, maker, 1);
  Input const input = maker.make(simulation.tick(), 1, CustomCommand{});
  EXPECT_EQ(simulation.step(std::span(&input, 1)).refused.at(0).reason, Refusal::kGameRefused);
}

TEST_P(GameInSimulation, StateIsHashedSavedAndRolledBack) {
  SimulationSnapshot snapshot;
  simulation.capture(snapshot);
  std::uint64_t const hash = simulation.hash();
  std::vector<std::byte> const image = simulation.save();
  (void)simulation.step({});
  std::uint64_t const draws = counts(simulation).draws;
  EXPECT_NE(draws, 0u);
  std::uint64_t const next_hash = simulation.hash();
  simulation.rollback(snapshot);
  EXPECT_EQ(counts(simulation).draws, 0u);
  EXPECT_EQ(simulation.hash(), hash);
  Result<Simulation, SimError> restored = Simulation::restore(image, std::make_unique<CountingGame>());
  ASSERT_TRUE(restored);
  (void)restored->step({});
  EXPECT_EQ(restored->hash(), next_hash);
  EXPECT_EQ(counts(*restored).draws, draws);
}

TEST_P(GameInSimulation, AnImageOpensWithItsGameOnly) {
  std::vector<std::byte> const image = simulation.save();
  Result<Simulation, SimError> const without = Simulation::restore(image);
  ASSERT_FALSE(without);
  EXPECT_EQ(without.error(), SimError::kGameMismatch);
  Simulation const plain = make_simulation(stack_scene(), GetParam());
  Result<Simulation, SimError> const with =
      Simulation::restore(plain.save(), std::make_unique<CountingGame>());
  ASSERT_FALSE(with);
  EXPECT_EQ(with.error(), SimError::kGameMismatch);
}

INSTANTIATE_TEST_SUITE_P(Numbers, GameInSimulation,
                         ::testing::Values(NumbersMode::kFloat, NumbersMode::kFixed));

}  // namespace
}  // namespace takt::sim
