#include "client_sdk/cpp/url.h"

#include <gtest/gtest.h>

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
