// JointReactions sums the force and torque of each joint over the substeps of a tick; batched point joints
// keep sums of their own (point_joint_batches.h). At the tick's end store() writes the mean force and torque,
// and the impulses for the next warm start, to the joint pool of WorldState. A joint whose mean force or
// torque exceeds its break limit is marked broken and listed for the tick's events. JointSolver owns the
// object and calls end_substep() and store().
//
//   force  F = sum over substeps of n lambda / T              n, j_b, lambda as in joint_row_types.h
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
  void begin_tick(std::size_t joint_count, std::uint32_t substeps);
  /// By index of the prepared joint; batched trees write their sums here after the last substep.
  [[nodiscard]] std::vector<JointReaction>& sums() noexcept { return sums_; }
  /// Counts a substep and adds the impulses of the scalar joints. Returns true after the last substep.
  bool end_substep(const JointOrdering<Real>& ordering, const JointPartition<Real>& partition,
                   const JointEquality<Real>& equality, const JointLimits<Real>& limits,
                   const JointCouplings<Real>& couplings);
  /// Impulses and reactions of all acting joints go to the joint pool; joints that cannot act forget theirs.
  /// Appends overloaded joints to `broken`, in id order.
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
