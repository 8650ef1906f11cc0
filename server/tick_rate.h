// TickRate stores how fast a room runs: paused, at a speed, or for a number of single steps. It applies the
// Control messages about this, and counts steps. The ticks that run are the same at every speed. TickLoop
// reads the clock.
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
  /// none when it is not about the pace (load_scene, seek).
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
