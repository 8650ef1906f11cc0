// PositionCorrections keeps the position corrections of a substep's impacts in the order of their impacts. A
// body's own corrections are a list, so measuring a contact visits those of its two bodies alone: a crowd
// that lands has thousands in one substep.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "takt/core/assert.h"
#include "takt/physics/vector.h"

namespace takt {

/// A correction of a body's position, m and rad.
struct PositionCorrection {
  std::uint32_t body = 0;  ///< solver index
  bool moves = false;      ///< under impulses
  Vec3<double> linear;
  Vec3<double> angular;
};

class PositionCorrections {
 public:
  /// Starts a tick, without corrections. Solver indices are below `body_count`.
  void begin(std::size_t body_count) {
    all_.clear();
    next_.clear();
    lists_.assign(body_count, {});
  }
  void add(const PositionCorrection& correction) {
    TAKT_ASSERT(correction.body < lists_.size());
    auto const index = static_cast<std::uint32_t>(all_.size());
    List& list = lists_[correction.body];
    (list.first == kNone ? list.first : next_[list.last]) = index;
    list.last = index;
    all_.push_back(correction);
    next_.push_back(kNone);
  }
  void clear() {
    for (const PositionCorrection& correction : all_) lists_[correction.body] = {};
    all_.clear();
    next_.clear();
  }

  /// All corrections, in the order of add(). The next add(), clear() or begin() makes the span invalid.
  [[nodiscard]] std::span<const PositionCorrection> all() const noexcept { return all_; }
  /// Calls visit(correction) for those of two different bodies, in the order of add().
  template <class Visit>
  void for_each_of(std::uint32_t body_a, std::uint32_t body_b, const Visit& visit) const {
    TAKT_ASSERT(body_a != body_b);
    std::uint32_t a = lists_[body_a].first;
    std::uint32_t b = lists_[body_b].first;
    while (a != kNone || b != kNone) {  // kNone is above each index
      std::uint32_t& first = a < b ? a : b;
      visit(all_[first]);
      first = next_[first];
    }
  }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  struct List {
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
  };

  std::vector<PositionCorrection> all_;
  std::vector<std::uint32_t> next_;  ///< by correction: the next of its body, or kNone
  std::vector<List> lists_;          ///< by body
};

}  // namespace takt
