// Clients that simulate and come back with the world that they left: inputs alone bring it to the present
// tick, if the room has them still and the hash agrees.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "tests/simulation/replica/replica_checks.h"
#include "tests/simulation/replica/virtual_replicas.h"

namespace takt::client::test {
namespace {

using protocol::ReplicationMode;

struct ReturnCase {
  NumbersMode numbers = NumbersMode::kFloat;
  ReplicationMode mode = ReplicationMode::kRollback;
};

// The client hears nothing for `cut_s`, in which its session ends, and connects anew.
void lose_for(VirtualReplicas& room, VirtualReplicas::Client& client, std::uint64_t cut_s) {
  client.is_cut = true;
  room.run_for(cut_s * kSecond);
  ASSERT_TRUE(client.ending);
  EXPECT_EQ(client.ending->reason, "timed_out");
  room.reconnect(client);
}

class Resume : public ::testing::TestWithParam<ReturnCase> {};

TEST_P(Resume, AClientComesBackByInputsAloneWithTheServersBits) {
  VirtualReplicas room(arena(), room_options(GetParam().numbers), 41);
  room.client_timeout_us = 2 * kSecond;
  auto const bad = path(100, 20, 0.1);
  auto& other = room.add_client(GetParam().mode, bad);
  auto& client = room.add_client(GetParam().mode, bad);
  room.run_for(5 * kSecond);
  ASSERT_EQ(client.images, 1u);
  std::uint64_t resumed = 0;
  for (std::uint64_t const cut_s : {3u, 12u, 25u}) {
    lose_for(room, client, cut_s);
    room.run_for(4 * kSecond);
    EXPECT_EQ(client.resumed, ++resumed) << "after " << cut_s << " s";
    ASSERT_TRUE(client.session->is_playing()) << "after " << cut_s << " s";
    EXPECT_LT(client.playing_us - client.joined_us, 3 * kSecond);
    std::uint64_t const commands = client.commands;
    room.run_for(4 * kSecond);
    EXPECT_GT(client.commands, commands + 5);
  }
  EXPECT_EQ(client.images, 1u);
  EXPECT_EQ(room.endpoint().counters()[protocol::Counter::kSessionsResumed], 3u);
  EXPECT_GT(client.session->replica().stats().hashes_equal, 300u);
  EXPECT_EQ(other.resumed, 0u);
  expect_equal_states(room, 3);
}

INSTANTIATE_TEST_SUITE_P(Modes, Resume,
                         ::testing::Values(ReturnCase{NumbersMode::kFloat, ReplicationMode::kRollback},
                                           ReturnCase{NumbersMode::kFixed, ReplicationMode::kRollback},
                                           ReturnCase{NumbersMode::kFloat, ReplicationMode::kLockstep}),
                         [](const auto& one) {
                           return std::string(one.param.numbers == NumbersMode::kFloat ? "Float" : "Fixed") +
                                  (one.param.mode == ReplicationMode::kRollback ? "Rollback" : "Lockstep");
                         });

// The last one who stepped the ticks of a room may come back for them.
TEST(ResumeRoom, TheRoomKeepsTicksForItsOnlyClient) {
  VirtualReplicas room(arena(), room_options(NumbersMode::kFloat), 42);
  room.client_timeout_us = 2 * kSecond;
  auto& client = room.add_client(ReplicationMode::kRollback, path(20, 5, 0));
  room.run_for(3 * kSecond);
  lose_for(room, client, 20);
  EXPECT_EQ(room.endpoint().player_count(), 0u);
  room.run_for(3 * kSecond);
  EXPECT_EQ(client.resumed, 1u);
  EXPECT_EQ(client.images, 1u);
  expect_equal_states(room, 3);
}

// The network is down for two tries, and the world waits for the third.
TEST(ResumeRoom, AClientWhoseTriesFailComesBackByInputsAllTheSame) {
  VirtualReplicas room(arena(), room_options(NumbersMode::kFloat), 47);
  room.client_timeout_us = 2 * kSecond;
  room.connect_timeout_us = 3 * kSecond;
  room.add_client(ReplicationMode::kLockstep, path(20, 5, 0));
  auto& client = room.add_client(ReplicationMode::kRollback, path(20, 5, 0));
  room.run_for(3 * kSecond);
  client.is_cut = true;
  room.run_for(3 * kSecond);
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(client.ending) << i;
    room.reconnect(client, true);
    room.run_for(4 * kSecond);
  }
  ASSERT_TRUE(client.ending);
  EXPECT_TRUE(client.session->has_world());
  room.reconnect(client);
  room.run_for(4 * kSecond);
  EXPECT_EQ(client.resumed, 1u);
  EXPECT_EQ(client.images, 1u);
  EXPECT_TRUE(client.session->is_playing());
  expect_equal_states(room, 3);
}

// A player of a resumed world numbers its inputs on from the last, whether it comes back to its player or
// after that one has left. The own inputs are known as such: none waits for its tick for ever.
TEST(ResumeRoom, OwnInputsOfAResumedWorldAreKnownBeforeAndAfterTheirPlayerHasLeft) {
  for (std::uint32_t const away_s : {30u, 2u}) {
    server::RoomOptions options = room_options(NumbersMode::kFloat);
    options.away_s = away_s;
    VirtualReplicas room(arena(), options, 48);
    room.client_timeout_us = 2 * kSecond;
    room.client_name = "ann";
    auto& client = room.add_client(ReplicationMode::kRollback, path(50, 10, 0.05));
    room.run_for(5 * kSecond);
    std::uint64_t const commands = client.commands;
    ASSERT_GT(commands, 10u);
    sim::PlayerId const player = client.session->player();
    auto const image = room.room().simulation().save();
    room.restart(image, 77);
    room.run_for(4 * kSecond);
    ASSERT_TRUE(client.ending);
    ASSERT_EQ(room.room().simulation().has_player(player), away_s == 30);
    room.reconnect(client);
    room.run_for(5 * kSecond);
    EXPECT_EQ(client.session->player(), player);
    EXPECT_TRUE(room.room().simulation().has_player(player));
    EXPECT_GT(client.commands, commands + 10);
    expect_equal_states(room, 3);
    EXPECT_EQ(client.session->replica().inputs_in_flight(), 0u) << away_s;
    EXPECT_TRUE(client.divergences.empty());
  }
}

// The other run begins with an earlier state, and passes the tick of the client, which was quiet: ticks and
// hash agree. A spectator makes the room confirm its ticks.
TEST(ResumeRoom, AWorldOfAnotherRunGetsAnImage) {
  VirtualReplicas room(arena(), room_options(NumbersMode::kFloat), 49);
  room.client_timeout_us = 2 * kSecond;
  auto& client = room.add_client(ReplicationMode::kRollback, path(20, 5, 0));
  client.is_active = false;
  room.run_for(8 * kSecond);
  auto const image = room.room().simulation().save();
  room.run_for(2 * kSecond);
  ASSERT_TRUE(client.session->is_playing());
  room.restart(image, 2);
  room.next_spectates = true;
  auto& spectator = room.add_client(ReplicationMode::kLockstep, path(20, 5, 0));
  spectator.is_active = false;
  room.run_for(4 * kSecond);
  ASSERT_TRUE(client.ending);
  EXPECT_EQ(room.hashes().at(client.session->replica().last_confirmed_hash()->tick),
            client.session->replica().last_confirmed_hash()->hash)
      << "nothing but the epoch tells the worlds apart";
  room.reconnect(client);
  room.run_for(4 * kSecond);
  EXPECT_EQ(client.resumed, 0u);
  EXPECT_EQ(client.images, 2u);
  EXPECT_TRUE(client.session->is_playing());
  expect_equal_states(room, 3);
}

TEST(ResumeRoom, AfterMoreThanThirtySecondsAnImageComes) {
  VirtualReplicas room(arena(), room_options(NumbersMode::kFloat), 43);
  room.client_timeout_us = 2 * kSecond;
  room.add_client(ReplicationMode::kLockstep, path(20, 5, 0));
  auto& client = room.add_client(ReplicationMode::kRollback, path(20, 5, 0));
  room.run_for(3 * kSecond);
  lose_for(room, client, 31);
  room.run_for(3 * kSecond);
  EXPECT_EQ(client.resumed, 0u);
  EXPECT_EQ(client.images, 2u);
  EXPECT_TRUE(client.session->is_playing());
  expect_equal_states(room, 3);
}

// The oldest ticks that the client lacks are about to be forgotten, and the path loses the first datagrams.
TEST(ResumeRoom, TicksDoNotRunOutWhileTheyAreSent) {
  for (std::uint64_t seed = 46; seed < 52; ++seed) {
    VirtualReplicas room(arena(), room_options(NumbersMode::kFloat), seed);
    room.client_timeout_us = 2 * kSecond;
    room.add_client(ReplicationMode::kLockstep, path(20, 5, 0)).is_active = false;
    auto& client = room.add_client(ReplicationMode::kLockstep, path(250, 50, 0.25));
    while (client.playing_us == 0) room.run_for(10'000);
    room.run_for(2 * kSecond);
    client.is_cut = true;
    room.run_for(28 * kSecond);
    ASSERT_TRUE(client.ending) << seed;
    room.reconnect(client);
    room.run_for(8 * kSecond);
    EXPECT_TRUE(client.modes.empty()) << seed << ": " << client.modes[0].text;
    EXPECT_FALSE(client.ending) << seed << ": " << client.ending->reason;
    EXPECT_EQ(client.images, 1u) << seed << ": that of the join";
    EXPECT_EQ(client.resumed, 1u) << seed;
    EXPECT_TRUE(client.session->is_playing()) << seed;
    expect_equal_states(room, 4);
  }
}

// The log of 35 s has 8.75 s of real time then, and 5 s of real time are the margin.
TEST(ResumeRoom, AtSpeedFourTheTimeOfAnAbsenceIsShorter) {
  VirtualReplicas room(arena(), room_options(NumbersMode::kFloat), 50);
  room.client_timeout_us = 2 * kSecond;
  room.add_client(ReplicationMode::kLockstep, path(20, 5, 0)).is_active = false;
  auto& client = room.add_client(ReplicationMode::kLockstep, path(20, 5, 0));
  room.run_for(kSecond);
  room.set_speed(4);
  room.run_for(10 * kSecond);
  client.is_cut = true;
  room.run_for(3 * kSecond);
  ASSERT_TRUE(client.ending);
  room.reconnect(client);
  room.run_for(4 * kSecond);
  EXPECT_EQ(client.resumed, 1u);
  client.is_cut = true;
  room.run_for(4 * kSecond);
  ASSERT_TRUE(client.ending);
  room.reconnect(client);
  room.run_for(4 * kSecond);
  EXPECT_EQ(client.resumed, 1u);
  EXPECT_EQ(client.images, 2u);
  EXPECT_TRUE(client.modes.empty());
  expect_equal_states(room, 3);
}

TEST(ResumeRoom, AWorldWithAnotherHashGetsAnImage) {
  VirtualReplicas room(arena(), room_options(NumbersMode::kFloat), 44);
  room.client_timeout_us = 2 * kSecond;
  room.add_client(ReplicationMode::kLockstep, path(20, 5, 0));
  auto& client = room.add_client(ReplicationMode::kLockstep, path(20, 5, 0));
  room.run_for(3 * kSecond);
  // Ticks are stepped with a body that is not where the server has it.
  auto& world = const_cast<sim::AnyWorld&>(client.session->replica().simulation().world());
  std::vector<BodyId> bodies;
  world.list_bodies(bodies);
  for (std::uint64_t const tick = client.session->replica().tick();
       client.session->replica().tick() < tick + 8;) {
    ASSERT_TRUE(world.set_velocity(bodies.back(), {0.5, 0, 0}, {}).ok());
    room.run_for(16'000);
  }
  lose_for(room, client, 5);
  room.run_for(5 * kSecond);
  EXPECT_EQ(client.resumed, 0u);
  EXPECT_GE(client.images, 2u);
  EXPECT_TRUE(client.session->is_playing());
  client.divergences.clear();
  expect_equal_states(room, 3);
}

// Bytes of a return on the path, beside those of the join of a newcomer into the same world.
TEST(ResumeRoom, ReturnsCostAFractionOfAnImage) {
  std::string bodies;
  for (int i = 0; i < 200; ++i)
    bodies += ",{\"position\": [" + std::to_string(20 + 2 * (i % 20)) + ",0.5," +
              std::to_string(2 * (i / 20)) + "], \"shapes\": [{\"box\": {\"size\": [1,1,1]}}]}";
  VirtualReplicas room(arena(bodies), room_options(NumbersMode::kFloat), 45);
  room.client_timeout_us = 2 * kSecond;
  auto const fair = path(50, 5, 0);
  for (int i = 0; i < 3; ++i) room.add_client(ReplicationMode::kRollback, fair);
  auto& client = room.add_client(ReplicationMode::kRollback, fair);
  room.command_percent = 8;  // 5 commands a second and player
  auto const bytes_of_start = [&](VirtualReplicas::Client& one) {
    std::uint64_t const before = one.down_bytes;
    while (one.playing_us == 0) room.run_for(10'000);
    return one.down_bytes - before;
  };
  std::uint64_t const image_bytes = bytes_of_start(client);
  room.run_for(5 * kSecond);
  lose_for(room, client, 20);
  std::uint64_t const resume_bytes = bytes_of_start(client);
  EXPECT_EQ(client.resumed, 1u);
  std::printf("join by image: %llu bytes; return after 20 s with 3 active others: %llu bytes\n",
              static_cast<unsigned long long>(image_bytes), static_cast<unsigned long long>(resume_bytes));
  EXPECT_LT(resume_bytes * 4, image_bytes);
  expect_equal_states(room, 3);
}

}  // namespace
}  // namespace takt::client::test
