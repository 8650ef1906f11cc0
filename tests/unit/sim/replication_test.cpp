#include "sim/replication/replication.h"

#include "sim/replication/body_replication.h"
#include "sim/replication/shape_geometry.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include "tests/unit/sim/small_scene.h"

namespace takt::sim {
namespace {

TEST(Replication, CommandsGoToTheWireAndBack) {
  BodyId const body{7, 3};
  SpawnCommand spawn;
  spawn.kind = ShapeKind::kBox;
  spawn.dimensions_m = {1, 2, 3};
  spawn.position = Position::from_raw(4, 5, 6);
  spawn.linear_velocity_m_s = {7, 8, 9};
  spawn.user_kind = 11;
  ChangeJointCommand full;
  full.joint = JointId{4, 2};
  full.enabled = true;
  full.collide_connected = false;
  full.direct = true;
  full.locked = 63;
  full.frame_a = JointFrame{{1, 2, 3}, {0, 1, 0, 0}};
  full.frame_b = JointFrame{{4, 5, 6}, {0, 0, 1, 0}};
  full.linear = Softness::spring(7, 8);
  full.angular = Softness::frequency(9, 10);
  full.max_force_n = 11;
  full.max_torque_n_m = 12;
  full.break_force_n = 13;
  full.break_torque_n_m = 14;
  full.ratio = 15;
  full.length_m = 16;
  full.axis = JointAxis::kDistance;
  full.limit = ChangeJointCommand::Limit{17, 18, Softness::erp_cfm(0.19, 20)};
  full.hold = ChangeJointCommand::Hold{false, 21, Softness::beta_gamma(0.22, 23), 24};
  full.motor = ChangeJointCommand::Motor{25, 26};
  full.friction = 27;
  ChangeJointCommand bare;
  bare.joint = JointId{4, 2};
  for (const Command& command : std::vector<Command>{
           full, bare, DestroyJointCommand{JointId{4, 2}}, ImpulseCommand{body, {1, 2, 3}, std::nullopt},
           ImpulseCommand{body, {1, 2, 3}, Vec3<float>{4, 5, 6}}, ForceCommand{body, {1, 2, 3}, {4, 5, 6}, 7},
           spawn, DespawnCommand{body}, GrabCommand{body, {1, 2, 3}, Position::from_raw(4, 5, 6), 7},
           MoveGrabCommand{Position::from_raw(1, 2, 3)}, ReleaseCommand{},
           TeleportCommand{body, Position::from_raw(1, 2, 3), {0, 1, 0, 0}, {4, 5, 6}, {7, 8, 9}},
           MoveCommand{body, {1, 2, 3}, 0.5f, true, false}, CutCommand{RopeId{3, 2}, 5},
           CustomCommand{{std::byte{5}}}}) {
    std::optional<protocol::Command> const wire = to_protocol(command);
    ASSERT_TRUE(wire) << name_of(command);
    EXPECT_EQ(to_command(*wire), command) << name_of(command);
  }
  EXPECT_FALSE(to_protocol(JoinCommand{}));
  EXPECT_FALSE(to_protocol(LeaveCommand{}));
}

TEST(Replication, InputKeepsTickAndSequence) {
  Input const input = to_input(protocol::Input{12, 34, protocol::ReleaseCommand{}}, 5);
  EXPECT_EQ(input, (Input{12, 5, 34, ReleaseCommand{}}));
}

TEST(Replication, BodyStatesAreTheWorldInIdOrder) {
  Simulation simulation = make_simulation(stack_scene(2));
  for (int i = 0; i < 5; ++i) (void)simulation.step({});
  std::vector<protocol::BodyState> states;
  list_body_states(simulation.world(), states);
  ASSERT_EQ(states.size(), 3u);
  for (std::size_t i = 0; i < states.size(); ++i) {
    BodyView const view = simulation.world().view(scene_body(static_cast<std::uint32_t>(i)));
    EXPECT_EQ(states[i].id, view.id.to_u64());
    EXPECT_EQ(states[i].position.y, view.position.y_raw);
    EXPECT_EQ(static_cast<double>(states[i].linear_velocity.y),
              view.linear_velocity_m_s.y);  // float mode: exact
    EXPECT_EQ(static_cast<double>(states[i].rotation.w), view.rotation.w);
    EXPECT_EQ(states[i].flags, i == 0 ? protocol::kBodyStatic : 0u);  // the ground, then two boxes
  }
}

TEST(Replication, BodyInfoShowsShapesAndOwner) {
  Simulation simulation = make_simulation(stack_scene(1));
  InputMaker maker;
  join_players(simulation, maker, 1);
  SpawnCommand spawn;
  spawn.kind = ShapeKind::kCapsule;
  spawn.dimensions_m = {0.25f, 0.75f, 0};
  spawn.user_kind = 9;
  Input const input = maker.make(1, 1, spawn);
  BodyId const body = simulation.step(std::span(&input, 1)).spawned.at(0);
  protocol::BodyInfo const info = body_info(simulation, body);
  EXPECT_EQ(info.user_kind, 9u);
  EXPECT_EQ(info.player, 1u);
  ASSERT_EQ(info.shapes.size(), 1u);
  EXPECT_EQ(info.shapes[0].kind, protocol::ShapeKind::kCapsule);
  EXPECT_EQ(info.shapes[0].dimensions, (protocol::Vec3f{0.25f, 0.75f, 0}));
  protocol::BodyInfo const ground = body_info(simulation, scene_body(0));
  EXPECT_EQ(ground.shapes.at(0).kind, protocol::ShapeKind::kHalfSpace);
  EXPECT_EQ(ground.shapes.at(0).dimensions, (protocol::Vec3f{0, 1, 0}));
}

TEST(Replication, EveryRefusalHasAStatusThatIsNotApplied) {
  EXPECT_EQ(command_status_of(Refusal::kNone), protocol::CommandStatus::kApplied);
  for (std::size_t i = 1; i < kRefusals; ++i)
    EXPECT_NE(command_status_of(static_cast<Refusal>(i)), protocol::CommandStatus::kApplied) << i;
}

TEST(Replication, EveryRefusalKeepsItsReasonOnTheWayToTheClient) {
  std::set<std::string_view> lines;
  for (std::size_t i = 0; i < kRefusals; ++i) {
    auto const refusal = static_cast<Refusal>(i);
    protocol::CommandOutcome const outcome = to_outcome({3, 9, refusal, {}}, 17);
    EXPECT_EQ(outcome.sequence, 9u);
    EXPECT_EQ(outcome.tick, 17u);
    EXPECT_EQ(outcome.status, command_status_of(refusal));
    EXPECT_EQ(static_cast<std::size_t>(outcome.refusal), i);
    EXPECT_NE(protocol::name_of(outcome.refusal), "unknown") << i;
    EXPECT_NE(message(refusal), "unknown reason") << i;
    lines.insert(message(refusal));
  }
  EXPECT_EQ(lines.size(), kRefusals) << "two reasons have one text";
}

// The two enums are written down apart, in sim and in protocol.
TEST(Replication, RefusalsHaveTheNamesOfTheWireInTheSameOrder) {
  std::ifstream file(std::string(TAKT_SOURCE_DIR) + "/include/takt/sim/error.h");
  std::string const text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::string const list = text.substr(text.find("enum class Refusal"));
  std::regex const entry("  k([A-Za-z]+) = ([0-9]+),");
  std::size_t count = 0;
  for (std::sregex_iterator at(list.begin(), list.end(), entry), end; at != end; ++at, ++count) {
    std::string snake;
    for (char const c : (*at)[1].str()) {
      if (c >= 'A' && c <= 'Z' && !snake.empty()) snake += '_';
      snake += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    }
    auto const value = static_cast<protocol::CommandRefusal>(std::stoi((*at)[2].str()));
    EXPECT_EQ(protocol::name_of(value), snake);
  }
  EXPECT_EQ(count, kRefusals);
}

TEST(Replication, RefusalsHaveTheStatusesThatTheProtocolPageLists) {
  std::ifstream file(std::string(TAKT_SOURCE_DIR) + "/docs/PROTOCOL.md");
  std::string line;
  while (std::getline(file, line) && line != "### Refusals") {
  }
  std::regex const row("\\| ([a-z_]+) \\| ([0-9]+) \\| ([a-z_-]+) \\| .+ \\|");
  std::size_t count = 0;
  while (std::getline(file, line) && !line.starts_with("**")) {
    std::smatch cells;
    if (!std::regex_match(line, cells, row)) continue;
    auto const refusal = static_cast<Refusal>(std::stoi(cells[2].str()));
    EXPECT_EQ(protocol::name_of(static_cast<protocol::CommandRefusal>(refusal)), cells[1].str());
    if (refusal == Refusal::kNone) {
      EXPECT_EQ(cells[3].str(), "-");
    } else {
      EXPECT_EQ(protocol::name_of(command_status_of(refusal)), cells[3].str()) << cells[1].str();
    }
    ++count;
  }
  EXPECT_EQ(count, kRefusals);
}

TEST(Replication, AGamesWordsReachTheClientAsTheyMayBePrinted) {
  auto const text_of = [](std::string text) {
    return to_outcome({1, 2, Refusal::kGameRefused, std::move(text)}, 3).text;
  };
  EXPECT_EQ(text_of("nicht jetzt, J\xc3\xbcrgen"), "nicht jetzt, J\xc3\xbcrgen");
  EXPECT_EQ(text_of("a\x07 b\xff"), "a b");
  EXPECT_EQ(text_of(""), "");
}

TEST(Replication, CylindersConesAndHullsAreToldByTheirSizes) {
  Scene const scene = parse_scene(R"({"bodies": [{"shapes": [
    {"cylinder": {"radius": 0.25, "height": 3}, "position": [1, 0, 0]},
    {"cone": {"radius": 0.5, "height": 1}},
    {"hull": {"points": [[2, 0, 0], [4, 0, 0], [2, 1, 0], [2, 0, 3]], "rounding": 0.5}}]}]})");
  Simulation const simulation = make_simulation(scene);
  std::vector<BodyId> bodies;
  simulation.world().list_bodies(bodies);
  protocol::BodyInfo const info = body_info(simulation, bodies.at(0));
  ASSERT_EQ(info.shapes.size(), 3u);
  EXPECT_EQ(info.shapes[0].kind, protocol::ShapeKind::kCylinder);
  EXPECT_EQ(info.shapes[0].dimensions, (protocol::Vec3f{0.25f, 1.5f, 0}));
  EXPECT_EQ(info.shapes[1].kind, protocol::ShapeKind::kCone);
  EXPECT_EQ(info.shapes[1].dimensions, (protocol::Vec3f{0.5f, 0.5f, 0}));
  EXPECT_EQ(info.shapes[2].kind, protocol::ShapeKind::kHull);
  EXPECT_EQ(info.shapes[2].local_position, (protocol::Vec3f{3, 0.5f, 1.5f})) << "the middle of its box";
  EXPECT_EQ(info.shapes[2].dimensions, (protocol::Vec3f{1.5f, 1, 2})) << "half of the box, rounding and all";
  EXPECT_EQ(info.shapes[2].rounding, 0.5f);
  EXPECT_NE(info.shapes[2].geometry, 0u);
  EXPECT_EQ(info.shapes[0].geometry, 0u);
}

