// Clients that simulate, over the real protocol and a bad network. Their states must be the server's, bit for
// bit, at every confirmed tick. TAKT_REPLICA_SECONDS sets the virtual time of the long cases.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/simulation/replica/replica_checks.h"
#include "tests/simulation/replica/virtual_replicas.h"

namespace takt::client::test {
namespace {

using protocol::ReplicationMode;

struct Case {
  NumbersMode numbers = NumbersMode::kFloat;
  ReplicationMode mode = ReplicationMode::kRollback;
};

class Replicas : public ::testing::TestWithParam<Case> {};

TEST_P(Replicas, FourClientsAndALateOneHaveTheServersBits) {
  VirtualReplicas room(arena(), room_options(GetParam().numbers), 11);
  auto const bad = path(100, 20, 0.1);
  for (int i = 0; i < 4; ++i) room.add_client(GetParam().mode, bad);
  std::uint64_t const seconds = virtual_seconds(12);
  for (std::uint64_t second = 0; second < seconds; ++second) {
    if (second % 10 == 5) {  // each late client replaces the one before
      if (room.clients().size() > 4) room.disconnect(*room.clients().back());
      room.add_client(GetParam().mode, bad);
    }
    room.run_for(kSecond);
  }
  expect_equal_states(room, 3);
  for (std::size_t i = 0; i < room.clients().size(); ++i) {
    VirtualReplicas::Client const& client = *room.clients()[i];
    EXPECT_GT(client.commands, 20u);
    EXPECT_LT(client.playing_us - client.joined_us, 2 * kSecond) << "client " << i;
    ReplicaStats const& stats = client.session->replica().stats();
    EXPECT_GT(stats.hashes_equal, i < 4 ? seconds * 6 : 20);
    if (i == 0)
      RecordProperty("resimulated_ticks_per_s", std::to_string(stats.resimulated_ticks / (seconds + 3)));
  }
}

TEST_P(Replicas, ATerribleNetworkChangesNoBit) {
  VirtualReplicas room(arena(), room_options(GetParam().numbers), 12);
  ReplicaOptions far;
  far.ahead_ticks_max = 600;
  for (int i = 0; i < 4; ++i) room.add_client(GetParam().mode, terrible(), far);
  room.command_percent = 3;
  room.run_for(virtual_seconds(30) * kSecond);
  expect_equal_states(room, 15);
  for (auto const& client : room.clients()) {
    EXPECT_GT(client->commands, 5u);
    EXPECT_GT(client->session->replica().stats().hashes_equal, 100u);
    // One way and 100 ms of jitter are 66 ticks, and copies of an input follow for two more.
    EXPECT_LT(client->session->clock().lead_ticks(), 75);
  }
}

// Each client that comes replaces the one that came in the same way before. Every 7 s one of the first four
// goes, and connects again.
TEST_P(Replicas, LateJoinsAndReconnectsOnATerribleNetworkChangeNoBit) {
  VirtualReplicas room(arena(), room_options(GetParam().numbers), 18);
  ReplicaOptions far;
  far.ahead_ticks_max = 600;
  std::vector<std::size_t> steady;
  for (; steady.size() < 4; steady.push_back(steady.size()))
    room.add_client(GetParam().mode, terrible(), far);
  std::size_t late = 0;
  std::size_t reconnects = 0;
  room.command_percent = 3;
  for (std::uint64_t second = 1; second < virtual_seconds(30); ++second) {
    room.run_for(kSecond);
    if (second % 10 == 0) {
      if (late != 0) room.disconnect(*room.clients()[late]);
      late = room.clients().size();
      room.add_client(GetParam().mode, terrible(), far);
    }
    if (second % 7 == 0) {
      std::size_t& one = steady[reconnects++ % steady.size()];
      room.disconnect(*room.clients()[one]);
      one = room.clients().size();
      room.add_client(GetParam().mode, terrible(), far);
    }
  }
  expect_equal_states(room, 20);
  EXPECT_GE(reconnects, 4u);
}

// Another player turns a mover round. A body that nobody touches is drawn where it is, however fast it flies;
// the mover's corrections are spread over frames.
TEST(ReplicaDrawing, SmoothsWhatCorrectionsMoveAndNothingElse) {
  auto const scene = sim::load_scene(R"({"title": "flight", "bodies": [
    {"type": "static", "shapes": [{"half_space": {}}]}, {"position": [0,0.92,0], "mover": {}},
    {"position": [0,50,0], "velocity": [20,0,0], "gravity_scale": 0, "shapes": [{"sphere": {}}]}]})",
                                     "flight");
  ASSERT_TRUE(scene);
  VirtualReplicas room(*scene, room_options(NumbersMode::kFloat), 23);
  auto& watcher = room.add_client(ReplicationMode::kRollback, path(50, 5, 0));
  auto& walker = room.add_client(ReplicationMode::kRollback, path(50, 5, 0));
  watcher.is_active = walker.is_active = false;
  room.run_for(2 * kSecond);
  ASSERT_TRUE(watcher.session->is_playing() && walker.session->is_playing());
  sim::AnyWorld const& world = watcher.session->replica().simulation().world();
  std::vector<BodyId> bodies;
  world.list_bodies(bodies);
  BodyId const flying = bodies.back();
  std::vector<MoverId> movers;
  world.list_movers(movers);
  BodyId const walking = world.mover(movers.at(0)).body;
  std::vector<DrawnBody> drawn;
  auto const drawn_x = [&](BodyId body) {
    auto const at = std::ranges::find(drawn, body, &DrawnBody::id);
    return at->position.x_raw;
  };
  double largest_jump_m = 0, largest_drawn_jump_m = 0;
  std::int64_t last = world.view(walking).position.x_raw, last_drawn = last;
  auto const metres = [](std::int64_t raw) { return std::abs(static_cast<double>(raw)) * 0x1p-32; };
  for (int frame = 0; frame < 300; ++frame) {
    if (frame % 30 == 0) {
      float const speed = frame % 60 == 0 ? 4.0f : -4.0f;
      ASSERT_TRUE(
          walker.session->send(room.now_us(), sim::MoveCommand{walking, {speed, 0, 0}, 0, false, false}));
    }
    room.run_for(16'000);
    watcher.session->draw(drawn);
    ASSERT_EQ(drawn_x(flying), world.view(flying).position.x_raw) << "in frame " << frame;
    std::int64_t const now = world.view(walking).position.x_raw;
    largest_jump_m = std::max(largest_jump_m, metres(now - last));
    largest_drawn_jump_m = std::max(largest_drawn_jump_m, metres(drawn_x(walking) - last_drawn));
    last = now;
    last_drawn = drawn_x(walking);
  }
  EXPECT_GE(watcher.session->replica().stats().rollbacks, 8u);
  EXPECT_GT(largest_jump_m, 0.3);
  EXPECT_LT(largest_drawn_jump_m, 0.15) << "4 m/s are 0.07 m a frame";
}

