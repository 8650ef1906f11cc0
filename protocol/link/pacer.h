// Pacer decides how fast one session may send over datagrams: its rate (bytes/s) grows while the path
// delivers and falls when it does not. Every datagram costs credit. Fragments of the reliable channel wait
// for credit; snapshots have an allowance, which grows at the same rate, or at three quarters of it while
// reliable messages wait. DatagramLink has one Pacer.
//
// Halving on loss, as TCP does, would starve a joining client at 10 % loss, because random loss is not
// congestion on the paths we care about. Our rule runs once per round trip, at least kRoundMin apart. The
// rate falls if more than kLossCutPercent was lost in two rounds in a row (one may be chance), if more than
// kLossCutAtOncePercent was lost in one, or if the round trip exceeds the smallest one by kQueueMax and by
// half of the smallest. It falls to 0.85 of what was delivered per second, at most by half. Otherwise the
// rate grows by a quarter if the rate was the limit and at most kLossHoldPercent was lost. Ideas: N. Cardwell
// et al., BBR (2016); S. Shalunov et al., RFC 6817 (LEDBAT).
#pragma once

#include <cstddef>
#include <cstdint>

#include "protocol/wire/limits.h"

namespace takt::protocol {

struct PacerOptions {
  std::uint64_t rate_start = 512 * 1024;     ///< bytes/s
  std::uint64_t rate_min = 32 * 1024;        ///< bytes/s, > 0
  std::uint64_t rate_max = 8 * 1024 * 1024;  ///< bytes/s: the congestion cap
};

class Pacer {
 public:
  explicit Pacer(const PacerOptions& options = {}) noexcept : options_(options), rate_(options.rate_start) {}

  /// There is credit for a datagram now. A no is remembered: the rate may only grow when credit was the
  /// limit.
  [[nodiscard]] bool can_send(std::uint64_t now_us) noexcept;
  /// When there will be credit; now_us if there is.
  [[nodiscard]] std::uint64_t next_send_us(std::uint64_t now_us) const noexcept;

  /// Bytes of snapshots that may be sent now. `reliable_waits` leaves a quarter of the rate to the reliable
  /// channel.
  [[nodiscard]] std::size_t allowance(std::uint64_t now_us, bool reliable_waits) noexcept;
  /// A snapshot of so many bytes goes out. `is_cut`: it would have been larger, so the rate was the limit.
  void spend_allowance(std::size_t bytes, bool is_cut) noexcept;

  void handle_sent(std::uint64_t now_us, std::size_t bytes) noexcept;
  void handle_delivered(std::size_t bytes) noexcept { delivered_bytes_ += bytes; }
  void handle_lost(std::size_t bytes) noexcept { lost_bytes_ += bytes; }
  /// Call with every poll; acts once per round trip.
  void handle_time(std::uint64_t now_us, std::uint64_t rtt_us, std::uint64_t rtt_min_us) noexcept;

  [[nodiscard]] std::uint64_t rate_bytes_per_s() const noexcept { return rate_; }

  static constexpr std::uint64_t kLossHoldPercent = 15;
  static constexpr std::uint64_t kLossCutPercent = 25;
  static constexpr std::uint64_t kLossCutAtOncePercent = 50;
  static constexpr std::uint64_t kQueueMax = 100 * kMillisecond;
  static constexpr std::uint64_t kRoundMin = 50 * kMillisecond;
  /// Credit is saved for at most this long, so that a pause does not end in a burst.
  static constexpr std::uint64_t kBurst = 10 * kMillisecond;
  /// The allowance of snapshots is saved for at most a tenth of a second, and at least this many bytes: one
  /// snapshot of a client that joins.
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
