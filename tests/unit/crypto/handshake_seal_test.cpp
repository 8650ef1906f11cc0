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

std::string hex_of(std::span<const std::byte> bytes) {
  std::string hex;
  for (std::byte const b : bytes)
    for (unsigned const digit : {std::to_integer<unsigned>(b) >> 4, std::to_integer<unsigned>(b) & 15u})
      hex += "0123456789abcdef"[digit];
  return hex;
}

TEST(HandshakeProof, OpensWithItsKeyAndContextAlone) {
  for (std::size_t const size : {0u, 1u, 33u}) {
    Bytes const text(size, std::byte{0x5a});
    Bytes proof;
    seal_proof(sample_key(1), kContext, text, proof);
    ASSERT_EQ(proof.size(), size + 16);
    Bytes opened{std::byte{1}};
    EXPECT_TRUE(open_proof(sample_key(1), kContext, proof, opened));
    EXPECT_EQ(opened, text);
    auto const expect_none = [&](const SecretKey& key, std::span<const std::byte> context,
                                 std::span<const std::byte> forged) {
      opened = {std::byte{1}};
      EXPECT_FALSE(open_proof(key, context, forged, opened));
      EXPECT_TRUE(opened.empty()) << "no byte of what does not verify";
    };
    expect_none(sample_key(2), kContext, proof);
    expect_none(sample_key(1), std::span(kContext).first(2), proof);
    expect_none(sample_key(1), {}, proof);
    for (std::size_t bit = 0; bit < 8 * proof.size(); ++bit) {
      Bytes bent = proof;
      bent[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
      expect_none(sample_key(1), kContext, bent);
    }
    for (std::size_t count = 0; count < proof.size(); ++count)
      expect_none(sample_key(1), kContext, std::span(proof).first(count));
    proof.push_back(std::byte{});
    expect_none(sample_key(1), kContext, proof);
  }
}

// Neither a proof nor an accept can stand for the other under one key.
TEST(HandshakeProof, IsNoAcceptAndNoAcceptIsAProof) {
  Bytes const text(33, std::byte{0x5a});
  Bytes proof;
  seal_proof(sample_key(1), {}, text, proof);
  Bytes accept;
  seal_accept(sample_key(1), text, accept);
  EXPECT_NE(proof, accept);
  Bytes opened;
  EXPECT_FALSE(open_accept(sample_key(1), proof, opened));
  EXPECT_FALSE(open_proof(sample_key(1), {}, accept, opened));
}

// The bytes are of another implementation (hashlib.blake2b of Python and OpenSSL).
TEST(HandshakeProof, HasTheBytesOfAnotherImplementation) {
  Bytes text(33);
  text[0] = std::byte{3};
  for (std::size_t i = 0; i < 3; ++i) text[1 + i] = static_cast<std::byte>("Ada"[i]);
  Bytes proof;
  seal_proof(sample_key(1), kContext, text, proof);
  EXPECT_EQ(
      hex_of(proof),
      "ff234aac151b242711448a87fb2805e73a891ddcaaa652494ef4cf892239a4a9d766a153bb7cf483d45adcb8b7f90dba6c");
}

// The value is of another implementation (hashlib.blake2b of Python); client_test.mjs has it, too.
TEST(TokenVerifier, IsAHashOfBothKeys) {
  SessionKeyBytes keys;
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::byte>(i);
  TokenVerifier const verifier = token_verifier(keys);
  EXPECT_EQ(hex_of(verifier), "d1c9d73f74a0a2bbe4055dbdca1ebe1d");
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
