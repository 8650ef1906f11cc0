// Frames of a sealed stream: they open in order, once, and unchanged, and nothing opens after one that does
// not.
#include "crypto/stream_seal.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/unit/crypto/sample_tokens.h"

namespace takt::crypto {
namespace {

using test::sample_key;
using Bytes = std::vector<std::byte>;

const Bytes kHead{std::byte{40}, std::byte{0}, std::byte{0}, std::byte{0}, std::byte{3}};

Bytes seal(StreamSealer& sealer, const Bytes& payload) {
  Bytes out(payload.size() + kSealTagBytes);
  sealer.seal(kHead, payload, out);
  return out;
}

// The payload; empty = it did not open.
Bytes open(StreamOpener& opener, Bytes sealed, const Bytes& head = kHead) {
  std::span<std::byte> payload;
  if (!opener.open(head, sealed, payload)) return {};
  return Bytes(payload.begin(), payload.end());
}

Bytes stream_payload_of(std::uint64_t value) {
  Bytes bytes(20, std::byte{9});
  for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<std::byte>(value >> (8 * i));
  return bytes;
}

TEST(StreamSeal, OpensFramesInOrderAcrossChangesOfTheKey) {
  StreamSealer sealer(sample_key(1));
  StreamOpener opener(sample_key(1));
  for (std::uint64_t i = 0; i < 2 * kFramesPerKey + 10; ++i)
    ASSERT_EQ(open(opener, seal(sealer, stream_payload_of(i))), stream_payload_of(i)) << i;
}

TEST(StreamSeal, EncryptsEqualFramesDifferently) {
  StreamSealer sealer(sample_key(1));
  EXPECT_NE(seal(sealer, stream_payload_of(1)), seal(sealer, stream_payload_of(1)));
}

TEST(StreamSeal, DoesNotOpenAChangedFrameOrHead) {
  StreamSealer sealer(sample_key(1));
  Bytes const good = seal(sealer, stream_payload_of(1));
  for (std::size_t bit = 0; bit < 8 * good.size(); ++bit) {
    StreamOpener opener(sample_key(1));
    Bytes bent = good;
    bent[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
    EXPECT_TRUE(open(opener, bent).empty()) << bit;
  }
  Bytes head = kHead;
  head[0] ^= std::byte{1};
  StreamOpener opener(sample_key(1));
  EXPECT_TRUE(open(opener, good, head).empty());
  StreamOpener other(sample_key(2));
  EXPECT_TRUE(open(other, good).empty());
}

TEST(StreamSeal, OpensNothingAfterAFrameThatDidNotOpen) {
  StreamSealer sealer(sample_key(1));
  Bytes const first = seal(sealer, stream_payload_of(1));
  Bytes const second = seal(sealer, stream_payload_of(2));
  StreamOpener skipped(sample_key(1));
  EXPECT_TRUE(open(skipped, second).empty()) << "a frame was left out";
  EXPECT_TRUE(open(skipped, first).empty());
  StreamOpener repeated(sample_key(1));
  EXPECT_EQ(open(repeated, first), stream_payload_of(1));
  EXPECT_TRUE(open(repeated, first).empty());
  EXPECT_TRUE(open(repeated, second).empty());
  StreamOpener cut(sample_key(1));
  EXPECT_TRUE(open(cut, Bytes(kSealTagBytes - 1)).empty());
  EXPECT_TRUE(open(cut, first).empty());
}

}  // namespace
}  // namespace takt::crypto
