// CompleteTicks lists the newest 256 ticks of complete snapshots. A snapshot is complete if all its parts
// arrived and no record was deferred for lack of space. A body that a complete snapshot does not name had not
// changed since the server last sent it. Session has one list for bodies and one for ropes. Session passes
// these ticks to Track and RopeTrack, which distinguish rest from loss by them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>

namespace takt::client {

class CompleteTicks {
 public:
  /// Adds the tick of a complete snapshot. The order of ticks does not matter.
  void note(std::uint64_t tick) {
    ticks_.insert(std::upper_bound(ticks_.begin(), ticks_.end(), tick), tick);
    if (ticks_.size() > kKept) ticks_.pop_front();
  }
  /// The greatest stored tick below `tick`; 0 = none.
  [[nodiscard]] std::uint64_t newest_before(std::uint64_t tick) const noexcept {
    auto const at = std::lower_bound(ticks_.begin(), ticks_.end(), tick);
    return at == ticks_.begin() ? 0 : *std::prev(at);
  }
  /// The greatest stored tick; 0 = none.
  [[nodiscard]] std::uint64_t newest() const noexcept { return ticks_.empty() ? 0 : ticks_.back(); }
  void clear() noexcept { ticks_.clear(); }

  static constexpr std::size_t kKept = 256;

 private:
  std::deque<std::uint64_t> ticks_;  // ascending
};

}  // namespace takt::client
