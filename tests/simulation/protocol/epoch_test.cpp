// Does a client hold the right world when worlds are replaced under it: 10 % loss, 100 ms +- 20 ms each way,
// duplicates and reordering, and worlds whose body ids are the same.
#include <gtest/gtest.h>

#include "tests/simulation/protocol/virtual_network.h"

namespace takt::protocol::test {
namespace {

constexpr std::uint64_t kEpochSeed = 20261122;

// Equal ids in every epoch, at positions that identify the epoch. Half of the bodies never move, so that a
// lost first record would show for ever.
std::vector<BodyState> world_of(std::uint32_t epoch, std::uint64_t tick) {
  std::vector<BodyState> bodies;
  for (std::uint32_t i = 0; i < 120; ++i) {
    BodyState& body = bodies.emplace_back();
    body.id = (std::uint64_t{1} << 32) | i;
    body.position = {static_cast<std::int64_t>(epoch) << 32, i,
                     i % 2 == 0 ? 0 : static_cast<std::int64_t>(tick)};
  }
  return bodies;
}

bool holds(const SnapshotDecoder& world, const std::vector<BodyState>& bodies) {
  if (world.body_count() != bodies.size()) return false;
  for (const BodyState& body : bodies) {
    const BodyState* held = world.find(body.id);
    if (held == nullptr || !(*held == body)) return false;
  }
  return true;
}

void worlds_are_replaced(TransportKind transport) {
  VirtualNetwork network(ServerOptions{}, kEpochSeed);
  for (int i = 0; i < 6; ++i) {
    ClientOptions client;
    client.transport = transport;
    network.add_client(client, Impairment::hostile());
  }
  std::uint32_t epoch = 1;
  bool frozen = false;
  std::uint64_t frozen_tick = 0;
  std::size_t told = 0;
  auto const play = [&] { network.server().handle_room({epoch, 1, 60, 4, 60}); };
  auto const tell = [&](PlayerId player) {
    RoomState state;
    state.epoch = epoch;
    state.tick = network.tick();
    ASSERT_TRUE(network.server().send_room_state(player, state).ok());
  };
  play();
  network.on_tick = [&](std::uint64_t tick) {
    for (; told < network.joined.size(); ++told) tell(network.joined[told].player);
    if (!frozen) frozen_tick = tick;
    network.server().publish_snapshot(network.now_us(), tick, world_of(epoch, frozen_tick));
    // No client may ever show a body of an epoch that it has not heard of, nor one of an epoch that is over
    // for it.
    for (std::size_t i = 0; i < network.client_count(); ++i) {
      for (auto const& slot : network.client(i).endpoint->world().slots()) {
        if (!slot.present) continue;
        ASSERT_LE(slot.state.position.x >> 32, static_cast<std::int64_t>(epoch));
        ASSERT_GE(slot.state.position.x >> 32, static_cast<std::int64_t>(network.client(i).epoch));
      }
    }
  };
  network.connect_all();
  ASSERT_TRUE(network.run_until(6 * kSecond, [&] { return told == 6; }));
  network.run_for(kSecond);
  // Replaced at leisure, then three times within a round trip.
  for (std::uint64_t const pause_us :
       {2 * kSecond, 50 * kMillisecond, 30 * kMillisecond, 10 * kMillisecond}) {
    ++epoch;
    play();
    for (auto const& one : network.joined) tell(one.player);
    network.run_for(pause_us);
  }
  frozen = true;
  auto const final_world = [&] { return world_of(epoch, frozen_tick); };
  EXPECT_TRUE(network.run_until(5 * kSecond, [&] {
    for (std::size_t i = 0; i < network.client_count(); ++i)
      if (!holds(network.client(i).endpoint->world(), final_world())) return false;
    return true;
  }));
  network.run_for(kSecond);
  for (std::size_t i = 0; i < network.client_count(); ++i) {
    EXPECT_EQ(network.client(i).epoch, 5u);
    EXPECT_TRUE(network.server().is_settled(network.client(i).accept.player_id));
    EXPECT_FALSE(network.client(i).over);
  }
}

TEST(Epoch, WorldsAreReplacedOverDatagrams) { worlds_are_replaced(TransportKind::kDatagram); }
TEST(Epoch, WorldsAreReplacedOverStreams) { worlds_are_replaced(TransportKind::kStream); }

}  // namespace
}  // namespace takt::protocol::test
