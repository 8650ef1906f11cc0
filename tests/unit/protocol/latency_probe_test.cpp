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

// Probes and requests share one limit: together they get no more answers than requests alone may.
TEST_F(ProbedServer, AnswersProbesAndRequestsWithinOneLimit) {
  ServerOptions options;
  options.handshakes_per_s = 100;
  options.handshake_burst = 100;
  start(options);
  ConnectRequest request;
  std::size_t answered = 0;
  for (std::uint64_t i = 1; i <= 400; ++i) {
    Address const from = Address::from_ipv4(10, 0, static_cast<std::uint8_t>(i), 1, 4000);
    request.nonce = i;
    answered += send(i % 2 == 0 ? probe_of(i) : handshake_of(Message{request}), from).size();
  }
  EXPECT_EQ(answered, 100u);
  EXPECT_EQ(count(Counter::kLatencyProbes), 50u);
  EXPECT_EQ(count(Counter::kHandshakeRate), 300u);
}

// A flood of probes of one network leaves the reserved half to others (NetworkLimiter).
TEST_F(ProbedServer, LeavesTheRestToOtherNetworks) {
  for (int i = 0; i < 10'000; ++i) (void)send(probe_of(1), Address::from_ipv4(203, 0, 113, 7, 4000));
  EXPECT_LE(count(Counter::kLatencyProbes), ServerOptions{}.handshake_burst / 2 + 128);
  EXPECT_EQ(send(probe_of(kNonce), Address::from_ipv4(198, 51, 100, 1, 4000)).size(), 1u);
  ConnectRequest request;
  EXPECT_EQ(send(handshake_of(Message{request}), Address::from_ipv4(198, 51, 100, 1, 4001)).size(), 1u);
}

TEST_F(ProbedServer, RepliesWithinTheEgressOfAnswers) {
  ServerOptions options;
  options.egress_max = 8 * 10'000;
  start(options);
  std::size_t answers = 0;
  std::uint64_t const began_us = now_us;
  for (; now_us < began_us + 60 * kSecond; now_us += 1000) answers += send(probe_of(1)).size();
  // An eighth of the server's rate, and the burst of EgressLimiter.
  EXPECT_LE(answers * kLatencyReplyBytes, 600'000u + 65'536u);
  EXPECT_GE(answers * kLatencyReplyBytes, 600'000u);
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