INSTANTIATE_TEST_SUITE_P(Modes, Replicas,
                         ::testing::Values(Case{NumbersMode::kFloat, ReplicationMode::kRollback},
                                           Case{NumbersMode::kFixed, ReplicationMode::kRollback},
                                           Case{NumbersMode::kFloat, ReplicationMode::kLockstep},
                                           Case{NumbersMode::kFixed, ReplicationMode::kLockstep}),
                         [](const auto& one) {
                           return std::string(one.param.numbers == NumbersMode::kFloat ? "Float" : "Fixed") +
                                  (one.param.mode == ReplicationMode::kRollback ? "Rollback" : "Lockstep");
                         });

TEST(ReplicaRoom, ModesMixInOneRoom) {
  VirtualReplicas room(arena(), room_options(NumbersMode::kFloat), 13);
  auto const fair = path(50, 10, 0.05);
  room.add_client(ReplicationMode::kRollback, fair);
  room.add_client(ReplicationMode::kRollback, fair, {}, 8);
  room.add_client(ReplicationMode::kLockstep, fair);
  room.run_for(8 * kSecond);
  // The input delay hides the way of the server's news, so that fewer ticks are stepped again.
  EXPECT_GT(room.clients()[0]->session->replica().stats().rollbacks, 20u);
  EXPECT_EQ(room.clients()[2]->session->replica().stats().rollbacks, 0u);
  expect_equal_states(room, 3);
}

