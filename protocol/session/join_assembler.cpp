#include "protocol/session/join_assembler.h"

#include <utility>

#include "takt/core/hash.h"

namespace takt::protocol {

JoinAssembler::Outcome JoinAssembler::reset(Outcome outcome) noexcept {
  active_ = false;
  bytes_.clear();
  return outcome;
}

JoinAssembler::Outcome JoinAssembler::handle_slice(JoinSlice&& slice) {
  if (!active_ || slice.offset == 0) {
    if (slice.offset != 0 || slice.total_bytes > bytes_max_) return reset(Outcome::kBad);
    bytes_.clear();
    tick_ = slice.tick;
    total_bytes_ = slice.total_bytes;
    hash_ = slice.hash;
    active_ = true;
  }
  bool const follows = slice.tick == tick_ && slice.total_bytes == total_bytes_ && slice.hash == hash_ &&
                       slice.offset == bytes_.size();
  // An empty slice of an unfinished image would let a hostile server keep us busy for ever.
  if (!follows || (slice.bytes.empty() && total_bytes_ != 0)) return reset(Outcome::kBad);
  bytes_.insert(bytes_.end(), slice.bytes.begin(), slice.bytes.end());
  if (bytes_.size() < total_bytes_) return Outcome::kNeedMore;
  if (bytes_.size() > total_bytes_ || hash_bytes(bytes_) != hash_) return reset(Outcome::kBad);
  active_ = false;
  return Outcome::kComplete;
}

std::vector<std::byte> JoinAssembler::take_bytes() noexcept { return std::exchange(bytes_, {}); }

}  // namespace takt::protocol
