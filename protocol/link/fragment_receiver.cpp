#include "protocol/link/fragment_receiver.h"

#include <bit>
#include <utility>

#include "takt/core/assert.h"

namespace takt::protocol {

FragmentReceiver::FragmentReceiver(std::uint32_t window) : places_(window) {
  // The ring is indexed by number modulo window: only powers of two stay aligned when the number wraps at
  // 2^32.
  TAKT_ASSERT(std::has_single_bit(window));
}

FragmentReceiver::Outcome FragmentReceiver::handle_fragment(const Section& fragment) {
  if (failed_) return Outcome::kOversize;
  std::uint32_t const ahead = fragment.fragment - next_;  // modulo 2^32
  if (ahead >= places_.size()) return ahead >= 0x8000'0000u ? Outcome::kDuplicate : Outcome::kOutOfWindow;
  Place& place = places_[fragment.fragment % places_.size()];
  if (place.filled) return Outcome::kDuplicate;
  place.bytes.assign(fragment.payload.begin(), fragment.payload.end());
  place.filled = true;
  place.last = fragment.last_of_message;
  for (;;) {
    Place& front = places_[next_ % places_.size()];
    if (!front.filled) break;
    if (partial_.size() + front.bytes.size() > kReliableBytesMax) {
      failed_ = true;
      return Outcome::kOversize;
    }
    partial_.insert(partial_.end(), front.bytes.begin(), front.bytes.end());
    front.filled = false;
    ++next_;
    if (!front.last) continue;
    complete_.push_back(std::move(partial_));
    partial_.clear();
  }
  return Outcome::kFresh;
}

bool FragmentReceiver::poll_message(std::vector<std::byte>& out) {
  if (complete_.empty()) return false;
  out = std::move(complete_.front());
  complete_.pop_front();
  return true;
}

}  // namespace takt::protocol
