// Inspect selects internals of the server's world that a client receives after Client::inspect(): contacts,
// joints and ropes. ContactList and JointList (joints and players' grabs) are copies of one tick, at most ten
// a second. Rope is interpolated between snapshots, as bodies are. Contact, Joint and Rope are plain data for
// drawing and debugging. Ids of joints serve in sim::ChangeJointCommand, ids of ropes in sim::CutCommand.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "takt/physics/body.h"
#include "takt/physics/joint.h"
#include "takt/physics/rope.h"
#include "takt/physics/vector.h"

namespace takt::client {

/// The internals that a client wants from now on; others stop. Each costs bytes while it is wanted.
struct Inspect {
  bool contacts = false;
  bool joints = false;
  bool ropes = false;
  friend bool operator==(const Inspect&, const Inspect&) = default;
};

/// A point in which two bodies touch.
struct Contact {
  BodyId body_a;
  BodyId body_b;
  Position position;       ///< world
  Vec3<float> normal;      ///< unit, from a to b
  float impulse_n_s = 0;   ///< of the last substep's normal row
  float separation_m = 0;  ///< negative = overlap
};
/// Contacts of one tick, at most ten times a second.
struct ContactList {
  std::uint64_t tick = 0;
  std::uint32_t total =
      0;  ///< of the world at this tick; the list holds those with the greatest impulses, at most 512
  std::vector<Contact> contacts;
};

/// A joint, or a player's grab.
struct Joint {
  JointId id;  ///< null = a grab, which no command names
  /// Of a joint. A kind that this client does not know yet is kGeneric.
  JointKind kind = JointKind::kGeneric;
  BodyId body_a;
  BodyId body_b;           ///< null = the world
  Position anchor_a;       ///< origin of the frame on a, world; of a grab the point that is held
  Position anchor_b;       ///< of a grab the target
  Quat<float> rotation_a;  ///< of the frame on a, world
  Quat<float> rotation_b;
  float force_n = 0;  ///< size of the mean reaction of the last tick
  float torque_n_m = 0;
  bool enabled = true;
  bool broken = false;
  [[nodiscard]] bool is_grab() const noexcept { return id.is_null(); }
};
/// Grabs and joints of one tick, in the order of their ids, at most ten times a second.
struct JointList {
  std::uint64_t tick = 0;
  std::uint32_t total = 0;  ///< of the world at this tick; the list holds the first 512 of them
  std::vector<Joint> joints;
};

/// A rope at the render time of the last poll.
struct Rope {
  RopeId id;
  float radius_m = 0;
  bool asleep = false;
  std::span<const Position> nodes;    ///< world, valid until the next poll
  std::span<const float> tensions_n;  ///< one for each segment, nodes - 1; below 0 it is pushed together.
                                      ///< Valid until the next poll
};

}  // namespace takt::client
