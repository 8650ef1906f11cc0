// Message is the variant of all messages of schemas/protocol.fbs, each a plain struct. MessageWriter makes
// bytes of a message; MessageReader makes a message of bytes, after the FlatBuffers verifier and range
// checks. Links (protocol/link/) carry the bytes. In protocol/, only sources of protocol/messages/ use
// FlatBuffers. The enums, such as RefuseReason, DisconnectReason and CommandStatus, have the values of the
// wire.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "protocol/messages/body_state.h"
#include "protocol/messages/command.h"
#include "protocol/messages/geometry.h"
#include "protocol/messages/query_message.h"
#include "protocol/messages/room_message.h"
#include "protocol/messages/rope_state.h"
#include "protocol/wire/limits.h"

namespace takt::protocol {

/// Number type of a world's physics; kAny is for a request alone. Values are the wire's.
enum class NumbersMode : std::uint8_t { kAny = 0, kFloatMode = 1, kFixedMode = 2 };

/// The replication mode of a session. Values are the wire's.
enum class ReplicationMode : std::uint8_t {
  kSnapshot = 0,   ///< the client shows what it is sent
  kRollback = 1,   ///< the client simulates, ahead of the confirmed ticks
  kLockstep = 2,   ///< the client simulates confirmed ticks alone
  kPredicted = 3,  ///< the client simulates its neighbourhood, which snapshots correct
};

inline constexpr std::size_t kReplicationModes = 4;

/// The modes that a server offers. Never empty: everybody may have snapshots.
class OfferedModes {
 public:
  constexpr OfferedModes() noexcept = default;
  [[nodiscard]] static constexpr OfferedModes all() noexcept {
    OfferedModes modes;
    modes.add(ReplicationMode::kRollback);
    modes.add(ReplicationMode::kLockstep);
    modes.add(ReplicationMode::kPredicted);
    return modes;
  }
  constexpr void add(ReplicationMode mode) noexcept { bits_ |= 1u << static_cast<unsigned>(mode); }
  [[nodiscard]] constexpr bool contains(ReplicationMode mode) const noexcept {
    return (bits_ >> static_cast<unsigned>(mode) & 1u) != 0;
  }
  /// "mode snapshot", "modes snapshot, rollback", ...
  [[nodiscard]] std::string text() const;

