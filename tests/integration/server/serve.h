// A `takt serve` under test, on ports that were free, and what every test of it needs.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/integration/server/program.h"

namespace takt::server::test {

inline const std::string kTakt =
    std::getenv("TAKT_PROGRAM") != nullptr ? std::getenv("TAKT_PROGRAM") : TAKT_PROGRAM;
inline const std::string kScenes = TAKT_SOURCE_DIR "/examples/scenes/";
inline constexpr double kPatienceS = 30;  // for what takes a second on an idle machine

[[nodiscard]] inline std::string temporary_file(const std::string& name) {
  return ::testing::TempDir() + "takt_server_test_" + std::to_string(::getpid()) + "_" + name;
}

/// A server that listens, and the ports it was given. Without the web gateway unless `more` turns it on.
struct Serve {
  explicit Serve(std::vector<std::string> more = {}, const Program::Start& start = {})
      : program(kTakt, arguments(std::move(more)), start) {
    EXPECT_TRUE(program.wait_for("\"http_port\":", kPatienceS)) << program.output();
    EXPECT_TRUE(program.wait_for("}\n", kPatienceS)) << program.output();
    port = static_cast<int>(program.number_after("\"port\":"));
    http_port = static_cast<int>(program.number_after("\"http_port\":"));
    metrics_port = static_cast<int>(program.number_after("\"metrics_port\":"));
  }
  static std::vector<std::string> arguments(std::vector<std::string> more) {
    std::vector<std::string> all{
        "serve", "--scene", kScenes + "stack.json", "--port", "0", "--bind", "127.0.0.1", "--http",
        "0",     "--json"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port); }
  [[nodiscard]] std::vector<std::string> bot(std::vector<std::string> more) const {
    std::vector<std::string> all{"bot", "--connect", address(), "--json"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  /// Ctrl-C; the exit code.
  int interrupt() {
    program.signal(SIGINT);
    return program.wait(kPatienceS);
  }

  Program program;
  int port = 0;
  int http_port = 0;
  int metrics_port = 0;
};

}  // namespace takt::server::test
