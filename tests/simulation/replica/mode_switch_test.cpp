// Sessions that go on in another mode: clients that cannot keep up show snapshots from then on, and may
// simulate again later.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "tests/simulation/replica/replica_checks.h"
#include "tests/simulation/replica/state_flip.h"
#include "tests/simulation/replica/virtual_replicas.h"

namespace takt::client::test {
namespace {

using protocol::ReplicationMode;

constexpr const char* kTooSlow = "this machine steps fewer ticks than the room";

// One tick in each of 25 frames a second, where the room has 60. A client with rollback steps what it
// predicts beside that: its machine has a frame in 3 s, for a second of which it has no room to predict.
VirtualReplicas::Client& add_slow_client(VirtualReplicas& room, ReplicationMode mode,
                                         const protocol::Impairment& path) {
  VirtualReplicas::Client* client = nullptr;
  if (mode == ReplicationMode::kPredicted) {
    PredictedOptions slow;
    slow.catch_up_ticks = 1;
    client = &room.add_predicted(path, slow);
  } else {
    ReplicaOptions slow;
    slow.catch_up_ticks = 1;
    client = &room.add_client(mode, path, slow);
  }
  client->frame_ms = mode == ReplicationMode::kRollback ? 3000 : 40;
  return *client;
}

// Bodies that the client draws and the server does not have there; empty = none, and all are drawn. Movers
// may walk on; all else has to be at rest.
std::string drawn_difference(VirtualReplicas& room, VirtualReplicas::Client& client) {
  std::vector<DrawnBody> drawn;
  client.session->draw(drawn);
  sim::AnyWorld const& world = room.room().simulation().world();
  std::vector<BodyId> ids;
  world.list_bodies(ids);
  if (drawn.size() != ids.size())
    return std::to_string(drawn.size()) + " bodies are drawn of " + std::to_string(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    Position const at = world.view(ids[i]).position;
    Position const& shown = drawn[i].position;
    Vec3<double> const velocity = world.view(ids[i]).linear_velocity_m_s;
    bool const is_moving = velocity.x != 0 || velocity.y != 0 || velocity.z != 0;
    bool const is_there = at.x_raw == shown.x_raw && at.y_raw == shown.y_raw && at.z_raw == shown.z_raw;
    bool const is_equal = drawn[i].id == ids[i] && (is_there || is_moving);
    if (!is_equal) return "body " + std::to_string(ids[i].index) + " is drawn elsewhere";
  }
  return {};
}

std::uint32_t sessions_in(VirtualReplicas& room, ReplicationMode mode) {
  return room.endpoint().mode_counts()[static_cast<std::size_t>(mode)];
}

class SlowClients : public ::testing::TestWithParam<ReplicationMode> {};

TEST_P(SlowClients, GoOnInModeSnapshotAndSaySo) {
  VirtualReplicas room(arena(), room_options(NumbersMode::kFloat), 21);
  auto& other = room.add_client(ReplicationMode::kLockstep, path(20, 5, 0.05));
  auto& client = add_slow_client(room, GetParam(), path(50, 10, 0.1));
  client.is_active = false;
  room.run_for(14 * kSecond);
  EXPECT_TRUE(client.modes.empty()) << "10 s behind is not reached yet";
  room.run_for(16 * kSecond);
  ASSERT_EQ(client.modes.size(), 1u);
  EXPECT_EQ(client.modes[0].mode, ReplicaMode::kSnapshot);
  EXPECT_EQ(client.modes[0].text, kTooSlow);
  client.frame_ms = 16;  // it draws alone
  room.run_for(50'000);
  EXPECT_FALSE(client.ending);
  EXPECT_TRUE(client.session->is_playing());
  EXPECT_FALSE(client.session->has_world());
  EXPECT_EQ(room.endpoint().player_count(), 2u);
  EXPECT_EQ(sessions_in(room, ReplicationMode::kSnapshot), 1u);
  EXPECT_EQ(sessions_in(room, GetParam()), GetParam() == ReplicationMode::kLockstep ? 1u : 0u);
  EXPECT_EQ(room.endpoint().counters()[protocol::Counter::kModesSwitched], 1u);
  // Its commands act in the room, and bodies that come later are drawn.
  std::size_t const bodies_before = room.room().simulation().world().body_count();
  sim::SpawnCommand spawn;
  spawn.dimensions_m = {0.3f, 0, 0};
  spawn.position = Position::from_metres(5, 1, 0);
  ASSERT_TRUE(client.session->send(room.now_us(), spawn));
  room.run_for(2 * kSecond);
  EXPECT_GT(room.room().simulation().world().body_count(), bodies_before);
  EXPECT_EQ(client.moved + client.refused, 0u);
  other.is_active = false;
  room.run_for(20 * kSecond);  // all comes to rest
  EXPECT_EQ(drawn_difference(room, client), "");
  EXPECT_TRUE(other.divergences.empty());
  EXPECT_FALSE(other.ending);
}

INSTANTIATE_TEST_SUITE_P(Modes, SlowClients,
                         ::testing::Values(ReplicationMode::kRollback, ReplicationMode::kLockstep,
                                           ReplicationMode::kPredicted),
                         [](const auto& one) { return std::string(protocol::name_of(one.param)); });

// Requests of the caller use up the server's rate just when the session asks by itself.
TEST(ModeSwitch, ARefusalForTheRateDoesNotEndASlowSession) {
  VirtualReplicas room(arena(), room_options(NumbersMode::kFloat), 37);
  auto& client = add_slow_client(room, ReplicationMode::kLockstep, path(20, 0, 0));
  client.is_active = false;
  room.run_for(14 * kSecond);
  std::set<std::uint32_t> asked;  // by the caller
  auto const is_own_refused = [&] {
    return std::ranges::any_of(
        client.modes, [&](const ModeChanged& one) { return one.is_refused && !asked.contains(one.request); });
  };
  for (int i = 0; i < 1200 && !is_own_refused(); ++i) {
    for (int k = 0; k < 10; ++k)
      if (auto const request = client.session->switch_mode(room.now_us(), ReplicaMode::kLockstep, {}))
        asked.insert(*request);
    room.run_for(10'000);
  }
  ASSERT_TRUE(is_own_refused());
  EXPECT_FALSE(client.ending);
  room.run_for(3 * kSecond);
  EXPECT_FALSE(client.ending);
  EXPECT_EQ(client.session->mode(), ReplicationMode::kSnapshot);
  EXPECT_EQ(client.modes.back().text, kTooSlow);
}

// There and back, with inputs before, between and after: their numbers go on.
TEST(ModeSwitch, ASessionSimulatesAgainWithTheServersBits) {
  VirtualReplicas room(arena(), room_options(NumbersMode::kFloat), 31);
  auto const bad = path(50, 10, 0.1);
  room.add_client(ReplicationMode::kRollback, bad);
  auto& client = room.add_client(ReplicationMode::kRollback, bad);
  room.run_for(4 * kSecond);
  std::uint64_t const commands = client.commands;
  EXPECT_GT(commands, 5u);
  ASSERT_TRUE(client.session->switch_mode(room.now_us(), ReplicaMode::kSnapshot, "for a while"));
  room.run_for(11 * kSecond);
  ASSERT_EQ(client.modes.size(), 1u);
  EXPECT_EQ(client.modes[0].text, "for a while");
  EXPECT_GT(client.commands, commands + 20);
  for (ReplicaMode const mode : {ReplicaMode::kLockstep, ReplicaMode::kPredicted, ReplicaMode::kRollback}) {
    ASSERT_TRUE(client.session->switch_mode(room.now_us(), mode, {}));
    room.run_for(11 * kSecond);
    EXPECT_EQ(client.modes.back().mode, mode);
    EXPECT_TRUE(client.session->is_playing());
    ASSERT_TRUE(client.session->has_world());
    if (mode == ReplicaMode::kPredicted) continue;
    EXPECT_GT(client.session->replica().stats().hashes_equal, 40u);
    EXPECT_EQ(client.session->replica().stats().rollbacks > 0, mode == ReplicaMode::kRollback);
  }
  EXPECT_EQ(client.modes.size(), 4u);
  expect_equal_states(room, 3);
}

TEST(ModeSwitch, ModesThatAreNotOfferedOrTooSoonAreRefusedWithTheReason) {
  server::RoomOptions options;
  options.modes = {};
  options.modes.add(ReplicationMode::kLockstep);
  VirtualReplicas room(arena(), options, 32);
  auto& client = room.add_client(ReplicationMode::kLockstep, path(20, 0, 0));
  room.run_for(2 * kSecond);
  auto const ask = [&](ReplicaMode mode) {
    EXPECT_TRUE(client.session->switch_mode(room.now_us(), mode, {}));
    room.run_for(kSecond);
  };
  ask(ReplicaMode::kRollback);
  ASSERT_EQ(client.modes.size(), 1u);
  EXPECT_TRUE(client.modes[0].is_refused);
  EXPECT_EQ(client.modes[0].mode, ReplicaMode::kLockstep);
  EXPECT_EQ(client.modes[0].text, "this server offers modes snapshot, lockstep, you asked for rollback");
  EXPECT_TRUE(client.session->has_world());
  ask(ReplicaMode::kSnapshot);
  ask(ReplicaMode::kLockstep);
  ASSERT_EQ(client.modes.size(), 3u);
  EXPECT_FALSE(client.modes[1].is_refused);
  EXPECT_TRUE(client.modes[2].is_refused);
  EXPECT_EQ(client.modes[2].mode, ReplicaMode::kSnapshot);
  EXPECT_EQ(client.modes[2].text, "your mode changed less than 10 s ago; ask again later");
  room.run_for(9 * kSecond);
  ask(ReplicaMode::kLockstep);
  room.run_for(kSecond);
  EXPECT_EQ(client.modes.back().mode, ReplicaMode::kLockstep);
  EXPECT_FALSE(client.modes.back().is_refused);
  EXPECT_EQ(client.modes.back().request, client.modes.size());
  expect_equal_states(room, 2);
}

// The session leaves its mode before an image has come, and its inputs act meanwhile. Their numbers are those
// of the session all the same.
TEST(ModeSwitch, InputsBeforeTheFirstImageKeepTheirNumbers) {
  VirtualReplicas room(arena(), room_options(NumbersMode::kFloat), 33);
  room.add_client(ReplicationMode::kLockstep, path(20, 0, 0));
  room.run_for(2 * kSecond);
  auto& client = room.add_client(ReplicationMode::kRollback, path(100, 10, 0.05));
  while (room.endpoint().player_count() < 2) room.run_for(1000);
  room.endpoint().switch_mode(room.now_us(), 2, ReplicationMode::kSnapshot, "at once");
  room.run_for(11 * kSecond);
  EXPECT_EQ(client.images, 0u);
  EXPECT_GT(client.commands, 20u);
  ASSERT_TRUE(client.session->switch_mode(room.now_us(), ReplicaMode::kRollback, {}));
  room.run_for(8 * kSecond);
  ASSERT_TRUE(client.session->has_world());
  EXPECT_GT(client.session->replica().stats().rollbacks, 0u);
  expect_equal_states(room, 3);
  EXPECT_EQ(client.session->replica().inputs_in_flight(), 0u) << "each is known as an own one";
}

// The image that the server makes for the mode of the join is on its way when the mode changes.
TEST(ModeSwitch, APredictedSessionBeginsItsRollbackWithTheWholeWorld) {
  for (std::uint64_t const after_ms : {0, 20, 60, 150, 400}) {
    VirtualReplicas room(arena(), room_options(NumbersMode::kFloat), 34);
    auto& client = room.add_predicted(path(50, 10, 0.05));
    while (room.endpoint().player_count() < 1) room.run_for(1000);
    room.run_for(after_ms * 1000);
    room.endpoint().switch_mode(room.now_us(), 1, ReplicationMode::kRollback, {});
    room.run_for(6 * kSecond);
    EXPECT_FALSE(client.ending) << after_ms;
    ASSERT_EQ(client.modes.size(), 1u) << after_ms << ": it stays in its mode";
    ASSERT_TRUE(client.session->is_playing()) << after_ms;
    EXPECT_GT(client.session->replica().stats().hashes_equal, 20u) << after_ms;
    expect_equal_states(room, 3);
  }
}

// A client whose state differs has sent its first probe when its mode changes. The next desync is named as
// if none had been.
TEST(ModeSwitch, AComparisonEndsWithTheModeOfItsWorld) {
  VirtualReplicas room(arena(), room_options(NumbersMode::kFloat), 35);
  auto& client = room.add_client(ReplicationMode::kLockstep, path(100, 0, 0));
  client.is_active = false;
  room.run_for(3 * kSecond);
  auto const flip = [&] {
    auto& simulation = const_cast<sim::Simulation&>(client.session->replica().simulation());
    return flip_bit(simulation, "body.record[1].", "center.x");
  };
  (void)flip();
  while (client.divergences.empty()) room.run_for(1000);
  room.run_for(50'000);  // the probe is on its way
  room.endpoint().switch_mode(room.now_us(), 1, ReplicationMode::kRollback, {});
  room.run_for(3 * kSecond);
  EXPECT_TRUE(room.desyncs().empty());
  EXPECT_TRUE(client.desyncs.empty());
  std::string const field = flip();
  room.run_for(3 * kSecond);
  ASSERT_EQ(room.desyncs().size(), 1u);
  ASSERT_EQ(client.desyncs.size(), 1u);
  EXPECT_NE(room.desyncs()[0].text.find("body.record[1]"), std::string::npos) << room.desyncs()[0].text;
  EXPECT_NE(client.desyncs[0].text.find("body.record[1]"), std::string::npos) << client.desyncs[0].text;
  client.divergences.clear();
  expect_equal_states(room, 2);
}

// A session in mode snapshot is lost, and the client's next one counts its snapshots from 1 again.
TEST(ModeSwitch, ASessionAfterAnotherShowsItsOwnSnapshots) {
  VirtualReplicas room(arena(), room_options(NumbersMode::kFloat), 36);
  room.client_timeout_us = 2 * kSecond;
  auto& client = room.add_client(ReplicationMode::kLockstep, path(20, 0, 0));
  client.is_active = false;
  room.run_for(2 * kSecond);
  ASSERT_TRUE(client.session->switch_mode(room.now_us(), ReplicaMode::kSnapshot, {}));
  room.run_for(20 * kSecond);
  std::uint64_t const before = client.session->view().snapshots();
  EXPECT_GT(before, 100u);
  client.is_cut = true;
  room.run_for(3 * kSecond);
  ASSERT_TRUE(client.ending);
  room.reconnect(client);
  room.run_for(3 * kSecond);
  EXPECT_EQ(client.session->mode(), ReplicationMode::kLockstep) << "the mode of the beginning";
  EXPECT_EQ(client.session->view().snapshots(), 0u);
  ASSERT_TRUE(client.session->switch_mode(room.now_us(), ReplicaMode::kSnapshot, {}));
  room.run_for(5 * kSecond);
  EXPECT_GT(client.session->view().snapshots(), 20u);
  EXPECT_EQ(drawn_difference(room, client), "");
}

// Nothing reaches one client for longer than the server keeps ticks, while it goes on to be heard.
TEST(ModeSwitch, AClientThatIsBehindTheLogGoesOnInModeSnapshot) {
  VirtualReplicas room(arena(), room_options(NumbersMode::kFloat), 15);
  auto& other = room.add_client(ReplicationMode::kRollback, path(20, 0, 0));
  room.client_timeout_us = 60 * kSecond;
  auto& client = room.add_client(ReplicationMode::kRollback, path(20, 0, 0));
  room.run_for(2 * kSecond);
  ASSERT_EQ(room.endpoint().player_count(), 2u);
  room.command_percent = 2;  // more than 4 KiB that were never sent would go through the reliable channel
  protocol::Impairment down = path(20, 0, 0);
  down.blackhole = true;
  client.down->set_impairment(down);
  room.run_for((protocol::ConfirmedLog::kSeconds - 1) * kSecond);
  EXPECT_EQ(sessions_in(room, ReplicationMode::kSnapshot), 0u);
  room.run_for(2 * kSecond);
  EXPECT_EQ(sessions_in(room, ReplicationMode::kSnapshot), 1u);
  down.blackhole = false;
  client.down->set_impairment(down);
  room.run_for(8 * kSecond);
  EXPECT_FALSE(client.ending);
  ASSERT_EQ(client.modes.size(), 1u);
  EXPECT_EQ(client.modes[0].text, "you are behind all ticks that this server keeps");
  other.is_active = client.is_active = false;
  room.run_for(20 * kSecond);
  EXPECT_EQ(drawn_difference(room, client), "");
  EXPECT_TRUE(other.divergences.empty());
}

}  // namespace
}  // namespace takt::client::test
