#include "service/listener.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

namespace takt::service::test {
namespace {

TEST(ServiceListener, ALockOnTheFolderHoldsNobodyUp) {
  std::string const folder = ::testing::TempDir() + "takt-lock-" + std::to_string(::getpid());
  ASSERT_EQ(::mkdir(folder.c_str(), 0700), 0);
  Door const door{folder + "/s", "", 0};
  int const holder = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  {
    auto const listener = Listener::open(door, false);
    ASSERT_TRUE(listener.ok()) << listener.error().text;
    ASSERT_EQ(::flock(holder, LOCK_EX), 0);
  }
  // Nobody knows whose the file is now, so it stays.
  EXPECT_EQ(::access(door.path.c_str(), F_OK), 0);
  {
    auto const refused = Listener::open(door, false);
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().text.find("another program keeps a lock on the folder"), std::string::npos)
        << refused.error().text;
  }
  ::close(holder);
  {
    auto const listener = Listener::open(door, false);
    EXPECT_TRUE(listener.ok()) << listener.error().text;
  }
  EXPECT_NE(::access(door.path.c_str(), F_OK), 0);
  EXPECT_EQ(::rmdir(folder.c_str()), 0);
}

}  // namespace
}  // namespace takt::service::test
