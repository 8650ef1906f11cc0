// The messages about a room (one world on a server, with its sessions) are plain structs here; Message
// (message.h) includes them. Control asks to pause, resume, step, set the speed, load a scene, or seek in a
// recording; ControlResult answers. RoomState describes the room's world, and RoomEntered confirms that the
// client has switched to it. Inspect asks for contacts, joints and ropes; Contacts and JointFrames carry
// the first two, snapshots the ropes. JointsBroken lists joints that broke. Room and Playback (server/) carry
// out a Control.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocol/messages/command.h"
#include "protocol/wire/limits.h"

namespace takt::protocol {

/// The action that a Control requests. Values are the wire's.
enum class ControlAction : std::uint8_t {
  kPause = 0,
  kResume = 1,
  kStep = 2,
  kSetSpeed = 3,
  kLoadScene = 4,
  kSeek = 5
};

/// The outcome of a Control. Values are the wire's.
enum class ControlStatus : std::uint8_t {
  kDone = 0,
  kRefusedPermission = 1,  ///< no admin right
  kRefusedRange = 2,       ///< a number outside the range of the action, or a step at a recording's end
  kRefusedUnknownScene = 3,
  kRefusedNotHere = 4,  ///< kSeek in a live room, kLoadScene in a playback
  kFailed = 5,          ///< any other reason, which the text names
};

/// Stable lower-case words, e.g. "set_speed", "refused_range"; "unknown" for any other value.
[[nodiscard]] std::string_view name_of(ControlAction action) noexcept;
[[nodiscard]] std::string_view name_of(ControlStatus status) noexcept;

struct Control {
  std::uint32_t request = 0;  ///< number that the client chooses; the ControlResult repeats it
  ControlAction action = ControlAction::kPause;
  float speed = 1;         ///< kSetSpeed: kControlSpeedMin .. kControlSpeedMax; finite for every action
  std::uint64_t tick = 0;  ///< kStep: number of ticks, 1 .. kControlStepsMax; kSeek: first_tick .. end_tick
  std::string scene;  ///< kLoadScene: one of RoomState::scenes; printable, at most kSceneNameBytesMax bytes
  friend bool operator==(const Control&, const Control&) = default;
};

struct ControlResult {
  std::uint32_t request = 0;  ///< Control::request
  ControlStatus status = ControlStatus::kDone;
  std::string text;  ///< for a person; printable, at most kReasonTextBytesMax bytes, may be empty
  friend bool operator==(const ControlResult&, const ControlResult&) = default;
};

/// The kind of a mark on a recording's time line. Values are the wire's.
enum class MarkKind : std::uint8_t { kJoin = 0, kLeave = 1, kInput = 2, kImage = 3, kBreak = 4 };

struct TimelineMark {
  std::uint64_t tick = 0;
  std::uint32_t count = 0;  ///< events of this kind in the tick, or from it up to the next mark of the kind
  MarkKind kind = MarkKind::kInput;
  friend bool operator==(const TimelineMark&, const TimelineMark&) = default;
};

/// The scene's proposal for a viewer's camera.
struct CameraPlace {
  Position eye;     ///< world
  Position target;  ///< world: the point in the middle of the picture
  friend bool operator==(const CameraPlace&, const CameraPlace&) = default;
};

/// A room as a client needs it. The server sends it at the start of a session and after each change.
struct RoomState {
  std::uint32_t epoch = 1;  ///< from 1; rises when the world is replaced
  std::uint64_t tick = 0;   ///< of the room when the server wrote the message
  bool paused = false;
  float speed = 1;                  ///< kControlSpeedMin .. kControlSpeedMax
  bool admin = false;               ///< this session may send Control
  bool is_recording = false;        ///< true: the room plays a recording (client::Room::is_playback)
  std::uint64_t first_tick = 0;     ///< of the recording; otherwise 0
  std::uint64_t end_tick = 0;       ///< of the recording, >= first_tick; otherwise 0
  std::uint32_t tick_rate_hz = 60;  ///< 1 .. 10,000
  std::uint64_t scene_hash = 0;
  std::string scene;                  ///< printable, at most kSceneNameBytesMax bytes
  std::string title;                  ///< printable, at most kTitleBytesMax bytes
  std::vector<std::string> scenes;    ///< that kLoadScene can load, at most kScenesMax, as `scene`, not empty
  std::optional<CameraPlace> camera;  ///< none = the scene proposes none
  std::vector<TimelineMark> marks;    ///< of the recording, tick order, at most kTimelineMarksMax
  friend bool operator==(const RoomState&, const RoomState&) = default;
};

struct RoomEntered {
  std::uint32_t epoch = 0;  ///< of the newest RoomState; not 0
  std::uint32_t first_input =
      0;  ///< inputs with a smaller sequence are for the world before, and the server refuses them
  friend bool operator==(const RoomEntered&, const RoomEntered&) = default;
};

/// Bits of Inspect::what: send Contacts, send JointFrames, add ropes to snapshots.
inline constexpr std::uint32_t kInspectContacts = 1u << 0;
inline constexpr std::uint32_t kInspectJoints = 1u << 1;
inline constexpr std::uint32_t kInspectRopes = 1u << 2;
inline constexpr std::uint32_t kInspectAll = kInspectContacts | kInspectJoints | kInspectRopes;

struct Inspect {
  std::uint32_t what = 0;  ///< kInspect bits, which replace those before; unknown ones are ignored
  friend bool operator==(const Inspect&, const Inspect&) = default;
};

struct ContactPoint {
  BodyId body_a = 0;
  BodyId body_b = 0;
  Position position;     ///< world, midway between the surfaces when the manifold was computed
  Vec3f normal;          ///< unit, from a to b, world axes
  float impulse = 0;     ///< N s, >= 0: along the normal in the last substep
  float separation = 0;  ///< m, when the manifold was computed; negative = overlap
  friend bool operator==(const ContactPoint&, const ContactPoint&) = default;
};

/// Contact points of one tick in descending order of impulse, over all parts of the tick. Each part may be
/// lost.
struct Contacts {
  std::uint64_t tick = 0;
  std::uint32_t total = 0;           ///< contact points of the world; the first kContactPointsMax are sent
  std::uint16_t part = 0;            ///< index of this message among those of the tick
  std::uint16_t part_count = 1;      ///< messages of the tick
  std::vector<ContactPoint> points;  ///< at most kContactPointsPerMessage
  std::uint32_t epoch = 0;           ///< of the world; 0 = the server counts no epochs
  friend bool operator==(const Contacts&, const Contacts&) = default;
};

/// JointFrame::kind of a player's grab; other kinds are the engine's JointKind.
inline constexpr std::uint32_t kJointGrab = 0;
/// Bits of JointFrame::flags.
inline constexpr std::uint32_t kJointOff = 1u << 0;   ///< disabled
inline constexpr std::uint32_t kJointTorn = 1u << 1;  ///< broken

/// A joint or a grab for display.
struct JointFrame {
  BodyId body_a = 0;
  BodyId body_b = 0;  ///< 0 = the world
  Position anchor_a;  ///< world: origin of the joint frame on a; of a grab the grabbed point
  Position anchor_b;  ///< world: origin of the joint frame on b; of a grab its target
  Quatf rotation;     ///< of the frame on a, world
  std::uint32_t kind = kJointGrab;
  std::uint64_t id = 0;     ///< index and generation; 0 = a grab
  Quatf rotation_b;         ///< of the frame on b, world
  float force = 0;          ///< N, length of the reaction (mean over the last tick); 0 of a grab
  float torque = 0;         ///< N m, likewise
  std::uint32_t flags = 0;  ///< kJointOff, kJointTorn
  friend bool operator==(const JointFrame&, const JointFrame&) = default;
};

/// Joints and grabs of one tick; fields as in Contacts.
struct JointFrames {
  std::uint64_t tick = 0;
  std::uint32_t total = 0;  ///< of the world; at most kJointFramesMax are sent
  std::uint16_t part = 0;
  std::uint16_t part_count = 1;
  std::vector<JointFrame> joints;  ///< at most kJointFramesPerMessage
  std::uint32_t epoch = 0;
  friend bool operator==(const JointFrames&, const JointFrames&) = default;
};

/// Joints that broke in the step to `tick`.
struct JointsBroken {
  std::uint64_t tick = 0;
  std::vector<std::uint64_t> joints;  ///< JointFrame::id; at most kRemovedPerMessage
  friend bool operator==(const JointsBroken&, const JointsBroken&) = default;
};

}  // namespace takt::protocol
