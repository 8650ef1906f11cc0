#include "takt/core/hash.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/hash_kernels.h"

namespace takt {
namespace {

// The buffer and the answers of xxHash's own sanity check (xxhsum -b's companion, cli/xsum_sanity_check.c):
// they pin the algorithm, not our wrapper, and cover each of its length classes.
std::vector<std::byte> reference_buffer(std::size_t size) {
  std::vector<std::byte> out(size);
  std::uint64_t generator = 2654435761u;
  for (std::byte& b : out) {
    b = static_cast<std::byte>(generator >> 56u);
    generator *= 11400714785074694797ull;
  }
  return out;
}

struct KnownAnswer {
  std::size_t size;
  std::uint64_t digest;
};
constexpr KnownAnswer kAnswers[] = {
    {0, 0x2d06800538d394c2},   {1, 0xc44bdff4074eecdb},    {6, 0x27b56a84cd2d7325},
    {12, 0xa713daf0dfbb77e7},  {24, 0xa3fe70bf9d3510eb},   {48, 0x397da259ecba1f11},
    {80, 0xbcdefbbb2c47c90a},  {195, 0xcd94217ee362ec3a},  {403, 0xcdeb804d65c6dea4},
    {512, 0x617e49599013cb6b}, {2048, 0xdd59e2c3a5f038e0},
};

TEST(Hash, KnownAnswersOfXxh3) {
  for (auto const& answer : kAnswers)
    EXPECT_EQ(hash_bytes(reference_buffer(answer.size)), answer.digest) << answer.size << " bytes";
}

std::vector<HashKernels> kernels_of_this_cpu() {
  std::vector<HashKernels> all{hash_kernels_baseline()};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") != 0) all.push_back(hash_kernels_avx2());
  if (__builtin_cpu_supports("avx512f") != 0) all.push_back(hash_kernels_avx512());
#else
  all.push_back(hash_kernels_avx2());
  all.push_back(hash_kernels_avx512());
#endif
  return all;
}

TEST(Hash, EveryWidthGivesTheKnownAnswers) {
  for (const HashKernels& kernels : kernels_of_this_cpu()) {
    for (auto const& answer : kAnswers) {
      auto const buffer = reference_buffer(answer.size);
      EXPECT_EQ(kernels.hash(buffer.data(), buffer.size(), 0), answer.digest) << answer.size << " bytes";
    }
  }
}

TEST(Hash, StreamGivesTheSameForEveryCut) {
  auto const buffer = reference_buffer(2048);
  std::uint64_t const whole = hash_bytes(buffer);
  for (std::size_t const piece : {1u, 7u, 64u, 255u, 256u, 257u, 1000u}) {
    StreamHasher hasher;
    for (std::size_t at = 0; at < buffer.size(); at += piece) {
      hasher.update(std::span(buffer).subspan(at, std::min(piece, buffer.size() - at)));
      (void)hasher.digest();  // asking does not end the stream
    }
    EXPECT_EQ(hasher.digest(), whole) << "pieces of " << piece;
  }
}

TEST(Hash, ResetForgets) {
  StreamHasher hasher;
  hasher.update(reference_buffer(300));
  hasher.reset();
  EXPECT_EQ(hasher.digest(), kAnswers[0].digest);
}

TEST(Hash, SeedChangesTheDigestAndZeroIsNone) {
  auto const buffer = reference_buffer(100);
  EXPECT_EQ(hash_bytes(buffer, 0), hash_bytes(buffer));
  EXPECT_NE(hash_bytes(buffer, 1), hash_bytes(buffer));
}

TEST(Hash, EveryBitCounts) {
  auto buffer = reference_buffer(48);
  std::uint64_t const before = hash_bytes(buffer);
  for (std::size_t bit = 0; bit < buffer.size() * 8; ++bit) {
    buffer[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
    EXPECT_NE(hash_bytes(buffer), before) << "bit " << bit;
    buffer[bit / 8] ^= static_cast<std::byte>(1u << (bit % 8));
  }
}

}  // namespace
}  // namespace takt
