// SizeHistogram counts sizes in bytes: one count for each of ten ranges (kBounds), and the sum since the
// start. ServerPeer adds the size of each snapshot that it sends, and server/web/metrics.h publishes the
// counts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace takt::protocol {

class SizeHistogram {
 public:
  /// Inclusive upper bounds of the first nine ranges, bytes; the tenth has all larger sizes. They reach from
  /// an empty part to the largest snapshot of a join.
  static constexpr std::array<std::uint64_t, 9> kBounds{128,  256,  512,    1024,  2048,
                                                        4096, 8192, 16'384, 32'768};

  void add(std::uint64_t bytes) noexcept {
    std::size_t at = 0;
    while (at < kBounds.size() && bytes > kBounds[at]) ++at;
    ++counts_[at];
    sum_ += bytes;
  }
  /// The number of sizes in each range, not cumulated, in order of kBounds; the last is above every bound.
  [[nodiscard]] const std::array<std::uint64_t, kBounds.size() + 1>& counts() const noexcept {
    return counts_;
  }
  /// Sum of all sizes, bytes.
  [[nodiscard]] std::uint64_t sum() const noexcept { return sum_; }

 private:
  std::array<std::uint64_t, kBounds.size() + 1> counts_{};
  std::uint64_t sum_ = 0;
};

}  // namespace takt::protocol
