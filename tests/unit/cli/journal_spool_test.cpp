// The spool in shared memory: neither a full /dev/shm nor a file that somebody truncates ends the process. A
// mapped page that the system cannot give is a fatal signal (SIGBUS).
#include "cli/journal_spool.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "cli/recording_file.h"
#include "tests/unit/cli/file_size_limit.h"
#include "tests/unit/cli/folder.h"
#include "tests/unit/cli/recorded_room.h"

namespace takt::cli {
namespace {

namespace fs = std::filesystem;
using test::FileSizeLimit;
using test::Folder;
using test::RecordedRoom;

TEST(JournalSpoolTest, AFullSharedMemoryIsNoSignal) {
  Folder const here;
  std::string const memory = JournalSpool::memory_path(here / "world.takt");
  std::vector<std::byte> const chunk(JournalSpool::kSlotBytes, std::byte{7});
  {
    FileSizeLimit const full(JournalSpool::kSlotBytes);
    JournalSpool spool(here / "world.takt");
    EXPECT_FALSE(fs::exists(memory)) << "a spool that does not fit is none";
    for (std::size_t i = 0; i < 2 * JournalSpool::kSlots; ++i) spool.keep(chunk);
  }
  JournalSpool const spool(here / "world.takt");
  EXPECT_EQ(fs::file_size(memory), JournalSpool::kSlots * JournalSpool::kSlotBytes);
}

TEST(JournalSpoolTest, AMemoryThatFillsUpLaterIsNoSignal) {
  Folder const here;
  JournalSpool spool(here / "world.takt");
  fs::resize_file(JournalSpool::memory_path(here / "world.takt"), 0);
  FileSizeLimit const full(10);
  std::vector<std::byte> const chunk(1000, std::byte{7});
  for (std::size_t i = 0; i < 2 * JournalSpool::kSlots; ++i) spool.keep(chunk);
  EXPECT_EQ(fs::file_size(JournalSpool::memory_path(here / "world.takt")), 10u);
}

TEST(JournalSpoolTest, ATruncatedMemoryIsNoSignal) {
  Folder const here;
  std::string const memory = JournalSpool::memory_path(here / "world.takt");
  JournalSpool spool(here / "world.takt");
  std::vector<std::byte> const chunk(1000, std::byte{7});
  spool.keep(chunk);
  fs::resize_file(memory, 0);
  for (std::size_t i = 0; i < 2 * JournalSpool::kSlots; ++i) spool.keep(chunk);
  EXPECT_GT(fs::file_size(memory), (JournalSpool::kSlots - 1) * JournalSpool::kSlotBytes);
}

// The last chunk after a truncation ends before its slot does: it was the newest, and lost.
TEST(JournalSpoolTest, ATruncatedMemoryLosesNoLaterChunk) {
  Folder const here;
  RecordedRoom room(here / "whole.takt");
  room.run(5);
  std::uint64_t const begin = room.bytes_of_tick().at(3);
  std::string const file = here.write("cut.takt", here.read("whole.takt").substr(0, begin));
  std::string const chunk = here.read("whole.takt").substr(begin, room.bytes_of_tick().at(4) - begin);
  JournalSpool spool(file);
  spool.keep(std::as_bytes(std::span("an older chunk")));
  fs::resize_file(JournalSpool::memory_path(file), 0);
  spool.keep(std::as_bytes(std::span(chunk)));
  EXPECT_EQ(JournalSpool::recover(file, file), 1u);
  auto const recovered = open_recording(file);
  ASSERT_TRUE(recovered.ok());
  EXPECT_EQ(recovered->reader.info().end_tick, 4u);
}

}  // namespace
}  // namespace takt::cli
