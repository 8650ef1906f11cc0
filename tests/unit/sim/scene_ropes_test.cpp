// Ropes of scenes: every field is read, what is wrong is named with its line, field and what is allowed, and
// the hash sees it.
#include <gtest/gtest.h>

#include "schemas/scene_generated.h"
#include "takt/sim/simulation.h"
#include "tests/unit/sim/small_scene.h"

namespace takt::sim {
namespace {

std::string rope_error_of(std::string_view rope) {
  std::string const json =
      R"({"bodies": [{"name": "ball", "position": [0, 5, 0], "shapes": [{"sphere": {}}]}], "ropes": [
{)" + std::string(rope) +
      "}]}";
  Result<Scene, SceneError> const scene = load_scene(json, "s.json");
  return scene ? "no error" : message(scene.error());
}

constexpr std::string_view kAll = R"({
  "bodies": [{"name": "ground", "type": "static", "shapes": [{"half_space": {}}]}, {"name": "ball", "position": [0, 5, 0], "shapes": [{"sphere": {}}]}],
  "ropes": [
    {"name": "r", "nodes": 12, "start": [0, 9, 0], "end": [0, 5.5, 0], "segment_length": 0.35, "radius": 0.03, "mass": 2, "mode": "compliant", "stiffness": 0.9,
     "compliance": 0.001, "damping": 3, "passes": 7, "drag": 0.1, "gravity_scale": 0.5, "friction": 0.2, "collides": true, "collides_with_pinned": true,
     "can_sleep": false, "filter": {"category": 4, "mask": 3, "group": -2}, "user_tag": 8, "pins": [{"node": 0, "target": [0, 9.5, 0]},
     {"node": 11, "body": "ball", "anchor": [0, 0.5, 0]}]},
    {"points": [[1, 1, 0], [2, 1, 0], [2, 2, 0]], "linear_density": 0.5}]})";

// The FlatBuffers verifier lets a list of doubles start at any multiple of 4.
TEST(SceneRopes, MisalignedPointsOfABinarySceneAreRefused) {
  int misaligned = 0;
  for (std::size_t pad = 0; pad < 8; pad += 4) {
    flatbuffers::FlatBufferBuilder b;
    b.CreateVector(std::vector<std::uint8_t>(16 + pad));  // shifts what follows
    // Two points of 6 words each, one metre apart; the length is corrected below.
    std::vector<std::uint32_t> words(12);
    words[9] = 0x3ff00000;  // the upper half of 1.0
    flatbuffers::Offset<flatbuffers::Vector<const schema::Vec3*>> const points(b.CreateVector(words).o);
    schema::RopeBuilder rope(b);
    rope.add_points(points);
    auto const ropes = b.CreateVector(std::vector{rope.Finish()});
    schema::SceneBuilder scene(b);
    scene.add_ropes(ropes);
    schema::FinishSceneBuffer(b, scene.Finish());
    std::uint8_t* const start = b.GetBufferPointer();
    auto const* const data = schema::GetScene(start)->ropes()->Get(0)->points()->Data();
    flatbuffers::WriteScalar(start + (data - start) - sizeof(flatbuffers::uoffset_t), std::uint32_t{2});
    bool const bad = reinterpret_cast<std::uintptr_t>(data) % alignof(double) != 0;
    misaligned += bad ? 1 : 0;
    auto const* const bytes = reinterpret_cast<const std::byte*>(start);
    Result<Scene, SceneError> const loaded = load_scene(std::span(bytes, b.GetSize()), "s.tksc");
    ASSERT_EQ(loaded.ok(), !bad);
    if (bad) {
      EXPECT_EQ(message(loaded.error()),
                "s.tksc: ropes[0].points: a damaged binary scene: write it again from its JSON");
    }
  }
  EXPECT_EQ(misaligned, 1);
}

TEST(SceneRopes, ReadsEveryFieldOfARope) {
  Scene const scene = parse_scene(kAll);
  ASSERT_EQ(scene.ropes.size(), 2u);
  const SceneRope& rope = scene.ropes[0];
  EXPECT_EQ(rope.name, "r");
  EXPECT_EQ(rope.def.node_count, 12u);
  EXPECT_EQ(rope.def.start, Position::from_metres(0, 9, 0));
  EXPECT_EQ(rope.def.end, Position::from_metres(0, 5.5, 0));
  EXPECT_EQ(rope.def.segment_length_m, 0.35);
  EXPECT_EQ(rope.def.radius_m, 0.03);
  EXPECT_EQ(rope.def.mass_kg, 2.0);
  EXPECT_EQ(rope.def.mode, RopeMode::kCompliant);
  EXPECT_EQ(rope.def.stiffness, 0.9);
  EXPECT_EQ(rope.def.compliance_m_n, 0.001);
  EXPECT_EQ(rope.def.damping_n_s_m, 3.0);
  EXPECT_EQ(rope.def.passes, 7u);
  EXPECT_EQ(rope.def.drag_1_s, 0.1);
  EXPECT_EQ(rope.def.gravity_scale, 0.5);
  EXPECT_EQ(rope.def.friction, 0.2);
  EXPECT_TRUE(rope.def.collides);
  EXPECT_TRUE(rope.def.collides_with_pinned);
  EXPECT_FALSE(rope.def.can_sleep);
  EXPECT_EQ(rope.def.filter, (ShapeFilter{4, 3, -2}));
  EXPECT_EQ(rope.def.user_tag, 8u);
  ASSERT_EQ(rope.pins.size(), 2u);
  EXPECT_EQ(rope.pins[0].target, Position::from_metres(0, 9.5, 0));
  EXPECT_FALSE(rope.pin_bodies[0].has_value());
  EXPECT_EQ(rope.pins[1].node, 11u);
  EXPECT_EQ(rope.pin_bodies[1], 1u);
  EXPECT_EQ(rope.pins[1].local_anchor_m, (Vec3<double>{0, 0.5, 0}));
  ASSERT_EQ(scene.ropes[1].points.size(), 3u);
  EXPECT_EQ(scene.ropes[1].points[2], Position::from_metres(2, 2, 0));
  EXPECT_EQ(scene.ropes[1].def.linear_density_kg_m, 0.5);
}

