#include "protocol/link/pacer.h"

#include <algorithm>

namespace takt::protocol {
namespace {

// At least two datagrams, so that a low rate still sends whole ones.
std::int64_t burst_bytes(std::uint64_t rate) noexcept {
  return static_cast<std::int64_t>(
      std::max<std::uint64_t>(rate * Pacer::kBurst / kSecond, 2 * kDatagramBytesMax));
}

}  // namespace

std::int64_t Pacer::credit_at(std::uint64_t now_us) const noexcept {
  if (!started_ || now_us <= credit_at_us_) return credit_;
  std::uint64_t const elapsed_us = std::min(now_us - credit_at_us_, kSecond);
  return std::min(credit_ + static_cast<std::int64_t>(rate_ * elapsed_us / kSecond), burst_bytes(rate_));
}

bool Pacer::can_send(std::uint64_t now_us) noexcept {
  if (credit_at(now_us) > 0) return true;
  was_limited_ = true;
  return false;
}

std::uint64_t Pacer::next_send_us(std::uint64_t now_us) const noexcept {
  std::int64_t const credit = credit_at(now_us);
  if (credit > 0) return now_us;
  // Wakes when a whole datagram is due, not when one byte is: a timer per byte is no pacing.
  std::uint64_t const missing = static_cast<std::uint64_t>(-credit) + kDatagramBytesMax;
  return now_us + std::max<std::uint64_t>(missing * kSecond / rate_, 1);
}

std::size_t Pacer::allowance(std::uint64_t now_us, bool reliable_waits) noexcept {
  std::uint64_t const elapsed_us =
      allowance_at_us_ == 0 || now_us <= allowance_at_us_ ? 0 : std::min(now_us - allowance_at_us_, kSecond);
  allowance_at_us_ = now_us;
  std::uint64_t const rate = reliable_waits ? rate_ / 4 * 3 : rate_;
  allowance_ = std::min(allowance_ + rate * elapsed_us / kSecond, std::max(rate_ / 10, kAllowanceMin));
  return allowance_;
}

void Pacer::spend_allowance(std::size_t bytes, bool is_cut) noexcept {
  allowance_ -= std::min<std::uint64_t>(allowance_, bytes);
  if (is_cut) was_limited_ = true;
}

void Pacer::handle_sent(std::uint64_t now_us, std::size_t bytes) noexcept {
  std::int64_t const credit = credit_at(now_us);
  // Partial credit below one byte is kept by moving the reference time only when credit moved.
  if (credit != credit_ || !started_ || credit >= burst_bytes(rate_)) credit_at_us_ = now_us;
  started_ = true;
  // Snapshots are sent without asking; their debt is capped at a tenth of a second, so that the reliable
  // channel is never locked out.
  std::int64_t const floor =
      -static_cast<std::int64_t>(rate_ / 10) - static_cast<std::int64_t>(kDatagramBytesMax);
  credit_ = std::max(credit - static_cast<std::int64_t>(bytes), floor);
}

void Pacer::handle_time(std::uint64_t now_us, std::uint64_t rtt_us, std::uint64_t rtt_min_us) noexcept {
  if (round_started_us_ == 0) round_started_us_ = now_us;
  std::uint64_t const round_us = std::max(rtt_us, kRoundMin);
  if (now_us - round_started_us_ < round_us) return;
  std::uint64_t const elapsed_us = now_us - round_started_us_;
  std::uint64_t const total = delivered_bytes_ + lost_bytes_;
  bool const queueing = rtt_us > rtt_min_us + std::max(kQueueMax, rtt_min_us / 2);
  bool const is_lossy = lost_bytes_ * 100 > total * kLossCutPercent;
  bool const is_congested =
      queueing || (is_lossy && (was_lossy_ || lost_bytes_ * 100 > total * kLossCutAtOncePercent));
  was_lossy_ = is_lossy;
  if (total > 0 && is_congested) {
    std::uint64_t const delivered_rate = delivered_bytes_ * kSecond / elapsed_us;
    rate_ = std::min(rate_, std::max(delivered_rate * 85 / 100, rate_ / 2));
  } else if (was_limited_ && lost_bytes_ * 100 <= total * kLossHoldPercent && delivered_bytes_ > 0) {
    rate_ += rate_ / 4;
  }
  rate_ = std::clamp(rate_, options_.rate_min, options_.rate_max);
  round_started_us_ = now_us;
  delivered_bytes_ = 0;
  lost_bytes_ = 0;
  was_limited_ = false;
}

}  // namespace takt::protocol
