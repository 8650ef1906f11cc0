// Lag-compensated hits over the real protocol: clients behind a simulated network shoot at what they see, and
// the server answers about the tick that they saw. A round trip is 200 +- 40 ms.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "takt/sim/replay.h"
#include "tests/simulation/server/virtual_room.h"

namespace takt::server::test {
namespace {

constexpr std::uint64_t kLagSecond = 1'000'000;
constexpr int kRunners = 6;
constexpr double kSpeed = 10;  // m/s

// Spheres in lanes 4 m apart run along x at 10 m/s, every other one backwards.
sim::Scene runners(double radius_m) {
  std::string bodies;
  for (int i = 0; i < kRunners; ++i) {
    double const speed = i % 2 == 0 ? kSpeed : -kSpeed;
    bodies += (i == 0 ? "" : ",") + std::string("{\"position\": [") + std::to_string(-20 * speed) + ",0," +
              std::to_string(4 * i) + "], \"velocity\": [" + std::to_string(speed) +
              ",0,0], \"shapes\": [{\"sphere\": {\"radius\": " + std::to_string(radius_m) + "}}]}";
  }
  auto scene = sim::load_scene(R"({"world": {"gravity": [0,0,0]}, "bodies": [)" + bodies + "]}", "runners");
  EXPECT_TRUE(scene.ok());
  return *std::move(scene);
}

struct Shot {
  Query query;
  BodyId target;
  std::uint64_t seen_tick = 0;
};

struct Score {
  std::size_t shots = 0;
  std::size_t hits = 0;
  std::size_t in_time = 0;  // shots that the server answered at most 250 ms after the tick they name
  std::size_t hits_in_time = 0;
};

// Four clients shoot for 30 s. Every answer is about the tick that its client saw, or about the oldest that
// is allowed, and a replay of the recording gives it again.
Score shoot(double radius_m) {
  constexpr std::size_t kClients = 4;
  constexpr std::uint64_t kOldestTicks = 15;  // 250 ms at 60 Hz
  protocol::Impairment path;
  path.delay_us = 100'000;
  path.jitter_us = 20'000;  // each way
  sim::Scene const scene = runners(radius_m);
  VirtualRoom server(scene, {}, 20261125);
  sim::MemorySink sink;
  EXPECT_TRUE(server.room().start_recording(sink, scene).ok());
  server.bots_play = false;
  for (std::size_t i = 0; i < kClients; ++i) server.add_player(protocol::TransportKind::kDatagram, path);
  server.run_for(8 * kLagSecond);  // clocks and buffers settle
  // A query makes the server keep the ticks after it.
  Query const first = Query::ray({}, {0, 1, 0});
  EXPECT_TRUE(server.players()[0]->session->query(server.now_us(), std::span(&first, 1), 0).ok());
  server.run_for(kLagSecond);
  server.players()[0]->query_answers.clear();
  std::vector<std::map<std::uint32_t, Shot>> shots(kClients);
  for (std::size_t i = 0; i < 300; ++i) {
    server.run_for(100'000);
    for (std::size_t client = 0; client < kClients; ++client) {
      client::Session& session = *server.players()[client]->session;
      auto const& bodies = session.bodies();
      EXPECT_EQ(bodies.size(), std::size_t{kRunners});
      client::Body const& target = bodies[(i + client) % bodies.size()];
      Position from = target.position;
      from.y_raw += std::int64_t{10} << 32;
      Shot const shot{Query::ray(from, {0, -20, 0}), target.id,
                      static_cast<std::uint64_t>(std::llround(session.render_tick()))};
      auto const request = session.query(server.now_us(), std::span(&shot.query, 1), shot.seen_tick);
      EXPECT_TRUE(request.ok());
      if (request) shots[client][*request] = shot;
    }
  }
  server.run_for(2 * kLagSecond);

  Score score;
  std::multimap<std::uint64_t, std::pair<Query, client::RemoteAnswer>> answers;  // by the tick that was taken
  for (std::size_t client = 0; client < kClients; ++client) {
    VirtualRoom::Player const& player = *server.players()[client];
    EXPECT_EQ(player.query_answers.size(), shots[client].size()) << "every shot is answered";
    for (client::QueryDone const& answer : player.query_answers) {
      EXPECT_EQ(answer.status, "answered");
      Shot const& shot = shots[client].at(answer.request);
      client::RemoteAnswer const& one = answer.answers.at(0);
      std::uint64_t const newest = server.asked_at.at({player.session->player(), answer.request});
      bool const is_in_time = shot.seen_tick + kOldestTicks >= newest;
      bool const is_hit = one.found && one.hits.at(0).body == shot.target;
      EXPECT_EQ(answer.tick, is_in_time ? shot.seen_tick : newest - kOldestTicks);
      ++score.shots;
      score.hits += is_hit ? 1 : 0;
      score.in_time += is_in_time ? 1 : 0;
      score.hits_in_time += is_in_time && is_hit ? 1 : 0;
      answers.emplace(answer.tick, std::pair(shot.query, one));
    }
  }
  EXPECT_TRUE(server.room().close_recording().ok());
  sim::MemorySource const source(sink.bytes());
  auto const recording = sim::RecordingReader::open(source);
  EXPECT_TRUE(recording.ok());
  std::size_t compared = 0;
  auto const compare = [&](const sim::Simulation& simulation, std::uint64_t tick) {
    auto const [begin, end] = answers.equal_range(tick);
    for (auto at = begin; at != end; ++at, ++compared) {
      std::vector<QueryHit> again;
      EXPECT_TRUE(simulation.world().query(at->second.first, again).ok());
      client::RemoteAnswer const& told = at->second.second;
      EXPECT_EQ(again.size(), told.hits.size());
      if (again.empty() || told.hits.empty()) continue;
      EXPECT_EQ(again[0].body, told.hits[0].body);
      EXPECT_EQ(again[0].point, told.hits[0].point);
      EXPECT_EQ(again[0].fraction, told.hits[0].fraction);
    }
    return true;
  };
  auto const report = sim::verify(*recording, {}, nullptr, compare);
  EXPECT_TRUE(report.ok() && !report->mismatch);
  EXPECT_EQ(compared, score.shots);
  std::printf("radius %.1f m: %zu of %zu shots hit; %zu of the %zu that named a tick of the last 250 ms\n",
              radius_m, score.hits, score.shots, score.hits_in_time, score.in_time);
  return score;
}

// A client sees bodies about 156 ms late, and its query takes 80 to 120 ms. So some shots name a tick that is
// up to three ticks older than the bound; a body has moved 0.5 m by then.
class LagCompensation : public testing::TestWithParam<double> {};

TEST_P(LagCompensation, ShotsAtWhatAClientSeesHitAtARoundTripOf200Ms) {
  Score const score = shoot(GetParam());
  EXPECT_GE(score.shots, 1200u);
  EXPECT_GE(100 * score.hits, 99 * score.shots);
  EXPECT_GT(score.in_time, score.shots / 2);
  EXPECT_EQ(score.hits_in_time, score.in_time);
}

INSTANTIATE_TEST_SUITE_P(RadiusM, LagCompensation, testing::Values(0.5, 0.3),
                         [](auto const& radius_m) { return "R" + std::to_string(int(10 * radius_m.param)); });

}  // namespace
}  // namespace takt::server::test
