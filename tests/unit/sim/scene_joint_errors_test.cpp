// Errors in a joint of a scene name its line, field and remedy.
#include <gtest/gtest.h>

#include "tests/unit/sim/joint_scene.h"

namespace takt::sim {
namespace {

std::string joint_error_of(std::string_view joints) {
  Result<Scene, SceneError> const scene = load_scene(scene_of_joints(joints), "s.json");
  return scene ? "no error" : message(scene.error());
}

// The error of one joint between wall and ball with an anchor.
std::string error_in(std::string_view fields) {
  return joint_error_of(R"({"a": "wall", "b": "ball", "anchor": [0, 5, 0], )" + std::string(fields) + "}");
}

TEST(SceneJointErrors, InBodiesAndFramesNameThePlaceAndTheRemedy) {
  EXPECT_EQ(joint_error_of(R"({"b": "ball"})"),
            "s.json:5: joints[0]: \"a\" is missing: expected the name of a body of this scene");
  EXPECT_EQ(joint_error_of(R"({"a": "wall", "b": "bell"})"),
            "s.json:5: joints[0].b: no body of this scene has the name \"bell\"");
  EXPECT_EQ(joint_error_of(R"({"kind": "hinge"})"),
            "s.json:5: joints[0].kind: unknown word \"hinge\": expected one of generic, point, revolute, "
            "prismatic, weld, distance, angle, wheel, "
            "parallel, motor, "
            "target, pulley, gear");
  EXPECT_EQ(joint_error_of(R"({"kind": "weld", "a": "ball", "b": "ball"})"),
            "s.json:5: joints[0].b: it is the body of a too: a joint holds two different bodies");
  EXPECT_EQ(joint_error_of(R"({"kind": "weld", "a": "wall", "b": "floor"})"),
            "s.json:5: joints[0]: neither a nor b is dynamic: one of the two must be");
  EXPECT_EQ(joint_error_of(R"({"kind": "weld", "a": "wall", "b": "ball"})"),
            "s.json:5: joints[0]: \"anchor\" is missing, or \"frame_a\" and \"frame_b\": expected [x, y, z]");
  EXPECT_EQ(error_in(R"("kind": "weld", "frame_a": {})"),
            "s.json:5: joints[0]: it has frames in the world and on a body: allowed is one of anchor with "
            "axis, and frame_a with frame_b");
  EXPECT_EQ(joint_error_of(R"({"kind": "weld", "a": "wall", "b": "ball", "frame_b": {}})"),
            "s.json:5: joints[0]: \"frame_a\" is missing: frame_b goes with it");
  EXPECT_EQ(error_in(R"("kind": "revolute", "axis": [1, 1, 0])"),
            "s.json:5: joints[0].axis: its length is 1.4142135623730951: allowed is 1 within 1 %");
  EXPECT_EQ(error_in(R"("kind": "wheel", "axis": [0, 1, 0], "axis_z": [0, 1, 0])"),
            "s.json:5: joints[0].axis_z: its part along axis is 1: allowed is -0.01 to 0.01, a right angle");
  EXPECT_EQ(error_in(R"("kind": "weld", "axis": [0, 1, 0], "euler_degrees": [0, 0, 90])"),
            "s.json:5: joints[0].euler_degrees: there is an axis too: allowed is one of euler_degrees, and "
            "axis with axis_z");
  EXPECT_EQ(
      joint_error_of(
          R"({"kind": "weld", "a": "wall", "b": "ball", "frame_a": {"position": [0, 20000, 0]}, "frame_b": {}})"),
      "s.json:5: joints[0].frame_a.position.y: 20000 is out of range: allowed is -10000 to 10000");
  EXPECT_EQ(error_in(R"("kind": "weld", "anchor_b": [1e10, 0, 0])"),
            "s.json:5: joints[0].anchor_b.x: 1e+10 is out of range: allowed is -1e+09 to 1e+09");
  EXPECT_EQ(error_in(R"("kind": "weld", "name": ")" + std::string(257, 'n') + '"'),
            "s.json:5: joints[0].name: too long: allowed are 256 bytes");
}

TEST(SceneJointErrors, InAxesNameThePlaceAndTheRemedy) {
  auto const axes = [](std::string_view parts) {
    return error_in(R"("kind": "point", "axes": [)" + std::string(parts) + "]");
  };
  EXPECT_EQ(axes(R"({"axis": "angular_w"})"),
            "s.json:5: joints[0].axes[0].axis: unknown word \"angular_w\": expected one of linear_x, "
            "linear_y, linear_z, angular_x, angular_y, "
            "angular_z, distance, swing");
  EXPECT_EQ(axes(R"({"limit": {"lower": 2, "upper": 1}})"),
            "s.json:5: joints[0].axes[0].limit.lower: 2 is above upper, 1: allowed is at most that");
  EXPECT_EQ(axes(R"({"limit": {}})"),
            "s.json:5: joints[0].axes[0].limit: neither \"lower\" nor \"upper\" is there: expected one of "
            "them or both");
  EXPECT_EQ(axes(R"({"limit": {"upper": 1e6}})"),
            "s.json:5: joints[0].axes[0].limit.upper: 1e+06 is out of range: allowed is -1e+05 to 1e+05");
  EXPECT_EQ(axes(R"({"axis": "swing", "limit": {"lower": -1, "upper": 1}})"),
            "s.json:5: joints[0].axes[0].limit.lower: the swing has none: leave it out");
  EXPECT_EQ(axes(R"({"axis": "swing", "limit": {"upper": -1}})"),
            "s.json:5: joints[0].axes[0].limit.upper: -1 is out of range: allowed is 0 to 1e+05");
  EXPECT_EQ(axes(R"({"axis": "swing", "hold": {}})"),
            "s.json:5: joints[0].axes[0].hold: the swing has none: allowed are limit and friction");
  EXPECT_EQ(axes(R"({"axis": "swing", "motor": {}})"),
            "s.json:5: joints[0].axes[0].motor: the swing has none: allowed are limit and friction");
  EXPECT_EQ(axes(R"({"hold": {"target": 1e6}})"),
            "s.json:5: joints[0].axes[0].hold.target: 1e+06 is out of range: allowed is -1e+05 to 1e+05");
  EXPECT_EQ(axes(R"({"hold": {"max": -1}})"),
            "s.json:5: joints[0].axes[0].hold.max: -1 is out of range: allowed is 0 to 1e+15");
  EXPECT_EQ(axes(R"({"axis": "distance", "hold": {"target": -1}})"),
            "s.json:5: joints[0].axes[0].hold.target: -1 is out of range: allowed is 0 to 1e+05");
  EXPECT_EQ(axes(R"({"motor": {"speed": 5000}})"),
            "s.json:5: joints[0].axes[0].motor.speed: 5000 is out of range: allowed is -4000 to 4000");
  EXPECT_EQ(axes(R"({"motor": {"max": -1}})"),
            "s.json:5: joints[0].axes[0].motor.max: -1 is out of range: allowed is 0 to 1e+15");
  EXPECT_EQ(axes(R"({"friction": -1})"),
            "s.json:5: joints[0].axes[0].friction: -1 is out of range: allowed is 0 to 1e+15");
  EXPECT_EQ(axes(R"({"axis": "linear_x"})"),
            "s.json:5: joints[0].axes[0].axis: this joint locks it: allowed is one that moves");
  EXPECT_EQ(axes(R"({"friction": 1}, {"friction": 2})"),
            "s.json:5: joints[0].axes[1].axis: it is there already: allowed is each axis once");
  EXPECT_EQ(error_in(R"("kind": "revolute", "axes": [{"axis": "swing"}])"),
            "s.json:5: joints[0].axes[0].axis: this joint locks a turn: a swing needs all three free");
  EXPECT_EQ(
      error_in(R"("locked": ["swing"])"),
      "s.json:5: joints[0].locked[0]: neither distance nor swing can be locked: hold or limit it in axes");
  EXPECT_EQ(
      error_in(R"("kind": "generic")"),
      "s.json:5: joints[0]: it does nothing: write another kind than generic, or what is locked, or axes");
}

TEST(SceneJointErrors, InSoftnessAndBoundsNameThePlaceAndTheRemedy) {
  auto const soft = [](std::string_view form) {
    return error_in(R"("kind": "point", "linear": {)" + std::string(form) + "}");
  };
  EXPECT_EQ(soft(R"("beta_gamma": {"beta": 1.5})"),
            "s.json:5: joints[0].linear.beta_gamma.beta: 1.5 is out of range: allowed is 0 to 1");
  EXPECT_EQ(soft(R"("beta_gamma": {"gamma": -1})"),
            "s.json:5: joints[0].linear.beta_gamma.gamma: -1 is out of range: allowed is 0 to 1e+15");
  EXPECT_EQ(soft(R"("erp_cfm": {"erp": -0.5})"),
            "s.json:5: joints[0].linear.erp_cfm.erp: -0.5 is out of range: allowed is 0 to 1");
  EXPECT_EQ(soft(R"("erp_cfm": {"cfm": -1})"),
            "s.json:5: joints[0].linear.erp_cfm.cfm: -1 is out of range: allowed is 0 to 1e+15");
  EXPECT_EQ(soft(R"("spring": {"stiffness": -1})"),
            "s.json:5: joints[0].linear.spring.stiffness: -1 is out of range: allowed is 0 to 1e+15");
  EXPECT_EQ(soft(R"("spring": {"damping": -1})"),
            "s.json:5: joints[0].linear.spring.damping: -1 is out of range: allowed is 0 to 1e+15");
  EXPECT_EQ(soft(R"("frequency": {"hertz": -1})"),
            "s.json:5: joints[0].linear.frequency.hertz: -1 is out of range: allowed is 0 to 1e+15");
  EXPECT_EQ(soft(R"("frequency": {"damping_ratio": -1})"),
            "s.json:5: joints[0].linear.frequency.damping_ratio: -1 is out of range: allowed is 0 to 1e+15");
  EXPECT_EQ(soft(R"("spring": {}, "frequency": {})"),
            "s.json:5: joints[0].linear: 2 forms: allowed is at most one of rigid, beta_gamma, erp_cfm, "
            "spring and frequency");
  EXPECT_EQ(error_in(R"("kind": "point", "max_force": -1)"),
            "s.json:5: joints[0].max_force: -1 is out of range: allowed is 0 to 1e+15");
  EXPECT_EQ(error_in(R"("kind": "weld", "max_torque": -1)"),
            "s.json:5: joints[0].max_torque: -1 is out of range: allowed is 0 to 1e+15");
  EXPECT_EQ(error_in(R"("kind": "point", "break_force": 0)"),
            "s.json:5: joints[0].break_force: 0 is out of range: allowed is above 0 and at most 1e+15");
  EXPECT_EQ(error_in(R"("kind": "point", "break_torque": -2)"),
            "s.json:5: joints[0].break_torque: -2 is out of range: allowed is above 0 and at most 1e+15");
  std::string const idle =
      " coordinate: leave it out, or write a softness or bound of the length or axis that is meant";
  EXPECT_EQ(error_in(R"("kind": "point", "angular": {})"),
            "s.json:5: joints[0].angular: this joint locks no angular" + idle);
  EXPECT_EQ(error_in(R"("kind": "angle", "linear": {})"),
            "s.json:5: joints[0].linear: this joint locks no linear" + idle);
  EXPECT_EQ(error_in(R"("kind": "distance", "length": 1, "max_force": 5)"),
            "s.json:5: joints[0].max_force: this joint locks no linear" + idle);
  EXPECT_EQ(error_in(R"("kind": "target", "max_torque": 5)"),
            "s.json:5: joints[0].max_torque: this joint locks no angular" + idle);
}

TEST(SceneJointErrors, InLengthsAndFieldsOfOtherKindsNameThePlaceAndTheRemedy) {
  EXPECT_EQ(error_in(R"("kind": "distance", "length": 0)"),
            "s.json:5: joints[0].length: 0 is out of range: allowed is 0.001 to 1e+05");
  EXPECT_EQ(error_in(R"("kind": "distance")"),
            "s.json:5: joints[0].length: 0 is out of range: allowed is 0.001 to 1e+05");
  EXPECT_EQ(error_in(R"("kind": "distance", "min_length": 3, "max_length": 2)"),
            "s.json:5: joints[0].min_length: 3 is above max_length, 2: allowed is at most that");
  EXPECT_EQ(error_in(R"("kind": "distance", "min_length": -1)"),
            "s.json:5: joints[0].min_length: -1 is out of range: allowed is 0 to 1e+05");
  EXPECT_EQ(error_in(R"("kind": "distance", "max_length": 0)"),
            "s.json:5: joints[0].max_length: 0 is out of range: allowed is 0.001 to 1e+05");
  EXPECT_EQ(joint_error_of(R"({"kind": "distance", "a": "wall", "b": "ball", "frame_a": {}, "frame_b": {}})"),
            "s.json:5: joints[0]: \"length\" is missing: with frame_a and frame_b it must be there");
  EXPECT_EQ(
      joint_error_of(
          R"({"kind": "pulley", "a": "wall", "b": "ball", "frame_a": {}, "frame_b": {}, "ground_a": [0, 0, 0], "ground_b": [0, 0, 0]})"),
      "s.json:5: joints[0]: \"length\" is missing: with frame_a and frame_b it must be there");
  EXPECT_EQ(
      error_in(
          R"("kind": "distance", "max_length": 2, "axes": [{"axis": "distance", "limit": {"upper": 1}}])"),
      "s.json:5: joints[0].axes[0].limit: min_length and max_length have set it: leave one out");
  EXPECT_EQ(
      error_in(R"("kind": "distance", "length": 2, "axes": [{"axis": "distance", "hold": {"target": 1}}])"),
      "s.json:5: joints[0].axes[0].hold: the kind of this joint has set it: write its length and softness "
      "instead");
  EXPECT_EQ(error_in(R"("kind": "pulley", "ground_b": [0, 9, 0])"),
            "s.json:5: joints[0]: \"ground_a\" is missing: expected [x, y, z]");
  EXPECT_EQ(error_in(R"("kind": "pulley", "ground_a": [0, 9, 0], "ground_b": [0, 9, 0], "ratio": -1)"),
            "s.json:5: joints[0].ratio: -1 is out of range: allowed is 1e-06 to 1e+06");
  EXPECT_EQ(error_in(R"("kind": "pulley", "ground_a": [0, 9, 0], "ground_b": [0, 9, 0], "axes": [])"),
            "s.json:5: joints[0].axes: a gear or pulley has none: leave it out");
  auto const foreign = [](std::string_view field, std::string_view value, std::string_view kinds) {
    EXPECT_EQ(error_in(R"("kind": "weld", ")" + std::string(field) + "\": " + std::string(value)),
              "s.json:5: joints[0]." + std::string(field) + ": only for the kind " + std::string(kinds));
  };
  foreign("locked", R"(["linear_x"])", "generic");
  foreign("softness", "{}", "distance or wheel: linear and angular are for the others");
  foreign("length", "1", "distance or pulley");
  foreign("min_length", "1", "distance");
  foreign("max_length", "1", "distance");
  foreign("steers", "true", "wheel");
  foreign("ground_a", "[0, 0, 0]", "pulley");
  foreign("ground_b", "[0, 0, 0]", "pulley");
  foreign("joint_1", R"("j")", "gear");
  foreign("joint_2", R"("j")", "gear");
  foreign("axis_1", R"("linear_x")", "gear");
  foreign("axis_2", R"("linear_x")", "gear");
  foreign("ratio", "2", "gear or pulley");
}

TEST(SceneJointErrors, InGearsNameThePlaceAndTheRemedy) {
  auto const gear = [](std::string_view fields) {
    return joint_error_of(
        R"({"name": "j", "kind": "revolute", "a": "wall", "b": "ball", "anchor": [0, 5, 0]}, {"name": "h", "kind": "revolute", "a": "wall", "b": "turned", "anchor": [2, 5, 0]},
{"name": "g", "kind": "gear", )" +
        std::string(fields) + "}, {\"kind\": \"gear\", \"joint_1\": \"g\", \"joint_2\": \"j\"}");
  };
  EXPECT_EQ(gear(R"("joint_2": "j")"),
            "s.json:6: joints[2]: \"joint_1\" is missing: expected the name of a joint before it");
  EXPECT_EQ(gear(R"("joint_1": "j", "joint_2": "g")"),
            "s.json:6: joints[2].joint_2: no joint before it has the name \"g\"");
  EXPECT_EQ(gear(R"("joint_1": "j", "joint_2": "j")"),
            "s.json:6: joints[2].joint_2: it ties a coordinate to itself: allowed is another joint, or "
            "another axis of the same");
  EXPECT_EQ(gear(R"("joint_1": "j", "axis_1": "linear_x", "joint_2": "j")"),
            "s.json:6: joints[2].axis_1: it is locked in that joint: allowed is one that moves");
  EXPECT_EQ(
      gear(R"("joint_1": "j", "axis_1": "swing", "joint_2": "j")"),
      "s.json:6: joints[2].axis_1: neither distance nor swing can be geared: allowed are the first six");
  EXPECT_EQ(gear(R"("joint_1": "j", "joint_2": "j", "ratio": 0)"),
            "s.json:6: joints[2].ratio: 0 is out of range: allowed is -1e+06 to 1e+06, but not 0");
  EXPECT_EQ(gear(R"("joint_1": "j", "joint_2": "j", "ratio": 1e7)"),
            "s.json:6: joints[2].ratio: 1e+07 is out of range: allowed is -1e+06 to 1e+06");
  EXPECT_EQ(gear(R"("joint_1": "j", "joint_2": "h", "anchor": [0, 0, 0])"),
            "s.json:6: joints[2]: a gear has no anchor, axis or frame: it goes by those of its joints");
  std::string const two = R"({"name": "h", "kind": "revolute", "a": "wall", "b": "ball", "anchor": [0, 5, 0]},
{"name": "k", "kind": "revolute", "a": "wall", "b": "turned", "anchor": [0, 5, 0]}, {"name": "g", "kind": "gear", "joint_1": "h", "joint_2": "k"},
)";
  EXPECT_EQ(joint_error_of(two + R"({"kind": "gear", "joint_1": "g", "joint_2": "k"})"),
            "s.json:7: joints[3].joint_1: it is a gear or a pulley: allowed are the other kinds");
  EXPECT_EQ(gear(R"("joint_1": "j", "joint_2": "h", "linear": {"frequency": {"hertz": 2}})"),
            "s.json:6: joints[2].linear: what it ties first is an angle: allowed are \"angular\" and "
            "\"max_torque\"");
  EXPECT_EQ(gear(R"("joint_1": "j", "joint_2": "h", "max_force": 5)"),
            "s.json:6: joints[2].max_force: what it ties first is an angle: allowed are \"angular\" and "
            "\"max_torque\"");
  EXPECT_EQ(joint_error_of(R"({"name": "s", "kind": "point", "a": "wall", "b": "ball", "anchor": [0, 5, 0]},
{"name": "h", "kind": "revolute", "a": "wall", "b": "turned", "anchor": [2, 5, 0]}, {"kind": "gear", "joint_1": "h", "joint_2": "s"})"),
            "s.json:6: joints[2].axis_2: that joint locks no turn, so this angle does not count turns: "
            "allowed are lengths, and angles of joints that "
            "lock a turn");
}

}  // namespace
}  // namespace takt::sim
