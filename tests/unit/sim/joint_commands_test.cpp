// Commands about joints through Simulation::step: who may, what acts, what is refused and by which name, and
// that a recording with them replays bit for bit.
#include <gtest/gtest.h>

#include <limits>
#include <tuple>

#include "takt/core/random.h"
#include "takt/sim/replay.h"
#include "tests/unit/sim/small_scene.h"

namespace takt::sim {
namespace {

constexpr double kJointNaN = std::numeric_limits<double>::quiet_NaN();

// A door on a post (joint 0), a bob on a rod (1), a slider (2), and a gear of the door and the slider (3). No
// gravity, so that what moves was driven.
Scene machine_scene(std::string_view players = "{}") {
  return parse_scene(R"({"players": )" + std::string(players) + R"(,
    "world": {"gravity": [0, 0, 0]},
    "bodies": [{"name": "post", "type": "static", "shapes": [{"box": {"size": [0.2, 2, 0.2]}}]},
               {"name": "door", "position": [1, 0, 0], "shapes": [{"box": {"size": [1, 1.6, 0.1]}}]},
               {"name": "bob", "position": [0, -2, 3], "shapes": [{"sphere": {"radius": 0.2}}]},
               {"name": "slide", "position": [0, 3, 0], "shapes": [{"box": {"size": [0.4, 0.4, 0.4]}}]}],
    "joints": [{"name": "hinge", "kind": "revolute", "a": "post", "b": "door", "anchor": [0.3, 0, 0], "axis": [0, 1, 0]},
               {"name": "rod", "kind": "point", "a": "post", "b": "bob", "anchor": [0, 0, 3]},
               {"name": "rail", "kind": "prismatic", "a": "post", "b": "slide", "anchor": [0, 3, 0]},
               {"name": "gear", "kind": "gear", "joint_1": "hinge", "joint_2": "rail", "axis_2": "linear_x", "ratio": -2}]})");
}

ChangeJointCommand change(JointId joint) {
  ChangeJointCommand command;
  command.joint = joint;
  return command;
}
ChangeJointCommand motor(JointId joint, JointAxis axis, double speed, double max) {
  ChangeJointCommand command = change(joint);
  command.axis = axis;
  command.motor = ChangeJointCommand::Motor{speed, max};
  return command;
}

bool same(const JointDef& a, const JointDef& b) {
  auto const fields = [](const JointDef& d) {
    return std::tie(d.kind, d.body_a, d.body_b, d.frame_a, d.frame_b, d.locked, d.linear, d.angular,
                    d.max_force_n, d.max_torque_n_m, d.break_force_n, d.break_torque_n_m, d.axis_count,
                    d.axes, d.coupling, d.collide_connected, d.enabled, d.direct, d.user_tag);
  };
  return fields(a) == fields(b);
}

class JointCommands : public ::testing::TestWithParam<NumbersMode> {
 protected:
  void start(std::string_view players = "{}", PlayerId count = 2) {
    simulation.emplace(make_simulation(machine_scene(players), GetParam()));
    maker = {};
    join_players(*simulation, maker, count);
  }
  Refusal give(PlayerId player, Command command) {
    Input const input = maker.make(simulation->tick(), player, std::move(command));
    last = simulation->step(std::span(&input, 1));
    return last.refused.empty() ? Refusal::kNone : last.refused.front().reason;
  }
  void run(int ticks) {
    for (int i = 0; i < ticks; ++i) (void)simulation->step({});
  }

