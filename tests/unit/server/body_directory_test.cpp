// BodyDirectory: a join costs no description of a body, whatever comes, goes and changes meanwhile. It cost
// one of each body, and so many joins beside a spawn now and then stopped the ticks.
#include "server/body_directory.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "server/room.h"
#include "tests/unit/sim/small_scene.h"

namespace takt::server {
namespace {

std::string scene_of_boxes(bool despawns) {
  return std::string(R"({ "players": { "despawn_on_leave": )") + (despawns ? "true" : "false") +
         R"(, "max_overlaps": 100 }, "bodies": [{ "type": "static", "position": [0, -1, 0], "shapes": [{ "half_space": {} }] }],
  "generators": [{ "grid": { "count": [10, 10, 10], "origin": [0, 1, 0], "spacing": [2, 2, 2], "shapes": [{ "box": { "size": [1, 1, 1] } }] } }] })";
}

Room room_of(bool despawns, std::unique_ptr<sim::Game> game = nullptr) {
  auto scene = sim::load_scene(scene_of_boxes(despawns), "test");
  EXPECT_TRUE(scene.ok());
  return *Room::create(*scene, {}, std::move(game));
}

std::shared_ptr<const BodyList> join(Room& room, protocol::PlayerId player) {
  protocol::PlayerJoined event;
  event.player = player;
  room.handle_event(event);
  RoomUpdate const update = room.step();
  EXPECT_EQ(update.welcomes.size(), 1u);
  return update.welcomes.empty() ? std::make_shared<const BodyList>() : update.welcomes[0].bodies;
}

void spawn(Room& room, protocol::PlayerId player, std::uint32_t sequence) {
  protocol::SpawnCommand ball;
  ball.shape.dimensions = {0.25f, 0, 0};
  ball.position = {std::int64_t{sequence + 100} << 32, std::int64_t{50} << 32, 0};
  room.handle_event(protocol::InputsArrived{player, {{room.simulation().tick(), sequence, ball}}});
}

TEST(JoinsAreExpensive, AJoinBesideSpawnsDescribesNoBodyAnew) {
  Room room = room_of(true);
  std::shared_ptr<const BodyList> const first = join(room, 1);
  ASSERT_EQ(first->size(), 1001u);
  for (std::uint32_t i = 1; i <= 20; ++i) {
    spawn(room, 1, i);
    std::shared_ptr<const BodyList> const later = join(room, 1 + i);
    ASSERT_EQ(later->size(), 1001u + i);
    for (std::size_t k = 0; k < first->size(); ++k) ASSERT_EQ((*later)[k], (*first)[k]) << "one description";
    EXPECT_EQ(later->back()->player, 1u);
  }
}

TEST(BodyDirectory, HasEachBodyAsTheWorldHasIt) {
  for (bool const despawns : {true, false}) {
    Room room = room_of(despawns);
    (void)join(room, 1);
    (void)join(room, 2);
    for (std::uint32_t i = 1; i <= 3; ++i) {
      spawn(room, 1, i);
      spawn(room, 2, i);
    }
    (void)room.step();
    room.handle_event(protocol::PlayerLeft{1, protocol::DisconnectReason::kClientLeft, {}});
    std::shared_ptr<const BodyList> const bodies = join(room, 3);
    GeometryRegistry geometries;
    std::vector<BodyId> ids;
    room.simulation().world().list_bodies(ids);
    ASSERT_EQ(bodies->size(), ids.size());
    EXPECT_EQ(ids.size(), despawns ? 1004u : 1007u);
    for (std::size_t i = 0; i < ids.size(); ++i)
      EXPECT_EQ(*(*bodies)[i], geometries.describe(room.simulation(), ids[i])) << i;
  }
}

/// Changes the last body of the world in each tick.
class Painter final : public sim::Game {
 public:
  [[nodiscard]] std::string_view name() const override { return "painter/1"; }
  void after_tick(sim::WorldAccess& world, const StepEvents&) override {
    world.set_user_tag(sim::scene_body(1000), ++colour_);
  }
  void visit_state(sim::StateVisitor& state) override { state.field("colour", colour_); }

