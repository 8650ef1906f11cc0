// read_joints() reads the joints that a scene file lists from their FlatBuffers tables into SceneJoints, with
// ranges checked. build_scene() calls it. write_canonical() writes a SceneJoint into the bytes that
// scene_hash() hashes. definition_in() returns the JointDef with which load_scene() and Simulation::create
// create the joint in a world.
#pragma once

#include <span>
#include <vector>

#include "sim/scene/scene_fields.h"
#include "sim/state/byte_fields.h"
#include "takt/sim/scene.h"

namespace takt::sim {

/// Appends the joints of `tables` to `joints`, which has those of generators. `bodies` are all of the
/// scene's, in order of creation; joints refer to them by name, and gears to joints before them. `root` is
/// the path of the scene. Faults go to `fields`.
void read_joints(const flatbuffers::Vector<flatbuffers::Offset<schema::Joint>>& tables, const FieldPath& root,
                 std::span<const SceneBody> bodies, SceneFields& fields, std::vector<SceneJoint>& joints);

/// Writes all fields but the name. The order is part of scene_hash().
void write_canonical(const SceneJoint& joint, FieldWriter& out);

/// The whole definition of a joint for a world (World or AnyWorld) whose bodies have the poses of the scene.
/// `bodies` has the ids of all bodies of the scene, `joints` those of the joints before this one, both in
/// order of creation.
template <class AWorld>
[[nodiscard]] JointDef definition_in(const AWorld& world, const SceneJoint& joint,
                                     std::span<const BodyId> bodies, std::span<const JointId> joints) {
  JointDef def = joint.def;
  def.body_a = bodies[joint.body_a];
  def.body_b = bodies[joint.body_b];
  if (joint.world) {
    def.frame_a = world.joint_frame(def.body_a, joint.world->anchor_a, joint.world->rotation);
    def.frame_b = world.joint_frame(def.body_b, joint.world->anchor_b, joint.world->rotation);
  }
  if (def.kind == JointKind::kGear) {
    def.coupling.joint_1 = joints[joint.coupled_joints[0]];
    def.coupling.joint_2 = joints[joint.coupled_joints[1]];
  }
  return def;
}

}  // namespace takt::sim
