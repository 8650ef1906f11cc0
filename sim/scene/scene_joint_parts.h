// Functions that read parts of a joint from a scene's tables: softness, locked coordinates, and the limit,
// drive, motor and friction of each coordinate. scene_joints.cpp and joint_script.cpp call them; softness of
// shapes is read here as well.
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