 private:
  std::uint64_t colour_ = 0;
};

TEST(BodyDirectory, AChangeByAGameReachesNewcomersWithinOneRound) {
  Room room = room_of(true, std::make_unique<Painter>());
  constexpr std::uint64_t kTicks = 1001 / BodyDirectory::kBodiesPerRefresh + 1;
  std::uint64_t greatest = 0;
  for (protocol::PlayerId player = 1; player <= 40; ++player) {
    std::uint64_t const colour = join(room, player)->back()->user_kind;
    EXPECT_LE(colour, room.simulation().tick());
    if (room.simulation().tick() > kTicks) {
      EXPECT_GE(colour + kTicks, room.simulation().tick());
    }
    greatest = std::max(greatest, colour);
  }
  EXPECT_GT(greatest, 0u);
}

/// A Painter of the last body, after a peak: the other thousand are gone.
class LonelyPainter final : public sim::Game {
 public:
  [[nodiscard]] std::string_view name() const override { return "lonely_painter/1"; }
  void after_tick(sim::WorldAccess& world, const StepEvents&) override {
    for (std::uint32_t i = 0; i < 1000 && colour_ == 0; ++i) world.destroy_body(sim::scene_body(i));
    world.set_user_tag(sim::scene_body(1000), ++colour_);
  }
  void visit_state(sim::StateVisitor& state) override { state.field("colour", colour_); }

 private:
  std::uint64_t colour_ = 0;
};

// A round counted the places of bodies that are gone.
TEST(BodyDirectory, ARoundHasTheLivingBodiesAlone) {
  Room room = room_of(true, std::make_unique<LonelyPainter>());
  (void)join(room, 1);
  for (protocol::PlayerId player = 2; player <= 20; ++player) {
    auto const bodies = join(room, player);
    ASSERT_EQ(bodies->size(), 1u);
    EXPECT_EQ(bodies->back()->user_kind, room.simulation().tick());
  }
}

constexpr std::string_view kHulls = R"({ "generators": [{ "grid": { "count": [5, 5, 5], "origin": [0, 1, 0],
  "spacing": [3, 3, 3], "shapes": [{ "hull": { "points": [[0,0,0],[1,0,0],[0,1,0],[0,0,1]] } }] } }] })";

sim::Simulation simulation_of(std::string_view json) {
  auto scene = sim::load_scene(json, "test");
  EXPECT_TRUE(scene.ok());
  return *sim::Simulation::create(*scene, NumbersMode::kFloat);
}

// 64 bodies were described in each tick, and each vertex of a mesh was read for that.
TEST(BodyDirectory, ARefreshWithoutAChangeDescribesNoBody) {
  sim::Simulation const simulation = simulation_of(kHulls);
  GeometryRegistry geometries;
  BodyDirectory directory;
  auto const bodies = directory.list(simulation, geometries);
  ASSERT_EQ(bodies->size(), 125u);
  for (int i = 0; i < 10; ++i) directory.refresh(simulation);
  EXPECT_EQ(directory.list(simulation, geometries), bodies) << "a new description makes a new list";
}

// Each load of a scene and each seek described all bodies, also if nobody was there.
TEST(BodyDirectory, AWorldIsDescribedForItsFirstNewcomer) {
  sim::Simulation const simulation = simulation_of(kHulls);
  GeometryRegistry geometries;
  BodyDirectory directory;
  directory.fill(simulation, geometries);
  EXPECT_EQ(geometries.list().size(), 1u);
  geometries.clear();
  directory.enter();
  EXPECT_TRUE(geometries.list().empty());
  // Changes before the first list leave the rest of the world in it.
  directory.note_removed(sim::scene_body(3));
  directory.note_added(geometries.describe(simulation, sim::scene_body(5)));
  directory.refresh(simulation);
  EXPECT_EQ(directory.list(simulation, geometries)->size(), 125u);
}

}  // namespace
}  // namespace takt::server
