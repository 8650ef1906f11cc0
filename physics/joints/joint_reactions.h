// JointReactions sums the force and torque of each joint over the substeps of a tick; batched point joints
// keep sums of their own (point_joint_batches.h). At the tick's end store() writes mean force and torque,
// counted turns, and the impulses for the next warm start to WorldState. A joint whose mean force or torque
// exceeds its break limit is marked broken, loses its impulses, and is listed for the tick's events.
// JointSolver owns the object and calls end_substep() and store().
//
//   force  F = sum over substeps and rows of n lambda / T     n, j_b, lambda as in joint_row_types.h
//   torque about b's anchor = sum of (j_b - r_b x n) lambda / T       T   length of the tick, s
#pragma once

#include <cstdint>
#include <vector>

#include "physics/joints/joint_couplings.h"
#include "physics/joints/joint_limits.h"
#include "physics/joints/joint_partition.h"

namespace takt {

template <class Real>
class JointReactions {
 public:
  /// Sets the sums of `joint_count` prepared joints to 0. `substeps`, those of the tick, is above 0.
  void begin_tick(std::size_t joint_count, std::uint32_t substeps);
  /// By index of the prepared joint; batched trees write their sums here after the last substep.
  [[nodiscard]] std::vector<JointReaction>& sums() noexcept { return sums_; }
  /// Counts a substep and adds the final impulses of the scalar joints in it. Returns true for the last
  /// substep of the tick. Call it once a substep.
  bool end_substep(const JointOrdering<Real>& ordering, const JointPartition<Real>& partition,
                   const JointEquality<Real>& equality, const JointLimits<Real>& limits,
                   const JointCouplings<Real>& couplings);
  /// Stores impulses, turns and reactions of all acting joints in the joint pool. Joints that cannot act
  /// (can_act() of joint_store.h) get impulses and reactions of 0; joints of sleeping bodies keep theirs.
  /// Numbers that are not finite become 0. Adds overloaded joints to `broken` and sorts the list by pool
  /// index. Call it after the last substep; `tick_s` in s is above 0.
  void store(WorldState<Real>& state, double tick_s, const JointOrdering<Real>& ordering,
             const JointEquality<Real>& equality, const JointLimits<Real>& limits,
             const JointCouplings<Real>& couplings, const PointJointBatches<Real>& point_joints,
             std::vector<JointId>& broken) const;

 private:
  static void store_impulses(WorldState<Real>& state, const PreparedJoint& joint,
                             const JointEquality<Real>& equality, const JointLimits<Real>& limits,
                             const JointCouplings<Real>& couplings);

  std::vector<JointReaction> sums_;
  std::uint32_t substeps_left_ = 0;
};

}  // namespace takt
