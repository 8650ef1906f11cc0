// TickWindow stores how long the last ticks took, and computes exact quantiles: median, 99th percentile,
// greatest. TickLoop measures the times; its window has as many ticks as a second has at speed 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace takt::server {

class TickWindow {
 public:
  /// `capacity`: number of ticks in the window, at least 1 (asserted).
  explicit TickWindow(std::size_t capacity);

  /// Adds the time of a tick, and forgets the oldest of a full window.
  void add_us(std::uint32_t tick_us) noexcept;
  /// The time at rank `part` of the sorted window: 0.5 is the median, 1 the greatest. `part` is clamped to
  /// [0, 1]. 0 when nothing was added. The call allocates a copy of the window.
  [[nodiscard]] std::uint32_t quantile_us(double part) const;

 private:
  std::vector<std::uint32_t> ring_;
  std::size_t capacity_;
  std::size_t next_ = 0;
};

}  // namespace takt::server
