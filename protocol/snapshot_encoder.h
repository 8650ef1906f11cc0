// Decides, for one client, which bodies go into a tick's snapshot, and keeps what that client is known to hold (its baseline, per body).
//
// A body is sent when its revision differs from the one last sent, or when the datagram that carried it was lost; records are absolute, so a
// part can be applied without any other. When more bodies differ than the tick's byte budget holds, those with the greatest accumulated
// priority go first (ties: lower index), the others gain priority and follow within a few ticks: nobody starves.
//
// It does not serialise (message_writer.h), does not know loss itself (the link reports tokens), and keeps no copy of the world: memory is
// 24 bytes a body and a bounded list of parts in flight. Idea: G. Fiedler, State Synchronization (2015); the bookkeeping is our own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "protocol/message.h"
#include "protocol/snapshot_source.h"

namespace takt::protocol {

struct SnapshotBudget {
  /// Serialised bytes of body records per encode() call. The default, 4 full datagrams, is 52 bodies a tick: at 60 Hz 270 kB/s for a client
  /// whose whole world moves. Less is spent when less changes.
  std::size_t bytes_per_tick = 4 * kUnreliableBytesMax;
  /// Extra budget while the client holds no complete baseline yet, so that a join fills in quickly.
  std::size_t bytes_per_tick_first = 16 * kUnreliableBytesMax;
};

class SnapshotEncoder {
 public:
  explicit SnapshotEncoder(SnapshotBudget budget = {}) : budget_(budget) {}

  /// The parts of the source's tick for this client. Empty when the client needs nothing, except that at least one (empty) part is written
  /// every kSnapshotIdleTicks so that the client sees time pass. Each part gets a token; report its fate exactly once.
  struct Outgoing {
    std::uint64_t token = 0;
    SnapshotPart part;
  };
  [[nodiscard]] std::vector<Outgoing> encode(const SnapshotSource& source);

  /// The part arrived: what it held is the client's, unless something newer was sent since.
  void handle_delivered(std::uint64_t token);
  /// The part is lost or was never sent: what it held, and is still the latest sent, must go again.
  void handle_lost(std::uint64_t token);

  /// The newest tick all of whose parts, with nothing deferred or outstanding, are known to have arrived; 0 = none yet.
  [[nodiscard]] std::uint64_t baseline_tick() const noexcept { return baseline_tick_; }
  [[nodiscard]] std::size_t parts_in_flight() const noexcept { return in_flight_.size(); }
  /// True when the client is known to hold exactly the source's present state.
  [[nodiscard]] bool is_settled(const SnapshotSource& source) const noexcept;

  /// An idle world still says its tick this often.
  static constexpr std::uint64_t kSnapshotIdleTicks = 6;
  /// Parts remembered; beyond it the oldest counts as lost.
  static constexpr std::size_t kPartsInFlightMax = 4096;

 private:
  struct Slot {
    std::uint64_t sent_revision = 0;  // of the latest record sent; 0 = never
    std::uint64_t sent_generation = 0;  // upper half of the id last sent, or of the removal
    std::uint32_t priority = 0;
    bool delivered = false;  // the latest record sent has arrived
    bool lost = false;       // ... has been lost
    bool holds_body = false; // the client may hold a body here (something was sent, no removal since)
  };
  struct PartInFlight {
    std::uint64_t token = 0;
    std::uint64_t tick = 0;
    std::uint64_t revision = 0;
    std::vector<std::uint32_t> indices;
  };

  void settle(PartInFlight& part, bool delivered);

  SnapshotBudget budget_;
  std::vector<Slot> slots_;
  std::deque<PartInFlight> in_flight_;  // token ascending
  std::uint64_t next_token_ = 1;
  std::uint64_t baseline_tick_ = 0;
  std::uint64_t last_written_tick_ = 0;
  bool wrote_any_ = false;
};

}  // namespace takt::protocol
