// Secrets: locked, wiped, fenced by guard pages, moved and not copied, compared whole.
#include "takt/crypto/secret.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tests/unit/crypto/sample_tokens.h"

namespace takt::crypto {
namespace {

using test::sample_key;

static_assert(!std::is_copy_constructible_v<SecretKey> && !std::is_copy_assignable_v<SecretKey>);
static_assert(std::is_nothrow_move_constructible_v<SecretKey>);

// Kilobytes of this process that the system has locked in memory.
long locked_kb() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    long kilobytes = 0;
    if (word == "VmLck:" && status >> kilobytes) return kilobytes;
  }
  return -1;
}

// True if the system locks memory of this process. The limit may be 0, and AddressSanitizer ignores mlock().
bool can_lock_memory() {
  alignas(4096) static std::array<std::byte, 4096> page{};
  long const before = locked_kb();
  bool const is_locked = mlock(page.data(), page.size()) == 0 && locked_kb() > before;
  munlock(page.data(), page.size());
  return is_locked;
}

TEST(Secret, EqualsAKeyOfTheSameBytesAlone) {
  EXPECT_EQ(sample_key(1), sample_key(1));
  for (std::size_t at = 0; at < SecretKey::kBytes; ++at) {
    SecretKey changed = sample_key(1);
    changed.reveal_for_writing()[at] ^= std::byte{0x80};
    EXPECT_NE(changed, sample_key(1)) << at;
  }
}

TEST(Secret, MovesItsBytes) {
  SecretKey first = sample_key(1);
  const std::byte* const bytes = first.reveal().data();
  SecretKey second = std::move(first);
  EXPECT_EQ(second.reveal().data(), bytes);
  SecretKey third = sample_key(2);
  third = std::move(second);
  EXPECT_EQ(third, sample_key(1));
}

TEST(Secret, ClonesOnRequest) {
  SecretKey const key = sample_key(1);
  SecretKey const copy = key.clone();
  EXPECT_EQ(copy, key);
  EXPECT_NE(copy.reveal().data(), key.reveal().data());
}

TEST(Secret, IsLockedInMemoryWhereTheSystemAllowsIt) {
  bool const can_lock = can_lock_memory();
  long const before = locked_kb();
  ASSERT_GE(before, 0);
  SecretKey const key = sample_key(1);
  EXPECT_EQ(locked_kb() > before, can_lock);
}

TEST(Secret, IsWipedWhenBytesAreWiped) {
  auto bytes = test::counted_bytes<32>(1);
  wipe(bytes);
  EXPECT_EQ(std::ranges::count(bytes, std::byte{0}), 32);
}

TEST(SecretDeathTest, CannotBeReadAfterItsEnd) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const volatile std::byte* bytes = nullptr;
  { bytes = sample_key(1).reveal().data(); }
  EXPECT_DEATH((void)*bytes, "");
}

TEST(SecretDeathTest, IsFencedByAGuardPage) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  SecretKey const key = sample_key(1);
  const volatile std::byte* const end = key.reveal().data() + SecretKey::kBytes;
  EXPECT_DEATH((void)*end, "");
}

TEST(SecretDeathTest, AMovedFromKeyHasNoBytes) {
  SecretKey key = sample_key(1);
  SecretKey const other = std::move(key);
  EXPECT_DEATH((void)key.reveal(), "");  // NOLINT(bugprone-use-after-move): the assert is tested
}

TEST(Secret, ComparesSpansOfDifferentSizesAsDifferent) {
  auto const bytes = test::counted_bytes<32>(1);
  EXPECT_TRUE(equal_in_constant_time(bytes, bytes));
  EXPECT_FALSE(equal_in_constant_time(bytes, std::span(bytes).first(31)));
}

}  // namespace
}  // namespace takt::crypto
