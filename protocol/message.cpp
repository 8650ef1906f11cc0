#include "protocol/message.h"

namespace takt::protocol {

std::string_view name_of(RefuseReason reason) noexcept {
  switch (reason) {
    case RefuseReason::none: return "none";
    case RefuseReason::version_mismatch: return "version_mismatch";
    case RefuseReason::scene_mismatch: return "scene_mismatch";
    case RefuseReason::numbers_mismatch: return "numbers_mismatch";
    case RefuseReason::mode_unsupported: return "mode_unsupported";
    case RefuseReason::server_full: return "server_full";
    case RefuseReason::shutting_down: return "shutting_down";
    case RefuseReason::bad_request: return "bad_request";
    case RefuseReason::challenge_failed: return "challenge_failed";
  }
  return "unknown";
}

std::string_view name_of(DisconnectReason reason) noexcept {
  switch (reason) {
    case DisconnectReason::none: return "none";
    case DisconnectReason::client_left: return "client_left";
    case DisconnectReason::server_stopped: return "server_stopped";
    case DisconnectReason::timed_out: return "timed_out";
    case DisconnectReason::kicked: return "kicked";
    case DisconnectReason::protocol_error: return "protocol_error";
    case DisconnectReason::slow_reader: return "slow_reader";
    case DisconnectReason::connection_lost: return "connection_lost";
    case DisconnectReason::replaced: return "replaced";
  }
  return "unknown";
}

std::string_view name_of(NumbersMode mode) noexcept {
  switch (mode) {
    case NumbersMode::any: return "any";
    case NumbersMode::float_mode: return "float";
    case NumbersMode::fixed_mode: return "fixed";
  }
  return "unknown";
}

std::string_view name_of(ReplicationMode mode) noexcept {
  switch (mode) {
    case ReplicationMode::snapshot: return "snapshot";
    case ReplicationMode::rollback: return "rollback";
    case ReplicationMode::lockstep: return "lockstep";
  }
  return "unknown";
}

std::string_view name_of(InputStatus status) noexcept {
  switch (status) {
    case InputStatus::applied: return "applied";
    case InputStatus::moved: return "moved";
    case InputStatus::refused_invalid: return "refused_invalid";
    case InputStatus::refused_permission: return "refused_permission";
    case InputStatus::refused_rate: return "refused_rate";
    case InputStatus::refused_unknown_body: return "refused_unknown_body";
    case InputStatus::refused_late: return "refused_late";
    case InputStatus::refused_limit: return "refused_limit";
    case InputStatus::refused_early: return "refused_early";
  }
  return "unknown";
}

std::string printable_text(std::string_view text) {
  std::string out;
  for (char const c : text) {
    auto const byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) out += c;
    if (out.size() == kReasonTextBytesMax) break;
  }
  return out;
}

}  // namespace takt::protocol
