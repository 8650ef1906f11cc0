#include "client_sdk/cpp/url.h"

#include <gtest/gtest.h>

#include <string>

#include "takt/client/client.h"

namespace takt::client {
namespace {

TEST(Url, TakesBothTransportsAndBracketedAddresses) {
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

TEST(Url, TakesTheKeyOfAServer) {
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

TEST(Url, RefusesWhatItDoesNotUnderstandAndSaysWhatIsAllowed) {
  for (std::string_view const text :
       {"", "localhost:7777", "http://a:1", "udp://", "udp://a", "udp://:7777", "udp://a:", "udp://a:0",
        "udp://a:65536", "udp://a:7777x", "udp://a:-1", "udp://2001:db8::1:7777", "udp://[]:1"}) {
    auto const url = parse_url(text);
    ASSERT_FALSE(url.ok()) << text;
    EXPECT_EQ(url.error().error, ClientError::kBadUrl);
    EXPECT_NE(url.error().detail.find("udp://HOST:PORT"), std::string::npos);
  }
}

TEST(Client, RefusesABadAddressWithoutTrying) {
  auto const client = Client::connect("gopher://x:1");
  ASSERT_FALSE(client.ok());
  EXPECT_EQ(client.error().error, ClientError::kBadUrl);
}

TEST(ClientError, EveryErrorHasAMessage) {
  for (int i = 1; i <= 8; ++i) EXPECT_NE(message(static_cast<ClientError>(i)), "unknown error") << i;
}

}  // namespace
}  // namespace takt::client
