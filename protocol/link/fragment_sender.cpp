#include "protocol/link/fragment_sender.h"

#include <algorithm>

#include "takt/core/assert.h"

namespace takt::protocol {

void FragmentSender::push(std::span<const std::byte> message) {
  TAKT_ASSERT(!message.empty() && message.size() <= kReliableBytesMax);
  backlog_bytes_ += message.size();
  while (!message.empty()) {
    std::size_t const bytes = std::min(message.size(), kFragmentBytesMax);
    fragments_.push_back({{message.begin(), message.begin() + static_cast<std::ptrdiff_t>(bytes)},
                          bytes == message.size(),
                          State::kUnsent});
    message = message.subspan(bytes);
  }
}

FragmentSender::Fragment* FragmentSender::find(std::uint32_t number) noexcept {
  std::uint32_t const offset = number - base_;  // modulo 2^32: numbers below the base become huge
  return offset < fragments_.size() ? &fragments_[offset] : nullptr;
}

bool FragmentSender::is_ready() const noexcept {
  return lost_count_ > 0 || (unsent_ < window_ && unsent_ < fragments_.size());
}

bool FragmentSender::send(std::uint32_t offset, std::size_t room_bytes, Section& out) {
  Fragment& fragment = fragments_[offset];
  if (fragment.bytes.size() + kFragmentSectionBytes > room_bytes) return false;
  fragment.state = State::kInFlight;
  out = {SectionKind::kFragment, fragment.last, base_ + offset, fragment.bytes};
  return true;
}

bool FragmentSender::next(std::size_t room_bytes, Section& out) {
  while (!lost_.empty()) {
    Fragment const* fragment = find(lost_.front());
    if (fragment == nullptr || fragment->state != State::kLost) {
      lost_.pop_front();
      continue;
    }
    if (!send(lost_.front() - base_, room_bytes, out)) return false;
    lost_.pop_front();
    --lost_count_;
    ++resent_count_;
    return true;
  }
  if (unsent_ >= window_ || unsent_ >= fragments_.size() || !send(unsent_, room_bytes, out)) return false;
  ++unsent_;
  return true;
}

void FragmentSender::handle_delivered(std::uint32_t number) {
  Fragment* fragment = find(number);
  if (fragment == nullptr || fragment->state == State::kDelivered || fragment->state == State::kUnsent)
    return;
  if (fragment->state == State::kLost) --lost_count_;
  fragment->state = State::kDelivered;
  backlog_bytes_ -= fragment->bytes.size();
  while (!fragments_.empty() && fragments_.front().state == State::kDelivered) {
    fragments_.pop_front();
    ++base_;
    --unsent_;
  }
}

void FragmentSender::handle_lost(std::uint32_t number) {
  Fragment* fragment = find(number);
  if (fragment == nullptr || fragment->state != State::kInFlight) return;
  fragment->state = State::kLost;
  lost_.push_back(number);
  ++lost_count_;
}

}  // namespace takt::protocol