TEST(SceneRopes, StandInTheWorldOfBothModes) {
  Scene const scene = parse_scene(kAll);
  for (NumbersMode const mode : {NumbersMode::kFloat, NumbersMode::kFixed}) {
    auto const simulation = Simulation::create(scene, mode);
    ASSERT_TRUE(simulation.ok());
    std::vector<RopeId> ropes;
    simulation->world().list_ropes(ropes);
    ASSERT_EQ(ropes.size(), 2u);
    RopeView view;
    simulation->world().read_rope(ropes[0], view);
    EXPECT_EQ(view.nodes.size(), 12u);
    ASSERT_EQ(view.pins.size(), 2u);
    std::vector<BodyId> bodies;
    simulation->world().list_bodies(bodies);
    EXPECT_EQ(view.pins[1].body, bodies[1]);
  }
}

TEST(SceneRopes, TheHashSeesWhatCounts) {
  Scene const scene = parse_scene(kAll);
  Scene other = scene;
  other.ropes[0].name = "another";
  EXPECT_EQ(scene_hash(other), scene_hash(scene));
  other.ropes[0].pins[1].local_anchor_m.y = 0.25;
  EXPECT_NE(scene_hash(other), scene_hash(scene));
  other = scene;
  other.ropes[1].def.drag_1_s = 0;
  EXPECT_NE(scene_hash(other), scene_hash(scene));
  other = scene;
  other.ropes.pop_back();
  EXPECT_NE(scene_hash(other), scene_hash(scene));
}

TEST(SceneRopes, ErrorsNameTheFieldAndWhatIsAllowed) {
  std::string const straight = R"("start": [0, 0, 0], "end": [1, 0, 0], )";
  EXPECT_EQ(rope_error_of(""),
            "s.json:2: ropes[0]: \"start\" and \"end\" are missing, or \"points\": expected [x, y, z]");
  EXPECT_EQ(rope_error_of(R"("start": [0, 0, 0])"),
            "s.json:2: ropes[0]: \"end\" is missing: expected [x, y, z]");
  EXPECT_EQ(
      rope_error_of(straight + R"("points": [[0, 0, 0]])"),
      "s.json:2: ropes[0].points: there is a start or end too: allowed is one of start with end, and points");
  EXPECT_EQ(rope_error_of(R"("points": [[0, 0, 0]])"),
            "s.json:2: ropes[0].points: 1 of them: allowed are 2 to 4096");
  EXPECT_EQ(rope_error_of(straight + R"("nodes": 1)"),
            "s.json:2: ropes[0].nodes: 1 is out of range: allowed is 2 to 4096");
  EXPECT_EQ(rope_error_of(straight + R"("stiffness": 0)"),
            "s.json:2: ropes[0].stiffness: 0 is out of range: allowed is above 0 and at most 1");
  EXPECT_EQ(rope_error_of(straight + R"("compliance": -0.5)"),
            "s.json:2: ropes[0].compliance: -0.5 is out of range: allowed is 0 to 1");
  EXPECT_EQ(rope_error_of(straight + R"("passes": 65)"),
            "s.json:2: ropes[0].passes: 65 is out of range: allowed is 1 to 64");
  EXPECT_EQ(rope_error_of(straight + R"("radius": 0)"),
            "s.json:2: ropes[0].radius: 0 is out of range: allowed is 0.005 to 10");
  EXPECT_EQ(rope_error_of(straight + R"("segment_length": -1)"),
            "s.json:2: ropes[0].segment_length: -1 is out of range: allowed is 0.005 to 1000");
  EXPECT_EQ(rope_error_of(straight + R"("pins": [{"node": 16}])"),
            "s.json:2: ropes[0].pins[0].node: 16 is out of range: allowed is 0 to 15");
  EXPECT_EQ(rope_error_of(straight + R"("pins": [{}, {"node": 0}])"),
            "s.json:2: ropes[0].pins[1].node: it is pinned already: allowed is one pin a node");
  EXPECT_EQ(rope_error_of(straight + R"("pins": [{"body": "bell"}])"),
            "s.json:2: ropes[0].pins[0].body: no body of this scene has the name \"bell\"");
  EXPECT_EQ(rope_error_of(straight + R"("pins": [{"anchor": [0, 0, 0]}])"),
            "s.json:2: ropes[0].pins[0].anchor: only a pin on a body has an anchor: name the body, or write "
            "a target");
  EXPECT_EQ(rope_error_of(straight + R"("pins": [{"body": "ball", "target": [0, 0, 0]}])"),
            "s.json:2: ropes[0].pins[0].target: a pin on a body has no target: write its anchor, or leave "
            "the body out");
  EXPECT_EQ(rope_error_of(R"("start": [0, 0, 0], "end": [0, 0, 0])"),
            "s.json:2: ropes[0]: the engine refuses it: a rope's segments are too short or too long: 0.005 "
            "to 1000 m are allowed");
}

}  // namespace
}  // namespace takt::sim
