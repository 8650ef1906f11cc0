// Inspect selects internals of the server's world that a client receives after Client::inspect(): contacts,
// joints and ropes. ContactList and JointList (joints and players' grabs) are copies of one tick, at most ten
// a second. Rope is interpolated between snapshots, as bodies are. Contact, Joint and Rope are plain data for
// drawing and debugging. sim::ChangeJointCommand takes the ids of joints, sim::CutCommand those of ropes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "takt/physics/body.h"
#include "takt/physics/joint.h"
#include "takt/physics/rope.h"
#include "takt/physics/vector.h"

namespace takt::client {

/// The internals that the server sends to a client. Each costs bytes while it is selected.
struct Inspect {
  bool contacts = false;
  bool joints = false;
  bool ropes = false;
  friend bool operator==(const Inspect&, const Inspect&) = default;
};

/// A contact point of two bodies (ContactView).
struct Contact {
  BodyId body_a;
  BodyId body_b;
  Position position;       ///< world
  Vec3<float> normal;      ///< unit, from a to b, world axes
  float impulse_n_s = 0;   ///< along the normal in the last substep, >= 0
  float separation_m = 0;  ///< below 0 the shapes overlap
};
/// Contact points of one tick, at most ten times a second.
struct ContactList {
  std::uint64_t tick = 0;
  std::uint32_t total = 0;        ///< number of contact points of the world at this tick
  std::vector<Contact> contacts;  ///< at most 512, those with the greatest impulses
};

/// A joint, or a player's grab.
struct Joint {
  JointId id;                            ///< null = a grab
  JointKind kind = JointKind::kGeneric;  ///< of a joint; kGeneric also for kinds of later versions
  BodyId body_a;                         ///< of a grab the body that it pulls
  BodyId body_b;                         ///< null for a grab
  Position anchor_a;                     ///< origin of frame a, world; of a grab the point that it pulls
  Position anchor_b;                     ///< origin of frame b, world; of a grab the target
  Quat<float> rotation_a;                ///< axes of frame a, world
  Quat<float> rotation_b;                ///< axes of frame b, world
  float force_n = 0;                     ///< length of the mean reaction force of the last tick
  float torque_n_m = 0;                  ///< length of the mean reaction torque of the last tick
  bool enabled = true;
  bool broken = false;
  [[nodiscard]] bool is_grab() const noexcept { return id.is_null(); }
};
/// Grabs and joints of one tick, at most ten times a second.
struct JointList {
  std::uint64_t tick = 0;
  std::uint32_t total = 0;    ///< number of grabs and joints of the world at this tick
  std::vector<Joint> joints;  ///< the first 512: grabs, then joints, each in id order
};

/// A rope at the render tick of the last poll. Spans are valid until the next poll() or wait().
struct Rope {
  RopeId id;
  float radius_m = 0;
  bool asleep = false;
  std::span<const Position> nodes;    ///< world
  std::span<const float> tensions_n;  ///< one for each segment, nodes - 1; below 0 the segment is compressed
};

}  // namespace takt::client
