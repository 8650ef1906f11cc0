// A session whose client never spoke (an orphan) gives its place to a newcomer who proves himself, and a
// session whose client has spoken gives it to nobody.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/protocol/strangers.h"

namespace takt::protocol::test {
namespace {

Address home(std::uint8_t host, std::uint16_t port = 1) { return Address::from_ipv4(192, 0, 2, host, port); }

class PlaceOfAnOrphan : public Strangers {
 protected:
  PlaceOfAnOrphan() : Strangers(two_places()) {}
  static ServerOptions two_places() {
    ServerOptions options;
    options.players_max = 2;
    options.spectators_max = 1;
    options.address.sessions_max = 2;
    return options;
  }
  // A client that gets its Accept and answers it.
  void join_and_speak(const Address& from) {
    ClientEndpoint client(seeded());
    client.connect(now_us);
    for (int i = 0; i < 8; ++i) {
      now_us += 1000;
      std::vector<std::byte> bytes;
      while (client.poll_datagram(now_us, bytes)) server.handle_datagram(now_us, from, bytes);
      OutgoingDatagram out;
      while (server.poll_datagram(now_us, out))
        if (out.to == from) client.handle_datagram(now_us, out.bytes);
    }
  }
  void join_over(TransportKind transport, const Address& from) {
    std::uint64_t const nonce = ++nonces_;
    if (transport == TransportKind::kDatagram) return join(from, nonce);
    auto const stream = server.handle_stream_open(now_us, from, {transport});
    server.handle_stream_bytes(now_us, stream, join_frames(server, now_us, from, nonce, transport));
  }
  std::vector<PlayerLeft> take_left() {
    std::vector<PlayerLeft> left;
    ServerEvent event;
    while (server.poll_event(event))
      if (auto const* one = std::get_if<PlayerLeft>(&event)) left.push_back(*one);
    return left;
  }
  [[nodiscard]] std::uint64_t fulls() const {
    return server.refusals()[static_cast<std::size_t>(RefuseReason::kServerFull)];
  }

