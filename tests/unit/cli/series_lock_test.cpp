#include "cli/series_lock.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/unit/cli/folder.h"

namespace takt::cli {
namespace {

using test::Folder;
using Names = std::vector<std::string>;

TEST(SeriesLock, ExcludesASecondOneUntilItEnds) {
  Folder const here;
  {
    auto const first = SeriesLock::take(here / "world.takt");
    ASSERT_TRUE(first);
    EXPECT_EQ(first->fault(), "");
    EXPECT_EQ(here.names(), Names{".world.takt.lock"});
    EXPECT_FALSE(SeriesLock::take(here / "world.takt"));
  }
  EXPECT_EQ(here.names(), Names{});
  auto const next = SeriesLock::take(here / "world.takt");
  ASSERT_TRUE(next);
  EXPECT_FALSE(SeriesLock::take(here / "world.takt"));
}

// A server that recorded without a lock printed nothing about it.
TEST(SeriesLock, NamesALockFileThatCannotBeOpened) {
  Folder const here;
  std::filesystem::create_directory(here / ".world.takt.lock");
  auto const lock = SeriesLock::take(here / "world.takt");
  ASSERT_TRUE(lock);
  std::string const path = here / ".world.takt.lock";
  EXPECT_EQ(lock->fault(), path +
                               ": cannot be locked: Is a directory; start no second server that records "
                               "into this series");
}

TEST(SeriesLock, IsNotNeededForStreams) {
  for (const char* const path : {"-", "/dev/null"}) {
    auto const lock = SeriesLock::take(path);
    ASSERT_TRUE(lock) << path;
    EXPECT_EQ(lock->fault(), "") << path;
  }
}

}  // namespace
}  // namespace takt::cli
