// Command is the variant of the commands that a player may send, each a plain struct: the decoded Command
// union of schemas/protocol.fbs. An Input is a Command with its tick and sequence. Position, Vec3f, Quatf and
// ShapeInfo are value types that other messages share. check() tests the form: no NaN, infinity only for no
// bound, generous bounds, known kinds, ids with a generation. CommandRules (sim/commands/) then decides by
// the scene's policy whether the player may apply the command.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>
#include <variant>
#include <vector>

#include "protocol/messages/field.h"
#include "protocol/wire/error.h"
#include "takt/core/result.h"

// Generated from schemas/protocol.fbs.
namespace takt::wire {
struct Impulse;
struct Force;
struct Spawn;
struct Despawn;
struct Grab;
struct MoveGrab;
struct Release;
struct Teleport;
struct Custom;
struct Move;
struct Cut;
struct ChangeJoint;
struct DestroyJoint;
}  // namespace takt::wire

namespace takt::protocol {

using BodyId = std::uint64_t;  ///< generation << 32 | index; generation 0 = null

/// A world position: on each axis metres as Q31.32, multiples of 2^-32 m.
struct Position {
  std::int64_t x = 0, y = 0, z = 0;
  friend bool operator==(const Position&, const Position&) = default;
};

/// Three binary32 values; each field of this type has its frame and unit.
struct Vec3f {
  float x = 0, y = 0, z = 0;
  friend bool operator==(const Vec3f&, const Vec3f&) = default;
};

/// Unit quaternion, w last; |norm^2 - 1| <= kQuaternionNormTolerance in commands.
struct Quatf {
  float x = 0, y = 0, z = 0, w = 1;
  friend bool operator==(const Quatf&, const Quatf&) = default;
};

/// Values are the wire's.
enum class ShapeKind : std::uint8_t {
  kSphere = 0,
  kCapsule = 1,
  kBox = 2,
  kHalfSpace = 3,
  kCylinder = 4,
  kCone = 5,
  kHull = 6,
  kMesh = 7,
  kHeightField = 8,
};

/// One shape in its body's frame.
struct ShapeInfo {
  ShapeKind kind = ShapeKind::kSphere;
  /// m. sphere (radius, 0, 0); capsule (radius, half length along local y, 0); box (half extents); half_space
  /// (outward unit normal); cylinder, cone (radius, half height along local y, 0), a cone's tip up; hull,
  /// mesh, height field (half extents of its box, which is centred on local_position; a hull's rounding
  /// included).
  Vec3f dimensions;
  Vec3f local_position;  ///< m; half_space: a point of its surface
  Quatf local_rotation;
  float rounding = 0;          ///< hull: radius around the convex hull of its vertices, m; otherwise 0
  std::uint64_t geometry = 0;  ///< hull, mesh, height field: World::geometry_digest(); 0 = not sent
  friend bool operator==(const ShapeInfo&, const ShapeInfo&) = default;
};

/// Three binary64 values; each field of this type has its frame and unit.
struct Vec3d {
  double x = 0, y = 0, z = 0;
  friend bool operator==(const Vec3d&, const Vec3d&) = default;
};

/// As Quatf, in binary64.
struct Quatd {
  double x = 0, y = 0, z = 0, w = 1;
  friend bool operator==(const Quatd&, const Quatd&) = default;
};

/// Stiffness and damping of a part of a joint, in the forms of takt/physics/softness.h.
struct Softness {
  std::uint8_t form =
      0;  ///< 0 rigid, 1 beta and gamma, 2 ERP and CFM, 3 spring and damper, 4 frequency and damping ratio
  double first = 0;   ///< first number of the form, >= 0
  double second = 0;  ///< second number of the form, >= 0
  friend bool operator==(const Softness&, const Softness&) = default;
};

/// A joint frame on a body.
struct JointPlace {
  Vec3d position;  ///< m, body frame
  Quatd rotation;
  friend bool operator==(const JointPlace&, const JointPlace&) = default;
};

/// No bound on a force, torque or coordinate.
inline constexpr double kUnbounded = std::numeric_limits<double>::infinity();

/// lower <= coordinate <= upper, m or rad.
struct JointLimit {
  double lower = -kUnbounded;
  double upper = kUnbounded;
  Softness softness;
  static constexpr auto fields(auto& c) {
    return std::tuple(Field("lower", c.lower, Bound()), Field("upper", c.upper, Bound()),
                      Field("softness", c.softness));
  }
  friend bool operator==(const JointLimit&, const JointLimit&) = default;
};

/// The drive of a coordinate (spring to a position), which schemas name hold.
struct JointHold {
  bool on = true;     ///< false: no drive from now on
  double target = 0;  ///< m or rad
  Softness softness;
  double max = kUnbounded;  ///< greatest force or torque, N or N m, >= 0
  static constexpr auto fields(auto& c) {
    return std::tuple(Field("on", c.on), Field("target", c.target, Finite()), Field("softness", c.softness),
                      Field("most", c.max, MaxBound()));
  }
  friend bool operator==(const JointHold&, const JointHold&) = default;
};

/// The motor of a coordinate: bounded force or torque to a speed.
struct JointMotor {
  double speed = 0;  ///< m/s or rad/s
  double max = 0;    ///< greatest force or torque, N or N m; 0 = no motor
  static constexpr auto fields(auto& c) {
    return std::tuple(Field("speed", c.speed, Finite()), Field("most", c.max, MaxBound()));
  }
  friend bool operator==(const JointMotor&, const JointMotor&) = default;
};

/// Limits of the values that check() accepts. Bounds of vectors, sizes and densities are far outside any
/// useful world, and later arithmetic on such values does not overflow. A scene's policy may be stricter.
inline constexpr float kVectorComponentMax = 1e9f;  ///< of a Vec3f, a friction, a grab's force, a turn rate
inline constexpr float kDimensionMax = 1e6f;        ///< of a shape, m
inline constexpr float kDensityMax = 1e9f;          ///< kg/m^3
inline constexpr float kQuaternionNormTolerance = 1e-3f;  ///< |norm^2 - 1|; the receiver normalises
inline constexpr std::uint32_t kForceTicksMax = 3600;     ///< a minute at 60 Hz
inline constexpr std::uint8_t kJointAxisMax = 7;          ///< eight coordinates of a joint
inline constexpr std::uint8_t kJointLockedMax = 63;       ///< six bits
inline constexpr std::uint8_t kSoftnessFormMax = 4;

// Each command has three things beside its data. The check, the bytes on the wire and the conversion to the
// simulation's command follow from them. The writer of ChangeJointCommand is an exception (command_codec.h).
// - Table: its table in schemas/protocol.fbs;
// - fields(): the fields of that table in the schema's order, which the compiler compares with the table;
// - wire_bytes_max(): upper bound of the table's bytes, measured and rounded up. A test checks it
//   (InputSender.WireBytesMaxIsAnUpperBound).
//
// takt/sim/command.h defines the effect of each command.

struct ImpulseCommand {
  BodyId body = 0;
  Vec3f impulse;                     ///< N s, world frame
  std::optional<Vec3f> point_local;  ///< m, body frame; absent = the centre of mass

