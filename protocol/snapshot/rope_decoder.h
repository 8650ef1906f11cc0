// RopeDecoder joins, on a client, slices of ropes (rope_codec.h) that arrive in any order, with losses and
// duplicates. It returns a rope's state when all its slices of one snapshot have arrived. It also tracks
// which ropes exist: for each rope index, the slice or removal of the greatest serial (number of a snapshot)
// decides. Slices that exceed kRopeNodesPerClient nodes in all are dropped. SnapshotDecoder owns RopeDecoder
// and drops repeated parts; client_sdk/cpp/rope_store.h interpolates the states.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "protocol/messages/rope_codec.h"

namespace takt::protocol {

class RopeDecoder {
 public:
  /// Takes the slices of a snapshot part, each part once, as decode_rope_slices() returned them. Ropes that
  /// are complete now are appended to `whole`. They are states at the part's tick, which may be older than
  /// earlier ones. The id of a rope whose index another rope has now is appended to `gone`.
  void handle_slices(std::uint32_t serial, std::vector<RopeSlice>&& slices, std::vector<RopeState>& whole,
                     std::vector<RopeId>& gone);
  /// Takes the removals of a part. Ids of ropes that existed here are appended to `gone`.
  void handle_removed(std::uint32_t serial, std::span<const RopeId> removed, std::vector<RopeId>& gone);

  /// Number of ropes that exist, with or without a complete state. Costs time for each index ever seen.
  [[nodiscard]] std::size_t rope_count() const noexcept;
  /// Greatest number of snapshots of one rope that wait for slices at once; the oldest gives way.
  static constexpr std::size_t kWaitingMax = 4;

 private:
  struct Waiting {
    std::uint32_t serial = 0;
    std::uint32_t node_count = 0;
    std::uint32_t here = 0;  // nodes
    std::vector<RopeSlice> slices;
  };
  // One rope index. A removed rope stays as a tombstone so that an older part cannot bring it back.
  struct Slot {
    RopeId id = 0;
    std::uint32_t serial = 0;  // of the newest record
    std::uint32_t node_count = 0;
    bool present = false;
    std::vector<Waiting> waiting;
  };
  [[nodiscard]] static std::optional<RopeState> collect(Slot& slot, std::uint32_t serial, RopeSlice&& slice);

  std::map<std::uint32_t, Slot> slots_;  // by rope index
  std::size_t node_count_ = 0;           // of all ropes that are present
};

}  // namespace takt::protocol
