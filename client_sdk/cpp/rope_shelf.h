// Ropes as a client shows them: for each a few ticks' nodes, put together from slices, and the rope at the render tick between two of them. It draws nothing and
// knows no message but Ropes. The JavaScript SDK's rules are the same (client_sdk/js/src/rope.ts).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "protocol/room_message.h"
#include "takt/client/inspection.h"

namespace takt::client {

class RopeTrack {
 public:
  /// Nodes of a rope at `tick`, behind one another those of the whole slice; slices in any order, maybe again.
  void add(std::uint64_t tick, const protocol::RopeSlice& slice, std::span<const protocol::RopeNode> nodes);

  /// Works out the rope at this tick: exact at ticks that were told whole, interpolated between, a little further as it moved behind the last. False before the
  /// first. Forgets what no later tick needs.
  [[nodiscard]] bool show_at(double tick);
  /// Of show_at().
  [[nodiscard]] const std::vector<Position>& nodes() const noexcept { return nodes_; }
  [[nodiscard]] const std::vector<float>& tensions_n() const noexcept { return tensions_n_; }
  [[nodiscard]] float radius_m() const noexcept { return radius_m_; }
  [[nodiscard]] bool asleep() const noexcept { return asleep_; }

  /// The newest tick of which all nodes are here.
  [[nodiscard]] std::optional<std::uint64_t> newest_tick() const noexcept;
  /// The tick from which it is no more.
  std::uint64_t gone_at = std::numeric_limits<std::uint64_t>::max();

  /// Ticks kept of one rope: what a render tick can lie between, with room for a slow network.
  static constexpr std::size_t kSamplesMax = 64;
  /// Past its newest tick a rope goes on as it last moved, for at most this long: ropes of many nodes are told every few ticks only.
  static constexpr double kGuessTicksMax = 6;

 private:
  struct Sample {
    std::uint64_t tick = 0;
    float radius_m = 0;
    bool asleep = false;
    std::vector<Position> nodes;
    std::vector<float> tensions_n;
    std::vector<std::uint32_t> firsts;  // of the slices that are here
    std::size_t missing = 0;            // nodes
  };
  [[nodiscard]] Sample* sample_at(std::uint64_t tick, const protocol::RopeSlice& slice);
  void blend(const Sample& from, const Sample& to, double share);

  std::vector<Sample> samples_;  // tick ascending
  std::vector<Position> nodes_;
  std::vector<float> tensions_n_;
  float radius_m_ = 0;
  bool asleep_ = false;
};

class RopeShelf {
 public:
  void handle_part(const protocol::Ropes& part);
  /// Every rope at this tick, in the order of ids; valid until the next call of anything here.
  [[nodiscard]] const std::vector<Rope>& show_at(double tick);
  /// Another world, or nothing wanted any more.
  void clear();

  /// Ropes followed at once; a hostile server cannot make us keep more.
  static constexpr std::size_t kRopesMax = 4096;

 private:
  void note_whole(const protocol::Ropes& part);

  std::map<RopeId, RopeTrack> tracks_;
  std::vector<Rope> shown_;
  // The newest set of all ropes: its tick, the parts that came, and the ropes in them.
  std::optional<std::uint64_t> whole_tick_;
  std::set<std::uint16_t> whole_parts_;
  std::set<RopeId> whole_ropes_;
};

}  // namespace takt::client
