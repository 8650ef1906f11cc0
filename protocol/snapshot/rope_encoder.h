// RopeEncoder chooses, for one client, the ropes of the next snapshot, and tracks for each rope what was last
// sent and whether it arrived. A rope that changed since, or was lost, gains priority with each snapshot that
// it waits, so none starves. Ropes differ in size, so the budget is a credit of bytes that each snapshot
// raises. Ropes go while the credit is positive; a rope larger than the rest of the credit leaves a debt that
// later snapshots pay. Removals of ropes cost no credit. SnapshotEncoder owns RopeEncoder and packs the bytes
// of RopeSource into snapshot parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "protocol/snapshot/rope_source.h"

namespace takt::protocol {

class RopeEncoder {
 public:
  explicit RopeEncoder(std::size_t bytes_per_snapshot) noexcept : budget_(bytes_per_snapshot) {}

  /// Chooses what goes next; false when there is nothing to say. Call once for each snapshot that is asked
  /// for.
  bool choose(const RopeSource& source);
  /// Chosen: indices, ascending.
  [[nodiscard]] std::span<const std::uint32_t> ropes() const noexcept { return chosen_; }
  [[nodiscard]] std::span<const std::uint32_t> removals() const noexcept { return removals_; }
  /// Ropes that differ and had to wait.
  [[nodiscard]] std::uint32_t deferred() const noexcept { return deferred_; }

  /// The chosen rope or removal `index` goes in snapshot `serial`, in as many parts as it has pieces.
  void note_sent(const RopeSource& source, std::uint32_t index, std::uint32_t serial, std::uint32_t pieces,
                 bool removal);
  /// A piece of it, sent in `serial`, arrived or is lost.
  void settle(std::uint32_t index, std::uint32_t serial, bool delivered);

  /// The client may have forgotten what it was told: everything goes again, removals too.
  void send_again();
  /// The client has begun anew, in another world: nothing counts as sent.
  void restart();
  [[nodiscard]] bool is_settled(const RopeSource& source) const noexcept;

 private:
  enum class Delivery : std::uint8_t { kUnsent, kInFlight, kDelivered, kLost };
  struct Slot {
    std::uint64_t sent_revision = 0;
    std::uint32_t sent_serial = 0;
    std::uint32_t priority = 0;
    std::uint32_t outstanding = 0;          // pieces whose delivery is not known
    Delivery delivery = Delivery::kUnsent;  // of the latest record
    bool sent_removal = false;
  };
  [[nodiscard]] static bool is_dirty(const Slot& slot, const RopeSource::Slot& source) noexcept;

  std::size_t budget_;
  std::ptrdiff_t credit_ = 0;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> chosen_;
  std::vector<std::uint32_t> removals_;
  std::uint32_t deferred_ = 0;
};

}  // namespace takt::protocol
