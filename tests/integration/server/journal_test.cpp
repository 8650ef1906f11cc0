// The journal of the real program: killed at random moments and started again with the same command, it goes
// on with the world of a twin that was never disturbed; a file that may not grow suspends it, and the next
// file goes on.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "takt/client/client.h"
#include "takt/core/random.h"
#include "takt/sim/replay.h"
#include "tests/integration/server/serve.h"

namespace takt::server::test {
namespace {

namespace fs = std::filesystem;

/// A file of a series, in memory.
struct File {
  explicit File(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::string const text{std::istreambuf_iterator<char>(in), {}};
    bytes.resize(text.size());
    std::memcpy(bytes.data(), text.data(), text.size());
    source.emplace(bytes);
    auto opened = sim::RecordingReader::open(*source);
    if (opened) reader.emplace(*std::move(opened));
  }
  /// The state after the last tick that had ended.
  [[nodiscard]] std::uint64_t end_tick() const {
    return reader->info().end_tick - (reader->info().is_last_in_work ? 1 : 0);
  }
  std::vector<std::byte> bytes;
  std::optional<sim::MemorySource> source;
  std::optional<sim::RecordingReader> reader;
};

class TheRecordingIsACrashJournal : public testing::Test {
 protected:
  TheRecordingIsACrashJournal() : folder_(temporary_file("journal")) { fs::create_directories(folder_); }
  ~TheRecordingIsACrashJournal() override { fs::remove_all(folder_); }
  [[nodiscard]] std::string path() const { return (folder_ / "world.takt").string(); }
  [[nodiscard]] fs::path path(int number) const {
    return number == 1 ? fs::path(path()) : folder_ / ("world." + std::to_string(number) + ".takt");
  }
  [[nodiscard]] int file_count() const {
    int count = 0;
    while (fs::exists(path(count + 1))) ++count;
    return count;
  }

