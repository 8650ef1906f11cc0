// SnapshotEncoder decides, for one client, which bodies go into a snapshot. It stores what the client was
// last sent of each body, and whether that arrived. A lost datagram therefore delays its own records by a
// time-out, at most 13 bodies or 130 removals, and no others. ServerPeer has one encoder; SnapshotSource has
// the world to compare with.
//
// A body is sent when its revision differs from the one last sent, or when its last record was lost. Records
// are absolute, so a part can be applied without any other. Removals go first. When more bodies differ than
// the byte budget (SnapshotBudget) holds, bodies with the greatest accumulated priority go first (ties: lower
// index). The others gain priority with each snapshot, faster bodies more, so none starves. RopeEncoder
// chooses the ropes, which have a budget of their own. To a client that asks for movers, the record of a
// mover's body goes with the mover's input, also when that alone has changed.
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
  /// Greatest number of bytes of body records and removals in a snapshot; one body or removal always fits.
  /// The default, 4 full datagrams, is 52 bodies: at 60 Hz 270 kB/s for a client whose whole world moves.
  std::size_t bytes_per_snapshot = 4 * kSnapshotBodiesPerPart * kBodyStateBytes;
  /// Budget of a snapshot while a body was never sent to this client, so that a join fills in quickly: 5,000
  /// bodies in 25 snapshots.
  std::size_t bytes_per_snapshot_joining = 16 * kSnapshotBodiesPerPart * kBodyStateBytes;
  /// ServerPeer sets bytes_per_snapshot to at least this for a stream from the server's own machine, whose
  /// bytes cost nothing: 208 bodies. With the usual budget, 130 moving bodies take three snapshots, so that
  /// each has a state in every third tick and is displayed later.
  std::size_t bytes_per_snapshot_local = 16 * kSnapshotBodiesPerPart * kBodyStateBytes;
  /// Mean bytes of ropes in a snapshot to a client that asks for ropes (RopeEncoder). The default is two full
  /// datagrams: some 1,200 swinging nodes, at 60 Hz 125 kB/s.
  std::size_t rope_bytes_per_snapshot = 4 * kRopeSliceBytesMax;
};

/// Contents of snapshots beside bodies, for the clients that need them.
struct SnapshotWants {
  bool ropes = false;
  bool movers = false;  ///< the inputs of movers; equal in all calls of an encoder
};

class SnapshotEncoder {
 public:
  explicit SnapshotEncoder(const SnapshotBudget& budget = {})
      : budget_(budget), ropes_(budget.rope_bytes_per_snapshot) {}

  struct Outgoing {
    std::uint64_t token = 0;  ///< report its delivery with handle_delivered or handle_lost, once
    SnapshotPart part;
  };
  /// The parts of the next snapshot, which reduce the difference between this client and the source. Without
  /// a difference there are none. Every kIdleSnapshots-th such call in a row gives one empty part, and so
  /// does the first call, so that the client sees the tick pass. `bytes_max`: what the path takes now of
  /// bodies and removals, if that is less than the budget.
  [[nodiscard]] std::vector<Outgoing> encode(const SnapshotSource& source, const SnapshotWants& wants = {},
                                             std::size_t bytes_max = std::numeric_limits<std::size_t>::max());
  /// True when the last encode() deferred bodies because of its `bytes_max`.
  [[nodiscard]] bool was_cut() const noexcept { return was_cut_; }

  /// The part arrived, and so did each of its records that no newer one has replaced. Unknown and settled
  /// tokens are ignored.
  void handle_delivered(std::uint64_t token) { settle(token, true); }
  /// The part is lost or was never sent. Each of its records that no newer one has replaced goes again.
  void handle_lost(std::uint64_t token) { settle(token, false); }

  /// The client sent an Inspect and may have forgotten its ropes (RopeEncoder::send_again).
  void send_ropes_again() { ropes_.send_again(); }

  /// The client has forgotten everything (a new epoch): nothing counts as sent, and the delivery of parts
  /// under way no longer matters. Serials go on. The next encode() gives at least one part.
  void restart();

  /// The newest snapshot all of whose parts are known to have arrived; 0 = none yet.
  [[nodiscard]] std::uint32_t baseline() const noexcept { return baseline_; }
  /// Parts from the oldest that is not settled to the newest.
  [[nodiscard]] std::size_t parts_in_flight() const noexcept { return in_flight_.size(); }
  /// True when the client is known to have the source's present bodies, and its ropes if the client wants
  /// them and the source lists them.
  [[nodiscard]] bool is_settled(const SnapshotSource& source) const noexcept;

  /// A tenth of a second at 60 snapshots a second.
  static constexpr std::uint32_t kIdleSnapshots = 6;
  /// Greatest number of parts in flight; with more, the oldest counts as lost.
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
  [[nodiscard]] std::uint64_t revision_of(const SnapshotSource::Slot& source) const noexcept;
  [[nodiscard]] std::uint32_t select(const SnapshotSource& source, std::size_t bytes_max);
  [[nodiscard]] std::vector<Outgoing> pack(const SnapshotSource& source, std::uint32_t deferred);
  void settle(std::uint64_t token, bool delivered);
  void track_baseline(std::uint32_t serial, bool delivered);

  SnapshotBudget budget_;
  RopeEncoder ropes_;
  SnapshotWants wants_;
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
