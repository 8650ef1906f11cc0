// JointCouplings computes and solves the rows of gears (which couple coordinates of two joints) and pulleys
// (which couple two lengths). Each gear or pulley is one Gauss-Seidel row over up to four bodies, with a
// clamped accumulated impulse. JointSolver computes, warm-starts and solves the rows in each substep. Limit
// rows are projected onto the directions that equality rows leave free (joint_limits.h). A coupling row is
// not projected, because a gear or pulley has no equality rows. pose_of() returns the pose of any
// PreparedJoint within a substep.
//
//   pulley  C = l - (|d_a| + r |d_b|) >= 0      J = [-u_a, -r_a x u_a, -r u_b, -r (r_b x u_b)]
//           0 <= lambda <= maximum: the rope pulls both bodies to their ground anchors
//   gear    C = q_1 + r q_2 - c = 0             J = J_1 + r J_2, sides of one body added up
//           |lambda| <= maximum
//   d, u  from the ground anchor to the body's anchor, and its unit vector     l  length of the rope, m
//   q, J  coordinate of a coupled joint and its Jacobian                       r  ratio, c: sum at engagement
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "physics/joints/joint_equality.h"
#include "physics/joints/joint_ordering.h"
#include "physics/state/world_state.h"

namespace takt {

struct CouplingRow {
  std::array<RowSide, 4> sides;     ///< one per body, that of solver index 0 too
  std::uint32_t side_count = 0;     ///< pulley: 2 (a, b); gear: 2 to 4
  double error = 0.0;               ///< gear: C; pulley: gap l - (|d_a| + r |d_b|), m or rad
  double max = 0.0;                 ///< maximum impulse of a substep, N s or N m s
  double impulse = 0.0;             ///< accumulated, of the present or last substep
  double mobility = 0.0;            ///< K = J M^-1 J^T; 0: the row is inactive
  std::array<double, 2> lines_m{};  ///< pulley: |d_a|, |d_b|
  Softness softness;                ///< rigid: the softness of contacts in the biased pass
  SoftRow soft_row;                 ///< of a soft row in this substep
};

template <class Real>
class JointCouplings {
 public:
  /// Makes a row per coupling of the ordering, with the impulse of the last tick.
  void prepare(const WorldState<Real>& state, const JointOrdering<Real>& ordering);
  /// Row of a joint with `coupling` other than kNoIndex; all functions below need such a joint.
  [[nodiscard]] const CouplingRow& row_of(const PreparedJoint& joint) const noexcept {
    return rows_[joint.coupling];
  }

  /// Computes a pulley's row from r_a, r_b and the inverse inertias in `joint`. In the relax pass a soft row
  /// keeps error and softness of the substep's start.
  void compute_pulley(const WorldState<Real>& state, const JointBodies<Real>& bodies,
                      const PreparedJoint& joint, const JointConstants& constants, bool relaxing);
  /// Computes a gear's row. The inverse inertias in both coupled PreparedJoints must be up to date. In the
  /// relax pass every gear keeps its error.
  void compute_gear(const WorldState<Real>& state, const JointBodies<Real>& bodies,
                    const PreparedJoint& joint, JointOrdering<Real>& ordering,
                    const JointConstants& constants, bool relaxing);
  /// Adds the velocity changes by the last impulse to pass.changes.
  void warm_start(const PreparedJoint& joint, const JointPass<Real>& pass);
  /// Solves the row once and changes the bodies' velocities at once.
  void solve(const PreparedJoint& joint, const JointPass<Real>& pass);

 private:
  static void finish(CouplingRow& row, double whole, const JointConstants& constants, bool relaxing) noexcept;

  std::vector<CouplingRow> rows_;
};

/// The joint's pose with the bodies' poses in this substep.
template <class Real>
[[nodiscard]] JointPose pose_of(const JointBodies<Real>& bodies, const PreparedJoint& joint);

}  // namespace takt