TEST(ReplicaRoom, AModeThatTheRoomDoesNotOfferIsRefused) {
  server::RoomOptions options;
  options.modes = {};
  options.modes.add(ReplicationMode::kLockstep);
  VirtualReplicas room(arena(), options, 14);
  auto& client = room.add_client(ReplicationMode::kRollback, {});
  room.run_for(kSecond);
  ASSERT_TRUE(client.ending.has_value());
  EXPECT_EQ(client.ending->reason, "mode_unsupported");
  EXPECT_EQ(client.ending->text, "this server offers modes snapshot, lockstep, you asked for rollback");
}

BodyId first_mover_body(ReplicaSession& session) {
  std::vector<MoverId> movers;
  session.replica().simulation().world().list_movers(movers);
  return session.replica().simulation().world().mover(movers.at(0)).body;
}

// A round trip of 250 ms.
TEST(ReplicaRoom, OwnInputsActAtOnce) {
  VirtualReplicas room(arena(), room_options(NumbersMode::kFloat), 16);
  auto& client = room.add_client(ReplicationMode::kRollback, path(125, 0, 0));
  client.is_active = false;
  room.run_for(4 * kSecond);
  ReplicaSession& session = *client.session;
  ASSERT_TRUE(session.is_playing());
  BodyId const body = first_mover_body(session);
  std::uint64_t const tick = session.replica().tick();
  ASSERT_TRUE(session.send(room.now_us(), sim::MoveCommand{body, {3, 0, 0}, 0, false, false}).ok());
  while (session.replica().tick() <= tick + 1) room.run_for(1000);
  EXPECT_GT(session.replica().simulation().world().view(body).linear_velocity_m_s.x, 0.1);
}

// The wire omits a turn of -0, so that 0 arrives; the prediction must have the same bits.
TEST(ReplicaRoom, ASignOfAZeroCostsNoRollback) {
  VirtualReplicas room(arena(), room_options(NumbersMode::kFloat), 17);
  auto& client = room.add_client(ReplicationMode::kRollback, path(40, 0, 0));
  client.is_active = false;
  room.run_for(4 * kSecond);
  ReplicaSession& session = *client.session;
  ASSERT_TRUE(session.is_playing());
  BodyId const body = first_mover_body(session);
  std::uint64_t const before = session.replica().stats().rollbacks;
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(session.send(room.now_us(), sim::MoveCommand{body, {-0.0f, 0, 0}, -0.0f, false, false}).ok());
    room.run_for(33'000);
  }
  room.run_for(kSecond);
  EXPECT_EQ(session.replica().stats().rollbacks, before);
}

// One bit of one body of one client: its sideways velocity, while it falls freely.
void flip_a_bit(VirtualReplicas::Client& client, BodyId body) {
  auto& world = const_cast<sim::AnyWorld&>(client.session->replica().simulation().world());
  Vec3<double> velocity = world.view(body).linear_velocity_m_s;
  velocity.x = velocity.x == 0 ? 0x1p-20 : 0;
  ASSERT_TRUE(world.set_velocity(body, velocity, {}).ok());
}

sim::Scene falling() {
  auto scene = sim::load_scene(R"({"title": "falling", "bodies": [
      {"type": "static", "shapes": [{"half_space": {}}]},
      {"position": [0, 0.5, 0], "shapes": [{"box": {"size": [1, 1, 1]}}]},
      {"position": [9, 3000, 0], "shapes": [{"sphere": {"radius": 0.5}}]}]})",
                               "falling");
  if (!scene) throw std::runtime_error(scene.error().text);
  return *std::move(scene);
}

