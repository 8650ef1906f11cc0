#include "crypto/replay_window.h"

namespace takt::crypto {
namespace {

constexpr std::uint64_t mask_of(std::uint64_t number) { return std::uint64_t{1} << (number % 64); }
constexpr std::size_t word_of(std::uint64_t number) { return number % ReplayWindow::kMemory / 64; }

}  // namespace

ReplayWindow::Verdict ReplayWindow::may_open(std::uint64_t number) const noexcept {
  if (number > newest_) return Verdict::kNew;
  if (number == 0 || newest_ - number >= kMemory) return Verdict::kLate;
  return (bits_[word_of(number)] & mask_of(number)) != 0 ? Verdict::kReplayed : Verdict::kNew;
}

void ReplayWindow::record(std::uint64_t number) noexcept {
  if (number > newest_) {
    if (number - newest_ >= kMemory) {
      bits_.fill(0);
    } else {
      for (std::uint64_t skipped = newest_ + 1; skipped < number; ++skipped)
        bits_[word_of(skipped)] &= ~mask_of(skipped);
    }
    newest_ = number;
  }
  bits_[word_of(number)] |= mask_of(number);
}

}  // namespace takt::crypto
