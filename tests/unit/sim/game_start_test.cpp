// Game::on_start: names of the scene, bodies made before tick 0, and the refusal of a scene.
// WorldAccess::body_of.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/sim/small_scene.h"

namespace takt::sim {
namespace {

constexpr std::string_view kField = R"({
  "bodies": [
    {"name": "ground", "type": "static", "shapes": [{"half_space": {}}]},
    {"name": "post", "type": "static", "position": [0, 4, 0],
     "shapes": [{"box": {}}, {"name": "top", "sphere": {}}]},
    {"name": "post", "type": "static", "position": [9, 4, 0], "shapes": [{"name": "top", "box": {}}]},
    {"name": "net", "type": "static", "position": [5, 0.5, 0],
     "shapes": [{"box": {}}, {"name": "goal", "box": {}, "sensor": true, "position": [0, 0, 1]}]},
    {"name": "ball", "position": [0, 1, 5], "shapes": [{"sphere": {}}]}],
  "generators": [{"chain": {"name": "links", "count": 3, "start": [0, 20, 0], "end": [3, 20, 0]}}],
  "ropes": [{"name": "line", "start": [0, 9, 0], "end": [2, 9, 0], "nodes": 4}],
  "joints": [{"name": "hinge", "kind": "point", "a": "ground", "b": "ball", "anchor": [0, 1, 5]}]
})";

/// Stores the results of on_start, and the number of its calls.
class NamedGame final : public Game {
 public:
  [[nodiscard]] std::string_view name() const override { return "named/1"; }
  bool on_start(WorldAccess& world, const SceneNames& names) override {
    ++starts;
    EXPECT_EQ(world.tick(), 0u);
    if (wants_puck && !names.body("puck")) return world.refuse("no puck");
    ground = names.body("ground");
    ball = names.body("ball");
    goal = names.shape("goal");
    hinge = names.joint("hinge");
    line = names.rope("line");
    posts = names.bodies("post");
    tops = names.shapes("top");
    link = names.body("links 1");
    EXPECT_TRUE(names.body("post").is_null()) << "two have the name";
    EXPECT_TRUE(names.shape("top").is_null());
    EXPECT_TRUE(names.body("goal").is_null()) << "a shape's";
    EXPECT_TRUE(names.body("").is_null());
    EXPECT_TRUE(names.shape("").is_null());
    EXPECT_TRUE(names.joint("nothing").is_null());
    EXPECT_TRUE(names.ropes("nothing").empty());
    EXPECT_EQ(names.joints("hinge").size(), 1u);
    EXPECT_EQ(world.send(1, "too early").error(), SimError::kUnknownPlayer);
    EXPECT_TRUE(world.send_to_all("nobody hears it").ok());
    made = *world.create_body(BodyDef::make(BodyType::kDynamic, Position::from_metres(40, 1, 0)),
                              ShapeDef::sphere(0.5));
    return true;
  }
  void visit_state(StateVisitor& state) override { state.field("made", made); }

  bool wants_puck = false;
  int starts = 0;
  BodyId ground, ball, link, made;
  ShapeId goal;
  JointId hinge;
  RopeId line;
  std::vector<BodyId> posts;
  std::vector<ShapeId> tops;
};

const NamedGame& found(const Simulation& simulation) {
  return dynamic_cast<const NamedGame&>(*simulation.game());
}

TEST(GameStart, FindsBodiesShapesJointsAndRopesByTheirNames) {
  Simulation const simulation =
      make_simulation(parse_scene(kField), NumbersMode::kFloat, std::make_unique<NamedGame>());
  NamedGame const& game = found(simulation);
  AnyWorld const& world = simulation.world();
  EXPECT_EQ(game.starts, 1);
  EXPECT_EQ(game.ground, scene_body(0));
  EXPECT_EQ(game.ball, scene_body(4));
  EXPECT_EQ(game.posts, (std::vector<BodyId>{scene_body(1), scene_body(2)}));
  EXPECT_EQ(game.goal, world.shapes(scene_body(3)).at(1));
  EXPECT_EQ(world.body_of(game.goal), scene_body(3));
  EXPECT_EQ(game.tops,
            (std::vector<ShapeId>{world.shapes(scene_body(1)).at(1), world.shapes(scene_body(2)).at(0)}));
  EXPECT_EQ(game.link, scene_body(6)) << "of a generator";
  ASSERT_TRUE(world.contains(game.hinge));
  EXPECT_EQ(world.joint_def(game.hinge).body_b, game.ball);
  EXPECT_TRUE(world.contains(game.line));
}

TEST(GameStart, IsPartOfTickZeroAndNotCalledAgainAfterARestore) {
  Simulation first = make_simulation(parse_scene(kField), NumbersMode::kFixed, std::make_unique<NamedGame>());
  EXPECT_TRUE(first.world().contains(found(first).made));
  EXPECT_EQ(first.owner(found(first).made), kServerPlayer);
  Result<Simulation, SimError> second = Simulation::restore(first.save(), std::make_unique<NamedGame>());
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(found(*second).starts, 0);
  EXPECT_EQ(found(*second).made, found(first).made);
  for (int tick = 0; tick < 20; ++tick) {
    TickResult const result = first.step({});
    EXPECT_TRUE(result.spawned.empty());
    ASSERT_EQ(result.hash, second->step({}).hash);
  }
}

TEST(GameStart, RefusesASceneWithTheGamesWords) {
  auto game = std::make_unique<NamedGame>();
  game->wants_puck = true;
  std::string why = "before";
  auto const refused = Simulation::create(parse_scene(kField), NumbersMode::kFloat, std::move(game), &why);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error(), SimError::kSceneRefusedByGame);
  EXPECT_EQ(why, "no puck");
}

TEST(GameStart, NamesOfShapesChangeNoHashAndAreCheckedForLength) {
  std::string json(kField);
  std::uint64_t const named = scene_hash(parse_scene(json));
  for (std::size_t at; (at = json.find("\"name\": \"top\", ")) != std::string::npos;) json.erase(at, 15);
  EXPECT_EQ(scene_hash(parse_scene(json)), named);
  auto const long_name = load_scene(R"({"bodies": [{"type": "static",
    "shapes": [{"box": {}},
               {"sphere": {}, "name": ")" +
                                        std::string(257, 'x') + "\"}]}]}",
                                    "long.json");
  ASSERT_FALSE(long_name.ok());
  EXPECT_EQ(long_name.error().line, 3u);
  EXPECT_NE(message(long_name.error()).find("bodies[0].shapes[1].name"), std::string::npos)
      << message(long_name.error());
}

TEST(GameStart, ABodyThatWasDestroyedHasNoShapesAnyMore) {
  auto world = std::move(AnyWorld::create({}, NumbersMode::kFixed)).value();
  BodyDef const def = BodyDef::make(BodyType::kDynamic, {});
  BodyId const first = world.create_body(def, ShapeDef::sphere(0.5)).value();
  ShapeId const shape = world.shapes(first).front();
  EXPECT_EQ(world.body_of(shape), first);
  ASSERT_TRUE(world.destroy_body(first).ok());
  EXPECT_TRUE(world.body_of(shape).is_null());
  BodyId const second = world.create_body(def, ShapeDef::sphere(0.5)).value();  // takes both slots
  EXPECT_TRUE(world.body_of(shape).is_null());
  EXPECT_EQ(world.body_of(world.shapes(second).front()), second);
  EXPECT_TRUE(world.body_of(ShapeId{}).is_null());
  EXPECT_TRUE(world.body_of(ShapeId{999, 1}).is_null());
}

}  // namespace
}  // namespace takt::sim
