// World::Impl has the members of a World: its state, events, step pipeline, and the memory of packed contacts
// and shared shapes. Impl also has operations that several calls of World share, such as waking the
// neighbours of a changed body. Only the sources of World (world*.cpp, except world_query.cpp) include this
// header.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "physics/constraints/motion_locks.h"
#include "physics/constraints/speed_limits.h"
#include "physics/joints/joint_store.h"
#include "physics/ropes/rope_collision.h"
#include "physics/state/packed_bodies.h"
#include "physics/state/packed_contacts.h"
#include "physics/state/shared_shapes.h"
#include "physics/step/step.h"
#include "takt/core/assert.h"
#include "takt/core/hash.h"
#include "takt/physics/world.h"

namespace takt {

template <class Real>
struct World<Real>::Impl {
  WorldState<Real> state;  ///< contacts may be packed: call unpacked() before reading them
  PackedContacts<Real>
      packed_contacts;         ///< of a world that steps in shared scratch memory, between its steps
  bool has_packed = false;     ///< packed_contacts holds them, state.contacts is empty
  PersistentState persistent;  ///< proxies and flags that steps keep; not hashed
  std::unique_ptr<StepPipeline<Real>> own_pipeline;  ///< created by the first step that gets no scratch
  SharedShapes<Real> shared_shapes;
  typename PackedBodies<Real>::Setups body_setups;  ///< body definitions that snapshots share
  StepEvents events;                                ///< of the last step
  std::optional<StreamHasher> hasher;               ///< scratch of hash()

