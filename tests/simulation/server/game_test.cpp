// A Game with clients on a hostile network: every message, ticket and refusal arrives once, in order, over
// UDP and TCP alike; the recording replays. Virtual clock, one seed.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "takt/sim/replay.h"
#include "tests/simulation/server/virtual_room.h"

namespace takt::server::test {
namespace {

using protocol::Impairment;
using protocol::TransportKind;
constexpr std::uint64_t kSecond = 1'000'000;
constexpr std::uint64_t kSeed = 20261123;

/// Tells every player its own count and all players the tick; a custom command is refused with its first
/// byte.
class Caller final : public sim::Game {
 public:
  [[nodiscard]] std::string_view name() const override { return "caller/1"; }
  void on_join(sim::WorldAccess&, sim::PlayerId player) override { counts_[player] = 0; }
  void on_leave(sim::WorldAccess&, sim::PlayerId player) override { counts_.erase(player); }
  [[nodiscard]] bool on_command(sim::WorldAccess& world, sim::PlayerId,
                                std::span<const std::byte> bytes) override {
    return world.refuse("no " + std::to_string(std::to_integer<int>(bytes[0])));
  }
  void after_tick(sim::WorldAccess& world, const StepEvents&) override {
    for (auto& [player, count] : counts_)
      EXPECT_TRUE(world.send(player, std::to_string(player) + ":" + std::to_string(++count)).ok());
    if (world.tick() % 6 == 0) {
      EXPECT_TRUE(world.send_to_all("tick " + std::to_string(world.tick())).ok());
    }
  }
  void visit_state(sim::StateVisitor& state) override {
    state.map("count", counts_, 64,
              [](std::uint32_t& count, sim::StateVisitor& in) { in.field("value", count); });
  }

 private:
  std::map<sim::PlayerId, std::uint32_t> counts_;
};

TEST(GameOverNetwork, EveryMessageTicketAndRefusalArrivesOnceAndInOrder) {
  auto const scene = sim::load_scene(
      std::string_view(R"({"bodies": [{"type": "static", "shapes": [{"half_space": {}}]}]})"), "test");
  ASSERT_TRUE(scene.ok());
  VirtualRoom server(*scene, {}, kSeed, std::make_unique<Caller>());
  server.bots_play = false;
  sim::MemorySink sink;
  ASSERT_TRUE(server.room().start_recording(sink, *scene).ok());
  Impairment stream;
  stream.delay_us = Impairment::hostile().delay_us;
  for (int i = 0; i < 3; ++i) {
    server.add_player(TransportKind::kDatagram, Impairment::hostile());
    server.add_player(TransportKind::kStream, stream);
  }
  server.run_for(2 * kSecond);

  std::map<VirtualRoom::Player*, std::vector<std::uint32_t>> spawns;
  std::map<VirtualRoom::Player*, std::vector<std::pair<std::uint32_t, int>>> customs;
  for (int round = 0; round < 20; ++round) {
    for (auto const& player : server.players()) {
      ASSERT_TRUE(player->joined);
      client::Session& session = *player->session;
      sim::SpawnCommand ball;
      ball.dimensions_m = {0.2f, 0, 0};
      ball.position = Position::from_metres(2.0 * round, 1.0 + 2.0 * session.player(), 0);
      auto const spawned = session.send(server.now_us(), session.command_tick(server.now_us()), ball);
      ASSERT_TRUE(spawned.ok());
      spawns[player.get()].push_back(*spawned);
      sim::CustomCommand const custom{{static_cast<std::byte>(round)}};
      auto const asked = session.send(server.now_us(), session.command_tick(server.now_us()), custom);
      ASSERT_TRUE(asked.ok());
      customs[player.get()].emplace_back(*asked, round);
    }
    server.run_for(kSecond / 4);
  }
  server.run_for(3 * kSecond);
  ASSERT_TRUE(server.room().close_recording().ok());
  std::uint64_t const end_tick = server.room().simulation().tick();

  for (auto const& one : server.players()) {
    VirtualRoom::Player& player = *one;
    client::Session& session = *player.session;
    SCOPED_TRACE("player " + std::to_string(session.player()));
    ASSERT_FALSE(player.ending);
    // Counts from 1 without a gap, and the ticks of the messages to all; what was sent last may be on its
    // way.
    std::uint32_t count = 0;
    std::uint64_t last_call = 0;
    std::uint64_t last_tick = 0;
    for (const client::GameMessage& message : player.messages) {
      EXPECT_GE(message.tick, last_tick);
      last_tick = message.tick;
      if (message.text().starts_with("tick ")) {
        if (last_call != 0) {
          EXPECT_EQ(message.tick, last_call + 6);
        }
        last_call = message.tick;
        EXPECT_EQ(message.text(), "tick " + std::to_string(message.tick));
      } else {
        EXPECT_EQ(message.text(), std::to_string(session.player()) + ":" + std::to_string(++count));
      }
    }
    EXPECT_GT(last_tick + 60, end_tick);
    // Each ticket with one body of this player, each body of it with a ticket.
    std::vector<std::uint32_t> tickets;
    for (const client::BodySpawned& spawned : player.own_spawns) {
      EXPECT_EQ(spawned.player, session.player());
      EXPECT_EQ(server.room().simulation().owner(spawned.body), session.player());
      tickets.push_back(spawned.ticket.sequence);
    }
    EXPECT_EQ(tickets, spawns[&player]);
    std::vector<std::pair<std::uint32_t, int>> refused;
    for (const client::CommandOutcome& outcome : player.refusals) {
      EXPECT_EQ(outcome.refusal, sim::Refusal::kGameRefused);
      EXPECT_EQ(outcome.status, client::CommandStatus::kRefusedInvalid);
      refused.emplace_back(outcome.sequence,
                           outcome.text.starts_with("no ") ? std::stoi(outcome.text.substr(3)) : -1);
    }
    EXPECT_EQ(refused, customs[&player]);
  }

  sim::MemorySource const source(sink.bytes());
  auto const reader = sim::RecordingReader::open(source);
  ASSERT_TRUE(reader.ok());
  auto const report = sim::verify(*reader, {}, [](std::string_view) { return std::make_unique<Caller>(); });
  ASSERT_TRUE(report.ok());
  EXPECT_FALSE(report->mismatch);
  EXPECT_EQ(report->final_hash, server.room().hash());
}

}  // namespace
}  // namespace takt::server::test
