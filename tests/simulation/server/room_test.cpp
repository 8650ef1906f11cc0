// Do whole clients converge with a whole server on a hostile network: real room, protocol, client SDK and
// bots; virtual clock, one seed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "takt/sim/replay.h"
#include "tests/scene_file.h"
#include "tests/simulation/server/virtual_room.h"

namespace takt::server::test {
namespace {

using protocol::Impairment;
using protocol::TransportKind;
constexpr std::uint64_t kRoomSecond = 1'000'000;
constexpr std::uint64_t kRoomSeed = 20261121;

// Streams lose nothing: a stream's path has the delay alone.
Impairment delay_of(const Impairment& impairment) {
  Impairment out;
  out.delay_us = impairment.delay_us;
  return out;
}

sim::Scene scene_of(std::string_view json) {
  auto scene = sim::load_scene(json, "test");
  EXPECT_TRUE(scene.ok());
  return *std::move(scene);
}

// Twenty over UDP and twenty over TCP play for 30 s, then hold still; everything must be told, nothing may be
// lost, and the recording must replay.
void everyone_converges(const sim::Scene& scene, NumbersMode numbers, std::size_t players_each,
                        std::uint64_t play_us) {
  RoomOptions options;
  options.numbers = numbers;
  VirtualRoom server(scene, options, kRoomSeed);
  sim::MemorySink sink;
  ASSERT_TRUE(server.room().start_recording(sink, scene).ok());
  for (std::size_t i = 0; i < players_each; ++i) {
    server.add_player(TransportKind::kDatagram, Impairment::hostile());
    server.add_player(TransportKind::kStream, delay_of(Impairment::hostile()));
  }
  server.run_for(play_us);
  // Statistics of the session are read while the world still ticks: a stopped clock shows nothing about
  // buffers.
  std::vector<client::Stats> played;
  for (auto const& player : server.players()) played.push_back(player->session->stats());
  server.bots_play = false;
  server.run_for(4 * kRoomSecond);  // what was sent arrives, is acted on and seen
  server.ticking = false;
  server.run_for(4 * kRoomSecond);

  std::uint64_t commands = 0;
  double worst_starved = 0;
  double worst_starvation_ms = 0;
  double greatest_buffer_ms = 0;
  double greatest_gap_ms = 0;
  for (std::size_t i = 0; i < server.players().size(); ++i) {
    VirtualRoom::Player& player = *server.players()[i];
    SCOPED_TRACE("player " + std::to_string(i + 1));
    ASSERT_TRUE(player.joined);
    ASSERT_FALSE(player.ending) << player.ending->reason << " " << player.ending->text;
    EXPECT_TRUE(server.has_converged(player));
    EXPECT_GE(player.spawned_events, server.room().simulation().world().body_count());
    client::Stats const last = player.session->stats();
    commands += last.commands_sent;
    EXPECT_EQ(last.in_flight, 0u);
    EXPECT_EQ(last.last_acknowledged, last.commands_sent);
    client::Stats const& stats = played[i];
    EXPECT_EQ(player.backward_frames, 0u);
    EXPECT_EQ(player.gaps_past_buffer, 0u)
        << "gap " << stats.longest_gap_ms << " ms, buffer " << stats.buffer_ms << " ms";
    EXPECT_LE(stats.longest_starvation_ms, stats.buffer_ms);
    double const starved = stats.starved_ms / (static_cast<double>(play_us) / 1000);
    EXPECT_LT(starved, 0.01);
    EXPECT_LT(stats.buffer_ms, 500);
    worst_starved = std::max(worst_starved, starved);
    worst_starvation_ms = std::max(worst_starvation_ms, stats.longest_starvation_ms);
    greatest_buffer_ms = std::max(greatest_buffer_ms, stats.buffer_ms);
    greatest_gap_ms = std::max(greatest_gap_ms, stats.longest_gap_ms);
  }
  EXPECT_TRUE(server.left.empty());
  EXPECT_GT(commands, players_each * 2 * (play_us / kRoomSecond) * 3);
  RoomCounters const& counters = server.room().counters();
  EXPECT_EQ(counters.joined, players_each * 2);
  EXPECT_EQ(counters.inputs_applied + counters.inputs_refused, commands);
  EXPECT_LT(counters.inputs_refused * 4, commands);
  ::testing::Test::RecordProperty("commands", static_cast<int>(commands));
  ::testing::Test::RecordProperty("worst_starved_ppm", static_cast<int>(worst_starved * 1e6));
  std::printf(
      "commands %llu (%llu moved, %llu refused), buffer up to %.0f ms, gap up to %.0f ms, starvation up to "
      "%.1f ms, starved up to %.3f "
      "%%\n",
      static_cast<unsigned long long>(commands), static_cast<unsigned long long>(counters.inputs_moved),
      static_cast<unsigned long long>(counters.inputs_refused), greatest_buffer_ms, greatest_gap_ms,
      worst_starvation_ms, worst_starved * 100);

  ASSERT_TRUE(server.room().close_recording().ok());
  sim::MemorySource const source(sink.bytes());
  auto const recording = sim::RecordingReader::open(source);
  ASSERT_TRUE(recording.ok());
  EXPECT_TRUE(recording->info().closed);
  auto const report = sim::verify(*recording);
  ASSERT_TRUE(report.ok());
  EXPECT_FALSE(report->mismatch);
  EXPECT_FALSE(report->stopped_by);
  EXPECT_EQ(report->final_tick, server.room().simulation().tick());
  EXPECT_EQ(report->final_hash, server.room().simulation().hash());
}

TEST(Room, TwentyDatagramAndTwentyStreamClientsConvergeOnAHostileNetwork) {
  everyone_converges(scene_files::load("playground"), NumbersMode::kFloat, 20, 30 * kRoomSecond);
}

TEST(Room, ClientsConvergeInFixedNumbers) {
  everyone_converges(scene_files::load("stack"), NumbersMode::kFixed, 3, 10 * kRoomSecond);
}

// One player asks late, one asks again and again, a rope is cut. Both end with the server's ropes, to the
// quantum.
TEST(Room, RopesConvergeOnAHostileNetwork) {
  sim::Scene scene = scene_files::load("ropes");
  scene.policy.despawn = sim::Touch::kAnything;
  VirtualRoom server(scene, {}, kRoomSeed);
  auto& udp = server.add_player(TransportKind::kDatagram, Impairment::hostile());
  auto& tcp = server.add_player(TransportKind::kStream, delay_of(Impairment::hostile()));
  auto& other = server.add_player(TransportKind::kDatagram, {});
  udp.session->inspect(server.now_us(), {.ropes = true});
  server.run_for(3 * kRoomSecond);
  std::vector<RopeId> ids;
  server.room().simulation().world().list_ropes(ids);
  std::size_t const count = ids.size();
  EXPECT_EQ(udp.session->ropes().size(), count);
  tcp.session->inspect(server.now_us(), {.ropes = true});
  for (int i = 0; i < 5; ++i) {
    server.run_for(kRoomSecond / 3);
    udp.session->inspect(server.now_us(), {.contacts = true});
    server.run_for(kRoomSecond / 50);
    udp.session->inspect(server.now_us(), {.contacts = true, .ropes = true});
  }
  RopeId const some{0, 1};
  ASSERT_TRUE(
      tcp.session->send(server.now_us(), tcp.session->command_tick(server.now_us()), sim::CutCommand{some, 3})
          .ok());
  server.run_for(2 * kRoomSecond);
  server.ticking = false;
  server.run_for(4 * kRoomSecond);
  server.room().simulation().world().list_ropes(ids);
  EXPECT_EQ(ids.size(), count + 1) << "one was cut";
  EXPECT_TRUE(other.session->ropes().empty());
  for (auto* const player : {&udp, &tcp}) {
    std::vector<client::Rope> const& shown = player->session->ropes();
    ASSERT_EQ(shown.size(), ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i) {
      RopeView rope;
      server.room().simulation().world().read_rope(ids[i], rope);
      ASSERT_EQ(shown[i].id, ids[i]);
      EXPECT_EQ(shown[i].asleep, rope.asleep);
      ASSERT_EQ(shown[i].nodes.size(), rope.nodes.size());
      ASSERT_EQ(shown[i].tensions_n.size(), rope.nodes.size() - 1);
      constexpr std::int64_t kHalfQuantum = std::int64_t{1} << 18;
      for (std::size_t node = 0; node < rope.nodes.size(); ++node) {
        EXPECT_LE(std::abs(shown[i].nodes[node].x_raw - rope.nodes[node].x_raw), kHalfQuantum);
        EXPECT_LE(std::abs(shown[i].nodes[node].y_raw - rope.nodes[node].y_raw), kHalfQuantum);
        EXPECT_LE(std::abs(shown[i].nodes[node].z_raw - rope.nodes[node].z_raw), kHalfQuantum);
      }
    }
  }
}

TEST(Room, AKilledClientTimesOutAndItsBodiesGoWithIt) {
  VirtualRoom server(scene_files::load("stack"), {}, kRoomSeed);
  std::uint32_t const before = server.room().simulation().world().body_count();
  for (TransportKind const transport : {TransportKind::kDatagram, TransportKind::kStream})
    server.add_player(transport, {});
  server.run_for(8 * kRoomSecond);
  ASSERT_GT(server.room().simulation().world().body_count(), before);
  for (auto const& player : server.players()) player->is_cut = true;
  server.run_for(11 * kRoomSecond);
  ASSERT_EQ(server.left.size(), 2u);
  for (auto const& one : server.left) EXPECT_EQ(one.reason, protocol::DisconnectReason::kTimedOut);
  EXPECT_TRUE(server.room().simulation().players().empty());
  EXPECT_EQ(server.room().simulation().world().body_count(), before);
  EXPECT_EQ(server.endpoint().counters()[protocol::Counter::kTimeouts], 2u);
}

TEST(Room, ALateComerHearsOfEveryBodyOnceAndOfNoneThatIsGone) {
  VirtualRoom server(scene_files::load("stack"), {}, kRoomSeed);
  auto& first = server.add_player(TransportKind::kDatagram, Impairment::hostile());
  server.run_for(10 * kRoomSecond);
  auto& late = server.add_player(TransportKind::kDatagram, Impairment::hostile());
  server.run_for(10 * kRoomSecond);
  server.bots_play = false;
  server.run_for(3 * kRoomSecond);
  server.ticking = false;
  server.run_for(3 * kRoomSecond);
  std::uint32_t const count = server.room().simulation().world().body_count();
  EXPECT_EQ(first.spawned_events - first.removed_events, count);
  EXPECT_EQ(late.spawned_events - late.removed_events, count);
  EXPECT_LT(late.spawned_events, first.spawned_events);
  EXPECT_TRUE(server.has_converged(first));
  EXPECT_TRUE(server.has_converged(late));
}

// A program that computes for 250 ms finds the answers to its pings and inputs in its socket afterwards.
TEST(Room, StallsOfAClientsThreadRaiseItsRoundTripOverNeitherTransport) {
  Impairment path;
  path.delay_us = 10'000;
  VirtualRoom server(scene_files::load("stack"), {}, kRoomSeed);
  auto& datagrams = server.add_player(TransportKind::kDatagram, path);
  auto& stream = server.add_player(TransportKind::kStream, path);
  server.run_for(5 * kRoomSecond);
  for (auto const* player : {&datagrams, &stream}) {
    ASSERT_TRUE(player->joined);
    EXPECT_LT(player->session->stats().rtt_ms, 35);
  }
  double max_rtt_ms = 0;
  double max_variation_ms = 0;
  for (int stall = 0; stall < 40; ++stall) {
    for (auto* player : {&datagrams, &stream}) player->stalled_until_us = server.now_us() + 250'000;
    server.run_for(250'000 + 137'000);
    for (auto const* player : {&datagrams, &stream}) {
      client::Stats const stats = player->session->stats();
      max_rtt_ms = std::max(max_rtt_ms, stats.rtt_ms);
      max_variation_ms = std::max(max_variation_ms, stats.rtt_variation_ms);
    }
  }
  EXPECT_LT(max_rtt_ms, 45) << "two ways of 10 ms, and the wait of an ack";
  EXPECT_LT(max_variation_ms, 30);
}

// The room's places are those of the policy. An orphan leaves and a newcomer joins between the same two
// ticks.
TEST(Room, TheLastPlaceGoesFromAnOrphanToANewcomerAndNeverFromAPlayer) {
  sim::Scene scene = scene_of(
      R"({"players": {"max_players": 2}, "bodies": [{"type": "static", "shapes": [{"half_space": {}}]}]})");
  for (TransportKind const transport : {TransportKind::kDatagram, TransportKind::kStream}) {
    VirtualRoom server(scene, {}, kRoomSeed, nullptr, 2);
    auto& first = server.add_player(TransportKind::kDatagram, {});
    server.run_for(kRoomSecond);
    ASSERT_TRUE(first.joined);
    auto& orphan = server.add_player(TransportKind::kDatagram, {});
    for (int i = 0; i < 100 && server.endpoint().player_count() < 2; ++i) server.run_for(1000);
    ASSERT_EQ(server.endpoint().player_count(), 2u);
    orphan.is_cut = true;  // before it has its Accept
    first.is_cut = true;   // silent, but it has spoken
    server.run_for(2 * kRoomSecond);
    EXPECT_EQ(server.room().simulation().players().size(), 2u);
    auto& early = server.add_player(transport, {});
    server.run_for(kRoomSecond);
    ASSERT_FALSE(early.joined) << "the orphan's Accept might have been on its way";
    EXPECT_TRUE(server.left.empty());
    auto& newcomer = server.add_player(transport, {});
    server.run_for(kRoomSecond);
    EXPECT_TRUE(newcomer.joined) << (newcomer.ending ? newcomer.ending->text : "");
    EXPECT_FALSE(orphan.joined);
    ASSERT_EQ(server.left.size(), 1u);
    EXPECT_EQ(server.left[0].player, 2u);
    EXPECT_EQ(server.room().simulation().players().size(), 2u);
    first.is_cut = false;
    auto& late = server.add_player(transport, {});
    server.run_for(4 * kRoomSecond);
    EXPECT_FALSE(late.joined) << "both places are of players who have spoken";
    EXPECT_FALSE(first.ending);
    EXPECT_FALSE(newcomer.ending);
    EXPECT_EQ(server.left.size(), 1u);
    EXPECT_EQ(server.endpoint().refusals()[static_cast<std::size_t>(protocol::RefuseReason::kServerFull)],
              2u);
  }
}

TEST(Room, APlayerPastThePolicysNumberIsSentAwayWithTheReason) {
  sim::Scene scene = scene_of(
      R"({"players": {"max_players": 1}, "bodies": [{"type": "static", "shapes": [{"half_space": {}}]}]})");
  VirtualRoom server(scene, {}, kRoomSeed);  // its endpoint has more places than the policy
  auto& first = server.add_player(TransportKind::kDatagram, {});
  server.run_for(kRoomSecond);
  auto& second = server.add_player(TransportKind::kDatagram, {});
  server.run_for(kRoomSecond);
  EXPECT_FALSE(first.ending);
  ASSERT_TRUE(second.ending);
  EXPECT_EQ(second.ending->reason, "kicked");
  EXPECT_EQ(second.ending->text, message(sim::Refusal::kTooManyPlayers));
}

}  // namespace
}  // namespace takt::server::test
