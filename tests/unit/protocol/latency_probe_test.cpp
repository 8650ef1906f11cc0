// Latency probes and replies: their bytes, every way they can be wrong, and that a server answers strangers
// by the rules of all its answers. AmplifiesNothing (hostile_strangers_test.cpp) has the ratio of bytes.
#include "protocol/wire/latency_probe.h"

#include <gtest/gtest.h>

#include <optional>
#include <utility>

#include "protocol/wire/limits.h"
#include "tests/unit/protocol/endpoint_pair.h"

namespace takt::protocol::test {
namespace {

constexpr std::uint64_t kNonce = 0x0807060504030201u;

Bytes probe_of(std::uint64_t nonce) {
  Bytes out;
  write_latency_probe(nonce, out);
  return out;
}
Bytes reply_of(const LatencyReply& reply) {
  Bytes out;
  write_latency_reply(reply, out);
  return out;
}

TEST(LatencyProbe, HasTheseBytes) {
  Bytes expected(kConnectRequestBytes);
  for (std::size_t i = 0; auto const value : {0x54, 0x4b, 0x54, 0x31, 0x03})
    expected[i++] = static_cast<std::byte>(value);
  for (std::size_t i = 0; i < 8; ++i) expected[32 + i] = static_cast<std::byte>(i + 1);
  EXPECT_EQ(probe_of(kNonce), expected);
  expected.resize(kLatencyReplyBytes);
  expected[4] = std::byte{4};
  expected[40] = std::byte{7};
  expected[42] = std::byte{1};
  EXPECT_EQ(reply_of({kNonce, 0x10007}), expected);
}

TEST(LatencyProbe, IsReadWhole) {
  EXPECT_EQ(read_latency_probe(probe_of(kNonce)), kNonce);
  EXPECT_EQ(read_latency_probe(probe_of(0)), 0u);
  EXPECT_EQ(read_latency_reply(reply_of({kNonce, 3})), (LatencyReply{kNonce, 3}));
  Bytes longer = reply_of({kNonce, 3});
  longer.resize(kDatagramBytesMax, std::byte{9});
  EXPECT_EQ(read_latency_reply(longer), (LatencyReply{kNonce, 3})) << "of a later version";
}

TEST(LatencyProbe, IsRefusedCutBentOrTooLong) {
  Bytes const probe = probe_of(kNonce);
  Bytes const reply = reply_of({kNonce, 3});
  for (std::size_t size = 0; size < probe.size(); ++size)
    EXPECT_FALSE(read_latency_probe(std::span(probe).first(size))) << size;
  for (std::size_t size = 0; size < reply.size(); ++size)
    EXPECT_FALSE(read_latency_reply(std::span(reply).first(size))) << size;
  for (std::size_t i = 0; i < 5; ++i) {
    Bytes bent = probe;
    bent[i] ^= std::byte{0x20};
    EXPECT_FALSE(read_latency_probe(bent)) << i;
    bent = reply;
    bent[i] ^= std::byte{0x20};
    EXPECT_FALSE(read_latency_reply(bent)) << i;
  }
  Bytes long_one = probe;
  long_one.resize(kDatagramBytesMax + 1);
  EXPECT_FALSE(read_latency_probe(long_one));
  long_one = reply;
  long_one.resize(kDatagramBytesMax + 1);
  EXPECT_FALSE(read_latency_reply(long_one));
  Bytes padded = reply;
  padded.resize(kConnectRequestBytes);
  EXPECT_FALSE(read_latency_probe(padded)) << "no reply is answered, or two servers would never end";
  EXPECT_FALSE(read_latency_reply(probe));
  EXPECT_FALSE(read_handshake(probe)) << "nobody takes it for a connect";
}

class ProbedServer : public testing::Test {
 protected:
  // The answers to datagrams of this address, none of which goes to another one.
  std::vector<Bytes> send(const Bytes& datagram, const Address& from = kHome) {
    server->handle_datagram(now_us, from, datagram);
    std::vector<Bytes> answers;
    OutgoingDatagram out;
    while (server->poll_datagram(now_us, out)) {
      EXPECT_EQ(out.to, from);
      answers.push_back(out.bytes);
    }
    return answers;
  }
  void start(const ServerOptions& options) { server.emplace(options, kSecret, test_seeds()); }
  [[nodiscard]] std::uint64_t count(Counter counter) const { return server->counters()[counter]; }
  std::uint64_t now_us = 1'000'000;
  std::optional<ServerEndpoint> server{std::in_place, ServerOptions{}, kSecret, test_seeds()};
};

TEST_F(ProbedServer, RepliesWithNonceAndVersionAndKeepsNothing) {
  auto const answers = send(probe_of(kNonce));
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0], reply_of({kNonce, kProtocolVersion}));
  EXPECT_EQ(send(probe_of(kNonce)), answers) << "a copy is a probe like any other";
  EXPECT_EQ(count(Counter::kLatencyProbes), 2u);
  EXPECT_EQ(server->player_count(), 0u);
  EXPECT_EQ(count(Counter::kHandshakeRefused) + count(Counter::kHandshakeAccepted), 0u);
  ServerEvent event;
  EXPECT_FALSE(server->poll_event(event));
}

