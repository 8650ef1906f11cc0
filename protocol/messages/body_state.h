// BodyState and BodyInfo describe a body to a client. BodyState has the pose, velocities and flags at one
// tick; snapshots carry it. BodyInfo has the constant data (shapes, owner, kind), which a client receives
// reliably once for each body of a world. Both are plain values. sim/replication/body_replication.h makes
// them from a world: positions are exact, rotations and velocities are the nearest binary32.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "protocol/messages/command.h"

namespace takt::protocol {

// Bits of BodyState::flags. A body without kBodyStatic and kBodyKinematic is dynamic.
inline constexpr std::uint32_t kBodyAsleep = 1u << 0;
inline constexpr std::uint32_t kBodyStatic = 1u << 1;     ///< never moves
inline constexpr std::uint32_t kBodyKinematic = 1u << 2;  ///< follows its velocity or target

/// Size of one BodyState on the wire, padding included.
inline constexpr std::size_t kBodyStateBytes = 80;

/// One body at one tick. The position is exact; the other numbers are the nearest binary32.
struct BodyState {
  BodyId id = 0;
  Position position;  ///< of the body's origin
  Quatf rotation;
  Vec3f linear_velocity;    ///< m/s, of the centre of mass
  Vec3f angular_velocity;   ///< rad/s, world frame
  std::uint32_t flags = 0;  ///< kBodyAsleep | ...; readers keep unknown bits
  friend bool operator==(const BodyState&, const BodyState&) = default;
};

/// The constant properties that a thin client needs to draw a body.
struct BodyInfo {
  BodyId id = 0;
  std::uint32_t user_kind = 0;    ///< number of the scene or game for the kind of body; no meaning here
  std::uint32_t player = 0;       ///< the player who spawned it; 0 = the scene or the server
  std::vector<ShapeInfo> shapes;  ///< at most kShapesPerBodyMax, in the order of QueryHit::shape
  std::uint32_t sequence = 0;     ///< of the input that spawned it, if in tick BodiesAdded::tick; 0 = none
  friend bool operator==(const BodyInfo&, const BodyInfo&) = default;
};

}  // namespace takt::protocol
