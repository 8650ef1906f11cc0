// Joints in the pools: put in, taken out, read back, and which bodies they keep from touching.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "physics/joints/joint_pose.h"
#include "physics/state/joint_definition.h"
#include "physics/state/world_state.h"

namespace takt {

/// From a definition that check() has passed.
template <class Real>
JointId insert_joint(WorldState<Real>& state, const JointDef& def);
/// The same joint by another definition; impulses of axes that stay are kept.
template <class Real>
void rewrite_joint(WorldState<Real>& state, std::uint32_t joint, const JointDef& def);
/// With its axes, and the gears that hang on it.
template <class Real>
void erase_joint(WorldState<Real>& state, std::uint32_t joint);
template <class Real>
void erase_joints_of(WorldState<Real>& state, std::uint32_t body);
/// It starts over: nothing is warm.
template <class Real>
void forget_impulses(WorldState<Real>& state, std::uint32_t joint);
/// It does not act: nothing is warm, nothing pulls.
template <class Real>
void stop_joint(WorldState<Real>& state, std::uint32_t joint);
/// The gears that tie this joint, and itself if it is one, hold from now on what they find.
template <class Real>
void engage_gears(WorldState<Real>& state, std::uint32_t joint);
/// The bodies whose motion a joint looks at: its own two, and of a gear those of the joints that it ties too.
/// One may come more than once.
struct BodiesOfJoint {
  std::array<std::uint32_t, 6> indices{};  ///< in the pool
  std::uint32_t count = 0;
  [[nodiscard]] std::span<const std::uint32_t> all() const noexcept {
    return std::span(indices).first(count);
  }
};
template <class Real>
[[nodiscard]] BodiesOfJoint bodies_of_joint(const WorldState<Real>& state, std::uint32_t joint) noexcept;
/// Whether a joint acts, or would if its bodies were awake: it is on and not torn, its bodies are on, one of
/// them moves under impulses; and so it is with what a gear ties.
template <class Real>
[[nodiscard]] bool can_act(const WorldState<Real>& state, std::uint32_t joint) noexcept;
/// Where the frames of a joint stand between ticks.
template <class Real>
[[nodiscard]] JointPose pose_of(const WorldState<Real>& state, const JointRecord& joint);

/// Of a locked coordinate its error.
[[nodiscard]] inline JointCoordinate coordinate_of(const JointPose& pose, const JointRecord& joint,
                                                   JointAxis axis) noexcept {
  bool const locked = static_cast<std::uint32_t>(axis) < 6 && (joint.locked & lock_of(axis)) != 0;
  return locked ? pose.error(static_cast<unsigned>(axis)) : pose.coordinate(axis, joint.revolutions);
}

/// Pairs of body places that a joint keeps from touching, lower place in the upper 32 bits; ascending,
/// unique. Replaces `out`.
template <class Real>
void list_joined(const WorldState<Real>& state, std::vector<std::uint64_t>& out);

}  // namespace takt
