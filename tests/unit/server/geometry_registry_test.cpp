// The geometry of a room: each once a player and epoch, before the bodies that name it; what is over a limit
// is left out for everybody.
#include "server/geometry_registry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include <memory>
#include <sstream>

#include "protocol/session/client_endpoint.h"
#include "protocol/wire/limits.h"
#include "server/room.h"
#include "server/web/gateway.h"
#include "tests/unit/protocol/session_tap.h"
#include "tests/unit/sim/small_scene.h"

namespace takt::server {
namespace {

constexpr std::string_view kStones = R"({
  "bodies": [
    { "shapes": [{ "hull": { "points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]] } }] },
    { "type": "static", "shapes": [{ "half_space": {} }] },
    { "position": [3, 0, 0], "shapes": [{ "hull": { "points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "rounding": 0.1 } }] },
    { "position": [6, 2, 0], "shapes": [{ "sphere": {} }, { "hull": { "points": [[0, 0, 0], [2, 0, 0], [0, 1, 0], [0, 0, 1]] } }] },
  ],
})";

sim::Scene scene_of(std::string_view text) {
  auto loaded = sim::load_scene(text, "test");
  EXPECT_TRUE(loaded.ok()) << message(loaded.error());
  return *std::move(loaded);
}

// A height field of that many samples a side, flat but for one corner, `lift` m high.
std::string field(int side, int lift) {
  std::ostringstream out;
  out << R"({"type": "static", "shapes": [{"height_field": {"rows": )" << side << R"(, "columns": )" << side
      << R"(, "heights": [)" << lift;
  for (int i = 1; i < side * side; ++i) out << ",0";
  out << "]}}]}";
  return out.str();
}

TEST(GeometryRegistry, DescribesEqualGeometryByOneDigestAndPutsPlainBodiesFirst) {
  sim::Simulation const simulation = *sim::Simulation::create(scene_of(kStones), NumbersMode::kFloat);
  GeometryRegistry registry;
  std::vector<protocol::BodyInfo> described;
  for (std::uint32_t i = 0; i < 4; ++i)
    described.push_back(registry.describe(simulation, sim::scene_body(i)));
  put_plain_first(described);
  auto const* const bodies = &described;
  EXPECT_FALSE(names_geometry((*bodies)[0]));
  EXPECT_EQ((*bodies)[0].shapes[0].kind, protocol::ShapeKind::kHalfSpace);
  std::uint64_t const digest = (*bodies)[1].shapes[0].geometry;
  EXPECT_NE(digest, 0u);
  EXPECT_EQ((*bodies)[2].shapes[0].geometry, digest) << "rounding is the shape's, not the geometry's";
  EXPECT_EQ((*bodies)[3].shapes[0].geometry, 0u);
  EXPECT_NE((*bodies)[3].shapes[1].geometry, digest);
  RoomUpdate update;
  update.added = {(*bodies)[3], (*bodies)[0]};
  name_geometries(registry, update);
  EXPECT_FALSE(names_geometry(update.added[0]));
  ASSERT_EQ(update.geometries.size(), 1u);
  EXPECT_EQ(update.geometries[0].digest, update.added[1].shapes[1].geometry);
  EXPECT_TRUE(protocol::decode_geometry(update.geometries[0].kind, *update.geometries[0].bytes).ok());
  RoomUpdate welcome;
  welcome.welcomes.push_back({1, nullptr});
  name_geometries(registry, welcome);
  EXPECT_EQ(welcome.geometries.size(), 2u) << "a newcomer may need each of them";
}

TEST(GeometryRegistry, LeavesOutWhatIsOverTheLimitsOfAnEpoch) {
  // Fields of 20 + 4 x 16 = 84 bytes, one of 20 + 4 x 64 = 276, and a mesh of 12 + 36 + 12 = 60.
  std::string const text =
      R"({"bodies": [)" + field(4, 1) + "," + field(8, 1) + "," + field(4, 2) + "," + field(4, 1) + "," +
      field(4, 3) +
      R"(,{"type": "static", "shapes": [{"mesh": {"vertices": [[0, 0, 0], [0, 0, 4], [8, 2, 0]], "triangles": [[0, 1, 2]]}}]}]})";
  sim::Simulation const simulation = *sim::Simulation::create(scene_of(text), NumbersMode::kFloat);
  auto const is_sent = [&](GeometryRegistry& registry) {
    std::vector<bool> sent;
    for (std::uint32_t i = 0; i < 6; ++i) {
      protocol::ShapeInfo const shape = registry.describe(simulation, sim::scene_body(i)).shapes[0];
      EXPECT_GT(shape.dimensions.x, 0.0f) << "its box is told in any case";
      sent.push_back(shape.geometry != 0);
      if (shape.geometry != 0) {
        EXPECT_EQ(registry.at(shape.geometry).bytes->size(), shape.kind == protocol::ShapeKind::kMesh ? 60u
                                                             : i == 1                                 ? 276u
                                                                                                      : 84u);
      }
    }
    return sent;
  };
  using Sent = std::vector<bool>;
  GeometryRegistry all;
  EXPECT_EQ(is_sent(all), Sent(6, true));
  GeometryRegistry small({276 - 1, 10'000, 100});
  EXPECT_EQ(is_sent(small), (Sent{true, false, true, true, true, true})) << "one that is too large";
  GeometryRegistry little({1000, 2 * 84 + 60, 100});
  EXPECT_EQ(is_sent(little), (Sent{true, false, true, true, false, true})) << "what still fits is sent";
  EXPECT_EQ(is_sent(little), (Sent{true, false, true, true, false, true})) << "the same every time";
  GeometryRegistry few({1000, 10'000, 2});
  EXPECT_EQ(is_sent(few), (Sent{true, true, false, true, false, false}));
  few.clear();
  EXPECT_NE(few.describe(simulation, sim::scene_body(5)).shapes[0].geometry, 0u)
      << "another epoch has its own";
}

/// A room, its gateway and players on a perfect wire.
class Wire : public testing::Test {
 protected:
  Wire()
      : room(*Room::create(scene_of(kStones), {})),
        server({}, {1, 2}, protocol::test::test_seeds()),
        gateway(server) {
    gateway.begin(room.now());
  }
  struct Player {
    protocol::ClientEndpoint client{protocol::test::seeded()};
    protocol::Address address;
    std::vector<std::uint64_t> geometries;
    std::vector<protocol::BodyInfo> bodies;
    bool named_before_known = false;
  };
  Player& add_player(std::uint16_t port) {
    Player& player = *players.emplace_back(std::make_unique<Player>());
    player.address = protocol::Address::from_ipv4(127, 0, 0, 1, port);
    player.client.connect(now_us);
    for (int i = 0; i < 40; ++i) turn();
    return player;
  }
  void turn() {
    now_us += 5000;
    for (auto& player : players) {
      std::vector<std::byte> out;
      while (player->client.poll_datagram(now_us, out)) server.handle_datagram(now_us, player->address, out);
    }
    protocol::ServerEvent event;
    while (gateway.poll_event(event)) room.handle_event(std::move(event));
    gateway.handle_update(now_us, room.step());
    protocol::OutgoingDatagram datagram;
    while (server.poll_datagram(now_us, datagram))
      for (auto& player : players)
        if (player->address == datagram.to) player->client.handle_datagram(now_us, datagram.bytes);
    for (auto& player : players) read(*player);
  }
  static void read(Player& player) {
    protocol::ClientEvent event;
    while (player.client.poll_event(event)) {
      if (auto const* geometry = std::get_if<protocol::GeometryArrived>(&event))
        player.geometries.push_back(geometry->digest);
      if (auto const* added = std::get_if<protocol::BodiesAdded>(&event)) {
        for (const protocol::BodyInfo& body : added->bodies) {
          player.bodies.push_back(body);
          for (const protocol::ShapeInfo& shape : body.shapes)
            if (shape.geometry != 0 &&
                std::ranges::find(player.geometries, shape.geometry) == player.geometries.end())
              player.named_before_known = true;
        }
      }
    }
  }
  std::uint64_t now_us = 1'000'000;
  Room room;
  protocol::ServerEndpoint server;
  Gateway gateway;
  std::vector<std::unique_ptr<Player>> players;
};

TEST_F(Wire, EveryPlayerIsSentEachGeometryOnceAndBeforeItsBodies) {
  for (std::uint16_t const port : std::array<std::uint16_t, 3>{4001, 4002, 4003}) {
    Player& player = add_player(port);
    EXPECT_EQ(player.bodies.size(), 4u);
    EXPECT_EQ(player.geometries.size(), 2u);
    EXPECT_FALSE(player.named_before_known);
  }
  EXPECT_EQ(players[0]->geometries.size(), 2u) << "a newcomer is nothing to those who are in";
}

}  // namespace
}  // namespace takt::server