  /// Returns the state, after unpacking its contacts if they are packed.
  [[nodiscard]] WorldState<Real>& unpacked() {
    TAKT_ASSERT(!has_packed || state.contacts.empty());
    if (has_packed) packed_contacts.unpack(state.contacts);
    has_packed = false;
    return state;
  }
  /// Puts the contacts into lent `memory` for a step, as state.contacts. `memory` keeps the world's own list
  /// until pack_contacts(), which must get the same vector.
  void unpack_contacts(std::vector<ContactRecord<Real>>& memory) {
    if (has_packed) {
      packed_contacts.unpack(memory);
      std::vector<ContactRecord<Real>>().swap(state.contacts);  // not read since the last step
    } else {
      memory.assign(state.contacts.begin(), state.contacts.end());
    }
    state.contacts.swap(memory);
  }
  /// Packs the contacts after a step, and returns the lent memory to `memory`.
  void pack_contacts(std::vector<ContactRecord<Real>>& memory) {
    packed_contacts.pack(state.contacts);
    state.contacts.swap(memory);
    state.contacts.clear();
    has_packed = true;
  }
  /// Shapes and their geometry, for a change. Older snapshots keep their copy.
  [[nodiscard]] ShapeState<Real>& edit_shapes() { return shared_shapes.edit(state); }
  /// The record of a body that must exist.
  [[nodiscard]] BodyRecord<Real>& body(BodyId id) {
    TAKT_ASSERT(state.bodies.contains(id));
    return state.bodies[id.index];
  }
  /// The record of an enabled dynamic body, or kUnknownBody, kNotDynamic or kDisabled.
  [[nodiscard]] Result<BodyRecord<Real>*, PhysicsError> dynamic_body(BodyId id) {
    if (!state.bodies.contains(id)) return PhysicsError::kUnknownBody;
    BodyRecord<Real>& record = state.bodies[id.index];
    if (record.type != BodyType::kDynamic) return PhysicsError::kNotDynamic;
    if (!record.enabled) return PhysicsError::kDisabled;
    return &record;
  }
  /// Marks a body that a call of World has changed. A dynamic body wakes; a static or kinematic one wakes the
  /// bodies in contact with it in the next step.
  void mark_modified(BodyRecord<Real>& record) {
    persistent.all_asleep = false;
    persistent.proxies.mark_moved();
    record.asleep = false;
    record.still_ticks = 0;
    // An awake dynamic body keeps the mark of mark_unloaded() until its next step.
    record.modified = record.type != BodyType::kDynamic || (record.modified && is_awake_dynamic(record));
  }
  /// Wakes the ropes near the body, and the dynamic bodies that contacts of the last step or joints connect
  /// with it. Call it before the body is destroyed, or with its change.
  void wake_neighbours(std::uint32_t body) {
    TAKT_ASSERT(state.bodies.alive(body));
    persistent.all_asleep = false;
    persistent.proxies.mark_moved();
    wake_ropes_near(state, body);
    wake_joined(body);
    for (const ContactRecord<Real>& contact : unpacked().contacts) {
      auto const owner = [this](std::uint32_t shape, std::uint32_t generation) {
        bool const stands = shape < state.shapes.capacity() && state.shapes.alive(shape) &&
                            state.shapes.slots[shape].generation == generation;
        return stands ? state.shapes[shape].body : kNoIndex;
      };
      std::uint32_t const a = owner(pair_first(contact.key), contact.generation_a);
      std::uint32_t const b = owner(pair_second(contact.key), contact.generation_b);
      if (a == kNoIndex || b == kNoIndex || (a != body && b != body)) continue;
      BodyRecord<Real>& other = state.bodies[a == body ? b : a];
      if (other.type == BodyType::kDynamic) mark_unloaded(other);
    }
  }
  /// Wakes a dynamic body that loses a contact or a joint to another body's change, and marks it as unloaded:
  /// its other contacts still carry the impulses that balanced the lost one.
  void mark_unloaded(BodyRecord<Real>& record) {
    mark_modified(record);
    record.modified = is_awake_dynamic(record);
  }
  /// Wakes the bodies of a joint that a call of World changes, and those that a gear couples to them.
  void wake_joint(std::uint32_t joint) {
    TAKT_ASSERT(state.joints.alive(joint));
    mark_modified(state.bodies[state.joints[joint].body_a]);
    mark_modified(state.bodies[state.joints[joint].body_b]);
    JointId const id = state.joints.id(joint);
    for (std::uint32_t i = 0; i < state.joints.capacity(); ++i) {
      if (!state.joints.alive(i) || state.joints[i].kind != JointKind::kGear) continue;
      const JointCoupling& gear = state.joints[i].coupling;
      if (i == joint || gear.joint_1 == id || gear.joint_2 == id)
        wake_dynamic(bodies_of_joint(state, i), kNoIndex);
    }
  }
  /// Wakes the bodies that a joint, or a gear of one, connects to the body.
  void wake_joined(std::uint32_t body) {
    for (std::uint32_t i = 0; i < state.joints.capacity(); ++i) {
      if (!state.joints.alive(i)) continue;
      BodiesOfJoint const bodies = bodies_of_joint(state, i);
      if (std::find(bodies.all().begin(), bodies.all().end(), body) == bodies.all().end()) continue;
      for (std::uint32_t const other : bodies.all()) {
        if (other != body && state.bodies[other].type == BodyType::kDynamic)
          mark_unloaded(state.bodies[other]);
      }
    }
  }
  /// Wakes the dynamic bodies of a joint except body `but`; kNoIndex excepts none.
  void wake_dynamic(const BodiesOfJoint& bodies, std::uint32_t but) {
    for (std::uint32_t const body : bodies.all()) {
      if (body != but && state.bodies[body].type == BodyType::kDynamic) mark_modified(state.bodies[body]);
    }
  }
  /// Wakes a dynamic body and applies an impulse at its centre of mass, N s, and an angular impulse, N m s,
  /// world axes. A quarantined body stays as it is.
  void push(BodyRecord<Real>& record, Vec3<Real> impulse, Vec3<Real> angular_impulse) {
    if (record.quarantined) return;
    mark_modified(record);
    const Mass<Real>& m = record.inverse_mass;
    SymMat<Real> const inertia =
        with_locks(rotated(record.inverse_inertia, to_matrix(record.motion.rotation)), record.locked_axes);
    record.motion.linear_velocity =
        canonical(record.motion.linear_velocity +
                  free_linear(record.locked_axes, Vec3<Real>{m * impulse.x, m * impulse.y, m * impulse.z}));
    record.motion.angular_velocity = canonical(record.motion.angular_velocity + inertia * angular_impulse);
    clamp_speed(record);
  }
  /// Clamps the velocities to the speed limits of a step, so that many large impulses in one tick stay
  /// finite.
  static void clamp_speed(BodyRecord<Real>& record) {
    record.motion.linear_velocity = canonical(limit_linear(record.motion.linear_velocity));
    record.motion.angular_velocity = canonical(limit_angular(record.motion.angular_velocity));
  }
};

}  // namespace takt
