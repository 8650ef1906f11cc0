#include "net/server_url.h"

#include <gtest/gtest.h>

#include <string>

namespace takt::net {
namespace {

TEST(ServerUrl, TakesBothTransportsAndBracketedAddresses) {
  auto const udp = parse_url("udp://game.example:7777");
  ASSERT_TRUE(udp.ok());
  EXPECT_EQ(udp->transport, protocol::TransportKind::kDatagram);
  EXPECT_EQ(udp->host, "game.example");
  EXPECT_EQ(udp->port, 7777);
  auto const tcp = parse_url("tcp://[2001:db8::1]:65535");
  ASSERT_TRUE(tcp.ok());
  EXPECT_EQ(tcp->transport, protocol::TransportKind::kStream);
  EXPECT_EQ(tcp->host, "2001:db8::1");
  EXPECT_EQ(tcp->port, 65535);
}

TEST(ServerUrl, TakesTheKeyOfAServer) {
  crypto::PublicKey key;
  key.bytes[31] = std::byte{7};
  std::string const text = crypto::public_key_text(key);
  auto const url = parse_url("takt://127.0.0.1:7777#" + text);
  ASSERT_TRUE(url.ok());
  EXPECT_EQ(url->transport, protocol::TransportKind::kDatagram);
  EXPECT_EQ(url->port, 7777);
  EXPECT_EQ(url->server_key, key);
  EXPECT_EQ(parse_url("tcp://127.0.0.1:7777#" + text)->server_key, key);
  EXPECT_FALSE(parse_url("udp://127.0.0.1:7777")->server_key);
  for (const std::string& bad : {std::string(), text + "A", text.substr(1), "=" + text.substr(1)})
    EXPECT_FALSE(parse_url("takt://127.0.0.1:7777#" + bad).ok()) << bad;
}

TEST(ServerAddress, IsAUrlOrAHostWithOrWithoutAPort) {
  auto const read = [](std::string_view text) {
    auto const url = parse_server_address(text);
    return url ? url->host + " " + std::to_string(url->port) : url.error().detail;
  };
  EXPECT_EQ(read("game.example"), "game.example 7777");
  EXPECT_EQ(read("game.example:9"), "game.example 9");
  EXPECT_EQ(read("takt://game.example"), "game.example 7777");
  EXPECT_EQ(read("[2001:db8::1]"), "2001:db8::1 7777");
  EXPECT_EQ(read("[2001:db8::1]:9"), "2001:db8::1 9");
  EXPECT_EQ(read("takt://[2001:db8::1]:9"), "2001:db8::1 9");
  crypto::PublicKey const key;
  std::string const text = crypto::public_key_text(key);
  EXPECT_EQ(read("takt://127.0.0.1:9#" + text), "127.0.0.1 9");
  EXPECT_EQ(parse_server_address("game.example#" + text)->server_key, key);
  EXPECT_EQ(parse_server_address("game.example")->transport, protocol::TransportKind::kDatagram);
  EXPECT_EQ(parse_server_address("tcp://game.example")->transport, protocol::TransportKind::kStream);
  for (std::string_view const bad : {"", ":7777", "a:", "a:0", "a:65536", "2001:db8::1", "[]", "[]:1",
                                     "ws://a", "http://a:1", "://a", "a#key"}) {
    auto const url = parse_server_address(bad);
    ASSERT_FALSE(url.ok()) << bad;
    EXPECT_TRUE(url.error().detail.ends_with(
        "; write HOST, HOST:PORT or takt://HOST:PORT, with #KEY to name the server's key"))
        << url.error().detail;
  }
}

TEST(ServerUrl, RefusesWhatItDoesNotUnderstandAndSaysWhatIsAllowed) {
  for (std::string_view const text :
       {"", "localhost", "localhost:7777", "http://a:1", "udp://", "udp://a", "udp://[::1]", "udp://:7777",
        "udp://a:", "udp://a:0", "udp://a:65536", "udp://a:7777x", "udp://a:-1", "udp://2001:db8::1:7777",
        "udp://[]:1"}) {
    auto const url = parse_url(text);
    ASSERT_FALSE(url.ok()) << text;
    EXPECT_EQ(url.error().error, Error::kBadAddress);
    EXPECT_NE(url.error().detail.find("udp://HOST:PORT"), std::string::npos);
  }
}

}  // namespace
}  // namespace takt::net