  using Table = wire::Impulse;
  static constexpr auto fields(auto& c) {
    return std::tuple(Field("body", c.body, NotNull()), Field("impulse", c.impulse, Required()),
                      Field("point_local", c.point_local));
  }
  static constexpr std::size_t wire_bytes_max() { return 64; }
  friend bool operator==(const ImpulseCommand&, const ImpulseCommand&) = default;
};

struct ForceCommand {
  BodyId body = 0;
  Vec3f force;              ///< N, world frame, at the centre of mass
  Vec3f torque;             ///< N m, world frame
  std::uint32_t ticks = 1;  ///< number of ticks that both act, 1 .. kForceTicksMax

  using Table = wire::Force;
  static constexpr auto fields(auto& c) {
    return std::tuple(Field("body", c.body, NotNull()), Field("force", c.force), Field("torque", c.torque),
                      Field("ticks", c.ticks, Within{1u, kForceTicksMax}));
  }
  static constexpr std::size_t wire_bytes_max() { return 64; }
  friend bool operator==(const ForceCommand&, const ForceCommand&) = default;
};

struct SpawnCommand {
  ShapeInfo shape;    ///< sphere, capsule, box, cylinder or cone
  Position position;  ///< of the body's origin
  Quatf rotation;
  Vec3f linear_velocity;        ///< m/s, world frame
  Vec3f angular_velocity;       ///< rad/s, world frame
  float density = 1000;         ///< kg/m^3, 0 < density <= kDensityMax
  float friction = 0.6f;        ///< dimensionless, >= 0
  float restitution = 0;        ///< dimensionless, 0 .. 1
  std::uint32_t user_kind = 0;  ///< BodyInfo::user_kind

