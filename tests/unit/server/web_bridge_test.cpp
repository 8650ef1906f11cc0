// Web sockets' bytes between two threads' halves, without threads: a client's endpoint at the web end, the
// server's at the other.
#include "server/web/web_bridge.h"

#include <gtest/gtest.h>

#include "protocol/link/frame.h"
#include "protocol/session/client_endpoint.h"
#include "tests/unit/protocol/session_tap.h"

namespace takt::server {
namespace {

class WebBridgeTest : public testing::Test {
 protected:
  WebBridgeTest() : endpoint({}, {1, 2}, protocol::test::test_seeds()), client(client_options()) {
    bridge.set_wake([this] { ++network_wakes; });
    pipe = std::make_shared<WebPipe>(protocol::Address::from_ipv4(127, 0, 0, 1, 5), true,
                                     [this] { ++web_wakes; });
  }
  static protocol::ClientOptions client_options() {
    protocol::ClientOptions options;
    options.transport = protocol::TransportKind::kWebSocket;
    return options;
  }
  void connect() {
    client.connect(now_us);
    bridge.touch(pipe);
    for (int i = 0; i < 5; ++i) exchange();
    ASSERT_EQ(client.state(), protocol::ClientState::kConnected);
  }
  // Acts as the web thread does for a socket that takes everything at once.
  void exchange() {
    now_us += 1000;
    std::vector<std::byte> bytes;
    if (client.poll_stream(now_us, 65536, bytes) > 0) {
      EXPECT_TRUE(pipe->give_inbound(bytes));
      bridge.touch(pipe);
    }
    bridge.turn(now_us, endpoint);
    bridge.flush(now_us, endpoint);
    if (pipe->take_outbound(bytes)) {
      client.handle_stream_bytes(now_us, bytes);
      pipe->finish_outbound();
      bridge.touch(pipe);
    }
  }
  // A world of bodies that all move, published: some 4 kB.
  void publish(std::uint64_t tick) {
    now_us += 1000;
    std::vector<protocol::BodyState> world;
    for (std::uint32_t i = 0; i < 200; ++i) {
      auto& body = world.emplace_back();
      body.id = (std::uint64_t{1} << 32) | i;
      body.position.x = static_cast<std::int64_t>(tick);
    }
    endpoint.handle_tick(now_us, tick);
    endpoint.publish_snapshot(now_us, tick, world);
    bridge.flush(now_us, endpoint);
  }
  std::uint64_t at_server(protocol::Counter counter) const { return endpoint.counters()[counter]; }

