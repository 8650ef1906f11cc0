// TokenLedger: one session a token, a bounded table, and agreement with a plain map.
#include "takt/crypto/token_ledger.h"

#include <gtest/gtest.h>

#include <map>

#include "takt/core/bytes.h"
#include "takt/core/random.h"

namespace takt::crypto {
namespace {

TokenTag tag_of(std::uint64_t home, std::uint64_t rest = 0) {
  TokenTag tag{};
  store_little_endian(tag.data(), home);
  store_little_endian(tag.data() + 8, rest);
  return tag;
}

TEST(TokenLedger, BindsATokenToOneSessionAtATime) {
  TokenLedger ledger(4);
  EXPECT_TRUE(ledger.claim(tag_of(1), 10).ok());
  EXPECT_TRUE(ledger.claim(tag_of(1), 10).ok()) << "a repeated request";
  EXPECT_EQ(ledger.claim(tag_of(1), 11).error(), Error::kReused);
  EXPECT_EQ(ledger.holder_of(tag_of(1)), 10u);
  ledger.release(tag_of(1), 11);
  EXPECT_EQ(ledger.claim(tag_of(1), 11).error(), Error::kReused) << "another session frees nothing";
  ledger.release(tag_of(1), 10);
  EXPECT_TRUE(ledger.claim(tag_of(1), 11).ok());
  EXPECT_EQ(ledger.size(), 1u);
}

TEST(TokenLedger, RefusesMoreTokensThanPlaces) {
  TokenLedger ledger(3);
  for (std::uint64_t i = 0; i < 3; ++i) ASSERT_TRUE(ledger.claim(tag_of(7, i), 1 + i).ok());
  EXPECT_EQ(ledger.claim(tag_of(7, 3), 9).error(), Error::kTableFull);
  EXPECT_EQ(ledger.claim(tag_of(7, 2), 9).error(), Error::kReused);
  ledger.release(tag_of(7, 0), 1);
  EXPECT_TRUE(ledger.claim(tag_of(7, 3), 9).ok());
}

TEST(TokenLedger, AgreesWithAMap) {
  TokenLedger ledger(16);
  std::map<TokenTag, std::uint64_t> held;
  Random random(5);
  for (int round = 0; round < 200'000; ++round) {
    // Few homes, so that tags collide and wrap around the end of the table.
    TokenTag const tag = tag_of(28 + random.next_below(6), random.next_below(8));
    std::uint64_t const holder = 1 + random.next_below(3);
    auto const at = held.find(tag);
    if (random.next_below(2) == 0) {
      auto const claimed = ledger.claim(tag, holder);
      if (at != held.end()) {
        ASSERT_EQ(claimed.ok(), at->second == holder);
      } else if (held.size() == 16) {
        ASSERT_EQ(claimed.error(), Error::kTableFull);
      } else {
        ASSERT_TRUE(claimed.ok());
        held[tag] = holder;
      }
    } else {
      ledger.release(tag, holder);
      if (at != held.end() && at->second == holder) held.erase(at);
    }
    ASSERT_EQ(ledger.size(), held.size());
    for (std::uint64_t home = 28; round % 100 == 0 && home < 34; ++home) {
      for (std::uint64_t rest = 0; rest < 8; ++rest) {
        auto const expected = held.find(tag_of(home, rest));
        ASSERT_EQ(ledger.holder_of(tag_of(home, rest)), expected == held.end() ? 0u : expected->second);
      }
    }
  }
}

}  // namespace
}  // namespace takt::crypto
