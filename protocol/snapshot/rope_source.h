// RopeSource stores the server's current ropes as bytes for the wire, each with a revision that grows when
// its bytes or its presence change. update() encodes the ropes that changed since the update before, once for
// the encoders of all clients. While no client asks for ropes, the caller passes std::nullopt to update(),
// and the list stays as it was. RopeSource stores no history; RopeEncoder decides for each client what is
// sent. SnapshotSource has one RopeSource.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "protocol/messages/rope_state.h"

namespace takt::protocol {

class RopeSource {
 public:
  /// The slot of one rope index. `revision` 0 = this index never held a rope.
  struct Slot {
    RopeId id = 0;                               ///< of the present rope, or of the last one
    std::vector<std::vector<std::byte>> slices;  ///< of the present rope, by encode_rope(); else empty
    std::size_t bytes = 0;                       ///< of all slices of the present rope, or of the last one
    std::uint64_t revision = 0;                  ///< number of the update that last changed bytes or presence
    bool present = false;
  };

  /// Takes all ropes of a tick, in any order. Each id occurs once, has a generation, and an index below
  /// kRopeIndexMax (asserted). Ropes that are not in the list are gone. Without a list (std::nullopt: no
  /// client asked) is_listed() is false, and nothing else changes.
  void update(std::optional<std::span<const RopeState>> ropes);

  /// True when the last update() had a list; no ropes are sent otherwise.
  [[nodiscard]] bool is_listed() const noexcept { return listed_; }
  /// By rope index; the size is the highest index seen + 1.
  [[nodiscard]] std::span<const Slot> slots() const noexcept { return slots_; }

 private:
  std::vector<Slot> slots_;
  std::vector<std::uint64_t> seen_;  // by index: the update that last listed it
  std::vector<RopeState> last_;      // by index: what the slices were coded from
  std::uint64_t revision_ = 0;
  bool listed_ = false;
};

}  // namespace takt::protocol
