// Body is a body that a client draws: shapes, pose and velocities. Poses and velocities are interpolated
// between the server's snapshots, at the client's render time, which is behind the server's time.
// Client::bodies() returns a list of Body that is valid until the next poll() or wait(). The client computes
// no physics.
#pragma once

#include <cstdint>
#include <span>

#include "takt/physics/body.h"
#include "takt/physics/vector.h"

namespace takt::client {

struct Body {
  BodyId id;
  std::uint32_t user_kind = 0;  ///< the scene's or game's own word for it (SpawnCommand::user_kind)
  std::uint32_t player = 0;     ///< who spawned it; 0 = the scene or the server
  /// Form only, in the body's frame; mass and friction are not sent. A hull, mesh or height field comes as
  /// half_extents_m of its box about local_position_m, a hull's rounding_m included, without points:
  /// `geometries` names those. Valid until the next poll.
  std::span<const ShapeDef> shapes;
  /// For each shape what Client::geometry() takes; 0 = it has none, or one too large to be sent. Valid until
  /// the next poll.
  std::span<const std::uint64_t> geometries;
  Position
      position;  ///< of the body's origin, world; interpolated in Q31.32, exact at the ticks the server sent
  Quat<float> rotation;                ///< unit
  Vec3<float> linear_velocity_m_s;     ///< of the centre of mass, world frame
  Vec3<float> angular_velocity_rad_s;  ///< world frame
};

}  // namespace takt::client
