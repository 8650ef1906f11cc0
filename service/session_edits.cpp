// The edits of Session's worlds.
#include "service/session_parts.h"
#include "service/wire/definitions.h"

namespace takt::service {
namespace {

constexpr std::string_view kNotTuning = "values are not the 13 of takt_mover_tuning";

}  // namespace

takt_status Session::run_edit(const wire::Request& request, takt_world* world, ReplyParts& parts) {
  switch (request.body_type()) {
    case wire::RequestBody::Impulse: {
      auto const& e = *request.body_as_Impulse();
      return takt_world_impulse(world, e.body(), Numbers(e.impulse()).get(), Numbers(e.local_point()).get());
    }
    case wire::RequestBody::Force: {
      auto const& e = *request.body_as_Force();
      return takt_world_force(world, e.body(), Numbers(e.force()).get(), Numbers(e.torque()).get(),
                              e.ticks());
    }
    case wire::RequestBody::Teleport: {
      auto const& e = *request.body_as_Teleport();
      return takt_world_teleport(world, e.body(), Numbers(e.position()).get(), Numbers(e.rotation()).get(),
                                 Numbers(e.linear_velocity()).get(), Numbers(e.angular_velocity()).get());
    }
    case wire::RequestBody::Spawn: {
      auto const& e = *request.body_as_Spawn();
      takt_spawn spawn{};
      spawn.size = sizeof spawn;
      spawn.shape = e.shape();
      Numbers(e.dimensions()).put(spawn.dimensions, 3);
      Numbers(e.position()).put(spawn.position, 3);
      Numbers(e.rotation()).put(spawn.rotation, 4);
      Numbers(e.linear_velocity()).put(spawn.linear_velocity, 3);
      Numbers(e.angular_velocity()).put(spawn.angular_velocity, 3);
      spawn.density = e.density();
      spawn.friction = e.friction();
      spawn.restitution = e.restitution();
      spawn.tag = e.tag();
      if (takt_status const bad = allow(0, 0)) return bad;
      std::uint64_t body = 0;
      takt_status const status = takt_world_spawn(world, &spawn, &body);
      if (status == TAKT_OK) parts.ids = builder_.CreateVector(&body, 1);
      return status;
    }
    case wire::RequestBody::Despawn: return takt_world_despawn(world, request.body_as_Despawn()->body());
    case wire::RequestBody::Move: {
      auto const& e = *request.body_as_Move();
      return takt_world_move(world, e.body(), Numbers(e.velocity()).get(), e.turn(), e.in_heading_frame(),
                             e.jump());
    }
    case wire::RequestBody::CutRope: {
      auto const& e = *request.body_as_CutRope();
      return takt_world_cut_rope(world, e.rope(), e.segment());
    }
    case wire::RequestBody::JointMotor: {
      auto const& e = *request.body_as_JointMotor();
      return takt_world_joint_motor(world, e.joint(), e.axis(), e.speed(), e.max());
    }
    case wire::RequestBody::JointDrive: {
      auto const& e = *request.body_as_JointDrive();
      return takt_world_joint_drive(world, e.joint(), e.axis(), e.on(), e.target(), e.frequency(),
                                    e.damping_ratio(), e.max());
    }
    case wire::RequestBody::JointLimit: {
      auto const& e = *request.body_as_JointLimit();
      return takt_world_joint_limit(world, e.joint(), e.axis(), e.lower(), e.upper());
    }
    case wire::RequestBody::JointFriction: {
      auto const& e = *request.body_as_JointFriction();
      return takt_world_joint_friction(world, e.joint(), e.axis(), e.friction());
    }
    case wire::RequestBody::JointEnable: {
      auto const& e = *request.body_as_JointEnable();
      return takt_world_joint_enable(world, e.joint(), e.enabled());
    }
    case wire::RequestBody::ChangeJoint: {
      auto const& e = *request.body_as_ChangeJoint();
      takt_joint_change const change = from_wire(e);
      return takt_world_change_joint(world, e.joint(), &change);
    }
    case wire::RequestBody::DestroyJoint:
      return takt_world_destroy_joint(world, request.body_as_DestroyJoint()->joint());
    default: return run_definition(request, world, parts);
  }
}

// Edits of what scenes define.
takt_status Session::run_definition(const wire::Request& request, takt_world* world, ReplyParts& parts) {
  switch (request.body_type()) {
    case wire::RequestBody::CreateJoint: {
      takt_joint_def const def = from_wire(*request.body_as_CreateJoint());
      if (takt_status const bad = allow(0, 0)) return bad;
      std::uint64_t joint = 0;
      takt_status const status = takt_world_create_joint(world, &def, &joint);
      if (status == TAKT_OK) parts.ids = builder_.CreateVector(&joint, 1);
      return status;
    }
    case wire::RequestBody::CreateRope: {
      auto const& e = *request.body_as_CreateRope();
      takt_rope_def const def = from_wire(e);
      std::vector<double> const points = copied(e.points());
      if (!points.empty() && points.size() != 3 * std::uint64_t{def.node_count})
        return fail(TAKT_ERROR_RANGE, "points has another number of coordinates than 3 x node_count");
      if (takt_status const bad = allow(0, 0)) return bad;
      std::uint64_t rope = 0;
      takt_status const status = takt_world_create_rope(world, &def, data_of(points), &rope);
      if (status == TAKT_OK) parts.ids = builder_.CreateVector(&rope, 1);
      return status;
    }
    case wire::RequestBody::ChangeBody: {
      auto const& e = *request.body_as_ChangeBody();
      takt_body_change const change = from_wire(e);
      return takt_world_change_body(world, e.body(), &change);
    }
    case wire::RequestBody::SetTarget: {
      auto const& e = *request.body_as_SetTarget();
      return takt_world_set_target(world, e.body(), Numbers(e.position()).get(), Numbers(e.rotation()).get());
    }
    case wire::RequestBody::ChangeShape: {
      auto const& e = *request.body_as_ChangeShape();
      takt_shape_change const change = from_wire(e);
      return takt_world_change_shape(world, e.shape(), &change);
    }
    case wire::RequestBody::TuneMover: {
      auto const& e = *request.body_as_TuneMover();
      takt_mover_tuning tuning{};
      if (!read_tuning(e, tuning)) return fail(TAKT_ERROR_RANGE, kNotTuning);
      return takt_world_tune_mover(world, e.body(), &tuning);
    }
    case wire::RequestBody::CreateMover: {
      auto const& e = *request.body_as_CreateMover();
      takt_mover_def const def = from_wire(e);
      takt_mover_tuning tuning{};
      if (!read_tuning(e, tuning)) return fail(TAKT_ERROR_RANGE, kNotTuning);
      if (takt_status const bad = allow(0, 0)) return bad;
      std::uint64_t body = 0;
      takt_status const status = takt_world_create_mover(world, &def, &tuning, &body);
      if (status == TAKT_OK) parts.ids = builder_.CreateVector(&body, 1);
      return status;
    }
    case wire::RequestBody::DestroyRope:
      return takt_world_destroy_rope(world, request.body_as_DestroyRope()->rope());
    case wire::RequestBody::RopeLength: {
      auto const& e = *request.body_as_RopeLength();
      return takt_world_rope_length(world, e.rope(), e.segment_length());
    }
    case wire::RequestBody::PinRope: {
      auto const& e = *request.body_as_PinRope();
      return takt_world_pin_rope(world, e.rope(), e.node(), e.body(), Numbers(e.point()).get());
    }
    case wire::RequestBody::UnpinRope: {
      auto const& e = *request.body_as_UnpinRope();
      return takt_world_unpin_rope(world, e.rope(), e.node());
    }
    case wire::RequestBody::Grab: {
      auto const& e = *request.body_as_Grab();
      return takt_world_grab(world, e.body(), Numbers(e.local_point()).get(), Numbers(e.target()).get(),
                             e.max_force());
    }
    case wire::RequestBody::MoveGrab:
      return takt_world_move_grab(world, Numbers(request.body_as_MoveGrab()->target()).get());
    case wire::RequestBody::Release: return takt_world_release(world);
    default: return fail(TAKT_ERROR_UNSUPPORTED, "the service has no such request for a world");
  }
}

}  // namespace takt::service