TEST_P(Replicas, AFlippedBitIsNamedOnBothEndsAndRepaired) {
  VirtualReplicas room(falling(), room_options(GetParam().numbers), 19);
  auto const bad = path(50, 10, 0.05);
  auto& sound = room.add_client(GetParam().mode, bad);
  auto& broken = room.add_client(GetParam().mode, bad);
  sound.is_active = broken.is_active = false;
  room.run_for(3 * kSecond);
  ASSERT_TRUE(broken.session->is_playing());
  std::vector<BodyId> bodies;
  room.room().simulation().world().list_bodies(bodies);
  BodyId const body = bodies.back();
  std::uint64_t const tick = broken.session->replica().tick();
  flip_a_bit(broken, body);
  room.run_for(2 * kSecond);
  ASSERT_EQ(broken.desyncs.size(), 1u);
  ASSERT_EQ(room.desyncs().size(), 1u);
  server::DesyncFinding const& finding = room.desyncs()[0];
  EXPECT_EQ(finding.text, broken.desyncs[0].text);
  EXPECT_EQ(finding.tick, broken.desyncs[0].tick);
  EXPECT_EQ(finding.tick, (tick / 8 + 1) * 8);
  std::string const record = "body.record[" + std::to_string(bodies.size() - 1) + "].";
  EXPECT_NE(finding.text.find(record), std::string::npos) << finding.text;
  EXPECT_NE(finding.text.find("linear_velocity.x: "), std::string::npos) << finding.text;
  EXPECT_EQ(room.room().counters().desyncs, 1u);
  std::printf("tick %llu: %s\n", static_cast<unsigned long long>(finding.tick), finding.text.c_str());
  // The repair.
  room.run_for(2 * kSecond);
  std::size_t const divergences = broken.divergences.size();
  std::uint64_t const equal = broken.session->replica().stats().hashes_equal;
  room.run_for(4 * kSecond);
  EXPECT_EQ(broken.divergences.size(), divergences);
  EXPECT_GT(broken.session->replica().stats().hashes_equal, equal + 20);
  EXPECT_TRUE(sound.divergences.empty());
  EXPECT_EQ(room.desyncs().size(), 1u);
}

TEST(ReplicaRoom, ThreeDesyncsInTenMinutesEndInModeSnapshot) {
  VirtualReplicas room(falling(), room_options(NumbersMode::kFloat), 20);
  auto& client = room.add_client(ReplicationMode::kRollback, path(50, 10, 0.05));
  client.is_active = false;
  room.run_for(3 * kSecond);
  std::vector<BodyId> bodies;
  room.room().simulation().world().list_bodies(bodies);
  for (int i = 0; i < 3; ++i) {
    ASSERT_FALSE(client.ending) << i;
    flip_a_bit(client, bodies.back());
    room.run_for(5 * kSecond);
  }
  EXPECT_EQ(room.desyncs().size(), 3u);
  EXPECT_FALSE(client.ending);
  ASSERT_EQ(client.modes.size(), 1u);
  EXPECT_EQ(client.modes[0].mode, ReplicaMode::kSnapshot);
  EXPECT_EQ(client.modes[0].text, "three desyncs in ten minutes");
}

// Rates of one client in both directions, sealing and the headers of IPv4 and UDP included.
struct Wire {
  double payload_kbps = 0;  // of confirmed ticks, repeats included, mean of all clients
  double down_kbps = 0;
  double up_kbps = 0;
  double down_packets = 0;  // per second
  double up_packets = 0;
};

constexpr std::uint64_t kHeaderBytes = 28;

// One client as its counters were at the start.
struct Meter {
  explicit Meter(const VirtualReplicas::Client& client)
      : down_bytes(client.down_bytes + kHeaderBytes * client.down_datagrams),
        up_bytes(client.up_bytes + kHeaderBytes * client.up_datagrams),
        down_datagrams(client.down_datagrams),
        up_datagrams(client.up_datagrams) {}
  std::uint64_t down_bytes;
  std::uint64_t up_bytes;
  std::uint64_t down_datagrams;
  std::uint64_t up_datagrams;
};

