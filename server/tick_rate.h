// TickRate stores how fast a room or playback runs: paused, at a speed (ratio to real time), or for a number
// of single steps. apply() obeys the Control messages about this, and count_tick() counts steps down. Every
// speed simulates the same ticks with the same results. WorldPublisher has the TickRate; TickLoop reads it
// and the clock.
#pragma once

#include <cstdint>
#include <optional>

#include "protocol/messages/message.h"

namespace takt::server {

class TickRate {
 public:
  [[nodiscard]] bool is_paused() const noexcept { return paused_; }
  [[nodiscard]] float speed() const noexcept { return speed_; }
  /// Steps to run at once although the room is paused.
  [[nodiscard]] std::uint64_t steps_left() const noexcept { return steps_left_; }
  [[nodiscard]] double ticks_per_s(std::uint32_t tick_rate_hz) const noexcept {
    return paused_ ? 0.0 : static_cast<double>(speed_) * static_cast<double>(tick_rate_hz);
  }

  /// Does what the control asks; steps add to those left, up to kControlStepsMax, and says what became of it;
  /// none when it is not about the tick rate (load_scene, seek).
  [[nodiscard]] std::optional<protocol::ControlStatus> apply(const protocol::Control& control) noexcept;
  void pause() noexcept;
  /// A tick has run. True when it was the last of the steps asked for.
  bool count_tick() noexcept;

 private:
  bool paused_ = false;
  float speed_ = 1;
  std::uint64_t steps_left_ = 0;
};

}  // namespace takt::server