 private:
  fs::path folder_;
};

// TAKT_KILLS=200 is the long run.
TEST_F(TheRecordingIsACrashJournal, KilledAtRandomMomentsItGoesOnAsATwinThatWasNeverDisturbed) {
  char const* const wanted = std::getenv("TAKT_KILLS");
  int const kills = wanted != nullptr ? std::atoi(wanted) : 20;
  Random random(17);
  std::vector<double> told;  // the last tick of a status line before each kill
  for (int i = 0; i < kills; ++i) {
    Serve server({"--resume", path()});
    Program bot(kTakt, server.bot({"--udp", "--count", "2", "--for", "60"}));
    if (i % 4 == 0) {
      EXPECT_TRUE(server.program.wait_for("\"event\":\"status\"", kPatienceS));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(random.next_below(700)));
    server.program.signal(SIGKILL);
    EXPECT_EQ(server.program.wait(kPatienceS), 128 + SIGKILL);
    std::size_t const at = server.program.output().rfind("\"event\":\"status\"");
    told.push_back(at == std::string::npos ? -1 : server.program.number_after("\"tick\":", at));
  }
  ASSERT_EQ(file_count(), kills);
  std::optional<sim::Simulation> twin;
  std::uint64_t inputs = 0;
  for (int i = 0; i < kills; ++i) {
    File const file(path(i + 1));
    ASSERT_TRUE(file.reader) << path(i + 1);
    std::uint64_t const first = file.reader->info().first_tick;
    if (!twin) twin.emplace(*sim::Simulation::restore(*file.reader->image(first)));
    ASSERT_EQ(twin->tick(), first) << "the tick after the last whole one of the file before";
    ASSERT_EQ(twin->hash(), *file.reader->image_hash(first)) << i;
    for (std::uint64_t tick = first; tick < file.end_tick(); ++tick) {
      auto const recorded = file.reader->tick(tick);
      ASSERT_TRUE(recorded.ok());
      std::uint64_t const hash = twin->step(recorded->inputs).hash;
      ASSERT_TRUE(recorded->agrees(hash)) << tick;
    }
    inputs += file.reader->info().input_count;
    // At most 200 ms, the interval of the sync, are lost.
    EXPECT_GE(static_cast<double>(file.end_tick()), told[static_cast<std::size_t>(i)] - 12) << i;
  }
  EXPECT_GT(inputs, static_cast<std::uint64_t>(kills)) << "the bots played";
}

sim::CustomCommand text_command(std::string_view text) {
  auto const bytes = std::as_bytes(std::span(text));
  return {{bytes.begin(), bytes.end()}};
}

// Joins the server and sends `first` until `count` are sent, then `last`, until the server has ended.
void play_to_the_end(Program& server, std::string_view first, int count, std::string_view last) {
  ASSERT_TRUE(server.wait_for("\"http_port\":", kPatienceS)) << server.output();
  auto client = client::Client::connect("udp://127.0.0.1:" +
                                        std::to_string(static_cast<int>(server.number_after("\"port\":"))));
  ASSERT_TRUE(client);
  bool has_joined = false;
  int sent = 0;
  for (int turn = 0; turn < 3000 && server.is_running(); ++turn) {
    client->poll();
    while (auto const event = client->next_event())
      has_joined = has_joined || std::holds_alternative<client::Joined>(*event);
    if (has_joined && turn % 20 == 0) (void)client->send(text_command(sent++ < count ? first : last));
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

// A recording was written after the step, so the one input that one needs was always lost.
TEST_F(TheRecordingIsACrashJournal, AStepThatKillsTheProgramLeavesItsInputsInTheFile) {
  std::vector<std::string> const arguments = Serve::arguments({"--resume", path()});
  std::uint64_t end = 0;
  for (int i = 1; i <= 3; ++i) {
    Program server(CRASH_GAME, arguments);
    play_to_the_end(server, "step", 10, "crash");
    EXPECT_EQ(server.wait(kPatienceS), 128 + SIGKILL);
    // The next start brings what the program left in memory into the file, and leaves the tick out.
    Program next(CRASH_GAME, Serve::arguments({"--resume", path(), "--for", "0.2"}));
    EXPECT_EQ(next.wait(kPatienceS), 0) << next.output();
    EXPECT_EQ(next.count("was in work"), 1u) << next.output();
    File const file(path(2 * i - 1));
    ASSERT_TRUE(file.reader && file.reader->info().is_last_in_work);
    auto const last = file.reader->tick(file.reader->info().end_tick - 1);
    ASSERT_TRUE(last.ok());
    EXPECT_TRUE(std::ranges::any_of(last->inputs, [](const sim::Input& input) {
      return input.command == sim::Command(text_command("crash"));
    }));
    EXPECT_GT(file.end_tick(), end);
    File const resumed(path(2 * i));
    ASSERT_TRUE(resumed.reader);
    EXPECT_EQ(resumed.reader->info().first_tick, file.end_tick());
    end = resumed.end_tick();
  }
}

// The commands of replay had printed the text of the exception alone.
TEST_F(TheRecordingIsACrashJournal, AGameThatThrowsThrowsAgainAtTheSameTickOfAReplay) {
  Program server(CRASH_GAME, Serve::arguments({"--record", path()}));
  play_to_the_end(server, "step", 10, "throw");
  EXPECT_EQ(server.wait(kPatienceS), 1) << server.output();
  auto const tick = static_cast<std::uint64_t>(server.number_after("the simulation ended at tick "));
  ASSERT_GT(tick, 0u);
  File const file(path());
  ASSERT_TRUE(file.reader && file.reader->info().closed);
  EXPECT_EQ(file.end_tick(), tick);
  std::string const number = std::to_string(tick);
  std::string const line = "crash-game: " + path() + ": tick " + number + ": the game threw: map::at\n";
  auto const replay = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "replay");
    arguments.insert(arguments.begin() + 2, path());
    Program program(CRASH_GAME, arguments);
    EXPECT_EQ(program.wait(kPatienceS), 1) << program.output();
    return program.output();
  };
  std::string const verified = replay({"verify"});
  EXPECT_NE(verified.find(line), std::string::npos) << verified;
  EXPECT_NE(verified.find("verified " + number + " ticks and 1 images: tick " + number + " hash 0x"),
            std::string::npos)
      << verified;
  std::string const json = replay({"verify", "--json"});
  EXPECT_NE(json.find("\"verified\":false,\"ticks\":" + number + ",\"images\":1,\"tick\":" + number),
            std::string::npos)
      << json;
  EXPECT_NE(json.find("\"mismatch\":null,\"error\":\"the game threw: map::at\"}\n"), std::string::npos)
      << json;
  std::string const bisected = replay({"bisect"});
  EXPECT_NE(bisected.find(line), std::string::npos) << bisected;
  std::string const checks = replay({"bisect", "--json"});
  EXPECT_NE(checks.find("\"final_tick\":" + number + ",\"follows\":false"), std::string::npos) << checks;
  EXPECT_NE(checks.find("\"error\":\"the game threw: map::at\"}\n"), std::string::npos) << checks;
  EXPECT_EQ(replay({"seek", "--tick", std::to_string(tick + 1)}), line);
  Program before(CRASH_GAME, {"replay", "seek", path(), "--tick", number});
  EXPECT_EQ(before.wait(kPatienceS), 0) << before.output();
}

// A server with a recording had made its world without the room, which guards a scene without `players`.
TEST_F(TheRecordingIsACrashJournal, ASceneWithoutPlayersIsRecordedAndResumedWithTheGuardedPolicy) {
  std::string const scene = kScenes + "stack.json";
  for (int number = 1; number <= 2; ++number) {
    Program server(kTakt, Serve::arguments({"--resume", path(), "--for", "0.2"}));
    EXPECT_EQ(server.wait(kPatienceS), 0) << server.output();
    File const file(path(number));
    ASSERT_TRUE(file.reader) << number;
    auto const loaded = sim::load_scene(file.reader->scene_binary(), scene);
    ASSERT_TRUE(loaded && !loaded->has_policy);
    auto const world = sim::Simulation::restore(*file.reader->image(file.reader->info().first_tick));
    ASSERT_TRUE(world.ok());
    EXPECT_EQ(world->policy(), sim::guarded_policy()) << number;
  }
}

// A second start wrote the next file of the series, from which a restart resumed: all later ticks were lost.
TEST_F(TheRecordingIsACrashJournal, ASecondStartOfTheSameCommandChangesNothing) {
  double told = 0;
  {
    Serve first({"--resume", path()});
    ASSERT_TRUE(first.program.wait_for("\"event\":\"status\"", kPatienceS));
    Program second(kTakt, Serve::arguments({"--resume", path()}));
    EXPECT_EQ(second.wait(kPatienceS), 2);
    EXPECT_EQ(second.count("another server records into this series"), 1u) << second.output();
    EXPECT_EQ(file_count(), 1);
    (void)first.program.wait_for("no such text", 2.5);
    told = first.program.number_after("\"tick\":", first.program.output().rfind("\"event\":\"status\""));
    first.program.signal(SIGKILL);
    (void)first.program.wait(kPatienceS);
  }
  Program next(kTakt, Serve::arguments({"--resume", path(), "--for", "0.2"}));
  EXPECT_EQ(next.wait(kPatienceS), 0) << next.output();
  EXPECT_GE(next.number_after("resumed at tick ", 0), told - 60) << next.output();
  for (auto const& entry : fs::directory_iterator(fs::path(path()).parent_path()))
    EXPECT_NE(entry.path().extension(), ".lock") << "an orderly end leaves none";
}

// The start named the scene of the option, although the recording's went on.
TEST_F(TheRecordingIsACrashJournal, AnotherSceneIsReportedAndTheRecordingsIsNamed) {
  Program first(kTakt, Serve::arguments({"--resume", path(), "--numbers", "fixed", "--for", "0.2"}));
  ASSERT_EQ(first.wait(kPatienceS), 0) << first.output();
  Program same(kTakt, Serve::arguments({"--resume", path(), "--for", "0.2"}));
  EXPECT_EQ(same.wait(kPatienceS), 0) << same.output();
  EXPECT_EQ(same.count("differs from the scene in"), 0u) << same.output();
  auto arguments = Serve::arguments({"--resume", path(), "--for", "0.2"});
  ASSERT_EQ(arguments[1], "--scene");
  arguments[2] = kScenes + "pyramid.json";
  Program other(kTakt, arguments);
  EXPECT_EQ(other.wait(kPatienceS), 0) << other.output();
  EXPECT_EQ(other.count("differs from the scene in"), 1u) << other.output();
  EXPECT_EQ(other.count("\"scene\":\"" + path()), 1u) << other.output();
  EXPECT_EQ(other.count("\"numbers\":\"fixed\""), 1u) << other.output();
}

// The server recorded without a lock and printed nothing about it.
TEST_F(TheRecordingIsACrashJournal, AServerThatHasNoLockPrintsTheReason) {
  fs::create_directory(fs::path(path()).parent_path() / ".world.takt.lock");
  Program server(kTakt, Serve::arguments({"--resume", path(), "--for", "0.2"}));
  EXPECT_EQ(server.wait(kPatienceS), 0) << server.output();
  EXPECT_EQ(server.count(".world.takt.lock: cannot be locked: Is a directory"), 1u) << server.output();
  EXPECT_EQ(file_count(), 1);
}

TEST_F(TheRecordingIsACrashJournal, AStartThatFailsLeavesNoFileToResume) {
  Program once(kTakt, Serve::arguments({"--resume", path(), "--for", "0.2"}));
  EXPECT_EQ(once.wait(kPatienceS), 0) << once.output();
  Serve other;
  std::vector<std::string> arguments = Serve::arguments({"--resume", path()});
  *std::next(std::ranges::find(arguments, "--port")) = std::to_string(other.port);
  Program refused(kTakt, arguments);
  EXPECT_EQ(refused.wait(kPatienceS), 2) << refused.output();
  EXPECT_EQ(file_count(), 1);
}

TEST_F(TheRecordingIsACrashJournal, AFileThatMayNotGrowIsFollowedByTheNext) {
  // 100 blocks of 512 bytes hold an image and some seconds of ticks.
  std::string const command = "ulimit -f 100; exec '" + kTakt + "' serve --scene '" + kScenes +
                              "stack.json' --port 0 --bind 127.0.0.1 --http 0 --record '" + path() +
                              "' --for 9 --sync-ms 0";
  Program server("/bin/sh", {"-c", command});
  EXPECT_EQ(server.wait(kPatienceS), 1) << server.output();
  EXPECT_GE(server.count("the recording is suspended"), 1u) << server.output();
  EXPECT_GE(server.count("the recording goes on"), 1u) << server.output();
  ASSERT_GE(file_count(), 2);
  for (int number = 1; number <= file_count(); ++number) {
    File const file(path(number));
    ASSERT_TRUE(file.reader) << number;
    auto const report = sim::verify(*file.reader);
    ASSERT_TRUE(report.ok());
    EXPECT_FALSE(report->mismatch) << number;
    EXPECT_LE(file.bytes.size(), 100u * 512u);
  }
}

TEST_F(TheRecordingIsACrashJournal, TheLogTellsOfFourFifthsOfTheLimitOnce) {
  Program server(kTakt, Serve::arguments({"--record", path(), "--record-max", "0.004", "--for", "2"}));
  EXPECT_EQ(server.wait(kPatienceS), 0) << server.output();
  EXPECT_EQ(server.count("% of its limit"), 1u) << server.output();
  Program ample(kTakt, Serve::arguments({"--resume", path(), "--record-max", "1000", "--for", "1"}));
  EXPECT_EQ(ample.wait(kPatienceS), 0) << ample.output();
  EXPECT_EQ(ample.count("% of its limit"), 0u) << ample.output();
}

// The lock and the spool were those of the file behind the link, and the series grew beside the link.
TEST_F(TheRecordingIsACrashJournal, ALinkStandsForTheFileBehindIt) {
  fs::path const links = fs::path(path()).parent_path() / "links";
  fs::create_directories(links);
  fs::path const link = links / "other.takt";
  fs::create_symlink("../world.takt", link);  // which does not exist yet
  for (int start = 1; start <= 2; ++start) {
    Serve server({"--resume", link.string()});
    ASSERT_TRUE(server.program.wait_for("\"event\":\"status\"", kPatienceS));
    Program second(kTakt, Serve::arguments({"--resume", path()}));
    EXPECT_EQ(second.wait(kPatienceS), 2);
    EXPECT_EQ(second.count("another server records into this series"), 1u) << second.output();
    server.program.signal(SIGKILL);
    (void)server.program.wait(kPatienceS);
    EXPECT_EQ(file_count(), start);
  }
  Program next(kTakt, Serve::arguments({"--resume", path(), "--for", "0.2"}));
  EXPECT_EQ(next.wait(kPatienceS), 0) << next.output();
  EXPECT_EQ(file_count(), 3);
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(std::distance(fs::directory_iterator(links), fs::directory_iterator()), 1) << "nothing beside it";
  File const last(path(3));
  ASSERT_TRUE(last.reader);
  EXPECT_EQ(last.reader->info().first_tick, File(path(2)).end_tick()) << "from the file and its spool";
}

TEST_F(TheRecordingIsACrashJournal, WhatCannotBeResumedIsRefusedWithAReason) {
  std::ofstream(path()) << "this is no recording";
  Program text(kTakt, {"serve", "--resume", path(), "--port", "0", "--http", "0"});
  EXPECT_EQ(text.wait(kPatienceS), 2);
  EXPECT_NE(text.output().find("world.takt"), std::string::npos) << text.output();
  fs::remove(path());
  Program none(kTakt, {"serve", "--resume", path(), "--port", "0", "--http", "0"});
  EXPECT_EQ(none.wait(kPatienceS), 2);
  EXPECT_NE(none.output().find("does not exist"), std::string::npos) << none.output();
  Program both(kTakt, {"serve", "--resume", path(), "--record", path(), "--port", "0", "--http", "0",
                       "--scene", kScenes + "stack.json"});
  EXPECT_EQ(both.wait(kPatienceS), 2);
  EXPECT_NE(both.output().find("leave --record out"), std::string::npos) << both.output();
  EXPECT_EQ(file_count(), 0) << "nothing is created";
}

}  // namespace
}  // namespace takt::server::test
