// Example scenes, followed by clients that simulate over a bad network. Their states must be the server's,
// bit for bit, at every confirmed tick. `./dev replicas` runs every scene, for longer. The environment sets
// the case: TAKT_REPLICA_SCENES (names with commas, or "all"), TAKT_REPLICA_SECONDS of virtual time,
// TAKT_REPLICA_CLIENTS, TAKT_REPLICA_SEED, TAKT_REPLICA_TERRIBLE=1 for the network of terrible(), and
// TAKT_REPLICA_LOCKSTEP=1 for mode lockstep. A failure prints what repeats it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "tests/scene_file.h"
#include "tests/simulation/replica/replica_checks.h"

namespace takt::client::test {
namespace {

using SceneCase = std::tuple<std::string, NumbersMode>;

std::vector<std::string> scenes() {
  char const* const text = std::getenv("TAKT_REPLICA_SCENES");
  std::string const list = text != nullptr ? text : "bridge,car,cradle,playground";
  if (list == "all") return scene_files::names();
  std::vector<std::string> names;
  std::istringstream in(list);
  for (std::string name; std::getline(in, name, ',');) names.push_back(name);
  return names;
}

class SceneReplicas : public ::testing::TestWithParam<SceneCase> {};

TEST_P(SceneReplicas, HaveTheServersBits) {
  auto const& [scene, numbers] = GetParam();
  std::uint64_t const seconds = virtual_seconds(3);
  std::uint64_t const clients = number_of_environment("TAKT_REPLICA_CLIENTS", 2);
  std::uint64_t const seed = number_of_environment("TAKT_REPLICA_SEED", 31);
  bool const is_terrible = number_of_environment("TAKT_REPLICA_TERRIBLE", 0) != 0;
  bool const is_lockstep = number_of_environment("TAKT_REPLICA_LOCKSTEP", 0) != 0;
  SCOPED_TRACE("TAKT_REPLICA_SCENES=" + scene + " TAKT_REPLICA_SEED=" + std::to_string(seed) +
               " TAKT_REPLICA_SECONDS=" + std::to_string(seconds) + " TAKT_REPLICA_CLIENTS=" +
               std::to_string(clients) + " TAKT_REPLICA_TERRIBLE=" + (is_terrible ? "1" : "0") +
               " TAKT_REPLICA_LOCKSTEP=" + (is_lockstep ? "1" : "0"));

  VirtualReplicas room(scene_files::load(scene), room_options(numbers), seed);
  ReplicaOptions replica;
  if (is_terrible) replica.ahead_ticks_max = 600;
  auto const network = is_terrible ? terrible() : path(100, 20, 0.1);
  auto const mode = is_lockstep ? protocol::ReplicationMode::kLockstep : protocol::ReplicationMode::kRollback;
  auto const add = [&] {
    room.add_client(mode, network, replica);
    return room.clients().size() - 1;
  };
  std::vector<std::size_t> steady;
  while (steady.size() < clients) steady.push_back(add());
  room.command_percent = is_terrible ? 3 : 20;
  // A late client comes every 10 s, and the one before it goes. Every 7 s one of the others connects again.
  std::size_t late = 0, reconnects = 0;
  for (std::uint64_t second = 1; second <= seconds; ++second) {
    room.run_for(kSecond);
    if (second % 10 == 5) {
      if (late != 0) room.disconnect(*room.clients()[late]);
      late = add();
    }
    if (second % 7 == 0) {
      std::size_t& one = steady[reconnects++ % steady.size()];
      room.disconnect(*room.clients()[one]);
      one = add();
    }
  }
  expect_equal_states(room, is_terrible ? 15 : 2);
  // A client that has not begun after so long is stuck: three round trips of the handshake, an image and the
  // time of its losses.
  std::uint64_t const start_max_us = (is_terrible ? 20 : 5) * kSecond;
  std::uint64_t slowest_us = 0, hashes = 0, commands = 0;
  for (std::size_t i = 0; i < room.clients().size(); ++i) {
    VirtualReplicas::Client const& client = *room.clients()[i];
    std::uint64_t const end_us = client.left_us != 0 ? client.left_us : room.now_us();
    bool const has_played = client.playing_us != 0;
    EXPECT_TRUE(has_played || end_us < client.joined_us + start_max_us) << "client " << i;
    if (has_played) slowest_us = std::max(slowest_us, client.playing_us - client.joined_us);
    std::uint64_t const hashes_equal = client.session->replica().stats().hashes_equal;
    if (has_played && end_us >= client.playing_us + (is_terrible ? 10 : 3) * kSecond) {
      EXPECT_GT(hashes_equal, 10u) << "client " << i;
      EXPECT_GT(client.commands, 0u) << "client " << i;
    }
    hashes += hashes_equal;
    commands += client.commands;
  }
  EXPECT_LT(slowest_us, start_max_us);
  EXPECT_GT(hashes, 10 * clients);
  EXPECT_GT(commands, 0u);
  std::printf("%zu clients, %zu reconnects, slowest start %.1f s, %llu equal hashes, %llu commands\n",
              room.clients().size(), reconnects, static_cast<double>(slowest_us) * 1e-6,
              static_cast<unsigned long long>(hashes), static_cast<unsigned long long>(commands));
}

INSTANTIATE_TEST_SUITE_P(Examples, SceneReplicas,
                         ::testing::Combine(::testing::ValuesIn(scenes()),
                                            ::testing::Values(NumbersMode::kFloat, NumbersMode::kFixed)),
                         [](const auto& one) {
                           return std::get<0>(one.param) +
                                  (std::get<1>(one.param) == NumbersMode::kFloat ? "Float" : "Fixed");
                         });

}  // namespace
}  // namespace takt::client::test
