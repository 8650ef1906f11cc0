#include "server/web/web_origin.h"

#include <gtest/gtest.h>

namespace takt::server {
namespace {

TEST(WebOrigin, LoopbackNamesAreThisMachineAndNothingThatLooksLikeIt) {
  for (auto const* name : {"localhost", "LocalHost", "127.0.0.1", "127.9.8.7", "::1", "[::1]"})
    EXPECT_TRUE(is_loopback_name(name)) << name;
  for (auto const* name : {"", "localhost.evil.example", "127.0.0.1.evil.example", "127.evil", "128.0.0.1",
                           "[::2]", "evil-localhost", "0.0.0.0"})
    EXPECT_FALSE(is_loopback_name(name)) << name;
}

TEST(WebOrigin, TheHostOfAnAuthority) {
  EXPECT_EQ(host_of("Game.Example:8080"), "game.example");
  EXPECT_EQ(host_of("game.example"), "game.example");
  EXPECT_EQ(host_of("[2001:DB8::1]:80"), "[2001:db8::1]");
  EXPECT_EQ(host_of("[::1]"), "[::1]");
  for (auto const* bad : {"[::1", "a:b", "a:80:90", "user@host", "host/path", "a b", "[::1]80"})
    EXPECT_EQ(host_of(bad), "") << bad;
}

TEST(WebOrigin, PagesOfTheSameHostOfThisMachineAndOfTheListMayConnect) {
  std::vector<std::string> const list{"https://game.example"};
  struct Case {
    const char* origin;
    const char* host;
    bool is_allowed;
  };
  for (Case const& one : std::vector<Case>{
           {"", "server.example:8080", true},
           {"http://server.example:8080", "server.example:8080", true},
           {"https://server.example", "server.example:8080", true},
           {"http://SERVER.example", "server.EXAMPLE", true},
           {"http://localhost:5173", "server.example:8080", true},
           {"http://[::1]:3000", "server.example", true},
           {"https://game.example", "server.example", true},
           {"HTTPS://GAME.example", "server.example", true},
           {"http://game.example", "server.example", false},
           {"https://game.example:444", "server.example", false},
           {"https://game.example.evil.example", "server.example", false},
           {"http://evil.example", "server.example:8080", false},
           {"http://server.example.evil.example", "server.example", false},
           {"http://server.example@evil.example", "server.example", false},
           {"null", "server.example", false},
           {"file://", "server.example", false},
           {"server.example", "server.example", false},
           {"http://", "", false},
           {"http://a b", "a b", false},
       }) {
    EXPECT_EQ(is_origin_allowed(one.origin, one.host, list), one.is_allowed)
        << one.origin << " at " << one.host;
  }
}

TEST(WebOrigin, OnlyAPageOfThisMachineThatAsksForThisMachineIsLocal) {
  EXPECT_TRUE(is_local_page("", "127.0.0.1:8080"));
  EXPECT_TRUE(is_local_page("http://localhost:8080", "localhost:8080"));
  EXPECT_FALSE(is_local_page("http://evil.example", "localhost:8080"));
  // DNS rebinding: the browser believes that evil.example is 127.0.0.1, and says both.
  EXPECT_FALSE(is_local_page("http://evil.example:8080", "evil.example:8080"));
  EXPECT_FALSE(is_local_page("", "server.example:8080"));
  EXPECT_FALSE(is_local_page("null", "localhost"));
}

}  // namespace
}  // namespace takt::server
