#include <gtest/gtest.h>

#include "service/wire/door.h"

namespace takt::service {
namespace {

TEST(DoorText, SplitsPathsHostsAndPorts) {
  EXPECT_EQ(parse_door("unix:a/b c:1"), (Door{"a/b c:1", "", 0}));
  EXPECT_EQ(parse_door("shm:a/b"), (Door{"a/b", "", 0, true}));
  EXPECT_EQ(parse_door("tcp:localhost:0"), (Door{"", "localhost", 0}));
  EXPECT_EQ(parse_door("tcp:127.0.0.1:65535"), (Door{"", "127.0.0.1", 65535}));
  EXPECT_EQ(parse_door("tcp:[::1]:80"), (Door{"", "::1", 80}));
}

TEST(DoorText, PrintsTheTextThatItHasRead) {
  for (const char* const text :
       {"unix:/tmp/a.sock", "shm:/tmp/a.sock", "tcp:localhost:7", "tcp:[fe80::1]:65535"})
    EXPECT_EQ(text_of(*parse_door(text)), text);
}

TEST(DoorText, RefusesOtherTexts) {
  for (std::string const text :
       {"", "unix:", "shm:", "tcp:", "tcp:host", "tcp::1", "tcp:host:", "tcp:host:65536", "tcp:host:-1",
        "tcp:host:1x", "tcp:::1:80", "tcp:[]:1", "udp:host:1", "/tmp/a.sock", "host:1"})
    EXPECT_FALSE(parse_door(text)) << text;
  EXPECT_FALSE(parse_door("unix:" + std::string(kUnixPathBytesMax + 1, 'a')));
  EXPECT_TRUE(parse_door("unix:" + std::string(kUnixPathBytesMax, 'a')));
  EXPECT_FALSE(parse_door(std::string_view("unix:a\0b", 8)));
}

}  // namespace
}  // namespace takt::service
