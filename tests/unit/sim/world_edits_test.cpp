// The server's own commands through Simulation::step: their effects, the commands that players and admins may
// not give, refusals that change nothing, and replays.
#include <gtest/gtest.h>

#include <limits>
#include <numbers>

#include "takt/sim/replay.h"
#include "tests/unit/sim/small_scene.h"

namespace takt::sim {
namespace {

constexpr double kEditNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kEditInfinity = std::numeric_limits<double>::infinity();

// Ground (body 0), a box on it (1), a ball in the air (2), a kinematic lift (3), a mover (4), a rope (0).
Scene yard_scene() {
  return parse_scene(R"({
    "bodies": [{"name": "ground", "type": "static", "shapes": [{"half_space": {}}]},
               {"name": "box", "position": [0, 0.5, 0], "shapes": [{"box": {}}]},
               {"name": "ball", "position": [5, 3, 0], "shapes": [{"sphere": {}}]},
               {"name": "lift", "type": "kinematic", "position": [10, 0.5, 0], "shapes": [{"box": {}}]},
               {"name": "ann", "position": [-5, 0.92, 0], "mover": {}}],
    "ropes": [{"nodes": 6, "start": [-8, 3, 0], "end": [-8, 1, 0], "pins": [{"node": 0}]}]})");
}

class WorldEdits : public ::testing::TestWithParam<NumbersMode> {
 protected:
  void SetUp() override { simulation.emplace(make_simulation(yard_scene(), GetParam())); }
  Refusal give(Command command, PlayerId player = kServerPlayer) {
    Input const input = maker.make(simulation->tick(), player, std::move(command));
    last = simulation->step(std::span(&input, 1));
    return last.refused.empty() ? Refusal::kNone : last.refused.front().reason;
  }
  void run(int ticks) {
    for (int i = 0; i < ticks; ++i) (void)simulation->step({});
  }
  [[nodiscard]] const AnyWorld& world() const { return simulation->world(); }
  [[nodiscard]] ShapeId shape_of(BodyId body) const { return world().shapes(body).at(0); }
  [[nodiscard]] double x_of(BodyId body) const { return world().view(body).position.to_metres().x; }
  [[nodiscard]] double y_of(BodyId body) const { return world().view(body).position.to_metres().y; }

  static ChangeBodyCommand body_change(BodyId body) {
    ChangeBodyCommand command;
    command.body = body;
    return command;
  }
  static ChangeShapeCommand shape_change(ShapeId shape) {
    ChangeShapeCommand command;
    command.shape = shape;
    return command;
  }
  static ChangeRopeCommand rope_change() {
    ChangeRopeCommand command;
    command.rope = RopeId{0, 1};
    return command;
  }

