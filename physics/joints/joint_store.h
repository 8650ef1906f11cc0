// Functions on the joint and axis pools of WorldState. insert_joint(), rewrite_joint() and erase_joint()
// create, change and erase joints; World calls the first two after joint_check.h has checked the definition.
// stop_joint(), forget_impulses() and engage_gears() reset stored impulses, reactions or gears. Joints and
// bodies are pool indices, which must be alive. No function wakes a body. pose_of(), coordinate_of(),
// bodies_of_joint() and can_act() read a joint between ticks, for World and the step. list_joined() lists the
// bodies that joints exempt from contact. The rows of joints are computed from these pools in each tick
// (joint_solver.h).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "physics/broad_phase/joined_bodies.h"
#include "physics/joints/joint_pose.h"
#include "physics/state/joint_definition.h"
#include "physics/state/world_state.h"

namespace takt {

/// Creates a joint from a checked definition (joint_check.h). A gear engages at the present coordinates.
template <class Real>
JointId insert_joint(WorldState<Real>& state, const JointDef& def);
/// Changes the definition of a joint. Axes and locked coordinates present before and after keep their
/// warm-start impulses. A disabled joint is stopped. Gears engage anew when frames, locks or coupling
/// changed, or when the joint is enabled. JointRecord::broken stays.
template <class Real>
void rewrite_joint(WorldState<Real>& state, std::uint32_t joint, const JointDef& def);
/// Erases a joint, its axes, and the gears that couple it.
template <class Real>
void erase_joint(WorldState<Real>& state, std::uint32_t joint);
/// Erases all joints of a body, and the gears that couple them.
template <class Real>
void erase_joints_of(WorldState<Real>& state, std::uint32_t body);
/// Clears the warm-start impulses of a joint.
template <class Real>
void forget_impulses(WorldState<Real>& state, std::uint32_t joint);
/// Clears the warm-start impulses and the reactions of a joint.
template <class Real>
void stop_joint(WorldState<Real>& state, std::uint32_t joint);
/// Resets the gears that couple this joint, and the joint itself if it is a gear. From now on they keep the
/// current sum of coordinates; their impulses are 0.
template <class Real>
void engage_gears(WorldState<Real>& state, std::uint32_t joint);
/// Bodies whose motion a joint reads: its own two, and for a gear those of both coupled joints. A body may be
/// listed more than once.
struct BodiesOfJoint {
  std::array<std::uint32_t, 6> indices{};  ///< in the body pool
  std::uint32_t count = 0;
  [[nodiscard]] std::span<const std::uint32_t> all() const noexcept {
    return std::span(indices).first(count);
  }
};
template <class Real>
[[nodiscard]] BodiesOfJoint bodies_of_joint(const WorldState<Real>& state, std::uint32_t joint) noexcept;
/// True when a joint acts or would act with its bodies awake. The joint is then enabled and not broken, its
/// bodies are enabled, and one of them is dynamic and not quarantined. A gear needs the same of both coupled
/// joints.
template <class Real>
[[nodiscard]] bool can_act(const WorldState<Real>& state, std::uint32_t joint) noexcept;
/// The pose of a joint between ticks.
template <class Real>
[[nodiscard]] JointPose pose_of(const WorldState<Real>& state, const JointRecord& joint);

/// Value and Jacobian of a coordinate, m or rad; for a locked coordinate its error, as JointPose::error().
[[nodiscard]] inline JointCoordinate coordinate_of(const JointPose& pose, const JointRecord& joint,
                                                   JointAxis axis) noexcept {
  bool const locked = static_cast<std::uint32_t>(axis) < 6 && (joint.locked & lock_of(axis)) != 0;
  return locked ? pose.error(static_cast<unsigned>(axis)) : pose.coordinate(axis, joint.revolutions);
}

/// Replaces `out` by the body pairs of enabled, unbroken joints without collide_connected, and by the sets of
/// bodies that rigid welds among these joints connect.
template <class Real>
void list_joined(const WorldState<Real>& state, JoinedBodies& out);

}  // namespace takt
