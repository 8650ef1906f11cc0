// EgressLimiter is a token bucket for the bytes that a server sends, over all sessions and transports
// together (ServerOptions::egress_max). At most a twentieth of a second or 64 KiB, the greater of both, is
// saved up, and at most as much is owed. Answers of handshakes, path probes and the last bytes of a closing
// stream are charged and never wait. ServerShared has one EgressLimiter; ServerDatagrams and
// ServerStreamSessions check it before they send and charge it after. ServerDatagrams has one more for
// its answers to strangers, and one for its replies to latency probes. Pacer limits one session.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "protocol/wire/limits.h"

namespace takt::protocol {

class EgressLimiter {
 public:
  /// `bytes_per_s`: 0 = no limit.
  explicit EgressLimiter(std::uint64_t bytes_per_s) noexcept : rate_(bytes_per_s), level_(burst()) {}

  /// Bytes that may be sent now; SIZE_MAX without a limit.
  [[nodiscard]] std::size_t level(std::uint64_t now_us) noexcept {
    if (rate_ == 0) return std::numeric_limits<std::size_t>::max();
    if (now_us > at_us_) {
      std::uint64_t const elapsed_us = std::min(now_us - at_us_, kSecond);
      level_ = std::min(level_ + static_cast<std::int64_t>(rate_ * elapsed_us / kSecond), burst());
      at_us_ = now_us;
    }
    return level_ > 0 ? static_cast<std::size_t>(level_) : 0;
  }
  /// True when a datagram of any size may be sent now.
  [[nodiscard]] bool is_open(std::uint64_t now_us) noexcept { return level(now_us) >= kDatagramBytesMax; }
  /// The time at which is_open() becomes true if nothing is sent before; `now_us` if it is true.
  [[nodiscard]] std::uint64_t open_us(std::uint64_t now_us) noexcept {
    if (is_open(now_us)) return now_us;
    auto const missing = static_cast<std::uint64_t>(static_cast<std::int64_t>(kDatagramBytesMax) - level_);
    return now_us + missing * kSecond / rate_ + 1;
  }
  /// The level divided by `count` sessions; 0 sessions count as one.
  [[nodiscard]] std::size_t share(std::uint64_t now_us, std::size_t count) noexcept {
    return level(now_us) / std::max<std::size_t>(count, 1);
  }
  /// Charges bytes that were sent. They may exceed the level; the debt delays later sends, by the time of one
  /// burst at most.
  void spend(std::size_t bytes) noexcept {
    if (rate_ > 0) level_ = std::max(level_ - static_cast<std::int64_t>(bytes), -burst());
  }

 private:
  /// A twentieth of a second, and at least 64 KiB.
  [[nodiscard]] std::int64_t burst() const noexcept {
    return static_cast<std::int64_t>(std::max<std::uint64_t>(rate_ / 20, 64 * 1024));
  }

  std::uint64_t rate_;
  std::int64_t level_;
  std::uint64_t at_us_ = 0;
};

}  // namespace takt::protocol
