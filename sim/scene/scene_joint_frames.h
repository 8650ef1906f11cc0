// read_joint_frames() reads the two frames of a joint from its FlatBuffers table in a scene. A scene gives
// them in world coordinates, or on each of the two bodies; a gear has none. scene_joints.cpp calls it.
// from_x_axis() and from_x_and_z_axes() compute the rotation of a frame; scene_chains.cpp calls them too.
#pragma once

#include "sim/scene/scene_fields.h"
#include "takt/sim/scene.h"

namespace takt::sim {

/// Sets `joint.world`, or the frames of `joint.def`. A gear has none.
void read_joint_frames(const schema::Joint& table, const FieldPath& at, SceneJoint& joint,
                       SceneFields& fields);

/// The rotation that takes x to a unit vector, by the shortest way.
[[nodiscard]] Quat<double> from_x_axis(Vec3<double> x) noexcept;
/// The rotation that takes x and z to two unit vectors at right angles.
[[nodiscard]] Quat<double> from_x_and_z_axes(Vec3<double> x, Vec3<double> z) noexcept;

}  // namespace takt::sim
