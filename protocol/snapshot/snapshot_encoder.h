// SnapshotEncoder decides, for one client, which bodies go into a snapshot, and stores what the client was
// last sent of each body and whether it arrived. A lost datagram therefore delays its own records by a
// time-out, at most 13 bodies or 130 removals, and no others. ServerPeer has one encoder; SnapshotSource is
// the world that it compares with.
//
// A body is sent when its revision differs from the one last sent, or when its last record was lost. Records
// are absolute, so a part can be applied without any other. Removals go first. When more bodies differ than
// the byte budget (SnapshotBudget) holds, those with the greatest accumulated priority go first (ties: lower
// index). The others gain priority with each snapshot: nobody starves. RopeEncoder chooses the ropes.
//
// encode() returns parts with tokens. ServerPeer writes the parts as messages and reports which tokens
// arrived or were lost. Memory is 24 bytes a body, a slot for each rope, and a bounded list of parts in
// flight, without a copy of the world. Idea: G. Fiedler, State Synchronization (2015); the bookkeeping is our
// own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <vector>

#include "protocol/messages/message.h"
#include "protocol/snapshot/rope_encoder.h"
#include "protocol/snapshot/snapshot_source.h"

namespace takt::protocol {

struct SnapshotBudget {
  /// Bytes of body records per encode() call. The default, 4 full datagrams, is 52 bodies: at 60 Hz 270 kB/s
  /// for a client whose whole world moves. Less is spent when less changes.
  std::size_t bytes_per_snapshot = 4 * kSnapshotBodiesPerPart * kBodyStateBytes;
  /// Budget while this client has not received every body once, so that a join fills in quickly: 5,000 bodies
  /// in 24 snapshots.
  std::size_t bytes_per_snapshot_joining = 16 * kSnapshotBodiesPerPart * kBodyStateBytes;
  /// Budget for a stream from the server's own machine, whose bytes cost nothing: 208 bodies. Bodies that
  /// wait for a later snapshot lengthen the delay of their display: 130 bodies in motion take three snapshots
  /// of the usual budget, so that each has a state in every third tick.
  std::size_t bytes_per_snapshot_local = 16 * kSnapshotBodiesPerPart * kBodyStateBytes;
  /// Bytes of ropes per call, on the mean, to a client that asks for them: two full datagrams, some 1,200
  /// nodes that swing; at 60 Hz 125 kB/s.
  std::size_t rope_bytes_per_snapshot = 4 * kRopeSliceBytesMax;
};

class SnapshotEncoder {
 public:
  explicit SnapshotEncoder(const SnapshotBudget& budget = {})
      : budget_(budget), ropes_(budget.rope_bytes_per_snapshot) {}

  struct Outgoing {
    std::uint64_t token = 0;  ///< report its delivery with handle_delivered or handle_lost, once
    SnapshotPart part;
  };
  /// The parts that bring this client nearer to the source. Empty when there is nothing to say, except that
  /// every kIdleSnapshots-th call writes at least one (empty) part, so that the client sees the tick pass.
  /// `want_ropes`: the client asks for ropes. `bytes_max`: what the path takes now, if that is less than the
  /// budget.
  [[nodiscard]] std::vector<Outgoing> encode(const SnapshotSource& source, bool want_ropes = false,
                                             std::size_t bytes_max = std::numeric_limits<std::size_t>::max());
  /// The last encode() left bodies out because of its `bytes_max`.
  [[nodiscard]] bool was_cut() const noexcept { return was_cut_; }

  /// The part arrived: what it held is the client's, unless something newer was sent since. Unknown and
  /// settled tokens are ignored.
  void handle_delivered(std::uint64_t token) { settle(token, true); }
  /// The part is lost or was never sent: what it held, and is still the latest sent, must go again.
  void handle_lost(std::uint64_t token) { settle(token, false); }

  /// The client has asked anew which things it wants, and may have forgotten its ropes.
  void send_ropes_again() { ropes_.send_again(); }

  /// The client has forgotten everything (a new epoch): nothing counts as sent, and the delivery of parts
  /// under way no longer matters. Serials go on.
  void restart();

  /// The newest snapshot all of whose parts are known to have arrived; 0 = none yet.
  [[nodiscard]] std::uint32_t baseline() const noexcept { return baseline_; }
  [[nodiscard]] std::size_t parts_in_flight() const noexcept { return in_flight_.size(); }
  /// True when the client is known to hold exactly the source's present state.
  [[nodiscard]] bool is_settled(const SnapshotSource& source) const noexcept;

  static constexpr std::uint32_t kIdleSnapshots = 6;
  /// Parts remembered; beyond it the oldest counts as lost.
  static constexpr std::size_t kPartsInFlightMax = 4096;

 private:
  enum class Delivery : std::uint8_t { kUnsent, kInFlight, kDelivered, kLost };
  struct Slot {
    std::uint64_t sent_revision = 0;
    std::uint32_t sent_serial = 0;  // the snapshot that carried the latest record
    std::uint32_t priority = 0;
    Delivery delivery = Delivery::kUnsent;  // of the latest record
    bool sent_removal = false;              // the latest record was a removal
  };
  struct PartInFlight {
    std::uint32_t serial = 0;
    bool settled = false;
    std::vector<std::uint32_t> indices;
    std::vector<std::uint32_t> ropes;  // indices, one for each piece
  };
  struct Candidate {
    std::uint32_t priority = 0;
    std::uint32_t index = 0;
  };

  [[nodiscard]] bool is_dirty(const Slot& slot, const SnapshotSource::Slot& source) const noexcept;
  void gather(const SnapshotSource& source);
  [[nodiscard]] std::uint32_t select(std::size_t bytes_max);
  [[nodiscard]] std::vector<Outgoing> pack(const SnapshotSource& source, std::uint32_t deferred);
  void settle(std::uint64_t token, bool delivered);
  void track_baseline(std::uint32_t serial, bool delivered);

  SnapshotBudget budget_;
  RopeEncoder ropes_;
  bool wants_ropes_ = false;
  bool has_ropes_to_say_ = false;
  std::vector<Slot> slots_;
  std::deque<PartInFlight> in_flight_;  // of tokens first_token_, first_token_ + 1, ...
  std::uint64_t first_token_ = 1;
  std::uint32_t serial_ = 0;
  std::uint32_t baseline_ = 0;
  std::uint32_t idle_calls_ = 0;
  bool joining_ = true;
  bool was_cut_ = false;

  struct Tally {
    std::uint32_t serial = 0;
    std::uint32_t outstanding = 0;
    bool lost_any = false;
  };
  std::deque<Tally> tallies_;  // serial ascending

  std::vector<Candidate> bodies_;  // scratch of one encode()
  std::vector<std::uint32_t> removals_;
};

}  // namespace takt::protocol
