// TokenGate and the key file: real tokens, each refusal by its name, and keys that are replaced.
#include "server/token_gate.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <string>
#include <thread>

#include "server/token_key_file.h"
#include "takt/crypto/connect_token.h"

namespace takt::server {
namespace {

using protocol::RefuseReason;

constexpr std::uint64_t kNowS = 1'764'129'600;

crypto::SecretKey key_of(std::uint8_t first) {
  std::array<std::byte, 32> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(first + i);
  return crypto::SecretKey(bytes);
}

crypto::TokenKeys keys_of(std::uint32_t id, std::uint8_t first) {
  crypto::TokenKeys keys;
  EXPECT_TRUE(keys.add(id, key_of(first)));
  return keys;
}

crypto::TokenClaims claims() {
  crypto::TokenClaims out;
  out.user_id = 42;
  out.issued_s = kNowS - 10;
  out.expires_s = kNowS + 100;
  out.player_name = "Ada";
  return out;
}

std::vector<std::byte> mint(const crypto::TokenClaims& wanted, std::uint32_t id = 1, std::uint8_t first = 7) {
  static std::uint8_t serial = 0;
  std::array<std::byte, crypto::kTokenRandomBytes> random{};
  random[0] = static_cast<std::byte>(++serial);
  random.back() = random[0];  // of the session keys
  auto token = crypto::mint_token(wanted, keys_of(id, first), id, random);
  EXPECT_TRUE(token);
  return token->sealed;
}

class TokenGateTest : public testing::Test {
 protected:
  TokenGate gate{{.keys_path = {}, .public_addresses = {"eu1.example.com:7777"}, .room_id = 5},
                 keys_of(1, 7),
                 4,
                 [this] { return now_s; }};
  std::uint64_t now_s = kNowS;
  crypto::SessionKeyBytes keys{};
  RefuseReason refusal_of(std::span<const std::byte> sealed) {
    auto const opened = gate.open(sealed, keys);
    return opened ? RefuseReason::kNone : opened.error();
  }
};

TEST_F(TokenGateTest, GivesTheRightsOfTheToken) {
  crypto::TokenClaims wanted = claims();
  wanted.role = crypto::TokenRole::kSpectator;
  wanted.admin = true;
  wanted.modes = crypto::kTokenModeRollback;
  wanted.bodies_max = 12;
  wanted.commands_per_s_max = 34;
  wanted.room_id = 5;
  wanted.servers = {"eu1.example.com:7777"};
  auto const grant = gate.open(mint(wanted), keys);
  ASSERT_TRUE(grant);
  EXPECT_NE(keys, crypto::SessionKeyBytes{}) << "the session keys in the token";
  EXPECT_EQ(grant->user_id, 42u);
  EXPECT_EQ(grant->role, protocol::Role::kSpectator);
  EXPECT_TRUE(grant->admin);
  EXPECT_EQ(grant->modes, 1u << static_cast<unsigned>(protocol::ReplicationMode::kRollback));
  EXPECT_EQ(grant->name, "Ada");
  EXPECT_EQ(grant->bodies_max, 12u);
  EXPECT_EQ(grant->commands_per_s_max, 34u);
}

TEST_F(TokenGateTest, RefusesByName) {
  EXPECT_EQ(refusal_of(mint(claims())), RefuseReason::kNone);
  EXPECT_EQ(refusal_of({}), RefuseReason::kTokenMalformed);
  std::vector<std::byte> changed = mint(claims());
  changed[4] = std::byte{2};
  EXPECT_EQ(refusal_of(changed), RefuseReason::kTokenWrongVersion);
  changed = mint(claims());
  changed.back() ^= std::byte{1};
  EXPECT_EQ(refusal_of(changed), RefuseReason::kTokenForged);
  EXPECT_EQ(refusal_of(mint(claims(), 2)), RefuseReason::kTokenWrongKey);
  EXPECT_EQ(refusal_of(mint(claims(), 1, 8)), RefuseReason::kTokenForged) << "another key of this id";
  crypto::TokenClaims wrong = claims();
  wrong.servers = {"us1.example.com:7777"};
  EXPECT_EQ(refusal_of(mint(wrong)), RefuseReason::kTokenWrongServer);
  wrong = claims();
  wrong.room_id = 6;
  EXPECT_EQ(refusal_of(mint(wrong)), RefuseReason::kTokenWrongRoom);
  auto const sound = mint(claims());
  now_s = kNowS + 99;
  EXPECT_EQ(refusal_of(sound), RefuseReason::kNone);
  now_s = kNowS + 100;
  EXPECT_EQ(refusal_of(sound), RefuseReason::kTokenExpired);
  now_s = kNowS - 400ull * 24 * 3600;
  EXPECT_EQ(refusal_of(sound), RefuseReason::kTokenTooLongLived);
}

TEST_F(TokenGateTest, OpensWithTheNewKeysFromTheReplacementOn) {
  auto const old_token = mint(claims(), 1, 7);
  auto const new_token = mint(claims(), 2, 9);
  EXPECT_EQ(refusal_of(new_token), RefuseReason::kTokenWrongKey);
  crypto::TokenKeys both = keys_of(1, 7);
  ASSERT_TRUE(both.add(2, key_of(9)));
  gate.replace_keys(std::move(both));
  EXPECT_EQ(refusal_of(old_token), RefuseReason::kNone);
  EXPECT_EQ(refusal_of(new_token), RefuseReason::kNone);
  gate.replace_keys(keys_of(2, 9));
  EXPECT_EQ(refusal_of(old_token), RefuseReason::kTokenWrongKey);
}

TEST_F(TokenGateTest, BindsATokenToOneHolder) {
  auto const grant = gate.open(mint(claims()), keys);
  ASSERT_TRUE(grant);
  EXPECT_TRUE(gate.claim(grant->tag, 1));
  EXPECT_FALSE(gate.claim(grant->tag, 2));
  gate.release(grant->tag, 1);
  EXPECT_TRUE(gate.claim(grant->tag, 2));
}

TEST(TokenKeyFile, MustBeOfItsOwnerAlone) {
  std::string const path = testing::TempDir() + "takt_keys_" + std::to_string(::getpid());
  std::ofstream(path) << crypto::token_key_line(1, key_of(7));
  ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
  auto const loose = load_token_keys(path);
  ASSERT_FALSE(loose);
  EXPECT_EQ(message(loose.error()), path + ": others may read or change these keys: chmod 600 " + path);
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  auto const keys = load_token_keys(path);
  ASSERT_TRUE(keys);
  EXPECT_EQ(keys->newest_id(), 1u);
  ::unlink(path.c_str());
  EXPECT_FALSE(load_token_keys(path));
}

TEST(TokenKeyFile, OfAServerIsRegularOrElseRefusedAtOnce) {
  std::string const path = testing::TempDir() + "takt_keys_fifo_" + std::to_string(::getpid());
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  auto const fifo = load_token_keys(path, KeySource::kRegularFile);  // nobody writes: another call would wait
  ASSERT_FALSE(fifo);
  EXPECT_EQ(message(fifo.error()),
            path + ": is not a regular file: write these keys to one, which can be read again");
  EXPECT_FALSE(load_token_keys(testing::TempDir(), KeySource::kRegularFile));
  EXPECT_FALSE(load_token_keys("/dev/null", KeySource::kRegularFile));
  std::jthread const writer([&] { std::ofstream(path) << crypto::token_key_line(1, key_of(7)); });
  auto const piped = load_token_keys(path);
  ASSERT_TRUE(piped) << message(piped.error());
  EXPECT_EQ(piped->newest_id(), 1u);
  ::unlink(path.c_str());
}

TEST(TokenKeyFile, HasALimit) {
  std::string const path = testing::TempDir() + "takt_keys_large_" + std::to_string(::getpid());
  std::ofstream(path) << '#' << std::string(64 * 1024, ' ');
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  auto const large = load_token_keys(path);
  ASSERT_FALSE(large);
  EXPECT_EQ(message(large.error()), path + ": too large: at most 65536 bytes are allowed");
  std::ofstream(path) << '#' << std::string(64 * 1024 - 1, ' ');
  EXPECT_TRUE(load_token_keys(path));
  ::unlink(path.c_str());
}

}  // namespace
}  // namespace takt::server