TEST_F(ProbedServer, IsSilentToShortProbesAndToReplies) {
  Bytes const probe = probe_of(kNonce);
  for (std::size_t size = 0; size < probe.size(); ++size)
    EXPECT_TRUE(send({probe.begin(), probe.begin() + static_cast<std::ptrdiff_t>(size)}).empty()) << size;
  EXPECT_EQ(count(Counter::kHandshakeShortRequest), probe.size() - kHandshakeHeaderBytes);
  Bytes reply = reply_of({kNonce, kProtocolVersion});
  EXPECT_TRUE(send(reply).empty());
  reply.resize(kConnectRequestBytes);
  EXPECT_TRUE(send(reply).empty());
  EXPECT_EQ(count(Counter::kDatagramBadType), 2u);
  EXPECT_EQ(count(Counter::kLatencyProbes), 0u);
}

// Probes of any number of networks take nothing from the limits of requests.
TEST_F(ProbedServer, AnswersAQuarterAsManyProbesAsRequestsBesideThem) {
  ServerOptions options;
  options.handshakes_per_s = 100;
  options.handshake_burst = 100;
  start(options);
  for (std::uint64_t i = 1; i <= 200; ++i)
    (void)send(probe_of(i), Address::from_ipv4(10, 0, static_cast<std::uint8_t>(i), 1, 4000));
  EXPECT_EQ(count(Counter::kLatencyProbes), 25u);
  EXPECT_EQ(count(Counter::kHandshakeRate), 175u);
  ConnectRequest request;
  std::size_t answered = 0;
  for (std::uint64_t i = 1; i <= 200; ++i) {
    request.nonce = i;
    Address const from = Address::from_ipv4(10, 1, static_cast<std::uint8_t>(i), 1, 4000);
    answered += send(handshake_of(Message{request}), from).size();
  }
  EXPECT_EQ(answered, 100u);
}