 private:
  std::uint64_t nonces_ = 1000;
};

constexpr TransportKind kTransports[] = {TransportKind::kDatagram, TransportKind::kStream,
                                         TransportKind::kWebSocket};

TEST_F(PlaceOfAnOrphan, GoesToANewcomerOverEveryTransport) {
  std::uint8_t host = 10;
  for (TransportKind const old : kTransports) {
    for (TransportKind const next : kTransports) {
      SCOPED_TRACE(std::string(name_of(old)) + ", then " + std::string(name_of(next)));
      for (PlayerId const player : server.players())
        server.disconnect(now_us, player, DisconnectReason::kKicked);
      drain();
      join_and_speak(home(++host));
      join_over(old, home(++host));
      std::vector<PlayerId> const before = server.players();
      ASSERT_EQ(before.size(), 2u);
      (void)take_left();
      now_us += kOrphanSilence - 1;
      join_over(next, home(++host));
      EXPECT_EQ(server.players(), before) << "its Accept may be on the way";
      EXPECT_TRUE(take_left().empty());
      now_us += 1;
      join_over(next, home(++host));
      EXPECT_EQ(server.players(), (std::vector<PlayerId>{before[0], before[1] + 1}));
      auto const left = take_left();
      ASSERT_EQ(left.size(), 1u);
      EXPECT_EQ(left[0].player, before[1]);
      EXPECT_EQ(left[0].reason, DisconnectReason::kTimedOut);
    }
  }
}

TEST_F(PlaceOfAnOrphan, IsTakenFromNobodyWhoHasSpoken) {
  join_and_speak(home(1));
  join_and_speak(home(2));
  std::vector<PlayerId> const players = server.players();
  ASSERT_EQ(players.size(), 2u);
  (void)take_left();
  std::uint64_t const spoken_us = now_us;
  for (std::uint8_t host = 10; now_us + kSecond < spoken_us + 9 * kSecond; ++host) {
    now_us += kSecond;
    for (TransportKind const transport : kTransports) join_over(transport, home(host));
    drain();
    EXPECT_EQ(server.players(), players) << "silent for " << now_us - spoken_us << " us";
  }
  EXPECT_TRUE(take_left().empty());
  EXPECT_EQ(fulls(), 3u * 8);
}

TEST_F(PlaceOfAnOrphan, IsNotTakenByWhoProvesNothing) {
  join(home(1));
  join(home(2));
  now_us += kOrphanSilence;
  ConnectRequest request;
  request.nonce = 3;
  server.handle_datagram(now_us, home(3), handshake_of(request));
  ChallengeResponse response = response_of(server, kSecret, now_us, home(3), request);
  response.proof[0] ^= std::byte{1};
  server.handle_datagram(now_us, home(3), handshake_of(response));
  EXPECT_EQ(server.counters()[Counter::kHandshakeProofBad], 1u);
  EXPECT_EQ(server.players(), (std::vector<PlayerId>{1, 2}));
  EXPECT_TRUE(take_left().empty());
  response.proof[0] ^= std::byte{1};
  server.handle_datagram(now_us, home(3), handshake_of(response));
  EXPECT_EQ(server.players(), (std::vector<PlayerId>{2, 3})) << "the oldest goes";
}

TEST_F(PlaceOfAnOrphan, IsKeptWhileAnotherOneIsFree) {
  join(home(1));
  now_us += 3 * kSecond;
  join(home(2));
  EXPECT_EQ(server.players(), (std::vector<PlayerId>{1, 2}));
}

TEST_F(PlaceOfAnOrphan, IsOfItsRole) {
  join(home(1), 1, Role::kSpectator);
  join_and_speak(home(2));
  join_and_speak(home(3));
  now_us += kOrphanSilence;
  join(home(4), 4);
  EXPECT_EQ(server.player_count(), 3u);
  EXPECT_EQ(fulls(), 1u) << "a spectator has no place of a player";
  join(home(5), 5, Role::kSpectator);
  EXPECT_EQ(server.player_count(), 3u);
  EXPECT_EQ(fulls(), 1u);
  auto const left = take_left();
  ASSERT_EQ(left.size(), 1u);
  EXPECT_GE(left[0].player, kSpectatorIdFirst);
}

class PlaceOfAnAddress : public PlaceOfAnOrphan {};

// One address may have two sessions, of whatever role.
TEST_F(PlaceOfAnAddress, GoesToANewcomerOfTheAddressAlone) {
  join(home(1, 1), 1);
  join(home(1, 2), 2, Role::kSpectator);
  now_us += kOrphanSilence;
  join(home(2, 1), 3);  // another address takes the place that is free
  EXPECT_EQ(server.players(), (std::vector<PlayerId>{1, 2, kSpectatorIdFirst}));
  // All places of players and of the address are taken: one orphan gives both.
  join(home(1, 3), 4);
  EXPECT_EQ(server.players(), (std::vector<PlayerId>{2, 3, kSpectatorIdFirst}));
  join(home(1, 4), 5, Role::kSpectator);
  EXPECT_EQ(server.players(), (std::vector<PlayerId>{2, 3, kSpectatorIdFirst + 1}));
}

// A newcomer may need a place of another role's orphan at its address, and of an orphan elsewhere.
TEST_F(PlaceOfAnAddress, AndAPlaceOfTheRoleComeFromTwoOrphans) {
  join(home(2, 1), 1);
  join(home(3, 1), 2);
  join(home(1, 1), 3, Role::kSpectator);
  now_us += kOrphanSilence;
  join_and_speak(home(1, 2));  // takes the place of player 1
  now_us += kOrphanSilence;
  join(home(1, 3), 5);  // the address has two sessions, and all players' places are taken
  EXPECT_EQ(server.players(), (std::vector<PlayerId>{3, 4}));
  auto const left = take_left();
  EXPECT_EQ(left.size(), 3u);
}

// 64 orphans of other addresses are all that a look sees.
TEST(PlaceOfManyOrphans, ALookIsBounded) {
  ServerOptions options;
  options.players_max = 4096;
  options.address.sessions_max = 1;
  ServerEndpoint server(options, kSecret, test_seeds());
  std::uint64_t now_us = kSecond;
  auto const join = [&](const Address& from, std::uint64_t nonce) {
    ConnectRequest request;
    request.nonce = nonce;
    server.handle_datagram(now_us, from, handshake_of(response_of(server, kSecret, now_us, from, request)));
  };
  for (std::uint8_t host = 1; host <= 100; ++host) join(home(host), host);
  ASSERT_EQ(server.player_count(), 100u);
  now_us += kOrphanSilence;
  join(home(64, 2), 200);
  EXPECT_EQ(server.refusals()[static_cast<std::size_t>(RefuseReason::kServerFull)], 0u);
  EXPECT_EQ(server.player_count(), 100u) << "the 64th orphan is seen";
  join(home(100, 2), 201);
  EXPECT_EQ(server.refusals()[static_cast<std::size_t>(RefuseReason::kServerFull)], 1u);
}

}  // namespace
}  // namespace takt::protocol::test
