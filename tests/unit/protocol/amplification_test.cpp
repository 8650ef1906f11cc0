// Hole: answers of a server are used as an amplifier. Each test fails on a server that has the hole.
#include <gtest/gtest.h>
#include <malloc.h>

#include "protocol/session/challenge.h"
#include "protocol/wire/latency_probe.h"
#include "takt/core/random.h"
#include "tests/sanitizers.h"
#include "tests/unit/protocol/strangers.h"

namespace takt::protocol::test {
namespace {

// Gives a datagram to a server and adds up the bytes of handshake answers, each held against its datagram.
class AmplifiesNothing : public Strangers {
 protected:
  // The bytes of its answer; those of a session do not count.
  std::size_t send(ServerEndpoint& to, const Address& from, std::span<const std::byte> datagram) {
    sent += datagram.size();
    to.handle_datagram(now_us, from, datagram);
    OutgoingDatagram out;
    std::size_t bytes = 0;
    while (to.poll_datagram(now_us, out))
      if (!is_sealed(out.bytes)) bytes += out.bytes.size();
    EXPECT_LE(bytes * 100, datagram.size() * 31) << datagram.size() << " bytes";
    answered += bytes;
    answers += bytes > 0 ? 1 : 0;
    return bytes;
  }
  Address next_address() {
    ++addresses;
    return Address::from_ipv4(10, static_cast<std::uint8_t>(addresses >> 8),
                              static_cast<std::uint8_t>(addresses), 1, 4000);
  }
  // Request and response of one client, whole and cut to every length, and the response four more times.
  void connect(ServerEndpoint& to, const ConnectRequest& request) { connect(to, request, next_address()); }
  void connect(ServerEndpoint& to, const ConnectRequest& request, const Address& from) {
    std::size_t const players = to.player_count();
    ConnectRequest without_name = request;
    without_name.player_name.clear();
    Bytes const ask = handshake_of(Message{without_name});
    EXPECT_GT(send(to, from, ask), 0u) << "a Challenge or a Refuse";
    Bytes const response = handshake_of(Message{response_of(to, kSecret, now_us, from, request)});
    for (std::size_t size = 0; size < kConnectRequestBytes; size += 7) {
      EXPECT_EQ(send(to, from, std::span(ask).first(size)), 0u);
      EXPECT_EQ(send(to, from, std::span(response).first(size)), 0u);
    }
    EXPECT_GT(send(to, from, response), 0u) << "an Accept or a Refuse";
    for (int i = 0; i < 4; ++i) EXPECT_GT(send(to, from, response), 0u) << "replayed";
    EXPECT_EQ(send(to, Address{from.ip, 9}, response) > 0, to.player_count() > players)
        << "from another port: the client may be there before it has the Accept";
    Bytes forged = response;
    forged[100] ^= std::byte{1};
    (void)send(to, from, forged);
  }
  std::size_t sent = 0;
  std::size_t answered = 0;
  std::size_t answers = 0;
  std::uint32_t addresses = 0;
};

TEST_F(AmplifiesNothing, WhateverAStrangerSends) {
  ConnectRequest plain;
  plain.nonce = ~0ull;
  plain.player_name.assign(kPlayerNameBytesMax, 'x');
  {
    ServerEndpoint to(ServerOptions{}, kSecret, test_seeds());
    connect(to, plain);
    // Requests that are refused, with the longest texts.
    std::vector<ConnectRequest> refused(6, plain);
    refused[0].protocol_version = ~0u;
    refused[1].scene_hash = ~0ull;
    refused[2].mode = ReplicationMode::kRollback;
    refused[3].mode = ReplicationMode::kLockstep;
    refused[4].token.assign(900, std::byte{1});
    refused[4].player_name.clear();
    refused[5].numbers_mode = NumbersMode::kFixedMode;
    for (ConnectRequest const& request : refused) connect(to, request);
  }
  {
    ServerOptions full;
    full.players_max = 1;
    ServerEndpoint to(full, kSecret, test_seeds());
    connect(to, plain);
    connect(to, plain);
    EXPECT_EQ(to.player_count(), 1u);
  }
  {
    ServerOptions crowded;
    crowded.address.sessions_max = 1;
    ServerEndpoint to(crowded, kSecret, test_seeds());
    Address const from = next_address();
    connect(to, plain, from);
    connect(to, plain, Address{from.ip, 4001});
    EXPECT_EQ(to.player_count(), 1u);
  }
  {
    ServerEndpoint to(ServerOptions{}, kSecret, test_seeds());
    to.shut_down(now_us, std::string(kReasonTextBytesMax, 'x'));
    connect(to, plain);
  }
  EXPECT_GE(answers, 60u);
  // Latency probes, whole and cut to every length.
  std::size_t const handshakes = answers;
  Bytes probe;
  write_latency_probe(~0ull, probe);
  for (std::size_t size = 0; size <= probe.size(); ++size)
    EXPECT_EQ(send(server, next_address(), std::span(probe).first(size)) > 0, size == probe.size());
  EXPECT_EQ(answers, handshakes + 1);
  // Everything else that is no session's: all other messages, garbage, sealed datagrams of nobody.
  std::size_t const before = answers;
  for (Message const& message : sample_messages()) {
    if (std::holds_alternative<ConnectRequest>(message) || std::holds_alternative<ChallengeResponse>(message))
      continue;
    Bytes datagram = handshake_of(message);
    (void)send(server, next_address(), datagram);
    datagram.resize(kConnectRequestBytes);
    (void)send(server, next_address(), datagram);
  }
  Random random(9);
  for (int i = 0; i < 20'000; ++i) {
    Bytes datagram(random.next_below(1201));
    for (std::byte& byte : datagram) byte = static_cast<std::byte>(random.next_u32());
    if (i % 2 == 0 && !datagram.empty()) datagram[0] |= std::byte{0x80};
    (void)send(server, next_address(), datagram);
  }
  EXPECT_EQ(answers, before);
  EXPECT_LE(answered * 100, sent * 31);
}

// A response is whole, and its cookie good. A proof that does not open gets nothing, whatever bit is wrong; a
// text that is no name, and a name in clear, get a Refuse, again and again, until the address's joins are
// spent.
TEST_F(AmplifiesNothing, AProofWithoutAName) {
  ServerEndpoint to(ServerOptions{}, kSecret, test_seeds());
  auto const refused = [&] { return to.refusals()[static_cast<std::size_t>(RefuseReason::kBadRequest)]; };
  ConnectRequest request;
  request.nonce = ~0ull;
  auto const text_of = [](std::size_t length, std::byte fill) {
    Bytes text(kNamedProofBytes - kProofBytes, fill);
    text[0] = static_cast<std::byte>(length);
    return text;
  };
  std::uint64_t refusals = 0;
  for (Bytes const& text : {text_of(kPlayerNameBytesMax + 1, std::byte{'x'}), text_of(255, std::byte{'x'}),
                            text_of(0, std::byte{'x'}), text_of(kPlayerNameBytesMax, std::byte{'\n'}),
                            text_of(kPlayerNameBytesMax, std::byte{0xff})}) {
    Address const from = next_address();
    Bytes const response = handshake_of(response_with_text(to, kSecret, now_us, from, request, text));
    for (std::size_t size = 0; size < kConnectRequestBytes; size += 7)
      EXPECT_EQ(send(to, from, std::span(response).first(size)), 0u);
    for (std::uint32_t i = 0; i < AddressLimits{}.join_burst; ++i) {
      EXPECT_GT(send(to, from, response), 0u) << "a Refuse";
      EXPECT_EQ(refused(), ++refusals);
    }
    EXPECT_EQ(send(to, from, response), 0u) << "its joins are spent";
    EXPECT_EQ(send(to, Address{from.ip, 9}, response), 0u);
  }
  // One byte of the proof is wrong.
  Bytes const good = text_of(kPlayerNameBytesMax, std::byte{'x'});
  for (std::size_t at = 0; at < kNamedProofBytes; ++at) {
    now_us += kSecond / 8;
    Address const from = next_address();
    ChallengeResponse forged = response_with_text(to, kSecret, now_us, from, request, good);
    forged.proof[at] ^= std::byte{1};
    EXPECT_EQ(send(to, from, handshake_of(forged)), 0u) << at;
  }
  EXPECT_EQ(to.counters()[Counter::kHandshakeProofBad], kNamedProofBytes);
  EXPECT_EQ(refused(), refusals);
  // The name is in the request of both messages.
  Address const from = next_address();
  ChallengeResponse clear = response_of(to, kSecret, now_us, from, request);
  clear.request.player_name.assign(kPlayerNameBytesMax, 'x');
  EXPECT_GT(send(to, from, handshake_of(clear.request)), 0u);
  clear.cookie = make_cookie(kSecret, now_us, TransportKind::kDatagram, from, clear.request);
  EXPECT_GT(send(to, from, handshake_of(clear)), 0u);
  EXPECT_EQ(refused(), refusals + 2);
  EXPECT_EQ(to.player_count(), 0u);
  EXPECT_EQ(answers, refusals + 2);
  EXPECT_LE(answered * 100, sent * 31);
}

// The address of a client whose response somebody copied gets no more for it, and no session from it.
TEST_F(AmplifiesNothing, AResponseThatIsReplayedForItsWholeLife) {
  ServerEndpoint to(ServerOptions{}, kSecret, test_seeds());
  Address const from = next_address();
  ConnectRequest request;
  request.nonce = 3;
  Bytes const response = handshake_of(Message{response_of(to, kSecret, now_us, from, request)});
  for (int i = 0; i < 30'000; ++i) {
    now_us += 1000;
    (void)send(to, from, response);
  }
  EXPECT_EQ(to.counters()[Counter::kHandshakeAccepted], 1u);
  EXPECT_LE(answers, 10'001u) << "none after the cookie has expired";
  EXPECT_GT(answers, 9'000u);
  EXPECT_LE(answered * 100, sent * 31);
}

// Somebody joins, stays deaf, and sends the response in the names of others, each of whom gets the Accept.
// These answers take from the limit of requests.
TEST_F(AmplifiesNothing, AResponseThatIsReplayedFromManyAddresses) {
  ServerOptions options;
  options.handshakes_per_s = 100;
  options.handshake_burst = 200;
  ServerEndpoint to(options, kSecret, test_seeds());
  Address const from = next_address();
  ConnectRequest request;
  request.nonce = 3;
  Bytes const response = handshake_of(Message{response_of(to, kSecret, now_us, from, request)});
  ASSERT_GT(send(to, from, response), 0u);
  constexpr std::uint64_t kReplays = 9000;
  for (std::uint64_t i = 0; i < kReplays; ++i) {
    now_us += 1000;
    (void)send(to, next_address(), response);
  }
  EXPECT_EQ(to.counters()[Counter::kHandshakeAccepted], 1u);
  EXPECT_GT(answers, 500u);
  EXPECT_LE(answers, 1u + 200u + 9u * 100u);
  EXPECT_EQ(to.counters()[Counter::kHandshakeRate], 1 + kReplays - answers);
  EXPECT_EQ(to.counters()[Counter::kHandshakeCookieBad], 0u);
  // Whoever has no proof takes nothing from the limit.
  now_us += kSecond / 2;
  Bytes forged = response;
  forged[100] ^= std::byte{1};
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(send(to, next_address(), forged), 0u);
  EXPECT_GT(send(to, next_address(), response), 0u);
  // No answer comes once the cookie has expired.
  now_us += kSecond;
  EXPECT_EQ(send(to, next_address(), response), 0u);
}

#if TAKT_TEST_HAS_SYSTEM_HEAP
// Bytes of the heap in use do not grow with the strangers, whatever they send.
TEST_F(AmplifiesNothing, AndCostsNoMemory) {
  ServerEndpoint to(ServerOptions{}, kSecret, test_seeds());
  std::size_t after_first = 0;
  for (int round = 0; round < 4; ++round) {
    for (int i = 0; i < 5000; ++i) {
      now_us += 100;
      Address const from = next_address();
      ConnectRequest request;
      request.nonce = addresses;
      (void)send(to, from, handshake_of(Message{request}));
      Cookie cookie = make_cookie(kSecret, now_us, TransportKind::kDatagram, from, request);
      cookie[9] ^= std::byte{1};
      (void)send(to, from, handshake_of(Message{ChallengeResponse{cookie, request, {}, no_proof(request)}}));
      Bytes probe;
      write_latency_probe(addresses, probe);
      (void)send(to, from, probe);
    }
    std::size_t const in_use = mallinfo2().uordblks;
    if (round == 0) after_first = in_use;
    EXPECT_LE(in_use, after_first + 4096) << "round " << round;
  }
  EXPECT_EQ(to.player_count(), 0u);
}
#endif

}  // namespace
}  // namespace takt::protocol::test
