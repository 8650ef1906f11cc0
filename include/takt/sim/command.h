// Command is one action of a player or the server on a world, such as an impulse, a spawn or a grab. Input is
// a Command with its tick, player and sequence (running number of the player's inputs). Simulation::step
// applies inputs, and decides by the scene's CommandPolicy (policy.h) if each is allowed; a refused input
// changes nothing (sim::Refusal). encode() and decode_input() convert an Input to the bytes in recordings and
// back, field by field, little-endian (docs/RECORDING.md). sim/replication/replication.h converts commands to
// and from network messages.
//
// Numbers of commands are binary32, positions are Q31.32, both exactly as in network messages. Joint commands
// have binary64, because joints compute in binary64, and so have the server's own. "Players" below are those
// that are not admins: admins and the server are exempt from the policy.
//
// The server's own commands (ServerCommand) change what scenes define: no network message has them, and
// Simulation refuses them to players and admins (kServerOnly).
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
#include "takt/physics/mover.h"
#include "takt/physics/rope.h"
#include "takt/sim/error.h"

namespace takt::sim {

/// 0 = the server itself. A server gives ids from 1 upwards in join order and gives none twice.
using PlayerId = std::uint32_t;
inline constexpr PlayerId kServerPlayer = 0;

inline constexpr std::size_t kMaxCustomBytes = 1000;    ///< of one CustomCommand; the protocol's limit
inline constexpr std::size_t kMaxPlayerNameBytes = 32;  ///< the protocol's limit
inline constexpr std::uint32_t kMaxForceTicks = 3600;   ///< a minute at 60 Hz
/// Maximum absolute coordinate of a position in a command, metres: well inside Q31.32, so that differences of
/// positions never wrap.
inline constexpr std::int64_t kMaxCommandCoordinateM = 500'000'000;

/// A command of the server alone.
template <class C>
concept ServerCommand = requires {
  requires C::kIsServerOnly;
};

/// Changes the velocities of a dynamic body at once (World::apply_impulse, apply_impulse_at).
struct ImpulseCommand {
  BodyId body;
  Vec3<float> impulse_n_s;                   ///< world frame
  std::optional<Vec3<float>> point_local_m;  ///< where it acts, body frame; none = the centre of mass

  static constexpr std::string_view kName = "impulse";
  static constexpr auto fields(auto& c) { return std::tie(c.body, c.impulse_n_s, c.point_local_m); }
  friend bool operator==(const ImpulseCommand&, const ImpulseCommand&) = default;
};
/// A force on a dynamic body at its centre of mass, in this step and the `ticks` - 1 after it. The force ends
/// earlier when its player leaves or the body is destroyed.
struct ForceCommand {
  BodyId body;
  Vec3<float> force_n;      ///< world frame
  Vec3<float> torque_n_m;   ///< world frame
  std::uint32_t ticks = 1;  ///< [1, kMaxForceTicks]

  static constexpr std::string_view kName = "force";
  static constexpr auto fields(auto& c) { return std::tie(c.body, c.force_n, c.torque_n_m, c.ticks); }
  friend bool operator==(const ForceCommand&, const ForceCommand&) = default;
};
/// Creates a dynamic body of one shape. The player owns it; a body that the server spawns has no owner.
struct SpawnCommand {
  ShapeKind kind = ShapeKind::kSphere;  ///< sphere, capsule, box, cylinder or cone
  Vec3<float> dimensions_m{
      0.5f, 0,
      0};  ///< sphere (radius, -, -); capsule, cylinder, cone (radius, half length, -); box (half extents)
  Position position;     ///< each coordinate within +-kMaxCommandCoordinateM, here and below
  Quat<float> rotation;  ///< unit within 1 %, here and below
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
/// Destroys a body (World::destroy_body). Players despawn dynamic bodies only.
struct DespawnCommand {
  BodyId body;

