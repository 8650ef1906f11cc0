// Do the socket adapters carry sessions over real UDP and TCP on loopback, tell clearly what is wrong, and
// stay up under abuse.
#include "tests/integration/net/loopback.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <netinet/in.h>

#include <array>
#include <asio/io_context.hpp>
#include <asio/ip/udp.hpp>
#include <chrono>
#include <set>
#include <thread>

#include "net/asio_address.h"
#include "takt/core/random.h"
#include "tests/unit/protocol/session_tap.h"

namespace takt::net::test {
namespace {

using protocol::TransportKind;

std::vector<protocol::BodyState> world_of(std::uint32_t count, std::int64_t shift) {
  std::vector<protocol::BodyState> bodies(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    bodies[i].id = (std::uint64_t{1} << 32) | i;
    bodies[i].position = {shift, i, -shift};
  }
  return bodies;
}

/// A plain TCP socket connected to the server, for saying things no client says.
class RawStream {
 public:
  explicit RawStream(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(fd_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
  }
  ~RawStream() { ::close(fd_); }
  [[nodiscard]] bool is_connected() const { return connected_; }
  bool send(std::span<const std::byte> bytes) {
    return ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
  }
  /// True when the server has closed its side.
  [[nodiscard]] bool is_closed() const {
    char c;
    ssize_t const got = ::recv(fd_, &c, 1, MSG_DONTWAIT);
    return got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK);
  }