  std::optional<Simulation> simulation;
  InputMaker maker;
  TickResult last;
  BodyId const ground = scene_body(0);
  BodyId const box = scene_body(1);
  BodyId const ball = scene_body(2);
  BodyId const lift = scene_body(3);
  BodyId const ann = scene_body(4);
};

TEST_P(WorldEdits, AWeightlessBallHangsAndADampedOneBrakes) {
  ChangeBodyCommand weightless = body_change(ball);
  weightless.gravity_scale = 0;
  EXPECT_EQ(give(weightless), Refusal::kNone);
  run(30);
  EXPECT_EQ(y_of(ball), 3.0);
  EXPECT_EQ(give(ImpulseCommand{ball, {1000, 0, 0}, {}}), Refusal::kNone);
  double const before = world().view(ball).linear_velocity_m_s.x;
  ChangeBodyCommand damped = body_change(ball);
  damped.damping = ChangeBodyCommand::Damping{10, 0};
  EXPECT_EQ(give(damped), Refusal::kNone);
  run(29);
  // v' = -10 v for half a second: implicit Euler of 4 substeps at 60 Hz divides by (1 + 10 / 240)^120.
  double expected = before;
  for (int i = 0; i < 120; ++i) expected /= 1 + 10.0 / 240;
  EXPECT_NEAR(world().view(ball).linear_velocity_m_s.x, expected, 0.15 * expected);
}

TEST_P(WorldEdits, TypesChangeAndBack) {
  ChangeBodyCommand change = body_change(ball);
  change.type = BodyType::kStatic;
  EXPECT_EQ(give(change), Refusal::kNone);
  run(30);
  EXPECT_EQ(y_of(ball), 3.0);
  change.type = BodyType::kDynamic;
  EXPECT_EQ(give(change), Refusal::kNone);
  run(29);
  EXPECT_LT(y_of(ball), 2.0);
  ChangeBodyCommand of_ground = body_change(ground);
  of_ground.type = BodyType::kDynamic;
  EXPECT_EQ(give(of_ground), Refusal::kBadShape);  // a half-space
  ChangeBodyCommand of_ann = body_change(ann);
  of_ann.type = BodyType::kStatic;
  EXPECT_EQ(give(of_ann), Refusal::kNotMover);
}

TEST_P(WorldEdits, DisabledLockedAndTagged) {
  ChangeBodyCommand change = body_change(ball);
  change.enabled = false;
  change.user_tag = 1ull << 40u;
  EXPECT_EQ(give(change), Refusal::kNone);
  run(10);
  EXPECT_EQ(y_of(ball), 3.0);
  EXPECT_EQ(world().user_tag(ball), 1ull << 40u);
  ChangeBodyCommand on = body_change(ball);
  on.enabled = true;
  on.locked_axes = kLockLinearY;
  EXPECT_EQ(give(on), Refusal::kNone);
  run(30);
  EXPECT_EQ(y_of(ball), 3.0);
}

TEST_P(WorldEdits, AFilterLetsTheBoxFallThroughTheGround) {
  ChangeShapeCommand change = shape_change(shape_of(box));
  change.filter = ShapeFilter{2, 2, 0};
  EXPECT_EQ(give(change), Refusal::kNone);
  run(60);
  EXPECT_LT(y_of(box), -2.0);
}

TEST_P(WorldEdits, ABeltCarriesAndIceDoesNotHold) {
  ChangeShapeCommand belt = shape_change(shape_of(ground));
  belt.surface_velocity_m_s = Vec3<double>{1, 0, 0};
  EXPECT_EQ(give(belt), Refusal::kNone);
  run(119);
  EXPECT_GT(x_of(box), 1.5);  // 2 s at 1 m/s, less the start
  belt.surface_velocity_m_s = Vec3<double>{};
  belt.friction = 0;
  EXPECT_EQ(give(belt), Refusal::kNone);
  double const before = world().view(box).linear_velocity_m_s.x;
  run(30);
  EXPECT_NEAR(world().view(box).linear_velocity_m_s.x, before, 1e-4);  // geometric mean with 0 is 0
  EXPECT_GT(before, 0.9);
}

TEST_P(WorldEdits, RestitutionMakesTheBallBounce) {
  auto const highest_after_bounce = [&](double restitution) {
    simulation.emplace(make_simulation(yard_scene(), GetParam()));
    maker = {};
    ChangeShapeCommand change = shape_change(shape_of(ball));
    change.restitution = restitution;
    double const friction = world().shape(shape_of(ball)).friction;
    EXPECT_EQ(give(change), Refusal::kNone);
    EXPECT_EQ(world().shape(shape_of(ball)).friction, friction);
    run(59);  // down after 0.71 s
    double highest = 0;
    for (int i = 0; i < 60; ++i) {
      run(1);
      highest = std::max(highest, y_of(ball));
    }
    return highest;
  };
  EXPECT_LT(highest_after_bounce(0), 0.6);
  EXPECT_NEAR(highest_after_bounce(0.8), 0.5 + 0.64 * 2.5, 0.1);  // e^2 h
}

TEST_P(WorldEdits, AKinematicBodyReachesItsTargetInOneTick) {
  TargetCommand target;
  target.body = lift;
  target.position = Position::from_metres(10, 0.625, 0);
  EXPECT_EQ(give(target), Refusal::kNone);
  EXPECT_EQ(y_of(lift), 0.625);
  EXPECT_NEAR(world().view(lift).linear_velocity_m_s.y, 0.125 * 60, 1e-4);
  target.body = box;
  EXPECT_EQ(give(target), Refusal::kOutOfRange);  // kNotKinematic
}

TEST_P(WorldEdits, ATunedMoverIsFaster) {
  TuneMoverCommand tune;
  tune.body = ann;
  tune.tuning.max_speed_m_s = 12;
  tune.tuning.acceleration_m_s2 = 1000;
  EXPECT_EQ(give(tune), Refusal::kNone);
  EXPECT_EQ(give(MoveCommand{ann, {0, 0, 12}, 0, false, false}), Refusal::kNone);
  run(30);
  EXPECT_NEAR(world().view(ann).linear_velocity_m_s.z, 12.0, 0.1);
  tune.body = box;
  EXPECT_EQ(give(tune), Refusal::kNotMover);
  tune.body = ann;
  tune.tuning.skin_m = 1;
  EXPECT_EQ(give(tune), Refusal::kOutOfRange);
}

CreateMoverCommand mover_to_create() {
  CreateMoverCommand command;
  command.def.position = Position::from_metres(-5, 0.92, 5);
  command.def.heading_rad = 0.5 * std::numbers::pi;  // faces +x
  command.def.user_tag = 1ull << 40u;
  command.def.tuning.max_speed_m_s = 2;
  command.def.tuning.acceleration_m_s2 = 1000;
  return command;
}

// A mover that a command made is like one of the scene: inputs, tunings and despawns reach it by its body.
TEST_P(WorldEdits, ANewMoverWalksJumpsAndGoes) {
  EXPECT_EQ(give(mover_to_create()), Refusal::kNone);
  ASSERT_EQ(last.spawned.size(), 1u);
  BodyId const bob = last.spawned[0];
  EXPECT_TRUE(last.tickets.empty()) << "the server waits for no ticket";
  EXPECT_TRUE(world().mover_of(bob));
  EXPECT_EQ(world().user_tag(bob), 1ull << 40u);
  EXPECT_EQ(world().body_type(bob), BodyType::kKinematic);
  run(10);  // it falls by 1 cm
  EXPECT_EQ(give(MoveCommand{bob, {0, 0, 5}, 0, true, false}), Refusal::kNone);
  run(59);
  EXPECT_NEAR(x_of(bob), -5 + 2.0, 0.01);  // 2 m/s along its heading for a second
  EXPECT_NEAR(world().view(bob).position.to_metres().z, 5, 1e-6);
  TuneMoverCommand tune;
  tune.body = bob;
  tune.tuning = world().mover_tuning(world().mover_of(bob));
  EXPECT_EQ(tune.tuning.max_speed_m_s, 2.0);
  tune.tuning.jump_speed_m_s = 3;
  EXPECT_EQ(give(tune), Refusal::kNone);
  double const standing = y_of(bob);
  EXPECT_EQ(give(MoveCommand{bob, {}, 0, false, true}), Refusal::kNone);
  double highest = 0;
  for (int i = 0; i < 60; ++i) {
    run(1);
    highest = std::max(highest, y_of(bob) - standing);
  }
  EXPECT_NEAR(highest, 9.0 / (2 * 9.80665), 0.01);  // v^2 / 2 g
  EXPECT_NEAR(y_of(bob), standing, 1e-3);
  ChangeBodyCommand retyped = body_change(bob);
  retyped.type = BodyType::kStatic;
  EXPECT_EQ(give(retyped), Refusal::kNotMover);
  EXPECT_EQ(give(DespawnCommand{bob}), Refusal::kNone);
  EXPECT_EQ(last.removed, std::vector<BodyId>{bob});
  std::vector<MoverId> movers;
  world().list_movers(movers);
  EXPECT_EQ(movers.size(), 1u);
  EXPECT_EQ(give(MoveCommand{bob, {}, 0, false, false}), Refusal::kUnknownBody);
}

// A save, a fork by restore and a rollback after the command go on with the bits of the run.
TEST_P(WorldEdits, StatesWithANewMoverContinueWithEqualHashes) {
  EXPECT_EQ(give(mover_to_create()), Refusal::kNone);
  BodyId const bob = last.spawned.at(0);
  EXPECT_EQ(give(MoveCommand{bob, {1, 0, 1}, 0.5f, false, true}), Refusal::kNone);
  run(10);
  std::vector<std::byte> const image = simulation->save();
  SimulationSnapshot snapshot;
  simulation->capture(snapshot);
  Result<Simulation, SimError> restored = Simulation::restore(image);
  ASSERT_TRUE(restored);
  auto const play = [&](Simulation& of) {
    std::vector<std::uint64_t> hashes;
    std::uint32_t sequence = of.server_sequence();
    for (int i = 0; i < 120; ++i) {
      std::vector<Input> inputs;
      if (i == 40)
        inputs.push_back(
            {of.tick(), kServerPlayer, ++sequence, MoveCommand{bob, {-2, 0, 0}, 0, false, true}});
      if (i == 80) inputs.push_back({of.tick(), kServerPlayer, ++sequence, mover_to_create()});
      TickResult const result = of.step(inputs);
      EXPECT_TRUE(result.refused.empty());
      hashes.push_back(result.hash);
    }
    return hashes;
  };
  std::vector<std::uint64_t> const expected = play(*simulation);
  EXPECT_EQ(play(*restored), expected);
  simulation->rollback(snapshot);
  EXPECT_EQ(play(*simulation), expected);
}

TEST_P(WorldEdits, ANewJointHoldsTheBall) {
  JointDef def = distance_joint(ground, ball, {{5, 3, 0}, {}}, {}, 1.0);
  def.limit(JointAxis::kSwing, 0, 3.1);
  EXPECT_EQ(give(CreateJointCommand::of(def)), Refusal::kNone);
  std::vector<JointId> joints;
  world().list_joints(joints);
  ASSERT_EQ(joints.size(), 1u);
  JointDef const made = world().joint_def(joints[0]);
  EXPECT_EQ(made.axis_count, 2u);
  EXPECT_EQ(made.axes, def.axes);
  run(120);
  EXPECT_NEAR(world().joint_coordinate(joints[0], JointAxis::kDistance), 1.0, 1e-2);
  def.body_b = ground;
  EXPECT_NE(give(CreateJointCommand::of(def)), Refusal::kNone);
  CreateJointCommand many = CreateJointCommand::of(def);
  many.axes.resize(9);
  EXPECT_EQ(give(many), Refusal::kBadJointAxis);
}

TEST_P(WorldEdits, ARopeIsCreatedPinnedWoundReleasedAndDestroyed) {
  CreateRopeCommand create;
  for (int i = 0; i < 4; ++i) create.points.push_back(Position::from_metres(20, 4 - 0.5 * i, 0));
  create.pins.push_back({0, {}, {}, {}});
  EXPECT_EQ(give(create), Refusal::kNone);
  std::vector<RopeId> ropes;
  world().list_ropes(ropes);
  ASSERT_EQ(ropes.size(), 2u);
  ChangeRopeCommand change;
  change.rope = ropes[1];
  change.pin = PinnedNode{3, ball, {0, 0.5, 0}, {}};
  change.segment_length_m = 0.25;
  EXPECT_EQ(give(change), Refusal::kNone);
  RopeView view;
  world().read_rope(ropes[1], view);
  EXPECT_EQ(view.pins.size(), 2u);
  EXPECT_EQ(view.segment_length_m, 0.25);
  EXPECT_EQ(view.pins[1].body, ball);
  change.pin.reset();
  change.released_node = 3;
  EXPECT_EQ(give(change), Refusal::kNone);
  world().read_rope(ropes[1], view);
  EXPECT_EQ(view.pins.size(), 1u);
  EXPECT_EQ(give(DestroyRopeCommand{ropes[1]}), Refusal::kNone);
  EXPECT_EQ(give(DestroyRopeCommand{ropes[1]}), Refusal::kUnknownRope);
  EXPECT_EQ(give(change), Refusal::kUnknownRope);
}

// The centre of mass of a body that becomes dynamic moves away from its origin.
TEST_P(WorldEdits, APinStaysWhereItIsOnABodyThatBecomesDynamic) {
  for (const char* const type : {"static", "kinematic"}) {
    simulation.emplace(make_simulation(parse_scene(R"({"bodies": [{"type": ")" + std::string(type) + R"(",
      "position": [0, 3, 0], "shapes": [{"box": {}, "position": [0.75, 0, 0]}]}],
      "ropes": [{"nodes": 3, "start": [0, 3, 0], "end": [0, 2, 0]}]})"),
                                       GetParam()));
    maker = {};
    ChangeRopeCommand pinned = rope_change();
    pinned.pin = PinnedNode{0, scene_body(0), {0.25, 0, 0.5}, {}};
    EXPECT_EQ(give(pinned), Refusal::kNone);
    RopeView before;
    world().read_rope(RopeId{0, 1}, before);
    ChangeBodyCommand change = body_change(scene_body(0));
    change.type = BodyType::kDynamic;
    change.gravity_scale = 0;
    TickResult result;
    EXPECT_EQ(simulation->apply(maker.make(simulation->tick(), kServerPlayer, change), result),
              Refusal::kNone);
    RopeView after;
    world().read_rope(RopeId{0, 1}, after);
    ASSERT_EQ(after.pins.size(), 1u);
    EXPECT_EQ(after.pins[0].local_anchor_m, before.pins[0].local_anchor_m) << type;
    EXPECT_EQ(after.pins[0].local_anchor_m, (Vec3<double>{0.25, 0, 0.5})) << type;
  }
}

