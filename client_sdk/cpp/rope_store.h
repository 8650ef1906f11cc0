// RopeStore stores, for each rope, its states at recent ticks, as snapshots brought them, and computes all
// ropes at the render tick (the tick to draw). RopeTrack does this for one rope: between two stored ticks it
// interpolates linearly. Behind the last stored tick a rope continues its motion for at most kGuessTicksMax
// ticks. It stands still if it sleeps, or if a later complete snapshot (complete_ticks.h) shows that it
// rests. Session has one RopeStore; SnapshotDecoder decodes, and the application draws. The JavaScript SDK's
// rules are the same (client_sdk/js/src/rope.ts).
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
  /// The rope at `tick`, in any order. `complete_before`: the newest tick before it of a snapshot that
  /// arrived whole and had room for all ropes; 0 = none.
  void add(std::uint64_t tick, std::uint64_t complete_before, protocol::RopeState&& rope);

  /// Works out the rope at this tick: exact at ticks that were told, interpolated between, a little further
  /// as it moved behind the last, unless a complete snapshot since (of `complete_tick`) says that it rests.
  /// False before the first. Forgets what no later tick needs.
  [[nodiscard]] bool show_at(double tick, std::uint64_t complete_tick);
  /// Node positions of the last show_at().
  [[nodiscard]] const std::vector<Position>& nodes() const noexcept { return nodes_; }
  [[nodiscard]] const std::vector<float>& tensions_n() const noexcept { return tensions_n_; }
  [[nodiscard]] float radius_m() const noexcept { return radius_m_; }
  [[nodiscard]] bool asleep() const noexcept { return asleep_; }

  /// Nodes over all stored ticks.
  [[nodiscard]] std::size_t node_count() const noexcept;
  /// The first that is kept.
  [[nodiscard]] std::uint64_t first_tick() const noexcept {
    return samples_.empty() ? 0 : samples_.front().tick;
  }

  /// The tick from which it is no more.
  std::uint64_t gone_at = std::numeric_limits<std::uint64_t>::max();

  /// Ticks kept of one rope: what a render tick can lie between, with room for a slow network.
  static constexpr std::size_t kSamplesMax = 64;
  /// Past its newest tick a rope goes on as it last moved, for at most this long: where there are more than
  /// fit a snapshot they take turns.
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
  void add(std::uint64_t tick, std::uint64_t complete_before, protocol::RopeState&& rope);
  /// The rope is gone from `tick` on; at once where ropes that are gone but were not shown to their end have
  /// more than kGoneNodesMax nodes.
  void remove_at(std::uint64_t tick, RopeId rope);
  /// Every rope at this tick, in the order of ids; valid until the next call of anything here.
  [[nodiscard]] const std::vector<Rope>& show_at(double tick, std::uint64_t complete_tick);
  /// Another world, or nothing wanted any more.
  void clear();

  /// Maximum number of nodes, over all stored ticks, of ropes that are gone: a client may never draw, and a
  /// server may send false ticks.
  static constexpr std::size_t kGoneNodesMax = 1u << 20;

 private:
  std::map<RopeId, RopeTrack> tracks_;
  std::size_t gone_nodes_ = 0;
  std::vector<Rope> shown_ropes_;
};

}  // namespace takt::client
