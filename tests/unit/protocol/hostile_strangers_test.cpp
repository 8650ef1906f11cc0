// Holes that strangers could use to keep others out. A suite is named after its hole; each test fails on a
// server that has the hole.
#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "protocol/link/frame.h"
#include "protocol/session/challenge.h"
#include "protocol/wire/network_prefix.h"
#include "tests/unit/protocol/endpoint_pair.h"
#include "tests/unit/protocol/sample_messages.h"
#include "tests/unit/protocol/strangers.h"

namespace takt::protocol::test {
namespace {

Address ipv6(std::uint8_t site, std::uint8_t network, std::uint16_t port) {
  Address address;
  address.ip = {0x20, 0x01, 0x0d, 0xb8, 0, site, 0, network, 0, 0, 0, 0, 0, 0, 0, 1};
  address.port = port;
  return address;
}

// ------------------------------------------------ places cost nothing

class PlacesCostNothing : public Strangers {};

TEST_F(PlacesCostNothing, TheNinthSessionOfAnAddressIsRefused) {
  for (std::uint16_t port = 1; port <= 64; ++port) join(Address::from_ipv4(192, 0, 2, 1, port), port);
  EXPECT_EQ(server.player_count(), AddressLimits{}.sessions_max);
  auto const texts = texts_of_refusals();
  ASSERT_EQ(texts.size(), 1u);
  EXPECT_NE(texts.begin()->find("limit of an address"), std::string::npos) << *texts.begin();
  join(Address::from_ipv4(192, 0, 2, 2, 1));
  EXPECT_EQ(server.player_count(), AddressLimits{}.sessions_max + 1) << "somebody else comes in";
}

TEST_F(PlacesCostNothing, APlaceThatWasLeftIsFreeAgain) {
  Address const from = Address::from_ipv4(192, 0, 2, 1, 1);
  for (std::uint16_t port = 1; port <= 8; ++port) join(Address::from_ipv4(192, 0, 2, 1, port), port);
  server.disconnect(now_us, 3, DisconnectReason::kKicked);
  now_us += kSecond;
  join(Address::from_ipv4(192, 0, 2, 1, 9), 9);
  EXPECT_EQ(server.player_count(), 8u);
  now_us += kSecond;
  join(from, 77);  // connects anew from a port that has a session: it replaces it
  EXPECT_EQ(server.player_count(), 8u);
}

TEST_F(PlacesCostNothing, AnIpv6NetworkHasOneShareAndASiteFour) {
  for (std::uint16_t port = 1; port <= 16; ++port) join(ipv6(1, 0, port), port);
  EXPECT_EQ(server.player_count(), 8u) << "a /64 is one address";
  for (std::uint8_t network = 1; network < 16; ++network) {
    now_us += 8 * kSecond;
    server.handle_tick(now_us, 1);
    for (std::uint16_t port = 1; port <= 8; ++port) join(ipv6(1, network, port), port);
  }
  EXPECT_EQ(server.player_count(), kSiteFactor * AddressLimits{}.sessions_max) << "a /48 has four shares";
  now_us += 8 * kSecond;
  join(ipv6(2, 0, 1));
  EXPECT_EQ(server.player_count(), kSiteFactor * AddressLimits{}.sessions_max + 1);
}

TEST_F(PlacesCostNothing, StreamsCountToo) {
  Address const from = Address::from_ipv4(192, 0, 2, 1, 1);
  for (std::uint64_t i = 0; i < 12; ++i) {
    auto const stream = server.handle_stream_open(now_us, from);
    server.handle_stream_bytes(now_us, stream, join_frames(from, i));
  }
  EXPECT_EQ(server.player_count(), AddressLimits{}.sessions_max);
  EXPECT_EQ(server.refusals()[static_cast<std::size_t>(RefuseReason::kServerFull)], 4u);
}

TEST_F(PlacesCostNothing, ThisMachineMayHoldAllPlaces) {
  for (std::uint16_t port = 1; port <= 64; ++port) join(Address::from_ipv4(127, 0, 0, 1, port), port);
  EXPECT_EQ(server.player_count(), 64u);
}

// ------------------------------------------------ every viewer is a player

class EveryViewerIsAPlayer : public Strangers {
 protected:
  EveryViewerIsAPlayer() : Strangers(options()) {}
  static ServerOptions options() {
    ServerOptions options;
    options.players_max = 2;
    options.spectators_max = 3;
    return options;
  }
};

TEST_F(EveryViewerIsAPlayer, SpectatorsTakeNoPlaceAndNoIdOfAPlayer) {
  for (std::uint16_t port = 1; port <= 5; ++port)
    join(Address::from_ipv4(192, 0, 2, 1, port), port, Role::kSpectator);
  EXPECT_EQ(server.player_count(), 3u) << "they have places of their own";
  for (std::uint16_t port = 11; port <= 13; ++port) join(Address::from_ipv4(192, 0, 2, 1, port), port);
  EXPECT_EQ(server.players(),
            (std::vector<PlayerId>{1, 2, kSpectatorIdFirst, kSpectatorIdFirst + 1, kSpectatorIdFirst + 2}));
  EXPECT_EQ(server.refusals()[static_cast<std::size_t>(RefuseReason::kServerFull)], 3u);
}

class EveryViewerOfAResumedWorld : public Strangers {
 protected:
  EveryViewerOfAResumedWorld() : Strangers(options()) {}
  static ServerOptions options() {
    ServerOptions options;
    options.first_player = 10;
    options.away_players = {{"ann", 7}, {"eve", 8}};
    options.input_offsets = {{7, 500}, {8, 600}};
    return options;
  }
};

TEST_F(EveryViewerOfAResumedWorld, ASpectatorDoesNotTakeTheIdOfAPlayerWhoIsAway) {
  join(Address::from_ipv4(192, 0, 2, 1, 1), 1, Role::kSpectator, "ann");
  EXPECT_EQ(server.players(), (std::vector<PlayerId>{kSpectatorIdFirst}));
  join(Address::from_ipv4(192, 0, 2, 1, 2), 2, Role::kPlayer, "ann");
  join(Address::from_ipv4(192, 0, 2, 1, 3), 3, Role::kPlayer, "ann");
  EXPECT_EQ(server.players(), (std::vector<PlayerId>{7, 10, kSpectatorIdFirst})) << "once";
}

// The simulation goes on from the player's last input, until the room has another world.
TEST_F(EveryViewerOfAResumedWorld, TheClientLearnsWhereItsInputsGoOn) {
  auto const accept_of = [&](std::string name, std::uint16_t port) {
    ClientOptions options;
    options.player_name = std::move(name);
    ClientEndpoint client(seeded(options));
    Address const from = Address::from_ipv4(192, 0, 2, 1, port);
    client.connect(now_us);
    for (int i = 0; i < 20; ++i) {
      now_us += 1000;
      std::vector<std::byte> out;
      while (client.poll_datagram(now_us, out)) server.handle_datagram(now_us, from, out);
      OutgoingDatagram back;
      while (server.poll_datagram(now_us, back))
        if (back.to == from) client.handle_datagram(now_us, back.bytes);
    }
    ClientEvent event;
    while (client.poll_event(event))
      if (auto const* connected = std::get_if<Connected>(&event)) return connected->accept;
    return Accept{};
  };
  PlayingRoom room;
  room.epoch = 1;
  server.handle_room(room);
  EXPECT_EQ(accept_of("bob", 1).input_offset, 0u);
  Accept const ann = accept_of("ann", 2);
  EXPECT_EQ(ann.player_id, 7u);
  EXPECT_EQ(ann.input_offset, 500u);
  EXPECT_EQ(ann.epoch, 1u);
  room.epoch = 2;
  server.handle_room(room);
  Accept const eve = accept_of("eve", 3);
  EXPECT_EQ(eve.player_id, 8u);
  EXPECT_EQ(eve.input_offset, 0u) << "of a world that is gone";
}

TEST_F(EveryViewerOfAResumedWorld, APlayerWithoutANameGetsNobodysId) {
  join(Address::from_ipv4(192, 0, 2, 1, 1), 1);
  join(Address::from_ipv4(192, 0, 2, 1, 2), 2, Role::kPlayer, "bob");
  EXPECT_EQ(server.players(), (std::vector<PlayerId>{10, 11}));
  join(Address::from_ipv4(192, 0, 2, 1, 3), 3, Role::kPlayer, "ann");
  EXPECT_EQ(server.players(), (std::vector<PlayerId>{7, 10, 11}));
}

TEST_F(EveryViewerIsAPlayer, ASpectatorsInputsAreRefusedAndNeverArrive) {
  ClientOptions spectator;
  spectator.role = Role::kSpectator;
  ClientEndpoint client(seeded(spectator));
  client.connect(now_us);
  ServerEvent event;
  std::vector<CommandOutcome> outcomes;
  std::size_t inputs_arrived = 0;
  Accept accept;
  for (int i = 0; i < 100; ++i) {
    now_us += 1000;
    std::vector<std::byte> out;
    while (client.poll_datagram(now_us, out)) server.handle_datagram(now_us, kHome, out);
    OutgoingDatagram back;
    while (server.poll_datagram(now_us, back)) client.handle_datagram(now_us, back.bytes);
    if (i == 50) {
      ASSERT_TRUE(client.send_input(now_us, 1, ReleaseCommand{}).ok());
    }
    while (server.poll_event(event)) inputs_arrived += std::holds_alternative<InputsArrived>(event) ? 1 : 0;
    ClientEvent news;
    while (client.poll_event(news)) {
      if (auto const* in = std::get_if<Connected>(&news)) accept = in->accept;
      if (auto const* decided = std::get_if<CommandOutcomes>(&news)) outcomes = decided->outcomes;
    }
  }
  EXPECT_EQ(accept.role, Role::kSpectator);
  EXPECT_EQ(accept.player_id, kSpectatorIdFirst);
  EXPECT_EQ(inputs_arrived, 0u);
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(outcomes[0].status, CommandStatus::kRefusedPermission);
  EXPECT_EQ(outcomes[0].refusal, CommandRefusal::kSpectator);
}

// ------------------------------------------------ behind a proxy everybody is one address, and local

class BehindAProxy : public Strangers {
 protected:
  static ServerOptions options(bool trusts) {
    ServerOptions options;
    options.admin = AdminGrant::kLoopback;
    if (trusts) options.proxies = {*parse_prefix("127.0.0.0/8")};
    return options;
  }
  static bool joins_as_admin(ServerEndpoint& server, const StreamOrigin& origin) {
    Address const from = Address::from_ipv4(127, 0, 0, 1, 5);
    auto const stream = server.handle_stream_open(1'000'000, from, origin);
    server.handle_stream_bytes(1'000'000, stream, join_frames(server, 1'000'000, from, 1, origin.transport));
    ServerEvent event;
    while (server.poll_event(event))
      if (auto const* joined = std::get_if<PlayerJoined>(&event)) return joined->admin;
    ADD_FAILURE() << "nobody joined";
    return false;
  }
};

TEST_F(BehindAProxy, NobodyIsAdminThroughATrustedProxyOnAnyTransport) {
  ServerEndpoint plain(options(false), kSecret, test_seeds());
  EXPECT_TRUE(joins_as_admin(plain, {TransportKind::kStream, true}));
  ServerEndpoint stream(options(true), kSecret, test_seeds());
  EXPECT_FALSE(joins_as_admin(stream, {TransportKind::kStream, true}));
  ServerEndpoint web(options(true), kSecret, test_seeds());
  EXPECT_FALSE(joins_as_admin(web, {TransportKind::kWebSocket, true}));
  for (bool const trusts : {false, true}) {
    ServerEndpoint datagrams(options(trusts), kSecret, test_seeds());
    Address const from = Address::from_ipv4(127, 0, 0, 1, 5);
    ConnectRequest const request;
    datagrams.handle_datagram(now_us, from,
                              handshake_of(response_of(datagrams, kSecret, now_us, from, request)));
    ServerEvent event;
    ASSERT_TRUE(datagrams.poll_event(event));
    EXPECT_EQ(std::get<PlayerJoined>(event).admin, !trusts);
  }
}

// ------------------------------------------------ joins are the most expensive thing a stranger can ask for

class JoinsAreExpensive : public Strangers {};

TEST_F(JoinsAreExpensive, AnAddressJoinsTwiceASecondAfterItsBurst) {
  // Joins and leaves as fast as it can, for a minute.
  AddressLimits const limits;
  std::uint64_t nonce = 0;
  std::uint64_t joined = 0;
  for (int ms = 0; ms < 60'000; ms += 5) {
    now_us += 5'000;
    ++nonce;
    join(Address::from_ipv4(192, 0, 2, 1, static_cast<std::uint16_t>(1 + nonce % 60'000)), nonce);
    (void)drain();
    ServerEvent event;
    while (server.poll_event(event)) {
      auto const* in = std::get_if<PlayerJoined>(&event);
      if (in == nullptr) continue;
      ++joined;
      server.disconnect(now_us, in->player, DisconnectReason::kKicked);
    }
  }
  EXPECT_LE(joined, limits.join_burst + 60u * limits.joins_per_s);
  EXPECT_GE(joined, 60u * limits.joins_per_s) << "and no fewer";
}

TEST_F(JoinsAreExpensive, AClientWhoseTurnHasNotComeGetsInLater) {
  Address const from = Address::from_ipv4(192, 0, 2, 1, 500);
  spend_joins(Address::from_ipv4(192, 0, 2, 1, 1));
  std::size_t const before = server.counters()[Counter::kHandshakeAccepted];
  EXPECT_EQ(before, 16u);
  join(from);
  EXPECT_EQ(server.counters()[Counter::kHandshakeAccepted], before);
  now_us += kSecond;
  join(from);  // the client repeats its response
  EXPECT_EQ(server.counters()[Counter::kHandshakeAccepted], before + 1);
}

// Two sessions of one response would have the same keys and nonces.
TEST_F(JoinsAreExpensive, AResponseThatWaitsBeginsOneSessionOverAllTransports) {
  Address const from = Address::from_ipv4(192, 0, 2, 1, 1);
  spend_joins(from);
  std::uint64_t const before = server.counters()[Counter::kHandshakeAccepted];
  ConnectRequest request;
  request.nonce = 99;
  auto const response = response_of(server, kSecret, now_us, from, request, nullptr, TransportKind::kStream);
  auto const frames = join_frames(from, 99);
  std::vector<StreamId> streams;
  for (int i = 0; i < 3; ++i) {
    streams.push_back(server.handle_stream_open(now_us, from));
    server.handle_stream_bytes(now_us, streams.back(), frames);
  }
  EXPECT_EQ(server.counters()[Counter::kHandshakeAccepted], before) << "all three wait";
  now_us += 4 * kSecond;
  server.handle_datagram(now_us, from, handshake_of(response));
  EXPECT_EQ(server.counters()[Counter::kHandshakeCookieBad], 1u) << "a cookie is of one transport";
  (void)drain();
  EXPECT_EQ(server.counters()[Counter::kHandshakeAccepted], before + 1);
  EXPECT_EQ(server.counters()[Counter::kHandshakeCookieReused], 2u);
  EXPECT_EQ(server.poll_closing_stream(), streams[1]);
  EXPECT_EQ(server.poll_closing_stream(), streams[2]);
}

TEST_F(JoinsAreExpensive, AStreamWhoseTurnHasNotComeWaits) {
  Address const from = Address::from_ipv4(192, 0, 2, 1, 1);
  spend_joins(from);
  auto const stream = server.handle_stream_open(now_us, from);
  server.handle_stream_bytes(now_us, stream, join_frames(from, 99));
  std::vector<std::byte> challenge;
  EXPECT_GT(server.poll_stream(now_us, server.poll_writable_stream(), 65536, challenge), 0u);
  std::size_t const before = server.player_count();
  EXPECT_EQ(server.counters()[Counter::kHandshakeAccepted], 16u);
  for (int i = 0; i < 20; ++i) {
    now_us = std::min(now_us + 50'000, server.next_wakeup_us(now_us) + 1);
    (void)drain();
  }
  EXPECT_EQ(server.counters()[Counter::kHandshakeAccepted], 17u);
  EXPECT_EQ(server.player_count(), before + 1);
}

TEST_F(JoinsAreExpensive, AStreamThatTalksBeforeItsTurnIsClosed) {
  Address const from = Address::from_ipv4(192, 0, 2, 1, 1);
  spend_joins(from);
  auto const stream = server.handle_stream_open(now_us, from);
  server.handle_stream_bytes(now_us, stream, join_frames(from, 99));
  MessageWriter writer;
  std::vector<std::byte> frame;
  write_frame(MessageClass::kDatagram, writer.write(KeepAlive{}), frame);
  EXPECT_TRUE(server.poll_closing_stream().is_null());
  server.handle_stream_bytes(now_us, stream, std::span(frame).first(1));
  EXPECT_EQ(server.poll_closing_stream(), stream);
  EXPECT_EQ(server.counters()[Counter::kMessageUnexpected], 1u);
  for (int i = 0; i < 20; ++i) {
    now_us += 50'000;
    (void)drain();
  }
  EXPECT_EQ(server.counters()[Counter::kHandshakeAccepted], 16u);
}

TEST_F(JoinsAreExpensive, AStreamThatTalksBeforeItsAcceptIsClosed) {
  Address const from = Address::from_ipv4(192, 0, 2, 1, 1);
  auto frames = join_frames(from, 99);
  frames.push_back(std::byte{20});
  auto const stream = server.handle_stream_open(now_us, from);
  server.handle_stream_bytes(now_us, stream, frames);
  EXPECT_EQ(server.poll_closing_stream(), stream);
  EXPECT_EQ(server.player_count(), 0u);
}

TEST_F(JoinsAreExpensive, NewcomersShareTheDescriptionsOfBodies) {
  // 2.8 MB, twice what the window of a session holds: the last page waits.
  constexpr std::uint32_t kBodies = 100'000;
  std::vector<BodyInfo> bodies(kBodies);
  for (std::uint32_t i = 0; i < kBodies; ++i) bodies[i].id = (std::uint64_t{1} << 32) | i;
  SharedMessages const pages = server.write_bodies_added(1, bodies);
  ASSERT_EQ(pages.size(), (kBodies + kBodyInfosPerMessage - 1) / kBodyInfosPerMessage);
  std::size_t page_bytes = 0;
  for (auto const& page : pages) page_bytes += page->size();
  ASSERT_GT(page_bytes, 2 * kFragmentWindowToClient * kFragmentBytesMax);
  for (std::uint8_t i = 1; i <= 50; ++i) {
    join(Address::from_ipv4(10, 0, 0, i, 1));
    ASSERT_TRUE(server.send_shared(i, pages).ok());
  }
  // The link of each session holds a copy of what its window has room for; the rest is one copy for all.
  EXPECT_EQ(pages.back().use_count(), 1 + 50);
  for (std::uint8_t i = 1; i <= 50; ++i)
    EXPECT_LE(server.stats_of(i)->reliable_queue_bytes,
              kFragmentWindowToClient * kFragmentBytesMax + 2 * kJoinSliceBytes + kReliableBytesMax);
}

// ------------------------------------------------ 256 silent streams close the door

class SilentStreamsCloseTheDoor : public Strangers {};

TEST_F(SilentStreamsCloseTheDoor, AnAddressDisplacesItsOwnOldestAlone) {
  std::vector<StreamId> streams;
  for (std::uint16_t port = 1; port <= 64; ++port)
    streams.push_back(server.handle_stream_open(now_us, Address::from_ipv4(192, 0, 2, 1, port)));
  EXPECT_EQ(server.counters()[Counter::kStreamsDisplaced], 64u - AddressLimits{}.pending_streams_max);
  EXPECT_EQ(server.poll_closing_stream(), streams[0]);
}

TEST_F(SilentStreamsCloseTheDoor, ANewcomerComesInBesideAFullHouseOfSilence) {
  for (int i = 0; i < 256; ++i) {
    now_us += 10;
    EXPECT_FALSE(server
                     .handle_stream_open(now_us, Address::from_ipv4(10, static_cast<std::uint8_t>(i / 16), 0,
                                                                    static_cast<std::uint8_t>(i % 16), 1))
                     .is_null());
  }
  auto const stream = server.handle_stream_open(now_us, kHome);
  ASSERT_FALSE(stream.is_null());
  server.handle_stream_bytes(now_us, stream, join_frames(kHome, 1));
  EXPECT_EQ(server.player_count(), 1u);
  EXPECT_EQ(server.counters()[Counter::kStreamsDisplaced], 1u);
}

TEST_F(SilentStreamsCloseTheDoor, ADisplacedStreamIsNotAnAcceptedOne) {
  auto const accepted = server.handle_stream_open(now_us, kHome);
  server.handle_stream_bytes(now_us, accepted, join_frames(kHome, 1));
  for (std::uint16_t port = 1; port <= 60; ++port)
    (void)server.handle_stream_open(now_us, Address{kHome.ip, port});
  EXPECT_EQ(server.player_count(), 1u);
  for (auto id = server.poll_closing_stream(); !id.is_null(); id = server.poll_closing_stream())
    EXPECT_NE(id, accepted);
}

// The handshake's end is the next thing that happens to it, 5 s after it opened.
TEST_F(SilentStreamsCloseTheDoor, ASilentStreamWakesNobody) {
  ASSERT_FALSE(server.handle_stream_open(now_us, kHome).is_null());
  std::size_t wakes = 0;
  for (std::uint64_t const end = now_us + 4 * kSecond; now_us < end; ++wakes) {
    now_us = std::max(now_us + 1, std::min(end, server.next_wakeup_us(now_us)));
    drain();
    while (!server.poll_writable_stream().is_null()) {
    }
  }
  EXPECT_LE(wakes, 10u);
}

// A closing stream without bytes is half-closed by its transport: what waited for the egress would be lost.
class EgressIsSpent : public Strangers {
 protected:
  EgressIsSpent() : Strangers(options()) {}

 private:
  static ServerOptions options() {
    ServerOptions options;
    options.egress_max = 1;
    return options;
  }
};

TEST_F(EgressIsSpent, ARefusedStreamStillHearsTheReason) {
  ConnectRequest request;
  request.protocol_version = kProtocolVersion + 1;
  MessageWriter writer;
  std::vector<std::byte> frame;
  write_frame(MessageClass::kReliable, writer.write(request), frame);
  std::size_t sent_bytes = 0;
  for (std::uint32_t i = 0; i < 2000; ++i) {
    auto const id = server.handle_stream_open(
        now_us,
        Address::from_ipv4(10, 0, static_cast<std::uint8_t>(i / 256), static_cast<std::uint8_t>(i), 1));
    ASSERT_FALSE(id.is_null());
    server.handle_stream_bytes(now_us, id, frame);
    ASSERT_EQ(server.poll_closing_stream(), id);
    std::vector<std::byte> out;
    ASSERT_GT(server.poll_stream(now_us, id, 64 * 1024, out), 0u) << sent_bytes << " bytes were sent before";
    sent_bytes += out.size();
    server.handle_stream_closed(now_us, id);
  }
  EXPECT_GT(sent_bytes, 64u * 1024) << "the limit had nothing left";
}

// ------------------------------------------------ spoofed datagrams lock a chosen player out

class SpoofedDatagramsLockOut : public Strangers {
 protected:
  static ServerOptions options_with_many_places() {
    ServerOptions options;
    options.players_max = 1000;
    return options;
  }
  // A good cookie and any proof: costs the server an agreement.
  static ChallengeResponse forged_proof(std::uint64_t now_us, const Address& from,
                                        const ConnectRequest& request) {
    static const crypto::KeyPair kClient(seed_of(6));
    return {make_cookie(kSecret, now_us, TransportKind::kDatagram, from, request), request,
            kClient.public_key().bytes, no_proof(request)};
  }
};

TEST_F(SpoofedDatagramsLockOut, AVictimOf128ASecondJoinsOverEveryTransport) {
  std::vector<std::byte> const large = handshake_of(Message{ConnectRequest{}});
  std::vector<std::byte> const small(large.begin(), large.begin() + 200);
  for (int ms = 0; ms < 10'000; ++ms) {
    now_us += 1000;
    server.handle_datagram(now_us, Address{kHome.ip, 9}, ms % 2 == 0 ? small : large);
    (void)drain();
  }
  EXPECT_EQ(server.counters()[Counter::kHandshakeRate], 0u);
  auto datagram = handshake_of(Message{ConnectRequest{}});
  datagram.resize(kConnectRequestBytes);
  server.handle_datagram(now_us, kHome, datagram);
  EXPECT_EQ(drain(), 1u) << "the victim gets its challenge";
  join(kHome);
  EXPECT_EQ(server.player_count(), 1u);
  auto const stream = server.handle_stream_open(now_us, Address{kHome.ip, 10});
  ASSERT_FALSE(stream.is_null());
  server.handle_stream_bytes(now_us, stream, join_frames(Address{kHome.ip, 10}, 5));
  EXPECT_EQ(server.player_count(), 2u);
}

// All responses shared one limit, which a flooder without a cookie used up.
TEST_F(SpoofedDatagramsLockOut, AFloodOfForgedResponsesLeavesNewcomersAlone) {
  std::vector<std::byte> const forged =
      handshake_of(Message{ChallengeResponse{{}, ConnectRequest{}, {}, no_proof({})}});
  for (std::uint32_t i = 0; i < 50'000; ++i) {
    server.handle_datagram(
        now_us, Address::from_ipv4(10, 1, static_cast<std::uint8_t>(i >> 8), static_cast<std::uint8_t>(i), 9),
        forged);
    if (i % 10'000 == 0) {
      join(Address::from_ipv4(192, 0, 2, static_cast<std::uint8_t>(i / 10'000), 9), i + 1);
    }
  }
  EXPECT_EQ(server.counters()[Counter::kHandshakeCookieBad], 50'000u);
  EXPECT_EQ(server.player_count(), 5u);
}

// One flooder used up the requests of all networks.
TEST_F(SpoofedDatagramsLockOut, AFloodOf128AddressesOfOneNetworkLeavesRequestsOfOthersAlone) {
  std::vector<std::byte> large = handshake_of(Message{ConnectRequest{}});
  large.resize(kConnectRequestBytes);
  std::uint32_t challenges = 0;
  for (std::uint32_t ms = 0; ms < 2000; ++ms) {
    now_us += 1000;
    for (std::uint32_t i = 0; i < 100; ++i) {  // 100,000 a second of an IPv4 /24, and as many of an IPv6 /48
      server.handle_datagram(now_us, Address::from_ipv4(10, 1, 2, static_cast<std::uint8_t>(i % 128), 9),
                             large);
      server.handle_datagram(now_us, ipv6(1, static_cast<std::uint8_t>(i % 128), 9), large);
    }
    (void)drain();
    if (ms % 100 != 99) continue;
    server.handle_datagram(now_us, kHome, large);
    server.handle_datagram(now_us, ipv6(2, 0, 9), large);
    challenges += static_cast<std::uint32_t>(drain());
  }
  EXPECT_GT(server.counters()[Counter::kHandshakeRate], 300'000u);
  EXPECT_EQ(challenges, 40u) << "every request of the two homes is answered";
}

// One network used up the agreements of all: each of its addresses joins within its own limit.
TEST_F(SpoofedDatagramsLockOut, AgreementsOfOneNetworkLeaveThoseOfOthersAlone) {
  for (bool const is_ipv6 : {false, true}) {
    ServerEndpoint open(options_with_many_places(), kSecret, test_seeds());
    std::uint64_t us = 1'000'000;
    std::uint64_t nonce = 0;
    std::size_t flooded = 0;
    std::size_t joined = 0;
    auto const join_open = [&](const Address& from) {
      ConnectRequest request;
      request.nonce = ++nonce;
      std::uint64_t const before = open.counters()[Counter::kHandshakeAccepted];
      open.handle_datagram(us, from, handshake_of(response_of(open, kSecret, us, from, request)));
      bool const is_in = open.counters()[Counter::kHandshakeAccepted] > before;
      EXPECT_TRUE(is_in) << from.port << " " << us << " "
                         << open.counters()[Counter::kHandshakeAgreementRate];
      return is_in;
    };
    for (std::uint32_t ms = 0; ms < 3000; ++ms) {
      us += 1000;
      // 4,000 responses a second, all with good cookies: of an IPv4 /24, or of the /64s of an IPv6 /48.
      for (std::uint32_t i = 0; i < 4; ++i) {
        std::uint32_t const host = (ms * 4 + i) % 256;
        Address const from =
            is_ipv6 ? ipv6(1, static_cast<std::uint8_t>(host), static_cast<std::uint16_t>(1 + ms))
                    : Address::from_ipv4(10, 1, 2, static_cast<std::uint8_t>(host),
                                         static_cast<std::uint16_t>(1 + ms));
        ConnectRequest request;
        request.nonce = ++nonce;
        std::uint64_t const agreed = open.counters()[Counter::kHandshakeProofBad];
        open.handle_datagram(us, from, handshake_of(forged_proof(us, from, request)));
        flooded += open.counters()[Counter::kHandshakeProofBad] - agreed;
      }
      if (ms % 100 != 99) continue;
      auto const part = static_cast<std::uint8_t>(ms / 100);
      joined += join_open(is_ipv6 ? ipv6(static_cast<std::uint8_t>(2 + part), 0, 9)
                                  : Address::from_ipv4(192, 0, part, 1, 9))
                    ? 1u
                    : 0u;
      OutgoingDatagram out;
      while (open.poll_datagram(us, out)) {
      }
    }
    EXPECT_EQ(joined, 30u) << "every newcomer of another network is in at once";
    EXPECT_LE(flooded, 250u + 3 * 250u + 32u + 3 * 16u);
    EXPECT_GT(flooded, 60u) << "a /48 has 64 joins at once";
  }
}

TEST_F(SpoofedDatagramsLockOut, AFloodOfRequestsLeavesResponsesAlone) {
  std::vector<std::byte> large = handshake_of(Message{ConnectRequest{}});
  large.resize(kConnectRequestBytes);
  for (std::uint32_t i = 0; i < 50'000; ++i) {
    server.handle_datagram(
        now_us, Address::from_ipv4(10, 1, static_cast<std::uint8_t>(i >> 8), static_cast<std::uint8_t>(i), 9),
        large);
  }
  EXPECT_GT(server.counters()[Counter::kHandshakeRate], 40'000u) << "the flood has a bound of its own";
  join(kHome);
  EXPECT_EQ(server.player_count(), 1u);
}

}  // namespace
}  // namespace takt::protocol::test
