// SimError is the reason why a call of the sim module failed: on an image (saved state), a recording, the
// creation of a Simulation or a Game's message. Refusal is the reason why one input was not applied, by
// Simulation::step or by a server before the step. A recording has no Refusals; a replay computes those of
// Simulation::step again. Clients receive the Refusal itself (CommandRefusal of the protocol) and the coarser
// protocol::CommandStatus. message() returns one line for each. The numbers of both are frozen. Errors in
// scene files are SceneErrors with a line (scene.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace takt::sim {

enum class SimError : std::uint8_t {
  kBadImage = 1,             ///< not a simulation image, or damaged: wrong magic, size or checksum
  kImageVersion = 2,         ///< an image of another format version
  kImageInconsistent = 3,    ///< a field of the image is out of range
  kWorldRefused = 4,         ///< the physics module refused the world or its image
  kGameMismatch = 5,         ///< the image or recording was made with another game: hand in the game it names
  kGameRefused = 6,          ///< the game refused its saved state
  kSceneRefused = 7,         ///< the scene cannot be built
  kNotRecording = 8,         ///< not a Takt recording: wrong magic
  kRecordingVersion = 9,     ///< a recording of another format version
  kRecordingDamaged = 10,    ///< a chunk that the header or index promises is missing or damaged
  kRecordingEmpty = 11,      ///< cut before the first world image: nothing can be replayed
  kTickOutOfRange = 12,      ///< the recording or buffer does not have this tick
  kWriteFailed = 13,         ///< the sink took no more bytes: the disk is full or the file is gone
  kReadFailed = 14,          ///< the source could not be read
  kTooLarge = 15,            ///< larger than the documented cap
  kInputMalformed = 16,      ///< bytes that are not an encoded input
  kMessageTooLong = 17,      ///< a Game's message has more than kMaxGameMessageBytes
  kTooManyMessages = 18,     ///< a Game sent kMaxGameMessagesPerTick messages in this tick already
  kUnknownPlayer = 19,       ///< a Game's message is for a player that is not joined
  kSceneRefusedByGame = 20,  ///< Game::on_start returned false
  kGameThrew = 21,           ///< a call of the Game threw during a replay, whose report has the text
  kTickRecordMalformed = 22,  ///< bytes that are not the record of a tick
};

/// One line in plain words, with the remedy. Never empty.
[[nodiscard]] std::string_view message(SimError error) noexcept;

/// The reason why a command had no effect. Simulation::step gives the values up to kBadCoupling and from
/// kTooCrowded to kTooManyRopes; they depend on canonical state and the input alone, so every peer computes
/// the same one. A server gives kTooLate to kSpectator and kOverloaded before the command becomes an input of
/// a tick; recordings do not have such commands.
enum class Refusal : std::uint8_t {
  kNone = 0,       ///< applied
  kWrongTick = 1,  ///< Input::tick is not the tick that was stepped
  kNotJoined = 2,  ///< this player is not in the game
  kAlreadyJoined = 3,
  kTooManyPlayers = 4,
  kServerOnly = 5,     ///< only the server (player 0) may give this command (ServerCommand)
  kStaleSequence = 6,  ///< not above the last sequence of this player
  kRateLimited = 7,    ///< more commands than the policy allows
  kNotFinite = 8,      ///< NaN or infinity
  kOutOfRange = 9,     ///< outside what the engine can hold
  kOverLimit = 10,     ///< a magnitude above the policy's limit
  kUnknownBody = 11,
  kForbidden = 12,       ///< the policy does not allow the player this command on this body, rope or joint
  kNotDynamic = 13,      ///< only dynamic bodies can be pushed and grabbed
  kTooManySpawned = 14,  ///< this player has as many bodies as the policy allows
  kWorldFull = 15,
  kAlreadyGrabbing = 16,  ///< one grab a player: release it first
  kNotGrabbing = 17,      ///< there is no grab to move or release (the body may just have gone)
  kTooManyForces = 18,    ///< this player has as many lasting forces as the policy allows
  kNoGame = 19,           ///< custom bytes, but the simulation runs without a Game
  kGameRefused = 20,      ///< Game::on_command returned false
  kPayloadTooLong = 21,   ///< custom bytes above kMaxCustomBytes
  kBadShape = 22,         ///< a shape that the engine does not build for players
  kNotMover = 23,         ///< only movers walk, and only by their own commands
  kUnknownRope = 24,      ///< the id names no living rope, or the rope has no such segment
  kUnknownJoint = 25,     ///< the id names no living joint
  kBadSoftness = 26,      ///< a softness with a negative, infinite or too large number
  kLimitsCrossed = 27,    ///< a limit's lower bound is above its upper one
  kBadJointAxis = 28,     ///< no such axis, or the joint locks it; or the axis cannot be locked
  kBadCoupling = 29,      ///< a gear's or pulley's ratio or length is out of range or of another joint kind,
                          ///< or a gear couples the coordinate that would be locked
  kTooLate = 30,          ///< its tick has passed by more than the server moves inputs
  kTooEarly = 31,         ///< its tick is further ahead than the server keeps inputs
  kTooManyWaiting = 32,   ///< as many inputs wait as the server keeps
  kMalformed = 33,        ///< failed the range check of the protocol
  kServerRate = 34,       ///< more inputs a second than the server takes, whatever the policy
  kOtherWorld = 35,       ///< meant for a world that has been replaced
  kPlayback = 36,         ///< a recording is being played, which takes no inputs
  kSpectator = 37,        ///< spectators see all and command nothing
  kTooCrowded = 38,       ///< the body would overlap more shapes than CommandPolicy::max_overlaps
  kTooManyBodies = 39,    ///< the players together have as many bodies as the policy allows
  kTooManyRopes = 40,     ///< the world has CommandPolicy::max_ropes ropes: players cut none
  kOverloaded = 41,       ///< ticks take too long, so the server spawns nothing and removes spawned bodies
};

inline constexpr std::size_t kRefusals = 42;  ///< values of Refusal

/// One line in plain words. Never empty.
[[nodiscard]] std::string_view message(Refusal refusal) noexcept;

}  // namespace takt::sim
