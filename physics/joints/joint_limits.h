// JointLimits owns the limit rows of a tick: motors, friction, drives with a maximum force or torque, and
// limits except those of direct_limits.h. Each limit row is solved by Gauss-Seidel with a clamped accumulated
// impulse (docs/CONSTRAINTS.md 1.10). Before that the row is projected onto the directions that its joint's
// equality rows leave free. JointSolver calls the functions in each substep. For batched trees, limit rows
// are only prepared here; tree_batches.h computes and solves them. Gears and pulleys are in
// joint_couplings.h, and joint_row_types.h has the equations of all rows.
//
//   friction  lambda = -J'v / K'            |lambda| <= max
//   motor     lambda = (s - J'v) / K'       |lambda| <= max
//   drive     lambda = -(J'v + b C) / (K' + gamma), |lambda| <= max
//   limit     lambda = (t - J'v) / (K' + gamma), lambda >= 0 at the lower bound; mirrored at the upper bound;
//             t = -gap / h before the bound is reached, -b gap past it; a soft limit acts only past it
//
//   J'v    row velocity without the row's own impulse    s    target speed, m/s or rad/s
//   K'     projected mobility                            gap  coordinate - lower, or upper - coordinate
//   C      coordinate - target, m or rad                 h    substep, s;   b, gamma: softness
// In the biased pass rigid drives, and rigid limits past their bound, have b and gamma of contacts. Their b C
// and t are at most kJointPushMax. In the relax pass their b and gamma are 0. gamma is 0 before the bound is
// reached.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "physics/joints/joint_equality.h"
#include "physics/joints/joint_rows.h"
#include "physics/state/world_state.h"

namespace takt {

template <class Real>
class JointLimits {
 public:
  /// Makes the rows of all joints of the ordering, with the impulses of the last tick.
  void prepare(const WorldState<Real>& state, const JointOrdering<Real>& ordering,
               const JointConstants& constants);
  [[nodiscard]] std::vector<LimitRow>& rows() noexcept { return rows_; }
  [[nodiscard]] std::span<const LimitRow> rows_of(const PreparedJoint& joint) const noexcept {
    return std::span(rows_).subspan(joint.first_limit, joint.limit_count);
  }

  /// Computes the rows of one axis, which start at `limit` of the joint's limit rows, and advances `limit`
  /// past them. `axis` is the pool index of `def`. In the relax pass drives and soft limits keep the error of
  /// the substep's start.
  void compute_axis(const PreparedJoint& joint, std::uint32_t axis, const JointAxisDef& def,
                    const JointCoordinate& coordinate, bool relaxing, std::uint32_t& limit);
  /// Projects the rows of a joint onto the directions that its equality rows leave free.
  /// JointEquality::fill() must have factored the equality rows. Rows serve one call after compute_axis().
  void project(const PreparedJoint& joint, const JointEquality<Real>& equality,
               const JointConstants& constants, bool relaxing);
  /// Adds the velocity changes by the last impulses to pass.changes, and their projection to `equality`.
  void warm_start(const PreparedJoint& joint, JointEquality<Real>& equality, const JointPass<Real>& pass);
  /// Solves the rows of a joint one by one, and changes the bodies' velocities and the equality impulses.
  void solve(const PreparedJoint& joint, JointEquality<Real>& equality, const JointPass<Real>& pass);

 private:
  [[nodiscard]] static double impulse_of(const LimitRow& row, double free_velocity,
                                         const JointPass<Real>& pass) noexcept;

  std::vector<LimitRow> rows_;  ///< joint by joint in id order
};

}  // namespace takt