// 50,000 probes a second, each of another network, do not keep a single client from connecting, and neither
// do their replies where the server's rate is limited.
TEST_F(ProbedServer, AFloodOfProbesOfAllNetworksLeavesEveryConnectAnswered) {
  for (std::uint64_t const egress_max : {0u, 256u * 1024u}) {
    ServerOptions options;
    options.egress_max = egress_max;
    start(options);
    ConnectRequest request;
    std::uint32_t network = 0;
    std::size_t requests = 0;
    std::size_t answered = 0;
    for (std::uint64_t const began_us = now_us; now_us < began_us + 5 * kSecond; now_us += 1000) {
      for (int i = 0; i < 50; ++i, ++network)
        server->handle_datagram(now_us,
                                Address::from_ipv4(10, static_cast<std::uint8_t>(network >> 8),
                                                   static_cast<std::uint8_t>(network), 1, 4000),
                                probe_of(network));
      // 50 answers a second of at most 372 bytes are below an eighth of 256 KiB.
      if (now_us % 20'000 == 0) {
        ++requests;
        request.nonce = requests;
        Address const from = Address::from_ipv4(198, 51, static_cast<std::uint8_t>(requests), 1, 4000);
        server->handle_datagram(now_us, from, handshake_of(Message{request}));
        OutgoingDatagram out;
        while (server->poll_datagram(now_us, out)) answered += out.to == from ? 1 : 0;
      } else {
        OutgoingDatagram out;
        while (server->poll_datagram(now_us, out)) {
        }
      }
    }
    EXPECT_EQ(answered, requests) << egress_max;
    EXPECT_EQ(requests, 250u);
    EXPECT_GT(count(Counter::kLatencyProbes), 500u) << "some are answered all the time";
    EXPECT_LE(count(Counter::kLatencyProbes), 26'000u);
  }
}

// A server whose socket takes nothing keeps places for handshakes.
TEST_F(ProbedServer, ProbesFillAQuarterOfTheAnswersThatWait) {
  ServerOptions options;
  options.handshakes_per_s = 100'000;
  options.handshake_burst = 10'000;
  start(options);
  for (std::uint64_t i = 0; i < 2000; ++i)
    server->handle_datagram(
        now_us, Address::from_ipv4(10, static_cast<std::uint8_t>(i >> 8), static_cast<std::uint8_t>(i), 1, 1),
        probe_of(i));
  EXPECT_EQ(count(Counter::kLatencyProbes), 256u);
  EXPECT_EQ(count(Counter::kQueueOverflow), 2000u - 256u);
  ConnectRequest request;
  server->handle_datagram(now_us, kHome, handshake_of(Message{request}));
  bool is_answered = false;
  OutgoingDatagram out;
  while (server->poll_datagram(now_us, out)) is_answered |= out.to == kHome;
  EXPECT_TRUE(is_answered);
}

// A flood of probes of one network leaves the reserved half to others (NetworkLimiter).
TEST_F(ProbedServer, LeavesTheRestToOtherNetworks) {
  for (int i = 0; i < 10'000; ++i) (void)send(probe_of(1), Address::from_ipv4(203, 0, 113, 7, 4000));
  EXPECT_LE(count(Counter::kLatencyProbes), ServerOptions{}.handshake_burst / 8 + 128);
  EXPECT_EQ(send(probe_of(kNonce), Address::from_ipv4(198, 51, 100, 1, 4000)).size(), 1u);
  ConnectRequest request;
  EXPECT_EQ(send(handshake_of(Message{request}), Address::from_ipv4(198, 51, 100, 1, 4001)).size(), 1u);
}

TEST_F(ProbedServer, RepliesWithinAnEgressOfTheirOwn) {
  ServerOptions options;
  options.egress_max = 32 * 1000;
  start(options);
  std::size_t answers = 0;
  std::uint64_t const began_us = now_us;
  for (; now_us < began_us + 10 * kSecond; now_us += 1000) answers += send(probe_of(1)).size();
  EXPECT_LE(answers * kLatencyReplyBytes, 76'000u) << "a 32nd of the server's rate, and the burst";
  EXPECT_GE(answers * kLatencyReplyBytes, 70'000u);
  EXPECT_GT(count(Counter::kQueueOverflow), 1000u);
}

TEST_F(ProbedServer, IsSilentWhenItStops) {
  server->shut_down(now_us);
  EXPECT_TRUE(send(probe_of(kNonce)).empty());
  EXPECT_TRUE(server->is_drained());
}

// A full server is as far away as an empty one.
TEST_F(ProbedServer, RepliesWhenItIsFull) {
  ServerOptions full;
  full.players_max = 1;
  start(full);
  ConnectRequest request;
  request.nonce = 1;
  (void)send(handshake_of(Message{response_of(*server, kSecret, now_us, kHome, request)}));
  ASSERT_EQ(server->player_count(), 1u);
  EXPECT_EQ(send(probe_of(kNonce), Address::from_ipv4(198, 51, 100, 1, 4000)).size(), 1u);
}

}  // namespace
}  // namespace takt::protocol::test
