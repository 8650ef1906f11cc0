// The game of examples/game: its rules, and matches of four bots in both numbers modes that a sync test, a
// replay and a bisect find sound.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "examples/game/local_match.h"
#include "takt/client/client.h"
#include "takt/server/host.h"
#include "takt/server/log.h"
#include "takt/sim/replay.h"
#include "takt/sim/rollback_buffer.h"

namespace car_ball {
namespace {

using takt::NumbersMode;
namespace sim = takt::sim;

class CarBallTest : public testing::TestWithParam<NumbersMode> {
 protected:
  sim::Scene const scene = load_pitch();
};
INSTANTIATE_TEST_SUITE_P(BothModes, CarBallTest, testing::Values(NumbersMode::kFloat, NumbersMode::kFixed));

TEST_P(CarBallTest, BotsScoreAndTheRecordingFollowsFromEveryImage) {
  LocalMatch match(scene, GetParam(), 1);
  sim::MemorySink sink;
  sim::RecordingOptions options;
  options.image_every_ticks = 600;
  sim::RecordingWriter writer(sink, options);
  ASSERT_TRUE(writer.begin(match.simulation(), &scene).ok());
  std::string said;
  for (int tick = 0; tick < 130 * 60; ++tick) {
    auto const inputs = match.next_inputs();
    sim::TickResult const result = match.simulation().step(inputs);
    ASSERT_TRUE(result.refused.empty()) << result.refused[0].text;
    for (const sim::GameMessage& message : result.messages)
      said.append(reinterpret_cast<const char*>(message.bytes.data()), message.bytes.size()).append("\n");
    ASSERT_TRUE(writer.append(match.simulation(), inputs, result).ok());
  }
  ASSERT_TRUE(writer.close().ok());
  EXPECT_GE(match.game().goal_count(), 2u);
  for (const char* const words : {"you drive for blue", "you drive for red", "goal for ", "105 s left"})
    EXPECT_NE(said.find(words), std::string::npos) << words << " in:\n" << said;

  sim::MemorySource const source(sink.bytes());
  auto const reader = sim::RecordingReader::open(source);
  ASSERT_TRUE(reader.ok());
  sim::GameFactory const games = [](std::string_view) { return std::make_unique<CarBall>(); };
  auto const checks = sim::bisect(*reader, {}, games);
  ASSERT_TRUE(checks.ok());
  EXPECT_GE(checks->size(), 13u);
  for (const sim::ImageCheck& check : *checks) EXPECT_TRUE(check.follows()) << check.image_tick;
}

TEST_P(CarBallTest, ASyncTestFindsNothing) {
  LocalMatch match(scene, GetParam(), 2);
  sim::SyncTest test(3);
  for (int tick = 0; tick < 900; ++tick) {
    auto const inputs = match.next_inputs();
    (void)test.step(match.simulation(), inputs);
    ASSERT_FALSE(test.difference()) << tick << ": " << message(test.difference()->fields.at(0));
  }
}

// Four clients of the SDK with the bot, over loopback, until the ball has gone its way. The room runs twice
// as fast as real time, no faster: a bot sees the pitch as it was 100 ms before. Goals are for the test
// above, since a busy machine makes these bots slow.
TEST_P(CarBallTest, BotsPlayOnAServer) {
  takt::server::start_log(takt::server::LogLevel::kWarning);
  takt::server::HostOptions options;
  options.bind_address = "127.0.0.1";
  options.port = 0;
  options.numbers = GetParam();
  options.admins = takt::server::Admins::kLoopback;
  options.recording.image_every_ticks = 300;
  sim::MemorySink sink;
  auto const host = takt::server::Host::open(options, scene, std::make_unique<CarBall>(), &sink);
  ASSERT_TRUE(host.ok()) << message(host.error());
  std::vector<takt::client::Client> clients;
  for (std::uint32_t i = 0; i < kBotCount; ++i) {
    auto client = takt::client::Client::connect("udp://127.0.0.1:" + std::to_string((*host)->port()));
    ASSERT_TRUE(client.ok());
    clients.push_back(*std::move(client));
  }

  CarBallBot bot;
  takt::Random random(7);
  bool is_fast = false;
  constexpr double kWayM = 40;
  double way_m = 0;
  std::optional<takt::Position> ball;
  std::set<std::string> heard;
  std::vector<double> next_command_tick(clients.size());
  double tick = 0;
  auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(120);
  while (way_m < kWayM && std::chrono::steady_clock::now() < end) {
    for (std::size_t i = 0; i < clients.size(); ++i) {
      takt::client::Client& client = clients[i];
      if (i == 0) {
        client.wait(2);
      } else {
        client.poll();
      }
      while (auto const event = client.next_event()) {
        auto const* const said = std::get_if<takt::client::GameMessage>(&*event);
        if (said != nullptr) heard.emplace(said->text());
      }
      if (!client.is_joined()) continue;
      tick = client.render_tick();
      for (const takt::client::Body& body : client.bodies()) {
        if (i != 0 || body.user_kind != kBallKind) continue;
        if (ball) way_m += std::hypot(body.position.x_m() - ball->x_m(), body.position.z_m() - ball->z_m());
        ball = body.position;
      }
      if (!is_fast && client.room() && client.room()->admin) is_fast = client.set_speed(2).ok();
      if (tick < next_command_tick[i]) continue;
      next_command_tick[i] = tick + 9;
      auto command = bot({client.player(), tick, client.bodies()}, random);
      if (command) (void)client.send(*std::move(command));
    }
  }
  EXPECT_TRUE(is_fast);
  EXPECT_GE(way_m, kWayM) << "the ball's way until tick " << tick;
  EXPECT_FALSE(heard.empty());
  takt::server::HostStatus const status = (*host)->stop();
  EXPECT_TRUE(status.failure.empty()) << status.failure;
  EXPECT_EQ(status.players_joined, kBotCount);

  sim::MemorySource const source(sink.bytes());
  auto const reader = sim::RecordingReader::open(source);
  ASSERT_TRUE(reader.ok());
  sim::GameFactory const games = [](std::string_view) { return std::make_unique<CarBall>(); };
  auto const report = sim::verify(*reader, {}, games);
  ASSERT_TRUE(report.ok());
  EXPECT_FALSE(report->mismatch || report->stopped_by);
  EXPECT_EQ(report->final_hash, status.hash);
  auto const checks = sim::bisect(*reader, {}, games);
  ASSERT_TRUE(checks.ok());
  for (const sim::ImageCheck& check : *checks) EXPECT_TRUE(check.follows()) << check.image_tick;
  std::set<std::string> replayed;
  auto const at_end = sim::replay_to(
      *reader, report->final_tick,
      [&](const sim::TickResult& result) {
        for (const sim::GameMessage& message : result.messages)
          replayed.emplace(reinterpret_cast<const char*>(message.bytes.data()), message.bytes.size());
      },
      {}, games);
  ASSERT_TRUE(at_end.ok());
  for (const std::string& words : heard) EXPECT_TRUE(replayed.contains(words)) << words;
}

// Joins and leaves by hand.
class Seats : public testing::Test {
 protected:
  sim::TickResult step(sim::Command command) {
    sim::Input const input{simulation.tick(), sim::kServerPlayer, ++sequence, std::move(command)};
    return simulation.step({&input, 1});
  }
  void join(sim::PlayerId player) { told[player] = text_of(step(sim::JoinCommand{player, false, "x"})); }
  static std::string text_of(const sim::TickResult& result) {
    std::string text;
    for (const sim::GameMessage& message : result.messages)
      text.append(reinterpret_cast<const char*>(message.bytes.data()), message.bytes.size());
    return text;
  }
  const CarBall& game() { return dynamic_cast<const CarBall&>(*simulation.game()); }

