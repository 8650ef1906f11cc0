#include "server/tick_rate.h"

#include <algorithm>

namespace takt::server {

std::optional<protocol::ControlStatus> TickRate::apply(const protocol::Control& control) noexcept {
  using enum protocol::ControlStatus;
  switch (control.action) {
    case protocol::ControlAction::kPause: pause(); return kDone;
    case protocol::ControlAction::kResume:
      paused_ = false;
      steps_left_ = 0;
      return kDone;
    case protocol::ControlAction::kStep:
      if (control.tick < 1 || control.tick > protocol::kControlStepsMax) return kRefusedRange;
      // Steps that are asked for faster than they run are all owed.
      steps_left_ = std::min(steps_left_ + control.tick, protocol::kControlStepsMax);
      paused_ = true;
      return kDone;
    case protocol::ControlAction::kSetSpeed:
      if (!(control.speed >= protocol::kControlSpeedMin && control.speed <= protocol::kControlSpeedMax))
        return kRefusedRange;
      speed_ = control.speed;
      return kDone;
    case protocol::ControlAction::kLoadScene:
    case protocol::ControlAction::kSeek: break;
  }
  return std::nullopt;
}

void TickRate::pause() noexcept {
  paused_ = true;
  steps_left_ = 0;
}

bool TickRate::count_tick() noexcept { return steps_left_ > 0 && --steps_left_ == 0; }

}  // namespace takt::server
