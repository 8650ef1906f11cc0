// The proof of a client and the sealed accept: good for their key and context alone.
#include "crypto/handshake_seal.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/crypto/sample_tokens.h"

namespace takt::crypto {
namespace {

using test::sample_key;
using Bytes = std::vector<std::byte>;

const Bytes kContext{std::byte{3}, std::byte{0}, std::byte{7}};

TEST(HandshakeProof, IsGoodForItsKeyAndContextAlone) {
  HandshakeProof const proof = make_proof(sample_key(1), kContext);
  EXPECT_TRUE(check_proof(sample_key(1), kContext, proof));
  EXPECT_FALSE(check_proof(sample_key(2), kContext, proof));
  EXPECT_FALSE(check_proof(sample_key(1), std::span(kContext).first(2), proof));
  for (std::size_t bit = 0; bit < 8 * proof.size(); ++bit) {
    HandshakeProof bent = proof;
    bent[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
    EXPECT_FALSE(check_proof(sample_key(1), kContext, bent));
  }
}

// The value is of another implementation (hashlib.blake2b of Python); client_test.mjs has it, too.
TEST(TokenVerifier, IsAHashOfBothKeys) {
  SessionKeyBytes keys;
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::byte>(i);
  HandshakeProof const verifier = token_verifier(keys);
  std::string hex;
  for (std::byte const b : verifier)
    for (unsigned const digit : {std::to_integer<unsigned>(b) >> 4, std::to_integer<unsigned>(b) & 15u})
      hex += "0123456789abcdef"[digit];
  EXPECT_EQ(hex, "d1c9d73f74a0a2bbe4055dbdca1ebe1d");
  SessionKeys const parts{SecretKey(std::span(keys).first<SecretKey::kBytes>()),
                          SecretKey(std::span(keys).last<SecretKey::kBytes>())};
  EXPECT_EQ(token_verifier(parts), verifier);
}

TEST(SealedAccept, OpensWithItsKeyAlone) {
  Bytes const accept(60, std::byte{0x5a});
  Bytes sealed;
  seal_accept(sample_key(1), accept, sealed);
  EXPECT_EQ(sealed.size(), accept.size() + 16);
  EXPECT_NE(Bytes(sealed.begin(), sealed.end() - 16), accept);
  Bytes opened;
  ASSERT_TRUE(open_accept(sample_key(1), sealed, opened));
  EXPECT_EQ(opened, accept);
  EXPECT_FALSE(open_accept(sample_key(2), sealed, opened));
  EXPECT_TRUE(opened.empty());
  for (std::size_t bit = 0; bit < 8 * sealed.size(); ++bit) {
    Bytes bent = sealed;
    bent[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
    EXPECT_FALSE(open_accept(sample_key(1), bent, opened));
  }
  for (std::size_t count = 0; count < sealed.size(); ++count) {
    opened = accept;
    EXPECT_FALSE(open_accept(sample_key(1), std::span(sealed).first(count), opened));
    EXPECT_TRUE(opened.empty()) << count;
  }
}

}  // namespace
}  // namespace takt::crypto
