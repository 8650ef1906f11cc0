// The key pairs of a server: the lasting one stays, the short-lived one changes each minute and is then gone.
#include "crypto/server_keys.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "tests/unit/crypto/sample_tokens.h"

namespace takt::crypto {
namespace {

using test::sample_key;

constexpr std::uint64_t kKeptUs = 10'000'000;
const std::vector<std::byte> kKeysContext{std::byte{3}};

bool agrees(const ServerKeys& server, const ServerPublicKeys& known, std::uint64_t now_us,
            std::uint64_t issued_us) {
  KeyPair const client(sample_key(5));
  auto const own = agree_as_client(client, known, kKeysContext, nullptr);
  auto const theirs = server.agree(now_us, issued_us, client.public_key(), kKeysContext, nullptr);
  return own && theirs && own->client_to_server == theirs->client_to_server;
}

TEST(ServerKeys, KeepTheLastingPairAndChangeTheShortLivedOneEachMinute) {
  ServerKeys keys(sample_key(1), sample_key(2));
  auto const first = keys.public_keys();
  EXPECT_EQ(first.lasting, KeyPair(sample_key(1)).public_key());
  std::set<std::array<std::byte, 32>> seen{first.short_lived.bytes};
  for (std::uint64_t minute = 1; minute <= 50; ++minute) {
    keys.handle_time(minute * kShortLivedUs - 1, kKeptUs);
    EXPECT_EQ(seen.count(keys.public_keys().short_lived.bytes), 1u) << "not before its time";
    keys.handle_time(minute * kShortLivedUs, kKeptUs);
    EXPECT_TRUE(seen.insert(keys.public_keys().short_lived.bytes).second) << minute;
    EXPECT_EQ(keys.public_keys().lasting, first.lasting);
  }
}

TEST(ServerKeys, AgreeByThePairOfTheTimeUntilItIsWiped) {
  ServerKeys keys(sample_key(1), sample_key(2));
  auto const first = keys.public_keys();
  EXPECT_TRUE(agrees(keys, first, 0, 0));
  keys.handle_time(kShortLivedUs, kKeptUs);
  auto const second = keys.public_keys();
  EXPECT_TRUE(agrees(keys, first, kShortLivedUs, kShortLivedUs - 1));
  EXPECT_FALSE(agrees(keys, first, kShortLivedUs, kShortLivedUs));
  EXPECT_TRUE(agrees(keys, second, kShortLivedUs, kShortLivedUs));
  std::uint64_t const end_us = kShortLivedUs + kKeptUs;
  keys.handle_time(end_us, kKeptUs);
  EXPECT_TRUE(agrees(keys, first, end_us, kShortLivedUs - 1)) << "its cookies are still good";
  keys.handle_time(end_us + 1, kKeptUs);
  EXPECT_FALSE(agrees(keys, first, end_us, kShortLivedUs - 1)) << "it is wiped, whatever the time";
  EXPECT_TRUE(agrees(keys, second, end_us + 1, end_us + 1));
}

TEST(ServerKeys, AgreeByNoPairPastItsEndThoughNobodyHandlesTime) {
  ServerKeys keys(sample_key(1), sample_key(2));
  keys.handle_time(0, kKeptUs);
  auto const first = keys.public_keys();
  std::uint64_t const end_us = kShortLivedUs + kKeptUs;
  EXPECT_TRUE(agrees(keys, first, end_us, kShortLivedUs - 1));
  EXPECT_FALSE(agrees(keys, first, end_us + 1, kShortLivedUs - 1)) << "the present pair";
  keys.handle_time(kShortLivedUs, kKeptUs);
  auto const second = keys.public_keys();
  EXPECT_TRUE(agrees(keys, first, end_us, kShortLivedUs - 1));
  EXPECT_FALSE(agrees(keys, first, end_us + 1, kShortLivedUs - 1)) << "the pair before it";
  EXPECT_TRUE(agrees(keys, second, end_us + 1, kShortLivedUs));
}

TEST(ServerKeys, ForgetAPairThatIsTwoChangesOld) {
  ServerKeys keys(sample_key(1), sample_key(2));
  auto const first = keys.public_keys();
  keys.handle_time(kShortLivedUs, kKeptUs);
  keys.handle_time(2 * kShortLivedUs, kKeptUs);
  EXPECT_FALSE(agrees(keys, first, 2 * kShortLivedUs, kShortLivedUs - 1));
}

TEST(ServerKeys, AgreeWithNoKeyOfLowOrder) {
  ServerKeys const keys(sample_key(1), sample_key(2));
  EXPECT_EQ(keys.agree(0, 0, PublicKey{}, kKeysContext, nullptr).error(), Error::kMalformed);
}

}  // namespace
}  // namespace takt::crypto
