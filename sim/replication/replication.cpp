#include "sim/replication/replication.h"

#include "sim/replication/joint_replication.h"
#include "sim/replication/shape_geometry.h"

namespace takt::sim {
namespace {

Vec3<float> from_wire(const protocol::Vec3f& v) noexcept { return {v.x, v.y, v.z}; }
Quat<float> from_wire(const protocol::Quatf& q) noexcept { return {q.x, q.y, q.z, q.w}; }
Position from_wire(const protocol::Position& p) noexcept { return {p.x, p.y, p.z}; }
protocol::Vec3f to_wire(const Vec3<float>& v) noexcept { return {v.x, v.y, v.z}; }
protocol::Quatf to_wire(const Quat<float>& q) noexcept { return {q.x, q.y, q.z, q.w}; }
protocol::Position to_wire(const Position& p) noexcept { return {p.x, p.y, p.z}; }
protocol::Vec3f narrowed(const Vec3<double>& v) noexcept {
  return {static_cast<float>(v.x), static_cast<float>(v.y), static_cast<float>(v.z)};
}
protocol::Quatf narrowed(const Quat<double>& q) noexcept {
  return {static_cast<float>(q.x), static_cast<float>(q.y), static_cast<float>(q.z), static_cast<float>(q.w)};
}

ShapeKind from_wire(protocol::ShapeKind kind) noexcept {
  switch (kind) {
    case protocol::ShapeKind::kSphere: return ShapeKind::kSphere;
    case protocol::ShapeKind::kCapsule: return ShapeKind::kCapsule;
    case protocol::ShapeKind::kBox: return ShapeKind::kBox;
    case protocol::ShapeKind::kHalfSpace: return ShapeKind::kHalfSpace;
    case protocol::ShapeKind::kCylinder: return ShapeKind::kCylinder;
    case protocol::ShapeKind::kCone: return ShapeKind::kCone;
    case protocol::ShapeKind::kHull: return ShapeKind::kHull;
    case protocol::ShapeKind::kMesh: return ShapeKind::kMesh;
    case protocol::ShapeKind::kHeightField: return ShapeKind::kHeightField;
  }
  return ShapeKind::kHalfSpace;  // refused by the simulation
}
protocol::ShapeKind to_wire(ShapeKind kind) noexcept {
  switch (kind) {
    case ShapeKind::kSphere: return protocol::ShapeKind::kSphere;
    case ShapeKind::kCapsule: return protocol::ShapeKind::kCapsule;
    case ShapeKind::kBox: return protocol::ShapeKind::kBox;
    case ShapeKind::kHalfSpace: break;
    case ShapeKind::kCylinder: return protocol::ShapeKind::kCylinder;
    case ShapeKind::kCone: return protocol::ShapeKind::kCone;
    case ShapeKind::kHull: return protocol::ShapeKind::kHull;
    case ShapeKind::kMesh: return protocol::ShapeKind::kMesh;
    case ShapeKind::kHeightField: return protocol::ShapeKind::kHeightField;
  }
  return protocol::ShapeKind::kHalfSpace;
}

struct FromWire {
  Command operator()(const protocol::ImpulseCommand& c) const {
    ImpulseCommand out{BodyId::from_u64(c.body), from_wire(c.impulse), std::nullopt};
    if (c.point_local) out.point_local_m = from_wire(*c.point_local);
    return out;
  }
  Command operator()(const protocol::ForceCommand& c) const {
    return ForceCommand{BodyId::from_u64(c.body), from_wire(c.force), from_wire(c.torque), c.ticks};
  }
  Command operator()(const protocol::SpawnCommand& c) const {
    SpawnCommand out;
    out.kind = from_wire(c.shape.kind);
    out.dimensions_m = from_wire(c.shape.dimensions);
    out.position = from_wire(c.position);
    out.rotation = from_wire(c.rotation);
    out.linear_velocity_m_s = from_wire(c.linear_velocity);
    out.angular_velocity_rad_s = from_wire(c.angular_velocity);
    out.density_kg_m3 = c.density;
    out.friction = c.friction;
    out.restitution = c.restitution;
    out.user_kind = c.user_kind;
    return out;
  }
  Command operator()(const protocol::DespawnCommand& c) const {
    return DespawnCommand{BodyId::from_u64(c.body)};
  }
  Command operator()(const protocol::GrabCommand& c) const {
    return GrabCommand{BodyId::from_u64(c.body), from_wire(c.point_local), from_wire(c.target), c.max_force};
  }
  Command operator()(const protocol::MoveGrabCommand& c) const {
    return MoveGrabCommand{from_wire(c.target)};
  }
  Command operator()(const protocol::ReleaseCommand&) const { return ReleaseCommand{}; }
  Command operator()(const protocol::TeleportCommand& c) const {
    return TeleportCommand{BodyId::from_u64(c.body), from_wire(c.position), from_wire(c.rotation),
                           from_wire(c.linear_velocity), from_wire(c.angular_velocity)};
  }
  Command operator()(const protocol::CustomCommand& c) const { return CustomCommand{c.bytes}; }
  Command operator()(const protocol::MoveCommand& c) const {
    return MoveCommand{BodyId::from_u64(c.body), from_wire(c.velocity), c.turn, c.in_heading_frame, c.jump};
  }
  Command operator()(const protocol::CutCommand& c) const {
    return CutCommand{RopeId::from_u64(c.rope), c.segment};
  }
  Command operator()(const protocol::ChangeJointCommand& c) const { return change_from_wire(c); }
  Command operator()(const protocol::DestroyJointCommand& c) const {
    return DestroyJointCommand{JointId::from_u64(c.joint)};
  }
};

struct ToWire {
  using Wire = std::optional<protocol::Command>;
  Wire operator()(const ImpulseCommand& c) const {
    protocol::ImpulseCommand out{c.body.to_u64(), to_wire(c.impulse_n_s), std::nullopt};
    if (c.point_local_m) out.point_local = to_wire(*c.point_local_m);
    return out;
  }
  Wire operator()(const ForceCommand& c) const {
    return protocol::ForceCommand{c.body.to_u64(), to_wire(c.force_n), to_wire(c.torque_n_m), c.ticks};
  }
  Wire operator()(const SpawnCommand& c) const {
    protocol::SpawnCommand out;
    out.shape.kind = to_wire(c.kind);
    out.shape.dimensions = to_wire(c.dimensions_m);
    out.position = to_wire(c.position);
    out.rotation = to_wire(c.rotation);
    out.linear_velocity = to_wire(c.linear_velocity_m_s);
    out.angular_velocity = to_wire(c.angular_velocity_rad_s);
    out.density = c.density_kg_m3;
    out.friction = c.friction;
    out.restitution = c.restitution;
    out.user_kind = c.user_kind;
    return out;
  }
  Wire operator()(const DespawnCommand& c) const { return protocol::DespawnCommand{c.body.to_u64()}; }
  Wire operator()(const GrabCommand& c) const {
    return protocol::GrabCommand{c.body.to_u64(), to_wire(c.point_local_m), to_wire(c.target), c.max_force_n};
  }
  Wire operator()(const MoveGrabCommand& c) const { return protocol::MoveGrabCommand{to_wire(c.target)}; }
  Wire operator()(const ReleaseCommand&) const { return protocol::ReleaseCommand{}; }
  Wire operator()(const TeleportCommand& c) const {
    return protocol::TeleportCommand{c.body.to_u64(), to_wire(c.position), to_wire(c.rotation),
                                     to_wire(c.linear_velocity_m_s), to_wire(c.angular_velocity_rad_s)};
  }
  Wire operator()(const CustomCommand& c) const { return protocol::CustomCommand{c.bytes}; }
  Wire operator()(const JoinCommand&) const { return std::nullopt; }
  Wire operator()(const LeaveCommand&) const { return std::nullopt; }
  Wire operator()(const MoveCommand& c) const {
    return protocol::MoveCommand{c.body.to_u64(), to_wire(c.velocity_m_s), c.turn_rad_s, c.in_heading_frame,
                                 c.jump};
  }
  Wire operator()(const CutCommand& c) const { return protocol::CutCommand{c.rope.to_u64(), c.segment}; }
  Wire operator()(const ChangeJointCommand& c) const { return change_to_wire(c); }
  Wire operator()(const DestroyJointCommand& c) const {
    return protocol::DestroyJointCommand{c.joint.to_u64()};
  }
};

std::uint32_t flags_of(const BodyView& view) noexcept {
  switch (view.type) {
    case BodyType::kStatic: return protocol::kBodyStatic;
    case BodyType::kKinematic: return protocol::kBodyKinematic;
    case BodyType::kDynamic: break;
  }
  return view.asleep ? protocol::kBodyAsleep : 0;
}

protocol::ShapeInfo shape_info(const ShapeDef& shape) {
  protocol::ShapeInfo info;
  info.kind = to_wire(shape.kind);
  info.local_position = narrowed(shape.local_position_m);
  info.local_rotation = narrowed(shape.local_rotation);
  switch (shape.kind) {
    case ShapeKind::kSphere: info.dimensions = narrowed(Vec3<double>{shape.radius_m, 0, 0}); break;
    case ShapeKind::kCapsule:
    case ShapeKind::kCylinder:
    case ShapeKind::kCone:
      info.dimensions = narrowed(Vec3<double>{shape.radius_m, shape.half_length_m, 0});
      break;
    case ShapeKind::kBox: info.dimensions = narrowed(shape.half_extents_m); break;
    case ShapeKind::kHalfSpace:
      info.dimensions = narrowed(rotate(shape.local_rotation, Vec3<double>{0, 1, 0}));
      break;
    case ShapeKind::kHull:
    case ShapeKind::kMesh:
    case ShapeKind::kHeightField: {
      GeometryBox const box = geometry_box(shape);
      double const rounding = shape.kind == ShapeKind::kHull ? shape.rounding_m : 0.0;
      info.dimensions = narrowed(box.half_size_m + Vec3<double>{rounding, rounding, rounding});
      info.local_position = narrowed(shape.local_position_m + rotate(shape.local_rotation, box.middle_m));
      info.rounding = static_cast<float>(rounding);
      break;
    }
  }
  return info;
}

}  // namespace

Command to_command(const protocol::Command& command) { return std::visit(FromWire{}, command); }

Input to_input(const protocol::Input& input, PlayerId player) {
  return {input.tick, player, input.sequence, to_command(input.command)};
}

std::optional<protocol::Command> to_protocol(const Command& command) { return std::visit(ToWire{}, command); }

protocol::CommandStatus command_status_of(Refusal refusal) noexcept {
  using enum protocol::CommandStatus;
  switch (refusal) {
    case Refusal::kNone: return kApplied;
    case Refusal::kNotJoined:
    case Refusal::kServerOnly:
    case Refusal::kForbidden: return kRefusedPermission;
    case Refusal::kRateLimited: return kRefusedRate;
    case Refusal::kUnknownBody:
    case Refusal::kNotGrabbing: return kRefusedUnknownBody;
    case Refusal::kTooManyPlayers:
    case Refusal::kOverLimit:
    case Refusal::kTooManySpawned:
    case Refusal::kWorldFull:
    case Refusal::kAlreadyGrabbing:
    case Refusal::kTooManyForces: return kRefusedLimit;
    case Refusal::kWrongTick: return kRefusedLate;
    case Refusal::kAlreadyJoined:
    case Refusal::kStaleSequence:
    case Refusal::kNotFinite:
    case Refusal::kOutOfRange:
    case Refusal::kNotDynamic:
    case Refusal::kNoGame:
    case Refusal::kGameRefused:
    case Refusal::kPayloadTooLong:
    case Refusal::kNotMover:
    case Refusal::kUnknownRope:
    case Refusal::kUnknownJoint:
    case Refusal::kBadSoftness:
    case Refusal::kLimitsCrossed:
    case Refusal::kBadJointAxis:
    case Refusal::kBadCoupling:
    case Refusal::kBadShape: break;
  }
  return kRefusedInvalid;
}

void list_body_states(const AnyWorld& world, std::vector<protocol::BodyState>& out) {
  std::vector<BodyId> ids;
  world.list_bodies(ids);
  out.clear();
  out.reserve(ids.size());
  for (BodyId const id : ids) {
    BodyView const view = world.view(id);
    protocol::BodyState& state = out.emplace_back();
    state.id = id.to_u64();
    state.position = to_wire(view.position);
    state.rotation = narrowed(view.rotation);
    state.linear_velocity = narrowed(view.linear_velocity_m_s);
    state.angular_velocity = narrowed(view.angular_velocity_rad_s);
    state.flags = flags_of(view);
  }
}

protocol::BodyInfo body_info(const Simulation& simulation, BodyId body) {
  protocol::BodyInfo info;
  info.id = body.to_u64();
  info.user_kind = static_cast<std::uint32_t>(simulation.world().user_tag(body));
  info.player = simulation.owner(body);
  AnyWorld const& world = simulation.world();
  for (const ShapeDef& shape : world.shapes(body)) info.shapes.push_back(shape_info(shape));
  std::size_t at = 0;
  for (ShapeId const shape : world.shape_ids(body)) info.shapes[at++].geometry = world.geometry_digest(shape);
  return info;
}

}  // namespace takt::sim
