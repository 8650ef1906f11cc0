// PartCollector joins a list of one tick (contacts or joints of the server's solver) that arrives in numbered
// parts, in several unreliable messages. Parts come in any order, twice or never. handle_part() returns the
// list when its last missing part arrives, and none otherwise. A part of a newer tick discards an unfinished
// older list; parts of older ticks are ignored. Session has one collector for contacts and one for joints,
// and stores the finished lists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace takt::client {

template <class Item>
class PartCollector {
 public:
  /// Handles a part of the list of `tick`. `part` is below `part_count`, which the message's reader checks.
  /// Returns the whole list, once, when this part completes it. A part with another `part_count` than those
  /// before begins the list again.
  std::optional<std::vector<Item>> handle_part(std::uint64_t tick, std::size_t part, std::size_t part_count,
                                               std::vector<Item> items) {
    if (has_begun_ && tick < tick_) return std::nullopt;
    if (!has_begun_ || tick > tick_ || parts_.size() != part_count) {
      has_begun_ = true;
      tick_ = tick;
      parts_.assign(part_count, std::nullopt);
      missing_ = part_count;
    }
    if (parts_[part]) return std::nullopt;
    parts_[part] = std::move(items);
    if (--missing_ > 0) return std::nullopt;
    std::vector<Item> whole;
    for (const std::optional<std::vector<Item>>& one : parts_)
      whole.insert(whole.end(), one->begin(), one->end());
    return whole;
  }

  /// Forgets all parts, for another world or when the client receives no lists any more.
  void clear() noexcept { has_begun_ = false; }

 private:
  bool has_begun_ = false;
  std::uint64_t tick_ = 0;
  std::size_t missing_ = 0;
  std::vector<std::optional<std::vector<Item>>> parts_;
};

}  // namespace takt::client
