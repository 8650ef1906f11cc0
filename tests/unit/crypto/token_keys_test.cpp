// TokenKeys and the text of a key file.
#include "takt/crypto/token_keys.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/crypto/sample_tokens.h"

namespace takt::crypto {
namespace {

using test::sample_key;
using Ids = std::vector<std::uint32_t>;

Error error_of(const Result<Unit, Error>& result) { return result.error(); }

TEST(TokenKeys, MintsWithTheGreatestIdAndFindsAll) {
  TokenKeys keys;
  EXPECT_EQ(keys.newest_id(), 0u);
  keys.add(8, sample_key(8)).value();
  keys.add(7, sample_key(7)).value();
  EXPECT_EQ(keys.newest_id(), 8u);
  EXPECT_EQ(keys.ids(), (Ids{7, 8}));
  ASSERT_NE(keys.find(7), nullptr);
  EXPECT_EQ(*keys.find(7), sample_key(7));
  EXPECT_EQ(keys.find(9), nullptr);
}

TEST(TokenKeys, HasFourPlaces) {
  TokenKeys keys;
  for (std::uint32_t id = 1; id <= TokenKeys::kMaxKeys; ++id) keys.add(id, sample_key(1)).value();
  EXPECT_EQ(error_of(keys.add(5, sample_key(1))), Error::kTableFull);
  keys.remove_oldest();
  keys.add(5, sample_key(1)).value();
  EXPECT_EQ(keys.ids(), (Ids{2, 3, 4, 5}));
}

TEST(TokenKeys, RefusesTheNullIdAndASecondKeyOfAnId) {
  TokenKeys keys;
  EXPECT_EQ(error_of(keys.add(0, sample_key(1))), Error::kOutOfRange);
  keys.add(1, sample_key(1)).value();
  EXPECT_EQ(error_of(keys.add(1, sample_key(2))), Error::kDuplicate);
}

TEST(TokenKeys, ReadsTheLinesThatItWrites) {
  std::string const text =
      "# keys of the test\n\n" + token_key_line(3, sample_key(3)) + "  " + token_key_line(4, sample_key(4));
  TokenKeys const keys = read_token_keys(text).value();
  EXPECT_EQ(keys.ids(), (Ids{3, 4}));
  EXPECT_EQ(*keys.find(4), sample_key(4));
}

TEST(TokenKeys, NamesTheLineOfAFault) {
  std::string const good = token_key_line(3, sample_key(3));
  struct Case {
    std::string text;
    int line;
    Error error;
  };
  for (const Case& c :
       {Case{good + "x", 2, Error::kMalformed}, Case{good + "4", 2, Error::kMalformed},
        Case{"\n4 AAAA\n", 2, Error::kMalformed}, Case{good.substr(0, good.size() - 2), 1, Error::kMalformed},
        Case{"3" + good.substr(2), 1, Error::kMalformed}, Case{good + good, 2, Error::kDuplicate},
        Case{"0" + good.substr(1), 1, Error::kOutOfRange},
        Case{"4294967296" + good.substr(1), 1, Error::kMalformed}}) {
    Result<TokenKeys, TokenKeysFault> const keys = read_token_keys(c.text);
    ASSERT_FALSE(keys.ok()) << c.text;
    EXPECT_EQ(keys.error().line, c.line) << c.text;
    EXPECT_EQ(keys.error().error, c.error) << c.text;
  }
}

TEST(TokenKeys, EveryErrorHasASentence) {
  for (int i = 0; i <= static_cast<int>(Error::kTooLongLived); ++i)
    EXPECT_NE(message(static_cast<Error>(i)), message(static_cast<Error>(255))) << i;
}

}  // namespace
}  // namespace takt::crypto