  static constexpr std::string_view kName = "despawn";
  static constexpr auto fields(auto& c) { return std::tie(c.body); }
  friend bool operator==(const DespawnCommand&, const DespawnCommand&) = default;
};
/// Pulls a point of a dynamic body to a target until the release (World::create_grab). A player has one grab
/// at a time, and so has the server.
struct GrabCommand {
  BodyId body;
  Vec3<float> point_local_m;  ///< body frame
  Position target;
  float max_force_n = 0;  ///< (0, 1e9]

  static constexpr std::string_view kName = "grab";
  static constexpr auto fields(auto& c) { return std::tie(c.body, c.point_local_m, c.target, c.max_force_n); }
  friend bool operator==(const GrabCommand&, const GrabCommand&) = default;
};
/// Moves the target of the player's grab.
struct MoveGrabCommand {
  Position target;

  static constexpr std::string_view kName = "move_grab";
  static constexpr auto fields(auto& c) { return std::tie(c.target); }
  friend bool operator==(const MoveGrabCommand&, const MoveGrabCommand&) = default;
};
/// Ends the player's grab; the body keeps its velocities.
struct ReleaseCommand {
  static constexpr std::string_view kName = "release";
  static constexpr auto fields(auto&) { return std::tie(); }
  friend bool operator==(const ReleaseCommand&, const ReleaseCommand&) = default;
};
/// Sets a body's pose and, unless it is static, its velocities. Players teleport dynamic bodies only.
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
/// Bytes for Game::on_command.
struct CustomCommand {
  std::vector<std::byte> bytes;  ///< at most kMaxCustomBytes

  static constexpr std::string_view kName = "custom";
  static constexpr auto fields(auto& c) { return std::tie(c.bytes); }
  friend bool operator==(const CustomCommand&, const CustomCommand&) = default;
};
/// Adds a player.
struct JoinCommand {
  PlayerId player = 0;  ///< the one who joins, not 0
  bool admin = false;   ///< true: exempt from the policy's limits and from ownership
  std::string name;     ///< for people; at most kMaxPlayerNameBytes

  static constexpr bool kIsServerOnly = true;
  static constexpr std::string_view kName = "join";
  static constexpr auto fields(auto& c) { return std::tie(c.player, c.admin, c.name); }
  friend bool operator==(const JoinCommand&, const JoinCommand&) = default;
};
/// Removes a player. Its grab and lasting forces end; CommandPolicy::despawn_on_leave decides whether its
/// bodies are destroyed or lose their owner.
struct LeaveCommand {
  PlayerId player = 0;

  static constexpr bool kIsServerOnly = true;
  static constexpr std::string_view kName = "leave";
  static constexpr auto fields(auto& c) { return std::tie(c.player); }
  friend bool operator==(const LeaveCommand&, const LeaveCommand&) = default;
};

/// The input of a mover from this step on (MoverInput). The last of several commands in one tick counts, but
/// a jump of any of them is kept.
struct MoveCommand {
  BodyId body;               ///< the mover's
  Vec3<float> velocity_m_s;  ///< wanted velocity relative to the ground; length at most 1000; y is ignored
  float turn_rad_s = 0;      ///< of the heading about +y, within +-100
  bool in_heading_frame = false;
  bool jump = false;

  static constexpr std::string_view kName = "move";
  static constexpr auto fields(auto& c) {
    return std::tie(c.body, c.velocity_m_s, c.turn_rad_s, c.in_heading_frame, c.jump);
  }
  friend bool operator==(const MoveCommand&, const MoveCommand&) = default;
};

/// Cuts a rope between node `segment` and the next (World::cut_rope). A rope has no owner: players may cut
/// ropes if CommandPolicy::despawn is kAnything.
struct CutCommand {
  RopeId rope;
  std::uint32_t segment = 0;

