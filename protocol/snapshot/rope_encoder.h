// RopeEncoder chooses, for one client, the ropes of the next snapshot, and tracks for each rope what was last
// sent and whether it arrived. A rope that changed since, or was lost, gains priority with each snapshot that
// it waits, so none starves. Ropes differ in size, so the budget is a credit of bytes. Each snapshot raises
// the credit by `bytes_per_snapshot`, and to that at most: what is not spent is not saved. Ropes go while the
// credit is positive; a rope larger than the rest of the credit leaves a debt that later snapshots pay.
// Removals of ropes cost no credit. SnapshotEncoder owns RopeEncoder and packs the bytes of RopeSource into
// snapshot parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "protocol/snapshot/rope_source.h"

namespace takt::protocol {

class RopeEncoder {
 public:
  /// `bytes_per_snapshot`: greater than 0, or no rope is ever sent.
  explicit RopeEncoder(std::size_t bytes_per_snapshot) noexcept : budget_(bytes_per_snapshot) {}

  /// Chooses ropes and removals for the next snapshot; call it once for each snapshot. True when there is
  /// anything to send: a rope, a removal, or the number of ropes that wait.
  bool choose(const RopeSource& source);
  /// The chosen ropes: indices of RopeSource::slots(), ascending, valid until the next choose().
  [[nodiscard]] std::span<const std::uint32_t> ropes() const noexcept { return chosen_; }
  /// The chosen removals, in the form of ropes().
  [[nodiscard]] std::span<const std::uint32_t> removals() const noexcept { return removals_; }
  /// Number of ropes that differ and exceeded the credit.
  [[nodiscard]] std::uint32_t deferred() const noexcept { return deferred_; }

  /// The chosen rope or removal `index` goes in snapshot `serial`, in `pieces` pieces: the slices of a rope,
  /// 1 for a removal.
  void note_sent(const RopeSource& source, std::uint32_t index, std::uint32_t serial, std::uint32_t pieces,
                 bool removal);
  /// A piece of rope or removal `index`, sent in snapshot `serial`, arrived or is lost. The caller calls it
  /// once for each piece. A later note_sent() makes it void.
  void settle(std::uint32_t index, std::uint32_t serial, bool delivered);

  /// The client may have forgotten its ropes: all count as lost and go again. So do removals, except those
  /// that are known to have arrived.
  void send_again();
  /// The client has begun anew, in another world: nothing counts as sent.
  void restart();
  /// True when every rope and removal of the source is known to have arrived.
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
