// Command is one action of a player or the server on a world, such as a push, a spawn or a grab. Input is a
// Command with its tick, player and sequence (running number of the player's inputs). Simulation::step
// applies inputs, and decides by the scene's CommandPolicy (policy.h) if each is allowed. encode() and
// decode_input() convert an Input to the bytes in recordings and back, field by field, little-endian
// (docs/RECORDING.md). sim/replication/replication.h converts commands to and from network messages.
//
// Numbers of commands are binary32, positions are Q31.32, both exactly as in network messages. Joint commands
// have binary64, because joints compute in binary64.
//
// Each command has kName, its name in scripts and logs, and fields(), references to its members in the order
// of the encoding. The encoding, the conversion to network messages and the tests walk these lists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "takt/core/bytes.h"
#include "takt/core/result.h"
#include "takt/physics/body.h"
#include "takt/physics/joint.h"
#include "takt/physics/rope.h"
#include "takt/sim/error.h"

namespace takt::sim {

/// 0 = the server itself; players from 1, handed out in join order and never reused within a recording.
using PlayerId = std::uint32_t;
inline constexpr PlayerId kServerPlayer = 0;

inline constexpr std::size_t kMaxCustomBytes = 1000;    ///< of one CustomCommand; the protocol's limit
inline constexpr std::size_t kMaxPlayerNameBytes = 32;  ///< the protocol's limit
inline constexpr std::uint32_t kMaxForceTicks = 3600;   ///< a minute at 60 Hz
/// Largest world coordinate a command may name, metres: well inside Q31.32, so that relative positions never
/// wrap.
inline constexpr std::int64_t kMaxCommandCoordinateM = 500'000'000;

struct ImpulseCommand {
  BodyId body;
  Vec3<float> impulse_n_s;                   ///< world frame
  std::optional<Vec3<float>> point_local_m;  ///< body frame; none = the centre of mass

  static constexpr std::string_view kName = "impulse";
  static constexpr auto fields(auto& c) { return std::tie(c.body, c.impulse_n_s, c.point_local_m); }
  friend bool operator==(const ImpulseCommand&, const ImpulseCommand&) = default;
};
/// Acts in this step and the `ticks` - 1 after it, at the centre of mass.
struct ForceCommand {
  BodyId body;
  Vec3<float> force_n;      ///< world frame
  Vec3<float> torque_n_m;   ///< world frame
  std::uint32_t ticks = 1;  ///< [1, kMaxForceTicks]

  static constexpr std::string_view kName = "force";
  static constexpr auto fields(auto& c) { return std::tie(c.body, c.force_n, c.torque_n_m, c.ticks); }
  friend bool operator==(const ForceCommand&, const ForceCommand&) = default;
};
/// A dynamic body of one shape. The player owns it.
struct SpawnCommand {
  ShapeKind kind = ShapeKind::kSphere;  ///< sphere, capsule, box, cylinder or cone
  Vec3<float> dimensions_m{
      0.5f, 0,
      0};  ///< sphere (radius, -, -); capsule, cylinder, cone (radius, half length, -); box (half extents)
  Position position;
  Quat<float> rotation;
  Vec3<float> linear_velocity_m_s;
  Vec3<float> angular_velocity_rad_s;
  float density_kg_m3 = 1000.0f;
  float friction = 0.6f;
  float restitution = 0.0f;
  std::uint32_t user_kind = 0;  ///< becomes the body's user_tag

  static constexpr std::string_view kName = "spawn";
  static constexpr auto fields(auto& c) {
    return std::tie(c.kind, c.dimensions_m, c.position, c.rotation, c.linear_velocity_m_s,
                    c.angular_velocity_rad_s, c.density_kg_m3, c.friction, c.restitution, c.user_kind);
  }
  friend bool operator==(const SpawnCommand&, const SpawnCommand&) = default;
};
struct DespawnCommand {
  BodyId body;

  static constexpr std::string_view kName = "despawn";
  static constexpr auto fields(auto& c) { return std::tie(c.body); }
  friend bool operator==(const DespawnCommand&, const DespawnCommand&) = default;
};
/// Takes a dynamic body by a point; one grab a player.
struct GrabCommand {
  BodyId body;
  Vec3<float> point_local_m;  ///< body frame
  Position target;
  float max_force_n = 0;  ///< > 0

