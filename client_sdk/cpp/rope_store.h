// RopeStore stores, for each rope, its states at recent ticks, as snapshots brought them, and computes all
// ropes at the render tick (the tick to draw). RopeTrack does this for one rope: between two stored ticks it
// interpolates linearly. After the newest stored tick a rope continues its motion for at most kGuessTicksMax
// ticks. It stands still if it sleeps, or if a later complete snapshot (complete_ticks.h) shows that it
// rests. Session has one RopeStore; SnapshotDecoder decodes, and the application draws. The JavaScript SDK
// has equal rules (client_sdk/js/src/rope.ts).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

#include "protocol/messages/rope_state.h"
#include "takt/client/inspection.h"

namespace takt::client {

class RopeTrack {
 public:
  /// Adds the rope's state at `tick`; the order of ticks does not matter. `complete_before`: the newest tick
  /// before `tick` of a snapshot that arrived whole and had room for all ropes; 0 = none.
  void add(std::uint64_t tick, std::uint64_t complete_before, protocol::RopeState&& rope);

  /// Computes the rope at `tick`: exact at stored ticks, interpolated between them, and extrapolated after
  /// the newest. `complete_tick` is the newest tick of a complete snapshot; after a newer one than the newest
  /// stored tick the rope rests. False before the first stored tick. Forgets states that no later tick needs,
  /// so `tick` does not decrease from call to call.
  [[nodiscard]] bool show_at(double tick, std::uint64_t complete_tick);
  /// Node positions of the last show_at() that returned true; so are the next three values.
  [[nodiscard]] const std::vector<Position>& nodes() const noexcept { return nodes_; }
  [[nodiscard]] const std::vector<float>& tensions_n() const noexcept { return tensions_n_; }
  [[nodiscard]] float radius_m() const noexcept { return radius_m_; }
  [[nodiscard]] bool asleep() const noexcept { return asleep_; }

  /// Number of nodes, summed over all stored ticks.
  [[nodiscard]] std::size_t node_count() const noexcept;
  /// The oldest stored tick; 0 = none.
  [[nodiscard]] std::uint64_t first_tick() const noexcept {
    return samples_.empty() ? 0 : samples_.front().tick;
  }

  /// The tick from which on the rope does not exist; the maximum = not known to end.
  std::uint64_t gone_at = std::numeric_limits<std::uint64_t>::max();

  /// Maximum number of stored ticks of one rope; beyond it the oldest is forgotten. 64 cover a delay of one
  /// second at 60 Hz.
  static constexpr std::size_t kSamplesMax = 64;
  /// Maximum number of ticks for which a rope continues its last motion after its newest stored tick. If a
  /// snapshot has no room for all ropes, a rope is in every few snapshots only.
  static constexpr double kGuessTicksMax = 6;

 private:
  struct Sample {
    std::uint64_t tick = 0;
    std::uint64_t rested_until = 0;  // it kept the sample before this one until here; <= tick
    protocol::RopeState rope;
  };
  void blend(const protocol::RopeState& from, const protocol::RopeState& to, double fraction);

  std::vector<Sample> samples_;  // tick ascending
  std::vector<Position> nodes_;
  std::vector<float> tensions_n_;
  float radius_m_ = 0;
  bool asleep_ = false;
};

class RopeStore {
 public:
  /// RopeTrack::add() for the rope of `rope.id`. A state of a rope that is gone counts only from gone_at on,
  /// and then begins the rope again.
  void add(std::uint64_t tick, std::uint64_t complete_before, protocol::RopeState&& rope);
  /// The rope is gone from `tick` on. A `tick` at or before the rope's first stored one is ignored. If gone
  /// ropes that show_at() has not passed have more than kGoneNodesMax nodes, all of them are forgotten now.
  void remove_at(std::uint64_t tick, RopeId rope);
  /// Returns all ropes at this tick (RopeTrack::show_at), in id order; valid until the next call.
  [[nodiscard]] const std::vector<Rope>& show_at(double tick, std::uint64_t complete_tick);
  /// Forgets all ropes, for another world or when the client receives no ropes any more.
  void clear();

  /// Maximum number of nodes of gone ropes, summed over all stored ticks. The limit bounds the memory of a
  /// client that never draws, and the effect of false ticks of a server.
  static constexpr std::size_t kGoneNodesMax = 1u << 20;

 private:
  std::map<RopeId, RopeTrack> tracks_;
  std::size_t gone_nodes_ = 0;
  std::vector<Rope> shown_ropes_;
};

}  // namespace takt::client
