// A client's picture of the server's bodies, built from snapshot parts in any order, with losses and duplicates: for every body the newest
// tick wins. It does not interpolate and does not know shapes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "protocol/message.h"

namespace takt::protocol {

class SnapshotDecoder {
 public:
  /// One body index. A removed body stays as a tombstone so that an older part cannot bring it back.
  struct Slot {
    BodyState state;
    std::uint64_t tick = 0;  ///< of the newest record
    bool present = false;
  };

  enum class Outcome : std::uint8_t {
    applied,      ///< at least looked at in full; older records of it may have lost against newer ones
    duplicate,    ///< this part was here before
    stale,        ///< more than kSnapshotAgeTicksMax older than the newest
    index_range,  ///< names a body index >= kBodyIndexMax or null: refused whole
  };

  /// Applies a verified part. On `applied`, records in `part` that a newer removal or a newer generation has overtaken are taken out of it, so
  /// that what remains are valid samples (tick, state) for an interpolator, newest or not.
  Outcome handle_part(SnapshotPart& part);

  /// By body index; look at `present`.
  [[nodiscard]] std::span<const Slot> slots() const noexcept { return slots_; }
  /// The body with that id, or null.
  [[nodiscard]] const BodyState* find(BodyId id) const noexcept;
  [[nodiscard]] std::size_t body_count() const noexcept { return body_count_; }
  /// Newest tick of which anything arrived; 0 = nothing yet.
  [[nodiscard]] std::uint64_t newest_tick() const noexcept { return newest_tick_; }
  /// Newest tick all of whose parts arrived; 0 = none yet.
  [[nodiscard]] std::uint64_t complete_tick() const noexcept { return complete_tick_; }

 private:
  struct TickParts {
    std::uint64_t tick = 0;
    std::uint16_t part_count = 0;
    std::uint16_t arrived = 0;
    std::vector<bool> have;
  };
  TickParts* parts_of(std::uint64_t tick, std::uint16_t part_count);

  std::vector<Slot> slots_;
  std::vector<TickParts> ticks_;  // a ring of kSnapshotAgeTicksMax, by tick
  std::size_t body_count_ = 0;
  std::uint64_t newest_tick_ = 0;
  std::uint64_t complete_tick_ = 0;
  bool any_ = false;
};

}  // namespace takt::protocol
