// Tokens of connect requests: who is let in with which name and rights, what is refused, and that a flood
// cannot make the server open more than its budget. The opener is a table; token_gate_test.cpp has the real
// one.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>

#include "protocol/link/frame.h"
#include "protocol/session/challenge.h"
#include "protocol/session/client_handshake.h"
#include "tests/unit/protocol/endpoint_pair.h"

namespace takt::protocol::test {
namespace {

// The first byte of a token names its grant.
class TableOpener final : public TokenOpener {
 public:
  Result<TokenGrant, RefuseReason> open(std::span<const std::byte> sealed,
                                        crypto::SessionKeyBytes& keys) override {
    ++opens;
    keys.fill(sealed.front());
    auto const at = grants.find(std::to_integer<int>(sealed.front()));
    if (at == grants.end()) return RefuseReason::kTokenForged;
    return at->second;
  }
  bool claim(const std::array<std::byte, 16>& tag, std::uint64_t holder) override {
    auto const [at, is_new] = holders.emplace(tag, holder);
    return is_new || at->second == holder;
  }
  void release(const std::array<std::byte, 16>& tag, std::uint64_t holder) override {
    auto const at = holders.find(tag);
    ASSERT_NE(at, holders.end());
    EXPECT_EQ(at->second, holder);
    holders.erase(at);
  }
  std::map<int, TokenGrant> grants;
  std::map<std::array<std::byte, 16>, std::uint64_t> holders;
  std::uint64_t opens = 0;
};

TokenGrant grant_of(int number) {
  TokenGrant grant;
  grant.tag[0] = static_cast<std::byte>(number);
  grant.user_id = 100u + static_cast<unsigned>(number);
  grant.modes = 1;
  grant.name = "user " + std::to_string(number);
  return grant;
}

std::vector<std::byte> token_of(int number, std::size_t bytes = 300) {
  std::vector<std::byte> token(bytes, std::byte{0x5a});
  token.front() = static_cast<std::byte>(number);
  return token;
}

class SessionToken : public testing::TestWithParam<TransportKind> {
 protected:
  SessionToken() {
    for (int i = 1; i <= 4; ++i) opener.grants[i] = grant_of(i);
    opener.grants[2].role = Role::kSpectator;
    opener.grants[3].admin = true;
    opener.grants[4].modes = 1u << static_cast<unsigned>(ReplicationMode::kLockstep);
    options.tokens = &opener;
  }
  void start() { server.emplace(options, kSecret, test_seeds()); }

  // A client with this token and port, connected as far as the server lets it.
  struct Player {
    explicit Player(const ClientOptions& client_options) : client(seeded(client_options)) {}
    ClientEndpoint client;
    Address address;
    StreamId stream;
    std::optional<Accept> accept;
    Disconnected ending;
    [[nodiscard]] RefuseReason refused() const { return ending.refused; }
  };
  std::unique_ptr<Player> join(std::vector<std::byte> token, std::uint16_t port, Role role = Role::kPlayer,
                               std::string name = "claim") {
    ClientOptions client_options;
    client_options.transport = GetParam();
    if (!token.empty()) {
      unsigned const number = keys_of_client.value_or(std::to_integer<unsigned>(token.front()));
      client_options.token_keys =
          std::make_shared<const crypto::SessionKeys>(crypto::SessionKeys{seed_of(number), seed_of(number)});
    }
    client_options.token = std::move(token);
    client_options.role = role;
    client_options.player_name = std::move(name);
    client_options.nonce = port;
    auto player = std::make_unique<Player>(client_options);
    player->address = home;
    player->address.port = port;
    player->client.connect(now_us);
    if (GetParam() == TransportKind::kStream)
      player->stream = server->handle_stream_open(now_us, player->address);
    for (int i = 0; i < 8; ++i) exchange(*player);
    ServerEvent event;
    while (server->poll_event(event))
      if (auto const* one = std::get_if<PlayerJoined>(&event)) joined = *one;
    return player;
  }
  // Joins, but the client does not get the Accept.
  std::unique_ptr<Player> join_deaf(std::vector<std::byte> token, std::uint16_t port) {
    is_deaf = true;
    auto player = join(std::move(token), port);
    is_deaf = false;
    return player;
  }
  void exchange(Player& player) {
    now_us += 1000;
    if (is_deaf && server->player_count() > 0) return;
    std::vector<std::byte> bytes;
    if (GetParam() == TransportKind::kStream) {
      (void)player.client.poll_stream(now_us, 65536, bytes);
      server->handle_stream_bytes(now_us, player.stream, bytes);
      if (is_deaf && server->player_count() > 0) return;
      bytes.clear();
      (void)server->poll_stream(now_us, player.stream, 65536, bytes);
      player.client.handle_stream_bytes(now_us, bytes);
    } else {
      while (player.client.poll_datagram(now_us, bytes))
        server->handle_datagram(now_us, player.address, bytes);
      if (is_deaf && server->player_count() > 0) return;
      OutgoingDatagram out;
      while (server->poll_datagram(now_us, out))
        if (out.to == player.address) player.client.handle_datagram(now_us, out.bytes);
    }
    ClientEvent event;
    while (player.client.poll_event(event)) {
      if (auto const* connected = std::get_if<Connected>(&event)) player.accept = connected->accept;
      if (auto* over = std::get_if<Disconnected>(&event)) player.ending = std::move(*over);
    }
  }
  void leave(Player& player) {
    player.client.disconnect(now_us);
    for (int i = 0; i < 300; ++i) exchange(player);
    if (GetParam() == TransportKind::kStream) server->handle_stream_closed(now_us, player.stream);
  }

