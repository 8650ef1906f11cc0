// TickRate stores how fast a room or playback runs: paused, at a speed (ratio to real time), or for a number
// of single steps. apply() obeys the Control messages about this, and count_tick() counts steps down. The
// speed is no input of a tick, so equal inputs give equal results at every speed. WorldPublisher has the
// TickRate; TickLoop reads it and the clock.
#pragma once

#include <cstdint>
#include <optional>

#include "protocol/messages/message.h"

namespace takt::server {

class TickRate {
 public:
  [[nodiscard]] bool is_paused() const noexcept { return paused_; }
  /// Ratio to real time, kControlSpeedMin to kControlSpeedMax; it is kept while paused.
  [[nodiscard]] float speed() const noexcept { return speed_; }
  /// Single steps that are still to run, without waiting for real time; above 0 only while paused.
  [[nodiscard]] std::uint64_t steps_left() const noexcept { return steps_left_; }
  /// Ticks per second of real time, 0 while paused. `tick_rate_hz` is the world's.
  [[nodiscard]] double ticks_per_s(std::uint32_t tick_rate_hz) const noexcept {
    return paused_ ? 0.0 : static_cast<double>(speed_) * static_cast<double>(tick_rate_hz);
  }

  /// Applies the control and returns kDone, or kRefusedRange for steps or a speed outside the protocol's
  /// limits. Returns none for a control that is not about the tick rate (load_scene, seek). Steps pause, and
  /// add to those left, up to kControlStepsMax. A resume drops the steps left.
  [[nodiscard]] std::optional<protocol::ControlStatus> apply(const protocol::Control& control) noexcept;
  /// Pauses, and drops the steps left.
  void pause() noexcept;
  /// Counts a tick down from the steps left. True when that was the last step.
  bool count_tick() noexcept;

 private:
  bool paused_ = false;
  float speed_ = 1;
  std::uint64_t steps_left_ = 0;
};

}  // namespace takt::server
