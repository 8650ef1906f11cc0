#include "sim/commands/input_script.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <tuple>

#include "tests/unit/sim/small_scene.h"

namespace takt::sim {
namespace {

std::string error_of(std::string_view json) {
  Result<std::vector<Input>, SceneError> const inputs = load_input_script(json, "i.json", stack_scene(2));
  return inputs ? "no error" : message(inputs.error());
}

TEST(InputScript, ReadsEveryCommandInOrder) {
  Result<std::vector<Input>, SceneError> const inputs = load_input_script(R"({"inputs": [
    {"tick": 5, "player": 1, "impulse": {"body": "1", "impulse": [1, 2, 3], "point": [0, 0.5, 0]}},
    {"tick": 2, "player": 1, "force": {"body": "ground", "force": [4, 5, 6], "ticks": 9}},
    {"tick": 2, "join": {"player": 1, "name": "ann", "admin": true}},
    {"tick": 2, "player": 1, "spawn": {"shape": {"capsule": {"radius": 0.25, "length": 2}, "density": 500}, "position": [1, 2, 3], "user_kind": 4}},
    {"tick": 7, "player": 1, "grab": {"body": "2:1", "target": [0, 1, 0]}},
    {"tick": 7, "player": 1, "move_grab": {"target": [0, 2, 0]}},
    {"tick": 7, "player": 1, "release": {}},
    {"tick": 7, "player": 1, "teleport": {"body": "2:5", "position": [1, 1, 1]}},
    {"tick": 7, "player": 1, "custom": {"text": "hi"}},
    {"tick": 8, "player": 1, "despawn": {"body": "3"}},
    {"tick": 9, "leave": {"player": 1}},
    {"tick": 10, "player": 1, "move": {"body": "2", "velocity": [1, 0, 2], "turn": 0.5, "in_heading_frame": true, "jump": true}},
  ]})",
                                                                          "i.json", stack_scene(2));
  ASSERT_TRUE(inputs) << message(inputs.error());
  ASSERT_EQ(inputs->size(), 12u);
  EXPECT_EQ((*inputs)[0], (Input{2, 0, 1, JoinCommand{1, true, "ann"}}));
  EXPECT_EQ((*inputs)[1], (Input{2, 1, 1, ForceCommand{BodyId{0, 1}, {4, 5, 6}, {}, 9}}));
  auto const& spawn = std::get<SpawnCommand>((*inputs)[2].command);
  EXPECT_EQ(spawn.dimensions_m, (Vec3<float>{0.25f, 1, 0}));
  EXPECT_EQ(spawn.position, Position::from_metres(1, 2, 3));
  EXPECT_EQ(spawn.density_kg_m3, 500);
  EXPECT_EQ((*inputs)[3], (Input{5, 1, 3, ImpulseCommand{BodyId{1, 1}, {1, 2, 3}, Vec3<float>{0, 0.5f, 0}}}));
  EXPECT_EQ((*inputs)[4].command,
            Command(GrabCommand{BodyId{2, 1}, {}, Position::from_metres(0, 1, 0), 10000}));
  EXPECT_EQ((*inputs)[7].command,
            Command(TeleportCommand{BodyId{2, 5}, Position::from_metres(1, 1, 1), {}, {}, {}}));
  EXPECT_EQ(std::get<CustomCommand>((*inputs)[8].command).bytes,
            (std::vector<std::byte>{std::byte{'h'}, std::byte{'i'}}));
  EXPECT_EQ((*inputs)[10], (Input{9, 0, 2, LeaveCommand{1}}));
  EXPECT_EQ((*inputs)[11].command, Command(MoveCommand{BodyId{2, 1}, {1, 0, 2}, 0.5f, true, true}));
}

