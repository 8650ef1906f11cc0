// Clients whose address changes while they play, as NATs and phones do it, and somebody who copies datagrams
// to an address of his own.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "takt/core/random.h"
#include "tests/simulation/protocol/virtual_network.h"

namespace takt::protocol::test {
namespace {

constexpr std::uint64_t kSeed = 2026;

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
  VirtualNetwork network(ServerOptions{}, kSeed);
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
  VirtualNetwork network(ServerOptions{}, kSeed + 1);
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
  VirtualNetwork network(ServerOptions{}, kSeed + 3);
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
  Random random(kSeed);
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

// A connection id is no secret, and no proof.
TEST(MovingAddress, WhoKnowsTheIdAloneGetsNothing) {
  VirtualNetwork network(ServerOptions{}, kSeed + 2);
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
