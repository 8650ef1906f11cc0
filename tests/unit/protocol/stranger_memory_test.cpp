// A stranger over datagrams costs a server no memory: what it sends before its cookie is good is read,
// checked and counted without an allocation, from the first datagram on. Answers (Challenge, Refuse, reply to
// a probe) are datagrams that wait in a bounded queue; amplification_test.cpp shows that the heap does not
// grow by them.
#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "protocol/session/challenge.h"
#include "takt/core/random.h"
#include "tests/physics/allocation_count.h"
#include "tests/unit/protocol/endpoint_pair.h"
#include "tests/unit/protocol/sample_messages.h"

namespace takt::protocol::test {
namespace {

class StrangerWithoutACookie : public testing::Test {
 protected:
  // The number of allocations for these datagrams, each from another address.
  std::uint64_t cost(const std::vector<Bytes>& datagrams) {
    std::uint64_t const before = takt::test::allocation_count();
    std::uint16_t port = 0;
    for (const Bytes& datagram : datagrams) {
      now_us += 100;
      server.handle_datagram(now_us, Address{kHome.ip, ++port}, datagram);
    }
    std::uint64_t const after = takt::test::allocation_count();
    OutgoingDatagram out;
    EXPECT_FALSE(server.poll_datagram(now_us, out)) << "an answer";
    return after - before;
  }
  [[nodiscard]] std::uint64_t count(Counter counter) const { return server.counters()[counter]; }

  // A response with the longest fields; with a token the proof is the tag alone.
  static ChallengeResponse response(std::uint64_t nonce, std::size_t token_bytes) {
    ChallengeResponse response;
    response.request.nonce = nonce;
    response.request.token.assign(token_bytes, std::byte{0x5a});
    response.proof.assign(token_bytes == 0 ? kNamedProofBytes : kProofBytes, std::byte{7});
    response.cookie.fill(static_cast<std::byte>(nonce));
    return response;
  }

  std::uint64_t now_us = 1'000'000;
  ServerEndpoint server{ServerOptions{}, kSecret, test_seeds()};
};

TEST_F(StrangerWithoutACookie, CostsNoMemoryByAForgedResponse) {
  std::vector<Bytes> datagrams;
  for (std::uint64_t i = 0; i < 500; ++i) {
    ChallengeResponse one = response(i, i % 3 == 0 ? 0 : 100 + i);
    if (i % 5 == 0) one.request.player_name.assign(kPlayerNameBytesMax, 'x');
    datagrams.push_back(handshake_of(Message{one}));
  }
  EXPECT_EQ(cost(datagrams), 0u);
  EXPECT_EQ(count(Counter::kHandshakeCookieBad), 500u);
}

TEST_F(StrangerWithoutACookie, CostsNoMemoryByAnExpiredOne) {
  std::vector<Bytes> datagrams;
  std::uint64_t const made_us = now_us;
  for (std::uint16_t i = 0; i < 500; ++i) {
    ChallengeResponse one = response(i, i % 2 == 0 ? 0 : 900);
    one.cookie = make_cookie(kSecret, made_us, TransportKind::kDatagram,
                             Address{kHome.ip, static_cast<std::uint16_t>(i + 1)}, one.request);
    datagrams.push_back(handshake_of(Message{one}));
  }
  now_us += kCookieLifetime + 1;
  EXPECT_EQ(cost(datagrams), 0u);
  EXPECT_EQ(count(Counter::kHandshakeCookieExpired), 500u);
}

TEST_F(StrangerWithoutACookie, CostsNoMemoryByWhatIsMalformed) {
  std::vector<Bytes> datagrams;
  for (std::size_t const token_bytes : {std::size_t{0}, std::size_t{900}}) {
    ChallengeResponse wrong = response(1, token_bytes);
    std::size_t const right = wrong.proof.size();
    for (std::size_t const bytes : {std::size_t{0}, kProofBytes, kNamedProofBytes - 1, kNamedProofBytes}) {
      wrong.proof.resize(bytes);
      if (bytes != right) datagrams.push_back(handshake_of(Message{wrong}));
    }
  }
  Random random(7);
  Bytes const good = handshake_of(Message{response(1, 300)});
  for (int i = 0; i < 2000; ++i) {
    Bytes bent = good;
    for (int k = 0; k < 4; ++k)
      bent[kHandshakeHeaderBytes + random.next_below(600)] = static_cast<std::byte>(random.next_u32());
    datagrams.push_back(std::move(bent));
  }
  for (std::size_t bytes = 0; bytes < good.size(); bytes += 5)
    datagrams.emplace_back(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(bytes));
  for (int i = 0; i < 2000; ++i) {
    Bytes noise(random.next_below(1300));
    for (std::byte& one : noise) one = static_cast<std::byte>(random.next_u32());
    if (!noise.empty() && i % 2 == 0) noise[0] |= std::byte{0x80};
    datagrams.push_back(std::move(noise));
  }
  EXPECT_EQ(cost(datagrams), 0u);
  EXPECT_GT(count(Counter::kMessageBadField), 4u);
  EXPECT_GT(count(Counter::kVerifierFailed), 100u);
  EXPECT_GT(count(Counter::kHandshakeCookieBad), 100u) << "some of the bent ones are responses still";
}

TEST_F(StrangerWithoutACookie, CostsNoMemoryByAnyOtherMessage) {
  std::vector<Bytes> datagrams;
  for (Message const& message : sample_messages()) {
    if (std::holds_alternative<ConnectRequest>(message) || std::holds_alternative<ChallengeResponse>(message))
      continue;
    Bytes datagram = handshake_of(message);
    if (datagram.size() > kDatagramBytesMax) continue;
    datagram.resize(kConnectRequestBytes);
    datagrams.push_back(std::move(datagram));
  }
  ASSERT_GT(datagrams.size(), 20u);
  EXPECT_EQ(cost(datagrams), 0u);
  EXPECT_EQ(count(Counter::kMessageUnexpected), datagrams.size());
}

// The memory is used again: nothing of a response is in the next one.
TEST_F(StrangerWithoutACookie, LeavesNothingInTheNextMessage) {
  MessageReader reader;
  ClientHandshakeMessages read;
  MessageWriter writer;
  ChallengeResponse const before = response(1, 900);
  ASSERT_TRUE(reader.read_handshake(writer.write(before), read));
  for (ChallengeResponse one : {response(2, 0), response(3, 10), response(4, 0)}) {
    if (one.request.nonce == 4) one.request.token_verifier.emplace().fill(std::byte{1});
    Bytes const bytes = [&] {
      auto const view = writer.write(one);
      return Bytes(view.begin(), view.end());
    }();
    auto const kind = reader.read_handshake(bytes, read);
    ASSERT_TRUE(kind);
    EXPECT_EQ(*kind, ClientHandshakeKind::kResponse);
    auto const whole = reader.read(bytes, MessageClass::kDatagram);
    ASSERT_TRUE(whole);
    auto const& expected = std::get<ChallengeResponse>(*whole);
    EXPECT_EQ(read.response.proof, expected.proof);
    EXPECT_EQ(read.response.cookie, expected.cookie);
    EXPECT_EQ(read.response.request.token, expected.request.token);
    EXPECT_EQ(read.response.request.token_verifier, expected.request.token_verifier);
    EXPECT_EQ(read.response.request.nonce, expected.request.nonce);
    EXPECT_EQ(read.response.request.player_name, expected.request.player_name);
  }
}

}  // namespace
}  // namespace takt::protocol::test