// A recording of such a run could not be read.
TEST(InputScript, RefusesNamesAndPinsThatNoRecordingHolds) {
  auto const with_name = [](std::size_t bytes) {
    return R"({"inputs": [{"tick": 1, "join": {"player": 1, "name": ")" + std::string(bytes, 'n') + "\"}}]}";
  };
  EXPECT_EQ(error_of(with_name(65536)), "no error");
  EXPECT_EQ(error_of(with_name(65537)),
            "i.json:1: inputs[0].join.name: 65537 bytes: a recording has at most 65536");
  auto const with_pins = [](int count) {
    std::string pins = R"({"node": 1})";
    for (int i = 1; i < count; ++i) pins += R"(, {"node": 1})";
    return R"({"inputs": [{"tick": 1, "create_rope": {"rope": {"start": [0, 5, 0], "end": [0, 4, 0]}, "pins": [)" +
           pins + "]}}]}";
  };
  EXPECT_EQ(error_of(with_pins(8192)), "no error");
  EXPECT_EQ(error_of(with_pins(8193)),
            "i.json:1: inputs[0].create_rope.pins: 8193 of them: a recording has at most 8192");
}

TEST(InputScript, MoversHaveTheDefaultsOfTheEngineAndNamedFaults) {
  auto const script = [](const std::string& fields) {
    return R"({"inputs": [{"tick": 1, "create_mover": {)" + fields + "}}]}";
  };
  auto const inputs = load_input_script(script("\"position\": [1, 2, 3]"), "i.json", stack_scene(2));
  ASSERT_TRUE(inputs);
  CreateMoverCommand expected;
  expected.def.position = Position::from_metres(1, 2, 3);
  EXPECT_EQ(inputs->at(0).command, Command(expected));
  EXPECT_EQ(error_of(script("")),
            "i.json:1: inputs[0].create_mover: \"position\" is missing: expected [x, y, z]");
  for (const auto& [field, low, high] :
       std::initializer_list<std::tuple<const char*, double, double>>{{"heading", -1000, 1000},
                                                                      {"radius", 0.005, 100},
                                                                      {"half_length", 0.005, 100},
                                                                      {"friction", 0, 100},
                                                                      {"restitution", 0, 1},
                                                                      {"max_slope", 0, 1.4},
                                                                      {"step_height", 0, 10},
                                                                      {"stick_distance", 0, 10},
                                                                      {"skin", 0.006, 0.018},
                                                                      {"max_speed", 0, 100},
                                                                      {"acceleration", 0, 1e4},
                                                                      {"air_acceleration", 0, 1e4},
                                                                      {"jump_speed", 0, 100},
                                                                      {"max_fall_speed", 0, 1e3},
                                                                      {"gravity_scale", 0, 100},
                                                                      {"push_force", 0, 1e6},
                                                                      {"mass", 0, 1e5},
                                                                      {"recovery_speed", 0, 100}}) {
    auto const with = [&, name = std::string(field)](double value) {
      return error_of(script(R"("position": [0, 1, 0], ")" + name + "\": " + std::to_string(value)));
    };
    EXPECT_EQ(with(low), "no error") << field;
    EXPECT_EQ(with(high), "no error") << field;
    std::string const place = "i.json:1: inputs[0].create_mover." + std::string(field) + ": ";
    EXPECT_TRUE(with(low - 0.001).starts_with(place)) << with(low - 0.001);
    EXPECT_TRUE(with(high + 0.001).starts_with(place)) << with(high + 0.001);
  }
}

TEST(InputScript, TakesBytesAndSequences) {
  auto const inputs = load_input_script(R"({"inputs": [
    {"tick": 1, "player": 1, "custom": {"hex": "01fF00"}},
    {"tick": 2, "player": 1, "sequence": 7, "custom": {"text": "a"}},
    {"tick": 3, "player": 1, "custom": {"hex": ""}},
    {"tick": 3, "player": 2, "custom": {"text": "b"}}]})",
                                        "i.json", stack_scene(2));
  ASSERT_TRUE(inputs) << message(inputs.error());
  EXPECT_EQ((*inputs)[0], (Input{1, 1, 1, CustomCommand{{std::byte{1}, std::byte{0xff}, std::byte{0}}}}));
  EXPECT_EQ((*inputs)[1].sequence, 7u);
  EXPECT_EQ((*inputs)[2], (Input{3, 1, 8, CustomCommand{}}));
  EXPECT_EQ((*inputs)[3].sequence, 1u) << "each player has sequences of its own";
  for (const char* const hex : {"1", "0g", "+1"}) {
    EXPECT_EQ(
        error_of(R"({"inputs": [{"tick": 1, "custom": {"hex": ")" + std::string(hex) + "\"}}]}"),
        "i.json:1: inputs[0].custom.hex: expected two hexadecimal digits for each of at most 1000 bytes")
        << hex;
  }
  EXPECT_EQ(error_of(R"({"inputs": [{"tick": 1, "custom": {"hex": "01", "text": "a"}}]})"),
            "i.json:1: inputs[0].custom.hex: there is a text too: allowed is one of text and hex");
}

