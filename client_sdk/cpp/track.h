// Track stores the recent states of one body (Samples), and computes the body's state at a render tick (the
// tick to draw). Between two Samples it interpolates; behind the last it holds the last state. The server
// sends a body only when it changed, so two Samples far apart mean that the body rested and then moved.
// rested_until of a Sample is the tick up to which the body kept the Sample before. It comes from complete
// snapshots (complete_ticks.h), or is assumed after a long silence. Session has one Track per body;
// JitterBuffer decides the render tick.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "protocol/messages/body_state.h"

namespace takt::client {

inline constexpr std::uint64_t kNeverTick = std::numeric_limits<std::uint64_t>::max();

struct Sample {
  std::uint64_t tick = 0;
  std::uint64_t rested_until = 0;  ///< the body kept the sample before this one until here; <= tick
  protocol::BodyState state;
};

class Track {
 public:
  /// A record of the body at `tick`, in any order. `complete_before`: the newest tick before it of a snapshot
  /// that arrived whole and did not name the body, so that it had not changed by then; 0 = none.
  /// `interval_ticks`: between two snapshots.
  void add(std::uint64_t tick, std::uint64_t complete_before, std::uint64_t interval_ticks,
           const protocol::BodyState& state);
  /// The body is gone from `tick` on.
  void remove_at(std::uint64_t tick) noexcept;

  /// The state at `render_tick`: exact at samples, interpolated between, held behind the last. None before
  /// the first sample and once it is gone.
  [[nodiscard]] std::optional<protocol::BodyState> at(double render_tick) const;
  /// Forgets what no later render tick needs.
  void forget_before(double render_tick);

  [[nodiscard]] bool is_gone(double render_tick) const noexcept {
    return removed_at_ != kNeverTick && render_tick >= static_cast<double>(removed_at_);
  }
  [[nodiscard]] std::size_t sample_count() const noexcept { return samples_.size(); }

  /// More samples than the longest buffer holds; past it the oldest goes.
  static constexpr std::size_t kSamplesMax = 256;

 private:
  std::vector<Sample> samples_;  // tick ascending
  std::uint64_t removed_at_ = kNeverTick;
};

}  // namespace takt::client
