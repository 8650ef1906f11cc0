// JointLimits owns the limit rows of a tick: limits, motors, friction and drives with a maximum force or
// torque. Each limit row is solved by Gauss-Seidel with a clamped accumulated impulse (docs/CONSTRAINTS.md
// 1.10). Before that the row is projected onto the directions that its joint's equality rows leave free.
// JointSolver calls the functions in each substep. For batched trees, limit rows are only prepared here;
// tree_batches.h computes and solves them. Gears and pulleys are in joint_couplings.h, and joint_row_types.h
// has the equations of all rows.
//
//   friction  lambda = -J'v / K'            |lambda| <= max
//   motor     lambda = (s - J'v) / K'       |lambda| <= max
//   drive     lambda = -(J'v + b C) / (K' + gamma), |lambda| <= max
//   limit     lambda = (t - J'v) / (K' + gamma), lambda >= 0 at the lower bound; mirrored at the upper bound;
//             t = -gap / h before the bound is reached, clamp(-b gap) past it; a soft limit acts only past it
//
//   J'v    row velocity without the row's own impulse    s    target speed, m/s or rad/s
//   K'     projected mobility                            gap  coordinate - lower, or upper - coordinate
//   C      coordinate - target, m or rad                 h    substep, s;   b, gamma: softness
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
  /// Rows of all joints of the ordering, with the impulses of the last tick.
  void prepare(const WorldState<Real>& state, const JointOrdering<Real>& ordering,
               const JointConstants& constants);
  [[nodiscard]] std::vector<LimitRow>& rows() noexcept { return rows_; }
  [[nodiscard]] std::span<const LimitRow> rows_of(const PreparedJoint& joint) const noexcept {
    return std::span(rows_).subspan(joint.first_limit, joint.limit_count);
  }

  /// Computes the rows of one axis, which start at `limit` of the joint's limit rows, and advances `limit`
  /// past them. In the relax pass soft rows keep the error of the substep's start.
  void compute_axis(const PreparedJoint& joint, std::uint32_t axis, const JointAxisDef& def,
                    const JointCoordinate& coordinate, bool relaxing, std::uint32_t& limit);
  /// Projects the rows of a joint onto what its equality rows leave free; those are factored.
  void project(const PreparedJoint& joint, const JointEquality<Real>& equality,
               const JointConstants& constants, bool relaxing);
  void warm_start(const PreparedJoint& joint, JointEquality<Real>& equality, const JointPass<Real>& pass);
  void solve(const PreparedJoint& joint, JointEquality<Real>& equality, const JointPass<Real>& pass);

 private:
  [[nodiscard]] static double impulse_of(const LimitRow& row, double free_velocity,
                                         const JointPass<Real>& pass) noexcept;

  std::vector<LimitRow> rows_;  ///< joint by joint in id order
};

}  // namespace takt