  using Table = wire::Spawn;
  static constexpr auto fields(auto& c) {
    return std::tuple(
        Field("shape", c.shape, Spawnable()), Field("position", c.position, Required()),
        Field("rotation", c.rotation), Field("linear_velocity", c.linear_velocity),
        Field("angular_velocity", c.angular_velocity), Field("density", c.density, Positive{kDensityMax}),
        Field("friction", c.friction, Within{0.0f, kVectorComponentMax}),
        Field("restitution", c.restitution, Within{0.0f, 1.0f}), Field("user_kind", c.user_kind));
  }
  static constexpr std::size_t wire_bytes_max() { return 192; }
  friend bool operator==(const SpawnCommand&, const SpawnCommand&) = default;
};

struct DespawnCommand {
  BodyId body = 0;

  using Table = wire::Despawn;
  static constexpr auto fields(auto& c) { return std::tuple(Field("body", c.body, NotNull())); }
  static constexpr std::size_t wire_bytes_max() { return 32; }
  friend bool operator==(const DespawnCommand&, const DespawnCommand&) = default;
};

struct GrabCommand {
  BodyId body = 0;
  Vec3f point_local;    ///< m, body frame: the point that is pulled
  Position target;      ///< world
  float max_force = 0;  ///< N, 0 .. kVectorComponentMax

  using Table = wire::Grab;
  static constexpr auto fields(auto& c) {
    return std::tuple(Field("body", c.body, NotNull()), Field("point_local", c.point_local),
                      Field("target", c.target, Required()),
                      Field("max_force", c.max_force, Within{0.0f, kVectorComponentMax}));
  }
  static constexpr std::size_t wire_bytes_max() { return 80; }
  friend bool operator==(const GrabCommand&, const GrabCommand&) = default;
};

/// Moves the target of the player's grab.
struct MoveGrabCommand {
  Position target;  ///< world

  using Table = wire::MoveGrab;
  static constexpr auto fields(auto& c) { return std::tuple(Field("target", c.target, Required())); }
  static constexpr std::size_t wire_bytes_max() { return 48; }
  friend bool operator==(const MoveGrabCommand&, const MoveGrabCommand&) = default;
};

/// Ends the player's grab.
struct ReleaseCommand {
  using Table = wire::Release;
  static constexpr auto fields(auto&) { return std::tuple(); }
  static constexpr std::size_t wire_bytes_max() { return 16; }
  friend bool operator==(const ReleaseCommand&, const ReleaseCommand&) = default;
};

struct TeleportCommand {
  BodyId body = 0;
  Position position;  ///< of the body's origin
  Quatf rotation;
  Vec3f linear_velocity;   ///< m/s, world frame
  Vec3f angular_velocity;  ///< rad/s, world frame

  using Table = wire::Teleport;
  static constexpr auto fields(auto& c) {
    return std::tuple(Field("body", c.body, NotNull()), Field("position", c.position, Required()),
                      Field("rotation", c.rotation), Field("linear_velocity", c.linear_velocity),
                      Field("angular_velocity", c.angular_velocity));
  }
  static constexpr std::size_t wire_bytes_max() { return 120; }
  friend bool operator==(const TeleportCommand&, const TeleportCommand&) = default;
};

/// Bytes for the server's Game, at most kCustomBytesMax.
struct CustomCommand {
  std::vector<std::byte> bytes;

  using Table = wire::Custom;
  static constexpr auto fields(auto& c) { return std::tuple(Field("bytes", c.bytes)); }
  [[nodiscard]] std::size_t wire_bytes_max() const { return 32 + bytes.size(); }
  friend bool operator==(const CustomCommand&, const CustomCommand&) = default;
};

/// The motion of a mover from this tick on, until the next MoveCommand.
struct MoveCommand {
  BodyId body = 0;                ///< the mover's
  Vec3f velocity;                 ///< desired velocity relative to the ground, m/s; y is ignored
  float turn = 0;                 ///< turn rate of the heading about +y, rad/s
  bool in_heading_frame = false;  ///< true: `velocity` is in the frame of the heading, z forwards; else world
  bool jump = false;              ///< true: jumps in the next step if grounded; later steps do not jump

  using Table = wire::Move;
  static constexpr auto fields(auto& c) {
    return std::tuple(Field("body", c.body, NotNull()), Field("velocity", c.velocity),
                      Field("turn", c.turn, Within{-kVectorComponentMax, kVectorComponentMax}),
                      Field("in_heading_frame", c.in_heading_frame), Field("jump", c.jump));
  }
  static constexpr std::size_t wire_bytes_max() { return 64; }
  friend bool operator==(const MoveCommand&, const MoveCommand&) = default;
};

/// Cuts a rope into two between the nodes `segment` and `segment` + 1.
struct CutCommand {
  std::uint64_t rope = 0;     ///< index and generation, as a BodyId
  std::uint32_t segment = 0;  ///< index from 0; the rope's length is checked later

