#include "protocol/messages/message.h"

#include "takt/core/bytes.h"

namespace takt::protocol {

std::string_view name_of(RefuseReason reason) noexcept {
  switch (reason) {
    case RefuseReason::kNone: return "none";
    case RefuseReason::kVersionMismatch: return "version_mismatch";
    case RefuseReason::kSceneMismatch: return "scene_mismatch";
    case RefuseReason::kNumbersMismatch: return "numbers_mismatch";
    case RefuseReason::kModeUnsupported: return "mode_unsupported";
    case RefuseReason::kServerFull: return "server_full";
    case RefuseReason::kShuttingDown: return "shutting_down";
    case RefuseReason::kBadRequest: return "bad_request";
    case RefuseReason::kChallengeFailed: return "challenge_failed";
    case RefuseReason::kTokenRequired: return "token_required";
    case RefuseReason::kTokenMalformed: return "token_malformed";
    case RefuseReason::kTokenWrongVersion: return "token_wrong_version";
    case RefuseReason::kTokenExpired: return "token_expired";
    case RefuseReason::kTokenTooLongLived: return "token_too_long_lived";
    case RefuseReason::kTokenWrongKey: return "token_wrong_key";
    case RefuseReason::kTokenWrongServer: return "token_wrong_server";
    case RefuseReason::kTokenForged: return "token_forged";
    case RefuseReason::kTokenReused: return "token_reused";
    case RefuseReason::kTokenWrongRoom: return "token_wrong_room";
    case RefuseReason::kTokenWrongRole: return "token_wrong_role";
    case RefuseReason::kTokenWrongMode: return "token_wrong_mode";
  }
  return "unknown";
}

std::string_view name_of(DisconnectReason reason) noexcept {
  switch (reason) {
    case DisconnectReason::kNone: return "none";
    case DisconnectReason::kClientLeft: return "client_left";
    case DisconnectReason::kServerStopped: return "server_stopped";
    case DisconnectReason::kTimedOut: return "timed_out";
    case DisconnectReason::kKicked: return "kicked";
    case DisconnectReason::kProtocolError: return "protocol_error";
    case DisconnectReason::kSlowReader: return "slow_reader";
    case DisconnectReason::kConnectionLost: return "connection_lost";
    case DisconnectReason::kReplaced: return "replaced";
  }
  return "unknown";
}

std::string_view name_of(NumbersMode mode) noexcept {
  switch (mode) {
    case NumbersMode::kAny: return "any";
    case NumbersMode::kFloatMode: return "float";
    case NumbersMode::kFixedMode: return "fixed";
  }
  return "unknown";
}

std::string_view name_of(Role role) noexcept {
  switch (role) {
    case Role::kPlayer: return "player";
    case Role::kSpectator: return "spectator";
  }
  return "unknown";
}

std::string_view name_of(ReplicationMode mode) noexcept {
  switch (mode) {
    case ReplicationMode::kSnapshot: return "snapshot";
    case ReplicationMode::kRollback: return "rollback";
    case ReplicationMode::kLockstep: return "lockstep";
    case ReplicationMode::kPredicted: return "predicted";
  }
  return "unknown";
}

std::string OfferedModes::text() const {
  std::string names;
  std::size_t count = 0;
  for (std::size_t i = 0; i < kReplicationModes; ++i) {
    auto const mode = static_cast<ReplicationMode>(i);
    if (!contains(mode)) continue;
    names += (count++ == 0 ? " " : ", ") + std::string(name_of(mode));
  }
  return (count == 1 ? "mode" : "modes") + names;
}

std::string_view name_of(CommandStatus status) noexcept {
  switch (status) {
    case CommandStatus::kApplied: return "applied";
    case CommandStatus::kMoved: return "moved";
    case CommandStatus::kRefusedInvalid: return "refused_invalid";
    case CommandStatus::kRefusedPermission: return "refused_permission";
    case CommandStatus::kRefusedRate: return "refused_rate";
    case CommandStatus::kRefusedUnknownBody: return "refused_unknown_body";
    case CommandStatus::kRefusedLate: return "refused_late";
    case CommandStatus::kRefusedLimit: return "refused_limit";
    case CommandStatus::kRefusedEarly: return "refused_early";
  }
  return "unknown";
}

std::string_view name_of(CommandRefusal refusal) noexcept {
  switch (refusal) {
    case CommandRefusal::kNone: return "none";
    case CommandRefusal::kWrongTick: return "wrong_tick";
    case CommandRefusal::kNotJoined: return "not_joined";
    case CommandRefusal::kAlreadyJoined: return "already_joined";
    case CommandRefusal::kTooManyPlayers: return "too_many_players";
    case CommandRefusal::kServerOnly: return "server_only";
    case CommandRefusal::kStaleSequence: return "stale_sequence";
    case CommandRefusal::kRateLimited: return "rate_limited";
    case CommandRefusal::kNotFinite: return "not_finite";
    case CommandRefusal::kOutOfRange: return "out_of_range";
    case CommandRefusal::kOverLimit: return "over_limit";
    case CommandRefusal::kUnknownBody: return "unknown_body";
    case CommandRefusal::kForbidden: return "forbidden";
    case CommandRefusal::kNotDynamic: return "not_dynamic";
    case CommandRefusal::kTooManySpawned: return "too_many_spawned";
    case CommandRefusal::kWorldFull: return "world_full";
    case CommandRefusal::kAlreadyGrabbing: return "already_grabbing";
    case CommandRefusal::kNotGrabbing: return "not_grabbing";
    case CommandRefusal::kTooManyForces: return "too_many_forces";
    case CommandRefusal::kNoGame: return "no_game";
    case CommandRefusal::kGameRefused: return "game_refused";
    case CommandRefusal::kPayloadTooLong: return "payload_too_long";
    case CommandRefusal::kBadShape: return "bad_shape";
    case CommandRefusal::kNotMover: return "not_mover";
    case CommandRefusal::kUnknownRope: return "unknown_rope";
    case CommandRefusal::kUnknownJoint: return "unknown_joint";
    case CommandRefusal::kBadSoftness: return "bad_softness";
    case CommandRefusal::kLimitsCrossed: return "limits_crossed";
    case CommandRefusal::kBadJointAxis: return "bad_joint_axis";
    case CommandRefusal::kBadCoupling: return "bad_coupling";
    case CommandRefusal::kTooLate: return "too_late";
    case CommandRefusal::kTooEarly: return "too_early";
    case CommandRefusal::kTooManyWaiting: return "too_many_waiting";
    case CommandRefusal::kMalformed: return "malformed";
    case CommandRefusal::kServerRate: return "server_rate";
    case CommandRefusal::kOtherWorld: return "other_world";
    case CommandRefusal::kPlayback: return "playback";
    case CommandRefusal::kSpectator: return "spectator";
    case CommandRefusal::kTooCrowded: return "too_crowded";
    case CommandRefusal::kTooManyBodies: return "too_many_bodies";
    case CommandRefusal::kTooManyRopes: return "too_many_ropes";
    case CommandRefusal::kOverloaded: return "overloaded";
  }
  return "unknown";
}

bool is_printable(std::string_view text) noexcept { return takt::is_printable(text); }

std::string printable_text(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t length = 1;
    while (length < 4 && i + length < text.size() &&
           (static_cast<unsigned char>(text[i + length]) & 0xc0u) == 0x80u)
      ++length;
    std::string_view const character = text.substr(i, length);
    i += length;
    if (!is_printable(character)) continue;
    if (out.size() + length > kReasonTextBytesMax) break;
    out += character;
  }
  return out;
}

}  // namespace takt::protocol