TEST(InputScript, NamesRopesAsItNamesBodies) {
  Scene const scene = parse_scene(
      R"({"bodies": [], "ropes": [{"start": [0, 5, 0], "end": [3, 5, 0]}, {"name": "left", "start": [0, 6, 0], "end": [3, 6, 0]}]})");
  auto const inputs = load_input_script(
      R"({"inputs": [{"tick": 1, "cut": {"rope": "left", "segment": 3}}, {"tick": 2, "cut": {"rope": "2:5"}}]})",
      "i.json", scene);
  ASSERT_TRUE(inputs) << message(inputs.error());
  EXPECT_EQ((*inputs)[0].command, Command(CutCommand{RopeId{1, 1}, 3}));
  EXPECT_EQ((*inputs)[1].command, Command(CutCommand{RopeId{2, 5}, 0}));
  auto const unknown =
      load_input_script(R"({"inputs": [{"tick": 1, "cut": {"rope": "right"}}]})", "i.json", scene);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(message(unknown.error()),
            "i.json:1: inputs[0].cut.rope: the scene has no rope of the name \"right\": expected a name, an "
            "index, or index:generation");
}

Scene door_scene() {
  return parse_scene(
      R"({"bodies": [{"name": "post", "type": "static", "shapes": [{"sphere": {"radius": 0.1}}]},
                                    {"name": "door", "position": [1, 0, 0], "shapes": [{"sphere": {"radius": 0.5}}]}],
                         "joints": [{"name": "rod", "kind": "point", "a": "post", "b": "door", "anchor": [0, 0, 0]},
                                    {"name": "hinge", "kind": "revolute", "a": "post", "b": "door", "anchor": [0, 0, 0]}]})");
}

TEST(InputScript, ChangesJoints) {
  auto const inputs = load_input_script(R"({"inputs": [
    {"tick": 1, "change_joint": {"joint": "hinge", "motor": {"speed": 2, "max": 30}}},
    {"tick": 2, "change_joint": {"joint": "0", "axis": "swing", "limit": {"upper": 0.5, "softness": {"frequency": {"hertz": 5, "damping_ratio": 0.7}}}}},
    {"tick": 3, "change_joint": {"joint": "1:4", "enabled": false, "collide_connected": true, "direct": false, "locked": ["linear_x", "angular_z"],
      "frame_a": {"position": [1, 2, 3]}, "frame_b": {"rotation": [0, 1, 0, 0]}, "linear": {"spring": {"stiffness": 100, "damping": 2}},
      "angular": {"erp_cfm": {"erp": 0.5, "cfm": 0.001}}, "max_force": 1, "max_torque": 2, "break_force": 3, "break_torque": 4, "ratio": -5, "length": 6,
      "axis": "linear_y", "hold": {"target": 7, "max": 8}, "friction": 9}},
    {"tick": 4, "change_joint": {"joint": "hinge", "no_hold": true, "limit": {}}},
    {"tick": 5, "destroy_joint": {"joint": "rod"}}]})",
                                        "i.json", door_scene());
  ASSERT_TRUE(inputs) << message(inputs.error());
  ChangeJointCommand motor;
  motor.joint = JointId{1, 1};
  motor.motor = ChangeJointCommand::Motor{2, 30};
  EXPECT_EQ((*inputs)[0].command, Command(motor));
  ChangeJointCommand cone;
  cone.joint = JointId{0, 1};
  cone.axis = JointAxis::kSwing;
  cone.limit = ChangeJointCommand::Limit{-kUnbounded, 0.5, Softness::frequency(5, 0.7)};
  EXPECT_EQ((*inputs)[1].command, Command(cone));
  ChangeJointCommand all;
  all.joint = JointId{1, 4};
  all.enabled = false;
  all.collide_connected = true;
  all.direct = false;
  all.locked = static_cast<std::uint8_t>(lock_of(JointAxis::kLinearX) | lock_of(JointAxis::kAngularZ));
  all.frame_a = JointFrame{{1, 2, 3}, {}};
  all.frame_b = JointFrame{{}, {0, 1, 0, 0}};
  all.linear = Softness::spring(100, 2);
  all.angular = Softness::erp_cfm(0.5, 0.001);
  all.max_force_n = 1;
  all.max_torque_n_m = 2;
  all.break_force_n = 3;
  all.break_torque_n_m = 4;
  all.ratio = -5;
  all.length_m = 6;
  all.axis = JointAxis::kLinearY;
  all.hold = ChangeJointCommand::Hold{true, 7, {}, 8};
  all.friction = 9;
  EXPECT_EQ((*inputs)[2].command, Command(all));
  ChangeJointCommand free;
  free.joint = JointId{1, 1};
  free.hold = ChangeJointCommand::Hold{false, 0, {}, 0};
  free.limit = ChangeJointCommand::Limit{};
  EXPECT_EQ((*inputs)[3].command, Command(free));
  EXPECT_EQ((*inputs)[4].command, Command(DestroyJointCommand{JointId{0, 1}}));
}