 private:
  unsigned bits_ = 1u << static_cast<unsigned>(ReplicationMode::kSnapshot);
};

/// True for the modes in which a client simulates, and so begins with an image.
[[nodiscard]] constexpr bool simulates(ReplicationMode mode) noexcept {
  return mode != ReplicationMode::kSnapshot;
}
/// True for the modes in which a client steps confirmed ticks.
[[nodiscard]] constexpr bool steps_confirmed(ReplicationMode mode) noexcept {
  return mode == ReplicationMode::kRollback || mode == ReplicationMode::kLockstep;
}
/// True for the modes in which a client gets snapshots, and is told of bodies that come and go.
[[nodiscard]] constexpr bool takes_snapshots(ReplicationMode mode) noexcept { return !steps_confirmed(mode); }

/// The part that a client takes in a room. Values are the wire's.
enum class Role : std::uint8_t { kPlayer = 0, kSpectator = 1 };

/// Reason why a server refused a connection. Values are the wire's; no server of this version sends
/// kChallengeFailed. kBadRequest is about a player's name.
enum class RefuseReason : std::uint8_t {
  kNone = 0,
  kVersionMismatch = 1,
  kSceneMismatch = 2,
  kNumbersMismatch = 3,
  kModeUnsupported = 4,
  kServerFull = 5,
  kShuttingDown = 6,
  kBadRequest = 7,
  kChallengeFailed = 8,
  kTokenRequired = 9,
  kTokenMalformed = 10,
  kTokenWrongVersion = 11,
  kTokenExpired = 12,
  kTokenTooLongLived = 13,
  kTokenWrongKey = 14,
  kTokenWrongServer = 15,
  kTokenForged = 16,
  kTokenReused = 17,
  kTokenWrongRoom = 18,
  kTokenWrongRole = 19,
  kTokenWrongMode = 20,
};

inline constexpr std::size_t kRefuseReasons = 21;

/// Reason why a session ended. Values are the wire's.
enum class DisconnectReason : std::uint8_t {
  kNone = 0,
  kClientLeft = 1,
  kServerStopped = 2,
  kTimedOut = 3,        ///< nothing arrived from the other end for the time-out
  kKicked = 4,          ///< the host ended the session
  kProtocolError = 5,   ///< the other end sent something that no honest peer sends
  kSlowReader = 6,      ///< too many reliable bytes waited for the client
  kConnectionLost = 7,  ///< never sent: the stream closed, or a connect had no answer
  kReplaced = 8,        ///< by a new session of the address, which is not sent, or of the token of an orphan
};

/// Stable lower-case words, e.g. "server_full"; "unknown" for any other value.
[[nodiscard]] std::string_view name_of(RefuseReason reason) noexcept;
[[nodiscard]] std::string_view name_of(DisconnectReason reason) noexcept;
[[nodiscard]] std::string_view name_of(NumbersMode mode) noexcept;
[[nodiscard]] std::string_view name_of(ReplicationMode mode) noexcept;
[[nodiscard]] std::string_view name_of(Role role) noexcept;

/// True for valid UTF-8 without control characters, which may be printed to a terminal or a log as it is.
[[nodiscard]] bool is_printable(std::string_view text) noexcept;

/// The printable characters of a text (is_printable), cut at the character that passes kReasonTextBytesMax
/// bytes. Other characters and invalid UTF-8 are removed. A reader accepts the result as the text of a Refuse
/// or Disconnect.
[[nodiscard]] std::string printable_text(std::string_view text);

/// Cookie of a Challenge (challenge.h); opaque to clients.
using Cookie = std::array<std::byte, 16>;

/// A public key of X25519 (crypto/key_exchange.h).
using PublicKeyBytes = std::array<std::byte, 32>;

/// Where a client that simulates left the room.
struct ResumePoint {
  std::uint64_t tick = 0;       ///< ticks below it are confirmed to the client
  std::uint64_t hash_tick = 0;  ///< of a state at or below `tick`, by less than 2^32; not 0
  std::uint64_t hash = 0;       ///< of the client's own state at hash_tick
  std::uint32_t epoch = 0;      ///< of the room (RoomState::epoch), not 0
  friend bool operator==(const ResumePoint&, const ResumePoint&) = default;
};

struct ConnectRequest {
  std::uint32_t protocol_version = kProtocolVersion;
  std::uint64_t scene_hash = 0;  ///< 0 = any
  NumbersMode numbers_mode = NumbersMode::kAny;
  ReplicationMode mode = ReplicationMode::kSnapshot;
  /// At most kPlayerNameBytesMax bytes, printable, may be empty. It goes over web sockets alone, which TLS
  /// seals: over UDP and TCP ChallengeResponse::proof has the name.
  std::string player_name;
  std::uint64_t nonce = 0;  ///< random number of this attempt; every answer repeats it
  Role role = Role::kPlayer;
  std::vector<std::byte>
      token;  ///< sealed part of a connect token, at most kConnectTokenBytesMax; empty = none
  /// crypto::token_verifier() of the token. It goes over web sockets alone: UDP and TCP show it to nobody.
  std::optional<std::array<std::byte, 16>> token_verifier;
  /// crypto::CipherBits that the client offers for datagrams, over UDP alone. Unknown bits mean nothing.
  std::uint8_t ciphers = 0;
  std::optional<ResumePoint> resume{};  ///< of a client that has the room's world still
};

struct Challenge {
  std::uint64_t nonce = 0;  ///< ConnectRequest::nonce
  Cookie cookie{};
  PublicKeyBytes lasting_key{};      ///< of the server
  PublicKeyBytes short_lived_key{};  ///< of the server, for some minutes
};

struct ChallengeResponse {
  Cookie cookie{};         ///< of the Challenge
  ConnectRequest request;  ///< the one that was challenged, unchanged
  PublicKeyBytes key{};    ///< of the client, for this session
  /// Shows that the client has the keys of its session, and has its name, sealed (sealed_name.h): kProofBytes
  /// with a token, kNamedProofBytes without.
  std::vector<std::byte> proof;
};

/// The server's answer to an accepted request.
struct Accept {
  std::uint64_t nonce = 0;         ///< ConnectRequest::nonce
  std::uint64_t session = 0;       ///< connection id of datagrams, 1 .. 2^32 - 1; 0 over a stream
  std::uint32_t player_id = 0;     ///< PlayerId (server_event.h), not 0
  std::uint32_t tick_rate_hz = 0;  ///< 1 .. 10,000
  std::uint32_t substeps = 0;      ///< number in a tick
  std::uint64_t current_tick = 0;  ///< when the server wrote the message
  std::uint64_t scene_hash = 0;
  NumbersMode numbers_mode = NumbersMode::kFloatMode;
  ReplicationMode mode = ReplicationMode::kSnapshot;
  Role role = Role::kPlayer;  ///< that the server gave to the client
  std::uint8_t cipher = 0;    ///< crypto::DatagramCipher of the session's datagrams; 0 over a stream
  bool resumed = false;       ///< confirmed ticks follow from ConnectRequest::resume on, and no image
  std::uint32_t epoch = 0;    ///< of the room when the server wrote the message; 0 = it counts none
  /// The simulation's sequence of an input of this session is that of the session plus this: a player who was
  /// away in a resumed world goes on from its last input. 0 from the next epoch on.
  std::uint32_t input_offset = 0;
};

struct Refuse {
  std::uint64_t nonce = 0;  ///< ConnectRequest::nonce
  RefuseReason reason = RefuseReason::kNone;
  std::string text;  ///< for a person; printable, at most kReasonTextBytesMax bytes
};

struct Disconnect {
  DisconnectReason reason = DisconnectReason::kNone;
  std::string text;  ///< for a person; printable, at most kReasonTextBytesMax bytes
};

/// Without content; it tells the other end that the session lives.
struct KeepAlive {};

struct Ping {
  std::uint64_t client_time_us = 0;  ///< time on the client's clock; the Pong repeats it
};

struct Pong {
  std::uint64_t client_time_us = 0;  ///< Ping::client_time_us
  std::uint64_t tick = 0;            ///< of the server when it wrote the message
  std::uint32_t tick_fraction = 0;   ///< passed part of the tick, in 2^-32 of a tick
};

struct Inputs {
  std::vector<Input> inputs;  ///< sequence ascending, at most kInputsPerMessage
  std::vector<std::uint32_t>
      invalid_sequences;  ///< read: inputs whose command failed check(), not in `inputs`; not written
};

/// The result of an input; a class of several CommandRefusals. Values are the wire's.
enum class CommandStatus : std::uint8_t {
  kApplied = 0,
  kMoved = 1,  ///< applied, but in a later tick than asked
  kRefusedInvalid = 2,
  kRefusedPermission = 3,
  kRefusedRate = 4,
  kRefusedUnknownBody = 5,
  kRefusedLate = 6,
  kRefusedLimit = 7,
  kRefusedEarly = 8,
};

inline constexpr std::size_t kCommandStatuses = 9;

[[nodiscard]] std::string_view name_of(CommandStatus status) noexcept;

/// The exact reason of a refusal. Values are the wire's, and those of sim::Refusal (takt/sim/error.h), which
/// documents each.
enum class CommandRefusal : std::uint8_t {
  kNone = 0,
  kWrongTick = 1,
  kNotJoined = 2,
  kAlreadyJoined = 3,
  kTooManyPlayers = 4,
  kServerOnly = 5,
  kStaleSequence = 6,
  kRateLimited = 7,
  kNotFinite = 8,
  kOutOfRange = 9,
  kOverLimit = 10,
  kUnknownBody = 11,
  kForbidden = 12,
  kNotDynamic = 13,
  kTooManySpawned = 14,
  kWorldFull = 15,
  kAlreadyGrabbing = 16,
  kNotGrabbing = 17,
  kTooManyForces = 18,
  kNoGame = 19,
  kGameRefused = 20,
  kPayloadTooLong = 21,
  kBadShape = 22,
  kNotMover = 23,
  kUnknownRope = 24,
  kUnknownJoint = 25,
  kBadSoftness = 26,
  kLimitsCrossed = 27,
  kBadJointAxis = 28,
  kBadCoupling = 29,
  kTooLate = 30,
  kTooEarly = 31,
  kTooManyWaiting = 32,
  kMalformed = 33,
  kServerRate = 34,
  kOtherWorld = 35,
  kPlayback = 36,
  kSpectator = 37,
  kTooCrowded = 38,
  kTooManyBodies = 39,
  kTooManyRopes = 40,
  kOverloaded = 41,
};

inline constexpr std::size_t kCommandRefusals = 42;

[[nodiscard]] std::string_view name_of(CommandRefusal refusal) noexcept;

struct CommandOutcome {
  std::uint32_t sequence = 0;  ///< Input::sequence
  CommandStatus status = CommandStatus::kApplied;
  std::uint64_t tick = 0;                          ///< in which the command was applied or refused
  CommandRefusal refusal = CommandRefusal::kNone;  ///< kNone also from a server that does not send it
  std::string
      text;  ///< of the game, for a person; printable, at most kReasonTextBytesMax bytes, may be empty
  friend bool operator==(const CommandOutcome&, const CommandOutcome&) = default;
};

/// Acknowledges inputs (unreliable, no outcomes) or reports outcomes (reliable).
struct InputAck {
  std::uint32_t received_through = 0;  ///< all inputs up to this sequence have arrived; 0 = none, or not told
  std::uint64_t tick =
      0;  ///< of the server when the input of the margin arrived, or the outcomes were decided
  std::int32_t margin_ticks = 0;  ///< smallest (input tick - server tick) since the last ack; negative = late
  std::vector<CommandOutcome> outcomes;  ///< at most kCommandOutcomesPerMessage
};

/// One part of a snapshot; each can be applied without the others.
struct SnapshotPart {
  std::uint32_t serial = 0;  ///< number of the snapshot in the session, from 1; for a body the greatest wins
  std::uint64_t tick = 0;    ///< of all states of the snapshot
  std::uint16_t part = 0;    ///< index of this part, below part_count
  std::uint16_t part_count = 1;  ///< 1 .. kSnapshotPartsMax
  std::uint32_t baseline = 0;    ///< newest serial of which the server knows that all parts arrived; 0 = none
  std::uint32_t deferred = 0;    ///< bodies and removals that differ but exceeded the budget
  std::vector<BodyState> bodies;  ///< whose state differs from the one last sent, or was lost
  std::vector<BodyId> removed;    ///< bodies that do not exist at `tick`
  std::uint32_t epoch = 0;        ///< of the world; 0 = the server counts no epochs
  std::vector<std::byte> ropes;   ///< slices of encode_rope(), for clients that asked (kInspectRopes)
  std::vector<RopeId> removed_ropes;
  std::uint32_t deferred_ropes = 0;  ///< ropes that differ but exceeded the budget
  std::vector<MoverInput> movers{};  ///< in mode predicted: one for each mover's body in `bodies`
  std::uint32_t mode_epoch = 0;      ///< ModeSwitch::mode_epoch
};

/// A slice of a join image (saved simulation).
struct JoinSlice {
  std::uint64_t tick = 0;         ///< of the image
  std::uint64_t total_bytes = 0;  ///< of the image
  std::uint64_t hash = 0;         ///< XXH3-64 of the image
  std::uint64_t offset = 0;       ///< of `bytes` in the image; offset + bytes.size() <= total_bytes
  std::vector<std::byte> bytes;   ///< at most kJoinSliceBytes
};

/// A slice of the bytes of a geometry (geometry.h).
struct GeometrySlice {
  std::uint64_t digest = 0;  ///< ShapeInfo::geometry; not 0
  GeometryKind kind = GeometryKind::kHull;
  std::uint32_t total_bytes = 0;  ///< of the geometry, at most kGeometryBytesMax
  std::uint32_t offset = 0;       ///< of `bytes` in the geometry; offset + bytes.size() <= total_bytes
  std::vector<std::byte> bytes;   ///< at most kGeometrySliceBytes
};

struct BodiesAdded {
  std::uint64_t tick = 0;        ///< at which the bodies exist
  std::vector<BodyInfo> bodies;  ///< at most kBodyInfosPerMessage
};

struct BodiesRemoved {
  std::uint64_t tick = 0;   ///< from which on the bodies do not exist
  std::vector<BodyId> ids;  ///< at most kRemovedPerMessage
};

/// A message of the server's game to this client.
struct GameEvent {
  std::uint64_t tick = 0;        ///< in which the game sent it
  std::vector<std::byte> bytes;  ///< at most kCustomBytesMax
};

struct ServerStats {
  std::uint64_t tick = 0;
  std::uint64_t state_hash = 0;  ///< XXH3-64 of the canonical state at `tick`
  std::uint32_t body_count = 0;
  std::uint32_t awake_count = 0;       ///< bodies that are not asleep
  std::uint32_t client_count = 0;      ///< sessions, spectators included
  std::uint32_t tick_time_us = 0;      ///< median over a second's number of ticks
  std::uint32_t tick_time_p99_us = 0;  ///< 99th percentile over these ticks
  std::uint32_t contact_count = 0;     ///< manifolds that were solved in the last tick
  std::uint64_t dropped_ticks = 0;     ///< skipped because the server fell behind, since the start
  friend bool operator==(const ServerStats&, const ServerStats&) = default;
};

/// Confirmed ticks for a client that simulates (protocol/confirmed/confirmed_batch.h has the bytes).
struct ConfirmedSlice {
  std::vector<std::byte> bytes;   ///< 1 to kConfirmedSliceBytes
  std::uint32_t offset = 0;       ///< of a slice
  std::uint32_t total_bytes = 0;  ///< of all slices, at most kConfirmedBytesMax; 0 = `bytes` is whole
  std::uint32_t mode_epoch = 0;   ///< ModeSwitch::mode_epoch
};

/// The client's answer to a path of the hash tree of a state that differs from the server's.
struct DesyncProbe {
  std::uint64_t tick = 0;
  std::string path;    ///< sim::path_text(); printable, at most kDesyncPathBytesMax
  std::string answer;  ///< sim::answer_text(); printable, at most kDesyncAnswerBytesMax; empty = none
  std::uint32_t mode_epoch = 0;  ///< ModeSwitch::mode_epoch
};

/// Values are the wire's.
enum class DesyncStatus : std::uint8_t {
  kAnswered = 0,
  kForgotten = 1,  ///< the server has no such state any more
};

/// The server's answer to the path of a DesyncProbe.
struct DesyncAnswer {
  std::uint64_t tick = 0;
  std::string path;    ///< as DesyncProbe::path
  std::string answer;  ///< as DesyncProbe::answer
  DesyncStatus status = DesyncStatus::kAnswered;
};

/// An Accept message, encrypted for the client. Over a web socket the Accept comes as it is.
struct SealedAccept {
  std::uint64_t nonce = 0;        ///< ConnectRequest::nonce
  std::vector<std::byte> sealed;  ///< at most kSealedAcceptBytesMax; crypto::open_accept() gives the message
};

/// A client asks for another mode, or a server tells in which mode the session goes on.
struct ModeSwitch {
  ReplicationMode mode = ReplicationMode::kSnapshot;
  std::string text;              ///< for a person; printable, at most kReasonTextBytesMax
  std::uint32_t request = 0;     ///< of the client, not 0; a server repeats that which it answers, 0 = none
  bool refused = false;          ///< of a server: `request` is refused, and `mode` is the present one
  std::uint32_t mode_epoch = 0;  ///< of a server: changes of the session's mode so far, this one included
};

/// The alternatives' order is the wire's union order minus NONE.
using Message =
    std::variant<ConnectRequest, Challenge, ChallengeResponse, Accept, Refuse, Disconnect, KeepAlive, Ping,
                 Pong, Inputs, InputAck, SnapshotPart, JoinSlice, BodiesAdded, BodiesRemoved, GameEvent,
                 ServerStats, Control, ControlResult, RoomState, RoomEntered, Inspect, Contacts, JointFrames,
                 GeometrySlice, QueryRequest, QueryResult, JointsBroken, ConfirmedSlice, DesyncProbe,
                 DesyncAnswer, SealedAccept, ModeSwitch>;

}  // namespace takt::protocol