  [[nodiscard]] std::uint64_t reuses_refused() const {
    return server->refusals()[static_cast<std::size_t>(RefuseReason::kTokenReused)];
  }

  TableOpener opener;
  ServerOptions options;
  std::optional<ServerEndpoint> server;
  Address home = Address::from_ipv4(192, 0, 2, 1, 0);  // of all players
  std::uint64_t now_us = 1'000'000;
  std::optional<PlayerJoined> joined;
  std::optional<unsigned> keys_of_client;  // other ones than those of the token
  bool is_deaf = false;                    // the client gets nothing once there is a session
};
INSTANTIATE_TEST_SUITE_P(Transports, SessionToken,
                         testing::Values(TransportKind::kDatagram, TransportKind::kStream),
                         [](auto const& one) { return std::string(name_of(one.param)); });

TEST_P(SessionToken, GivesUserNameAndRightsToItsSession) {
  opener.grants[3].bodies_max = 7;
  start();
  auto const player = join(token_of(3), 1);
  ASSERT_TRUE(player->accept);
  ASSERT_TRUE(joined);
  EXPECT_EQ(joined->user_id, 103u);
  EXPECT_EQ(joined->name, "user 3") << "the name of the token, not the claim of the client";
  EXPECT_TRUE(joined->admin);
  EXPECT_EQ(joined->bodies_max, 7u);
  auto const other = join(token_of(1), 2);
  ASSERT_TRUE(other->accept);
  EXPECT_FALSE(joined->admin);
}

// Rights come from the token alone: a server's own machine may have users, too.
TEST_P(SessionToken, GivesNoRightToAnAddressOfThisMachine) {
  options.admin = AdminGrant::kLoopback;
  options.allow_guests = true;
  home = Address::from_ipv4(127, 0, 0, 1, 0);
  start();
  ASSERT_TRUE(join({}, 1)->accept);
  EXPECT_TRUE(joined->admin) << "a guest has the right of its address";
  ASSERT_TRUE(join(token_of(1), 2)->accept);
  EXPECT_FALSE(joined->admin);
  ASSERT_TRUE(join(token_of(3), 3)->accept);
  EXPECT_TRUE(joined->admin);
}

TEST_P(SessionToken, IsNeededForThePlayerWhoIsAway) {
  options.first_player = 10;
  options.away_players = {{"user 1", 7}};
  options.allow_guests = true;
  start();
  auto const guest = join({}, 1, Role::kPlayer, "user 1");
  ASSERT_TRUE(guest->accept);
  EXPECT_EQ(guest->accept->player_id, 10u) << "the name of a guest is a claim";
  auto const user = join(token_of(1), 2);
  ASSERT_TRUE(user->accept);
  EXPECT_EQ(user->accept->player_id, 7u);
}

TEST_P(SessionToken, LimitsTheCommandsOfItsPlayer) {
  opener.grants[1].commands_per_s_max = 3;
  start();
  auto const player = join(token_of(1), 1);
  ASSERT_TRUE(player->accept);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(player->client.send_input(now_us, 10, Command{ReleaseCommand{}}));
  std::size_t taken = 0;
  for (int i = 0; i < 20; ++i) exchange(*player);
  ServerEvent event;
  while (server->poll_event(event))
    if (auto const* inputs = std::get_if<InputsArrived>(&event)) taken += inputs->inputs.size();
  EXPECT_EQ(taken, 3u);
}

TEST_P(SessionToken, IsRequiredUnlessGuestsAreAllowed) {
  start();
  auto const guest = join({}, 1);
  EXPECT_FALSE(guest->accept);
  EXPECT_EQ(guest->refused(), RefuseReason::kTokenRequired);
  EXPECT_EQ(server->refusals()[static_cast<std::size_t>(RefuseReason::kTokenRequired)], 1u);
  EXPECT_EQ(opener.opens, 0u);
  options.allow_guests = true;
  start();
  EXPECT_TRUE(join({}, 2)->accept);
  EXPECT_EQ(joined->user_id, 0u);
  EXPECT_EQ(joined->name, "claim");
  EXPECT_EQ(join(token_of(9), 3)->refused(), RefuseReason::kTokenForged) << "no guest with a bad token";
}

// The keys of the session depend on those in the token, which the server cannot open.
TEST_P(SessionToken, IsRefusedByAServerWithoutKeys) {
  options.tokens = nullptr;
  start();
  EXPECT_EQ(join(token_of(9), 1)->refused(), RefuseReason::kTokenWrongKey);
}

TEST_P(SessionToken, IsRefusedByNameAtTheCostOfOneOpen) {
  start();
  EXPECT_EQ(join(token_of(9), 1)->refused(), RefuseReason::kTokenForged);
  EXPECT_EQ(opener.opens, 1u);
  EXPECT_EQ(join(token_of(2), 2)->refused(), RefuseReason::kTokenWrongRole);
  EXPECT_EQ(join(token_of(4), 3)->refused(), RefuseReason::kTokenWrongMode);
  EXPECT_EQ(opener.opens, 3u);
  EXPECT_EQ(server->counters()[Counter::kHandshakeTokensOpened], 3u);
  EXPECT_EQ(server->counters()[Counter::kHandshakeRefused], 3u);
  EXPECT_EQ(server->player_count(), 0u);
  EXPECT_TRUE(opener.holders.empty()) << "a refused request holds no token";
  EXPECT_TRUE(join(token_of(2), 4, Role::kSpectator)->accept);
  EXPECT_TRUE(join(token_of(1), 5, Role::kSpectator)->accept) << "a player may watch";
}

TEST_P(SessionToken, BelongsToOneSessionAtATime) {
  start();
  auto const first = join(token_of(1), 1);
  ASSERT_TRUE(first->accept);
  EXPECT_EQ(join(token_of(1), 2)->refused(), RefuseReason::kTokenReused);
  EXPECT_EQ(server->player_count(), 1u);
  leave(*first);
  EXPECT_TRUE(opener.holders.empty());
  EXPECT_TRUE(join(token_of(1), 3)->accept);
}

// A client that lost its Accept begins anew, perhaps from another address, and its orphan must not keep the
// token until the time-out.
TEST_P(SessionToken, OfAnOrphanGoesToWhoProvesItsKeys) {
  start();
  auto const orphan = join_deaf(token_of(1), 1);
  ASSERT_EQ(server->player_count(), 1u);
  ASSERT_FALSE(orphan->accept);
  home = Address::from_ipv4(198, 51, 100, 1, 0);
  now_us += kOrphanSilence;
  keys_of_client = 77;  // of who copied the sealed token from the path
  EXPECT_FALSE(join(token_of(1), 3)->accept);
  keys_of_client.reset();
  EXPECT_EQ(server->player_count(), 1u);
  ServerEvent event;
  EXPECT_FALSE(server->poll_event(event)) << "the orphan is there";
  ConnectRequest web;  // with all that a request over a web socket shows, and no keys
  web.token = token_of(1);
  crypto::SessionKeyBytes keys;
  keys.fill(std::byte{1});
  web.token_verifier = crypto::token_verifier(keys);
  StreamId const stream = server->handle_stream_open(now_us, home, {TransportKind::kWebSocket, true});
  MessageWriter writer;
  Bytes frames;
  write_frame(MessageClass::kReliable, writer.write(web), frames);
  server->handle_stream_bytes(now_us, stream, frames);
  EXPECT_EQ(reuses_refused(), 1u);
  EXPECT_EQ(server->player_count(), 1u);
  std::uint64_t const held_by = opener.holders.at(grant_of(1).tag);
  auto const player = join(token_of(1), 4);
  EXPECT_TRUE(player->accept);
  EXPECT_EQ(server->player_count(), 1u) << "the orphan is gone";
  EXPECT_NE(opener.holders.at(grant_of(1).tag), held_by);
  leave(*player);
  EXPECT_TRUE(opener.holders.empty());
}

// A guest has no identity. The place of a user goes to another user, and that of a guest to anybody.
TEST_P(SessionToken, OfAnOrphanKeepsItsPlaceFromGuests) {
  options.allow_guests = true;
  options.players_max = 1;
  options.address.sessions_max = 1;
  auto const fulls = [&] { return server->refusals()[static_cast<std::size_t>(RefuseReason::kServerFull)]; };
  std::uint16_t port = 1000;
  auto const join_over_udp = [&](int token) {
    ConnectRequest request;
    request.nonce = ++port;
    crypto::SessionKeyBytes keys;
    keys.fill(static_cast<std::byte>(token));
    if (token != 0) request.token = token_of(token);
    Address const from = Address::from_ipv4(198, 51, 100, 1, port);
    server->handle_datagram(now_us, from,
                            handshake_of(Message{response_of(*server, kSecret, now_us, from, request,
                                                             token != 0 ? &keys : nullptr)}));
  };
  for (bool const of_address : {false, true}) {
    SCOPED_TRACE(of_address);
    opener.holders.clear();
    options.players_max = of_address ? 2 : 1;
    start();
    home = Address::from_ipv4(198, 51, 100, 1, 0);
    join_over_udp(1);
    ASSERT_EQ(server->player_count(), 1u);
    // Guests of every transport, and one who only says that he has a token.
    now_us += kOrphanSilence;
    if (!of_address) home = Address::from_ipv4(198, 51, 100, 2, 0);
    EXPECT_EQ(join({}, 2)->refused(), RefuseReason::kServerFull);
    EXPECT_EQ(fulls(), 1u);
    EXPECT_EQ(join(token_of(99), 3)->refused(), RefuseReason::kTokenForged);
    EXPECT_EQ(server->players(), std::vector<PlayerId>{1});
    EXPECT_EQ(server->counters()[Counter::kSessionsDisplaced], 0u);
    // Another user.
    auto const user = join(token_of(3), 4);
    EXPECT_TRUE(user->accept);
    EXPECT_EQ(server->counters()[Counter::kSessionsDisplaced], 1u);
    EXPECT_EQ(server->player_count(), 1u);
    leave(*user);
    ASSERT_EQ(server->player_count(), 0u);
    // An orphan of a guest.
    join_over_udp(0);
    ASSERT_EQ(server->player_count(), 1u);
    now_us += kOrphanSilence;
    EXPECT_TRUE(join({}, 5)->accept);
    EXPECT_EQ(server->counters()[Counter::kSessionsDisplaced], 2u);
  }
}

// Somebody who begins anew at once, or a second holder of the token, comes while the Accept of the first
// session is on its way. A stream sends its response once, so it is refused.
TEST_P(SessionToken, OfASessionWhoseAcceptIsOnItsWayIsWaitedForOverDatagrams) {
  start();
  auto const orphan = join_deaf(token_of(1), 1);
  std::uint64_t const admitted_us = now_us;
  home = Address::from_ipv4(198, 51, 100, 1, 0);
  auto const player = join(token_of(1), 2);
  EXPECT_FALSE(player->accept);
  if (GetParam() == TransportKind::kStream) {
    EXPECT_EQ(player->refused(), RefuseReason::kTokenReused);
    return;
  }
  EXPECT_EQ(player->refused(), RefuseReason::kNone);
  while (!player->accept && now_us < admitted_us + kAnswerPatience) exchange(*player);
  EXPECT_TRUE(player->accept);
  EXPECT_GE(now_us, admitted_us + kOrphanSilence - 10 * kMillisecond)
      << "join_deaf() goes on after the Accept";
  EXPECT_EQ(reuses_refused(), 0u);
  EXPECT_EQ(server->player_count(), 1u) << "the orphan is gone";
}

TEST_P(SessionToken, OfASessionWhoseAcceptArrivesIsRefusedToWhoWaits) {
  start();
  auto const first = join_deaf(token_of(1), 1);
  home = Address::from_ipv4(198, 51, 100, 1, 0);
  auto const second = join(token_of(1), 2);
  for (int i = 0; i < 600; ++i) exchange(*first);
  EXPECT_TRUE(first->accept);
  for (int i = 0; i < 600; ++i) exchange(*second);
  EXPECT_FALSE(second->accept);
  EXPECT_EQ(second->refused(), RefuseReason::kTokenReused);
  EXPECT_EQ(server->player_count(), 1u);
}

// A client gives a response up that the server never used, begins anew from another address or from the same,
// and is accepted. Whoever copied the first response sends it in the name of the first address. It proves the
// keys in the token, but nobody has the keys of its session any more.
TEST_P(SessionToken, IsNotTakenByAnOldResponseThatBeganNoSession) {
  for (bool const moves : {true, false}) {
    opener.holders.clear();
    home = Address::from_ipv4(192, 0, 2, 1, 0);
    start();
    Address left = home;
    left.port = 1;
    ConnectRequest request;
    request.token = token_of(1);
    request.nonce = 77;
    crypto::SessionKeyBytes keys;
    keys.fill(std::byte{1});
    Bytes const old = handshake_of(Message{response_of(*server, kSecret, now_us, left, request, &keys)});
    now_us += kAnswerPatience;
    if (moves) home = Address::from_ipv4(198, 51, 100, 1, 0);
    auto const player = join_deaf(token_of(1), 1);
    ASSERT_EQ(server->player_count(), 1u);
    auto const holders = opener.holders;
    now_us += kOrphanSilence + 100 * kMillisecond;
    server->handle_datagram(now_us, left, old);
    EXPECT_EQ(server->counters()[Counter::kHandshakeAccepted], 1u) << "moves: " << moves;
    EXPECT_EQ(server->player_count(), 1u);
    EXPECT_EQ(opener.holders, holders);
    EXPECT_EQ(reuses_refused(), 0u) << "no answer in the name of another";
    for (int i = 0; i < 300; ++i) exchange(*player);
    EXPECT_TRUE(player->accept) << "moves: " << moves;
    now_us += 2 * kSecond;  // of silence
    server->handle_datagram(now_us, left, old);
    EXPECT_EQ(server->counters()[Counter::kHandshakeAccepted], 1u) << "moves: " << moves;
    EXPECT_EQ(opener.holders, holders);
  }
}

TEST_P(SessionToken, OfASilentSessionThatHasSpokenIsKept) {
  start();
  auto const first = join(token_of(1), 1);
  ASSERT_TRUE(first->accept);
  now_us += 5 * kSecond;
  EXPECT_EQ(join(token_of(1), 2)->refused(), RefuseReason::kTokenReused);
  EXPECT_EQ(server->player_count(), 1u);
}

// Who copies the sealed token of a join has no session keys.
TEST_P(SessionToken, NeedsItsSessionKeys) {
  start();
  keys_of_client = 77;
  auto const thief = join(token_of(1), 1);
  EXPECT_FALSE(thief->accept);
  EXPECT_EQ(thief->refused(), RefuseReason::kNone);
  EXPECT_GE(server->counters()[Counter::kHandshakeProofBad], 1u);
  EXPECT_TRUE(opener.holders.empty()) << "and the token is free";
  EXPECT_EQ(server->player_count(), 0u);
  keys_of_client.reset();
  EXPECT_TRUE(join(token_of(1), 2)->accept);
}

// A request that is full of bytes must fit into the datagrams of the handshake.
TEST_P(SessionToken, OfTheGreatestSizeIsAccepted) {
  start();
  ConnectRequest full;
  full.scene_hash = full.nonce = ~std::uint64_t{0};
  full.numbers_mode = NumbersMode::kFixedMode;
  full.mode = ReplicationMode::kLockstep;
  full.role = Role::kSpectator;
  full.ciphers = 0xff;
  full.resume = ResumePoint{~std::uint64_t{0}, ~std::uint64_t{0} - 1, ~std::uint64_t{0}, ~std::uint32_t{0}};
  MessageWriter writer;
  for (std::size_t bytes = 1; bytes <= kConnectTokenBytesMax; ++bytes) {
    full.token.assign(bytes, std::byte{0xff});
    std::size_t const size = writer.write(ChallengeResponse{{}, full, {}, no_proof(full)}).size();
    ASSERT_LE(size, bytes + kTokenResponseBytes) << "the bound of the static_assert in client_handshake.cpp";
    ASSERT_GE(size + 32, bytes + kTokenResponseBytes) << "and no more than a token of some bytes above it";
  }
  full.token = token_of(1, kConnectTokenBytesMax);
  EXPECT_LE(handshake_of(writer.write(ChallengeResponse{{}, full, {}, no_proof(full)})).size(),
            kDatagramBytesMax);
  EXPECT_TRUE(join(token_of(1, kConnectTokenBytesMax), 1)->accept);
}

// Two joins are all that the address has: one that waits must not use up any.
TEST_P(SessionToken, WaitsWhenTheBudgetOfOpensIsSpent) {
  options.token_opens_per_s = 1;
  options.token_open_burst = 1;
  options.address.joins_per_s = 0;
  options.address.join_burst = 2;
  start();
  EXPECT_EQ(join(token_of(9), 1)->refused(), RefuseReason::kTokenForged);
  auto const waiting = join(token_of(1), 2);
  EXPECT_FALSE(waiting->accept);
  EXPECT_EQ(waiting->refused(), RefuseReason::kNone);
  EXPECT_GE(server->counters()[Counter::kHandshakeTokenRate], 1u);
  for (int i = 0; i < 1500 && !waiting->accept; ++i) exchange(*waiting);
  EXPECT_TRUE(waiting->accept);
  EXPECT_EQ(opener.opens, 2u);
  for (int i = 0; i < 1500; ++i) exchange(*waiting);  // another open is there by then
  EXPECT_FALSE(join(token_of(3), 3)->accept) << "the address has used both its joins";
  EXPECT_EQ(opener.opens, 2u);
}

TEST_P(SessionToken, DoesNotWaitForAnOpenWhereTheServerIsFull) {
  options.players_max = 1;
  options.token_opens_per_s = 1;
  options.token_open_burst = 1;
  start();
  ASSERT_TRUE(join(token_of(1), 1)->accept);
  EXPECT_EQ(join(token_of(3), 2)->refused(), RefuseReason::kServerFull);
  EXPECT_EQ(server->counters()[Counter::kHandshakeTokenRate], 0u);
  EXPECT_EQ(opener.opens, 1u);
}

// 100,000 responses with good cookies and forged tokens in one second, from as many addresses.
TEST(SessionTokenFlood, CannotExceedTheBudget) {
  TableOpener opener;
  ServerOptions options;
  options.tokens = &opener;
  ServerEndpoint server(options, kSecret, test_seeds());
  MessageWriter writer;
  std::uint64_t const from_us = 1'000'000;
  for (std::uint64_t i = 0; i < 100'000; ++i) {
    std::uint64_t const now_us = from_us + 10 * i;
    auto const part = [&](unsigned shift) { return static_cast<std::uint8_t>(i >> shift & 0xffu); };
    Address const from = Address::from_ipv4(part(16), part(8), part(0), 7, 4000);
    ConnectRequest request;
    request.nonce = i + 1;
    request.token = token_of(9);
    // The token is opened before any key is computed, so the proof may be anything.
    ChallengeResponse const response{make_cookie(kSecret, now_us, TransportKind::kDatagram, from, request),
                                     request,
                                     {},
                                     no_proof(request)};
    server.handle_datagram(now_us, from, handshake_of(Message{response}));
    OutgoingDatagram out;
    while (server.poll_datagram(now_us, out)) {
    }
  }
  EXPECT_LE(opener.opens, options.token_open_burst + options.token_opens_per_s);
  EXPECT_GE(opener.opens, options.token_opens_per_s) << "no request is kept waiting for less";
  auto const& counters = server.counters();
  EXPECT_EQ(counters[Counter::kHandshakeTokenRate] + counters[Counter::kHandshakeRate] + opener.opens,
            100'000u);
  EXPECT_EQ(server.player_count(), 0u);
}

// Addresses that ask again and again cannot use up the opens of the others.
TEST(SessionTokenFlood, OfOneAddressEndsAtTheJoinsOfAnAddress) {
  TableOpener opener;
  ServerOptions options;
  options.tokens = &opener;
  ServerEndpoint server(options, kSecret, test_seeds());
  Address const from = Address::from_ipv4(192, 0, 2, 1, 4000);
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    std::uint64_t const now_us = 1'000'000 + 100 * i;
    ConnectRequest request;
    request.nonce = i + 1;
    request.token = token_of(9);
    ChallengeResponse const response{make_cookie(kSecret, now_us, TransportKind::kDatagram, from, request),
                                     request,
                                     {},
                                     no_proof(request)};
    server.handle_datagram(now_us, from, handshake_of(Message{response}));
  }
  EXPECT_LE(opener.opens, options.address.join_burst + options.address.joins_per_s);
}

// A web socket agrees on no keys, and whoever sees a request over UDP or TCP has the sealed token.
class WebToken : public testing::Test {
 protected:
  WebToken() {
    opener.grants[3] = grant_of(3);
    opener.grants[3].admin = true;
    options.tokens = &opener;
    server.emplace(options, kSecret, test_seeds());
  }
  // The first answer of the server to this request over a web socket.
  Message ask(const ConnectRequest& request) {
    now_us += kSecond;
    StreamId const stream = server->handle_stream_open(now_us, kHome, {TransportKind::kWebSocket, true});
    MessageWriter writer;
    Bytes bytes;
    write_frame(MessageClass::kReliable, writer.write(request), bytes);
    server->handle_stream_bytes(now_us, stream, bytes);
    bytes.clear();
    (void)server->poll_stream(now_us, stream, 65536, bytes);
    return *MessageReader().read(
        std::span(bytes).subspan(kFramePrefixBytes + 1, std::to_integer<std::size_t>(bytes[0]) - 1),
        MessageClass::kReliable);
  }
  TableOpener opener;
  ServerOptions options;
  std::optional<ServerEndpoint> server;
  std::uint64_t now_us = 1'000'000;
};

TEST_F(WebToken, NeedsMoreThanARequestOverUdpShows) {
  ClientOptions client_options;
  client_options.token = token_of(3, 40);
  client_options.token_keys =
      std::make_shared<const crypto::SessionKeys>(crypto::SessionKeys{seed_of(3), seed_of(3)});
  ClientEndpoint client(seeded(client_options));
  client.connect(now_us);
  Bytes sniffed;
  ASSERT_TRUE(client.poll_datagram(now_us, sniffed));
  auto request =
      std::get<ConnectRequest>(*MessageReader().read(*read_handshake(sniffed), MessageClass::kDatagram));
  EXPECT_FALSE(request.token_verifier) << "it would be a copy for everybody";
  crypto::SessionKeyBytes other{};
  for (auto const& verifier : {std::optional<crypto::TokenVerifier>(), std::optional(crypto::TokenVerifier{}),
                               std::optional(crypto::token_verifier(other))}) {
    request.token_verifier = verifier;
    auto const answer = ask(request);
    ASSERT_TRUE(std::holds_alternative<Refuse>(answer));
    EXPECT_EQ(std::get<Refuse>(answer).reason, RefuseReason::kTokenForged);
  }
  EXPECT_EQ(server->counters()[Counter::kHandshakeProofBad], 3u);
  EXPECT_TRUE(opener.holders.empty()) << "and the token is free";
  EXPECT_EQ(server->player_count(), 0u);
}

TEST_F(WebToken, JoinsWithItsVerifier) {
  ClientOptions client_options;
  client_options.transport = TransportKind::kWebSocket;
  client_options.token = token_of(3, 40);
  client_options.token_keys =
      std::make_shared<const crypto::SessionKeys>(crypto::SessionKeys{seed_of(3), seed_of(3)});
  ClientEndpoint client(client_options);
  client.connect(now_us);
  StreamId const stream = server->handle_stream_open(now_us, kHome, {TransportKind::kWebSocket, true});
  Bytes bytes;
  (void)client.poll_stream(now_us, 65536, bytes);
  server->handle_stream_bytes(now_us, stream, bytes);
  bytes.clear();
  (void)server->poll_stream(now_us, stream, 65536, bytes);
  client.handle_stream_bytes(now_us, bytes);
  EXPECT_EQ(client.state(), ClientState::kConnected);
}

TEST(SessionTokenCookie, CoversTheToken) {
  ConnectRequest request;
  request.token = token_of(1);
  Cookie const cookie = make_cookie(kSecret, 5, TransportKind::kDatagram, kHome, request);
  EXPECT_EQ(check_cookie(kSecret, 5, TransportKind::kDatagram, kHome, request, cookie), CookieVerdict::kGood);
  request.token.back() ^= std::byte{1};
  EXPECT_EQ(check_cookie(kSecret, 5, TransportKind::kDatagram, kHome, request, cookie),
            CookieVerdict::kForged);
}

}  // namespace
}  // namespace takt::protocol::test
