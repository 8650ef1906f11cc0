// A session over UDP whose client never spoke (an orphan) gives its place to a newcomer who proves himself. A
// session over a stream, or whose client has spoken, gives it to nobody.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "protocol/session/client_handshake.h"
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
  // Null for datagrams.
  StreamId join_over(TransportKind transport, const Address& from) {
    std::uint64_t const nonce = ++nonces_;
    if (transport == TransportKind::kDatagram) {
      join(from, nonce);
      return {};
    }
    auto const stream = server.handle_stream_open(now_us, from, {transport});
    server.handle_stream_bytes(now_us, stream, join_frames(server, now_us, from, nonce, transport));
    return stream;
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
  std::uint64_t displaced = 0;
  for (TransportKind const next : kTransports) {
    SCOPED_TRACE(name_of(next));
    for (PlayerId const player : server.players())
      server.disconnect(now_us, player, DisconnectReason::kKicked);
    drain();
    join_and_speak(home(++host));
    Address const orphan = home(++host);
    join_over(TransportKind::kDatagram, orphan);
    std::vector<PlayerId> const before = server.players();
    ASSERT_EQ(before.size(), 2u);
    (void)take_left();
    now_us += kOrphanSilence - 1;
    join_over(next, home(++host));
    EXPECT_EQ(server.players(), before) << "its Accept may be on the way";
    EXPECT_TRUE(take_left().empty());
    now_us += 1;
    drain();
    join_over(next, home(++host));
    EXPECT_EQ(server.players(), (std::vector<PlayerId>{before[0], before[1] + 1}));
    auto const left = take_left();
    ASSERT_EQ(left.size(), 1u);
    EXPECT_EQ(left[0].player, before[1]);
    EXPECT_EQ(left[0].reason, DisconnectReason::kTimedOut);
    EXPECT_EQ(server.counters()[Counter::kSessionsDisplaced], ++displaced);
    OutgoingDatagram out;
    std::size_t goodbyes = 0;
    while (server.poll_datagram(now_us, out)) goodbyes += out.to == orphan ? 1 : 0;
    EXPECT_EQ(goodbyes, 1u) << "the goodbye waits for no keep-alive";
  }
}

// A lost segment of TCP alone may take 3 s, and the server sees nothing of it.
TEST_F(PlaceOfAnOrphan, IsKeptByAStreamUntilItClosesOrTimesOut) {
  std::uint8_t host = 10;
  for (TransportKind const old : {TransportKind::kStream, TransportKind::kWebSocket}) {
    for (bool const closes : {true, false}) {
      SCOPED_TRACE(std::string(name_of(old)) + (closes ? ", closed" : ", timed out"));
      join_over(old, home(++host));
      StreamId const stream = join_over(old, home(++host));
      std::vector<PlayerId> const before = server.players();
      ASSERT_EQ(before.size(), 2u);
      (void)take_left();
      for (int second = 1; second <= 9; ++second) {
        now_us += kSecond;
        join_over(TransportKind::kDatagram, home(++host));
        drain();
        ASSERT_EQ(server.players(), before) << second << " s";
      }
      if (closes) {
        server.handle_stream_closed(now_us, stream);
      } else {
        now_us += kSecond;
        drain();
      }
      join_over(TransportKind::kDatagram, home(++host));
      EXPECT_EQ(server.players().back(), before[1] + 1);
      for (PlayerId const player : server.players())
        server.disconnect(now_us, player, DisconnectReason::kKicked);
      drain();
    }
  }
  EXPECT_EQ(server.counters()[Counter::kSessionsDisplaced], 0u);
}

// A client takes its Accept until it gives the response up, and its first words come a way later.
TEST_F(PlaceOfAnOrphan, IsKeptLongerWhileItsClientRepeatsItsResponse) {
  static_assert(kWaitingSilence >= kAnswerPatience);
  struct Case {
    std::uint64_t last_repeat;  // after the join
    bool moves;                 // the client repeats from another address
    std::uint64_t silence;      // until the place is free
  };
  std::uint8_t host = 10;
  for (Case const& one :
       {Case{kOrphanSilence, false, kWaitingSilence},
        Case{kOrphanSilence - kHandshakeRetry, false, kWaitingSilence - kHandshakeRetry},
        Case{kOrphanSilence - 2 * kHandshakeRetry, false, kOrphanSilence},
        Case{kWaitingSilence, false, kWaitingSilence}, Case{kWaitingSilence, true, kOrphanSilence}}) {
    SCOPED_TRACE(one.last_repeat);
    for (PlayerId const player : server.players())
      server.disconnect(now_us, player, DisconnectReason::kKicked);
    drain();
    join_and_speak(home(++host));
    Address const orphan = home(++host);
    Address const moved = home(host, 2);
    ConnectRequest request;
    request.nonce = host;
    auto const response = handshake_of(response_of(server, kSecret, now_us, orphan, request));
    server.handle_datagram(now_us, orphan, response);
    std::vector<PlayerId> const before = server.players();
    ASSERT_EQ(before.size(), 2u);
    std::uint64_t const joined_us = now_us;
    while (now_us < joined_us + one.silence - kHandshakeRetry) {
      now_us += kHandshakeRetry;
      if (now_us <= joined_us + one.last_repeat)
        server.handle_datagram(now_us, one.moves ? moved : orphan, response);
      drain();
    }
    now_us = joined_us + one.silence - 1;
    join_over(TransportKind::kDatagram, home(++host));
    EXPECT_EQ(server.players(), before);
    now_us += 1;
    if (one.last_repeat == one.silence) server.handle_datagram(now_us, orphan, response);
    join_over(TransportKind::kDatagram, home(++host));
    EXPECT_EQ(server.players(), (std::vector<PlayerId>{before[0], before[1] + 1}));
  }
}

