#include "takt/sim/error.h"

namespace takt::sim {

std::string_view message(SimError error) noexcept {
  switch (error) {
    case SimError::kBadImage: return "not a simulation image, or damaged; save it again";
    case SimError::kImageVersion: return "the image has another format version; use the takt that wrote it";
    case SimError::kImageInconsistent:
      return "a field of the image is out of range; the image was not written by takt";
    case SimError::kWorldRefused:
      return "the engine refused the world or its image; it is damaged or of the other numbers mode";
    case SimError::kGameMismatch: return "made with another game; run it with the game that it names";
    case SimError::kGameRefused:
      return "the game refused its saved state; use the game version that wrote it";
    case SimError::kSceneRefused:
      return "the engine refused a body of the scene; check the scene with the loader";
    case SimError::kNotRecording: return "not a Takt recording; name a file that takt --record wrote";
    case SimError::kRecordingVersion:
      return "the recording has another format version; use the takt that wrote it";
    case SimError::kRecordingDamaged: return "a chunk of the recording is damaged";
    case SimError::kRecordingEmpty:
      return "the recording was cut before its first image; nothing can be replayed";
    case SimError::kTickOutOfRange: return "the tick is not held here";
    case SimError::kWriteFailed: return "the recording could not be written; the disk may be full";
    case SimError::kReadFailed: return "the recording could not be read";
    case SimError::kTooLarge: return "larger than the documented limit";
    case SimError::kInputMalformed: return "the bytes are not an encoded input";
    case SimError::kMessageTooLong: return "a message of a game has at most 1,000 bytes; send several";
    case SimError::kTooManyMessages:
      return "a game sends at most 256 messages a tick; join some, or send the rest in the next tick";
    case SimError::kUnknownPlayer: return "no such player is joined; on_leave names those who go";
    case SimError::kSceneRefusedByGame:
      return "the game refused the scene; give the scene what the game needs";
    case SimError::kGameThrew: return "the game threw an exception; change the game and replay again";
    case SimError::kTickRecordMalformed: return "the bytes are not the record of a tick";
  }
  return "unknown error";
}

std::string_view message(Refusal refusal) noexcept {
  switch (refusal) {
    case Refusal::kNone: return "applied";
    case Refusal::kWrongTick: return "stamped with another tick";
    case Refusal::kNotJoined: return "the player is not in the game";
    case Refusal::kAlreadyJoined: return "the player is in the game already";
    case Refusal::kTooManyPlayers: return "the policy's number of players is reached";
    case Refusal::kServerOnly: return "only the server may give this command";
    case Refusal::kStaleSequence: return "the sequence is not above the player's last";
    case Refusal::kRateLimited: return "more commands than the policy allows";
    case Refusal::kNotFinite: return "a number is NaN or infinite";
    case Refusal::kOutOfRange: return "a number is outside what the engine can hold";
    case Refusal::kOverLimit: return "a magnitude is above the policy's limit";
    case Refusal::kUnknownBody: return "there is no such body";
    case Refusal::kForbidden: return "the policy does not let this player do that to this body";
    case Refusal::kNotDynamic: return "the body is not dynamic";
    case Refusal::kTooManySpawned: return "the player's share of bodies is used up";
    case Refusal::kWorldFull: return "the world is full";
    case Refusal::kAlreadyGrabbing: return "the player holds a body already";
    case Refusal::kNotGrabbing: return "the player holds no body";
    case Refusal::kTooManyForces: return "the player's share of lasting forces is used up";
    case Refusal::kNoGame: return "there is no game to take custom bytes";
    case Refusal::kGameRefused: return "the game refused";
    case Refusal::kPayloadTooLong: return "custom bytes, a name or a list of the command are too long";
    case Refusal::kNotMover: return "not a mover: only movers walk, and only move commands steer them";
    case Refusal::kUnknownRope: return "no such rope, or it has no such segment";
    case Refusal::kUnknownJoint: return "there is no such joint";
    case Refusal::kBadSoftness: return "a softness has a negative, infinite or too large number";
    case Refusal::kLimitsCrossed: return "a limit's lower bound is above its upper one";
    case Refusal::kBadJointAxis: return "no such axis of a joint, or the joint locks it";
    case Refusal::kBadCoupling: return "the ratio, length or lock makes no sense for this gear or pulley";
    case Refusal::kBadShape: return "players can spawn spheres, capsules, boxes, cylinders and cones only";
    case Refusal::kTooLate: return "the tick has passed by more than the server moves inputs";
    case Refusal::kTooEarly: return "the tick is further ahead than the server keeps inputs";
    case Refusal::kTooManyWaiting: return "as many inputs wait as the server keeps";
    case Refusal::kMalformed: return "a field of the command is outside what may be sent";
    case Refusal::kServerRate: return "more inputs a second than the server takes";
    case Refusal::kOtherWorld: return "meant for a world that has been replaced";
    case Refusal::kPlayback: return "a recording is being played, which takes no inputs";
    case Refusal::kSpectator: return "spectators see all and command nothing; join as a player";
    case Refusal::kTooCrowded: return "too many bodies are at that place; choose another one";
    case Refusal::kTooManyBodies: return "the players together have as many bodies as the policy allows";
    case Refusal::kTooManyRopes: return "the world has as many ropes as the policy lets players cut it into";
    case Refusal::kOverloaded: return "the server's ticks take too long: bodies cannot be spawned at present";
  }
  return "unknown reason";
}

}  // namespace takt::sim
