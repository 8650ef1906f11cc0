// The generators of scenes that make joints and ropes: chains, nets, ragdolls, vehicles.
#include <gtest/gtest.h>

#include "sim/state/metres.h"
#include "tests/unit/sim/small_scene.h"

namespace takt::sim {
namespace {

constexpr std::string_view kBeam =
    R"({"bodies": [{"name": "beam", "type": "static", "position": [0, 10, 0], "shapes": [{"box": {}}]},
  {"name": "load", "position": [0, 4, 0], "shapes": [{"sphere": {}}]}], )";

Scene scene_of(std::string_view generators, std::string_view more = "") {
  return parse_scene(std::string(kBeam) + "\"generators\": [" + std::string(generators) + "]" +
                     std::string(more) + "}");
}

std::string assembly_error_of(std::string_view generator) {
  Result<Scene, SceneError> const scene =
      load_scene(std::string(kBeam) + "\n\"generators\": [" + std::string(generator) + "]}", "s.json");
  return scene ? "no error" : message(scene.error());
}

Vec3<double> place(const SceneBody& body) { return relative_m(body.def.position, Position{}); }
double length_of(Vec3<double> v) { return root(dot(v, v)); }

TEST(SceneChains, LinksHangBetweenBodiesAndGoByName) {
  Scene const scene = scene_of(
      R"({"chain": {"name": "c", "count": 5, "start": [0, 9.5, 0], "end": [0, 4.5, 0], "thickness": 0.2, "density": 2000, "friction": 0.3,
    "from": "beam", "to": "load", "direct": false}})",
      R"(, "joints": [{"kind": "angle", "a": "beam", "b": "c 2", "anchor": [0, 7, 0]}])");
  ASSERT_EQ(scene.bodies.size(), 7u);
  EXPECT_EQ(scene.bodies[2].name, "c 0");
  EXPECT_EQ(place(scene.bodies[4]), (Vec3<double>{0, 7, 0}));
  EXPECT_EQ(scene.bodies[2].shapes[0].kind, ShapeKind::kCapsule);
  EXPECT_DOUBLE_EQ(scene.bodies[2].shapes[0].half_length_m, 0.4);
  EXPECT_EQ(scene.bodies[2].shapes[0].density_kg_m3, 2000);
  EXPECT_EQ(scene.bodies[2].shapes[0].friction, 0.3);
  ASSERT_EQ(scene.joints.size(), 7u);
  EXPECT_EQ(scene.joints[0].name, "c 0");
  EXPECT_EQ(scene.joints[0].def.kind, JointKind::kPoint);
  EXPECT_FALSE(scene.joints[0].def.direct);
  EXPECT_EQ(scene.joints[0].body_a, 0u);
  EXPECT_EQ(scene.joints[0].body_b, 2u);
  EXPECT_EQ(scene.joints[5].body_a, 6u);
  EXPECT_EQ(scene.joints[5].body_b, 1u);
  EXPECT_EQ(scene.joints[6].body_b, 4u);  // listed joints come last
}

TEST(SceneChains, PlanksHangOnAnArcAndMeetAtTheirHinges) {
  Scene const scene = scene_of(
      R"({"chain": {"count": 8, "start": [-3, 8, 2], "end": [3, 8, 2], "sag": 1, "width": 1.5, "thickness": 0.1}})");
  ASSERT_EQ(scene.bodies.size(), 10u);
  ASSERT_EQ(scene.joints.size(), 7u);
  EXPECT_EQ(scene.joints[0].def.kind, JointKind::kRevolute);
  Simulation const simulation = make_simulation(scene);
  std::vector<JointId> ids;
  simulation.world().list_joints(ids);
  for (JointId const id : ids) {
    JointView const view = simulation.world().joint(id);
    EXPECT_LE(length_of(relative_m(view.anchor_b, view.anchor_a)), 1e-6);
    EXPECT_NEAR(rotate(view.frame_a, {1, 0, 0}).z, 1, 1e-6);
  }
  EXPECT_NEAR(relative_m(simulation.world().joint(ids[3]).anchor_a, Position::from_metres(0, 7, 2)).y, 0,
              1e-6);  // the middle is lowest
  double const first = 2 * scene.bodies[2].shapes[0].half_extents_m.x;
  EXPECT_GT(first * 8, 6.2);  // longer than the way
  // A plank ends where the next begins: as long as the anchors are apart.
  EXPECT_NEAR(length_of(relative_m(simulation.world().joint(ids[4]).anchor_a,
                                   simulation.world().joint(ids[3]).anchor_a)),
              first, 1e-6);
}