// The client's first response is lost, and so is every Accept. It leaves its address before it gives the
// response up, and begins anew at another one, while its orphan holds the last place: as long as the client
// had visibly waited, up to half a second more.
TEST_F(PlaceOfAnOrphan, IsFreeForItsClientThatBeginsAnewFromAnotherAddress) {
  std::uint8_t host = 10;
  std::uint64_t refused = 0;
  for (std::uint64_t lost_us : {std::uint64_t{1}, kHandshakeRetry + 1, 2 * kHandshakeRetry + 1}) {
    for (std::uint64_t stay_us = 2'000'000; stay_us <= 3'300'000; stay_us += 50'000) {
      SCOPED_TRACE(testing::Message() << "lost for " << lost_us << " us, moves after " << stay_us << " us");
      for (PlayerId const player : server.players())
        server.disconnect(now_us, player, DisconnectReason::kKicked);
      now_us += kSecond;
      drain();
      join_and_speak(home(++host % 100));
      Address const left = home(100 + ++host % 100, 1);
      Address const taken = home(100 + host % 100, 2);
      ClientOptions options;
      options.nonce = host;
      ClientEndpoint client(seeded(options));
      std::uint64_t const begun_us = now_us;
      client.connect(now_us);
      std::vector<std::byte> bytes;
      OutgoingDatagram out;
      bool has_joined = false;
      std::uint64_t const fulls_before = fulls();
      while (!has_joined && client.state() != ClientState::kDisconnected) {
        now_us += 1000;
        Address const& from = now_us < begun_us + stay_us ? left : taken;
        while (client.poll_datagram(now_us, bytes)) {
          bool const is_lost =
              client.state() == ClientState::kResponding && now_us < begun_us + 2000 + lost_us;
          if (!is_lost) server.handle_datagram(now_us, from, bytes);
        }
        bool const is_second = now_us >= begun_us + kAnswerPatience;
        while (server.poll_datagram(now_us, out))
          if (out.to == from && (is_second || client.state() == ClientState::kRequesting))
            client.handle_datagram(now_us, out.bytes);
        ClientEvent event;
        while (client.poll_event(event)) has_joined = has_joined || std::holds_alternative<Connected>(event);
      }
      EXPECT_TRUE(has_joined);
      EXPECT_LT(now_us, begun_us + 4 * kSecond);
      EXPECT_EQ(server.player_count(), 2u);
      refused += fulls() - fulls_before;
    }
  }
  EXPECT_GT(refused, 0u) << "some of the clients meet the full server first";
}

// A server that stays full is named when the client's time is over, and not as one that does not answer.
TEST_F(PlaceOfAnOrphan, OfAServerThatIsFullOfOthersIsRefusedInTheEnd) {
  Address const from = home(50);
  ClientEndpoint client(seeded());
  std::uint64_t const begun_us = now_us;
  client.connect(now_us);
  std::vector<std::byte> bytes;
  OutgoingDatagram out;
  std::optional<Disconnected> ending;
  bool is_full = false;
  while (!ending) {
    now_us += 1000;
    while (client.poll_datagram(now_us, bytes))
      if (client.state() == ClientState::kRequesting) server.handle_datagram(now_us, from, bytes);
    while (server.poll_datagram(now_us, out))
      if (out.to == from) client.handle_datagram(now_us, out.bytes);
    if (client.state() == ClientState::kResponding && !is_full) {
      is_full = true;
      for (std::uint8_t host = 1; host <= 2; ++host) join_and_speak(home(host));
    }
    ClientEvent event;
    while (client.poll_event(event))
      if (auto const* one = std::get_if<Disconnected>(&event)) ending = *one;
  }
  EXPECT_EQ(ending->refused, RefuseReason::kServerFull);
  EXPECT_EQ(ending->text, "all 2 places are taken");
  EXPECT_EQ(ending->reason, DisconnectReason::kNone);
  EXPECT_GE(now_us, begun_us + ClientOptions{}.connect_timeout_us);
  EXPECT_GE(fulls(), 5u);
  EXPECT_LE(fulls(), 9u) << "a request every 250 ms";
}