// The rates of 10 s, after `warm_up_s` in which copies follow the loss. The room has clients.
std::vector<Wire> measure(VirtualReplicas& room, const char* name, std::uint64_t warm_up_s = 5) {
  room.run_for(warm_up_s * kSecond);
  auto const counters = room.endpoint().counters();
  std::vector<Meter> before;
  for (auto const& client : room.clients()) before.emplace_back(*client);
  constexpr double kSeconds = 10;
  room.run_for(static_cast<std::uint64_t>(kSeconds) * kSecond);
  auto const per_s = [](std::uint64_t count) { return static_cast<double>(count) / kSeconds; };
  auto const sent = protocol::Counter::kConfirmedBytesSent;
  double const payload_kbps = per_s(room.endpoint().counters()[sent] - counters[sent]) * 8 / 1000 /
                              static_cast<double>(room.clients().size());
  std::vector<Wire> out;
  for (std::size_t i = 0; i < before.size(); ++i) {
    Meter const now(*room.clients()[i]);
    Wire const& wire =
        out.emplace_back(Wire{payload_kbps, per_s(now.down_bytes - before[i].down_bytes) * 8 / 1000,
                              per_s(now.up_bytes - before[i].up_bytes) * 8 / 1000,
                              per_s(now.down_datagrams - before[i].down_datagrams),
                              per_s(now.up_datagrams - before[i].up_datagrams)});
    if (i < 2)
      std::printf(
          "%s, client %zu: payload %.1f kbps, down %.1f kbps in %.0f packets/s, up %.1f kbps in %.0f\n", name,
          i, wire.payload_kbps, wire.down_kbps, wire.down_packets, wire.up_kbps, wire.up_packets);
  }
  return out;
}

Wire measure(std::size_t players, std::uint32_t command_percent, double loss = 0) {
  VirtualReplicas room(arena(), room_options(NumbersMode::kFloat), 17);
  for (std::size_t i = 0; i < players; ++i) room.add_client(ReplicationMode::kRollback, path(50, 5, loss));
  room.command_percent = command_percent;
  std::string const name = std::to_string(players) + " players, " + std::to_string(command_percent) +
                           " %, loss " + std::to_string(loss);
  return measure(room, name.c_str()).front();
}

// 8 % of 62.5 frames are 5 commands a second and player.
TEST(ReplicaRoom, EightActivePlayersCostFewBytes) {
  Wire const wire = measure(8, 8);
  EXPECT_LT(wire.payload_kbps, 10);
  EXPECT_LT(wire.down_kbps, 60);
}

// Each tick has three copies.
TEST(ReplicaRoom, EightActivePlayersOnALossyPathCostThreeTimesTheBytes) {
  Wire const wire = measure(8, 8, 0.1);
  EXPECT_LT(wire.payload_kbps, 30);
  EXPECT_LT(wire.down_kbps, 85);
}

TEST(ReplicaRoom, AQuietRoomCostsFewBytes) {
  Wire const wire = measure(2, 0);
  EXPECT_LT(wire.payload_kbps, 2);
  EXPECT_LT(wire.down_kbps, 10);
}

// Client 0 walks and sends an input in each frame, client 1 watches.
std::vector<Wire> measure_walker(std::uint64_t frame_ms, const char* name) {
  VirtualReplicas room(arena(), room_options(NumbersMode::kFloat), 17);
  auto& walker = room.add_client(ReplicationMode::kRollback, path(50, 5, 0));
  walker.walks = true;
  walker.frame_ms = frame_ms;
  room.add_client(ReplicationMode::kRollback, path(50, 5, 0)).is_active = false;
  return measure(room, name, 15);
}

TEST(ReplicaRoom, SomebodyWhoActsInEveryTickCostsOthersThirtyDatagramsASecond) {
  std::vector<Wire> const wires = measure_walker(16, "a walker of 62.5 inputs/s");
  // The walker's own: 30 datagrams of acks, and 10 of confirmed ticks with its own inputs.
  EXPECT_LT(wires[0].down_kbps, 45);
  EXPECT_LT(wires[1].down_kbps, 45) << "of those who watch";
  EXPECT_LT(wires[1].up_kbps, 20);
  EXPECT_LT(wires[0].up_kbps, 45);
}

TEST(ReplicaRoom, AWalkerOfThirtyInputsASecondCostsThirtyDatagrams) {
  std::vector<Wire> const wires = measure_walker(33, "a walker of 30.3 inputs/s");
  EXPECT_LT(wires[0].up_kbps, 25);
}

}  // namespace
}  // namespace takt::client::test
