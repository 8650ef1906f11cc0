// read_softness(), read_joint_axis(), read_locked() and read_axis_parts() read parts of a joint from
// FlatBuffers tables. An axis part has the limit, drive, motor and friction of one coordinate. Scenes
// (scene_joints.cpp) and input scripts (joint_script.cpp) share them; scene_shapes.cpp reads a shape's
// softness. write_canonical() writes a Softness into the bytes that scene_hash() hashes.
#pragma once

#include "sim/scene/scene_fields.h"
#include "sim/state/byte_fields.h"
#include "takt/physics/joint.h"

namespace takt::sim {

inline constexpr double kMaxJointForce = 1e15;  ///< N or N m, of every finite bound

/// Rigid when the table is absent or empty. `at` is the table's own path.
[[nodiscard]] Softness read_softness(const schema::Softness* table, const FieldPath& at, SceneFields& fields);

void write_canonical(const Softness& softness, FieldWriter& out);

[[nodiscard]] JointAxis read_joint_axis(const FieldPath& at, std::string_view name, schema::JointAxis axis,
                                        SceneFields& fields);

/// Adds to def.locked.
void read_locked(const flatbuffers::Vector<schema::JointAxis>* list, const FieldPath& joint, JointDef& def,
                 SceneFields& fields);

/// Adds to def.axes; what is locked, and what the kind has set already, is refused.
void read_axis_parts(const flatbuffers::Vector<flatbuffers::Offset<schema::JointAxisPart>>* list,
                     const FieldPath& joint, JointDef& def, SceneFields& fields);

}  // namespace takt::sim
