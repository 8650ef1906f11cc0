// BodyState and BodyInfo describe a body to a client. BodyState has the pose, velocities and flags at one
// tick; snapshots carry it, and a MoverInput beside it for the body of a mover. BodyInfo has the constant
// data (shapes, owner, kind), which a client receives reliably once for each body of a world. Both are plain
// values. sim/replication/body_replication.h makes them from a world: positions are exact, rotations and
// velocities are the nearest binary32.
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

/// Bit of MoverInput::flags: the velocity is in the mover's own frame, z forwards, not in the world's.
inline constexpr std::uint32_t kMoverHeadingFrame = 1u << 0;
/// Size of one MoverInput on the wire, padding included.
inline constexpr std::size_t kMoverInputBytes = 32;

/// The input of a mover in force from a tick on, without a jump. A client that simulates needs it: the
/// velocity of a mover's body lacks what a wall or a load takes from it. Readers check that numbers are
/// finite, and World::set_mover_input() checks their ranges.
struct MoverInput {
  BodyId body = 0;          ///< the mover's
  Vec3f velocity;           ///< m/s over the ground, wanted; y does not count
  float turn = 0;           ///< rad/s, of the heading about +y
  std::uint32_t flags = 0;  ///< kMoverHeadingFrame; readers keep unknown bits
  friend bool operator==(const MoverInput&, const MoverInput&) = default;
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
