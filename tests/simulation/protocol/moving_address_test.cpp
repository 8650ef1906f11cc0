// Clients whose address changes while they play, as NATs and phones do it, and somebody who copies datagrams
// to an address of his own.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "protocol/messages/message_reader.h"
#include "protocol/session/client_handshake.h"
#include "protocol/wire/datagram.h"
#include "takt/core/random.h"
#include "tests/simulation/protocol/virtual_network.h"
#include "tests/unit/protocol/session_tap.h"

namespace takt::protocol::test {
namespace {

constexpr std::uint64_t kMovingSeed = 2026;

std::vector<BodyState> world_at(std::uint64_t tick) {
  std::vector<BodyState> world(20);
  for (std::uint32_t i = 0; i < world.size(); ++i) {
    world[i].id = (std::uint64_t{1} << 32) | i;
    world[i].position.x = static_cast<std::int64_t>(tick * 1000 + i);
    world[i].rotation.w = 1;
  }
  return world;
}

void publish_each_tick(VirtualNetwork& network) {
  network.on_tick = [&network](std::uint64_t tick) {
    network.server().publish_snapshot(network.now_us(), tick, world_at(tick));
  };
}

Impairment lossy() {
  Impairment impairment;
  impairment.delay_us = 50 * kMillisecond;
  impairment.loss = 0.1;
  return impairment;
}

TEST(MovingAddress, EveryTwoSecondsForAMinuteEndsNoSession) {
  VirtualNetwork network(ServerOptions{}, kMovingSeed);
  publish_each_tick(network);
  auto& client = network.add_client({}, lossy());
  network.connect_all();
  ASSERT_TRUE(network.run_until(5 * kSecond, [&] { return client.connected; }));
  ASSERT_TRUE(network.run_until(5 * kSecond, [&] { return !network.joined.empty(); }));
  std::uint64_t longest_gap_us = 0;
  for (std::uint16_t move = 1; move <= 30; ++move) {
    client.address = move % 2 == 0
                         ? Address::from_ipv4(10, 0, 0, 1, static_cast<std::uint16_t>(50'000 + move))
                         : Address::from_ipv4(172, 16, 0, static_cast<std::uint8_t>(move), 9);
    std::uint64_t const began_us = network.now_us();
    ASSERT_TRUE(client.endpoint->send_input(network.now_us(), network.tick() + 5, ReleaseCommand{}).ok());
    // Snapshots that were on their way arrive for one delay.
    network.run_for(lossy().delay_us);
    std::uint64_t const snapshots = client.snapshots;
    ASSERT_TRUE(network.run_until(2 * kSecond, [&] { return client.snapshots > snapshots; }))
        << "move " << move;
    longest_gap_us = std::max(longest_gap_us, network.now_us() - began_us);
    network.run_for(began_us + 2 * kSecond - network.now_us());
    ASSERT_FALSE(client.over) << "move " << move;
  }
  EXPECT_EQ(network.joined.size(), 1u);
  EXPECT_TRUE(network.left.empty());
  EXPECT_EQ(network.server().player_count(), 1u);
  EXPECT_EQ(network.server().counters()[Counter::kSessionsMoved], 30u);
  EXPECT_LT(longest_gap_us, kSecond);
  RecordProperty("longest_gap_ms", static_cast<int>(longest_gap_us / 1000));
  std::size_t inputs = 0;
  for (const InputsArrived& arrived : network.inputs) inputs += arrived.inputs.size();
  EXPECT_EQ(inputs, 30u) << "each once";
}

// The copies arrive before the originals, so each of them is the one that opens.
TEST(MovingAddress, WhoCopiesDatagramsGetsProbesAlone) {
  VirtualNetwork network(ServerOptions{}, kMovingSeed + 1);
  publish_each_tick(network);
  Impairment path;
  path.delay_us = 20 * kMillisecond;
  auto& client = network.add_client({}, path);
  network.connect_all();
  ASSERT_TRUE(network.run_until(5 * kSecond, [&] { return client.connected; }));
  network.run_for(kSecond);
  network.record = true;
  Address const thief = Address::from_ipv4(198, 51, 100, 7, 666);
  std::uint64_t copied_bytes = 0;
  std::uint64_t const snapshots = client.snapshots;
  for (int step = 0; step < 15'000; ++step) {
    network.run_for(kMillisecond);
    for (auto const& datagram : network.recorded) {
      network.inject(thief, datagram.bytes);
      copied_bytes += datagram.bytes.size();
    }
    network.recorded.clear();
  }
  EXPECT_GT(copied_bytes, 1000u);
  EXPECT_LE(network.bytes_to_strangers, 3 * copied_bytes);
  EXPECT_EQ(network.server().counters()[Counter::kSessionsMoved], 0u);
  EXPECT_GT(client.snapshots, snapshots + 750) << "the client still gets what is its own";
  EXPECT_FALSE(client.over);
  EXPECT_EQ(network.server().player_count(), 1u);
}

// Somebody sees every datagram of a client that moves, and wins the race with one of three by 20 ms: half
// of these copies come from his own address and half in the name of the address that the client has left.
TEST(MovingAddress, WhoCopiesSomeDatagramsKeepsNoClientFromMoving) {
  VirtualNetwork network(ServerOptions{}, kMovingSeed + 3);
  Impairment path;
  path.delay_us = 100 * kMillisecond;
  auto& client = network.add_client({}, path);
  network.on_tick = [&](std::uint64_t tick) {
    network.server().publish_snapshot(network.now_us(), tick, world_at(tick));
    if (client.connected && client.endpoint->inputs_in_flight() < 30)
      (void)client.endpoint->send_input(network.now_us(), tick + 20, ReleaseCommand{});
  };
  network.connect_all();
  ASSERT_TRUE(network.run_until(5 * kSecond, [&] { return client.connected; }));
  network.run_for(kSecond);
  network.record = true;
  Random random(kMovingSeed);
  struct Copy {
    std::uint64_t due_us = 0;
    std::vector<std::byte> bytes;
  };
  std::deque<Copy> copies;
  std::uint64_t const copy_delay_us = path.delay_us - 20 * kMillisecond;
  std::uint64_t copied = 0;
  for (std::uint8_t move = 1; move <= 5; ++move) {
    Address const left = client.address;
    client.address = Address::from_ipv4(172, 16, 0, move, 9);
    network.run_for(path.delay_us);
    std::uint64_t const snapshots = client.snapshots;
    for (int step = 0; step < 4000; ++step) {
      network.run_for(kMillisecond);
      for (auto& datagram : network.recorded)
        if (random.next_below(3) == 0) copies.push_back({network.now_us() + copy_delay_us, datagram.bytes});
      for (; !copies.empty() && copies.front().due_us <= network.now_us(); copies.pop_front()) {
        ++copied;
        network.inject(random.next_below(2) == 0 ? left : Address::from_ipv4(198, 51, 100, 7, 666),
                       copies.front().bytes);
      }
      network.recorded.clear();
    }
    EXPECT_GT(client.snapshots, snapshots + 30) << "move " << int{move};
    ASSERT_FALSE(client.over) << "move " << int{move};
  }
  EXPECT_GT(copied, 100u);
  EXPECT_EQ(network.server().player_count(), 1u);
}

// Opens one token, whose keys are all bytes 7, and counts those who hold it.
class OneToken final : public TokenOpener {
 public:
  Result<TokenGrant, RefuseReason> open(std::span<const std::byte>, crypto::SessionKeyBytes& keys) override {
    keys.fill(std::byte{7});
    TokenGrant grant;
    grant.user_id = 42;
    grant.modes = 1;
    return grant;
  }
  bool claim(const std::array<std::byte, 16>&, std::uint64_t holder) override {
    if (holder_ != 0) return false;
    holder_ = holder;
    return true;
  }
  void release(const std::array<std::byte, 16>&, std::uint64_t holder) override {
    EXPECT_EQ(holder_, holder);
    holder_ = 0;
  }
  static ClientOptions client_options() {
    ClientOptions options;
    options.token.assign(300, std::byte{0x5a});
    options.token_keys =
        std::make_shared<const crypto::SessionKeys>(crypto::SessionKeys{seed_of(7), seed_of(7)});
    return options;
  }

 private:
  std::uint64_t holder_ = 0;
};

// A network in which the server has accepted the client, and the client has not heard of it.
class InsideTheHandshake : public testing::Test {
 protected:
  InsideTheHandshake() { options_.tokens = &token_; }
  VirtualNetwork::Client& begin(std::uint64_t seed, const Impairment& path) {
    network_.emplace(options_, seed);
    publish_each_tick(*network_);
    auto& client = network_->add_client(OneToken::client_options(), path);
    network_->record = true;
    network_->connect_all();
    EXPECT_TRUE(network_->run_until(5 * kSecond, [&] { return network_->server().player_count() == 1; }));
    EXPECT_FALSE(client.connected);
    return client;
  }
  // The client is without a network until it has given its response up. Then it begins anew from another
  // address, and stays.
  void lose_and_begin_anew(VirtualNetwork::Client& client) {
    Impairment none;
    none.blackhole = true;
    client.up = std::make_unique<PacketSimulator>(none, 1);
    client.down = std::make_unique<PacketSimulator>(none, 2);
    network_->run_for(kAnswerPatience);
    EXPECT_EQ(network_->server().player_count(), 1u) << "the orphan";
    client.address = Address::from_ipv4(172, 16, 0, 1, 9);
    client.up = std::make_unique<PacketSimulator>(Impairment{}, 3);
    client.down = std::make_unique<PacketSimulator>(Impairment{}, 4);
    EXPECT_TRUE(network_->run_until(kSecond, [&] { return client.connected || client.over; }));
    EXPECT_TRUE(client.connected) << client.ending.text;
    network_->run_for(20 * kSecond);
    EXPECT_FALSE(client.over);
    EXPECT_EQ(network_->server().player_count(), 1u);
  }
  // The newest handshake datagram of the client: its response.
  [[nodiscard]] std::vector<std::byte> response() const {
    auto const at = std::ranges::find_if(network_->recorded.rbegin(), network_->recorded.rend(),
                                         [](auto const& one) { return !is_sealed(one.bytes); });
    return at->bytes;
  }
  [[nodiscard]] std::uint64_t count(Counter counter) const { return network_->server().counters()[counter]; }

  OneToken token_;
  ServerOptions options_;
  mutable std::optional<VirtualNetwork> network_;
};

TEST_F(InsideTheHandshake, AnAddressThatChangesKeepsTheSession) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    auto& client = begin(seed, lossy());
    client.address = Address::from_ipv4(172, 16, 0, 1, 9);
    // A response is sent every 250 ms, and one of five round trips loses a datagram.
    ASSERT_TRUE(network_->run_until(2500 * kMillisecond, [&] { return client.connected; }))
        << "seed " << seed;
    ASSERT_TRUE(network_->run_until(2 * kSecond, [&] { return client.snapshots > 10; })) << "seed " << seed;
    EXPECT_EQ(network_->joined.size(), 1u) << "seed " << seed;
    EXPECT_TRUE(network_->left.empty()) << "seed " << seed;
    EXPECT_EQ(network_->server().player_count(), 1u) << "seed " << seed;
    EXPECT_EQ(count(Counter::kSessionsMoved), 1u) << "seed " << seed;
    client.endpoint->disconnect(network_->now_us());
    network_->run_for(kSecond);
    EXPECT_EQ(network_->left.size(), 1u) << "seed " << seed;
  }
}

TEST_F(InsideTheHandshake, AClientThatBeginsAnewGetsItsToken) {
  lose_and_begin_anew(begin(1, {}));
  EXPECT_EQ(network_->joined.size(), 2u);
  ASSERT_EQ(network_->left.size(), 1u);
  EXPECT_EQ(network_->left[0].reason, DisconnectReason::kReplaced);
}

// The orphan of the client has the last place, and the client none of its token yet.
TEST_F(InsideTheHandshake, AClientThatBeginsAnewGetsTheLastPlace) {
  options_.players_max = 1;
  lose_and_begin_anew(begin(1, {}));
  EXPECT_EQ(network_->left.size(), 1u);
}

// Somebody sees all that the client sends, and sends it from his own address before the client moves.
TEST_F(InsideTheHandshake, WhoCopiesTheResponseGetsAnAcceptThatHeCannotOpen) {
  auto& client = begin(3, lossy());
  Address const thief = Address::from_ipv4(198, 51, 100, 7, 666);
  auto const copy = response();
  ASSERT_EQ(copy.size(), kConnectRequestBytes);
  network_->inject(thief, copy);
  network_->run_for(kMillisecond);
  EXPECT_GT(network_->bytes_to_strangers, 0u);
  EXPECT_LE(network_->bytes_to_strangers * 100, copy.size() * 31);
  // A response with another cookie, proof, key, nonce or token is not the one that the server accepted.
  std::uint64_t const before = network_->bytes_to_strangers;
  auto const read = MessageReader().read(*read_handshake(copy), MessageClass::kDatagram);
  auto const inject = [&](auto const& change) {
    auto other = std::get<ChallengeResponse>(*read);
    change(other);
    network_->inject(thief, handshake_of(Message{other}));
  };
  for (std::size_t i = 0; i < 16; ++i) {
    inject([&](ChallengeResponse& other) { other.cookie[i] ^= std::byte{1}; });
    inject([&](ChallengeResponse& other) { other.proof[i] ^= std::byte{1}; });
    inject([&](ChallengeResponse& other) { other.key[i] ^= std::byte{1}; });
    inject([&](ChallengeResponse& other) { other.request.nonce ^= 1ull << i; });
    inject([&](ChallengeResponse& other) { other.request.token[i] ^= std::byte{1}; });
  }
  network_->run_for(kMillisecond);
  EXPECT_EQ(network_->bytes_to_strangers, before);
  inject([](ChallengeResponse&) {});
  network_->run_for(kMillisecond);
  EXPECT_GT(network_->bytes_to_strangers, before) << "nothing is changed";
  client.address = Address::from_ipv4(172, 16, 0, 1, 9);
  Random random(kMovingSeed);
  for (int i = 0; i < 4000 && client.snapshots < 10; ++i) {
    network_->recorded.clear();
    network_->run_for(kMillisecond);
    // Each of the handshake, and one of three of the session: whose copies all come first freezes a client
    // that moves, as in QUIC.
    for (auto const& datagram : network_->recorded)
      if (!is_sealed(datagram.bytes) || random.next_below(3) == 0) network_->inject(thief, datagram.bytes);
  }
  EXPECT_GE(client.snapshots, 10u) << "the client is where it is";
  EXPECT_EQ(network_->server().player_count(), 1u);
  EXPECT_EQ(network_->joined.size(), 1u);
  // Once the client has spoken, no response gets an answer at another address.
  network_->run_for(kSecond);
  std::uint64_t const after = network_->bytes_to_strangers;
  network_->inject(thief, copy);
  network_->run_for(kMillisecond);
  EXPECT_EQ(network_->bytes_to_strangers, after);
}

// No session moves to an address without a place, so its Accept does not go there either.
TEST_F(InsideTheHandshake, AnAddressThatIsFullGetsNoAccept) {
  options_.allow_guests = true;
  options_.address.sessions_max = 1;
  network_.emplace(options_, 4);
  auto& guest = network_->add_client({}, {});
  guest.address = Address::from_ipv4(198, 51, 100, 7, 9);
  auto& client = network_->add_client(OneToken::client_options(), lossy());
  network_->connect_all();
  ASSERT_TRUE(network_->run_until(5 * kSecond, [&] { return guest.connected; }));
  network_->record = true;
  ASSERT_TRUE(network_->run_until(5 * kSecond, [&] { return network_->server().player_count() == 2; }));
  ASSERT_FALSE(client.connected);
  auto const copy = response();
  std::uint64_t const bad = count(Counter::kHandshakeCookieBad);
  network_->inject(Address::from_ipv4(198, 51, 100, 7, 666), copy);
  network_->run_for(kMillisecond);
  EXPECT_EQ(network_->bytes_to_strangers, 0u) << "the guest has the one place of this address";
  EXPECT_EQ(count(Counter::kHandshakeCookieBad), bad + 1);
  network_->inject(Address::from_ipv4(198, 51, 100, 8, 666), copy);
  network_->run_for(kMillisecond);
  EXPECT_GT(network_->bytes_to_strangers, 0u) << "this address has a place";
  EXPECT_EQ(count(Counter::kHandshakeCookieBad), bad + 1);
}

// No session moves between this machine and another one.
TEST_F(InsideTheHandshake, AnAddressThatIsNotOfThisMachineGetsNoAcceptOfIt) {
  network_.emplace(options_, 4);
  auto& client = network_->add_client(OneToken::client_options(), lossy());
  client.address = Address::from_ipv4(127, 0, 0, 1, 9);
  network_->record = true;
  network_->connect_all();
  ASSERT_TRUE(network_->run_until(5 * kSecond, [&] { return network_->server().player_count() == 1; }));
  network_->inject(Address::from_ipv4(198, 51, 100, 7, 666), response());
  network_->run_for(kMillisecond);
  EXPECT_EQ(network_->bytes_to_strangers, 0u);
  network_->inject(Address::from_ipv4(127, 0, 0, 1, 666), response());
  network_->run_for(kMillisecond);
  EXPECT_GT(network_->bytes_to_strangers, 0u);
}

// A connection id is no secret, and no proof.
TEST(MovingAddress, WhoKnowsTheIdAloneGetsNothing) {
  VirtualNetwork network(ServerOptions{}, kMovingSeed + 2);
  publish_each_tick(network);
  auto& client = network.add_client({}, Impairment{});
  network.connect_all();
  ASSERT_TRUE(network.run_until(5 * kSecond, [&] { return client.connected; }));
  network.record = true;
  network.run_for(kSecond);
  ASSERT_FALSE(network.recorded.empty());
  Address const thief = Address::from_ipv4(198, 51, 100, 7, 666);
  for (auto datagram : network.recorded) {
    network.inject(thief, datagram.bytes);  // replayed
    datagram.bytes.back() ^= std::byte{1};
    network.inject(thief, datagram.bytes);  // forged
  }
  network.run_for(kSecond);
  EXPECT_EQ(network.bytes_to_strangers, 0u);
  EXPECT_EQ(network.server().counters()[Counter::kSessionsMoved], 0u);
}

}  // namespace
}  // namespace takt::protocol::test
