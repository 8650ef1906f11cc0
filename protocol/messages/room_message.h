// The messages about a room (one world on a server, with its sessions) are plain structs here; Message
// (message.h) includes them. Control asks to pause, resume, step, set the speed, load a scene, or seek in a
// recording; ControlResult answers. RoomState describes the scene that plays, and RoomEntered confirms that
// the client has switched to it. Inspect asks for contacts, joints and ropes; Contacts and JointFrames carry
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
  kRefusedRange = 2,       ///< a number outside what the action allows
  kRefusedUnknownScene = 3,
  kRefusedNotHere = 4,  ///< seek on a live room, load_scene on a recording
  kFailed = 5,          ///< the text says why
};

/// Stable lower-case words, e.g. "set_speed", "refused_range".
[[nodiscard]] std::string_view name_of(ControlAction action) noexcept;
[[nodiscard]] std::string_view name_of(ControlStatus status) noexcept;

struct Control {
  std::uint32_t request = 0;  ///< the client's own number, returned in the answer
  ControlAction action = ControlAction::kPause;
  float speed = 1;         ///< set_speed: kControlSpeedMin .. kControlSpeedMax; finite always
  std::uint64_t tick = 0;  ///< step: how many, 1 .. kControlStepsMax; seek: where to
  std::string scene;  ///< load_scene: one of RoomState::scenes, at most kSceneNameBytesMax bytes, printable
  friend bool operator==(const Control&, const Control&) = default;
};

struct ControlResult {
  std::uint32_t request = 0;
  ControlStatus status = ControlStatus::kDone;
  std::string text;  ///< for a person, at most kReasonTextBytesMax bytes
  friend bool operator==(const ControlResult&, const ControlResult&) = default;
};

/// The kind of a mark on a recording's time line. Values are the wire's.
enum class MarkKind : std::uint8_t { kJoin = 0, kLeave = 1, kInput = 2, kImage = 3, kBreak = 4 };

struct TimelineMark {
  std::uint64_t tick = 0;
  std::uint32_t count =
      0;  ///< how many of this kind happened in the tick, or between it and the next mark of the kind
  MarkKind kind = MarkKind::kInput;
  friend bool operator==(const TimelineMark&, const TimelineMark&) = default;
};

/// Where a viewer should stand.
struct CameraPlace {
  Position eye;
  Position target;
  friend bool operator==(const CameraPlace&, const CameraPlace&) = default;
};

struct RoomState {
  std::uint32_t epoch = 1;  ///< from 1; grows when the world is replaced
  std::uint64_t tick = 0;   ///< the room's when this was written
  bool paused = false;
  float speed = 1;  ///< kControlSpeedMin .. kControlSpeedMax
  bool admin = false;
  bool is_recording = false;  ///< a recording is being played; client::Room::is_playback
  std::uint64_t first_tick = 0;
  std::uint64_t end_tick = 0;
  std::uint32_t tick_rate_hz = 60;  ///< 1 .. 10,000
  std::uint64_t scene_hash = 0;
  std::string scene;                ///< at most kSceneNameBytesMax bytes
  std::string title;                ///< at most kTitleBytesMax bytes
  std::vector<std::string> scenes;  ///< at most kScenesMax
  std::optional<CameraPlace> camera;
  std::vector<TimelineMark> marks;  ///< tick order, at most kTimelineMarksMax
  friend bool operator==(const RoomState&, const RoomState&) = default;
};

struct RoomEntered {
  std::uint32_t epoch = 0;
  std::uint32_t first_input =
      0;  ///< inputs of smaller sequence were meant for the world before; 0 = none were
  friend bool operator==(const RoomEntered&, const RoomEntered&) = default;
};

/// Bits of Inspect::what. Ropes are in snapshots.
inline constexpr std::uint32_t kInspectContacts = 1u << 0;
inline constexpr std::uint32_t kInspectJoints = 1u << 1;
inline constexpr std::uint32_t kInspectRopes = 1u << 2;
inline constexpr std::uint32_t kInspectAll = kInspectContacts | kInspectJoints | kInspectRopes;

struct Inspect {
  std::uint32_t what = 0;  ///< kInspect bits; unknown ones are ignored
  friend bool operator==(const Inspect&, const Inspect&) = default;
};

struct ContactPoint {
  BodyId body_a = 0;
  BodyId body_b = 0;
  Position position;     ///< world
  Vec3f normal;          ///< unit, from a to b
  float impulse = 0;     ///< N s, of the last substep's normal row
  float separation = 0;  ///< m, negative = overlap
  friend bool operator==(const ContactPoint&, const ContactPoint&) = default;
};

/// Contact points of one tick, those with the greatest impulse first; the parts of a tick add up.
struct Contacts {
  std::uint64_t tick = 0;
  std::uint32_t total = 0;  ///< of the world at this tick; more than kContactPointsMax are not sent
  std::uint16_t part = 0;   ///< counts from 0
  std::uint16_t part_count = 1;
  std::vector<ContactPoint> points;  ///< at most kContactPointsPerMessage
  std::uint32_t epoch = 0;           ///< 0 = not told, here and in JointFrames
  friend bool operator==(const Contacts&, const Contacts&) = default;
};

/// JointFrame::kind of a player's grab; other kinds are the engine's JointKind.
inline constexpr std::uint32_t kJointGrab = 0;
/// Bits of JointFrame::flags.
inline constexpr std::uint32_t kJointOff = 1u << 0;
inline constexpr std::uint32_t kJointTorn = 1u << 1;

struct JointFrame {
  BodyId body_a = 0;
  BodyId body_b = 0;  ///< 0 = the world
  Position anchor_a;  ///< world
  Position anchor_b;
  Quatf rotation;  ///< of the frame on a, world
  std::uint32_t kind = kJointGrab;
  std::uint64_t id = 0;  ///< index and generation; 0 = a grab
  Quatf rotation_b;      ///< of the frame on b, world
  float force = 0;       ///< N, size of the mean reaction of the last tick
  float torque = 0;      ///< N m
  std::uint32_t flags = 0;
  friend bool operator==(const JointFrame&, const JointFrame&) = default;
};

struct JointFrames {
  std::uint64_t tick = 0;
  std::uint32_t total = 0;
  std::uint16_t part = 0;
  std::uint16_t part_count = 1;
  std::vector<JointFrame> joints;  ///< at most kJointFramesPerMessage
  std::uint32_t epoch = 0;
  friend bool operator==(const JointFrames&, const JointFrames&) = default;
};

/// Joints that broke in the step to `tick`.
struct JointsBroken {
  std::uint64_t tick = 0;
  std::vector<std::uint64_t> joints;  ///< at most kRemovedPerMessage
  friend bool operator==(const JointsBroken&, const JointsBroken&) = default;
};

}  // namespace takt::protocol
