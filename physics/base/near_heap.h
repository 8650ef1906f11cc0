// NearHeap is a priority queue of tree nodes: front() is the entry with the least key. A lower node precedes
// a higher one with the same key, so the order is the same with every standard library.
// DynamicTree::walk_nearest() fills one. clear() keeps the memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "takt/core/assert.h"

namespace takt {

class NearHeap {
 public:
  struct Entry {
    double key = 0.0;  ///< distance, m, or fraction, as the caller of the walk defines it; not NaN
    std::int32_t node = 0;
  };

  void clear() noexcept { entries_.clear(); }
  [[nodiscard]] bool is_empty() const noexcept { return entries_.empty(); }
  /// Returns the entry with the least key. The heap must not be empty.
  [[nodiscard]] const Entry& front() const noexcept { return entries_.front(); }

  void push(Entry entry) {
    entries_.push_back(entry);
    std::size_t at = entries_.size() - 1;
    while (at > 0 && is_before(entries_[at], entries_[(at - 1) / 2])) {
      std::swap(entries_[at], entries_[(at - 1) / 2]);
      at = (at - 1) / 2;
    }
  }
  /// Removes front(). The heap must not be empty.
  void pop() {
    TAKT_ASSERT(!entries_.empty());
    entries_.front() = entries_.back();
    entries_.pop_back();
    for (std::size_t at = 0;;) {
      std::size_t child = 2 * at + 1;
      if (child >= entries_.size()) return;
      if (child + 1 < entries_.size() && is_before(entries_[child + 1], entries_[child])) ++child;
      if (!is_before(entries_[child], entries_[at])) return;
      std::swap(entries_[at], entries_[child]);
      at = child;
    }
  }

 private:
  [[nodiscard]] static bool is_before(const Entry& a, const Entry& b) noexcept {
    return a.key < b.key || (a.key == b.key && a.node < b.node);
  }

  std::vector<Entry> entries_;
};

}  // namespace takt
