#include "protocol/confirmed/confirmed_receiver.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace takt::protocol {

ConfirmedReceiver::Outcome ConfirmedReceiver::handle_slice(ConfirmedSlice&& slice, std::uint32_t epoch) {
  if (slice.total_bytes == 0) return handle_batch(slice.bytes, epoch);
  if (slice.offset == 0) {
    slices_.clear();
    slices_total_ = slice.total_bytes;
  }
  if (slice.total_bytes != slices_total_ || slice.offset != slices_.size()) return Outcome::kBad;
  slices_.insert(slices_.end(), slice.bytes.begin(), slice.bytes.end());
  if (slices_.size() < slices_total_) return Outcome::kTaken;
  slices_total_ = 0;
  return handle_batch(std::exchange(slices_, {}), epoch);
}

ConfirmedReceiver::Outcome ConfirmedReceiver::handle_batch(std::span<const std::byte> bytes,
                                                           std::uint32_t epoch) {
  auto batch = read_batch(bytes);
  if (!batch) return Outcome::kBad;
  if (epoch != 0 && batch->epoch != epoch) return Outcome::kOtherEpoch;
  if (next_tick_ && batch->end_tick <= *next_tick_) return Outcome::kTaken;
  auto const [from, to] = waiting_.equal_range(batch->first_tick);
  if (std::any_of(from, to, [&](const auto& one) { return one.second.end_tick >= batch->end_tick; }))
    return Outcome::kTaken;
  waiting_bytes_ += batch->memory_bytes();
  std::uint64_t const first_tick = batch->first_tick;
  waiting_.emplace(first_tick, *std::move(batch));
  bool const is_bounded = waiting_.size() <= kConfirmedBatchesMax && waiting_bytes_ <= kConfirmedBytesMax;
  return is_bounded ? Outcome::kTaken : Outcome::kBad;
}

void ConfirmedReceiver::start_at(std::uint64_t tick) { next_tick_ = tick; }

void ConfirmedReceiver::reset() noexcept {
  next_tick_.reset();
  waiting_.clear();
  waiting_bytes_ = 0;
  slices_.clear();
  slices_total_ = 0;
}

std::optional<ConfirmedBatch> ConfirmedReceiver::take() {
  if (!next_tick_) return std::nullopt;
  ConfirmedBatch out;
  out.first_tick = out.end_tick = *next_tick_;
  while (!waiting_.empty() && waiting_.begin()->first <= out.end_tick) {
    ConfirmedBatch batch = std::move(waiting_.begin()->second);
    waiting_bytes_ -= batch.memory_bytes();
    waiting_.erase(waiting_.begin());
    out.epoch = batch.epoch;
    for (TickBytes& one : batch.records)
      if (one.tick >= out.end_tick) out.records.push_back(std::move(one));
    out.end_tick = std::max(out.end_tick, batch.end_tick);
  }
  if (out.end_tick == out.first_tick) return std::nullopt;
  next_tick_ = out.end_tick;
  return out;
}

}  // namespace takt::protocol