// Else a byte now and then would hold a place for ever.
TEST_F(PlaceOfAnOrphan, EndsInTimeThoughItsStreamTricklesBytes) {
  for (TransportKind const transport : {TransportKind::kStream, TransportKind::kWebSocket}) {
    SCOPED_TRACE(name_of(transport));
    StreamId const stream = join_over(transport, home(1));
    ASSERT_EQ(server.player_count(), 1u);
    std::uint64_t const joined_us = now_us;
    std::vector<std::byte> frame;
    write_frame(MessageClass::kReliable, std::vector<std::byte>(100), frame);
    for (std::size_t i = 0; i < 19; ++i) {
      now_us += kSecond / 2;
      server.handle_stream_bytes(now_us, stream, std::span(frame).subspan(i, 1));
      drain();
    }
    EXPECT_TRUE(take_left().empty());
    now_us = joined_us + ServerOptions{}.timeout_us;
    server.handle_stream_bytes(now_us, stream, std::span(frame).subspan(19, 1));
    auto const left = take_left();
    ASSERT_EQ(left.size(), 1u);
    EXPECT_EQ(left[0].reason, DisconnectReason::kTimedOut);
    server.handle_stream_closed(now_us, stream);
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
  auto const seen = [&] { return server.counters()[Counter::kOrphansSeen]; };
  join(home(64, 2), 200);
  EXPECT_EQ(seen(), 2u * 64) << "one look judges, and one makes the place";
  EXPECT_EQ(server.refusals()[static_cast<std::size_t>(RefuseReason::kServerFull)], 0u);
  EXPECT_EQ(server.player_count(), 100u) << "the 64th orphan is seen";
  join(home(100, 2), 201);
  EXPECT_EQ(seen(), 3u * 64);
  EXPECT_EQ(server.refusals()[static_cast<std::size_t>(RefuseReason::kServerFull)], 1u);
}

// Sessions that have spoken or left cost a look nothing, however many there are and in whatever order.
TEST(PlaceOfManyOrphans, ALookSeesNobodyWhoHasSpokenOrLeft) {
  constexpr std::uint32_t kSpoken = 2000;
  ServerOptions options;
  options.players_max = kSpoken + 1;
  options.handshakes_per_s = 1'000'000;
  options.handshake_burst = 1'000'000;
  options.agreements_per_s = 1'000'000;
  options.agreement_burst = 1'000'000;
  ServerEndpoint server(options, kSecret, test_seeds());
  std::uint64_t now_us = kSecond;
  auto const host = [](std::uint32_t index) {
    return Address::from_ipv4(10, 1, static_cast<std::uint8_t>(index / 250),
                              static_cast<std::uint8_t>(index % 250), 1);
  };
  auto const join = [&](const Address& from) {
    ConnectRequest request;
    request.nonce = 1;
    server.handle_datagram(now_us, from, handshake_of(response_of(server, kSecret, now_us, from, request)));
  };
  std::vector<std::byte> bytes;
  OutgoingDatagram out;
  // The orphan is behind half of the sessions that have spoken, and before the other half.
  for (std::uint32_t index = 0; index < kSpoken; ++index) {
    if (index == kSpoken / 2) join(home(1));
    ClientEndpoint client(seeded());
    client.connect(now_us);
    for (int i = 0; i < 6; ++i) {
      now_us += 100;
      while (client.poll_datagram(now_us, bytes)) server.handle_datagram(now_us, host(index), bytes);
      while (server.poll_datagram(now_us, out))
        if (out.to == host(index)) client.handle_datagram(now_us, out.bytes);
    }
  }
  ASSERT_EQ(server.player_count(), kSpoken + 1u);
  now_us += kOrphanSilence;
  join(home(2));
  EXPECT_EQ(server.counters()[Counter::kSessionsDisplaced], 1u);
  EXPECT_EQ(server.counters()[Counter::kOrphansSeen], 2u) << "the orphan alone, by two looks";
  now_us += kOrphanSilence - 1;
  for (int i = 0; i < 100; ++i) join(home(3));  // refused: nobody gives a place
  EXPECT_EQ(server.counters()[Counter::kOrphansSeen], 2u);
  EXPECT_EQ(server.player_count(), kSpoken + 1u);
}

}  // namespace
}  // namespace takt::protocol::test
