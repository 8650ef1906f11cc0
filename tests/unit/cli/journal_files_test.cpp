// The files of a recording on a disk that takes a part of a write and then nothing, without special rights.
#include "cli/journal_files.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "takt/sim/replay.h"
#include "tests/unit/cli/file_size_limit.h"
#include "tests/unit/cli/folder.h"
#include "tests/unit/cli/recorded_room.h"

namespace takt::cli {
namespace {

using test::FileSizeLimit;
using test::Folder;
using test::RecordedRoom;

/// Verifies a file bit for bit and returns its last tick.
std::uint64_t verified_end(const std::string& path) {
  auto const recording = open_recording(path);
  EXPECT_TRUE(recording.ok()) << path;
  if (!recording) return 0;
  auto const report = sim::verify(recording->reader);
  EXPECT_TRUE(report.ok() && !report->mismatch && !report->stopped_by) << path;
  return report.ok() ? report->final_tick : 0;
}

class AFullDisk : public testing::TestWithParam<int> {};

// Files 1 and 2 are written by different code: the first one has no name before the server has started.
TEST_P(AFullDisk, CutsAWriteShortAndTheRecordingGoesOnInTheNextFile) {
  constexpr std::uint32_t kFullFiles = 3;
  Folder const here;
  RecordedRoom room(here / "world.takt");
  room.run(60);  // with a second image, which each later file must take
  std::uint64_t const tick = room.tick();
  std::uint64_t const full = room.bytes() + static_cast<std::uint64_t>(GetParam());
  {
    FileSizeLimit const limit(full);
    for (int i = 0; i < 5000 && room.status().failures < kFullFiles; ++i) room.run(1);
  }
  ASSERT_EQ(room.status().failures, kFullFiles);
  EXPECT_GE(verified_end(here / "world.takt"), tick) << "no tick that was written before is lost";
  for (std::uint32_t file = 1; file <= kFullFiles; ++file) {
    std::string const path = numbered_path(here / "world.takt", file);
    EXPECT_EQ(std::filesystem::file_size(path), full) << "the last write was short: " << path;
    EXPECT_GT(verified_end(path), 0u);
  }
  room.run(20);
  EXPECT_FALSE(room.status().is_suspended) << "there is room again";
  EXPECT_EQ(verified_end(numbered_path(here / "world.takt", kFullFiles + 1)), room.tick());
  EXPECT_EQ(room.status().failures, kFullFiles);
}

INSTANTIATE_TEST_SUITE_P(Bytes, AFullDisk, testing::Values(1, 30, 200));

}  // namespace
}  // namespace takt::cli