TEST(InputScript, SaysWhatIsWrongWithAChangeOfAJoint) {
  auto const error = [](const std::string& change) {
    auto const inputs = load_input_script("{\"inputs\": [{\"tick\": 1, \"change_joint\": {" + change + "}}]}",
                                          "i.json", door_scene());
    return inputs ? "none" : message(inputs.error());
  };
  EXPECT_EQ(error(R"("joint": "gate")"),
            "i.json:1: inputs[0].change_joint.joint: the scene has no joint of the name \"gate\": expected a "
            "name, an index, or index:generation");
  EXPECT_NE(
      error(R"("joint": "rod", "motor": {"speed": 5000})").find("inputs[0].change_joint.motor.speed: 5000"),
      std::string::npos);
  EXPECT_NE(error(R"("joint": "rod", "linear": {"spring": {"stiffness": -1}})")
                .find("inputs[0].change_joint.linear.spring.stiffness"),
            std::string::npos);
  EXPECT_NE(error(R"("joint": "rod", "hold": {}, "no_hold": true)").find("inputs[0].change_joint.no_hold"),
            std::string::npos);
  EXPECT_NE(error(R"("joint": "rod", "locked": ["swing"])").find("inputs[0].change_joint.locked[0]"),
            std::string::npos);
}

TEST(InputScript, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(
      error_of("{\"inputs\": [\n{\"tick\": 1}]}"),
      "i.json:2: inputs[0]: an input is exactly one of impulse, force, spawn, despawn, grab, "
      "move_grab, release, teleport, custom, "
      "join, leave, move, cut, change_joint, destroy_joint, change_body, change_shape, target, tune_mover, "
      "create_joint, create_rope, change_rope, destroy_rope, create_mover, not 0");
  EXPECT_EQ(error_of("{\"inputs\": [{\"tick\": 1,\n\"despawn\": {\"body\": \"nobody\"}}]}"),
            "i.json:2: inputs[0].despawn.body: the scene has no body of the name \"nobody\": expected a "
            "name, an index, or index:generation");
  EXPECT_EQ(error_of("{\"inputs\": [{\"tick\": -1, \"release\": {}}]}"),
            "i.json:1: inputs[0].tick: -1 is negative: expected a whole number from 0");
  EXPECT_EQ(error_of("{\"inputs\": [{\"despawn\": {}}]}"),
            "i.json:1: inputs[0].despawn: \"body\" is missing: expected a body's name, its index, or "
            "index:generation");
  EXPECT_EQ(error_of("{\"inputs\": [{\"move_grab\": {}}]}"),
            "i.json:1: inputs[0].move_grab: \"target\" is missing: expected [x, y, z]");
}

}  // namespace
}  // namespace takt::sim