  static constexpr std::string_view kName = "grab";
  static constexpr auto fields(auto& c) { return std::tie(c.body, c.point_local_m, c.target, c.max_force_n); }
  friend bool operator==(const GrabCommand&, const GrabCommand&) = default;
};
struct MoveGrabCommand {
  Position target;

  static constexpr std::string_view kName = "move_grab";
  static constexpr auto fields(auto& c) { return std::tie(c.target); }
  friend bool operator==(const MoveGrabCommand&, const MoveGrabCommand&) = default;
};
struct ReleaseCommand {
  static constexpr std::string_view kName = "release";
  static constexpr auto fields(auto&) { return std::tie(); }
  friend bool operator==(const ReleaseCommand&, const ReleaseCommand&) = default;
};
struct TeleportCommand {
  BodyId body;
  Position position;
  Quat<float> rotation;
  Vec3<float> linear_velocity_m_s;
  Vec3<float> angular_velocity_rad_s;

  static constexpr std::string_view kName = "teleport";
  static constexpr auto fields(auto& c) {
    return std::tie(c.body, c.position, c.rotation, c.linear_velocity_m_s, c.angular_velocity_rad_s);
  }
  friend bool operator==(const TeleportCommand&, const TeleportCommand&) = default;
};
/// Bytes for the Game.
struct CustomCommand {
  std::vector<std::byte> bytes;  ///< at most kMaxCustomBytes

  static constexpr std::string_view kName = "custom";
  static constexpr auto fields(auto& c) { return std::tie(c.bytes); }
  friend bool operator==(const CustomCommand&, const CustomCommand&) = default;
};
/// The server lets a player in. Only player 0 may say so.
struct JoinCommand {
  PlayerId player = 0;  ///< who, not 0
  bool admin = false;   ///< past the policy's limits and ownership
  std::string name;     ///< for people; at most kMaxPlayerNameBytes

  static constexpr std::string_view kName = "join";
  static constexpr auto fields(auto& c) { return std::tie(c.player, c.admin, c.name); }
  friend bool operator==(const JoinCommand&, const JoinCommand&) = default;
};
/// The server takes a player out: its grab and lasting forces end, its bodies go if the policy says so. Only
/// player 0 may say so.
struct LeaveCommand {
  PlayerId player = 0;

  static constexpr std::string_view kName = "leave";
  static constexpr auto fields(auto& c) { return std::tie(c.player); }
  friend bool operator==(const LeaveCommand&, const LeaveCommand&) = default;
};

/// The motion of a mover from this step on. The last command of a tick counts; a jump of any of them counts.
struct MoveCommand {
  BodyId body;               ///< the mover's
  Vec3<float> velocity_m_s;  ///< wanted, over the ground; y does not count
  float turn_rad_s = 0;      ///< of the heading about +y
  bool in_heading_frame = false;
  bool jump = false;

  static constexpr std::string_view kName = "move";
  static constexpr auto fields(auto& c) {
    return std::tie(c.body, c.velocity_m_s, c.turn_rad_s, c.in_heading_frame, c.jump);
  }
  friend bool operator==(const MoveCommand&, const MoveCommand&) = default;
};

/// Parts a rope between node `segment` and the next (World::cut_rope). Players may where they may despawn
/// anything; ropes are nobody's own.
struct CutCommand {
  RopeId rope;
  std::uint32_t segment = 0;

