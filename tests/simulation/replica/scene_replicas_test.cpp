// Every example scene, followed by clients that simulate over a bad network. Their states must be the
// server's, bit for bit, at every confirmed tick. The environment makes the cases longer: TAKT_REPLICA_SECONDS
// sets the virtual time, TAKT_REPLICA_CLIENTS the clients, TAKT_REPLICA_SEED the seed, and with
// TAKT_REPLICA_TERRIBLE=1 the network is terrible(). A failure prints them.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <tuple>

#include "tests/scene_file.h"
#include "tests/simulation/replica/replica_checks.h"

namespace takt::client::test {
namespace {

using Case = std::tuple<std::string, NumbersMode>;

class SceneReplicas : public ::testing::TestWithParam<Case> {};

TEST_P(SceneReplicas, HaveTheServersBits) {
  auto const& [scene, numbers] = GetParam();
  std::uint64_t const seconds = virtual_seconds(2);
  std::uint64_t const clients = number_of_environment("TAKT_REPLICA_CLIENTS", 3);
  std::uint64_t const seed = number_of_environment("TAKT_REPLICA_SEED", 31);
  bool const is_terrible = number_of_environment("TAKT_REPLICA_TERRIBLE", 0) != 0;
  SCOPED_TRACE("TAKT_REPLICA_SEED=" + std::to_string(seed) + " TAKT_REPLICA_SECONDS=" +
               std::to_string(seconds) + " TAKT_REPLICA_CLIENTS=" + std::to_string(clients) +
               " TAKT_REPLICA_TERRIBLE=" + (is_terrible ? "1" : "0"));

  VirtualReplicas room(scene_files::load(scene), room_options(numbers), seed);
  ReplicaOptions replica;
  if (is_terrible) replica.ahead_ticks_max = 600;
  auto const network = is_terrible ? terrible() : path(100, 20, 0.1);
  auto const add = [&] { room.add_client(protocol::ReplicationMode::kRollback, network, replica); };
  for (std::uint64_t i = 0; i < clients; ++i) add();
  room.command_percent = is_terrible ? 3 : 10;
  // A late client comes every 10 s, and the one before it goes. Every 7 s one of the first connects again.
  std::size_t late = 0, reconnecting = 0;
  for (std::uint64_t second = 1; second <= seconds; ++second) {
    room.run_for(kSecond);
    if (second % 10 == 5) {
      if (late != 0) room.disconnect(*room.clients()[late]);
      late = room.clients().size();
      add();
    }
    if (second % 7 == 0 && reconnecting < clients) {
      room.disconnect(*room.clients()[reconnecting++]);
      add();
    }
  }
  expect_equal_states(room, is_terrible ? 15 : 2);
  for (std::uint64_t i = 0; i < clients; ++i) {
    VirtualReplicas::Client const& client = *room.clients()[i];
    EXPECT_GT(client.session->replica().stats().hashes_equal, 10u) << "client " << i;
    EXPECT_GT(client.commands, 0u) << "client " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Examples, SceneReplicas,
                         ::testing::Combine(::testing::ValuesIn(scene_files::names()),
                                            ::testing::Values(NumbersMode::kFloat, NumbersMode::kFixed)),
                         [](const auto& one) {
                           return std::get<0>(one.param) +
                                  (std::get<1>(one.param) == NumbersMode::kFloat ? "Float" : "Fixed");
                         });

}  // namespace
}  // namespace takt::client::test