  std::optional<Simulation> simulation;
  InputMaker maker;
  TickResult last;
  JointId const hinge{0, 1};
  JointId const rod{1, 1};
  JointId const rail{2, 1};
  JointId const gear{3, 1};
};

TEST_P(JointCommands, AMotorTurnsTheDoorAndTheGearTheSlide) {
  start();
  EXPECT_EQ(give(1, motor(hinge, JointAxis::kAngularX, 0.5, 1e4)), Refusal::kNone);
  run(59);
  const AnyWorld& world = simulation->world();
  EXPECT_NEAR(world.joint_rate(hinge, JointAxis::kAngularX), 0.5, 1e-3);
  EXPECT_NEAR(world.joint_coordinate(hinge, JointAxis::kAngularX), 0.5, 2e-2);
  // door - 2 slide stays 0.
  EXPECT_NEAR(world.joint_coordinate(rail, JointAxis::kLinearX),
              0.5 * world.joint_coordinate(hinge, JointAxis::kAngularX), 1e-3);
}

TEST_P(JointCommands, WhatIsAbsentStaysAsItIs) {
  start();
  JointDef const before = simulation->world().joint_def(hinge);
  EXPECT_EQ(give(kServerPlayer, change(hinge)), Refusal::kNone);
  EXPECT_TRUE(same(simulation->world().joint_def(hinge), before));
  ChangeJointCommand all = change(hinge);
  all.collide_connected = true;
  all.direct = false;
  all.frame_a = JointFrame{{0.3, 0.1, 0}, before.frame_a.rotation};
  all.linear = Softness::frequency(20, 1);
  all.angular = Softness::spring(1e6, 1e3);
  all.max_force_n = 1e5;
  all.max_torque_n_m = 1e4;
  all.break_force_n = 1e6;
  all.break_torque_n_m = 1e5;
  all.limit = ChangeJointCommand::Limit{-1, 1.5, Softness::erp_cfm(0.1, 1e-6)};
  all.hold = ChangeJointCommand::Hold{true, 0.25, Softness::frequency(1, 1), 100};
  all.motor = ChangeJointCommand::Motor{2, 3};
  all.friction = 4;
  EXPECT_EQ(give(kServerPlayer, all), Refusal::kNone);
  JointDef wanted = before;
  wanted.collide_connected = true;
  wanted.direct = false;
  wanted.frame_a = *all.frame_a;
  wanted.linear = *all.linear;
  wanted.angular = *all.angular;
  wanted.max_force_n = 1e5;
  wanted.max_torque_n_m = 1e4;
  wanted.break_force_n = 1e6;
  wanted.break_torque_n_m = 1e5;
  wanted.limit(JointAxis::kAngularX, -1, 1.5, Softness::erp_cfm(0.1, 1e-6))
      .drive(JointAxis::kAngularX, 0.25, Softness::frequency(1, 1), 100);
  wanted.motor(JointAxis::kAngularX, 2, 3).friction(JointAxis::kAngularX, 4);
  EXPECT_TRUE(same(simulation->world().joint_def(hinge), wanted));
  ChangeJointCommand let_go = change(hinge);
  let_go.hold = ChangeJointCommand::Hold{false, 0, {}, 0};
  let_go.limit = ChangeJointCommand::Limit{};
  EXPECT_EQ(give(kServerPlayer, let_go), Refusal::kNone);
  JointDef const after = simulation->world().joint_def(hinge);
  EXPECT_FALSE(after.axes[0].has_drive);
  EXPECT_EQ(after.axes[0].upper, kUnbounded);
  EXPECT_EQ(after.axes[0].max_motor, 3.0) << "the motor was not spoken of";
}

TEST_P(JointCommands, LocksRatiosAndSwitches) {
  start();
  ChangeJointCommand locks = change(rail);
  locks.locked = static_cast<std::uint8_t>(kLockAngular | lock_of(JointAxis::kLinearY));
  EXPECT_EQ(give(kServerPlayer, locks), Refusal::kNone);
  EXPECT_EQ(simulation->world().joint_def(rail).locked, *locks.locked);
  locks.locked = kLockAngular | kLockLinear;
  EXPECT_EQ(give(kServerPlayer, locks), Refusal::kBadCoupling) << "the gear hangs on that coordinate";
  ChangeJointCommand ratio = change(gear);
  ratio.ratio = 3;
  EXPECT_EQ(give(kServerPlayer, ratio), Refusal::kNone);
  EXPECT_EQ(simulation->world().joint_def(gear).coupling.ratio, 3.0);
  ratio.ratio = 0;
  EXPECT_EQ(give(kServerPlayer, ratio), Refusal::kBadCoupling);

  // A bob that is thrown stays on its rod only while the rod is on.
  ChangeJointCommand off = change(rod);
  off.enabled = false;
  EXPECT_EQ(give(kServerPlayer, off), Refusal::kNone);
  EXPECT_FALSE(simulation->world().joint(rod).enabled);
  EXPECT_EQ(give(kServerPlayer, ImpulseCommand{scene_body(2), {100, 0, 0}, {}}), Refusal::kNone);
  run(30);
  EXPECT_EQ(simulation->world().view(scene_body(2)).position.y_raw, Position::from_metres(0, -2, 0).y_raw);
  off.enabled = true;
  EXPECT_EQ(give(kServerPlayer, off), Refusal::kNone);
  run(30);
  EXPECT_GT(simulation->world().view(scene_body(2)).position.y_raw, Position::from_metres(0, -2, 0).y_raw)
      << "the rod pulls it round";
}

TEST_P(JointCommands, WhatTheJointDoesNotHaveIsRefusedByName) {
  start();
  ChangeJointCommand ratio = change(hinge);
  ratio.ratio = 2;
  EXPECT_EQ(give(kServerPlayer, ratio), Refusal::kBadCoupling) << "a hinge has no ratio";
  for (JointId const joint : {hinge, gear}) {
    ChangeJointCommand length = change(joint);
    length.length_m = 2;
    EXPECT_EQ(give(kServerPlayer, length), Refusal::kBadCoupling) << "only pulleys have a length";
  }
  // The gear ties an angle first: it gives by `angular`, and pulls with a torque.
  ChangeJointCommand soft = change(gear);
  soft.linear = Softness::frequency(2, 1);
  EXPECT_EQ(give(kServerPlayer, soft), Refusal::kBadCoupling);
  soft.linear.reset();
  soft.angular = Softness::frequency(2, 1);
  soft.max_torque_n_m = 5;
  EXPECT_EQ(give(kServerPlayer, soft), Refusal::kNone);
  EXPECT_EQ(simulation->world().joint_def(gear).max_torque_n_m, 5.0);
  // Parts of a coordinate that is locked, even those that would do nothing.
  ChangeJointCommand part = change(hinge);
  part.axis = JointAxis::kLinearY;
  part.limit = ChangeJointCommand::Limit{};
  EXPECT_EQ(give(kServerPlayer, part), Refusal::kBadJointAxis);
  part.limit.reset();
  part.hold = ChangeJointCommand::Hold{false, 0, {}, 0};
  EXPECT_EQ(give(kServerPlayer, part), Refusal::kBadJointAxis);
  // But what was driven can be locked when nothing drives it any more.
  EXPECT_EQ(give(kServerPlayer, motor(rod, JointAxis::kAngularX, 1, 1)), Refusal::kNone);
  ChangeJointCommand lock = change(rod);
  lock.locked = static_cast<std::uint8_t>(kLockLinear | kLockAngular);
  EXPECT_EQ(give(kServerPlayer, lock), Refusal::kBadJointAxis) << "its motor is there";
  EXPECT_EQ(give(kServerPlayer, motor(rod, JointAxis::kAngularX, 0, 0)), Refusal::kNone);
  EXPECT_EQ(give(kServerPlayer, lock), Refusal::kNone);
  EXPECT_EQ(simulation->world().joint_def(rod).axis_count, 0u);
}

TEST_P(JointCommands, DestroyTakesTheGearsAlong) {
  start();
  EXPECT_EQ(give(kServerPlayer, DestroyJointCommand{hinge}), Refusal::kNone);
  EXPECT_FALSE(simulation->world().contains(hinge));
  EXPECT_FALSE(simulation->world().contains(gear));
  EXPECT_EQ(give(kServerPlayer, DestroyJointCommand{hinge}), Refusal::kUnknownJoint);
  EXPECT_EQ(give(kServerPlayer, change(hinge)), Refusal::kUnknownJoint);
}

TEST_P(JointCommands, PlayersDriveWithinThePolicyAndRebuildWhereTheyMayDespawn) {
  start(R"({"max_force": 100, "max_torque": 50, "max_speed": 10, "max_spin": 5, "despawn": "own"})");
  EXPECT_EQ(give(1, motor(hinge, JointAxis::kAngularX, 5, 50)), Refusal::kNone);
  EXPECT_EQ(give(1, motor(hinge, JointAxis::kAngularX, -5.1, 50)), Refusal::kOverLimit);
  EXPECT_EQ(give(1, motor(hinge, JointAxis::kAngularX, 1, 50.1)), Refusal::kOverLimit);
  EXPECT_EQ(give(1, motor(rail, JointAxis::kLinearX, 9, 100)), Refusal::kNone)
      << "a slider goes by metres and newtons";
  EXPECT_EQ(give(1, motor(rail, JointAxis::kLinearX, 11, 100)), Refusal::kOverLimit);
  ChangeJointCommand hold = change(hinge);
  hold.hold = ChangeJointCommand::Hold{true, 0.5, Softness::frequency(2, 1), 50};
  EXPECT_EQ(give(1, hold), Refusal::kNone);
  hold.hold->max = kUnbounded;
  EXPECT_EQ(give(1, hold), Refusal::kOverLimit);
  ChangeJointCommand brake = change(hinge);
  brake.friction = 51;
  EXPECT_EQ(give(1, brake), Refusal::kOverLimit);
  EXPECT_EQ(give(kServerPlayer, brake), Refusal::kNone) << "the server is past the policy";
  // Everything that makes another joint of it needs the right to take the bodies away.
  ChangeJointCommand limit = change(hinge);
  limit.limit = ChangeJointCommand::Limit{-1, 1, {}};
  EXPECT_EQ(give(1, limit), Refusal::kForbidden);
  ChangeJointCommand off = change(hinge);
  off.enabled = false;
  EXPECT_EQ(give(1, off), Refusal::kForbidden);
  EXPECT_EQ(give(1, DestroyJointCommand{rod}), Refusal::kForbidden);
  start(R"({"despawn": "anything", "push": "nothing"})");
  EXPECT_EQ(give(1, limit), Refusal::kNone) << "the post is static: it does not count";
  EXPECT_EQ(give(1, motor(hinge, JointAxis::kAngularX, 1, 1)), Refusal::kForbidden);
  EXPECT_EQ(give(1, DestroyJointCommand{rod}), Refusal::kNone);
}

// Joins the two newest bodies: told 1 by a weld, told 2 by a gear that ties the scene's door and slide.
class Joiner final : public Game {
 public:
  [[nodiscard]] std::string_view name() const override { return "joiner/1"; }
  bool on_command(WorldAccess& world, PlayerId, std::span<const std::byte> told) override {
    std::vector<BodyId> bodies;
    world.world().list_bodies(bodies);
    if (told.front() == std::byte{2}) {
      return world
          .create_joint(gear_joint(bodies[bodies.size() - 2], bodies.back(), {0, 1}, JointAxis::kAngularX,
                                   {2, 1}, JointAxis::kLinearX, 1.0))
          .ok();
    }
    return world.create_joint(weld_joint(bodies[bodies.size() - 2], bodies.back(), {}, {{0, 1, 0}, {}})).ok();
  }
  void visit_state(StateVisitor&) override {}
};

TEST_P(JointCommands, OwnBodiesMakeAJointOnesOwn) {
  simulation.emplace(
      make_simulation(machine_scene(R"({"push": "own"})"), GetParam(), std::make_unique<Joiner>()));
  join_players(*simulation, maker, 2);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(give(1, spawn_of(ShapeKind::kSphere, {0.2f, 0, 0}, Position::from_metres(20, 5 + i, 0))),
              Refusal::kNone);
  }
  EXPECT_EQ(give(1, CustomCommand{{std::byte{1}}}), Refusal::kNone);
  JointId const own{4, 1};
  ASSERT_TRUE(simulation->world().contains(own));
  ChangeJointCommand loose = change(own);
  loose.locked = kLockLinear;
  EXPECT_EQ(give(2, loose), Refusal::kForbidden);
  EXPECT_EQ(give(1, loose), Refusal::kNone);
  EXPECT_EQ(give(2, motor(own, JointAxis::kAngularX, 1, 1)), Refusal::kForbidden);
  EXPECT_EQ(give(1, motor(own, JointAxis::kAngularX, 1, 1)), Refusal::kNone);
  EXPECT_EQ(give(1, motor(hinge, JointAxis::kAngularX, 1, 1)), Refusal::kForbidden)
      << "the scene's door is nobody's";
  EXPECT_EQ(give(1, DestroyJointCommand{own}), Refusal::kNone);
  // A gear drives the bodies of the joints that it ties, whosever its own are.
  EXPECT_EQ(give(1, CustomCommand{{std::byte{2}}}), Refusal::kNone);
  JointId const second_gear{4, 2};
  ASSERT_TRUE(simulation->world().contains(second_gear));
  ChangeJointCommand geared = change(second_gear);
  geared.ratio = 5;
  EXPECT_EQ(give(1, geared), Refusal::kForbidden);
  EXPECT_EQ(give(1, DestroyJointCommand{second_gear}), Refusal::kForbidden);
}

