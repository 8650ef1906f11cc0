// Track stores the recent states of one body (Samples), and computes the body's state at a render tick (the
// tick to draw). Between two Samples it interpolates; after the newest Sample it holds that state. The server
// sends a body only when it changed, so two Samples far apart mean that the body rested and then moved.
// Sample::rested_until is the tick up to which the body had the state of the Sample before. It comes from
// complete snapshots (complete_ticks.h), or is assumed after a long silence. BodyStore has one Track per
// body; JitterBuffer decides the render tick.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "protocol/messages/body_state.h"

namespace takt::client {

inline constexpr std::uint64_t kNeverTick = std::numeric_limits<std::uint64_t>::max();

struct Sample {
  std::uint64_t tick = 0;
  std::uint64_t rested_until = 0;  ///< up to this tick the body had the state before this one; <= tick
  protocol::BodyState state;
};

class Track {
 public:
  /// Adds the body's state at `tick`; the order of ticks does not matter. `complete_before`: the newest tick
  /// before `tick` of a snapshot that arrived whole; 0 = none. That snapshot did not name the body unless a
  /// Sample has its tick, so the body had not changed by then. `interval_ticks`: ticks between two snapshots,
  /// at least 1.
  void add(std::uint64_t tick, std::uint64_t complete_before, std::uint64_t interval_ticks,
           const protocol::BodyState& state);
  /// The body is gone from `tick` on; the earliest of several such ticks counts.
  void remove_at(std::uint64_t tick) noexcept;

  /// The state at `render_tick`: exact at Samples, interpolated between them, constant after the newest. None
  /// before the first Sample and from remove_at() on. After more than kSamplesMax Samples the oldest stored
  /// state stands for those before it.
  [[nodiscard]] std::optional<protocol::BodyState> at(double render_tick) const;
  /// Forgets Samples that no render tick from this one on needs.
  void forget_before(double render_tick);

  [[nodiscard]] bool is_gone(double render_tick) const noexcept {
    return removed_at_ != kNeverTick && render_tick >= static_cast<double>(removed_at_);
  }
  /// True while at() has one answer for `render_tick` and each later one: until the next add() or
  /// remove_at().
  [[nodiscard]] bool is_settled(double render_tick) const noexcept {
    return removed_at_ == kNeverTick &&
           (samples_.empty() ||
            (sample_count() == 1 && static_cast<double>(samples_.back().tick) <= render_tick));
  }
  [[nodiscard]] std::size_t sample_count() const noexcept { return samples_.size() - forgotten_; }

  /// Maximum number of stored Samples; beyond it the oldest is forgotten. 256 snapshots are 4 s at 60 Hz. A
  /// longer delay of the JitterBuffer shows the body with the delay of 256 snapshots.
  static constexpr std::size_t kSamplesMax = 256;

 private:
  [[nodiscard]] std::vector<Sample>::iterator begin() noexcept {
    return samples_.begin() + static_cast<std::ptrdiff_t>(forgotten_);
  }
  [[nodiscard]] std::vector<Sample>::const_iterator begin() const noexcept {
    return samples_.begin() + static_cast<std::ptrdiff_t>(forgotten_);
  }
  void forget(std::size_t count);

  std::vector<Sample> samples_;  // tick ascending, behind the forgotten ones
  std::size_t forgotten_ = 0;    // at the front; fewer than the others, or 0
  std::uint64_t removed_at_ = kNeverTick;
  bool is_cut_ = false;  // a Sample was forgotten for want of room
};

}  // namespace takt::client