TEST(SceneChains, ErrorsNameTheFieldAndWhatIsAllowed) {
  auto const chain = [](std::string_view fields) {
    return assembly_error_of(R"({"chain": {"start": [0, 9, 0], "end": [0, 4, 0])" + std::string(fields) +
                             "}}");
  };
  EXPECT_EQ(assembly_error_of(R"({"chain": {"end": [0, 0, 0]}})"),
            "s.json:3: generators[0].chain: \"start\" is missing: expected [x, y, z]");
  EXPECT_EQ(chain(R"(, "count": 0)"),
            "s.json:3: generators[0].chain.count: 0 is out of range: allowed is 1 to 10000");
  EXPECT_EQ(chain(R"(, "count": 1000)"),
            "s.json:3: generators[0].chain.end: 5 m from start: allowed are 20 to 100000 for so many links");
  EXPECT_EQ(chain(R"(, "thickness": 0.6)"),
            "s.json:3: generators[0].chain.thickness: 0.6 is too thick for links of 0.5 m: allowed is at "
            "most 0.49");
  EXPECT_EQ(chain(R"(, "width": 1)"),
            "s.json:3: generators[0].chain.width: planks of an upright chain: allowed is one that leans, or "
            "no width");
  EXPECT_EQ(chain(R"(, "sag": 1)"),
            "s.json:3: generators[0].chain.sag: of an upright chain: allowed is one that leans, or no sag");
  EXPECT_EQ(chain(R"(, "sag": 3)"),
            "s.json:3: generators[0].chain.sag: 3 is out of range: allowed is 0 to 2.5");
  EXPECT_EQ(chain(R"(, "from": "bean")"),
            "s.json:3: generators[0].chain.from: no body before it has the name \"bean\"");
  EXPECT_EQ(chain(R"(, "density": 0)"),
            "s.json:3: generators[0].chain.density: 0 is out of range: allowed is 1e-06 to 1e+09");
  EXPECT_EQ(chain(R"(, "name": "")"), "s.json:3: generators[0].chain.name: 0 bytes: allowed are 1 to 200");
}

TEST(SceneNets, RopesAreTiedWhereTheyCross) {
  Scene const scene = scene_of(
      R"({"net": {"columns": 4, "rows": 3, "origin": [-1, 5, 0], "along": [0.5, 0, 0], "across": [0, 0, 1], "segments": 5, "hold": "edge"}})");
  ASSERT_EQ(scene.bodies.size(), 2u + 12u);
  ASSERT_EQ(scene.ropes.size(), 7u);
  EXPECT_EQ(scene.bodies[2 + 7].name, "net 7");
  EXPECT_EQ(place(scene.bodies[2 + 7]), (Vec3<double>{0.5, 5, 1}));
  for (std::size_t i = 0; i < 12; ++i)
    EXPECT_EQ(scene.bodies[2 + i].def.type, i < 4 ? BodyType::kStatic : BodyType::kDynamic) << i;
  EXPECT_EQ(scene.ropes[0].def.node_count, 16u);
  ASSERT_EQ(scene.ropes[4].pins.size(), 3u);  // the second column
  EXPECT_EQ(scene.ropes[3].pins[2].node, 10u);
  EXPECT_EQ(scene.ropes[4].pin_bodies[2], 2u + 9u);
  for (NumbersMode const mode : {NumbersMode::kFloat, NumbersMode::kFixed})
    EXPECT_TRUE(Simulation::create(scene, mode).ok());
}

TEST(SceneNets, ErrorsNameTheFieldAndWhatIsAllowed) {
  auto const net = [](std::string_view fields) {
    return assembly_error_of(R"({"net": {"along": [0.5, 0, 0])" + std::string(fields) + "}}");
  };
  EXPECT_EQ(net(""), "s.json:3: generators[0].net: \"across\" is missing: expected [x, y, z]");
  EXPECT_EQ(net(R"(, "across": [0, 0, 0.01])"),
            "s.json:3: generators[0].net.across: 0.01 m long: allowed is 0.1 to 1000");
  EXPECT_EQ(net(R"(, "across": [0, 0, 1], "rows": 1)"),
            "s.json:3: generators[0].net.rows: 1 is out of range: allowed is 2 to 100");
  EXPECT_EQ(net(R"(, "across": [0, 0, 1], "segments": 0)"),
            "s.json:3: generators[0].net.segments: 0 is out of range: allowed is 1 to 64");
  EXPECT_EQ(net(R"(, "across": [0, 0, 1], "linear_density": 0)"),
            "s.json:3: generators[0].net.linear_density: 0 is out of range: allowed is 0.001 to 1e+06");
  EXPECT_EQ(net(R"(, "across": [0, 0, 1], "hold": "all")"),
            "s.json:3: generators[0].net.hold: unknown word \"all\": expected one of nothing, corners, edge");
}