// Each bad command beside a good one of another player: it is refused by its name, the other acts, and the
// world is what it would have been without.
TEST_P(JointCommands, BadParametersAreRefusedByNameAndDisturbNobody) {
  struct Bad {
    const char* what;
    Refusal reason;
    void (*spoil)(ChangeJointCommand&);
  };
  using C = ChangeJointCommand;
  Bad const bad[] = {
      {"no such joint", Refusal::kUnknownJoint,
       [](C& c) {
         c.joint = JointId{99, 1};
       }},
      {"an older generation", Refusal::kUnknownJoint, [](C& c) { c.joint.generation = 2; }},
      {"no such axis", Refusal::kBadJointAxis, [](C& c) { c.axis = static_cast<JointAxis>(200); }},
      {"a locked axis", Refusal::kBadJointAxis,
       [](C& c) {
         c.axis = JointAxis::kLinearY, c.motor = C::Motor{1, 1};
       }},
      {"a lock that is none", Refusal::kBadJointAxis, [](C& c) { c.locked = std::uint8_t{64}; }},
      {"NaN speed", Refusal::kNotFinite,
       [](C& c) {
         c.motor = C::Motor{kJointNaN, 1};
       }},
      {"infinite speed", Refusal::kNotFinite,
       [](C& c) {
         c.motor = C::Motor{kUnbounded, 1};
       }},
      {"a speed too high", Refusal::kOutOfRange,
       [](C& c) {
         c.motor = C::Motor{5000, 1};
       }},
      {"a force below 0", Refusal::kOutOfRange,
       [](C& c) {
         c.motor = C::Motor{1, -1};
       }},
      {"NaN friction", Refusal::kNotFinite, [](C& c) { c.friction = kJointNaN; }},
      {"friction below 0", Refusal::kOutOfRange, [](C& c) { c.friction = -1; }},
      {"limits crossed", Refusal::kLimitsCrossed,
       [](C& c) {
         c.limit = C::Limit{1, -1, {}};
       }},
      {"a NaN limit", Refusal::kNotFinite,
       [](C& c) {
         c.limit = C::Limit{kJointNaN, 1, {}};
       }},
      {"negative stiffness", Refusal::kBadSoftness, [](C& c) { c.linear = Softness::spring(-1, 0); }},
      {"an unknown form", Refusal::kBadSoftness,
       [](C& c) { c.angular = Softness::from_parts(static_cast<Softness::Form>(9), 0, 0); }},
      {"beta above 1", Refusal::kBadSoftness,
       [](C& c) {
         c.hold = C::Hold{true, 0, Softness::beta_gamma(2, 0), 1};
       }},
      {"a target too far", Refusal::kOutOfRange,
       [](C& c) {
         c.hold = C::Hold{true, 1e6, {}, 1};
       }},
      {"a break of 0", Refusal::kOutOfRange, [](C& c) { c.break_force_n = 0; }},
      {"a NaN bound", Refusal::kNotFinite, [](C& c) { c.max_torque_n_m = kJointNaN; }},
      {"a rotation that is none", Refusal::kOutOfRange,
       [](C& c) {
         c.frame_a = JointFrame{{}, {0, 0, 0, 2}};
       }},
      {"an anchor too far", Refusal::kOutOfRange,
       [](C& c) {
         c.frame_b = JointFrame{{1e6, 0, 0}, {}};
       }},
      {"a good part beside a bad one", Refusal::kLimitsCrossed,
       [](C& c) {
         c.enabled = false, c.motor = C::Motor{1, 1}, c.limit = C::Limit{1, 0, {}};
       }},
  };
  for (const Bad& one : bad) {
    start();
    Simulation quiet = make_simulation(machine_scene(), GetParam());
    InputMaker quiet_maker;
    join_players(quiet, quiet_maker, 2);
    ChangeJointCommand command = change(hinge);
    one.spoil(command);
    Command const good = motor(rail, JointAxis::kLinearX, 0.5, 10);
    std::vector<Input> const both{maker.make(simulation->tick(), kServerPlayer, command),
                                  maker.make(simulation->tick(), 2, good)};
    std::vector<Input> const alone{quiet_maker.make(quiet.tick(), 2, good)};
    last = simulation->step(both);
    EXPECT_TRUE(quiet.step(alone).refused.empty());
    ASSERT_EQ(last.refused.size(), 1u) << one.what;
    EXPECT_EQ(last.refused[0].reason, one.reason) << one.what << ": " << message(last.refused[0].reason);
    EXPECT_EQ(last.refused[0].player, kServerPlayer);
    EXPECT_EQ(simulation->world().hash(), quiet.world().hash()) << one.what;
  }
}