  static constexpr std::string_view kName = "cut";
  static constexpr auto fields(auto& c) { return std::tie(c.rope, c.segment); }
  friend bool operator==(const CutCommand&, const CutCommand&) = default;
};

/// Changes a joint from this step on (World::change_joint, World::set_joint_enabled); a member without a
/// value leaves its property unchanged. A player may change motor, drive and friction of a joint if it may
/// push all of the joint's dynamic bodies, within the policy's forces and speeds. Other changes need the
/// right to despawn all of those bodies.
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
    bool on = true;       ///< false: no drive from now on; the other members are ignored
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
  std::optional<bool> enabled;  ///< true also repairs a broken joint
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
  JointAxis axis = JointAxis::kAngularX;  ///< the axis of the four members below
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

/// Destroys a joint and the gears that couple it. A player needs the right to despawn all of the joint's
/// dynamic bodies.
struct DestroyJointCommand {
  JointId joint;

  static constexpr std::string_view kName = "destroy_joint";
  static constexpr auto fields(auto& c) { return std::tie(c.joint); }
  friend bool operator==(const DestroyJointCommand&, const DestroyJointCommand&) = default;
};

/// Changes values of BodyDef from this step on; a member without a value leaves its property unchanged.
/// Ranges are those of BodyDef. A mover's body keeps its type (kNotMover).
struct ChangeBodyCommand {
  struct Damping {
    double linear_1_s = 0;
    double angular_1_s = 0;
    static constexpr auto fields(auto& c) { return std::tie(c.linear_1_s, c.angular_1_s); }
    friend bool operator==(const Damping&, const Damping&) = default;
  };
  BodyId body;
  std::optional<BodyType> type;
  std::optional<bool> enabled;
  std::optional<std::uint8_t> locked_axes;  ///< kLock bits
  std::optional<double> gravity_scale;
  std::optional<Damping> damping;
  std::optional<std::uint64_t> user_tag;

  static constexpr bool kIsServerOnly = true;
  static constexpr std::string_view kName = "change_body";
  static constexpr auto fields(auto& c) {
    return std::tie(c.body, c.type, c.enabled, c.locked_axes, c.gravity_scale, c.damping, c.user_tag);
  }
  friend bool operator==(const ChangeBodyCommand&, const ChangeBodyCommand&) = default;
};

/// Changes values of ShapeDef from this step on, with its ranges; a member without a value leaves its
/// property unchanged. Triangles of a surface with materials of their own keep them.
struct ChangeShapeCommand {
  ShapeId shape;
  std::optional<ShapeFilter> filter;
  std::optional<double> friction;
  std::optional<double> restitution;
  std::optional<Vec3<double>> surface_velocity_m_s;  ///< shape's frame

  static constexpr bool kIsServerOnly = true;
  static constexpr std::string_view kName = "change_shape";
  static constexpr auto fields(auto& c) {
    return std::tie(c.shape, c.filter, c.friction, c.restitution, c.surface_velocity_m_s);
  }
  friend bool operator==(const ChangeShapeCommand&, const ChangeShapeCommand&) = default;
};

/// Moves a kinematic body to a pose within the next step (World::set_target).
struct TargetCommand {
  BodyId body;
  Position position;
  Quat<double> rotation;

  static constexpr bool kIsServerOnly = true;
  static constexpr std::string_view kName = "target";
  static constexpr auto fields(auto& c) { return std::tie(c.body, c.position, c.rotation); }
  friend bool operator==(const TargetCommand&, const TargetCommand&) = default;
};

/// Sets the tuning of a mover from this step on (World::set_mover_tuning).
struct TuneMoverCommand {
  BodyId body;  ///< the mover's
  MoverTuning tuning;

