#include "protocol/wire/siphash.h"

#include <bit>

#include "takt/core/bytes.h"

namespace takt::protocol {
namespace {

struct State {
  std::uint64_t v0, v1, v2, v3;

  void round() noexcept {
    v0 += v1;
    v2 += v3;
    v1 = std::rotl(v1, 13) ^ v0;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 = std::rotl(v0, 32);
    v2 += v1;
    v0 += v3;
    v1 = std::rotl(v1, 17) ^ v2;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 = std::rotl(v2, 32);
  }
  void absorb(std::uint64_t word) noexcept {
    v3 ^= word;
    round();
    round();
    v0 ^= word;
  }
};

}  // namespace

std::uint64_t siphash(const std::array<std::uint64_t, 2>& key, std::span<const std::byte> bytes) noexcept {
  // "somepseudorandomlygeneratedbytes", as in the paper.
  State s{key[0] ^ 0x736f6d6570736575ull, key[1] ^ 0x646f72616e646f6dull, key[0] ^ 0x6c7967656e657261ull,
          key[1] ^ 0x7465646279746573ull};
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) s.absorb(load_little_endian<std::uint64_t>(bytes.data() + at));
  std::uint64_t last = std::uint64_t{bytes.size() & 0xffu} << 56;
  for (std::size_t i = 0; at + i < bytes.size(); ++i)
    last |= std::uint64_t{std::to_integer<std::uint8_t>(bytes[at + i])} << (8 * i);
  s.absorb(last);
  s.v2 ^= 0xffu;
  for (int i = 0; i < 4; ++i) s.round();
  return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}

}  // namespace takt::protocol
