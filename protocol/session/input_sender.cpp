#include "protocol/session/input_sender.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "takt/core/assert.h"

namespace takt::protocol {
namespace {

// Tables around the inputs: root, identifier, Packet, Inputs, the vector's length and alignment.
constexpr std::size_t kMessageOverheadMax = 64;

constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

}  // namespace

std::size_t wire_bytes_max(const Command& command) {
  // The Input table with its vtable and vector entry is at most 48 bytes.
  return 48 + std::visit([](const auto& one) { return one.wire_bytes_max(); }, command);
}

std::uint32_t InputSender::push(std::uint64_t tick, Command command) {
  TAKT_ASSERT(!is_full());
  std::size_t const bytes = wire_bytes_max(command);
  pending_.push_back({{tick, next_sequence_, std::move(command)}, bytes, 0, 0});
  return next_sequence_++;
}

std::uint64_t InputSender::due_us(const Pending& pending, std::uint64_t retransmit_us) const noexcept {
  if (pending.times_sent == 0) return 0;
  if (over_stream_) return kNever;
  return pending.sent_us + (pending.times_sent < kRepeats ? kRepeatSpacing : retransmit_us);
}

bool InputSender::poll(std::uint64_t now_us, std::uint64_t retransmit_us, std::vector<Input>& out) {
  out.clear();
  std::size_t bytes = kMessageOverheadMax;
  for (Pending& pending : pending_) {
    if (due_us(pending, retransmit_us) > now_us) continue;
    if (out.size() == kInputsPerMessage || (bytes + pending.bytes > kUnreliableBytesMax && !out.empty()))
      break;
    bytes += pending.bytes;
    pending.sent_us = now_us;
    ++pending.times_sent;
    out.push_back(pending.input);
  }
  return !out.empty();
}

std::uint64_t InputSender::next_wakeup_us(std::uint64_t now_us, std::uint64_t retransmit_us) const noexcept {
  std::uint64_t wakeup_us = kNever;
  for (const Pending& pending : pending_) wakeup_us = std::min(wakeup_us, due_us(pending, retransmit_us));
  return std::max(wakeup_us, now_us);
}

bool InputSender::handle_ack(std::uint32_t sequence) {
  if (sequence >= next_sequence_) return false;
  while (!pending_.empty() && pending_.front().input.sequence <= sequence) pending_.pop_front();
  return true;
}

}  // namespace takt::protocol