std::vector<Input> scripted(std::uint64_t tick, InputMaker& maker, Random& random) {
  std::vector<Input> inputs;
  if (tick == 0) inputs.push_back(maker.make(tick, kServerPlayer, JoinCommand{1, true, "a"}));
  if (tick % 5 != 3) return inputs;
  JointId const joint{random.next_below(5), 1};
  auto const axis = static_cast<JointAxis>(random.next_below(9));
  ChangeJointCommand command = change(joint);
  command.axis = axis;
  double const number = random.next_below(400) * 0.01 - 1.0;
  switch (random.next_below(9)) {
    case 0: command.motor = ChangeJointCommand::Motor{number, 50}; break;
    case 1: command.limit = ChangeJointCommand::Limit{-0.5, number, Softness::frequency(4, 0.5)}; break;
    case 2:
      command.hold = ChangeJointCommand::Hold{tick % 2 == 0, number, Softness::spring(50 * number, 2), 40};
      break;
    case 3: command.friction = number; break;
    case 4: command.enabled = tick % 3 != 0; break;
    case 5: command.linear = Softness::erp_cfm(0.2, 1e-5); break;
    case 6: command.frame_a = JointFrame{{0.3 + 0.01 * number, 0, 0}, {}}; break;
    case 7: command.break_force_n = 50 * number; break;
    default: command.ratio = number; break;
  }
  inputs.push_back(maker.make(tick, 1, command));
  if (tick == 233) inputs.push_back(maker.make(tick, 1, DestroyJointCommand{JointId{1, 1}}));
  return inputs;
}

