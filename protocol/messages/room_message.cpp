#include "protocol/messages/room_message.h"

namespace takt::protocol {

std::string_view name_of(ControlAction action) noexcept {
  switch (action) {
    case ControlAction::kPause: return "pause";
    case ControlAction::kResume: return "resume";
    case ControlAction::kStep: return "step";
    case ControlAction::kSetSpeed: return "set_speed";
    case ControlAction::kLoadScene: return "load_scene";
    case ControlAction::kSeek: return "seek";
  }
  return "unknown";
}

std::string_view name_of(ControlStatus status) noexcept {
  switch (status) {
    case ControlStatus::kDone: return "done";
    case ControlStatus::kRefusedPermission: return "refused_permission";
    case ControlStatus::kRefusedRange: return "refused_range";
    case ControlStatus::kRefusedUnknownScene: return "refused_unknown_scene";
    case ControlStatus::kRefusedNotHere: return "refused_not_here";
    case ControlStatus::kFailed: return "failed";
  }
  return "unknown";
}

}  // namespace takt::protocol
