// Laws of connect tokens for random claims: they round-trip, and no changed token opens.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "takt/core/random.h"
#include "takt/crypto/connect_token.h"

namespace takt::crypto {
namespace {

constexpr std::uint64_t kSeed = 20;

std::string random_text(Random& random, std::uint32_t max) {
  std::string text(random.next_below(max + 1), ' ');
  for (char& c : text) c = static_cast<char>('!' + random.next_below('~' - '!'));
  return text;
}

template <std::size_t Bytes>
std::array<std::byte, Bytes> random_bytes(Random& random) {
  std::array<std::byte, Bytes> bytes{};
  for (std::byte& b : bytes) b = static_cast<std::byte>(random.next_u32());
  return bytes;
}

std::uint64_t random_u64(Random& random) {
  std::uint64_t const upper = random.next_u32();
  return upper << 32 | random.next_u32();
}

TokenClaims random_claims(Random& random) {
  TokenClaims claims;
  claims.user_id = random_u64(random) | 1;
  claims.room_id = random_u64(random);
  claims.issued_s = random.next_u32();
  claims.expires_s = claims.issued_s + 1 + random.next_below(static_cast<std::uint32_t>(kTokenLifetimeMaxS));
  claims.role = random.next_below(2) == 0 ? TokenRole::kPlayer : TokenRole::kSpectator;
  claims.admin = random.next_below(2) == 0;
  claims.modes = static_cast<std::uint8_t>(1 + random.next_below(kTokenModesAll));
  claims.bodies_max = random.next_u32();
  claims.commands_per_s_max = random.next_u32();
  claims.reconnect_grace_s = random.next_u32();
  claims.player_name = random_text(random, kTokenNameBytesMax);
  claims.servers.resize(random.next_below(kTokenServersMax + 1));
  for (std::string& server : claims.servers) server = "h" + random_text(random, 64);
  claims.user_data.resize(random.next_below(65));
  for (std::byte& b : claims.user_data) b = static_cast<std::byte>(random.next_u32());
  return claims;
}

struct Sample {
  TokenClaims claims;
  TokenKeys keys;
  ConnectToken token;
};

Sample random_sample(Random& random) {
  TokenKeys keys;
  std::uint32_t const id = 1 + random.next_below(1000);
  keys.add(id, SecretKey(random_bytes<SecretKey::kBytes>(random))).value();
  TokenClaims const claims = random_claims(random);
  ConnectToken token = mint_token(claims, keys, id, random_bytes<kTokenRandomBytes>(random)).value();
  return {claims, std::move(keys), std::move(token)};
}

bool opens(const Sample& sample, std::span<const std::byte> sealed) {
  return open_token(sealed, sample.keys, sample.claims.servers, sample.claims.issued_s).ok();
}

TEST(TokenProperty, RandomClaimsRoundTrip) {
  Random random(kSeed);
  for (int round = 0; round < 300; ++round) {
    Sample const sample = random_sample(random);
    ConnectToken const read = read_token_text(token_text(sample.token)).value();
    auto const opened =
        open_token(read.sealed, sample.keys, sample.claims.servers, sample.claims.issued_s).value();
    EXPECT_EQ(opened.claims, sample.claims) << "seed " << kSeed << " round " << round;
    EXPECT_EQ(opened.keys.client_to_server, read.keys.client_to_server);
  }
}

TEST(TokenProperty, NoFlippedBitOpens) {
  Random random(kSeed + 1);
  for (int round = 0; round < 4; ++round) {
    Sample const sample = random_sample(random);
    ASSERT_TRUE(opens(sample, sample.token.sealed));
    std::vector<std::byte> sealed = sample.token.sealed;
    for (std::size_t bit = 0; bit < sealed.size() * 8; ++bit) {
      sealed[bit / 8] ^= std::byte{1} << (bit % 8);
      EXPECT_FALSE(opens(sample, sealed)) << "round " << round << " bit " << bit;
      sealed[bit / 8] ^= std::byte{1} << (bit % 8);
    }
  }
}

TEST(TokenProperty, NoMutationOpens) {
  Random random(kSeed + 2);
  Sample const sample = random_sample(random);
  Sample const other = random_sample(random);
  auto const size_of = [](const std::vector<std::byte>& bytes) {
    return static_cast<std::uint32_t>(bytes.size());
  };
  for (int round = 0; round < 100'000; ++round) {
    std::vector<std::byte> sealed = sample.token.sealed;
    for (std::uint32_t change = 0; change <= random.next_below(4); ++change) {
      std::uint32_t const at = random.next_below(size_of(sealed));
      switch (random.next_below(4)) {
        case 0: sealed[at] = static_cast<std::byte>(random.next_u32()); break;
        case 1: sealed.resize(at + 1); break;
        case 2: sealed.insert(sealed.begin() + at, std::byte{0}); break;
        default: {  // a stretch of another token
          auto const& donor = other.token.sealed;
          auto const count = std::min(size_of(sealed) - at, size_of(donor) - std::min(at, size_of(donor)));
          std::copy_n(donor.begin() + std::min(at, size_of(donor)), count, sealed.begin() + at);
        }
      }
    }
    if (sealed == sample.token.sealed) continue;
    ASSERT_FALSE(opens(sample, sealed)) << "round " << round;
  }
}

TEST(TokenProperty, RandomBytesAreNoToken) {
  Random random(kSeed + 3);
  Sample const sample = random_sample(random);
  for (int round = 0; round < 20'000; ++round) {
    std::vector<std::byte> bytes(random.next_below(1200));
    for (std::byte& b : bytes) b = static_cast<std::byte>(random.next_u32());
    if (round % 2 == 0)
      std::copy_n(sample.token.sealed.begin(), std::min<std::size_t>(20, bytes.size()), bytes.begin());
    ASSERT_FALSE(opens(sample, bytes)) << "round " << round;
  }
}

}  // namespace
}  // namespace takt::crypto