  static constexpr bool kIsServerOnly = true;
  static constexpr std::string_view kName = "tune_mover";
  /// References to the members of a MoverTuning in their order.
  static constexpr auto tuning_fields(auto& t) {
    return std::tie(t.max_slope_rad, t.step_height_m, t.stick_distance_m, t.skin_m, t.max_speed_m_s,
                    t.acceleration_m_s2, t.air_acceleration_m_s2, t.jump_speed_m_s, t.max_fall_speed_m_s,
                    t.gravity_scale, t.push_force_n, t.mass_kg, t.recovery_speed_m_s);
  }
  static constexpr auto fields(auto& c) { return std::tuple_cat(std::tie(c.body), tuning_fields(c.tuning)); }
  friend bool operator==(const TuneMoverCommand& a, const TuneMoverCommand& b) {
    return fields(a) == fields(b);
  }
};

/// Creates a joint (World::create_joint). The members are those of JointDef.
struct CreateJointCommand {
  struct Axis {
    JointAxisDef def;
    static constexpr auto fields(auto& c) {
      auto& d = c.def;
      return std::tie(d.axis, d.lower, d.upper, d.limit_softness, d.has_drive, d.target, d.drive_softness,
                      d.max_drive, d.speed, d.max_motor, d.friction);
    }
    friend bool operator==(const Axis&, const Axis&) = default;
  };
  JointKind kind = JointKind::kGeneric;
  BodyId body_a;
  BodyId body_b;
  JointFrame frame_a;
  JointFrame frame_b;
  std::uint8_t locked = 0;
  Softness linear;
  Softness angular;
  double max_force_n = kUnbounded;
  double max_torque_n_m = kUnbounded;
  double break_force_n = kUnbounded;
  double break_torque_n_m = kUnbounded;
  JointCoupling coupling;
  bool collide_connected = false;
  bool enabled = true;
  bool direct = true;
  std::uint64_t user_tag = 0;
  std::vector<Axis> axes;  ///< ascending by coordinate, at most kJointAxisCount

  static constexpr bool kIsServerOnly = true;
  static constexpr std::string_view kName = "create_joint";
  static constexpr auto fields(auto& c) {
    auto& g = c.coupling;
    return std::tie(c.kind, c.body_a, c.body_b, c.frame_a, c.frame_b, c.locked, c.linear, c.angular,
                    c.max_force_n, c.max_torque_n_m, c.break_force_n, c.break_torque_n_m, g.joint_1,
                    g.joint_2, g.axis_1, g.axis_2, g.ratio, g.ground_a, g.ground_b, g.length_m,
                    c.collide_connected, c.enabled, c.direct, c.user_tag, c.axes);
  }
  friend bool operator==(const CreateJointCommand&, const CreateJointCommand&) = default;
  /// Returns the command that creates the joint of `def`.
  [[nodiscard]] static CreateJointCommand of(const JointDef& def);
};

/// A RopePin.
struct PinnedNode {
  std::uint32_t node = 0;
  BodyId body;                     ///< null: a point of the world
  Vec3<double> local_anchor_m;     ///< in the body's frame
  std::optional<Position> target;  ///< of a point of the world; none = the node's present position
  static constexpr auto fields(auto& c) { return std::tie(c.node, c.body, c.local_anchor_m, c.target); }
  friend bool operator==(const PinnedNode&, const PinnedNode&) = default;
};

/// Creates a rope (World::create_rope). The members are those of RopeDef.
struct CreateRopeCommand {
  std::vector<Position> points;  ///< empty: `def` has a straight line of nodes
  std::vector<PinnedNode> pins;
  RopeDef def;  ///< without `points` and `pins`

