// Joints of scenes: every kind and field is read, frames written in the world are those on the bodies, what
// is wrong is named with its line, field and what is allowed, and the hash sees it.
#include <gtest/gtest.h>

#include "sim/state/metres.h"
#include "takt/sim/simulation.h"
#include "tests/unit/sim/joint_scene.h"

namespace takt::sim {
namespace {

// Everything of two definitions but the bodies and joints that they name.
void expect_same(const JointDef& def, const JointDef& expected) {
  EXPECT_EQ(def.kind, expected.kind);
  EXPECT_EQ(def.frame_a, expected.frame_a);
  EXPECT_EQ(def.frame_b, expected.frame_b);
  EXPECT_EQ(def.locked, expected.locked);
  EXPECT_EQ(def.linear, expected.linear);
  EXPECT_EQ(def.angular, expected.angular);
  EXPECT_EQ(def.max_force_n, expected.max_force_n);
  EXPECT_EQ(def.max_torque_n_m, expected.max_torque_n_m);
  EXPECT_EQ(def.break_force_n, expected.break_force_n);
  EXPECT_EQ(def.break_torque_n_m, expected.break_torque_n_m);
  ASSERT_EQ(def.axis_count, expected.axis_count);
  for (std::uint32_t i = 0; i < def.axis_count; ++i) EXPECT_EQ(def.axes[i], expected.axes[i]) << i;
  EXPECT_EQ(def.coupling, expected.coupling);
  EXPECT_EQ(def.collide_connected, expected.collide_connected);
  EXPECT_EQ(def.enabled, expected.enabled);
  EXPECT_EQ(def.direct, expected.direct);
  EXPECT_EQ(def.user_tag, expected.user_tag);
}

JointDef read(std::string_view fields) {
  Scene const scene = parse_scene(scene_of_joints(
      R"({"a": "wall", "b": "ball", "frame_a": {}, "frame_b": {}, )" + std::string(fields) + "}"));
  return scene.joints.at(0).def;
}

TEST(SceneJoints, EachKindIsWhatTheEnginesMakerMakes) {
  JointFrame const f{};
  Softness const soft = Softness::spring(50, 2);
  std::string const spring = R"({"spring": {"stiffness": 50, "damping": 2}})";
  expect_same(read(R"("kind": "point")"), point_joint({}, {}, f, f));
  expect_same(read(R"("kind": "revolute")"), revolute_joint({}, {}, f, f));
  expect_same(read(R"("kind": "prismatic")"), prismatic_joint({}, {}, f, f));
  expect_same(read(R"("kind": "weld", "linear": )" + spring + R"(, "angular": )" + spring),
              weld_joint({}, {}, f, f, soft, soft));
  expect_same(read(R"("kind": "distance", "length": 2, "softness": )" + spring),
              distance_joint({}, {}, f, f, 2, soft));
  expect_same(read(R"("kind": "distance", "min_length": 1, "max_length": 3)"),
              rope_joint({}, {}, f, f, 1, 3));
  expect_same(read(R"("kind": "distance", "max_length": 3)"), rope_joint({}, {}, f, f, 0, 3));
  expect_same(read(R"("kind": "angle", "angular": )" + spring), angle_joint({}, {}, f, f, soft));
  expect_same(read(R"("kind": "parallel", "angular": )" + spring), parallel_joint({}, {}, f, f, soft));
  expect_same(read(R"("kind": "wheel", "softness": )" + spring), wheel_joint({}, {}, f, f, soft));
  expect_same(read(R"("kind": "wheel", "steers": true, "softness": )" + spring),
              wheel_joint({}, {}, f, f, soft, true));
  expect_same(read(R"("kind": "motor", "max_force": 5, "max_torque": 6, "linear": )" + spring +
                   R"(, "angular": )" + spring),
              motor_joint({}, {}, f, f, soft, 5, 6));
  expect_same(read(R"("kind": "target", "max_force": 5, "linear": )" + spring),
              target_joint({}, {}, f, f, soft, 5));
  expect_same(
      read(R"("kind": "pulley", "ground_a": [0, 9, 0], "ground_b": [3, 9, 0], "length": 7, "ratio": 2)"),
      pulley_joint({}, {}, f, f, Position::from_metres(0, 9, 0), Position::from_metres(3, 9, 0), 7, 2));
  JointDef generic;
  generic.locked = lock_of(JointAxis::kLinearX) | lock_of(JointAxis::kAngularZ);
  expect_same(read(R"("locked": ["linear_x", "angular_z"])"), generic);
}

TEST(SceneJoints, AGearGoesByTheJointsThatItNamesAndTheirBodies) {
  Scene const scene = parse_scene(scene_of_joints(R"(
    {"name": "first", "kind": "revolute", "a": "wall", "b": "ball", "anchor": [0, 5, 0]},
    {"name": "second", "kind": "prismatic", "a": "wall", "b": "turned", "anchor": [2, 5, 0]},
    {"kind": "gear", "joint_1": "first", "joint_2": "second", "axis_2": "linear_x", "ratio": -3}
  )"));
  ASSERT_EQ(scene.joints.size(), 3u);
  const SceneJoint& gear = scene.joints[2];
  expect_same(gear.def, gear_joint({}, {}, {}, JointAxis::kAngularX, {}, JointAxis::kLinearX, -3));
  EXPECT_EQ(gear.coupled_joints, (std::array<std::size_t, 2>{0, 1}));
  EXPECT_EQ(gear.body_a, 2u);
  EXPECT_EQ(gear.body_b, 3u);
  Simulation const simulation = make_simulation(scene);
  std::vector<JointId> ids;
  simulation.world().list_joints(ids);
  ASSERT_EQ(ids.size(), 3u);
  EXPECT_EQ(simulation.world().joint_def(ids[2]).coupling.joint_1, ids[0]);
  EXPECT_EQ(simulation.world().joint_def(ids[2]).coupling.joint_2, ids[1]);
}

TEST(SceneJoints, ReadsEveryFieldThatAllKindsHave) {
  JointDef const def = read(R"(
    "kind": "point", "linear": {"frequency": {"hertz": 3, "damping_ratio": 0.5}}, "max_force": 100, "break_force": 200, "break_torque": 300,
    "collide_connected": true, "enabled": false, "direct": false, "user_tag": 9,
    "axes": [
      {"axis": "swing", "limit": {"upper": 0.5, "softness": {"spring": {"stiffness": 7, "damping": 8}}}, "friction": 0.5},
      {"axis": "angular_x", "limit": {"lower": -1, "upper": 2}, "hold": {"target": 0.25, "softness": {"erp_cfm": {"erp": 0.3, "cfm": 0.01}}, "max": 40},
       "motor": {"speed": 3, "max": 50}, "friction": 4}])");
  JointDef expected = point_joint({}, {}, {}, {});
  expected.linear = Softness::frequency(3, 0.5);
  expected.max_force_n = 100;
  expected.break_force_n = 200;
  expected.break_torque_n_m = 300;
  expected.collide_connected = true;
  expected.enabled = false;
  expected.direct = false;
  expected.user_tag = 9;
  expected.limit(JointAxis::kSwing, -kUnbounded, 0.5, Softness::spring(7, 8))
      .friction(JointAxis::kSwing, 0.5);
  expected.limit(JointAxis::kAngularX, -1, 2)
      .drive(JointAxis::kAngularX, 0.25, Softness::erp_cfm(0.3, 0.01), 40)
      .motor(JointAxis::kAngularX, 3, 50);
  expected.friction(JointAxis::kAngularX, 4);
  expect_same(def, expected);
}

TEST(SceneJoints, SoftnessHasFiveForms) {
  auto const soft = [](std::string_view form) {
    return read(R"("kind": "point", "linear": {)" + std::string(form) + "}").linear;
  };
  EXPECT_EQ(soft(""), Softness::rigid());
  EXPECT_EQ(soft(R"("rigid": {})"), Softness::rigid());
  EXPECT_EQ(soft(R"("beta_gamma": {"beta": 0.1, "gamma": 0.2})"), Softness::beta_gamma(0.1, 0.2));
  EXPECT_EQ(soft(R"("erp_cfm": {"erp": 0.1, "cfm": 0.2})"), Softness::erp_cfm(0.1, 0.2));
  EXPECT_EQ(soft(R"("spring": {"stiffness": 10, "damping": 20})"), Softness::spring(10, 20));
  EXPECT_EQ(soft(R"("frequency": {"hertz": 5})"), Softness::frequency(5, 1));
}

// Where the frames of the only joint stand in the world of either mode, and its coordinates there.
class SceneJointFrames : public testing::TestWithParam<NumbersMode> {
 protected:
  void stand(std::string_view joint) {
    simulation_.emplace(make_simulation(parse_scene(scene_of_joints(joint)), GetParam()));
    std::vector<JointId> ids;
    world().list_joints(ids);
    ASSERT_EQ(ids.size(), 1u);
    id_ = ids[0];
  }
  const AnyWorld& world() const { return simulation_->world(); }
  JointView view() const { return world().joint(id_); }
  JointId id_;
  std::optional<Simulation> simulation_;
};

void expect_near(Vec3<double> v, Vec3<double> expected) {
  EXPECT_NEAR(v.x, expected.x, 1e-6);
  EXPECT_NEAR(v.y, expected.y, 1e-6);
  EXPECT_NEAR(v.z, expected.z, 1e-6);
}

TEST_P(SceneJointFrames, AnAnchorAndAnAxisOfTheWorldAreTheSameOnBothBodies) {
  for (Vec3<double> const axis : {Vec3<double>{0, 1, 0}, Vec3<double>{-1, 0, 0}, Vec3<double>{0.6, 0, -0.8},
                                  Vec3<double>{-0.48, 0.6, 0.64}}) {
    std::string const text =
        std::to_string(axis.x) + ", " + std::to_string(axis.y) + ", " + std::to_string(axis.z);
    stand(R"({"kind": "revolute", "a": "ball", "b": "turned", "anchor": [1, 5, 0.5], "axis": [)" + text +
          "]}");
    expect_near(rotate(view().frame_a, {1, 0, 0}), axis);
    expect_near(rotate(view().frame_b, {1, 0, 0}), axis);
    expect_near(relative_m(view().anchor_a, Position::from_metres(1, 5, 0.5)), {});
    expect_near(relative_m(view().anchor_b, Position::from_metres(1, 5, 0.5)), {});
    for (std::uint32_t i = 0; i < 6; ++i)
      EXPECT_NEAR(world().joint_coordinate(id_, static_cast<JointAxis>(i)), 0.0, 1e-6) << i;
  }
}

TEST_P(SceneJointFrames, AxisZIsTheAxleOfAWheel) {
  stand(
      R"({"kind": "wheel", "a": "ball", "b": "turned", "anchor": [2, 5, 0], "axis": [0, 1, 0], "axis_z": [-1, 0, 0]})");
  expect_near(rotate(view().frame_b, {1, 0, 0}), {0, 1, 0});
  expect_near(rotate(view().frame_b, {0, 0, 1}), {-1, 0, 0});
  stand(
      R"({"kind": "wheel", "a": "ball", "b": "turned", "anchor": [2, 5, 0], "axis": [0, 0.6, 0.8], "axis_z": [0, -0.8, 0.6]})");
  expect_near(rotate(view().frame_a, {0, 0, 1}), {0, -0.8, 0.6});
}

TEST_P(SceneJointFrames, TwoAnchorsAndAnglesStandAsWritten) {
  stand(
      R"({"kind": "distance", "a": "ball", "b": "turned", "anchor": [0, 5, 0], "anchor_b": [2, 5, 1], "euler_degrees": [0, 0, 90]})");
  expect_near(relative_m(view().anchor_b, view().anchor_a), {2, 0, 1});
  expect_near(rotate(view().frame_a, {1, 0, 0}), {0, 1, 0});
  EXPECT_NEAR(world().joint_def(id_).axes[0].target, 2.2360679774997896, 1e-9);  // as the anchors stand
}

TEST_P(SceneJointFrames, FramesOnBodiesStandAsWritten) {
  stand(
      R"({"kind": "weld", "a": "ball", "b": "turned", "frame_a": {"position": [0, 1, 0], "euler_degrees": [0, 90, 0]},
           "frame_b": {"position": [0.5, 0, 0], "rotation": [0, 0, 0, 1]}})");
  JointDef const def = world().joint_def(id_);
  expect_near(def.frame_a.position_m, {0, 1, 0});
  expect_near(rotate(def.frame_a.rotation, {1, 0, 0}), {0, 0, -1});
  expect_near(def.frame_b.position_m, {0.5, 0, 0});
  expect_near(rotate(def.frame_b.rotation, {1, 0, 0}), {1, 0, 0});
}

TEST_P(SceneJointFrames, APulleyIsAsLongAsItsAnchorsStand) {
  stand(
      R"({"kind": "pulley", "a": "ball", "b": "turned", "anchor": [0, 5, 0], "anchor_b": [2, 5, 0], "ground_a": [0, 8, 0], "ground_b": [2, 9, 0], "ratio": 2})");
  EXPECT_NEAR(world().joint_def(id_).coupling.length_m, 3 + 2 * 4, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Numbers, SceneJointFrames,
                         testing::Values(NumbersMode::kFloat, NumbersMode::kFixed));

TEST(SceneJoints, TheBinaryFormIsTheSameSceneAndTheHashSeesWhatCounts) {
  Scene const scene = parse_scene(scene_of_joints(R"(
    {"name": "hinge", "kind": "revolute", "a": "wall", "b": "ball", "anchor": [0, 5, 0], "axes": [{"motor": {"speed": 2, "max": 10}}]},
    {"name": "post", "kind": "revolute", "a": "wall", "b": "turned", "anchor": [2, 5, 0]},
    {"kind": "gear", "joint_1": "hinge", "joint_2": "post"})"));
  auto const again = load_scene(std::span<const std::byte>(scene.binary), "binary form");
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(scene_hash(*again), scene_hash(scene));
  ASSERT_EQ(again->joints.size(), 3u);
  expect_same(again->joints[0].def, scene.joints[0].def);

  auto const differs = [&scene](auto&& change) {
    Scene other = scene;
    change(other);
    return scene_hash(other) != scene_hash(scene);
  };
  EXPECT_FALSE(differs([](Scene& s) { s.joints[0].name = "another"; }));
  EXPECT_TRUE(differs([](Scene& s) { s.joints[0].def.axes[0].speed = 3; }));
  EXPECT_TRUE(differs([](Scene& s) { s.joints[0].def.linear = Softness::spring(1, 1); }));
  EXPECT_TRUE(differs([](Scene& s) { s.joints[0].world->anchor_b = Position::from_metres(0, 5, 1e-6); }));
  EXPECT_TRUE(differs([](Scene& s) { s.joints[1].body_b = 2; }));
  EXPECT_TRUE(differs([](Scene& s) { s.joints[1].def.break_force_n = 1; }));
  EXPECT_TRUE(differs([](Scene& s) { s.joints[2].coupled_joints[1] = 0; }));
  EXPECT_TRUE(differs([](Scene& s) { s.joints[2].def.coupling.ratio = 2; }));
  EXPECT_TRUE(differs([](Scene& s) { s.joints.pop_back(); }));
}

}  // namespace
}  // namespace takt::sim
