// Clients that predict what is near their own bodies, over the real protocol and a bad network. Once inputs
// end, their bodies must be the server's within the grids of body_truth.h, at the same tick. Bodies outside
// of the area that still move there trail the server by intent. TAKT_REPLICA_SECONDS sets the virtual time of
// the long cases, TAKT_REPLICA_SEED the seed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/simulation/replica/replica_checks.h"
#include "tests/simulation/replica/virtual_replicas.h"

namespace takt::client::test {
namespace {

using protocol::ReplicationMode;

// The arena with two boxes on a hinge and a row of far boxes.
sim::Scene wide_arena() {
  std::string bodies;
  for (int i = 0; i < 8; ++i)
    bodies += ",{\"position\": [" + std::to_string(60 + 3 * i) +
              ",0.5,0], \"shapes\": [{\"box\": {\"size\": [1,1,1]}}]}";
  bodies += R"(,{"name": "a", "position": [6,0.5,0], "shapes": [{"box": {"size": [1,1,1]}}]},
               {"name": "b", "position": [7.2,0.5,0], "shapes": [{"box": {"size": [1,1,1]}}]})";
  return arena(bodies, R"({"kind": "revolute", "a": "a", "b": "b", "anchor": [6.6,0.5,0], "axis": [0,1,0]})");
}

std::uint64_t seed_of(std::uint64_t otherwise) {
  std::uint64_t const seed = number_of_environment("TAKT_REPLICA_SEED", otherwise);
  std::printf("TAKT_REPLICA_SEED=%llu\n", static_cast<unsigned long long>(seed));
  return seed;
}

void print_stats(const std::vector<std::unique_ptr<VirtualReplicas::Client>>& clients) {
  for (auto const& client : clients) {
    if (!client->session->is_predicted()) continue;
    PredictedStats const& stats = client->session->predicted().stats();
    std::printf(
        "player %u: %llu compared, %llu corrected, mean error %.4f m, greatest %.3f m, "
        "%llu rollbacks of %llu ticks, area %zu, playing after %.1f s, %llu commands\n",
        client->session->player(), static_cast<unsigned long long>(stats.compared),
        static_cast<unsigned long long>(stats.corrected),
        stats.compared == 0 ? 0 : stats.error_sum_m / static_cast<double>(stats.compared), stats.error_max_m,
        static_cast<unsigned long long>(stats.rollbacks),
        static_cast<unsigned long long>(stats.resimulated_ticks),
        client->session->predicted().area().bodies().size(),
        static_cast<double>(client->playing_us - client->joined_us) * 1e-6,
        static_cast<unsigned long long>(client->commands));
  }
}

// Commands stop. All that is under way arrives, and then every body must be the server's.
void expect_converged(VirtualReplicas& room, std::uint64_t quiet_s) {
  for (auto const& client : room.clients()) client->is_active = false;
  room.keep_bodies();
  room.run_for(quiet_s * kSecond);
  for (std::size_t i = 0; i < room.clients().size(); ++i) {
    VirtualReplicas::Client const& client = *room.clients()[i];
    if (client.ending) {
      EXPECT_EQ(client.ending->reason, "client_left") << client.ending->text;
      continue;
    }
    EXPECT_TRUE(client.session->is_playing()) << "client " << i;
  }
  for (int i = 0; i < 60; ++i) {
    room.note_bodies();
    room.run_for(16'000);
  }
  room.run_for(6 * kSecond);  // clients are ahead of the server
  print_stats(room.clients());
  VirtualReplicas::Comparison const comparison = room.compare_bodies();
  EXPECT_GT(comparison.bodies, 1000u);
  EXPECT_GT(comparison.bodies, 4 * comparison.trailing);
  EXPECT_EQ(comparison.differing, 0u) << "of " << comparison.bodies << ", first " << comparison.first;
}

class Predicted : public ::testing::TestWithParam<NumbersMode> {};

TEST_P(Predicted, FourClientsAndALateOneConvergeOnTheServersState) {
  VirtualReplicas room(wide_arena(), room_options(GetParam()), seed_of(11));
  auto const bad = path(100, 20, 0.1);
  for (int i = 0; i < 4; ++i) room.add_predicted(bad);
  std::uint64_t const seconds = virtual_seconds(12);
  for (std::uint64_t second = 0; second < seconds; ++second) {
    if (second % 10 == 5) {  // each late client replaces the one before
      if (room.clients().size() > 4) room.disconnect(*room.clients().back());
      room.add_predicted(bad);
    }
    room.run_for(kSecond);
  }
  expect_converged(room, 6);
  for (std::size_t i = 0; i < room.clients().size(); ++i) {
    VirtualReplicas::Client const& client = *room.clients()[i];
    EXPECT_GT(client.commands, 20u);
    EXPECT_LT(client.playing_us - client.joined_us, 2 * kSecond) << "client " << i;
    if (client.ending) continue;
    PredictedStats const& stats = client.session->predicted().stats();
    EXPECT_GT(stats.compared, 500u);
    EXPECT_GT(stats.corrected, 0u);
    EXPECT_EQ(client.session->predicted().inputs_in_flight(), 0u) << "client " << i;
  }
}

TEST_P(Predicted, ClientsOfATerribleNetworkConverge) {
  VirtualReplicas room(wide_arena(), room_options(GetParam()), seed_of(12));
  PredictedOptions far;
  far.ahead_ticks_max = 600;
  for (int i = 0; i < 3; ++i) room.add_predicted(terrible(), far);
  room.command_percent = 3;
  room.run_for(virtual_seconds(40) * kSecond);
  expect_converged(room, 15);
  for (auto const& client : room.clients()) EXPECT_GT(client->commands, 5u);
}

TEST_P(Predicted, OwnInputsActAtOnce) {
  VirtualReplicas room(wide_arena(), room_options(GetParam()), seed_of(16));
  auto& client = room.add_predicted(path(125, 0, 0));
  client.is_active = false;
  room.run_for(4 * kSecond);
  ReplicaSession& session = *client.session;
  ASSERT_TRUE(session.is_playing());
  std::vector<MoverId> movers;
  session.simulation().world().list_movers(movers);
  BodyId const body = session.simulation().world().mover(movers.at(0)).body;
  std::uint64_t const tick = session.tick();
  ASSERT_TRUE(session.send(room.now_us(), sim::MoveCommand{body, {-3, 0, 0}, 0, false, false}).ok());
  while (session.tick() <= tick + 1) room.run_for(1000);
  EXPECT_LT(session.simulation().world().view(body).linear_velocity_m_s.x, -0.1);
  // The server steps the same, so that nothing needs a correction.
  std::uint64_t const corrected = session.predicted().stats().corrected;
  room.run_for(2 * kSecond);
  EXPECT_LT(session.simulation().world().view(body).linear_velocity_m_s.x, -2.9);
  EXPECT_EQ(session.predicted().stats().corrected, corrected);
}

// One client spawns. The body appears on both ends, with the server's id, and goes again.
TEST_P(Predicted, BodiesComeAndGoWithTheServersIds) {
  VirtualReplicas room(wide_arena(), room_options(GetParam()), seed_of(14));
  auto& maker = room.add_predicted(path(60, 10, 0.05));
  auto& other = room.add_predicted(path(60, 10, 0.05));
  maker.is_active = other.is_active = false;
  room.run_for(3 * kSecond);
  std::uint32_t const before = room.room().simulation().world().body_count();
  std::vector<BodyId> made;
  for (int i = 0; i < 3; ++i) {
    sim::SpawnCommand spawn;
    spawn.kind = ShapeKind::kBox;
    spawn.dimensions_m = {0.3f, 0.3f, 0.3f};
    spawn.position = Position::from_metres(-8 - 2 * i, 3, -6);
    ASSERT_TRUE(maker.session->send(room.now_us(), spawn).ok());
  }
  room.run_for(3 * kSecond);
  sim::AnyWorld const& server = room.room().simulation().world();
  ASSERT_EQ(server.body_count(), before + 3);
  std::vector<BodyId> all;
  server.list_bodies(all);
  for (auto* const client : {&maker, &other}) {
    sim::Simulation const& own = client->session->simulation();
    EXPECT_EQ(own.world().body_count(), before + 3);
    for (BodyId const body : all) {
      ASSERT_TRUE(own.world().contains(body)) << body.index;
      EXPECT_EQ(own.owner(body), room.room().simulation().owner(body));
      if (room.room().simulation().owner(body) == maker.session->player()) made.push_back(body);
    }
  }
  ASSERT_FALSE(made.empty());
  ASSERT_TRUE(maker.session->send(room.now_us(), sim::DespawnCommand{made.front()}).ok());
  expect_converged(room, 4);
  EXPECT_FALSE(other.session->simulation().world().contains(made.front()));
}

// A body that is far from own bodies follows snapshots: another client pushes it.
TEST_P(Predicted, FarBodiesFollowTheServer) {
  VirtualReplicas room(wide_arena(), room_options(GetParam()), seed_of(15));
  auto& watcher = room.add_predicted(path(60, 10, 0.05));
  auto& pusher = room.add_predicted(path(60, 10, 0.05));
  watcher.is_active = pusher.is_active = false;
  room.run_for(3 * kSecond);
  std::vector<BodyId> bodies;
  room.room().simulation().world().list_bodies(bodies);
  BodyId const far = bodies.at(bodies.size() - 3);
  double const x = room.room().simulation().world().view(far).position.x_m();
  ASSERT_TRUE(
      pusher.session->send(room.now_us(), sim::ImpulseCommand{far, {4000, 1000, 0}, std::nullopt}).ok());
  room.run_for(300'000);
  EXPECT_TRUE(pusher.session->predicted().area().contains(far));
  EXPECT_FALSE(watcher.session->predicted().area().contains(far));
  expect_converged(room, 5);
  EXPECT_GT(watcher.session->simulation().world().view(far).position.x_m(), x + 0.5);
  EXPECT_EQ(watcher.session->predicted().stats().rollbacks, 0u);
}

INSTANTIATE_TEST_SUITE_P(Numbers, Predicted, ::testing::Values(NumbersMode::kFloat, NumbersMode::kFixed),
                         [](const auto& one) {
                           return one.param == NumbersMode::kFloat ? "Float" : "Fixed";
                         });

TEST(PredictedRoom, ModesMixInOneRoom) {
  VirtualReplicas room(wide_arena(), room_options(NumbersMode::kFloat), seed_of(13));
  auto const fair = path(50, 10, 0.05);
  room.add_predicted(fair);
  room.add_client(ReplicationMode::kRollback, fair);
  room.add_client(ReplicationMode::kLockstep, fair);
  room.add_predicted(fair);
  room.run_for(8 * kSecond);
  expect_converged(room, 6);
  for (auto const& client : room.clients()) EXPECT_TRUE(client->divergences.empty());
  EXPECT_GT(room.clients()[1]->session->replica().stats().hashes_equal, 40u);
  auto const modes = room.endpoint().mode_counts();
  EXPECT_EQ(modes[static_cast<std::size_t>(ReplicationMode::kPredicted)], 2u);
  EXPECT_EQ(modes[static_cast<std::size_t>(ReplicationMode::kRollback)], 1u);
  EXPECT_EQ(modes[static_cast<std::size_t>(ReplicationMode::kLockstep)], 1u);
  EXPECT_EQ(modes[static_cast<std::size_t>(ReplicationMode::kSnapshot)], 0u);
}

std::map<std::uint64_t, std::uint64_t> hashes_of_a_room(bool is_watched) {
  VirtualReplicas room(wide_arena(), room_options(NumbersMode::kFloat), 19);
  room.add_client(ReplicationMode::kRollback, path(40, 5, 0.02));
  if (is_watched)
    for (int i = 0; i < 2; ++i) room.add_predicted(path(80, 20, 0.1), {}, protocol::Role::kSpectator);
  room.run_for(6 * kSecond);
  if (is_watched) {
    EXPECT_TRUE(room.clients()[1]->session->is_playing());
    EXPECT_GT(room.clients()[1]->session->predicted().snapshot_tick(), 100u);
  }
  return room.hashes();
}

TEST(PredictedRoom, WhoWatchesChangesNoHashOfTheServer) {
  EXPECT_EQ(hashes_of_a_room(true), hashes_of_a_room(false));
}

TEST(PredictedRoom, ARoomThatDoesNotOfferItRefuses) {
  server::RoomOptions options;
  options.modes = {};
  options.modes.add(ReplicationMode::kRollback);
  VirtualReplicas room(wide_arena(), options, 14);
  auto& client = room.add_predicted({});
  room.run_for(kSecond);
  ASSERT_TRUE(client.ending.has_value());
  EXPECT_EQ(client.ending->reason, "mode_unsupported");
  EXPECT_EQ(client.ending->text, "this server offers modes snapshot, rollback, you asked for predicted");
}

}  // namespace
}  // namespace takt::client::test
