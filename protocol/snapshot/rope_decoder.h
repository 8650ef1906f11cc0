// RopeDecoder joins, on a client, slices of ropes (rope_codec.h) that arrive in any order, with losses and
// duplicates. It returns a rope's state when all its slices of one snapshot have arrived. It also tracks
// which ropes exist: for each rope index, the record of the greatest serial (number of a snapshot) decides.
// SnapshotDecoder owns RopeDecoder; client_sdk/cpp/rope_store.h interpolates the states.
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
  /// Slices of a snapshot part, each part once. Ropes that are whole with them are appended to `whole`: valid
  /// samples of the part's tick, newest or not. Ids of ropes whose index another one has taken go to `gone`.
  void handle_slices(std::uint32_t serial, std::vector<RopeSlice>&& slices, std::vector<RopeState>& whole,
                     std::vector<RopeId>& gone);
  /// Removals of the part; those that the client had go to `gone`.
  void handle_removed(std::uint32_t serial, std::span<const RopeId> removed, std::vector<RopeId>& gone);

  [[nodiscard]] std::size_t rope_count() const noexcept;
  /// Newest first, these many snapshots of a rope may wait for slices at once; an older one is given up.
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
