// Pacer decides how fast one session may send over datagrams: its rate (bytes/s) grows while the path
// delivers and falls when it does not. Every datagram costs credit. Fragments of the reliable channel wait
// for credit; snapshots have an allowance. The allowance grows at the same rate, or at three quarters of the
// rate while reliable messages wait. DatagramLink has one Pacer.
//
// Halving on loss, as TCP does, would starve a joining client at 10 % loss. Random loss is common on wireless
// paths and is no congestion. The rule runs once per round (a round trip, or kRoundMin if longer). Losses are
// percentages of the bytes of a round. The rate falls if more than kLossCutPercent was lost in two rounds in
// a row (one may be chance), or more than kLossCutAtOncePercent in one. The rate falls, too, if the round
// trip exceeds the smallest one by kQueueMax and by half of the smallest. The new rate is 0.85 of what was
// delivered per second, and at least half of the old one. Otherwise the rate grows by a quarter if the rate
// was the limit and at most kLossHoldPercent was lost. Ideas: N. Cardwell et al., BBR (2016); S. Shalunov et
// al., RFC 6817 (LEDBAT, 2012).
#pragma once

#include <cstddef>
#include <cstdint>

#include "protocol/wire/limits.h"

namespace takt::protocol {

/// 0 < rate_min <= rate_start <= rate_max (not asserted).
struct PacerOptions {
  std::uint64_t rate_start = 512 * 1024;     ///< bytes/s
  std::uint64_t rate_min = 32 * 1024;        ///< bytes/s
  std::uint64_t rate_max = 8 * 1024 * 1024;  ///< bytes/s
};

class Pacer {
 public:
  explicit Pacer(const PacerOptions& options = {}) noexcept : options_(options), rate_(options.rate_start) {}

  /// True when the credit is above 0, so that a datagram may go now. A call that returns false marks the rate
  /// as the limit of this round, so that the rate may grow.
  [[nodiscard]] bool can_send(std::uint64_t now_us) noexcept;
  /// The time at which there is credit for a whole datagram; `now_us` if can_send() is true.
  [[nodiscard]] std::uint64_t next_send_us(std::uint64_t now_us) const noexcept;

  /// Bytes of snapshots that may be sent now. `reliable_waits`: reliable messages wait, and a quarter of the
  /// rate since the last call is left to them.
  [[nodiscard]] std::size_t allowance(std::uint64_t now_us, bool reliable_waits) noexcept;
  /// A snapshot of `bytes` was queued. `is_cut`: the allowance made the snapshot smaller, so the rate was the
  /// limit of this round.
  void spend_allowance(std::size_t bytes, bool is_cut) noexcept;

  /// Charges a datagram of any kind to the credit, which may become negative.
  void handle_sent(std::uint64_t now_us, std::size_t bytes) noexcept;
  void handle_delivered(std::size_t bytes) noexcept { delivered_bytes_ += bytes; }
  void handle_lost(std::size_t bytes) noexcept { lost_bytes_ += bytes; }
  /// Changes the rate at the end of a round; call it with every poll. `rtt_us` is the smoothed round trip and
  /// `rtt_min_us` the smallest; both are 0 before the first sample.
  void handle_time(std::uint64_t now_us, std::uint64_t rtt_us, std::uint64_t rtt_min_us) noexcept;

  [[nodiscard]] std::uint64_t rate_bytes_per_s() const noexcept { return rate_; }

  static constexpr std::uint64_t kLossHoldPercent = 15;
  static constexpr std::uint64_t kLossCutPercent = 25;
  static constexpr std::uint64_t kLossCutAtOncePercent = 50;
  static constexpr std::uint64_t kQueueMax = 100 * kMillisecond;
  static constexpr std::uint64_t kRoundMin = 50 * kMillisecond;
  /// Saved credit is at most this time's worth of the rate, or two datagrams if more. A pause therefore does
  /// not end in a burst.
  static constexpr std::uint64_t kBurst = 10 * kMillisecond;
  /// The saved allowance of snapshots is at most a tenth of a second's worth of the rate, or this if that is
  /// more. This many bytes are one snapshot of a client that joins.
  static constexpr std::uint64_t kAllowanceMin = 20 * 1024;

 private:
  [[nodiscard]] std::int64_t credit_at(std::uint64_t now_us) const noexcept;

  PacerOptions options_;
  std::uint64_t rate_;
  std::int64_t credit_ = static_cast<std::int64_t>(kDatagramBytesMax);  // bytes
  std::uint64_t credit_at_us_ = 0;
  std::uint64_t allowance_ = kAllowanceMin;  // bytes
  std::uint64_t allowance_at_us_ = 0;        // 0 = not asked yet
  std::uint64_t round_started_us_ = 0;
  std::uint64_t delivered_bytes_ = 0;
  std::uint64_t lost_bytes_ = 0;
  bool was_limited_ = false;
  bool was_lossy_ = false;  // the last round
  bool started_ = false;
};

}  // namespace takt::protocol
