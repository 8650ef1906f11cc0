// Connect tokens: round trip, and each refusal by its name.
#include "takt/crypto/connect_token.h"

#include <gtest/gtest.h>
#include <sodium.h>

#include <algorithm>
#include <string>
#include <vector>

#include "takt/core/bytes.h"
#include "tests/unit/crypto/sample_tokens.h"

namespace takt::crypto {
namespace {

using test::full_claims;
using test::kIssuedS;
using test::mint_sample;
using test::plain_claims;
using test::sample_key;
using test::sample_keys;
using test::sample_random;

const std::vector<std::string> kNames{"192.0.2.1:7777"};

Result<OpenedToken, Error> open_sample(std::span<const std::byte> sealed, std::uint64_t now_s = kIssuedS) {
  return open_token(sealed, sample_keys(), kNames, now_s);
}

// The sealed token without servers, with another time of issue.
std::vector<std::byte> resealed_with_issue(std::vector<std::byte> sealed, std::uint64_t issued_s) {
  constexpr std::size_t kClear = 44;
  auto* const all = reinterpret_cast<unsigned char*>(sealed.data());
  SecretKey const key = sample_key(0x80);
  auto const* const key_bytes = reinterpret_cast<const unsigned char*>(key.reveal().data());
  EXPECT_EQ(
      crypto_aead_xchacha20poly1305_ietf_decrypt(all + kClear, nullptr, nullptr, all + kClear,
                                                 sealed.size() - kClear, all, kClear, all + 20, key_bytes),
      0);
  store_little_endian(sealed.data() + kClear + 16, issued_s);
  crypto_aead_xchacha20poly1305_ietf_encrypt(all + kClear, nullptr, all + kClear, sealed.size() - kClear - 16,
                                             all, kClear, nullptr, all + 20, key_bytes);
  return sealed;
}

TEST(ConnectToken, OpensToItsClaimsAndKeys) {
  for (const TokenClaims& claims : {plain_claims(), full_claims()}) {
    ConnectToken const token = mint_sample(claims);
    OpenedToken const opened = open_sample(token.sealed).value();
    EXPECT_EQ(opened.claims, claims);
    EXPECT_EQ(opened.keys.client_to_server, token.keys.client_to_server);
    EXPECT_EQ(opened.keys.server_to_client, token.keys.server_to_client);
    EXPECT_NE(token.keys.client_to_server, token.keys.server_to_client);
    EXPECT_TRUE(std::ranges::equal(opened.tag, std::span(token.sealed).last(16)));
  }
}

TEST(ConnectToken, SurvivesItsText) {
  ConnectToken const token = mint_sample(full_claims());
  ConnectToken const read = read_token_text(" \n" + token_text(token) + "\r\n").value();
  EXPECT_EQ(read.sealed, token.sealed);
  EXPECT_EQ(read.keys.client_to_server, token.keys.client_to_server);
  EXPECT_EQ(read.keys.server_to_client, token.keys.server_to_client);
}

TEST(ConnectToken, ShowsItsHeaderToAnybody) {
  TokenHeader const header = read_token_header(mint_sample(full_claims()).sealed).value();
  EXPECT_EQ(header.key_id, 8u);
  EXPECT_EQ(header.expires_s, full_claims().expires_s);
  EXPECT_EQ(header.servers, full_claims().servers);
}

TEST(ConnectToken, HidesItsClaimsAndSessionKeys) {
  TokenClaims claims = full_claims();
  claims.player_name = "a name that anybody may search";
  ConnectToken const token = mint_sample(claims);
  auto const holds = [&](std::span<const std::byte> part) {
    return std::search(token.sealed.begin(), token.sealed.end(), part.begin(), part.end()) !=
           token.sealed.end();
  };
  EXPECT_FALSE(holds(std::as_bytes(std::span(claims.player_name))));
  EXPECT_FALSE(holds(token.keys.client_to_server.reveal()));
  EXPECT_FALSE(holds(token.keys.server_to_client.reveal()));
}

TEST(ConnectToken, IsRefusedFromTheSecondOfItsExpiryOn) {
  ConnectToken const token = mint_sample(plain_claims());
  std::uint64_t const end_s = plain_claims().expires_s;
  EXPECT_TRUE(open_sample(token.sealed, end_s - 1).ok());
  EXPECT_EQ(open_sample(token.sealed, end_s).error(), Error::kExpired);
}

TEST(ConnectToken, LivesFourHundredDaysAtMost) {
  TokenClaims claims = plain_claims();
  claims.expires_s = kIssuedS + 400ull * 24 * 3600;
  ConnectToken const token = mint_sample(claims);
  EXPECT_TRUE(open_sample(token.sealed, kIssuedS).ok());
  EXPECT_EQ(open_sample(token.sealed, kIssuedS - 1).error(), Error::kTooLongLived);
  ++claims.expires_s;
  EXPECT_EQ(mint_token(claims, sample_keys(), 8, sample_random()).error(), Error::kTooLongLived);
}

// A back end that does not mint with this library: its token would open on the last of its days.
TEST(ConnectToken, IsRefusedForItsWholeLifeWhenThatIsTooLong) {
  TokenClaims claims = plain_claims();
  claims.expires_s = kIssuedS + kTokenLifetimeMaxS;
  std::vector<std::byte> const sealed = resealed_with_issue(mint_sample(claims).sealed, kIssuedS - 1);
  EXPECT_EQ(open_sample(sealed, claims.expires_s - 1).error(), Error::kTooLongLived);
  EXPECT_TRUE(open_sample(resealed_with_issue(sealed, kIssuedS), claims.expires_s - 1).ok());
}

TEST(ConnectToken, IsRefusedByAnotherServer) {
  ConnectToken const token = mint_sample(full_claims());
  std::vector<std::string> const others{"192.0.2.1:7778", "eu1.example.com"};
  EXPECT_EQ(open_token(token.sealed, sample_keys(), others, kIssuedS).error(), Error::kWrongServer);
  EXPECT_EQ(open_token(token.sealed, sample_keys(), {}, kIssuedS).error(), Error::kWrongServer);
  EXPECT_TRUE(open_token(mint_sample(plain_claims()).sealed, sample_keys(), {}, kIssuedS).ok());
}

TEST(ConnectToken, IsRefusedWithoutItsKey) {
  TokenKeys keys;
  keys.add(7, sample_key(0x10)).value();
  ConnectToken const token = mint_sample(plain_claims());
  EXPECT_EQ(open_token(token.sealed, keys, {}, kIssuedS).error(), Error::kWrongKey);
  keys.add(8, sample_key(0x81)).value();
  EXPECT_EQ(open_token(token.sealed, keys, {}, kIssuedS).error(), Error::kForged);
}

TEST(ConnectToken, OpensWithEachKeyOfARotation) {
  TokenKeys keys = sample_keys();
  ConnectToken const old = mint_token(plain_claims(), keys, 7, sample_random()).value();
  keys.add(9, sample_key(9)).value();
  EXPECT_TRUE(open_token(old.sealed, keys, {}, kIssuedS).ok());
  keys.remove_oldest();
  EXPECT_EQ(open_token(old.sealed, keys, {}, kIssuedS).error(), Error::kWrongKey);
}

TEST(ConnectToken, IsRefusedWithAnotherVersion) {
  ConnectToken token = mint_sample(plain_claims());
  token.sealed[4] = std::byte{2};
  EXPECT_EQ(open_sample(token.sealed).error(), Error::kWrongVersion);
  EXPECT_EQ(read_token_text(token_text(token)).error(), Error::kWrongVersion);
}

// The expiry, the key id and the servers are in clear: a change of any of them is found.
TEST(ConnectToken, NoFieldInClearCanBeChanged) {
  TokenKeys keys;  // the same key under both ids
  keys.add(7, sample_key(0x80)).value();
  keys.add(8, sample_key(0x80)).value();
  ConnectToken const token = mint_sample(full_claims());
  auto const open_changed = [&](std::size_t at, std::uint8_t mask) {
    std::vector<std::byte> sealed = token.sealed;
    sealed[at] ^= std::byte{mask};
    std::vector<std::string> names = full_claims().servers;
    names.push_back("eu2.example.com:7777");
    return open_token(sealed, keys, names, kIssuedS);
  };
  EXPECT_EQ(open_changed(8, 15).error(), Error::kForged);      // key id 7
  EXPECT_EQ(open_changed(12, 1).error(), Error::kForged);      // expiry
  EXPECT_EQ(open_changed(20, 1).error(), Error::kForged);      // nonce
  EXPECT_EQ(open_changed(44 + 3, 3).error(), Error::kForged);  // eu1 becomes eu2
}

TEST(ConnectToken, RefusesClaimsOutsideTheirRange) {
  auto const minted = [](auto change) {
    TokenClaims claims = full_claims();
    change(claims);
    auto const token = mint_token(claims, sample_keys(), 8, sample_random());
    return token.ok() ? Error::kMalformed : token.error();
  };
  using Claims = TokenClaims;
  EXPECT_EQ(minted([](Claims&) {}), Error::kMalformed) << "the sample itself must mint";
  EXPECT_EQ(minted([](Claims& c) { c.user_id = 0; }), Error::kOutOfRange);
  EXPECT_EQ(minted([](Claims& c) { c.expires_s = c.issued_s; }), Error::kOutOfRange);
  EXPECT_EQ(minted([](Claims& c) { c.role = static_cast<TokenRole>(2); }), Error::kOutOfRange);
  EXPECT_EQ(minted([](Claims& c) { c.modes = 0; }), Error::kOutOfRange);
  EXPECT_EQ(minted([](Claims& c) { c.modes = 16; }), Error::kOutOfRange);
  EXPECT_EQ(minted([](Claims& c) { c.player_name.assign(33, 'a'); }), Error::kOutOfRange);
  // Control characters of one and two bytes, a byte that begins no character, a cut and an overlong one.
  for (const char* const name : {"a\nb", "\x7f", "\xc2\x85", "a\xff", "Zo\xc3", "\xc0\xaf", "\xed\xa0\x80"})
    EXPECT_EQ(minted([&](Claims& c) { c.player_name = name; }), Error::kOutOfRange) << name;
  EXPECT_EQ(minted([](Claims& c) { c.servers.assign(9, "a:1"); }), Error::kOutOfRange);
  EXPECT_EQ(minted([](Claims& c) { c.servers = {""}; }), Error::kOutOfRange);
  EXPECT_EQ(minted([](Claims& c) { c.servers = {"a b:1"}; }), Error::kOutOfRange);
  EXPECT_EQ(minted([](Claims& c) { c.servers.assign(8, std::string(120, 'a')); }), Error::kOutOfRange);
  EXPECT_EQ(minted([](Claims& c) { c.user_data.resize(257); }), Error::kOutOfRange);
}

TEST(ConnectToken, AnswersWithTheKeyThatIsMissing) {
  EXPECT_EQ(mint_token(plain_claims(), sample_keys(), 9, sample_random()).error(), Error::kWrongKey);
}

TEST(ConnectToken, TheLongestTokenFitsItsLimit) {
  TokenClaims claims = full_claims();
  claims.player_name.assign(kTokenNameBytesMax, 'n');
  claims.user_data.resize(kTokenUserDataBytesMax);
  std::size_t const before = 44 + 106 + 32 + 256 + 16;  // all but the servers
  claims.servers = {std::string(255, 'a')};
  claims.servers.emplace_back(kSealedTokenBytesMax - before - 256 - 1, 'b');
  ConnectToken const token = mint_sample(claims);
  EXPECT_EQ(token.sealed.size(), kSealedTokenBytesMax);
  auto const opened = open_token(token.sealed, sample_keys(), claims.servers, kIssuedS);
  EXPECT_EQ(opened.value().claims, claims);
  auto const verified = verify_token(token.sealed, sample_keys(), claims.servers, kIssuedS);
  EXPECT_EQ(verified.value().claims, claims);
  EXPECT_EQ(verified.value().tag, opened.value().tag);
  EXPECT_TRUE(read_token_text(token_text(token)).ok());
  claims.servers.back() += 'b';
  EXPECT_EQ(mint_token(claims, sample_keys(), 8, sample_random()).error(), Error::kOutOfRange);
}

TEST(ConnectToken, RefusesTextsThatAreNoToken) {
  std::string const text = token_text(mint_sample(plain_claims()));
  for (const std::string& bad :
       {std::string(), std::string("takt1_"), std::string("takt2_") + text.substr(6), text.substr(0, 100),
        text + "A", text.substr(0, 30) + "=" + text.substr(31), std::string("takt1_") + text, text + text})
    EXPECT_EQ(read_token_text(bad).error(), Error::kMalformed) << bad;
}

TEST(ConnectToken, EveryCutIsMalformed) {
  ConnectToken const token = mint_sample(full_claims());
  for (std::size_t size = 0; size < token.sealed.size(); ++size)
    EXPECT_EQ(open_sample(std::span(token.sealed).first(size)).error(), Error::kMalformed) << size;
}

}  // namespace
}  // namespace takt::crypto
