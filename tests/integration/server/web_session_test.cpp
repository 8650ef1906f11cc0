// Players over web sockets in the real program: they play, control the room, look inside, and a stalled one
// harms nobody. And recordings that are shown.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "takt/client/client.h"
#include "tests/integration/server/serve.h"
#include "tests/integration/server/web_player.h"

namespace takt::server::test {
namespace {

using protocol::ControlAction;
using protocol::ControlStatus;

TEST(Web, APlayerJoinsSeesTheWorldAndHearsTheEnd) {
  Serve server({"--http", "auto"});
  WebPlayer player(server.http_port);
  EXPECT_EQ(player.status, "HTTP/1.1 101 Switching Protocols");
  ASSERT_TRUE(player.play_until([&] {
    return player.bodies_added == 11 && player.endpoint.world().body_count() == 11 && player.stats;
  })) << server.program.output();
  ASSERT_TRUE(player.room);
  EXPECT_FALSE(player.room->admin);  // nobody is, unless told
  EXPECT_EQ(player.room->scene, "stack");
  EXPECT_EQ(player.stats->contact_count > 0,
            player.stats->awake_count > 0);  // a stack that sleeps has none to solve
  EXPECT_EQ(metric(server.http_port, "takt_clients{transport=\"websocket\"}"), 1);
  EXPECT_EQ(player.control(ControlAction::kPause).status, ControlStatus::kRefusedPermission);
  server.program.signal(SIGTERM);
  EXPECT_TRUE(player.play_until([&] { return player.ending.has_value(); }));
  EXPECT_EQ(player.ending->reason, protocol::DisconnectReason::kServerStopped);
  EXPECT_EQ(server.program.wait(kPatienceS), 0) << server.program.output();
}

// A client that comes back names the epoch of its world, which a crashed server's successor has not.
TEST(Web, TwoRunsOfAServerHaveWorldsOfOtherEpochs) {
  std::uint32_t epochs[2] = {0, 0};
  for (std::uint32_t& epoch : epochs) {
    Serve server({"--http", "auto"});
    WebPlayer player(server.http_port);
    ASSERT_TRUE(player.play_until([&] { return player.room.has_value(); })) << server.program.output();
    epoch = player.room->epoch;
    EXPECT_GE(epoch, 1u);
    EXPECT_LE(epoch, 1u << 31);
  }
  EXPECT_NE(epochs[0], epochs[1]) << "equal by chance once in 2^31 runs";
}

TEST(Web, OnlyAPageOfThisMachineControlsTheRoom) {
  Serve server(
      {"--http", "auto", "--admin", "loopback", "--origin", "https://game.example", "--allow-plain-web"});
  struct Case {
    const char* headers;
    bool is_admin;
  };
  for (Case const& one :
       {Case{"", true}, Case{"Host: localhost:8080\r\nOrigin: http://localhost:8080\r\n", true},
        Case{"Origin: https://game.example\r\n", false},
        Case{"Host: evil.example\r\nOrigin: http://evil.example\r\n", false},
        Case{"Host: play.example\r\n", false}, Case{"X-Forwarded-For: 192.0.2.1\r\n", false},
        Case{"Forwarded: for=192.0.2.1\r\n", false}}) {
    WebPlayer player(server.http_port, one.headers);
    ASSERT_TRUE(player.play_until([&] { return player.room.has_value(); })) << one.headers;
    EXPECT_EQ(player.room->admin, one.is_admin) << one.headers;
  }
}

TEST(Web, AnAdminPausesStepsAndLoadsScenes) {
  std::string const scenes = temporary_file("scenes");
  std::filesystem::create_directories(scenes);
  for (auto const* name : {"stack", "pyramid"})
    std::filesystem::copy_file(kScenes + name + ".json", scenes + "/" + name + ".json");
  std::ofstream(scenes + "/broken.json")
      << "{\n \"bodies\": [\n  { \"shapes\": [{ \"cube\": {} }] }\n ]\n}\n";
  Serve server({"--http", "auto", "--admin", "loopback", "--scenes", scenes});
  WebPlayer player(server.http_port);
  Program bot(kTakt, server.bot({"--udp", "--for", "6"}));  // lives through all of it
  ASSERT_TRUE(player.play_until([&] { return player.room && player.snapshots > 10; }));
  EXPECT_EQ(player.room->scenes, (std::vector<std::string>{"broken", "pyramid", "stack"}));
  std::uint32_t const epoch = player.room->epoch;

  EXPECT_EQ(player.control(ControlAction::kPause).status, ControlStatus::kDone);
  ASSERT_TRUE(player.play_until(
      [&] { return player.room->paused && player.stats && player.stats->tick == player.room->tick; }));
  std::uint64_t const tick = player.room->tick;
  std::uint64_t const hash = player.stats->state_hash;
  player.play_for(0.5);
  EXPECT_EQ(player.endpoint.world().newest_tick(), tick);
  EXPECT_DOUBLE_EQ(player.endpoint.clock().server_tick(net::now_us()), static_cast<double>(tick));
  EXPECT_EQ(player.control(ControlAction::kStep, 1, 5).status, ControlStatus::kDone);
  ASSERT_TRUE(
      player.play_until([&] { return player.room->tick == tick + 5 && player.stats->tick == tick + 5; }));
  EXPECT_NE(player.stats->state_hash, hash);
  ASSERT_TRUE(player.play_until([&] { return player.endpoint.world().newest_tick() == tick + 5; }));

  EXPECT_EQ(player.control(ControlAction::kSetSpeed, 4.0f).status, ControlStatus::kDone);
  EXPECT_EQ(player.control(ControlAction::kResume).status, ControlStatus::kDone);
  double const begin_tick = player.endpoint.clock().server_tick(net::now_us());
  std::uint64_t const begin_us = net::now_us();
  player.play_for(1.0);
  double const passed = player.endpoint.clock().server_tick(net::now_us()) - begin_tick;
  EXPECT_NEAR(passed / (static_cast<double>(net::now_us() - begin_us) * 1e-6), 240,
              40);  // the machine may be busy
  EXPECT_EQ(player.control(ControlAction::kSetSpeed, 0.001f).status, ControlStatus::kRefusedRange);

  auto const broken = player.control(ControlAction::kLoadScene, 1, 0, "broken");
  EXPECT_EQ(broken.status, ControlStatus::kFailed);
  EXPECT_EQ(broken.text.rfind("broken.json:3: ", 0), 0u) << broken.text;
  EXPECT_EQ(player.room->epoch, epoch);
  EXPECT_EQ(player.control(ControlAction::kLoadScene, 1, 0, "../stack").status,
            ControlStatus::kRefusedUnknownScene);
  EXPECT_EQ(player.control(ControlAction::kSeek, 1, 1).status, ControlStatus::kRefusedNotHere);
  EXPECT_EQ(player.control(ControlAction::kLoadScene, 1, 0, "pyramid").status, ControlStatus::kDone);
  ASSERT_TRUE(player.play_until([&] {
    return player.room->epoch == epoch + 1 && player.bodies_added == 211 &&
           player.endpoint.world().body_count() == 211;
  })) << player.bodies_added
      << " " << player.endpoint.world().body_count();
  EXPECT_EQ(player.room->scene, "pyramid");
  EXPECT_EQ(bot.wait(kPatienceS), 0) << bot.output();
  EXPECT_NE(bot.output().find("\"lost\":0", bot.output().rfind("stop")), std::string::npos) << bot.output();
  EXPECT_EQ(server.interrupt(), 0) << server.program.output();
  std::filesystem::remove_all(scenes);
}

TEST(Web, AnInspectorSeesTheContactsOfAStack) {
  Serve server({"--http", "auto"});
  WebPlayer player(server.http_port);
  ASSERT_TRUE(player.play_until([&] { return player.snapshots > 60; }));
  ASSERT_TRUE(player.endpoint.send_inspect(net::now_us(), protocol::kInspectContacts).ok());
  ASSERT_TRUE(player.play_until([&] { return player.contacts.size() >= 9; }));
  protocol::Contacts const part = player.contacts.front();
  EXPECT_GE(part.total, 40u);  // ten boxes, four points each
  EXPECT_EQ(part.points.size(), protocol::kContactPointsPerMessage);
  for (auto const& point : part.points) EXPECT_GT(point.impulse, 0.0f);
  // At most ten times a second.
  player.contacts.clear();
  player.play_for(1.0);
  EXPECT_LE(player.contacts.size(), 11u * part.part_count);
  EXPECT_GE(player.contacts.size(), 5u * part.part_count);
}

TEST(Web, AStalledReaderCostsItsOwnSnapshotsAlone) {
  Serve server({"--scene", kScenes + "pyramid.json", "--http", "auto"});
  WebPlayer stalled(server.http_port, {}, 4096);
  ASSERT_TRUE(stalled.play_until([&] { return stalled.snapshots > 5; }));
  Program bot(kTakt, server.bot({"--udp", "--for", "6"}));
  WebPlayer other(server.http_port);
  // The stalled one reads no more; the world falls over, so that there is much to say.
  ASSERT_TRUE(other.play_until([&] { return other.snapshots > 0; }));
  std::uint64_t const begin = other.endpoint.world().newest_tick();
  std::uint64_t const seen_before = other.snapshots;
  for (int i = 0; i < 60; ++i) {
    (void)other.endpoint.send_input(
        net::now_us(), other.endpoint.world().newest_tick() + 5,
        protocol::ImpulseCommand{
            (std::uint64_t{1} << 32) | static_cast<std::uint64_t>(1 + i % 200), {300, 500, 0}, {}});
    other.play_for(0.1);
  }
  std::uint64_t const ticks = other.endpoint.world().newest_tick() - begin;
  EXPECT_EQ(other.close_code, 0);
  // A simulation that waited for the reader would do nearly none of 360 ticks; a busy machine does some.
  EXPECT_GT(ticks, 60u);
  EXPECT_GT(other.snapshots - seen_before, ticks / 2);
  EXPECT_GT(metric(server.http_port, "takt_snapshots_dropped_total"), 50);
  EXPECT_EQ(bot.wait(kPatienceS), 0) << bot.output();
  EXPECT_EQ(server.interrupt(), 0) << server.program.output();
}

TEST(Play, ShowsARecordingAndSeeksToATickAndItsHash) {
  std::string const recording = temporary_file("play.takt");
  {
    Serve server({"--record", recording});
    Program bot(kTakt, server.bot({"--udp", "--for", "3"}));
    EXPECT_EQ(bot.wait(kPatienceS), 0) << bot.output();
    EXPECT_EQ(server.interrupt(), 0);
  }
  Program play(kTakt, {"replay", "play", recording, "--http", "auto", "--json"});
  ASSERT_TRUE(play.wait_for("}\n", kPatienceS)) << play.output();
  auto const end_tick = static_cast<std::uint64_t>(play.number_after("\"end_tick\":"));
  ASSERT_GT(end_tick, 150u);
  WebPlayer player(static_cast<int>(play.number_after("\"http_port\":")));
  ASSERT_TRUE(player.play_until([&] { return player.room.has_value(); })) << play.output();
  EXPECT_TRUE(player.room->is_recording);
  EXPECT_TRUE(player.room->admin);
  EXPECT_EQ(player.room->end_tick, end_tick);
  EXPECT_GE(player.room->marks.size(), 3u);  // an image, a join, inputs
  EXPECT_EQ(player.control(ControlAction::kPause).status, ControlStatus::kDone);
  std::uint32_t epoch = player.room->epoch;
  for (std::uint64_t const tick : {std::uint64_t{137}, std::uint64_t{136}, end_tick, std::uint64_t{0}}) {
    EXPECT_EQ(player.control(ControlAction::kSeek, 1, tick).status, ControlStatus::kDone);
    ASSERT_TRUE(player.play_until([&] {
      return player.room->epoch > epoch && player.room->tick == tick && player.stats &&
             player.stats->tick == tick;
    }));
    epoch = player.room->epoch;
    Program seek(kTakt, {"replay", "seek", recording, "--tick", std::to_string(tick)});
    EXPECT_EQ(seek.wait(kPatienceS), 0);
    char hash[32];
    std::snprintf(hash, sizeof hash, "0x%016llx", static_cast<unsigned long long>(player.stats->state_hash));
    EXPECT_NE(seek.output().find(hash), std::string::npos) << tick << ": " << hash << " " << seek.output();
    ASSERT_TRUE(player.play_until([&] {
      return player.endpoint.world().newest_tick() == tick && player.bodies_added > 0;
    }) || tick == 0)
        << tick;
  }
  EXPECT_EQ(player.control(ControlAction::kSeek, 1, end_tick + 1).status, ControlStatus::kRefusedRange);
  EXPECT_EQ(player.control(ControlAction::kLoadScene, 1, 0, "stack").status, ControlStatus::kRefusedNotHere);
  play.signal(SIGINT);
  EXPECT_EQ(play.wait(kPatienceS), 0) << play.output();
  std::remove(recording.c_str());
}

TEST(Play, SaysWhatIsWrongWithAFile) {
  std::string const file = temporary_file("no.takt");
  std::ofstream(file) << "this is no recording";
  for (std::string const& path : {file, std::string("no/such.takt")}) {
    Program play(kTakt, {"replay", "play", path, "--http", "0"});
    EXPECT_EQ(play.wait(kPatienceS), 2);
    EXPECT_EQ(play.output().find("takt: " + path + ": "), 0u) << play.output();
  }
  std::remove(file.c_str());
}

TEST(Client, TheSdkFollowsPauseSpeedAndScenesOverUdp) {
  Serve server({"--admin", "loopback", "--scenes", kScenes});
  auto client = client::Client::connect("udp://" + server.address());
  ASSERT_TRUE(client.ok());
  bool is_new_world = false;
  auto const wait_until = [&](auto&& done) {
    std::uint64_t const until_us = net::now_us() + 20'000'000;
    while (!done() && net::now_us() < until_us) {
      client->wait(5);
      while (auto event = client->next_event())
        if (auto const* changed = std::get_if<client::RoomChanged>(&*event))
          is_new_world = is_new_world || changed->is_new_world;
    }
    return done();
  };
  ASSERT_TRUE(wait_until([&] { return client->room() && client->bodies().size() == 11; }));
  EXPECT_TRUE(client->room()->admin);
  ASSERT_TRUE(client->pause().ok());
  ASSERT_TRUE(wait_until([&] {
    return client->room()->paused && client->render_tick() == static_cast<double>(client->room()->tick);
  }));
  double const shown = client->render_tick();
  ASSERT_TRUE(client->step(2).ok());
  ASSERT_TRUE(wait_until([&] { return client->render_tick() == shown + 2; }));
  ASSERT_TRUE(client->set_speed(0.5).ok());
  ASSERT_TRUE(client->resume().ok());
  ASSERT_TRUE(wait_until([&] { return !client->room()->paused && client->render_tick() > shown + 20; }));
  double const from = client->render_tick();
  std::uint64_t const from_us = net::now_us();
  (void)wait_until([&] { return net::now_us() > from_us + 2'000'000; });
  EXPECT_NEAR((client->render_tick() - from) / (static_cast<double>(net::now_us() - from_us) * 1e-6), 30.0,
              4.0);
  ASSERT_TRUE(client->load_scene("pyramid").ok());
  ASSERT_TRUE(wait_until([&] { return is_new_world && client->bodies().size() == 211; }))
      << client->bodies().size();
  EXPECT_EQ(client->room()->scene, "pyramid");
  EXPECT_EQ(client->seek(3).ok(), true);
  client->leave();
}

}  // namespace
}  // namespace takt::server::test