TEST(Replication, GeometryIsTheWorldsAboutTheMiddleOfItsBox) {
  Scene const scene = parse_scene(R"({"bodies": [
    {"shapes": [{"hull": {"points": [[2, 0, 0], [4, 0, 0], [2, 1, 0], [2, 0, 3], [2.25, 0.1, 0.1]]}}]},
    {"type": "static", "shapes": [{"mesh": {"vertices": [[0, 0, 0], [0, 0, 4], [8, 2, 0], [9, 9, 9]], "triangles": [[0, 1, 2]]}, "position": [0, 1, 0]}]},
    {"type": "static", "shapes": [{"height_field": {"rows": 3, "columns": 2, "spacing_x": 3, "spacing_z": 5, "heights": [0, 0, 4, 1, 2, 0], "holes": [0, 1]}}]}]})");
  for (NumbersMode const numbers : {NumbersMode::kFloat, NumbersMode::kFixed}) {
    Simulation const simulation = make_simulation(scene, numbers);
    AnyWorld const& world = simulation.world();
    std::vector<protocol::Geometry> made;
    std::vector<protocol::ShapeInfo> told;
    for (std::uint32_t i = 0; i < 3; ++i) {
      ShapeId const id = world.shapes(scene_body(i)).at(0);
      ShapeDef const shape = world.shape(id);
      made.push_back(wire_geometry(world, id, shape));
      told.push_back(body_info(simulation, scene_body(i)).shapes.at(0));
      EXPECT_EQ(told.back().geometry, world.geometry_digest(id));
      EXPECT_EQ(wire_geometry_bytes(world, id, shape), protocol::encode(made.back()).size());
      auto const decoded = protocol::decode_geometry(made.back().kind, protocol::encode(made.back()));
      ASSERT_TRUE(decoded.ok());
      EXPECT_EQ(*decoded, made.back());
    }
    // The hull's corners in the engine's order, its point inside gone; every face counter-clockwise seen from
    // outside.
    EXPECT_EQ(made[0].vertices,
              (std::vector<protocol::Vec3f>{
                  {-1, -0.5f, -1.5f}, {-1, -0.5f, 1.5f}, {-1, 0.5f, -1.5f}, {1, -0.5f, -1.5f}}));
    EXPECT_EQ(made[0].face_sizes, (std::vector<std::uint8_t>{3, 3, 3, 3}));
    protocol::Vec3f const inside{-0.5f, -0.25f, -0.75f};
    for (std::size_t face = 0; face < 4; ++face) {
      auto const corner = [&](std::size_t i) {
        protocol::Vec3f const& v = made[0].vertices.at(made[0].indices.at(3 * face + i));
        return Vec3<float>{v.x - inside.x, v.y - inside.y, v.z - inside.z};
      };
      EXPECT_GT(dot(cross(corner(1) - corner(0), corner(2) - corner(0)), corner(0)), 0.0f) << face;
    }
    // The mesh without the vertex that no triangle names; about (4, 1, 2), which stands 1 m above the body's
    // origin.
    EXPECT_EQ(told[1].kind, protocol::ShapeKind::kMesh);
    EXPECT_EQ(told[1].dimensions, (protocol::Vec3f{4, 1, 2}));
    EXPECT_EQ(told[1].local_position, (protocol::Vec3f{4, 2, 2}));
    EXPECT_EQ(made[1].vertices, (std::vector<protocol::Vec3f>{{-4, -1, -2}, {-4, -1, 2}, {4, 1, -2}}));
    EXPECT_EQ(made[1].indices, (std::vector<std::uint32_t>{0, 1, 2}));
    EXPECT_EQ(told[2].kind, protocol::ShapeKind::kHeightField);
    EXPECT_EQ(told[2].local_position, (protocol::Vec3f{1.5f, 2, 5}));
    EXPECT_EQ(made[2].heights, (std::vector<float>{-2, -2, 2, -1, 0, -2}));
    EXPECT_EQ(made[2].holes, (std::vector<std::uint8_t>{0, 1}));
    EXPECT_EQ(made[2].spacing_x, 3.0f);
    EXPECT_EQ(made[2].spacing_z, 5.0f);
  }
}

}  // namespace
}  // namespace takt::sim
