// TickHistogram counts how long ticks took since the server's start: one count for each of 11 ranges of
// times, and the sum. TickLoop adds the times, and server/web/metrics.h converts the histogram to a metric.
// One thread at a time uses a TickHistogram.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace takt::server {

class TickHistogram {
 public:
  /// Upper bounds of the ranges, inclusive, microseconds. The period of 60 Hz is one of them.
  static constexpr std::array<std::uint32_t, 10> kBoundsUs{100,  250,  500,    1000,   2000,
                                                           4000, 8000, 16'667, 33'333, 100'000};

  void add_us(std::uint32_t tick_us) noexcept {
    std::size_t at = 0;
    while (at < kBoundsUs.size() && tick_us > kBoundsUs[at]) ++at;
    ++counts_[at];
    sum_us_ += tick_us;
  }
  /// Number of ticks in each range, in the order of kBoundsUs. The last range is above the last bound.
  [[nodiscard]] const std::array<std::uint64_t, kBoundsUs.size() + 1>& counts() const noexcept {
    return counts_;
  }
  /// Sum of all times added, microseconds.
  [[nodiscard]] std::uint64_t sum_us() const noexcept { return sum_us_; }

 private:
  std::array<std::uint64_t, kBoundsUs.size() + 1> counts_{};
  std::uint64_t sum_us_ = 0;
};

}  // namespace takt::server
