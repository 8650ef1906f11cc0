// The real program on a processor that eight other processes keep busy. The server gives up ticks, and nobody
// may lose a body or a spawn by that: the governor judges the processor time of the world. With
// TAKT_JUDGE_TICKS the world is large and the test wants an idle machine. Otherwise the world is so small
// that its ticks fit also under a sanitizer, and one other process is there.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "takt/client/client.h"
#include "tests/integration/server/serve.h"

namespace takt::server::test {
namespace {

/// One processor for this process and its children, the first of those that it may use.
class OneProcessor {
 public:
  OneProcessor() {
    is_set = ::sched_getaffinity(0, sizeof before_, &before_) == 0;
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int cpu = 0; is_set && cpu < CPU_SETSIZE; ++cpu) {
      if (!CPU_ISSET(cpu, &before_)) continue;
      CPU_SET(cpu, &one);
      break;
    }
    is_set = is_set && ::sched_setaffinity(0, sizeof one, &one) == 0;
  }
  ~OneProcessor() { (void)::sched_setaffinity(0, sizeof before_, &before_); }
  OneProcessor(const OneProcessor&) = delete;
  OneProcessor& operator=(const OneProcessor&) = delete;
  bool is_set = false;

 private:
  cpu_set_t before_{};
};

/// Processes that do nothing but spin.
class Spinners {
 public:
  explicit Spinners(int count) {
    for (int i = 0; i < count; ++i) {
      pid_t const process = ::fork();
      if (process == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        for (std::atomic<unsigned> spins = 0;; ++spins) {
        }
      }
      if (process > 0) processes_.push_back(process);
    }
  }
  ~Spinners() {
    for (pid_t const process : processes_) {
      ::kill(process, SIGKILL);
      ::waitpid(process, nullptr, 0);
    }
  }
  Spinners(const Spinners&) = delete;
  Spinners& operator=(const Spinners&) = delete;

 private:
  std::vector<pid_t> processes_;
};

// A pile that a beam stirs for ever, and players who may spawn. With 1,500 bodies its ticks are longer than a
// process runs at a time, so that the others interrupt each.
std::string scene_of(int bodies) {
  return R"({
  "world": { "allow_sleep": false }, "players": { "max_overlaps": 1000 },
  "bodies": [
    { "type": "static", "position": [0, -1, 0], "shapes": [{ "half_space": {} }] },
    { "type": "kinematic", "position": [0, 0.5, 0], "angular_velocity": [0, 2, 0],
      "shapes": [{ "box": { "size": [15, 1, 0.5] } }] },
  ],
  "generators": [
    { "pit": { "origin": [0, 0, 0], "inner": [16, 10, 16], "thickness": 1 } },
    { "pile": { "count": )" +
         std::to_string(bodies) + R"(, "low": [-7.8, 0.5, -7.8], "high": [7.8, 60, 7.8], "size_min": 0.5,
                "size_max": 0.9, "seed": 2026 } },
  ],
})";
}

class ABusyHost : public testing::Test {
 protected:
  ABusyHost() : scene_(temporary_file("busy_host.json")) {
    std::ofstream(scene_) << scene_of(judges_ticks_ ? 1500 : 150);
  }
  ~ABusyHost() override { ::unlink(scene_.c_str()); }
  [[nodiscard]] std::vector<std::string> arguments(int hz) const {
    return {"--scene", scene_, "--hz", std::to_string(hz)};
  }
  static double last(const Program& program, const std::string& key) {
    return program.number_after("\"" + key + "\":", program.output().rfind("\"event\":\"status\""));
  }
  /// Spawns so many boxes, which fall onto the pile, with 20 ms between them.
  static void spawn(client::Client& client, int count) {
    for (int i = 0; i < count; ++i) {
      sim::SpawnCommand command;
      command.kind = ShapeKind::kBox;
      command.dimensions_m = {0.3f, 0.3f, 0.3f};
      command.position = Position::from_metres(0.1 * i, 10 + i, 0);
      (void)client.spawn(command);
      for (int turn = 0; turn < 20; ++turn) client.wait(1);
    }
  }
  bool judges_ticks_ = std::getenv("TAKT_JUDGE_TICKS") != nullptr;
  std::string scene_;
};

TEST_F(ABusyHost, CostsNoPlayerABodyOrASpawn) {
  OneProcessor const processor;
  ASSERT_TRUE(processor.is_set) << "the system lets no process choose its processor";
  // Ticks shall need a quarter of the processor. Beside eight other processes they get a ninth of it.
  int hz = judges_ticks_ ? 25 : 3;
  double quiet_ms = 0;
  std::optional<Serve> server;
  for (int attempt = 0; attempt < 5; ++attempt) {
    server.emplace(arguments(hz));
    for (int i = 0; i < (judges_ticks_ ? 5 : 2); ++i) (void)server->program.wait_for("no such text", 1.1);
    quiet_ms = last(server->program, "cpu_ms_per_tick");
    ASSERT_GT(quiet_ms, 0);
    if (!judges_ticks_) break;
    double const part = quiet_ms * hz / 1000;
    if (part > 0.2 && part < 0.35) break;
    hz = std::clamp(static_cast<int>(hz * 0.25 / part), 1, 1000);
  }
  auto client = client::Client::connect("udp://" + server->address());
  ASSERT_TRUE(client);
  while (client->is_open() && !client->is_joined()) client->wait(5);
  double const wanted = last(server->program, "bodies") + 20;
  spawn(*client, 10);
  {
    Spinners const spinners(judges_ticks_ ? 8 : 1);
    spawn(*client, 10);
    // The last status line must cover a second that was busy throughout.
    auto const busy_until = std::chrono::steady_clock::now() + std::chrono::seconds(judges_ticks_ ? 4 : 0);
    for (int i = 0; i < 40 || std::chrono::steady_clock::now() < busy_until ||
                    (i < 300 && last(server->program, "bodies") < wanted);
         ++i) {
      client->wait(100);
      while (auto const event = client->next_event()) {
        auto const* outcome = std::get_if<client::CommandOutcome>(&*event);
        if (outcome != nullptr && outcome->status != client::CommandStatus::kMoved)
          ADD_FAILURE() << message(*outcome);
      }
      (void)server->program.wait_for("no such text", 0.01);
    }
    double const period_ms = 1000.0 / hz;
    std::printf("%d Hz: %.2f ms of %.2f are the world's, quiet %.2f; a tick took %.2f ms, %.0f given up\n",
                hz, last(server->program, "cpu_ms_per_tick"), period_ms, quiet_ms,
                last(server->program, "ms_per_tick"), last(server->program, "dropped_ticks"));
    if (judges_ticks_) {
      EXPECT_GT(last(server->program, "ms_per_tick"), 0.75 * period_ms) << "or the host was not busy";
      EXPECT_GT(last(server->program, "dropped_ticks"), 0);
    }
  }
  EXPECT_EQ(server->program.count("\"overloaded\":true"), 0u) << server->program.output();
  EXPECT_EQ(last(server->program, "bodies_removed"), 0);
  EXPECT_EQ(last(server->program, "spawns_refused"), 0);
  EXPECT_EQ(last(server->program, "bodies"), wanted);
}

}  // namespace
}  // namespace takt::server::test