  using Table = wire::Cut;
  static constexpr auto fields(auto& c) {
    return std::tuple(Field("rope", c.rope, NotNull()), Field("segment", c.segment));
  }
  static constexpr std::size_t wire_bytes_max() { return 40; }
  friend bool operator==(const CutCommand&, const CutCommand&) = default;
};

/// Changes a joint; absent members leave the joint's values as they are.
struct ChangeJointCommand {
  std::uint64_t joint = 0;  ///< index and generation, as a BodyId
  std::optional<bool> enabled;
  std::optional<bool> collide_connected;
  std::optional<bool> direct;
  std::optional<std::uint8_t> locked;  ///< bits 0 to 5: linear x, y, z, angular x, y, z locked
  std::optional<JointPlace> frame_a;
  std::optional<JointPlace> frame_b;
  std::optional<Softness> linear;
  std::optional<Softness> angular;
  std::optional<double> max_force;     ///< N, >= 0
  std::optional<double> max_torque;    ///< N m, >= 0
  std::optional<double> break_force;   ///< N, >= 0
  std::optional<double> break_torque;  ///< N m, >= 0
  std::optional<double> ratio;         ///< of gears and pulleys
  std::optional<double> length;        ///< m, of pulleys
  std::uint8_t axis = 3;  ///< coordinate that the next four members change, the engine's JointAxis, 0 to 7
  std::optional<JointLimit> limit;
  std::optional<JointHold> hold;
  std::optional<JointMotor> motor;
  std::optional<double> friction;  ///< N or N m, >= 0

  using Table = wire::ChangeJoint;
  static constexpr auto fields(auto& c) {
    return std::tuple(
        Field("joint", c.joint, NotNull()), Field("enabled", c.enabled),
        Field("collide_connected", c.collide_connected), Field("direct", c.direct),
        Field("locked", c.locked, LockBits()), Field("frame_a", c.frame_a), Field("frame_b", c.frame_b),
        Field("linear", c.linear), Field("angular", c.angular), Field("max_force", c.max_force, MaxBound()),
        Field("max_torque", c.max_torque, MaxBound()), Field("break_force", c.break_force, MaxBound()),
        Field("break_torque", c.break_torque, MaxBound()), Field("ratio", c.ratio, Finite()),
        Field("length", c.length, Finite()), Field("axis", c.axis, Axis()), Field("limit", c.limit),
        Field("hold", c.hold), Field("motor", c.motor), Field("friction", c.friction, MaxBound()));
  }
  [[nodiscard]] std::size_t wire_bytes_max() const;
  friend bool operator==(const ChangeJointCommand&, const ChangeJointCommand&) = default;
};

struct DestroyJointCommand {
  std::uint64_t joint = 0;  ///< index and generation, as a BodyId

  using Table = wire::DestroyJoint;
  static constexpr auto fields(auto& c) { return std::tuple(Field("joint", c.joint, NotNull())); }
  static constexpr std::size_t wire_bytes_max() { return 32; }
  friend bool operator==(const DestroyJointCommand&, const DestroyJointCommand&) = default;
};

/// The alternatives' order is the wire's union order minus NONE.
using Command = std::variant<ImpulseCommand, ForceCommand, SpawnCommand, DespawnCommand, GrabCommand,
                             MoveGrabCommand, ReleaseCommand, TeleportCommand, CustomCommand, MoveCommand,
                             CutCommand, ChangeJointCommand, DestroyJointCommand>;

/// A command with its tick and its sequence number.
struct Input {
  std::uint64_t tick = 0;      ///< applied in the step tick -> tick + 1
  std::uint32_t sequence = 0;  ///< from 1 per session, without gaps
  Command command;
  friend bool operator==(const Input&, const Input&) = default;
};

/// Returns Unit, or Error::kNotFinite or Error::kOutOfRange; kNotFinite if both apply. A client runs this
/// check before sending, a server after receiving.
// NOLINTNEXTLINE(bugprone-exception-escape): as above its definition.
[[nodiscard]] Result<Unit, Error> check(const Command& command) noexcept;
/// Checks a shape of any kind, as bodies have them, in the same way.
[[nodiscard]] Result<Unit, Error> check(const ShapeInfo& shape) noexcept;

}  // namespace takt::protocol
