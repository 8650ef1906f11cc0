#include "protocol/link/ack_window.h"

#include "protocol/wire/sequence.h"

namespace takt::protocol {

bool AckWindow::has(std::uint32_t sequence) const noexcept {
  std::uint32_t const at = sequence % kMemory;
  return ((bits_[at / 64] >> (at % 64)) & 1u) != 0;
}

void AckWindow::set(std::uint32_t sequence, bool value) noexcept {
  std::uint32_t const at = sequence % kMemory;
  std::uint64_t const mask = std::uint64_t{1} << (at % 64);
  if (value) {
    bits_[at / 64] |= mask;
  } else {
    bits_[at / 64] &= ~mask;
  }
}

AckWindow::Outcome AckWindow::handle_sequence(std::uint32_t sequence) noexcept {
  if (!any_) {
    any_ = true;
    newest_ = sequence;
    span_ = 1;
    arrived_ = 1;
    set(sequence, true);
    return Outcome::kFresh;
  }
  std::int32_t const distance = sequence_distance(sequence, newest_);
  if (distance > 0) {
    auto const ahead = static_cast<std::uint32_t>(distance);
    if (ahead > kAheadMax) return Outcome::kAhead;
    if (ahead >= kMemory) {
      bits_.fill(0);
    } else {
      for (std::uint32_t between = newest_ + 1; between != sequence; ++between) set(between, false);
    }
    newest_ = sequence;
    span_ += ahead;
    ++arrived_;
    set(sequence, true);
    return Outcome::kFresh;
  }
  auto const behind = static_cast<std::uint32_t>(newest_ - sequence);
  if (behind >= kMemory) return Outcome::kStale;
  if (has(sequence)) return Outcome::kDuplicate;
  set(sequence, true);
  ++arrived_;
  // Older than the first arrival, which a reordered start can bring: the span begins there.
  if (behind >= span_) span_ = std::uint64_t{behind} + 1;
  return Outcome::kFresh;
}

std::uint64_t AckWindow::ack_bits() const noexcept {
  if (!any_) return 0;
  std::uint64_t bits = 0;
  for (std::uint32_t i = 0; i < kAckBits; ++i) {
    if (has(newest_ - 1 - i)) bits |= std::uint64_t{1} << i;
  }
  return bits;
}

}  // namespace takt::protocol