  std::uint64_t now_us = 1'000'000;
  WebBridge bridge;
  protocol::ServerEndpoint endpoint;
  protocol::ClientEndpoint client;
  std::shared_ptr<WebPipe> pipe;
  int network_wakes = 0;
  int web_wakes = 0;
};

TEST_F(WebBridgeTest, CarriesASessionOfTheThirdTransport) {
  connect();
  EXPECT_EQ(endpoint.player_counts(), (std::array<std::uint32_t, protocol::kTransportKinds>{0, 0, 1}));
  EXPECT_GT(network_wakes, 0);
  EXPECT_GT(web_wakes, 0);
  EXPECT_GT(at_server(protocol::Counter::kWebSocketBytesSent), 0u);
  pipe->close_from_web();
  bridge.touch(pipe);
  bridge.turn(now_us, endpoint);
  EXPECT_EQ(endpoint.player_count(), 0u);
}

TEST_F(WebBridgeTest, ASlowReaderCostsItsOwnSnapshotsAndNoMemory) {
  connect();
  std::vector<std::byte> chunk;
  std::size_t taken = 0;
  for (std::uint64_t tick = 1; tick <= 600; ++tick) publish(tick);
  // The socket took nothing: one chunk is under way, and what the endpoint holds is bounded.
  while (pipe->take_outbound(chunk)) taken += chunk.size();
  EXPECT_LE(taken, WebPipe::kOutboundChunk + protocol::kFrameBytesMax);
  EXPECT_GT(at_server(protocol::Counter::kSnapshotDroppedSlowReader), 500u);
  auto const stats = endpoint.stats_of(1);
  ASSERT_TRUE(stats.ok());
  EXPECT_LE(stats->reliable_queue_bytes, 64u * 1024 + 2 * protocol::kFrameBytesMax);
  // It reads again: the newest state arrives, whatever was dropped.
  client.handle_stream_bytes(now_us, chunk);
  pipe->finish_outbound();
  bridge.touch(pipe);
  for (std::uint64_t tick = 601; tick <= 700; ++tick) {
    publish(tick);
    for (int i = 0; i < 3; ++i) exchange();
  }
  ASSERT_NE(client.world().find((std::uint64_t{1} << 32) | 199), nullptr);
  EXPECT_GT(client.world().newest_tick(), 690u);
}

TEST_F(WebBridgeTest, TheWebEndStopsReadingWhileEnoughWaits) {
  connect();
  std::vector<std::byte> const some(40 * 1024, std::byte{0});
  EXPECT_TRUE(pipe->give_inbound(some));
  EXPECT_FALSE(pipe->give_inbound(some));
  EXPECT_FALSE(pipe->may_read());
  bridge.touch(pipe);
  int const before = web_wakes;
  bridge.turn(now_us, endpoint);
  EXPECT_TRUE(pipe->may_read());
  EXPECT_GT(web_wakes, before);  // and is told to go on
}

TEST_F(WebBridgeTest, WhoeverEmptiesAFullPipeWakesItsWebEnd) {
  // The pipe decides at the moment of taking, so bytes that come during turn() cannot be missed.
  std::vector<std::byte> const some(WebPipe::kInboundMax, std::byte{0});
  std::vector<std::byte> taken;
  EXPECT_FALSE(pipe->give_inbound(some));
  EXPECT_FALSE(pipe->take_inbound(taken));
  EXPECT_EQ(taken.size(), some.size());
  EXPECT_EQ(web_wakes, 1);
  EXPECT_TRUE(pipe->give_inbound(std::span(some).first(some.size() - 1)));
  EXPECT_FALSE(pipe->take_inbound(taken));
  EXPECT_EQ(web_wakes, 1) << "it never stopped";
}

TEST_F(WebBridgeTest, ARefusedNewcomerHearsWhyAndIsClosed) {
  protocol::ServerOptions full;
  full.players_max = 1;
  protocol::ServerEndpoint small(full, {1, 2}, protocol::test::test_seeds());
  (void)small.handle_stream_open(now_us, protocol::Address::from_ipv4(10, 0, 0, 1, 5));
  small.shut_down(now_us, "stopping");
  client.connect(now_us);
  std::vector<std::byte> bytes;
  (void)client.poll_stream(now_us, 65536, bytes);
  EXPECT_TRUE(pipe->give_inbound(bytes));
  bridge.touch(pipe);
  bridge.turn(now_us, small);
  bridge.flush(now_us, small);
  ASSERT_TRUE(pipe->take_outbound(bytes));
  EXPECT_FALSE(pipe->is_ended());  // not before it is written
  pipe->finish_outbound();
  bridge.touch(pipe);
  bridge.turn(now_us, small);
  EXPECT_TRUE(pipe->is_ended());
  client.handle_stream_bytes(now_us, bytes);
  EXPECT_EQ(client.state(), protocol::ClientState::kDisconnected);
}

TEST_F(WebBridgeTest, AStreamThatTheEndpointDoesNotTakeIsClosed) {
  protocol::ServerOptions none;
  none.pending_streams_max = 0;
  protocol::ServerEndpoint closed(none, {1, 2}, protocol::test::test_seeds());
  bridge.touch(pipe);
  bridge.turn(now_us, closed);
  EXPECT_TRUE(pipe->is_ended());
  EXPECT_TRUE(pipe->give_inbound(std::vector<std::byte>(100)));  // what it still says goes nowhere
  bridge.touch(pipe);
  bridge.turn(now_us, closed);
  EXPECT_EQ(closed.counters()[protocol::Counter::kHandshakeRate], 1u);
}

TEST_F(WebBridgeTest, ATurnTakesABoundedNumberOfBytesAndAsksForTheNext) {
  int wakes = 0;
  bridge.set_wake([&] { ++wakes; });
  std::vector<std::shared_ptr<WebPipe>> pipes;
  std::vector<std::byte> const garbage(WebPipe::kInboundMax, std::byte{0});
  for (int i = 0; i < 20; ++i) {
    pipes.push_back(std::make_shared<WebPipe>(protocol::Address::from_ipv4(10, 0, 0, 2, 5), true, [] {}));
    (void)pipes.back()->give_inbound(garbage);
    bridge.touch(pipes.back());
  }
  wakes = 0;
  int turns = 0;
  do {
    wakes = 0;
    bridge.turn(now_us, endpoint);
    ++turns;
  } while (wakes > 0 && turns < 100);
  EXPECT_EQ(turns, 4) << "20 pipes of 64 KiB, 384 KiB a turn";
  EXPECT_EQ(endpoint.counters()[protocol::Counter::kWebSocketBytesReceived], 20 * garbage.size());
}

}  // namespace
}  // namespace takt::server