TEST_P(JointCommands, ARecordingWithThemReplaysBitForBitAndSoDoesARestoreAtEveryTick) {
  Scene const scene = machine_scene();
  MemorySink sink;
  RecordingOptions options;
  options.image_every_ticks = 60;
  RecordingWriter writer(sink, options);
  Simulation straight = make_simulation(scene, GetParam());
  std::optional<Simulation> restored = make_simulation(scene, GetParam());
  ASSERT_TRUE(writer.begin(straight, &scene));
  InputMaker makers[2];
  Random random(20);
  Random again(20);
  std::size_t refused = 0;
  std::size_t given = 0;
  for (std::uint64_t tick = 0; tick < 300; ++tick) {
    std::vector<Input> const inputs = scripted(tick, makers[0], random);
    TickResult const result = straight.step(inputs);
    ASSERT_TRUE(writer.append(straight, inputs, result));
    given += inputs.size();
    refused += result.refused.size();
    Result<Simulation, SimError> next = Simulation::restore(restored->save());
    ASSERT_TRUE(next) << tick;
    restored.emplace(*std::move(next));
    ASSERT_EQ(restored->step(scripted(tick, makers[1], again)).hash, result.hash) << tick;
  }
  ASSERT_TRUE(writer.close());
  EXPECT_GT(refused, 5u) << "some are nonsense";
  EXPECT_GT(given - refused, 20u) << "and most are not";
  MemorySource const source(sink.bytes());
  Result<RecordingReader, SimError> const reader = RecordingReader::open(source);
  ASSERT_TRUE(reader);
  Result<VerifyReport, SimError> const report = verify(*reader);
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->mismatch);
  EXPECT_EQ(report->ticks_checked, 300u);
}

INSTANTIATE_TEST_SUITE_P(Both, JointCommands, ::testing::Values(NumbersMode::kFloat, NumbersMode::kFixed),
                         [](const auto& mode) {
                           return mode.param == NumbersMode::kFloat ? "float" : "fixed";
                         });

}  // namespace
}  // namespace takt::sim