TEST(SceneRagdolls, PartsAndJointsGoByName) {
  Scene const scene = scene_of(
      R"({"ragdolls": {"name": "doll", "count": 3, "position": [0, 1, 0], "step": [0, 3, 0], "seed": 4, "mass": 60}},
                                  {"ragdolls": {"position": [4, 0, 0], "euler_degrees": [0, 90, 0]}})");
  ASSERT_EQ(scene.bodies.size(), 2u + 4 * 13);
  ASSERT_EQ(scene.joints.size(), 4u * 12);
  EXPECT_EQ(scene.bodies[2].name, "doll 0 pelvis");
  EXPECT_EQ(scene.bodies[2 + 26 + 2].name, "doll 2 head");
  EXPECT_EQ(scene.bodies[2 + 39].name, "ragdoll pelvis");
  EXPECT_EQ(scene.joints[12].name, "doll 1 chest");
  EXPECT_EQ(scene.joints[12].body_a, 2u + 13);
  EXPECT_NE(scene.bodies[2].def.rotation, scene.bodies[2 + 13].def.rotation);  // each turned its own way
  // A seed turns about the middle of the height, which stays.
  Vec3<double> const middle{0, 1 + 0.875, 0};
  EXPECT_LT(length_of(place(scene.bodies[2]) - middle), 0.3);
  EXPECT_NEAR(place(scene.bodies[2 + 39]).y, 0.575 * 1.75, 1e-9);
  EXPECT_TRUE(Simulation::create(scene, NumbersMode::kFixed).ok());
}

TEST(SceneVehicles, HaveTheirControlsFromTheStart) {
  Scene const scene = scene_of(
      R"({"vehicle": {"name": "car", "position": [4, 0, 0], "speed": 7, "drive_torque": 300, "steer_degrees": 10, "drives_front": true}},
                                  {"vehicle": {"position": [-9, 0, 0], "brake_torque": 900}})");
  ASSERT_EQ(scene.bodies.size(), 12u);
  ASSERT_EQ(scene.joints.size(), 8u);
  EXPECT_EQ(scene.bodies[2].name, "car chassis");
  EXPECT_EQ(scene.bodies[7 + 4].name, "vehicle rear right wheel");
  EXPECT_EQ(scene.joints[0].name, "car front left wheel");
  JointDef front = scene.joints[0].def;
  EXPECT_NEAR(front.axis(JointAxis::kAngularX).target, 0.1745, 0.02);
  EXPECT_LT(front.axis(JointAxis::kAngularZ).speed, -18);
  EXPECT_EQ(front.axis(JointAxis::kAngularZ).max_motor, 300);
  JointDef braked = scene.joints[4].def;
  EXPECT_EQ(braked.axis(JointAxis::kAngularZ).speed, 0);
  EXPECT_EQ(braked.axis(JointAxis::kAngularZ).max_motor, 900);
  EXPECT_TRUE(Simulation::create(scene, NumbersMode::kFixed).ok());
}

TEST(SceneVehicles, ErrorsNameTheFieldAndWhatIsAllowed) {
  EXPECT_EQ(assembly_error_of(R"({"vehicle": {"wheelbase": 0}})"),
            "s.json:3: generators[0].vehicle.wheelbase: 0 is out of range: allowed is 0.1 to 100");
  EXPECT_EQ(assembly_error_of(R"({"vehicle": {"steer_degrees": 70}})"),
            "s.json:3: generators[0].vehicle.steer_degrees: 70 is out of range: allowed is -68 to 68");
  EXPECT_EQ(assembly_error_of(R"({"ragdolls": {"height": 0.5}})"),
            "s.json:3: generators[0].ragdolls.height: 0.5 is out of range: allowed is 0.6 to 20");
  EXPECT_EQ(assembly_error_of(R"({"ragdolls": {"count": 0}})"),
            "s.json:3: generators[0].ragdolls.count: 0 is out of range: allowed is 1 to 1000");
  EXPECT_EQ(assembly_error_of(R"({"ragdolls": {"seed": 1, "euler_degrees": [0, 0, 0]}})"),
            "s.json:3: generators[0].ragdolls.euler_degrees: there is a seed too: allowed is one of seed and "
            "euler_degrees");
  EXPECT_EQ(assembly_error_of(R"({"ragdolls": {}, "vehicle": {}})"),
            "s.json:3: generators[0]: a generator is exactly one of pyramid, stack, grid, pile, dominoes, "
            "pit, chain, net, ragdolls, vehicle, not 2");
}

TEST(SceneChains, TheBinaryFormIsTheSameScene) {
  Scene const scene = scene_of(
      R"({"chain": {"start": [0, 9.5, 0], "end": [3, 9.5, 1], "sag": 0.5, "from": "beam"}}, {"ragdolls": {"seed": 3}}, {"vehicle": {}},
                                  {"net": {"along": [1, 0, 0], "across": [0, 0, 1], "origin": [9, 9, 9]}})");
  auto const again = load_scene(std::span<const std::byte>(scene.binary), "binary form");
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(scene_hash(*again), scene_hash(scene));
}

}  // namespace
}  // namespace takt::sim
