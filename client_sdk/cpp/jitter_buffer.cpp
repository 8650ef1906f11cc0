#include "client_sdk/cpp/jitter_buffer.h"

#include <algorithm>

namespace takt::client {
namespace {

/// Added to the need that the delay covers: half a tick for the clock's error, and three tenths of the
/// variation for larger needs. docs/PERFORMANCE.md compares them with others.
constexpr double kMarginTicks = 0.5;
constexpr double kMarginFraction = 0.3;
/// Weight of one snapshot in the running means; 1/16 as RFC 3550 has it.
constexpr double kMeanWeight = 1.0 / 16.0;
constexpr std::size_t kBlocksPerS = 4;

}  // namespace

JitterBuffer::JitterBuffer(const JitterBufferOptions& options) noexcept
    : delay_min_ms_(options.delay_min_ms),
      delay_max_ms_(std::max(options.delay_max_ms, options.delay_min_ms)),
      tick_ms_(1000.0 / options.tick_rate_hz),
      delay_min_ticks_(options.delay_min_ms / tick_ms_),
      delay_max_ticks_(std::max(options.delay_max_ms, options.delay_min_ms) / tick_ms_),
      rate_per_us_(options.tick_rate_hz * 1e-6) {}

void JitterBuffer::handle_snapshot(std::uint32_t serial, std::uint64_t tick, bool is_empty,
                                   double wait_snapshots, double server_tick, double earliest_tick) noexcept {
  if (has_snapshot() && (serial <= newest_serial_ || tick <= newest_tick_))
    return;  // late or another part: nothing new for the clock
  double const usual_tick = static_cast<double>(tick) + lateness_ticks_;
  double const arrival_tick =
      std::max(std::min(usual_tick, server_tick), std::min(earliest_tick, server_tick));
  double const lateness = arrival_tick - static_cast<double>(tick);
  if (!has_snapshot()) {
    lateness_ticks_ = lateness;
    newest_serial_ = serial;
    newest_tick_ = tick;
    newest_is_empty_ = is_empty;
    note_need(lateness + static_cast<double>(interval_ticks_));
    return;
  }
  double const deviation = lateness - lateness_ticks_;
  lateness_ticks_ += deviation * kMeanWeight;
  jitter_ticks_ += ((deviation < 0 ? -deviation : deviation) - jitter_ticks_) * kMeanWeight;

  // Serials count snapshots, so a pause without a missing serial is a server that had nothing to say:
  // everything stood still until just before.
  std::uint64_t const step = tick - newest_tick_;
  bool const is_next = serial == newest_serial_ + 1;
  bool const was_idle = is_next && step > interval_ticks_ && step <= kIdleSnapshots * interval_ticks_ &&
                        (is_empty || newest_is_empty_);
  if (is_next && !was_idle && !is_empty && !newest_is_empty_)
    interval_ticks_ = std::clamp<std::uint64_t>(step, 1, 60);
  std::uint64_t const start = was_idle ? tick - interval_ticks_ : newest_tick_;
  double const gap = static_cast<double>(tick - start);
  longest_gap_ticks_ = std::max(longest_gap_ticks_, gap);
  note_need(arrival_tick - static_cast<double>(start) +
            wait_snapshots * static_cast<double>(interval_ticks_));
  end_wait(was_idle);
  newest_serial_ = serial;
  newest_tick_ = tick;
  newest_is_empty_ = is_empty;
}

void JitterBuffer::set_rate(double ticks_per_s, std::uint64_t server_tick) noexcept {
  bool const was_paused = is_paused_;
  is_paused_ = ticks_per_s == 0;
  double const rate_per_us = is_paused_ ? rate_per_us_ : ticks_per_s * 1e-6;
  if (is_paused_ == was_paused && rate_per_us == rate_per_us_) return;
  // Statistics are in ticks of the present rate, and a change of the rate changes none of their milliseconds.
  double const ticks_per_earlier_tick = rate_per_us / rate_per_us_;
  for (double* const ticks : {&starved_ticks_, &longest_starvation_ticks_, &longest_gap_ticks_})
    *ticks *= ticks_per_earlier_tick;
  rate_per_us_ = rate_per_us;
  tick_ms_ = 1e-3 / rate_per_us_;
  delay_min_ticks_ = delay_min_ms_ / tick_ms_;
  delay_max_ticks_ = delay_max_ms_ / tick_ms_;
  needs_.fill({});
  waited_ticks_ = 0;
  held_ticks_ = 0;
  newest_need_ticks_ = 0;
  late_until_us_ = 0;
  is_waiting_ = false;
  is_changing_tick_rate_ = true;
  // An idle room's render tick may have passed the tick of the pause; no displayed body moved there.
  if (is_paused_)
    render_tick_ = std::min(render_tick_, static_cast<double>(std::max(server_tick, newest_tick_)));
}

void JitterBuffer::note_need(double need_ticks) noexcept {
  is_waiting_ = false;
  newest_need_ticks_ = need_ticks;
  if (need_ticks > delay_ticks_) late_until_us_ = last_us_ + kEpisodeUs;
  Needs& needs = needs_[block_];
  needs.min = std::min(needs.min, need_ticks);
  if (need_ticks <= needs.max) return;
  needs.max = need_ticks;
  max_need_us_ = last_us_;
}

/// Begins a new block of needs if the present one has ended.
void JitterBuffer::advance_block(std::uint64_t now_us) noexcept {
  std::uint64_t const age_us = now_us - block_began_us_;
  if (age_us < kBlockUs || (age_us < kBlockMaxUs && now_us - max_need_us_ < kEpisodeUs)) return;
  block_ = (block_ + 1) % kBlocks;
  if (settling_blocks_ > 0 && --settling_blocks_ % kBlocksPerS == 0) needs_.fill({});
  needs_[block_] = {};
  block_began_us_ = now_us;
}

/// The least need at which the waits of the blocks above it, of `blocks` without the largest, are together
/// what is permitted: the threshold of a projection onto a simplex, approached from below (Michelot, Journal
/// of Optimization Theory and Applications 50, 1986). Each pass leaves out a block or is the last.
double JitterBuffer::covered_need(double largest, std::size_t blocks) const noexcept {
  double const permitted = static_cast<double>(blocks) * kWaitPerBlockMs / tick_ms_;
  double covered = 0;
  for (;;) {
    double sum = -largest;
    double above = -1;
    for (const Needs& needs : needs_) {
      if (needs.max <= covered) continue;
      sum += needs.max;
      ++above;
    }
    double const next = above > 0 ? (sum - permitted) / above : covered;
    if (!(next > covered)) return covered;
    covered = next;
  }
}

/// The target: the need that the delay covers, or of the largest of few blocks, and margins.
JitterBuffer::Target JitterBuffer::target() const noexcept {
  std::size_t blocks = 0;
  double largest = 0;
  for (const Needs& needs : needs_) {
    if (needs.max > 0) ++blocks;
    largest = std::max(largest, needs.max);
  }
  double min = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < kBlocksOfVariation; ++i)
    min = std::min(min, needs_[(block_ + kBlocks - i) % kBlocks].min);
  double const need = blocks < kBlocksMin ? largest : covered_need(largest, blocks);
  double const variation = std::max(0.0, need - min);
  double const desired = need + kMarginFraction * variation + kMarginTicks;
  return {need, std::clamp(desired, delay_min_ticks_, delay_max_ticks_)};
}

