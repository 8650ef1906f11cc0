#include "server/tick_loop.h"

#include <algorithm>
#include <utility>

namespace takt::server {

TickLoop::TickLoop(Playable& playable, std::uint32_t catch_up_max, Clock clock, const TickCost& cost)
    : playable_(&playable),
      clock_(std::move(clock)),
      ticks_(playable.tick_rate_hz(), catch_up_max),
      cost_(cost),
      window_(playable.tick_rate_hz()),
      costs_(playable.tick_rate_hz()),
      rate_hz_(playable.tick_rate_hz()) {}

void TickLoop::start() {
  std::uint64_t const now_us = clock_();
  called_us_ = stats_us_ = now_us;
  ticks_.start(now_us);
}

std::uint64_t TickLoop::next_us() const noexcept {
  if (playable_->tick_rate().steps_left() > 0) return called_us_;
  std::uint64_t const period_us = 1'000'000 / rate_hz_;
  std::uint64_t const due_us = ticks_.next_due_us();
  if (speed_ > 1) return std::max(due_us, called_us_ + period_us);
  bool const ticks_are_rare = speed_ < 1 || period_us > 2 * kIdleUs;
  return ticks_are_rare ? std::min(due_us, called_us_ + kIdleUs) : due_us;
}

void TickLoop::follow_tick_rate(std::uint64_t now_us) {
  double const speed =
      playable_->tick_rate().is_paused() ? 0.0 : static_cast<double>(playable_->tick_rate().speed());
  if (speed == speed_ && playable_->tick_rate_hz() == rate_hz_) return;
  if (playable_->tick_rate_hz() != rate_hz_) window_ = costs_ = TickWindow(playable_->tick_rate_hz());
  rate_hz_ = playable_->tick_rate_hz();
  speed_ = speed;
  ticks_.set_rate(now_us, rate_hz_, speed_);
}

UpdateRequest TickLoop::request_at(std::uint64_t now_us, bool is_published) const {
  UpdateRequest request;
  request.snapshot = is_published;
  request.inside = is_published && now_us - inside_us_ >= kInsideUs;
  // At whole seconds of ticks, so that the hashes that are told are of the same ticks in every run; by the
  // clock where those come too seldom.
  std::uint64_t const passed_us = now_us - stats_us_;
  bool const ends_second = (playable_->stats().tick + 1) % rate_hz_ == 0;
  request.stats = (ends_second && passed_us >= kStatsUs * 9 / 10) || passed_us >= kStatsUs * 3 / 2;
  return request;
}

void TickLoop::emit_update(RoomUpdate&& update, const UpdateRequest& request, std::uint64_t now_us,
                           const Emit& emit) {
  if (update.snapshot) snapshot_us_ = now_us;
  if (request.inside) inside_us_ = now_us;
  if (request.stats) stats_us_ = now_us;  // the statistics may come with a later update
  if (update.stats) {
    update.stats->tick_time_us = window_.quantile_us(0.5);
    update.stats->tick_time_p99_us = window_.quantile_us(0.99);
    update.stats->dropped_ticks = ticks_.dropped_ticks();
  }
  emit(std::move(update));
}

std::uint32_t TickLoop::period_us() const noexcept {
  return static_cast<std::uint32_t>(std::min(1e6 / (rate_hz_ * speed_), 1e9));
}

void TickLoop::note_tick(std::uint32_t tick_us) {
  std::uint32_t const cost_us = std::min(cost_.end_us(), tick_us);
  window_.add_us(tick_us);
  costs_.add_us(cost_us);
  histogram_.add_us(tick_us);
  if (pool_ticks_ > 0) --pool_ticks_;
  if (speed_ == 0) return;  // single steps
  // A short tick has no cost that matters, and measuring the pool has one of its own.
  if (tick_us >= period_us() / kPoolPart) pool_ticks_ = rate_hz_;
  playable_->note_tick(cost_us, period_us());
}

std::uint32_t TickLoop::run_ticks(std::uint64_t now_us, const Emit& emit) {
  bool const in_steps = playable_->tick_rate().steps_left() > 0;
  auto const due =
      in_steps ? static_cast<std::uint32_t>(playable_->tick_rate().steps_left()) : ticks_.take_due(now_us);
  std::uint32_t run = 0;
  for (bool more = due > 0; more;) {
    std::uint64_t const begin_us = clock_();
    // The clock says when this batch is full; a tick that begins before its end is the last one, and is
    // published.
    bool const is_last = run + 1 == due || begin_us + window_.quantile_us(0.5) >= now_us + kBatchUs;
    UpdateRequest const request = request_at(begin_us, is_last);
    cost_.begin(pool_ticks_ > 0);
    RoomUpdate update;
    try {
      update = playable_->step(request);
    } catch (...) {
      (void)cost_.end_us();  // the thread's measurement must not outlive this loop
      throw;
    }
    ++run;
    std::uint64_t const end_us = clock_();
    auto const tick_us = static_cast<std::uint32_t>(std::min<std::uint64_t>(end_us - begin_us, UINT32_MAX));
    note_tick(tick_us);
    emit_update(std::move(update), request, end_us, emit);
    bool const was_paused = !in_steps && playable_->tick_rate().is_paused();  // a recording's end
    more = !is_last && !was_paused;
    if (was_paused) return run;
  }
  if (!in_steps) ticks_.give_up(due - run);
  return run;
}

void TickLoop::run_due(const Emit& emit) {
  std::uint64_t const now_us = clock_();
  called_us_ = now_us;
  follow_tick_rate(now_us);
  if (run_ticks(now_us, emit) > 0) return;
  UpdateRequest request = request_at(now_us, now_us - snapshot_us_ >= kIdleSnapshotUs);
  request.stats = now_us - stats_us_ >= kStatsUs * 3 / 2;
  emit_update(playable_->idle(request), request, now_us, emit);
}

}  // namespace takt::server