  sim::Simulation simulation =
      *sim::Simulation::create(load_pitch(), NumbersMode::kFloat, std::make_unique<CarBall>());
  std::uint32_t sequence = 0;
  std::map<sim::PlayerId, std::string> told;
};

TEST_F(Seats, TeamsAreBalancedAndAWatcherTakesAFreeCar) {
  std::uint32_t const scene_bodies = simulation.world().body_count();
  for (sim::PlayerId player = 1; player <= 6; ++player) join(player);
  EXPECT_EQ(told[1], "you drive for blue");
  EXPECT_EQ(told[2], "you drive for red");
  EXPECT_EQ(told[3], "you drive for blue");
  EXPECT_EQ(told[4], "you drive for red");
  EXPECT_EQ(told[5], "all cars have drivers: you watch, and get the next free car");
  EXPECT_EQ(simulation.world().body_count(), scene_bodies + 4 * 5);
  EXPECT_EQ(simulation.owner(game().drivers().at(3).bodies[0]), 3u);

  EXPECT_EQ(text_of(step(sim::LeaveCommand{4})), "you drive for red");
  EXPECT_EQ(game().drivers().at(5).team, Team::kRed);
  EXPECT_EQ(game().drivers().at(5).seat, 1u);
  EXPECT_EQ(simulation.world().body_count(), scene_bodies + 4 * 5);
  (void)step(sim::LeaveCommand{1});
  EXPECT_EQ(game().drivers().at(6).team, Team::kBlue);
  for (sim::PlayerId const player : {2u, 3u, 5u, 6u}) (void)step(sim::LeaveCommand{player});
  EXPECT_TRUE(game().drivers().empty());
  EXPECT_EQ(simulation.world().body_count(), scene_bodies);
}

TEST_F(Seats, ACarOfAnAbsentPlayerBrakes) {
  join(1);
  takt::BodyId const car = game().drivers().at(1).bodies[0];
  auto const speed = [&] { return takt::length(simulation.world().view(car).linear_velocity_m_s); };
  for (int tick = 0; tick < 62; ++tick) (void)simulation.step({});  // the kickoff
  sim::Input const drive{simulation.tick(), 1, 1, sim::CustomCommand{DriveCommand{100, 0}.bytes()}};
  EXPECT_TRUE(simulation.step({&drive, 1}).refused.empty());
  for (int tick = 0; tick < 58; ++tick) (void)simulation.step({});
  EXPECT_GT(speed(), 3.0) << "the command acts for a second";
  for (int tick = 0; tick < 180; ++tick) (void)simulation.step({});
  EXPECT_LT(speed(), 0.2);
}

TEST_F(Seats, BytesThatAreNoDriveCommandAreRefusedWithWords) {
  join(1);
  using Bytes = std::vector<std::byte>;
  std::uint32_t sequence_of_player = 0;
  for (const Bytes& bytes : {Bytes{}, Bytes{std::byte{2}, std::byte{0}, std::byte{0}},
                             Bytes{std::byte{1}, std::byte{101}, std::byte{0}},
                             Bytes{std::byte{1}, std::byte{0}, std::byte{0x80}}, Bytes(4, std::byte{1})}) {
    sim::Input const input{simulation.tick(), 1, ++sequence_of_player, sim::CustomCommand{bytes}};
    auto const refused = simulation.step({&input, 1}).refused;
    ASSERT_EQ(refused.size(), 1u);
    EXPECT_EQ(refused[0].text, "a drive command is the byte 1, then forward and left from -100 to 100");
  }
}

TEST(CarBallStart, AnotherSceneIsRefusedWithTheMissingName) {
  auto const empty = sim::load_scene(std::string_view("{}"), "empty");
  std::string text;
  EXPECT_FALSE(sim::Simulation::create(*empty, NumbersMode::kFloat, std::make_unique<CarBall>(), &text).ok());
  EXPECT_EQ(text, "the scene needs one body with the name \"ball\"");
}

}  // namespace
}  // namespace car_ball
