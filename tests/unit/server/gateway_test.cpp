// The gateway between a room's updates and a client's endpoint, over a perfect wire.
#include "server/web/gateway.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "protocol/session/client_endpoint.h"
#include "tests/unit/protocol/session_tap.h"

namespace takt::server {
namespace {

class GatewayTest : public testing::Test {
 protected:
  explicit GatewayTest(const protocol::ServerOptions& options = {},
                       const protocol::ClientOptions& client_options = {})
      : endpoint(options, {1, 2}, protocol::test::test_seeds()),
        gateway(endpoint),
        client(protocol::test::seeded(client_options)) {
    gateway.begin(room_of(1));
    client.connect(now_us);
    for (int i = 0; i < 8; ++i) exchange();
  }
  static RoomChange room_of(std::uint32_t epoch) {
    RoomChange room;
    room.playing = {epoch, 0x77, 60, 4, 60};
    room.state.epoch = epoch;
    return room;
  }
  static RoomUpdate update_of(std::uint64_t tick) {
    RoomUpdate update;
    update.epoch = 1;
    update.tick = tick;
    return update;
  }
  /// An update that welcomes the only player with one body.
  static RoomUpdate welcome_of(std::uint64_t tick) {
    RoomUpdate update = update_of(tick);
    protocol::BodyInfo body;
    body.id = std::uint64_t{1} << 32;
    update.welcomes.push_back(
        {1, std::make_shared<const BodyList>(1, std::make_shared<const protocol::BodyInfo>(body))});
    return update;
  }
  void exchange() {
    now_us += 1000;
    std::vector<std::byte> out;
    while (client.poll_datagram(now_us, out)) endpoint.handle_datagram(now_us, kHome, out);
    protocol::ServerEvent event;
    while (gateway.poll_event(event)) {
    }
    protocol::OutgoingDatagram from_server;
    while (endpoint.poll_datagram(now_us, from_server)) client.handle_datagram(now_us, from_server.bytes);
    protocol::ClientEvent client_event;
    while (client.poll_event(client_event)) {
      if (auto const* added = std::get_if<protocol::BodiesAdded>(&client_event))
        bodies_added += added->bodies.size();
      if (auto const* said = std::get_if<protocol::GameEvent>(&client_event)) {
        messages.push_back(*said);
        bodies_at_message = bodies_added;
      }
      if (auto const* image = std::get_if<protocol::JoinImageArrived>(&client_event))
        images.push_back(image->tick);
    }
  }
  void handle(const RoomUpdate& update) {
    gateway.handle_update(now_us, update);
    for (int i = 0; i < 6; ++i) exchange();
  }

