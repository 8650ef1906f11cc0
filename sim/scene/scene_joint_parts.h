// The parts of a scene's joint: softness, what is locked, and what each coordinate does.
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
