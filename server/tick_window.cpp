#include "server/tick_window.h"

#include <algorithm>

#include "takt/core/assert.h"

namespace takt::server {

TickWindow::TickWindow(std::size_t capacity) : capacity_(capacity) {
  TAKT_ASSERT(capacity >= 1);
  ring_.reserve(capacity);
}

void TickWindow::add_us(std::uint32_t tick_us) noexcept {
  if (ring_.size() < capacity_) {
    ring_.push_back(tick_us);
    return;
  }
  ring_[next_] = tick_us;
  next_ = (next_ + 1) % capacity_;
}

std::uint32_t TickWindow::quantile_us(double part) const {
  if (ring_.empty()) return 0;
  std::vector<std::uint32_t> sorted = ring_;
  auto const at =
      static_cast<std::size_t>(std::clamp(part, 0.0, 1.0) * static_cast<double>(sorted.size() - 1) + 0.5);
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(at), sorted.end());
  return sorted[at];
}

}  // namespace takt::server
