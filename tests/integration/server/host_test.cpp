// A host inside a program: a scene and a game that a client plays over loopback, recorded and verified.
#include "takt/server/host.h"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <string>

#include "takt/client/client.h"
#include "takt/server/game_registry.h"
#include "takt/server/log.h"
#include "takt/server/scene_file.h"
#include "takt/sim/replay.h"
#include "tests/integration/server/serve.h"
#include "tests/unit/server/counting_game.h"

namespace takt::server::test {
namespace {

// Scenes come from the tree, and the log shows errors alone.
sim::Scene stack() {
  start_log(LogLevel::kError);
  auto scene = load_scene_file(kScenes + "stack.json");
  EXPECT_TRUE(scene) << message(scene.error());
  return *std::move(scene);
}

HostOptions on_loopback() {
  HostOptions options;
  options.bind_address = "127.0.0.1";
  options.port = 0;
  return options;
}

// Polls until `is_done` or the end of our patience.
template <class Done>
[[nodiscard]] bool poll_until(client::Client& client, Done&& is_done) {
  auto const end = std::chrono::steady_clock::now() + std::chrono::duration<double>(kPatienceS);
  while (!is_done()) {
    if (std::chrono::steady_clock::now() > end || !client.is_open()) return false;
    client.wait(5);
  }
  return true;
}

TEST(Host, AClientPlaysItsGameAndTheRecordingVerifies) {
  sim::Scene const scene = stack();
  sim::MemorySink sink;
  auto host = Host::open(on_loopback(), scene, std::make_unique<CountingGame<1>>(), &sink);
  ASSERT_TRUE(host) << message(host.error());
  EXPECT_NE((*host)->port(), 0);
  EXPECT_EQ((*host)->http_port(), 0);

  auto client = client::Client::connect("udp://127.0.0.1:" + std::to_string((*host)->port()));
  ASSERT_TRUE(client) << message(client.error());
  ASSERT_TRUE(poll_until(*client, [&] { return client->is_joined(); }));
  auto const sequence = client->send(sim::CustomCommand{{std::byte{7}}});
  ASSERT_TRUE(sequence);
  ASSERT_TRUE(poll_until(*client, [&] { return client->stats().last_acknowledged >= *sequence; }));
  HostStatus status;
  ASSERT_TRUE(poll_until(*client, [&] {
    return (*host)->poll_status(status) && status.client_count == 1 && status.inputs_applied == 1;
  }));
  EXPECT_EQ(status.body_count, 11u);
  client->leave();
  (void)poll_until(*client, [&] { return !client->is_open(); });

  HostStatus const last = (*host)->stop();
  EXPECT_EQ(last.players_joined, 1u);
  EXPECT_EQ(last.inputs_refused, 0u);
  EXPECT_GT(last.bytes_sent, 0u);
  EXPECT_GT(last.bytes_received, 0u);
  EXPECT_FALSE(last.recording_failed);
  EXPECT_EQ(last.recorded_bytes, sink.bytes().size());
  EXPECT_EQ((*host)->stop().tick, last.tick);

  sim::MemorySource const source(sink.bytes());
  auto const recording = sim::RecordingReader::open(source);
  ASSERT_TRUE(recording);
  EXPECT_EQ(recording->info().game_name, "counting/1");
  auto const report = sim::verify(*recording, {}, GameRegistry().add<CountingGame<1>>().factory());
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->mismatch);
  EXPECT_EQ(report->final_tick, last.tick);
  EXPECT_EQ(report->final_hash, last.hash);
}

/// Throws at the first command of a player, as a game that parses bytes without care does.
class CarelessGame final : public sim::Game {
 public:
  [[nodiscard]] std::string_view name() const override { return "careless/1"; }
  [[nodiscard]] bool on_command(sim::WorldAccess&, sim::PlayerId, std::span<const std::byte> bytes) override {
    return std::stoi(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size())) > 0;
  }
  void visit_state(sim::StateVisitor&) override {}
};

TEST(Host, AGameThatThrowsEndsTheTicksAndClosesTheRecording) {
  sim::Scene const scene = stack();
  start_log(LogLevel::kOff);
  sim::MemorySink sink;
  auto host = Host::open(on_loopback(), scene, std::make_unique<CarelessGame>(), &sink);
  ASSERT_TRUE(host) << message(host.error());
  auto client = client::Client::connect("tcp://127.0.0.1:" + std::to_string((*host)->port()));
  ASSERT_TRUE(client) << message(client.error());
  ASSERT_TRUE(poll_until(*client, [&] { return client->is_joined(); }));
  ASSERT_TRUE(client->send(sim::CustomCommand{{std::byte{'x'}}}));
  HostStatus status;
  ASSERT_TRUE(poll_until(*client, [&] { return (*host)->poll_status(status) && !status.failure.empty(); }));
  EXPECT_NE(status.failure.find("the simulation ended at tick"), std::string::npos) << status.failure;
  EXPECT_NE(status.failure.find("stoi"), std::string::npos) << status.failure;
  EXPECT_EQ((*host)->stop().failure, status.failure);

  sim::MemorySource const source(sink.bytes());
  auto const recording = sim::RecordingReader::open(source);
  ASSERT_TRUE(recording);
  EXPECT_TRUE(recording->info().closed);
}

TEST(Host, AnAdminOnThisMachineControlsTheRoomIfTheHostAllowsIt) {
  sim::Scene const scene = stack();
  for (Admins const admins : {Admins::kNobody, Admins::kLoopback}) {
    HostOptions options = on_loopback();
    options.admins = admins;
    auto host = Host::open(options, scene);
    ASSERT_TRUE(host) << message(host.error());
    auto client = client::Client::connect("tcp://127.0.0.1:" + std::to_string((*host)->port()));
    ASSERT_TRUE(client) << message(client.error());
    ASSERT_TRUE(poll_until(*client, [&] { return client->room().has_value(); }));
    EXPECT_EQ(client->room()->admin, admins == Admins::kLoopback);
  }
}

TEST(Host, APortInUseIsAFailureThatNamesIt) {
  sim::Scene const scene = stack();
  auto const first = Host::open(on_loopback(), scene);
  ASSERT_TRUE(first) << message(first.error());
  HostOptions options = on_loopback();
  options.port = (*first)->port();
  auto const second = Host::open(options, scene);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().error, Error::kPortInUse);
  EXPECT_EQ(second.error().sockets, Sockets::kGame);
  EXPECT_NE(message(second.error()).find(std::to_string(options.port)), std::string::npos);
}

TEST(SceneFile, AnErrorNamesTheFileAndTheLine) {
  std::string const path = temporary_file("broken.json");
  std::ofstream(path) << "{\n  \"bodies\": [{ \"shapes\": 3 }]\n}\n";
  auto const broken = load_scene_file(path);
  ASSERT_FALSE(broken);
  EXPECT_EQ(message(broken.error()).rfind(path + ":2: ", 0), 0u) << message(broken.error());
  auto const missing = load_scene_file(path + ".none");
  ASSERT_FALSE(missing);
  EXPECT_EQ(message(missing.error()).rfind(path + ".none: ", 0), 0u) << message(missing.error());
}

}  // namespace
}  // namespace takt::server::test
