// AckWindow is the receiving half of acknowledgement: it records which packet numbers arrived. newest() and
// mask() (the kAckBits numbers before the newest) become the ack block of the next datagram. Numbers count
// from 1 in 64 bits and each is recorded once, because crypto::DatagramOpener drops copies. AckWindow sends
// nothing and uses no time.
#pragma once

#include <cstdint>

#include "protocol/wire/limits.h"

namespace takt::protocol {

class AckWindow {
 public:
  /// Records a number for the first time.
  void record(std::uint64_t number) noexcept;
  /// True once a number has arrived. Before, mask() means nothing.
  [[nodiscard]] bool has_any() const noexcept { return newest_ != 0; }
  [[nodiscard]] std::uint64_t newest() const noexcept { return newest_; }
  /// Bit i, 0 to kAckBits - 1, is set when newest() - 1 - i has arrived or is no number.
  [[nodiscard]] std::uint64_t mask() const noexcept { return mask_; }
  /// Numbers below the newest that have not arrived. It includes the numbers that a server never sends
  /// (DatagramLinkOptions::trap_seed).
  [[nodiscard]] std::uint64_t missing() const noexcept { return newest_ - arrived_; }

 private:
  static constexpr std::uint64_t kAll = (std::uint64_t{1} << kAckBits) - 1;
  std::uint64_t newest_ = 0;
  std::uint64_t arrived_ = 0;
  std::uint64_t mask_ = kAll;
};

}  // namespace takt::protocol
