// TickWindow stores how long the last ticks took, and computes exact quantiles: median, 99th percentile,
// greatest. TickLoop measures the times; its window has as many ticks as a second at speed 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace takt::server {

class TickWindow {
 public:
  /// `capacity`: ticks in the window, at least 1; one second's worth.
  explicit TickWindow(std::size_t capacity);

  void add_us(std::uint32_t tick_us) noexcept;
  /// `part` in [0, 1]: 0.5 is the median, 1 the greatest. 0 when nothing was added.
  [[nodiscard]] std::uint32_t quantile_us(double part) const;

 private:
  std::vector<std::uint32_t> ring_;
  std::size_t capacity_;
  std::size_t next_ = 0;
};

}  // namespace takt::server
