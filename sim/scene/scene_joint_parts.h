// read_softness(), read_joint_kind(), read_joint_axis(), read_locked() and read_axis_parts() read parts of a
// joint from FlatBuffers tables. An axis part has the limit, drive, motor and friction of one coordinate.
// Scenes (scene_joints.cpp) and input scripts (joint_script.cpp, world_edit_script.cpp) share them;
// scene_shapes.cpp reads a shape's softness. write_canonical() writes a Softness into the bytes that
// scene_hash() hashes.
#pragma once

#include "sim/scene/scene_fields.h"
#include "sim/state/byte_fields.h"
#include "takt/physics/joint.h"

namespace takt::sim {

inline constexpr double kMaxJointForce = 1e15;  ///< N or N m: greatest finite bound of a force or torque

/// The softness of a table; rigid for null or a table without a form. More than one form is a fault, and so
/// is a number outside of its range. `at` is the table's own path.
[[nodiscard]] Softness read_softness(const schema::Softness* table, const FieldPath& at, SceneFields& fields);

/// Writes form and both numbers. The order is part of scene_hash().
void write_canonical(const Softness& softness, FieldWriter& out);

/// The kind in field "kind" of the table at `at`; an unknown word is a fault.
[[nodiscard]] JointKind read_joint_kind(const FieldPath& at, schema::JointKind kind, SceneFields& fields);

/// The coordinate of field `name` of the table at `at`; an unknown word is a fault.
[[nodiscard]] JointAxis read_joint_axis(const FieldPath& at, std::string_view name, schema::JointAxis axis,
                                        SceneFields& fields);

/// Adds the coordinates of the field "locked" of `joint` to def.locked; distance and swing are faults. The
/// list may be null.
void read_locked(const flatbuffers::Vector<schema::JointAxis>* list, const FieldPath& joint, JointDef& def,
                 SceneFields& fields);

/// Adds the parts of the field "axes" of `joint` to def.axes. The list may be null; def.kind and def.locked
/// must be complete. Faults are a part of a locked coordinate, a coordinate listed twice, and a limit
/// or drive that the kind of joint has set already.
void read_axis_parts(const flatbuffers::Vector<flatbuffers::Offset<schema::JointAxisPart>>* list,
                     const FieldPath& joint, JointDef& def, SceneFields& fields);

}  // namespace takt::sim
