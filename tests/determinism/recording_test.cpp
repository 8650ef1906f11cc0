// Recordings of the script of each edit of takt.h (tests/unit/c/edit_script.h), made on x86-64: each machine
// simulates them again to the same hashes. CWorldTest.ARecordingOfEveryEditVerifies writes them.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "takt/sim/replay.h"

namespace takt::sim {
namespace {

std::vector<std::byte> committed(const std::string& name) {
  std::ifstream in(TAKT_SOURCE_DIR "/tests/determinism/recordings/" + name, std::ios::binary);
  std::string const text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  auto const bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

class GoldenRecording : public testing::TestWithParam<const char*> {};

TEST_P(GoldenRecording, OfEveryEditOfTheCInterfaceVerifies) {
  std::vector<std::byte> const bytes = committed("every_edit_" + std::string(GetParam()) + ".takt");
  MemorySource const source(bytes);
  Result<RecordingReader, SimError> const reader = RecordingReader::open(source);
  ASSERT_TRUE(reader) << "tests/determinism/recordings/ lacks the file";
  Result<VerifyReport, SimError> const report = verify(*reader);
  ASSERT_TRUE(report) << message(report.error());
  EXPECT_FALSE(report->mismatch);
  EXPECT_EQ(report->ticks_checked, 65u);
  // The script gives each command but those of players and games.
  std::set<std::string_view> names;
  for (std::uint64_t tick = reader->info().first_tick; tick < reader->info().end_tick; ++tick) {
    Result<RecordedTick, SimError> const recorded = reader->tick(tick);
    ASSERT_TRUE(recorded) << tick;
    for (const Input& input : recorded->inputs) names.insert(name_of(input.command));
  }
  std::set<std::string_view> const expected{
      "impulse",     "force",        "spawn",       "despawn",      "grab",         "move_grab",
      "release",     "teleport",     "move",        "cut",          "change_joint", "destroy_joint",
      "target",      "tune_mover",   "change_body", "change_shape", "create_joint", "create_rope",
      "change_rope", "destroy_rope", "create_mover"};
  EXPECT_EQ(names, expected);
}

INSTANTIATE_TEST_SUITE_P(Modes, GoldenRecording, testing::Values("float", "fixed"),
                         [](const auto& mode) { return std::string(mode.param); });

}  // namespace
}  // namespace takt::sim
