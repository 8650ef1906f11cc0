// RttEstimator computes the smoothed round-trip time and the retransmission time-out of a DatagramLink from
// samples in microseconds. Source: V. Paxson et al., RFC 6298 (2011), with its factors (1/8, 1/4, 4). The
// time-out differs: it includes kAckDelayMax, starts at kRtoStart, has the bounds kRtoMin and kRtoMax, and
// never doubles. kRtoMin is below the RFC's 1 s: a game cannot wait a second, and a spurious retransmission
// costs one datagram.
#pragma once

#include <algorithm>
#include <cstdint>

#include "protocol/wire/limits.h"

namespace takt::protocol {

/// A guess at a round trip between `min_us` and `max_us`, whose answer waited for a stalled caller. The
/// result is `usual_us` (the smoothed round trip) clamped to the bounds, or `max_us` while `usual_us` is 0
/// (not known yet).
[[nodiscard]] constexpr std::uint64_t likely_rtt_us(std::uint64_t usual_us, std::uint64_t min_us,
                                                    std::uint64_t max_us) noexcept {
  return usual_us == 0 ? max_us : std::max(std::min(usual_us, max_us), min_us);
}

class RttEstimator {
 public:
  /// Takes a sample of which only bounds are known, as likely_rtt_us(); microseconds.
  void handle_sample(std::uint64_t min_us, std::uint64_t max_us) noexcept {
    handle_sample(likely_rtt_us(srtt_us_, min_us, max_us));
  }
  /// Takes a sample in microseconds, without the other end's ack delay. 0 counts as 1.
  void handle_sample(std::uint64_t rtt_us) noexcept {
    if (rtt_us == 0) rtt_us = 1;
    if (!any_) {
      srtt_us_ = rtt_us;
      variation_us_ = rtt_us / 2;
      recent_min_us_ = rtt_us;
      any_ = true;
      return;
    }
    std::uint64_t const off = srtt_us_ > rtt_us ? srtt_us_ - rtt_us : rtt_us - srtt_us_;
    variation_us_ = (3 * variation_us_ + off) / 4;
    srtt_us_ = (7 * srtt_us_ + rtt_us) / 8;
    if (recent_min_us_ == 0 || rtt_us < recent_min_us_) recent_min_us_ = rtt_us;
  }
  /// Drops the smallest sample after kMinWindow to twice that time; call it with every poll. A path may
  /// become longer for good, as from Wi-Fi to a mobile network, and would look like a queue for ever.
  void handle_time(std::uint64_t now_us) noexcept {
    if (window_began_us_ == 0) window_began_us_ = now_us;
    if (now_us - window_began_us_ < kMinWindow) return;
    window_began_us_ = now_us;
    if (recent_min_us_ == 0) return;  // no sample: the old one still is the best guess
    earlier_min_us_ = recent_min_us_;
    recent_min_us_ = 0;
  }

  /// True once there was a sample; before, the three numbers below are 0.
  [[nodiscard]] bool has_any() const noexcept { return any_; }
  [[nodiscard]] std::uint64_t smoothed_us() const noexcept { return srtt_us_; }
  [[nodiscard]] std::uint64_t variation_us() const noexcept { return variation_us_; }
  /// The smallest sample of the last 5 to 10 s; an older one stays while there is no newer.
  [[nodiscard]] std::uint64_t min_us() const noexcept {
    if (recent_min_us_ == 0 || earlier_min_us_ == 0) return std::max(recent_min_us_, earlier_min_us_);
    return std::min(recent_min_us_, earlier_min_us_);
  }
  /// SRTT + max(kGranularity, 4 RTTVAR) + kAckDelayMax, clamped to [kRtoMin, kRtoMax]; kRtoStart before the
  /// first sample.
  [[nodiscard]] std::uint64_t timeout_us() const noexcept {
    if (!any_) return kRtoStart;
    std::uint64_t const four = 4 * variation_us_;
    std::uint64_t const rto = srtt_us_ + (four > kGranularity ? four : kGranularity) + kAckDelayMax;
    return rto < kRtoMin ? kRtoMin : rto > kRtoMax ? kRtoMax : rto;
  }

  static constexpr std::uint64_t kRtoStart = 500 * kMillisecond;
  static constexpr std::uint64_t kRtoMin = 30 * kMillisecond;
  static constexpr std::uint64_t kRtoMax = 3 * kSecond;
  static constexpr std::uint64_t kMinWindow = 5 * kSecond;
  static constexpr std::uint64_t kGranularity = 5 * kMillisecond;  ///< how late a poll may come

 private:
  std::uint64_t srtt_us_ = 0;
  std::uint64_t variation_us_ = 0;
  std::uint64_t recent_min_us_ = 0;   // of this window; 0 = no sample
  std::uint64_t earlier_min_us_ = 0;  // of the window before
  std::uint64_t window_began_us_ = 0;
  bool any_ = false;
};

}  // namespace takt::protocol
