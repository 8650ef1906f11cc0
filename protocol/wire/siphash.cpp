#include "protocol/wire/siphash.h"

#include <bit>

#include "takt/core/bytes.h"

namespace takt::protocol {

// "somepseudorandomlygeneratedbytes", as in the paper.
SipHasher::SipHasher(const std::array<std::uint64_t, 2>& key) noexcept
    : v0_(key[0] ^ 0x736f6d6570736575ull),
      v1_(key[1] ^ 0x646f72616e646f6dull),
      v2_(key[0] ^ 0x6c7967656e657261ull),
      v3_(key[1] ^ 0x7465646279746573ull) {}

void SipHasher::round() noexcept {
  v0_ += v1_;
  v2_ += v3_;
  v1_ = std::rotl(v1_, 13) ^ v0_;
  v3_ = std::rotl(v3_, 16) ^ v2_;
  v0_ = std::rotl(v0_, 32);
  v2_ += v1_;
  v0_ += v3_;
  v1_ = std::rotl(v1_, 17) ^ v2_;
  v3_ = std::rotl(v3_, 21) ^ v0_;
  v2_ = std::rotl(v2_, 32);
}

void SipHasher::absorb(std::uint64_t word) noexcept {
  v3_ ^= word;
  round();
  round();
  v0_ ^= word;
}

void SipHasher::put_bytes(std::span<const std::byte> bytes) noexcept {
  auto const put_one = [this](std::byte one) {
    word_ |= std::uint64_t{std::to_integer<std::uint8_t>(one)} << (8 * (count_ % 8));
    if (++count_ % 8 != 0) return;
    absorb(word_);
    word_ = 0;
  };
  std::size_t at = 0;
  for (; at < bytes.size() && count_ % 8 != 0; ++at) put_one(bytes[at]);
  for (; at + 8 <= bytes.size(); at += 8, count_ += 8)
    absorb(load_little_endian<std::uint64_t>(bytes.data() + at));
  for (; at < bytes.size(); ++at) put_one(bytes[at]);
}

std::uint64_t SipHasher::finish() noexcept {
  absorb(word_ | (count_ & 0xffu) << 56);
  v2_ ^= 0xffu;
  for (int i = 0; i < 4; ++i) round();
  return v0_ ^ v1_ ^ v2_ ^ v3_;
}

std::uint64_t siphash(const std::array<std::uint64_t, 2>& key, std::span<const std::byte> bytes) noexcept {
  SipHasher hasher(key);
  hasher.put_bytes(bytes);
  return hasher.finish();
}

}  // namespace takt::protocol
