// ReplayWindow records which packet numbers were opened. may_open() answers before the decryption, which then
// is not wasted on a replayed datagram; record() stores a number after it. The newest kMemory numbers are
// remembered. Older ones count as late, because nobody knows any more whether they came.
#pragma once

#include <array>
#include <cstdint>

namespace takt::crypto {

class ReplayWindow {
 public:
  enum class Verdict : std::uint8_t { kNew, kReplayed, kLate };

  /// Numbers that are remembered; more than a second at the greatest rate of a join.
  static constexpr std::uint64_t kMemory = 8192;

  [[nodiscard]] Verdict may_open(std::uint64_t number) const noexcept;
  /// Stores a number for which may_open() returned kNew.
  void record(std::uint64_t number) noexcept;
  /// The greatest number recorded, 0 before the first.
  [[nodiscard]] std::uint64_t newest() const noexcept { return newest_; }

 private:
  std::array<std::uint64_t, kMemory / 64> bits_{};  // bit n % kMemory: n was recorded
  std::uint64_t newest_ = 0;
};

}  // namespace takt::crypto
