#include <gtest/gtest.h>

#include "takt/client/client.h"

namespace takt::client {
namespace {

TEST(Client, RefusesABadAddressWithoutTrying) {
  auto const client = Client::connect("gopher://x:1");
  ASSERT_FALSE(client.ok());
  EXPECT_EQ(client.error().error, ClientError::kBadUrl);
  EXPECT_TRUE(
      client.error().detail.starts_with("'gopher://x:1': it names no transport; write udp://HOST:PORT"))
      << client.error().detail;
}

TEST(ClientError, EveryErrorHasAMessage) {
  for (int i = 1; i <= 10; ++i) EXPECT_NE(message(static_cast<ClientError>(i)), "unknown error") << i;
}

}  // namespace
}  // namespace takt::client