  protocol::Address const kHome = protocol::Address::from_ipv4(192, 0, 2, 1, 4000);
  std::uint64_t now_us = 1'000'000;
  protocol::ServerEndpoint endpoint;
  Gateway gateway;
  protocol::ClientEndpoint client;
  std::size_t bodies_added = 0;
  std::vector<protocol::GameEvent> messages;
  std::size_t bodies_at_message = 0;
  std::vector<std::uint64_t> images;  ///< ticks
};

// A join reaches the room after a load, and the player enters the new epoch before the update arrives. The
// room then welcomes it for the join and for EpochEntered.
TEST_F(GatewayTest, AWelcomeIsSentOnceAnEpoch) {
  ASSERT_TRUE(endpoint.has_entered(1));
  handle(welcome_of(1));
  EXPECT_EQ(bodies_added, 1u);
  handle(welcome_of(2));
  EXPECT_EQ(bodies_added, 1u) << "the player knows this body";
}

TEST_F(GatewayTest, MessagesOfTheGameReachTheirPlayerAfterTheBodiesOfTheTick) {
  auto const message = [](std::uint64_t tick, protocol::PlayerId player, int byte) {
    return sim::GameMessage{tick, player, {static_cast<std::byte>(byte)}};
  };
  RoomUpdate early = update_of(1);
  early.messages = {message(1, 1, 1), message(1, sim::kServerPlayer, 2)};
  handle(early);
  EXPECT_TRUE(messages.empty()) << "the player is not in the world yet";

  RoomUpdate welcome = welcome_of(2);
  welcome.messages = {message(2, 1, 3), message(2, 2, 4), message(2, sim::kServerPlayer, 5)};
  handle(welcome);
  ASSERT_EQ(messages.size(), 2u) << "the one to player 2 is not for this one";
  EXPECT_EQ(messages[0].tick, 2u);
  EXPECT_EQ(messages[0].bytes, (std::vector<std::byte>{std::byte{3}}));
  EXPECT_EQ(messages[1].bytes, (std::vector<std::byte>{std::byte{5}}));
  EXPECT_EQ(bodies_at_message, 1u);
  handle(update_of(3));
  EXPECT_EQ(messages.size(), 2u) << "each once";
}

TEST_F(GatewayTest, AnotherEpochIsAnotherWelcome) {
  handle(welcome_of(1));
  RoomUpdate change = update_of(0);
  change.epoch = 2;
  change.change = room_of(2);
  handle(change);
  ASSERT_TRUE(endpoint.has_entered(1));
  RoomUpdate welcome = welcome_of(1);
  welcome.epoch = 2;
  handle(welcome);
  EXPECT_EQ(bodies_added, 2u);
}

class GatewayOfModes : public GatewayTest {
 protected:
  GatewayOfModes() : GatewayTest(offering_all(), predicted()) {}
  static protocol::ServerOptions offering_all() {
    protocol::ServerOptions options;
    options.modes = protocol::OfferedModes::all();
    return options;
  }
  static protocol::ClientOptions predicted() {
    protocol::ClientOptions options;
    options.mode = protocol::ReplicationMode::kPredicted;
    options.may_switch_mode = true;
    return options;
  }
  static RoomUpdate image_of(std::uint64_t tick, std::uint32_t mode_epoch) {
    RoomUpdate update = update_of(tick);
    update.images =
        JoinImages{tick, std::make_shared<const std::vector<std::byte>>(100), {ImageReceiver{1, mode_epoch}}};
    return update;
  }
};

// The image of a predicted session has none of the bodies that came after its tick, and no confirmed ticks
// follow from it.
TEST_F(GatewayOfModes, AnImageForTheModeBeforeReachesNobody) {
  endpoint.switch_mode(now_us, 1, protocol::ReplicationMode::kRollback, {});
  handle(image_of(5, 0));
  EXPECT_TRUE(images.empty());
  handle(image_of(9, 1));
  EXPECT_EQ(images, (std::vector<std::uint64_t>{9}));
}

TEST_F(GatewayOfModes, AWelcomeForTheModeBeforeReachesNobody) {
  endpoint.switch_mode(now_us, 1, protocol::ReplicationMode::kSnapshot, {});
  exchange();
  handle(welcome_of(3));
  EXPECT_EQ(bodies_added, 0u);
  RoomUpdate welcome = welcome_of(4);
  welcome.welcomes[0].mode_epoch = 1;
  handle(welcome);
  EXPECT_EQ(bodies_added, 1u);
}

// The gateway has yet to see that the mode has changed: a geometry that it sent now would come again with the
// welcome, which no client accepts.
TEST_F(GatewayOfModes, BodiesWaitForTheWelcomeOfTheNewMode) {
  handle(welcome_of(1));
  ASSERT_EQ(bodies_added, 1u);
  endpoint.switch_mode(now_us, 1, protocol::ReplicationMode::kSnapshot, {});
  protocol::BodyInfo body;
  body.id = (std::uint64_t{1} << 32) | 1;
  RoomUpdate added = update_of(2);
  added.added.push_back(body);
  gateway.handle_update(now_us, added);
  for (int i = 0; i < 6; ++i) exchange();
  EXPECT_EQ(bodies_added, 1u);
  EXPECT_EQ(client.state(), protocol::ClientState::kConnected);
}

}  // namespace
}  // namespace takt::server
