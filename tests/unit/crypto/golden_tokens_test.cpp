// Tokens of fixed claims, keys and random bytes are byte for byte those of golden_tokens.txt, which other
// implementations can test against. A change of a line there is a change of the format: docs/TOKENS.md and
// the version of tokens change with it.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>

#include "tests/unit/crypto/sample_tokens.h"

namespace takt::crypto {
namespace {

std::map<std::string, std::string> read_golden() {
  std::ifstream file(TAKT_SOURCE_DIR "/tests/unit/crypto/golden_tokens.txt");
  std::map<std::string, std::string> lines;
  for (std::string line; std::getline(file, line);) {
    std::size_t const space = line.find(' ');
    if (!line.starts_with('#') && space != std::string::npos)
      lines[line.substr(0, space)] = line.substr(space + 1);
  }
  return lines;
}

TEST(GoldenTokens, HaveTheirBytes) {
  auto const golden = read_golden();
  ASSERT_EQ(golden.size(), 3u);
  EXPECT_EQ(token_key_line(8, test::sample_key(0x80)), golden.at("key") + "\n");
  EXPECT_EQ(token_text(test::mint_sample(test::plain_claims())), golden.at("plain"));
  EXPECT_EQ(token_text(test::mint_sample(test::full_claims())), golden.at("full"));
}

TEST(GoldenTokens, Open) {
  auto const golden = read_golden();
  TokenKeys const keys = read_token_keys(golden.at("key")).value();
  ConnectToken const token = read_token_text(golden.at("full")).value();
  TokenClaims const claims = test::full_claims();
  EXPECT_EQ(open_token(token.sealed, keys, claims.servers, test::kIssuedS).value().claims, claims);
}

}  // namespace
}  // namespace takt::crypto