/// The delay keeps `ticks` of a wait, and what is too long to be regained. The render tick stays.
void JitterBuffer::keep_held(double ticks) noexcept {
  double const kept = std::min(std::max({ticks, held_ticks_ - kRegainMs / tick_ms_, 0.0}), held_ticks_);
  delay_ticks_ += kept;
  held_ticks_ -= kept;
}

void JitterBuffer::end_wait(bool was_idle) noexcept {
  if (waited_ticks_ > 0 && !was_idle && !is_changing_tick_rate_) {
    ++starvations_;
    starved_ticks_ += waited_ticks_;
    longest_starvation_ticks_ = std::max(longest_starvation_ticks_, waited_ticks_);
  }
  waited_ticks_ = 0;
  is_changing_tick_rate_ = false;
}

void JitterBuffer::advance(std::uint64_t now_us, double server_tick, double earliest_tick) noexcept {
  if (!has_snapshot()) return;
  auto const [need, target] = this->target();
  if (!is_running_) {
    is_running_ = true;
    delay_ticks_ = target;
    // The delay may be below the path's after a stall, and the render tick never decreases.
    render_tick_ = std::min(server_tick - delay_ticks_, static_cast<double>(newest_tick_));
    block_began_us_ = last_us_ = now_us;
    return;
  }
  double const passed_ticks = static_cast<double>(now_us - last_us_) * rate_per_us_;
  last_us_ = now_us;
  if (is_paused_) {
    render_tick_ =
        std::max(render_tick_, std::min(render_tick_ + passed_ticks, static_cast<double>(newest_tick_)));
    return;
  }
  if (is_changing_tick_rate_) {
    delay_ticks_ = std::clamp(server_tick - render_tick_, 0.0, delay_max_ticks_);
    held_ticks_ = 0;
  }
  advance_block(now_us);
  bool const is_late = is_waiting_ || newest_need_ticks_ > delay_ticks_ || now_us < late_until_us_;
  // First, so that the delay and what is held never exceed the largest delay.
  keep_held(target - delay_ticks_);
  if (need > 0)
    delay_ticks_ +=
        std::clamp(target - delay_ticks_, is_late ? 0.0 : -kSpeedUp * passed_ticks, kSlowDown * passed_ticks);
  if (!is_late) {
    held_ticks_ = std::max(0.0, held_ticks_ - passed_ticks);
  } else if (!is_waiting_) {
    double const needed = std::min(newest_need_ticks_ + kMarginTicks, delay_max_ticks_);
    double const lacking = needed - delay_ticks_ - held_ticks_;
    held_ticks_ += std::clamp(lacking, 0.0, kSlowDown * passed_ticks);
  }
  double wanted = server_tick - delay_ticks_ - held_ticks_;
  // Behind an empty snapshot the server is idle and may stay silent: what is shown stands still anyway, so
  // the render tick may go on.
  double const limit =
      static_cast<double>(newest_tick_ + (newest_is_empty_ ? kIdleSnapshots * interval_ticks_ : 0));
  if (wanted > limit) {
    double const attended_tick = std::min(earliest_tick, server_tick);
    double const missing = attended_tick - delay_ticks_ - held_ticks_ - limit;
    uncounted_ticks_ += passed_ticks;
    if (missing > 0) {
      double const waited = std::min(missing, uncounted_ticks_);
      waited_ticks_ += waited;
      uncounted_ticks_ -= waited;
      is_waiting_ = true;
      held_ticks_ = std::max(0.0, std::min(attended_tick - limit, delay_max_ticks_) - delay_ticks_);
      keep_held(0);
    }
    wanted = limit;
  } else {
    uncounted_ticks_ = 0;
  }
  render_tick_ = std::max(render_tick_, wanted);
}

}  // namespace takt::client
