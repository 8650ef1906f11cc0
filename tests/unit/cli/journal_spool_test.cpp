// The spool in shared memory: neither a full /dev/shm nor a file that somebody truncates ends the process. A
// mapped page that the system cannot give is a fatal signal (SIGBUS).
#include "cli/journal_spool.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <vector>

#include "tests/unit/cli/file_size_limit.h"
#include "tests/unit/cli/folder.h"

namespace takt::cli {
namespace {

namespace fs = std::filesystem;
using test::FileSizeLimit;
using test::Folder;

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

}  // namespace
}  // namespace takt::cli
