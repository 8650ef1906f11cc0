// SnapshotDecoder stores, on a client, the newest known state of every body, from snapshot parts in any
// order, with losses and duplicates. For each body index, the record of the greatest serial (number of a
// snapshot) wins. Slices of ropes go to a RopeDecoder; take_ropes() returns the ropes of the last part as
// RopeNews. ClientInbox owns SnapshotDecoder, passes it the parts of one epoch, and replaces it for the next.
// The C++ SDK's Session stores shapes, and its Track interpolates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "protocol/messages/message.h"
#include "protocol/snapshot/rope_decoder.h"

namespace takt::protocol {

/// Rope updates of one part.
struct RopeNews {
  std::vector<RopeState> ropes;  ///< complete states at the part's tick
  std::vector<RopeId> gone;      ///< ropes that do not exist from the part's tick on
};

class SnapshotDecoder {
 public:
  /// One body index. A removed body stays as a tombstone so that an older part cannot bring it back.
  struct Slot {
    BodyState state;
    std::uint64_t tick = 0;    ///< of the newest record
    std::uint32_t serial = 0;  ///< of the newest record; 0 = never any
    bool present = false;
  };

  enum class Outcome : std::uint8_t {
    kApplied,       ///< each record is stored, unless a newer one of its body index is
    kCompleted,     ///< as kApplied, and all parts of the snapshot have arrived
    kDuplicate,     ///< the part has arrived before
    kStale,         ///< kSnapshotAgeMax or more snapshots older than the newest
    kIndexRange,    ///< an id without generation or with an index >= kBodyIndexMax: no record is stored
    kInconsistent,  ///< tick or part count of another part of the snapshot differs: no record is stored
    kBadRopes,      ///< decode_rope_slices() refused the ropes: no record is stored
  };

  /// Applies a part that MessageReader has read. On kApplied and kCompleted, records that a newer removal or
  /// a reuse of the index makes void are erased from `part`, and so are inputs of movers without a record.
  /// The remaining states are valid at part.tick and may be older than the stored ones, as an interpolator
  /// needs.
  [[nodiscard]] Outcome handle_part(SnapshotPart& part);

  /// Rope updates of the part that was applied last; a second call returns none.
  [[nodiscard]] RopeNews take_ropes() { return std::exchange(rope_news_, {}); }
  [[nodiscard]] const RopeDecoder& ropes() const noexcept { return ropes_; }

  /// By body index; only slots with `present` have a body.
  [[nodiscard]] std::span<const Slot> slots() const noexcept { return slots_; }
  /// The state of the body with that id, or null. Valid until the next handle_part().
  [[nodiscard]] const BodyState* find(BodyId id) const noexcept;
  [[nodiscard]] std::size_t body_count() const noexcept { return body_count_; }
  /// Tick of the newest snapshot of which anything arrived; 0 = nothing yet.
  [[nodiscard]] std::uint64_t newest_tick() const noexcept { return newest_tick_; }
  /// Serial of that snapshot; 0 = nothing yet.
  [[nodiscard]] std::uint32_t newest_serial() const noexcept { return newest_serial_; }
  /// Tick of the newest snapshot all of whose parts arrived; 0 = none yet.
  [[nodiscard]] std::uint64_t complete_tick() const noexcept { return complete_tick_; }

 private:
  struct Parts {
    std::uint32_t serial = 0;
    std::uint64_t tick = 0;
    std::uint16_t part_count = 0;
    std::uint16_t arrived = 0;
    std::vector<bool> have;
  };

  void apply_bodies(SnapshotPart& part);
  void apply_removals(SnapshotPart& part);

  std::vector<Slot> slots_;
  RopeDecoder ropes_;
  RopeNews rope_news_;
  std::vector<Parts> parts_;  // ring by serial
  std::size_t body_count_ = 0;
  std::uint64_t newest_tick_ = 0;
  std::uint64_t complete_tick_ = 0;
  std::uint32_t newest_serial_ = 0;
  std::uint32_t complete_serial_ = 0;
};

}  // namespace takt::protocol