TEST_P(WorldEdits, TheServerGrabsOnceAndPlayersKeepTheirs) {
  join_players(*simulation, maker, 1);
  Position const up = Position::from_metres(0, 3, 0);
  EXPECT_EQ(give(MoveGrabCommand{up}), Refusal::kNotGrabbing);
  EXPECT_EQ(give(GrabCommand{box, {}, up, 50'000}, 1), Refusal::kNone);
  EXPECT_EQ(give(ReleaseCommand{}), Refusal::kNotGrabbing) << "the grab is the player's";
  EXPECT_EQ(give(GrabCommand{ball, {}, Position::from_metres(5, 6, 0), 50'000}), Refusal::kNone);
  EXPECT_EQ(give(GrabCommand{ball, {}, up, 50'000}), Refusal::kAlreadyGrabbing);
  run(120);
  EXPECT_NEAR(y_of(ball), 6.0, 0.2);
  EXPECT_NEAR(y_of(box), 3.0, 0.2);
  // A restored simulation knows whose grab is whose.
  Result<Simulation, SimError> restored = Simulation::restore(simulation->save());
  ASSERT_TRUE(restored);
  simulation.emplace(*std::move(restored));
  EXPECT_EQ(give(MoveGrabCommand{Position::from_metres(5, 4, 0)}), Refusal::kNone);
  run(120);
  EXPECT_NEAR(y_of(ball), 4.0, 0.2);
  EXPECT_NEAR(y_of(box), 3.0, 0.2);
  EXPECT_EQ(give(ReleaseCommand{}), Refusal::kNone);
  EXPECT_EQ(give(ReleaseCommand{}), Refusal::kNotGrabbing);
  EXPECT_EQ(simulation->players().at(0).grabbed, box);
}

// One of each, which the yard accepts.
std::vector<Command> accepted(ShapeId shape) {
  ChangeBodyCommand body;
  body.body = scene_body(2);
  body.type = BodyType::kKinematic;
  body.damping = ChangeBodyCommand::Damping{1, 2};
  body.gravity_scale = 0.5;
  ChangeShapeCommand change;
  change.shape = shape;
  change.friction = 0.25;
  change.filter = ShapeFilter{3, 5, -1};
  TargetCommand target;
  target.body = scene_body(3);
  target.position = Position::from_metres(10, 0.75, 0.25);
  TuneMoverCommand tune;
  tune.body = scene_body(4);
  tune.tuning.jump_speed_m_s = 7;
  CreateRopeCommand rope;
  rope.def.start = Position::from_metres(20, 5, 0);
  rope.def.end = Position::from_metres(21, 5, 0);
  rope.pins.push_back({0, scene_body(1), {0, 0.5, 0}, {}});
  ChangeRopeCommand longer;
  longer.rope = RopeId{0, 1};
  longer.segment_length_m = 0.5;
  longer.pin = PinnedNode{5, {}, {}, Position::from_metres(-7, 1, 0)};
  return {body,
          change,
          target,
          tune,
          CreateJointCommand::of(point_joint(scene_body(0), scene_body(1), {}, {})),
          rope,
          longer,
          DestroyRopeCommand{RopeId{0, 1}},
          mover_to_create()};
}

TEST_P(WorldEdits, PlayersAndAdminsMayGiveNoneOfThem) {
  join_players(*simulation, maker, 2, true);
  std::size_t servers = 0;
  for (const Command& command : accepted(shape_of(box))) {
    EXPECT_EQ(give(command, 1), Refusal::kServerOnly) << name_of(command);
    ++servers;
  }
  EXPECT_EQ(give(LeaveCommand{2}, 1), Refusal::kServerOnly);
  EXPECT_EQ(servers + 15, std::variant_size_v<Command>) << "a command is missing in accepted()";
}

TEST_P(WorldEdits, ARecordingOfAllReplays) {
  MemorySink sink;
  RecordingOptions const recording;
  RecordingWriter writer(sink, recording);
  Scene const scene = yard_scene();
  ASSERT_TRUE(writer.begin(*simulation, &scene));
  for (const Command& command : accepted(shape_of(box))) {
    for (int i = 0; i < 7; ++i) {
      std::vector<Input> inputs;
      if (i == 3) inputs.push_back(maker.make(simulation->tick(), kServerPlayer, command));
      TickResult const result = simulation->step(inputs);
      for (const RefusedInput& refused : result.refused)
        ADD_FAILURE() << name_of(command) << ' ' << message(refused.reason);
      ASSERT_TRUE(writer.append(*simulation, inputs, result));
    }
  }
  ASSERT_TRUE(writer.close());
  MemorySource source(sink.bytes());
  Result<RecordingReader, SimError> const reader = RecordingReader::open(source);
  ASSERT_TRUE(reader);
  Result<VerifyReport, SimError> const report = verify(*reader);
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->mismatch);
  EXPECT_EQ(report->final_hash, simulation->hash());
}

// Each changes nothing but the running number of the server's inputs.
TEST_P(WorldEdits, BadNumbersAreRefusedAndChangeNothing) {
  std::vector<Command> bad;
  auto const add = [&](auto command, auto&& change) {
    change(command);
    bad.emplace_back(std::move(command));
  };
  ShapeId const shape = shape_of(box);
  for (double const wrong : {kEditNaN, kEditInfinity, -1e300, 1e300}) {
    add(body_change(ball), [&](auto& c) {
      c.type = BodyType::kStatic;
      c.gravity_scale = wrong;
    });
    add(body_change(ball), [&](auto& c) {
      c.enabled = false;
      c.damping = ChangeBodyCommand::Damping{1, wrong};
    });
    add(shape_change(shape), [&](auto& c) {
      c.filter = ShapeFilter{0, 0, 0};
      c.friction = wrong;
    });
    add(shape_change(shape), [&](auto& c) {
      c.friction = 0.1;
      c.restitution = wrong;
    });
    add(shape_change(shape), [&](auto& c) {
      c.friction = 0.1;
      c.surface_velocity_m_s = Vec3<double>{0, wrong, 0};
    });
    add(rope_change(), [&](auto& c) {
      c.pin = PinnedNode{2, {}, {}, {}};
      c.segment_length_m = wrong;
    });
    add(rope_change(), [&](auto& c) {
      c.segment_length_m = 0.5;
      c.pin = PinnedNode{2, ball, {wrong, 0, 0}, {}};
    });
    add(TuneMoverCommand{ann, {}}, [&](auto& c) { c.tuning.mass_kg = wrong; });
    add(CreateRopeCommand{}, [&](auto& c) {
      c.def.end = Position::from_metres(1, 0, 0);
      c.def.drag_1_s = wrong;
    });
    add(mover_to_create(), [&](auto& c) { c.def.heading_rad = wrong; });
    add(mover_to_create(), [&](auto& c) { c.def.radius_m = wrong; });
    add(mover_to_create(), [&](auto& c) { c.def.half_length_m = wrong; });
    add(mover_to_create(), [&](auto& c) { c.def.friction = wrong; });
    add(mover_to_create(), [&](auto& c) { c.def.restitution = wrong; });
    add(mover_to_create(), [&](auto& c) { c.def.tuning.recovery_speed_m_s = wrong; });
    add(CreateJointCommand::of(point_joint(ground, box, {}, {})),
        [&](auto& c) { c.frame_a.position_m.x = wrong; });
    add(TargetCommand{lift, Position::from_metres(10, 0.5, 0), {}}, [&](auto& c) { c.rotation.x = wrong; });
  }
  add(body_change(ball), [](auto& c) { c.locked_axes = 64; });
  add(body_change(ball), [](auto& c) { c.type = static_cast<BodyType>(3); });
  add(body_change(BodyId{77, 1}), [](auto& c) { c.enabled = false; });
  add(shape_change(ShapeId{77, 1}), [](auto& c) { c.friction = 0.5; });
  add(TargetCommand{lift, Position::from_raw(INT64_MAX, 0, 0), {}}, [](auto&) {});
  add(rope_change(), [](auto& c) { c.released_node = 6; });
  add(rope_change(), [](auto& c) { c.pin = PinnedNode{6, {}, {}, {}}; });
  add(rope_change(), [](auto& c) { c.pin = PinnedNode{1, {}, {}, Position::from_raw(INT64_MIN, 0, 0)}; });
  add(CreateRopeCommand{}, [](auto& c) { c.points.assign(1, {}); });
  add(mover_to_create(),
      [](auto& c) { c.def.position = Position::from_metres(0, 0, 6e8); });  // beyond commands
  add(mover_to_create(), [](auto& c) { c.def.radius_m = 101; });
  add(CreateRopeCommand{}, [](auto& c) { c.def.mode = static_cast<RopeMode>(9); });
  add(CreateRopeCommand{}, [](auto& c) {
    c.def.end = Position::from_metres(1, 0, 0);
    c.def.linear_density_kg_m = 0.2;
    c.def.mass_kg = -5;
  });
  add(CreateRopeCommand{}, [](auto& c) {
    c.def.end = Position::from_metres(1, 0, 0);
    c.def.mode = RopeMode::kCompliant;
    c.def.stiffness = 2;
  });
  add(CreateJointCommand::of(point_joint(ground, box, {}, {})),
      [](auto& c) { c.kind = static_cast<JointKind>(0); });
  add(CreateJointCommand::of(point_joint(ground, box, {}, {})), [](auto& c) { c.break_force_n = 1e16; });
  for (const Command& command : bad) {
    Simulation twin = make_simulation(yard_scene(), GetParam());
    Input const input{0, kServerPlayer, 1, command};
    Input const idle{0, kServerPlayer, 1, ReleaseCommand{}};  // refused, and so counted alone
    TickResult const result = simulation->step(std::span(&input, 1));
    TickResult const expected = twin.step(std::span(&idle, 1));
    ASSERT_EQ(result.refused.size(), 1u) << name_of(command) << ' ' << (&command - bad.data());
    EXPECT_EQ(result.hash, expected.hash) << name_of(command) << ' ' << (&command - bad.data());
    simulation.emplace(make_simulation(yard_scene(), GetParam()));
  }
}

TEST_P(WorldEdits, ApplyReturnsTheIdOfWhatItCreates) {
  TickResult result;
  std::uint64_t created = 7;
  Input input{0, kServerPlayer, 1, CreateJointCommand::of(point_joint(ground, box, {}, {}))};
  EXPECT_EQ(simulation->apply(input, result, &created), Refusal::kNone);
  EXPECT_TRUE(world().contains(JointId::from_u64(created)));
  CreateRopeCommand rope;
  rope.def.end = Position::from_metres(1, 0, 0);
  input = {0, kServerPlayer, 2, rope};
  EXPECT_EQ(simulation->apply(input, result, &created), Refusal::kNone);
  EXPECT_TRUE(world().contains(RopeId::from_u64(created)));
  input = {0, kServerPlayer, 3, mover_to_create()};
  EXPECT_EQ(simulation->apply(input, result, &created), Refusal::kNone);
  EXPECT_TRUE(world().mover_of(BodyId::from_u64(created)));
  EXPECT_EQ(result.spawned, std::vector<BodyId>{BodyId::from_u64(created)});
  input = {0, kServerPlayer, 4, ReleaseCommand{}};
  EXPECT_EQ(simulation->apply(input, result, &created), Refusal::kNotGrabbing);
  EXPECT_EQ(created, 0u);
}

INSTANTIATE_TEST_SUITE_P(Modes, WorldEdits, ::testing::Values(NumbersMode::kFloat, NumbersMode::kFixed),
                         [](const auto& mode) {
                           return mode.param == NumbersMode::kFloat ? "Float" : "Fixed";
                         });

}  // namespace
}  // namespace takt::sim