 private:
  int fd_;
  bool connected_ = false;
};

class LoopbackOver : public testing::TestWithParam<TransportKind> {};

TEST_P(LoopbackOver, ConnectsSendsInputsReceivesSnapshotsAndLeaves) {
  Loopback loopback;
  ASSERT_TRUE(loopback.is_open()) << loopback.failure;
  auto& client = loopback.add_client(GetParam());
  ASSERT_TRUE(loopback.run_until(5, [&] { return client.find<protocol::Connected>() != nullptr; }));
  auto const image =
      std::make_shared<const std::vector<std::byte>>(std::vector<std::byte>(3'000'000, std::byte{42}));
  ASSERT_TRUE(loopback.endpoint().send_join_image(1, 0, image).ok());
  auto const world = world_of(200, 12345);
  std::uint64_t tick = 0;
  std::uint64_t next_us = now_us();
  loopback.on_step = [&] {
    if (now_us() < next_us) return;
    next_us += 16'667;
    loopback.endpoint().handle_tick(now_us(), ++tick);
    loopback.endpoint().publish_snapshot(now_us(), tick, world);
  };
  for (std::uint32_t i = 1; i <= 20; ++i) {
    ASSERT_TRUE(
        client.endpoint.send_input(now_us(), tick + 5, protocol::DespawnCommand{(std::uint64_t{1} << 32) | i})
            .ok());
    loopback.step();
  }
  EXPECT_TRUE(loopback.run_until(10, [&] {
    return client.find<protocol::JoinImageArrived>() != nullptr &&
           client.endpoint.world().body_count() == 200 && client.endpoint.inputs_in_flight() == 0;
  }));
  ASSERT_NE(client.find<protocol::JoinImageArrived>(), nullptr);
  EXPECT_EQ(client.find<protocol::JoinImageArrived>()->bytes, *image);
  for (auto const& body : world)
    ASSERT_TRUE(client.endpoint.world().find(body.id) != nullptr &&
                *client.endpoint.world().find(body.id) == body);
  std::uint32_t expected = 0;
  for (auto const& event : loopback.server_seen<protocol::InputsArrived>())
    for (auto const& input : event.inputs) EXPECT_EQ(input.sequence, ++expected);
  EXPECT_EQ(expected, 20u);
  client.endpoint.disconnect(now_us(), "enough");
  EXPECT_TRUE(loopback.run_until(3, [&] { return !loopback.server_seen<protocol::PlayerLeft>().empty(); }));
  EXPECT_EQ(loopback.server_seen<protocol::PlayerLeft>()[0].reason, protocol::DisconnectReason::kClientLeft);
}

// A phone that changes its network has another address, and its old socket is dead.
TEST(Loopback, ASessionThatFallsSilentGoesOnFromAnotherSocket) {
  Loopback loopback;
  ASSERT_TRUE(loopback.is_open()) << loopback.failure;
  auto& client = loopback.add_client(TransportKind::kDatagram);
  ASSERT_TRUE(loopback.run_until(5, [&] { return client.find<protocol::Connected>() != nullptr; }));
  // The server hears nothing and says nothing for 2 s, and its datagrams of before are handled.
  std::uint64_t const until_us = now_us() + 2'000'000;
  while (now_us() < until_us) client.transport->wait_for(10'000);
  auto const moved = [&] { return loopback.endpoint().counters()[protocol::Counter::kSessionsMoved]; };
  EXPECT_TRUE(loopback.run_until(5, [&] { return moved() > 0; }));
  ASSERT_TRUE(client.endpoint.send_input(now_us(), 1, protocol::ReleaseCommand{}).ok());
  EXPECT_TRUE(loopback.run_until(5, [&] { return client.endpoint.inputs_in_flight() == 0; }));
  EXPECT_EQ(moved(), 1u);
  EXPECT_EQ(loopback.endpoint().player_count(), 1u);
  EXPECT_EQ(client.find<protocol::Disconnected>(), nullptr);
}

// The answer to each datagram takes longer than the first silence.
TEST(Loopback, APauseOnALongPathEndsNoSession) {
  Loopback loopback;
  ASSERT_TRUE(loopback.is_open()) << loopback.failure;
  protocol::Impairment path;
  path.delay_us = 800'000;
  ASSERT_TRUE(loopback.use_relay(path));
  auto& client = loopback.add_client(TransportKind::kDatagram);
  ASSERT_TRUE(loopback.run_until(10, [&] { return client.find<protocol::Connected>() != nullptr; }));
  std::uint64_t const paused_us = now_us() + 2'000'000;
  while (now_us() < paused_us) {
    client.transport->wait_for(10'000);
    loopback.relay->run_for(0);
  }
  std::uint64_t const until_us = now_us() + 12'000'000;
  (void)loopback.run_until(13, [&] { return now_us() >= until_us; });
  EXPECT_EQ(client.find<protocol::Disconnected>(), nullptr);
  ASSERT_TRUE(client.endpoint.send_input(now_us(), 1, protocol::ReleaseCommand{}).ok());
  EXPECT_TRUE(loopback.run_until(5, [&] { return client.endpoint.inputs_in_flight() == 0; }));
  EXPECT_LE(loopback.endpoint().counters()[protocol::Counter::kSessionsMoved], 3u);
}

// Anybody can send datagrams in the server's name. They are no sign of it, and the silence ends the session
// at its time, after two more sockets: each has a port of its own.
TEST(Loopback, ASilentServersClientOpensTwoMoreSocketsWhateverStrangersSend) {
  asio::io_context io;
  asio::ip::udp::socket server(io, asio::ip::udp::endpoint(asio::ip::address_v4::loopback(), 0));
  server.non_blocking(true);
  protocol::ServerEndpoint endpoint(protocol::ServerOptions{}, {1, 2}, protocol::test::test_seeds());
  protocol::ClientEndpoint client(protocol::test::seeded());
  auto transport =
      ClientTransport::open("127.0.0.1", server.local_endpoint().port(), TransportKind::kDatagram, client);
  ASSERT_TRUE(transport.ok());
  std::set<std::uint16_t> ports;
  bool is_silent = false;
  asio::ip::udp::endpoint from;
  std::array<std::byte, 30> const strange{std::byte{0xa0}};
  std::uint64_t const until_us = now_us() + 15'000'000;
  while (now_us() < until_us && client.state() != protocol::ClientState::kDisconnected) {
    (void)(*transport)->wait_for(2'000);
    is_silent |= client.state() == protocol::ClientState::kConnected;
    std::array<std::byte, 2048> bytes;
    asio::error_code code;
    while (auto const size = server.receive_from(asio::buffer(bytes), from, 0, code)) {
      auto const address = to_protocol(from.address(), from.port());
      if (!is_silent) endpoint.handle_datagram(now_us(), address, std::span(bytes).first(size));
      if (is_silent) {
        ports.insert(from.port());
        server.send_to(asio::buffer(strange), from, 0, code);
      }
    }
    protocol::OutgoingDatagram out;
    while (!is_silent && endpoint.poll_datagram(now_us(), out))
      server.send_to(asio::buffer(out.bytes), from, 0, code);
  }
  EXPECT_TRUE(is_silent);
  EXPECT_EQ(client.state(), protocol::ClientState::kDisconnected);
  EXPECT_EQ(ports.size(), 3u);
}

TEST_P(LoopbackOver, TheServersGoodbyeArrives) {
  Loopback loopback;
  ASSERT_TRUE(loopback.is_open()) << loopback.failure;
  auto& client = loopback.add_client(GetParam());
  ASSERT_TRUE(loopback.run_until(5, [&] { return client.find<protocol::Connected>() != nullptr; }));
  loopback.endpoint().shut_down(now_us(), "maintenance");
  ASSERT_TRUE(loopback.run_until(3, [&] {
    return loopback.endpoint().is_drained() && client.find<protocol::Disconnected>() != nullptr;
  }));
  EXPECT_EQ(client.find<protocol::Disconnected>()->reason, protocol::DisconnectReason::kServerStopped);
  EXPECT_EQ(client.find<protocol::Disconnected>()->text, "maintenance");
}

TEST_P(LoopbackOver, TwentyClientsThroughALossyRelayStayAndConverge) {
  Loopback loopback;
  ASSERT_TRUE(loopback.is_open()) << loopback.failure;
  ASSERT_TRUE(loopback.use_relay(protocol::Impairment::hostile()));
  for (int i = 0; i < 20; ++i) loopback.add_client(GetParam());
  std::uint64_t tick = 0;
  std::uint64_t next_us = now_us();
  std::int64_t shift = 0;
  bool frozen = false;
  loopback.on_step = [&] {
    if (now_us() < next_us) return;
    next_us += 16'667;
    if (!frozen) ++shift;
    loopback.endpoint().handle_tick(now_us(), ++tick);
    loopback.endpoint().publish_snapshot(now_us(), tick, world_of(50, shift));
  };
  ASSERT_TRUE(loopback.run_until(5, [&] {
    for (auto const& client : loopback.clients)
      if (client->find<protocol::Connected>() == nullptr) return false;
    return true;
  }));
  (void)loopback.run_until(1.0, [] { return false; });
  frozen = true;
  auto const world = world_of(50, shift);
  EXPECT_TRUE(loopback.run_until(5, [&] {
    for (auto const& client : loopback.clients) {
      if (client->endpoint.world().body_count() != world.size()) return false;
      for (auto const& body : world)
        if (auto const* held = client->endpoint.world().find(body.id); held == nullptr || !(*held == body))
          return false;
    }
    return true;
  }));
  EXPECT_EQ(loopback.endpoint().player_count(), 20u);
  auto const counters = loopback.relay->counters();
  if (GetParam() == TransportKind::kDatagram) {
    EXPECT_GT(counters.datagrams_dropped, counters.datagrams_in / 20);
    EXPECT_LT(counters.datagrams_dropped, counters.datagrams_in / 5);
  } else {
    EXPECT_EQ(counters.streams, 20u);
    // The delay is real: a round trip through the relay takes two of them.
    EXPECT_GT(loopback.clients[0]->endpoint.stats().rtt_min_us, 195'000u);
  }
}

TEST_P(LoopbackOver, SixtyFourClientsConnectAtTheSameInstant) {
  Loopback loopback;
  ASSERT_TRUE(loopback.is_open()) << loopback.failure;
  for (int i = 0; i < 64; ++i) loopback.add_client(GetParam());
  EXPECT_TRUE(loopback.run_until(5, [&] {
    for (auto const& client : loopback.clients)
      if (client->find<protocol::Connected>() == nullptr) return false;
    return true;
  }));
  EXPECT_EQ(loopback.endpoint().player_count(), 64u);
}

INSTANTIATE_TEST_SUITE_P(Transports, LoopbackOver,
                         testing::Values(TransportKind::kDatagram, TransportKind::kStream),
                         [](const auto& one) {
                           return one.param == TransportKind::kDatagram ? "Udp" : "Tcp";
                         });

TEST(Loopback, BothTransportsShareOnePortNumber) {
  Loopback loopback;
  ASSERT_TRUE(loopback.is_open()) << loopback.failure;
  EXPECT_NE(loopback.port(), 0);
  auto& udp = loopback.add_client(TransportKind::kDatagram);
  auto& tcp = loopback.add_client(TransportKind::kStream);
  EXPECT_TRUE(loopback.run_until(
      5, [&] { return udp.find<protocol::Connected>() && tcp.find<protocol::Connected>(); }));
  EXPECT_EQ(loopback.endpoint().player_count(), 2u);
}

TEST(Loopback, DualStackServesIpv4AndIpv6) {
  ServerTransportOptions options;
  options.port = 0;
  Loopback loopback({}, options);
  ASSERT_TRUE(loopback.is_open()) << loopback.failure;
  std::vector<std::string> hosts{"127.0.0.1", "localhost"};
  int const probe = ::socket(AF_INET6, SOCK_DGRAM, 0);
  sockaddr_in6 loop{};
  loop.sin6_family = AF_INET6;
  loop.sin6_addr = in6addr_loopback;
  if (probe >= 0 && ::bind(probe, reinterpret_cast<sockaddr*>(&loop), sizeof loop) == 0)
    hosts.push_back("::1");
  if (probe >= 0) ::close(probe);
  for (auto const& host : hosts) {
    for (TransportKind const kind : {TransportKind::kDatagram, TransportKind::kStream}) {
      auto& client = loopback.add_client(kind, host);
      EXPECT_TRUE(loopback.run_until(5, [&] { return client.find<protocol::Connected>() != nullptr; }))
          << host;
    }
  }
}

TEST(Loopback, APortInUseIsNamed) {
  Loopback first;
  ASSERT_TRUE(first.is_open());
  ServerTransportOptions options = Loopback::local();
  options.port = first.port();
  protocol::ServerEndpoint endpoint({}, draw_secret_key(), {draw_seed(), draw_seed()});
  auto const second = ServerTransport::open(options, endpoint);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().error, Error::kPortInUse);
  EXPECT_NE(second.error().detail.find(std::to_string(first.port())), std::string::npos)
      << second.error().detail;
}

TEST(Loopback, AnUnusableBindAddressIsNamed) {
  ServerTransportOptions options = Loopback::local();
  protocol::ServerEndpoint endpoint({}, draw_secret_key(), {draw_seed(), draw_seed()});
  options.bind_address = "not an address";
  auto const nonsense = ServerTransport::open(options, endpoint);
  ASSERT_FALSE(nonsense.ok());
  EXPECT_EQ(nonsense.error().error, Error::kBadAddress);
  options.bind_address = "192.0.2.1";  // RFC 5737: nobody's
  auto const foreign = ServerTransport::open(options, endpoint);
  ASSERT_FALSE(foreign.ok());
  EXPECT_EQ(foreign.error().error, Error::kBadAddress) << foreign.error().detail;
}

TEST(Loopback, ARefusedTcpConnectionEndsTheClientWithTheReason) {
  std::uint16_t unused = 0;
  {
    Loopback gone;
    ASSERT_TRUE(gone.is_open());
    unused = gone.port();
  }
  protocol::ClientOptions options;
  options.transport = TransportKind::kStream;
  options.key_seed = std::make_shared<const crypto::SecretKey>(draw_seed());
  protocol::ClientEndpoint endpoint(options);
  auto transport = ClientTransport::open("127.0.0.1", unused, TransportKind::kStream, endpoint);
  ASSERT_TRUE(transport.ok());
  protocol::ClientEvent event;
  std::uint64_t const until_us = now_us() + 3'000'000;
  while (now_us() < until_us && endpoint.state() != protocol::ClientState::kDisconnected)
    (*transport)->wait_for(10'000);
  ASSERT_TRUE(endpoint.poll_event(event));
  auto const& ending = std::get<protocol::Disconnected>(event);
  EXPECT_EQ(ending.reason, protocol::DisconnectReason::kConnectionLost);
  EXPECT_NE(ending.text.find("refused"), std::string::npos) << ending.text;
}

TEST(Loopback, AnUnknownHostIsNamed) {
  protocol::ClientEndpoint endpoint({});
  auto const transport = ClientTransport::open("no.such.host.invalid", 1, TransportKind::kDatagram, endpoint);
  ASSERT_FALSE(transport.ok());
  EXPECT_EQ(transport.error().error, Error::kBadAddress);
  EXPECT_NE(transport.error().detail.find("no.such.host.invalid"), std::string::npos);
}

TEST(Loopback, GarbageOnBothTransportsIsCountedAndHarmsNobody) {
  Loopback loopback;
  ASSERT_TRUE(loopback.is_open()) << loopback.failure;
  auto& client = loopback.add_client(TransportKind::kDatagram);
  ASSERT_TRUE(loopback.run_until(5, [&] { return client.find<protocol::Connected>() != nullptr; }));
  int const udp = ::socket(AF_INET, SOCK_DGRAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(loopback.port());
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  Random random(4);
  for (int i = 0; i < 300; ++i) {
    std::vector<std::byte> garbage(random.next_below(1500));
    for (auto& b : garbage) b = static_cast<std::byte>(random.next_u32());
    (void)::sendto(udp, garbage.data(), garbage.size(), 0, reinterpret_cast<sockaddr*>(&to), sizeof to);
  }
  ::close(udp);
  RawStream oversize(loopback.port());
  RawStream nonsense(loopback.port());
  ASSERT_TRUE(oversize.is_connected() && nonsense.is_connected());
  ASSERT_TRUE(oversize.send(std::vector<std::byte>(8, std::byte{0xff})));
  std::vector<std::byte> frame(4 + 40, std::byte{0});
  frame[0] = std::byte{40};
  frame[4] = std::byte{1};
  ASSERT_TRUE(nonsense.send(frame));
  EXPECT_TRUE(loopback.run_until(3, [&] { return oversize.is_closed() && nonsense.is_closed(); }));
  auto const& counters = loopback.endpoint().counters();
  EXPECT_EQ(counters[protocol::Counter::kFrameOversize], 1u);
  EXPECT_EQ(counters[protocol::Counter::kVerifierFailed], 1u);
  EXPECT_GT(counters[protocol::Counter::kDatagramBadMagic] + counters[protocol::Counter::kDatagramShort] +
                counters[protocol::Counter::kDatagramOversize] +
                counters[protocol::Counter::kDatagramBadLayout] +
                counters[protocol::Counter::kDatagramUnknownSession],
            250u);
  EXPECT_EQ(client.endpoint.state(), protocol::ClientState::kConnected);
}

TEST(Loopback, AStreamThatSaysNothingIsClosedAfterTheHandshakeTime) {
  protocol::ServerOptions options;
  options.stream_handshake_us = 200'000;
  Loopback loopback(options);
  ASSERT_TRUE(loopback.is_open()) << loopback.failure;
  RawStream silent(loopback.port());
  ASSERT_TRUE(silent.is_connected());
  EXPECT_TRUE(loopback.run_until(3, [&] { return silent.is_closed(); }));
  EXPECT_EQ(loopback.endpoint().counters()[protocol::Counter::kTimeouts], 1u);
}

TEST(Loopback, AConnectionOfAProxyMustSendItsHeaderInTime) {
  ServerTransportOptions options = Loopback::local();
  options.proxies = {*protocol::parse_prefix("127.0.0.0/8")};
  options.proxy_header_timeout_us = 1'000'000;
  Loopback loopback({}, options);
  ASSERT_TRUE(loopback.is_open()) << loopback.failure;
  auto& client = loopback.add_client(TransportKind::kStream);
  ASSERT_TRUE(loopback.run_until(5, [&] { return client.find<protocol::Connected>() != nullptr; }))
      << "a header is not demanded";
  RawStream silent(loopback.port());
  RawStream half(loopback.port());
  std::vector<std::byte> const signature{std::byte{0x0d}, std::byte{0x0a}, std::byte{0x0d}, std::byte{0x0a}};
  ASSERT_TRUE(silent.is_connected() && half.send(signature));
  EXPECT_TRUE(loopback.run_until(10, [&] { return silent.is_closed() && half.is_closed(); }));
  EXPECT_EQ(client.endpoint.state(), protocol::ClientState::kConnected);
}

TEST(Loopback, AKilledTcpClientIsNoticedAtOnce) {
  Loopback loopback;
  ASSERT_TRUE(loopback.is_open()) << loopback.failure;
  auto& client = loopback.add_client(TransportKind::kStream);
  ASSERT_TRUE(loopback.run_until(5, [&] { return client.find<protocol::Connected>() != nullptr; }));
  client.transport.reset();
  EXPECT_TRUE(loopback.run_until(3, [&] { return !loopback.server_seen<protocol::PlayerLeft>().empty(); }));
  EXPECT_EQ(loopback.server_seen<protocol::PlayerLeft>()[0].reason,
            protocol::DisconnectReason::kConnectionLost);
}

TEST(Loopback, ATcpClientThatNeverReadsLosesSnapshotsAndTheServerStaysIdle) {
  Loopback loopback;
  ASSERT_TRUE(loopback.is_open()) << loopback.failure;
  auto& client = loopback.add_client(TransportKind::kStream);
  ASSERT_TRUE(loopback.run_until(5, [&] { return client.find<protocol::Connected>() != nullptr; }));
  auto stalled = std::move(client.transport);
  std::int64_t shift = 0;
  std::uint64_t tick = 0;
  for (int i = 0;
       i < 4000 && loopback.endpoint().counters()[protocol::Counter::kSnapshotDroppedSlowReader] == 0; ++i) {
    loopback.endpoint().publish_snapshot(now_us(), ++tick, world_of(500, ++shift));
    loopback.step();
  }
  EXPECT_GT(loopback.endpoint().counters()[protocol::Counter::kSnapshotDroppedSlowReader], 0u);
  // With bytes waiting for a socket that takes none, run_for still sleeps instead of spinning.
  std::uint64_t const started_us = now_us();
  loopback.transport().run_for(100'000);
  loopback.transport().run_for(100'000);
  EXPECT_GT(now_us() - started_us, 50'000u);
}

TEST(Loopback, WakeFromAnotherThreadEndsTheWait) {
  Loopback loopback;
  ASSERT_TRUE(loopback.is_open()) << loopback.failure;
  std::uint64_t const started_us = now_us();
  std::thread waker([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    loopback.transport().wake();
  });
  loopback.transport().run_for(5'000'000);
  waker.join();
  EXPECT_LT(now_us() - started_us, 2'000'000u);
}

}  // namespace
}  // namespace takt::net::test
