// CompleteTicks lists the ticks of the last 256 snapshots that arrived with all parts and had no record
// deferred for lack of space. A body that such a snapshot does not name had not changed by its tick. Session
// has one list for bodies and one for ropes; tracks use the ticks to tell rest from loss (track.h,
// rope_store.h).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>

namespace takt::client {

class CompleteTicks {
 public:
  /// In any order.
  void note(std::uint64_t tick) {
    ticks_.insert(std::upper_bound(ticks_.begin(), ticks_.end(), tick), tick);
    if (ticks_.size() > kKept) ticks_.pop_front();
  }
  /// 0 = none.
  [[nodiscard]] std::uint64_t newest_before(std::uint64_t tick) const noexcept {
    auto const at = std::lower_bound(ticks_.begin(), ticks_.end(), tick);
    return at == ticks_.begin() ? 0 : *std::prev(at);
  }
  [[nodiscard]] std::uint64_t newest() const noexcept { return ticks_.empty() ? 0 : ticks_.back(); }
  void clear() noexcept { ticks_.clear(); }

  static constexpr std::size_t kKept = 256;

 private:
  std::deque<std::uint64_t> ticks_;  // ascending
};

}  // namespace takt::client
