#include "protocol/link/ack_window.h"

namespace takt::protocol {

void AckWindow::record(std::uint64_t number) noexcept {
  ++arrived_;
  if (number < newest_) {
    std::uint64_t const before = newest_ - 1 - number;
    if (before < kAckBits) mask_ |= std::uint64_t{1} << before;
    return;
  }
  std::uint64_t const step = number - newest_;
  // The newest of before becomes bit step - 1, and 0 is no number: its bit is set, too.
  mask_ = step > kAckBits ? 0 : ((mask_ << 1 | 1) << (step - 1)) & kAll;
  newest_ = number;
}

}  // namespace takt::protocol
