// read_joint_frames() reads the two frames of a joint from its FlatBuffers table in a scene. A scene has them
// in world coordinates, or on each of the two bodies; a gear has none. scene_joints.cpp calls the function.
// from_x_axis() and from_x_and_z_axes() compute the rotation of a frame; scene_chains.cpp calls them too.
#pragma once

#include "sim/scene/scene_fields.h"
#include "takt/sim/scene.h"

namespace takt::sim {

/// Sets `joint.world`, or the frames of `joint.def`, whose kind must be set. A frame of a gear is a fault.
/// Faults go to `fields`.
void read_joint_frames(const schema::Joint& table, const FieldPath& at, SceneJoint& joint,
                       SceneFields& fields);

/// A rotation that takes the x axis to the unit vector `x`: the shortest one if x.x >= 0. For x.x < 0 it is
/// half a turn about z, and then the shortest rotation of the x axis to -x.
[[nodiscard]] Quat<double> from_x_axis(Vec3<double> x) noexcept;
/// The rotation that takes the x and z axes to the unit vectors `x` and `z`, which are at right angles.
[[nodiscard]] Quat<double> from_x_and_z_axes(Vec3<double> x, Vec3<double> z) noexcept;

}  // namespace takt::sim