  static constexpr std::string_view kName = "cut";
  static constexpr auto fields(auto& c) { return std::tie(c.rope, c.segment); }
  friend bool operator==(const CutCommand&, const CutCommand&) = default;
};

/// Changes a joint from this step on; what is absent stays as it is (World::change_joint,
/// World::set_joint_enabled). All of it or nothing. Doubles, because joints compute in them. A player may
/// change motor, drive and friction of a joint whose dynamic bodies it may all push, with the policy's forces
/// and speeds; for anything else it must be one who may despawn all of them.
struct ChangeJointCommand {
  struct Limit {
    double lower = -kUnbounded;  ///< m or rad
    double upper = kUnbounded;
    Softness softness{};
    static constexpr auto fields(auto& c) { return std::tie(c.lower, c.upper, c.softness); }
    friend bool operator==(const Limit&, const Limit&) = default;
  };
  /// A drive (JointDef::drive); recordings and scenes name it hold.
  struct Hold {
    bool on = true;       ///< false: no drive from now on, the rest is not read
    double target = 0.0;  ///< m or rad
    Softness softness{};
    double max = kUnbounded;  ///< N or N m
    static constexpr auto fields(auto& c) { return std::tie(c.on, c.target, c.softness, c.max); }
    friend bool operator==(const Hold&, const Hold&) = default;
  };
  struct Motor {
    double speed = 0.0;  ///< m/s or rad/s
    double max = 0.0;    ///< N or N m; 0 = no motor
    static constexpr auto fields(auto& c) { return std::tie(c.speed, c.max); }
    friend bool operator==(const Motor&, const Motor&) = default;
  };
  JointId joint;
  std::optional<bool> enabled;  ///< true: a torn one acts again too
  std::optional<bool> collide_connected;
  std::optional<bool> direct;
  std::optional<std::uint8_t> locked;  ///< lock_of bits
  std::optional<JointFrame> frame_a;
  std::optional<JointFrame> frame_b;
  std::optional<Softness> linear;
  std::optional<Softness> angular;
  std::optional<double> max_force_n;
  std::optional<double> max_torque_n_m;
  std::optional<double> break_force_n;
  std::optional<double> break_torque_n_m;
  std::optional<double> ratio;            ///< of gears and pulleys
  std::optional<double> length_m;         ///< of pulleys
  JointAxis axis = JointAxis::kAngularX;  ///< that the rest is about
  std::optional<Limit> limit;             ///< without bounds: no limit from now on
  std::optional<Hold> hold;
  std::optional<Motor> motor;
  std::optional<double> friction;  ///< N or N m

  static constexpr std::string_view kName = "change_joint";
  static constexpr auto fields(auto& c) {
    return std::tie(c.joint, c.enabled, c.collide_connected, c.direct, c.locked, c.frame_a, c.frame_b,
                    c.linear, c.angular, c.max_force_n, c.max_torque_n_m, c.break_force_n, c.break_torque_n_m,
                    c.ratio, c.length_m, c.axis, c.limit, c.hold, c.motor, c.friction);
  }
  friend bool operator==(const ChangeJointCommand&, const ChangeJointCommand&) = default;
};

/// Removes a joint and the gears that hang on it. Players may who may despawn all of its dynamic bodies.
struct DestroyJointCommand {
  JointId joint;

  static constexpr std::string_view kName = "destroy_joint";
  static constexpr auto fields(auto& c) { return std::tie(c.joint); }
  friend bool operator==(const DestroyJointCommand&, const DestroyJointCommand&) = default;
};

/// The alternatives' order is the encoding: index + 1 is the command's byte. New ones go to the end.
using Command = std::variant<ImpulseCommand, ForceCommand, SpawnCommand, DespawnCommand, GrabCommand,
                             MoveGrabCommand, ReleaseCommand, TeleportCommand, CustomCommand, JoinCommand,
                             LeaveCommand, MoveCommand, CutCommand, ChangeJointCommand, DestroyJointCommand>;

/// "impulse", "force", ... for logs.
[[nodiscard]] std::string_view name_of(const Command& command) noexcept;

/// A command with its tick, player and sequence number.
struct Input {
  std::uint64_t tick = 0;  ///< applied in the step that takes tick to tick + 1
  PlayerId player = 0;
  std::uint32_t sequence = 0;  ///< rises within a player; at least 1
  Command command;
  friend bool operator==(const Input&, const Input&) = default;
};

/// Appends the encoding of `input`.
void encode(const Input& input, std::vector<std::byte>& out);
/// Reads one input. Layout errors only (kInputMalformed): values are the policy's business, so that a hostile
/// value replays as the refusal it was.
[[nodiscard]] Result<Input, SimError> decode_input(ByteReader& reader);

/// Puts inputs of one tick into the order in which they act: (player, sequence), stable.
void sort_inputs(std::vector<Input>& inputs);

}  // namespace takt::sim
