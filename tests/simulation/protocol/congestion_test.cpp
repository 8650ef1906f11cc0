// Congestion: one rate for all bytes of a session, lanes in front of the reliable channel, one rate for the
// whole server. Each test fails on a server whose snapshots ignore the path.
#include <gtest/gtest.h>

#include <algorithm>

#include "protocol/messages/geometry.h"
#include "tests/simulation/protocol/virtual_network.h"
#include "tests/unit/protocol/session_tap.h"

namespace takt::protocol::test {
namespace {

constexpr std::uint64_t kSeed = 20;

// A world of bodies that all move in each tick.
std::vector<BodyState> moving_world(std::uint32_t count, std::uint64_t tick) {
  std::vector<BodyState> world(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    world[i].id = (std::uint64_t{1} << 32) | i;
    world[i].position.x = static_cast<std::int64_t>(tick) << 20;
  }
  return world;
}

void publish_moving_world(VirtualNetwork& network, std::uint32_t count) {
  network.on_tick = [&network, count](std::uint64_t tick) {
    network.server().publish_snapshot(network.now_us(), tick, moving_world(count, tick));
  };
}

// A client of 1 Mbps was sent 2.3 Mbps until it timed out.
TEST(SnapshotsIgnoreThePath, AClientOf1MbpsIsSentWhatItsPathCarries) {
  Impairment narrow;
  narrow.delay_us = 30 * kMillisecond;
  narrow.bandwidth_bytes_per_s = 125'000;
  narrow.queue_bytes_max = 25'000;  // 200 ms
  VirtualNetwork network(ServerOptions{}, kSeed);
  auto& client = network.add_client({}, narrow);
  publish_moving_world(network, 901);
  network.connect_all();
  network.run_for(10 * kSecond);
  ASSERT_TRUE(client.connected);
  std::uint64_t const in_before = client.down->packets_in();
  std::uint64_t const dropped_before = client.down->packets_dropped();
  std::uint64_t const bytes_before = network.server().counters()[Counter::kDatagramBytesSent];
  network.run_for(10 * kSecond);
  double const dropped = static_cast<double>(client.down->packets_dropped() - dropped_before) /
                         static_cast<double>(client.down->packets_in() - in_before);
  auto const bytes_per_s = (network.server().counters()[Counter::kDatagramBytesSent] - bytes_before) / 10;
  RecordProperty("bytes_per_s", static_cast<int>(bytes_per_s));
  RecordProperty("dropped_percent", static_cast<int>(100 * dropped));
  EXPECT_FALSE(client.over);
  EXPECT_LT(dropped, 0.25) << "what is beyond that is congestion, and the rate falls";
  EXPECT_LT(bytes_per_s, 170'000u);
  EXPECT_GT(bytes_per_s, 80'000u) << "and the path is used";
}

TEST(SnapshotsIgnoreThePath, AWidePathHasTheWholeBudget) {
  VirtualNetwork network(ServerOptions{}, kSeed + 1);
  Impairment wide;
  wide.delay_us = 20 * kMillisecond;
  auto& client = network.add_client({}, wide);
  publish_moving_world(network, 901);
  network.connect_all();
  network.run_for(3 * kSecond);
  ASSERT_TRUE(client.connected);
  std::uint64_t const bytes_before = network.server().counters()[Counter::kDatagramBytesSent];
  network.run_for(5 * kSecond);
  auto const bytes_per_s = (network.server().counters()[Counter::kDatagramBytesSent] - bytes_before) / 5;
  EXPECT_GT(bytes_per_s, 60u * 52 * kBodyStateBytes) << "52 bodies in each of 60 ticks";
}

// A terrain of 4 MiB stood 4 to 8 s before an answer.
TEST(OneLane, AnAnswerOvertakesATerrain) {
  VirtualNetwork network(ServerOptions{}, kSeed + 2);
  Impairment path;
  path.delay_us = 40 * kMillisecond;
  auto& client = network.add_client({}, path);
  network.connect_all();
  ASSERT_TRUE(network.run_until(kSecond, [&] { return client.connected; }));
  Geometry field;
  field.kind = GeometryKind::kHeightField;
  field.spacing_x = field.spacing_z = 1;
  field.rows = 1023;
  field.columns = 1024;
  field.heights.resize(std::size_t{1023} * 1024, 0.5f);
  auto const bytes = std::make_shared<const std::vector<std::byte>>(encode(field));
  ASSERT_TRUE(network.server().send_geometry(1, {0xabc, field.kind, bytes}).ok());
  network.run_for(500 * kMillisecond);
  ASSERT_TRUE(client.geometries.empty()) << "the terrain is under way";
  std::vector<CommandOutcome> const outcomes{
      {1, CommandStatus::kRefusedLimit, 1, CommandRefusal::kOverLimit, {}}};
  ASSERT_TRUE(network.server().send_command_outcomes(1, outcomes).ok());
  std::uint64_t const asked_us = network.now_us();
  ASSERT_TRUE(network.run_until(20 * kSecond, [&] { return !client.outcomes.empty(); }));
  RecordProperty("answer_ms", static_cast<int>((network.now_us() - asked_us) / 1000));
  EXPECT_LT(network.now_us() - asked_us, 500 * kMillisecond);
  EXPECT_TRUE(client.geometries.empty());
  ASSERT_TRUE(network.run_until(20 * kSecond, [&] { return !client.geometries.empty(); }));
  EXPECT_EQ(client.geometries[0].geometry, field);
}

TEST(EgressMax, AllClientsTogetherStayBelowTheServersRate) {
  ServerOptions options;
  options.egress_max = 500'000;
  VirtualNetwork network(options, kSeed + 3);
  for (int i = 0; i < 16; ++i) {
    ClientOptions client;
    client.transport = i % 2 == 0 ? TransportKind::kDatagram : TransportKind::kStream;
    network.add_client(client, {});
  }
  publish_moving_world(network, 901);
  network.connect_all();
  network.run_for(5 * kSecond);
  auto const sent = [&] {
    return network.server().counters()[Counter::kDatagramBytesSent] +
           network.server().counters()[Counter::kStreamBytesSent];
  };
  std::uint64_t const before = sent();
  network.run_for(5 * kSecond);
  std::uint64_t const bytes_per_s = (sent() - before) / 5;
  EXPECT_LE(bytes_per_s, options.egress_max * 105 / 100);
  EXPECT_GE(bytes_per_s, options.egress_max * 80 / 100);
  for (std::size_t i = 0; i < network.client_count(); ++i) {
    EXPECT_FALSE(network.client(i).over) << i;
    EXPECT_GT(network.client(i).snapshots, 50u) << i;
  }
}

// 20,000 requests a second of one network, whose answers alone are more than the server may send.
TEST(EgressMax, AFloodOfRequestsSilencesNoSession) {
  ServerOptions options;
  options.egress_max = 500'000;
  VirtualNetwork network(options, kSeed + 4);
  auto& client = network.add_client({}, {});
  publish_moving_world(network, 20);
  network.connect_all();
  ASSERT_TRUE(network.run_until(5 * kSecond, [&] { return client.connected; }));
  network.run_for(kSecond);
  ConnectRequest request;
  request.nonce = 7;
  auto const bytes = handshake_of(request);
  auto const sent = [&] { return network.server().counters()[Counter::kDatagramBytesSent]; };
  std::uint64_t const sent_before = sent();
  std::uint16_t port = 0;
  for (int second = 0; second < 12; ++second) {
    std::uint64_t const snapshots = client.snapshots;
    for (int step = 0; step < 1000; ++step) {
      for (int i = 0; i < 20; ++i) network.inject(Address::from_ipv4(198, 51, 100, 7, ++port), bytes);
      network.run_for(kMillisecond);
    }
    EXPECT_GT(client.snapshots, snapshots + 30) << "second " << second;
    ASSERT_FALSE(client.over) << "second " << second;
  }
  EXPECT_GT(network.bytes_to_strangers, 12 * options.egress_max / 10) << "strangers have their part";
  EXPECT_LE(network.bytes_to_strangers, 12 * options.egress_max / 8 + 64 * 1024);
  EXPECT_LE(sent() - sent_before, 12 * options.egress_max * 105 / 100);
}

}  // namespace
}  // namespace takt::protocol::test