  static constexpr bool kIsServerOnly = true;
  static constexpr std::string_view kName = "create_rope";
  static constexpr auto fields(auto& c) {
    auto& d = c.def;
    return std::tie(c.points, c.pins, d.start, d.end, d.node_count, d.segment_length_m, d.radius_m, d.mass_kg,
                    d.linear_density_kg_m, d.mode, d.stiffness, d.compliance_m_n, d.damping_n_s_m, d.passes,
                    d.drag_1_s, d.gravity_scale, d.friction, d.collides, d.collides_with_pinned, d.can_sleep,
                    d.filter, d.user_tag);
  }
  friend bool operator==(const CreateRopeCommand& a, const CreateRopeCommand& b) {
    return fields(a) == fields(b);
  }
};

/// Changes a rope from this step on; a member without a value leaves its property unchanged.
struct ChangeRopeCommand {
  RopeId rope;
  std::optional<double> segment_length_m;      ///< rest length (World::set_rope_segment_length)
  std::optional<PinnedNode> pin;               ///< World::set_rope_pin
  std::optional<std::uint32_t> released_node;  ///< loses its pin (World::clear_rope_pin)

  static constexpr bool kIsServerOnly = true;
  static constexpr std::string_view kName = "change_rope";
  static constexpr auto fields(auto& c) {
    return std::tie(c.rope, c.segment_length_m, c.pin, c.released_node);
  }
  friend bool operator==(const ChangeRopeCommand&, const ChangeRopeCommand&) = default;
};

/// Destroys a rope (World::destroy_rope).
struct DestroyRopeCommand {
  RopeId rope;

  static constexpr bool kIsServerOnly = true;
  static constexpr std::string_view kName = "destroy_rope";
  static constexpr auto fields(auto& c) { return std::tie(c.rope); }
  friend bool operator==(const DestroyRopeCommand&, const DestroyRopeCommand&) = default;
};

/// Creates a mover and its body, which no player owns (World::create_mover). A despawn of the body destroys
/// both.
struct CreateMoverCommand {
  MoverDef def;

  static constexpr bool kIsServerOnly = true;
  static constexpr std::string_view kName = "create_mover";
  static constexpr auto fields(auto& c) {
    auto& d = c.def;
    return std::tuple_cat(std::tie(d.position, d.heading_rad, d.radius_m, d.half_length_m, d.friction,
                                   d.restitution, d.filter, d.user_tag),
                          TuneMoverCommand::tuning_fields(d.tuning));
  }
  friend bool operator==(const CreateMoverCommand& a, const CreateMoverCommand& b) {
    return fields(a) == fields(b);
  }
};

/// The alternatives' order is the encoding: index + 1 is the command's byte. New ones go to the end.
using Command =
    std::variant<ImpulseCommand, ForceCommand, SpawnCommand, DespawnCommand, GrabCommand, MoveGrabCommand,
                 ReleaseCommand, TeleportCommand, CustomCommand, JoinCommand, LeaveCommand, MoveCommand,
                 CutCommand, ChangeJointCommand, DestroyJointCommand, ChangeBodyCommand, ChangeShapeCommand,
                 TargetCommand, TuneMoverCommand, CreateJointCommand, CreateRopeCommand, ChangeRopeCommand,
                 DestroyRopeCommand, CreateMoverCommand>;

/// Returns kName of the alternative: "impulse", "force" and so on.
[[nodiscard]] std::string_view name_of(const Command& command) noexcept;

/// A command with its tick, player and sequence number.
struct Input {
  std::uint64_t tick = 0;  ///< applied in the step that takes tick to tick + 1
  PlayerId player = 0;
  std::uint32_t sequence = 0;  ///< above all earlier ones of this player; at least 1
  Command command;
  friend bool operator==(const Input&, const Input&) = default;
};

/// Appends the encoding of `input`. A text or list of bytes has at most 65,536 bytes, and another list 8,192
/// elements (asserted): decode_input() reads no more.
void encode(const Input& input, std::vector<std::byte>& out);
/// Reads one input and moves `reader` behind it. Errors: kInputMalformed for bytes that are no input. Values
/// are not checked here: Simulation::step refuses bad ones, in a replay as in the live run.
[[nodiscard]] Result<Input, SimError> decode_input(ByteReader& reader);

/// Sorts inputs of one tick into the order in which they act: (player, sequence), stable.
void sort_inputs(std::vector<Input>& inputs);

}  // namespace takt::sim
