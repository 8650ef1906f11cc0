// DueQueue orders keys (addresses or streams of sessions) by the time at which each has something to do. A
// wake-up then costs time for the sessions that are due, and not for all sessions. Keys of one time come in
// the order in which they were scheduled. ServerDatagrams and ServerStreamSessions have one each.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <utility>

namespace takt::protocol {

template <class Key>
class DueQueue {
 public:
  /// The time of a key that has nothing to do.
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

  /// Sets or replaces the time of the key; kNever removes the key.
  void schedule(const Key& key, std::uint64_t when_us) {
    forget(key);
    if (when_us == kNever) return;
    Place const place{when_us, ++turn_};
    order_.emplace(place, key);
    places_.emplace(key, place);
  }
  /// As schedule(), unless the key is due at `when_us` or earlier. At an equal time it keeps its turn.
  void hasten(const Key& key, std::uint64_t when_us) {
    auto const at = places_.find(key);
    if (at == places_.end() || at->second.first > when_us) schedule(key, when_us);
  }
  /// Removes the key, if it is there.
  void forget(const Key& key) {
    auto const at = places_.find(key);
    if (at == places_.end()) return;
    order_.erase(at->second);
    places_.erase(at);
  }
  /// Removes the first key whose time is at most `now_us`, and stores it in `out`; false: there is none.
  [[nodiscard]] bool pop(std::uint64_t now_us, Key& out) {
    if (order_.empty() || next_us() > now_us) return false;
    out = order_.begin()->second;
    forget(out);
    return true;
  }
  /// Time of the first key; kNever = the queue is empty.
  [[nodiscard]] std::uint64_t next_us() const noexcept {
    return order_.empty() ? kNever : order_.begin()->first.first;
  }

 private:
  using Place = std::pair<std::uint64_t, std::uint64_t>;  // time, and turn among equal times
  std::map<Place, Key> order_;
  std::map<Key, Place> places_;
  std::uint64_t turn_ = 0;
};

}  // namespace takt::protocol
