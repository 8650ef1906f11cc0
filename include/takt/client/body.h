// Body is a body that a client draws: shapes, pose and velocities. Poses and velocities are interpolated
// between the server's snapshots, at the client's render tick, which is behind the server's tick.
// Client::bodies() returns a list of Body that is valid until the next poll() or wait(), the spans included.
// The client computes no physics.
#pragma once

#include <cstdint>
#include <span>

#include "takt/physics/body.h"
#include "takt/physics/vector.h"

namespace takt::client {

struct Body {
  BodyId id;
  std::uint32_t user_kind = 0;  ///< lower 32 bits of the body's user_tag, such as SpawnCommand::user_kind
  std::uint32_t player = 0;     ///< its owner when the server reported it (BodySpawned); 0 = nobody
  /// Kind, dimensions and local pose of each shape; the other members are defaults, because the server does
  /// not send them. A hull, mesh or height field has no points here. Its half_extents_m are those of its
  /// bounding box about local_position_m, a hull's rounding_m included, and `geometries` names its points.
  std::span<const ShapeDef> shapes;
  /// For each shape the digest for Client::geometry(); 0 = it has no geometry, or one too large to be sent.
  std::span<const std::uint64_t> geometries;
  Position
      position;  ///< of the body's origin, world; interpolated in Q31.32, exact at the ticks the server sent
  Quat<float> rotation;                ///< unit
  Vec3<float> linear_velocity_m_s;     ///< of the centre of mass, world frame
  Vec3<float> angular_velocity_rad_s;  ///< world frame
};

}  // namespace takt::client
