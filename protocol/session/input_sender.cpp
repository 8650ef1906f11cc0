#include "protocol/session/input_sender.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "protocol/messages/same_command.h"
#include "takt/core/assert.h"

namespace takt::protocol {
namespace {

// Tables around the inputs: root, identifier, Packet, Inputs, the vector's length and alignment.
constexpr std::size_t kMessageOverheadMax = 64;

constexpr std::uint64_t kNothingDue = std::numeric_limits<std::uint64_t>::max();

}  // namespace

std::size_t wire_bytes_max(const Command& command) {
  // The Input table with its vtable and vector entry is at most 48 bytes.
  return 48 + std::visit([](const auto& one) { return one.wire_bytes_max(); }, command);
}

std::uint32_t InputSender::push(std::uint64_t tick, Command command) {
  TAKT_ASSERT(!is_full());
  std::size_t const bytes = wire_bytes_max(command);
  Command const* const before = !pending_.empty() ? &pending_.back().input.command
                                : acknowledged_   ? &*acknowledged_
                                                  : nullptr;
  bool const is_repeat = !over_stream_ && before != nullptr && same_command(*before, command);
  pending_.push_back({{tick, next_sequence_, std::move(command)}, bytes, 0, 0, is_repeat});
  return next_sequence_++;
}

std::uint64_t InputSender::due_us(const Pending& pending, std::uint64_t retransmit_us) const noexcept {
  if (pending.times_sent == 0) return 0;
  if (over_stream_) return kNothingDue;
  if (pending.times_sent >= kRepeats) return pending.sent_us + retransmit_us;
  // An input that changes the command need not have a successor: who lets go of the stick sends no more.
  return pending.sent_us + (pending.is_repeat ? spacing_us_ : kRepeatSpacing);
}

bool InputSender::poll(std::uint64_t now_us, std::uint64_t retransmit_us, std::vector<Input>& out) {
  out.clear();
  std::size_t bytes = kMessageOverheadMax;
  bool const has_new = !pending_.empty() && pending_.back().times_sent == 0;
  if (has_new) follow_rate(now_us);
  for (Pending& pending : pending_) {
    // A frame of 60 Hz may come some 10 us early.
    bool const rides = has_new && !over_stream_ && pending.times_sent < kRepeats &&
                       now_us + kMillisecond >= pending.sent_us + kRepeatSpacing;
    if (!rides && due_us(pending, retransmit_us) > now_us) continue;
    if (out.size() == kInputsPerMessage || (bytes + pending.bytes > kUnreliableBytesMax && !out.empty()))
      break;
    bytes += pending.bytes;
    pending.sent_us = now_us;
    ++pending.times_sent;
    out.push_back(pending.input);
  }
  return !out.empty();
}

// The next input goes out about as long after this one as this one after the last.
void InputSender::follow_rate(std::uint64_t now_us) noexcept {
  std::uint64_t const gap_us = now_us - new_sent_us_;
  new_sent_us_ = now_us;
  constexpr std::uint64_t kJitterUs = 2 * kMillisecond;
  spacing_us_ = gap_us <= kRideMax ? std::max(gap_us + kJitterUs, kRepeatSpacing) : kRepeatSpacing;
}

bool InputSender::repeats(const std::vector<Input>& batch) const noexcept {
  if (over_stream_ || batch.empty() || !acknowledged_) return false;
  for (const Pending& pending : pending_) {
    if (!pending.is_repeat) return false;
    if (pending.input.sequence == batch.back().sequence) return true;
  }
  return false;
}

std::uint64_t InputSender::next_wakeup_us(std::uint64_t now_us, std::uint64_t retransmit_us) const noexcept {
  std::uint64_t wakeup_us = kNothingDue;
  for (const Pending& pending : pending_) wakeup_us = std::min(wakeup_us, due_us(pending, retransmit_us));
  return std::max(wakeup_us, now_us);
}

bool InputSender::handle_ack(std::uint32_t sequence) {
  if (sequence >= next_sequence_) return false;
  while (!pending_.empty() && pending_.front().input.sequence <= sequence) {
    acknowledged_ = std::move(pending_.front().input.command);
    pending_.pop_front();
  }
  return true;
}

}  // namespace takt::protocol
