#include "protocol/confirmed/confirmed_sender.h"

#include <algorithm>
#include <utility>

#include "protocol/confirmed/confirmed_batch.h"
#include "takt/core/assert.h"

namespace takt::protocol {
namespace {

/// Ticks that a batch carries although nobody wants them, because a wanted one follows: mostly empty ones.
constexpr std::uint64_t kBridgeTicks = 8;

/// Weight of one batch in the loss: 75 batches that arrive bring 10 % down to 1 %.
constexpr double kLossGain = 1.0 / 32;

}  // namespace

void ConfirmedSender::start(std::uint64_t tick) {
  stop();
  is_active_ = waits_for_image_ = true;
  base_ = tick;
}

void ConfirmedSender::stop() {
  std::uint64_t const next_token = first_token_ + in_flight_.size();
  *this = {};
  first_token_ = next_token;
}

std::vector<OutgoingBatch> ConfirmedSender::poll(std::uint64_t now_us, const ConfirmedLog& log,
                                                 const Path& path) {
  std::vector<OutgoingBatch> out;
  if (!is_active_) return out;
  TAKT_ASSERT(!has_fallen_behind(log));
  while (end() < log.end_tick()) {
    ConfirmedTick const& tick = log.at(end());
    is_urgent_ = is_urgent_ || (tick.has_inputs && tick.sole_player != path.player);
    if (tick.has_inputs) acted_us_ = now_us;
    unsent_bytes_ += tick.record.size();
    ticks_.emplace_back();
  }
  if (waits_for_image_ && !(path.is_reliable_idle && path.is_image_there)) return out;
  waits_for_image_ = false;
  if (unsent_bytes_ > kReliableAbove && path.is_reliable_idle) {
    OutgoingBatch& batch = out.emplace_back();
    std::uint64_t const to = write_batch(log, path.epoch, base_, end(), kReliableBytes, batch.bytes);
    for (std::uint64_t tick = base_; tick < to; ++tick)
      if (at(tick).copies == 0) unsent_bytes_ -= log.at(tick).record.size();
    finish(base_, to);
    sent_us_ = now_us;
    return out;
  }
  bool const is_quiet = now_us >= acted_us_ + kQuietAfterUs;
  std::uint64_t const urgent_us = copies() > 1 ? 0 : kUrgentIntervalUs;
  bool const is_due = is_cut_ || (is_urgent_ && now_us >= sent_us_ + urgent_us) ||
                      now_us >= sent_us_ + (is_quiet ? kQuietIntervalUs : kIntervalUs);
  if (!is_due) return out;
  is_urgent_ = is_cut_ = false;
  for (std::uint64_t first = next_wanted(base_); first != end(); first = next_wanted(first)) {
    if (out.size() == kBatchesMax) {
      is_cut_ = true;  // the rest follows with the next tick
      break;
    }
    OutgoingBatch& batch = out.emplace_back();
    std::uint64_t const to =
        write_batch(log, path.epoch, first, end_of_run(first), kDatagramBytes, batch.bytes);
    for (std::uint64_t tick = first; tick < to; ++tick)
      if (at(tick).copies == 0) unsent_bytes_ -= log.at(tick).record.size();
    sent_us_ = now_us;
    if (batch.bytes.size() > kDatagramBytes) {  // one tick that fits no datagram
      finish(first, to);
      first = std::max(to, base_);
      continue;
    }
    for (std::uint64_t tick = first; tick < to; ++tick) {
      Tick& one = at(tick);
      ++one.in_flight;
      if (one.copies < kCopiesMax) ++one.copies;
    }
    batch.token = kTokenBit | (first_token_ + in_flight_.size());
    in_flight_.push_back({first, to, false});
    first = to;
  }
  return out;
}

void ConfirmedSender::handle_settled(std::uint64_t token, bool delivered) {
  std::uint64_t const number = token & ~kTokenBit;
  if (number < first_token_ || number - first_token_ >= in_flight_.size()) return;
  InFlight& batch = in_flight_[static_cast<std::size_t>(number - first_token_)];
  if (std::exchange(batch.is_settled, true)) return;
  loss_ += ((delivered ? 0.0 : 1.0) - loss_) * kLossGain;
  for (std::uint64_t tick = std::max(batch.first, base_); tick < batch.end; ++tick) {
    Tick& one = at(tick);
    --one.in_flight;
    if (delivered) one.is_done = true;
    if (one.is_done || one.in_flight > 0) continue;
    one.copies = 1;  // all were lost: the next batches carry it, two at a high loss
    is_urgent_ = true;
  }
  for (; !in_flight_.empty() && in_flight_.front().is_settled; in_flight_.pop_front()) ++first_token_;
  drop_done();
}

std::uint64_t ConfirmedSender::next_wanted(std::uint64_t tick) {
  while (tick < end() && !is_wanted(at(tick))) ++tick;
  return std::min(tick, end());
}

std::uint64_t ConfirmedSender::end_of_run(std::uint64_t first) {
  std::uint64_t stop = first + 1;
  for (std::uint64_t next = next_wanted(stop); next != end() && next <= stop + kBridgeTicks;
       next = next_wanted(stop))
    stop = next + 1;
  return stop;
}

void ConfirmedSender::finish(std::uint64_t first, std::uint64_t end) {
  for (std::uint64_t tick = first; tick < end; ++tick) {
    at(tick).is_done = true;
    at(tick).copies = kCopiesMax;
  }
  drop_done();
}

void ConfirmedSender::drop_done() {
  for (; !ticks_.empty() && ticks_.front().is_done; ticks_.pop_front()) ++base_;
}

}  // namespace takt::protocol
