// JointCouplings computes and solves the rows of gears (which couple coordinates of two joints) and pulleys
// (which couple two lengths). Each gear or pulley is one Gauss-Seidel row over up to four bodies, with a
// clamped accumulated impulse. JointSolver computes, warm-starts and solves the rows in each substep. Limit
// rows are projected onto the directions that equality rows leave free (joint_limits.h). A coupling row is
// not projected, because a gear or pulley has no equality rows. pose_of() returns the pose of any joint
// within a substep.
//
//   pulley  C = l - (|d_a| + r |d_b|) >= 0      J = [-u_a, -r_a x u_a, -r u_b, -r (r_b x u_b)]
//           lambda >= 0 and at most the maximum: the rope pulls both bodies to their ground anchors
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
  std::array<RowSide, 4> sides;
  std::uint32_t side_count = 0;
  double error = 0.0;  ///< gear: C; pulley: gap l - (|d_a| + r |d_b|), m or rad
  double max = 0.0;    ///< maximum impulse of a substep, N s or N m s
  double impulse = 0.0;
  double mobility = 0.0;            ///< K = J M^-1 J^T
  std::array<double, 2> lines_m{};  ///< pulley: |d_a|, |d_b|
  Softness softness;
  SoftRow soft_row;
};

template <class Real>
class JointCouplings {
 public:
  /// A row per coupling of the ordering, with the impulse of the last tick.
  void prepare(const WorldState<Real>& state, const JointOrdering<Real>& ordering);
  [[nodiscard]] const CouplingRow& row_of(const PreparedJoint& joint) const noexcept {
    return rows_[joint.coupling];
  }

  void compute_pulley(const WorldState<Real>& state, const JointBodies<Real>& bodies,
                      const PreparedJoint& joint, const JointConstants& constants, bool relaxing);
  /// The rows' inertias of both coupled joints must be up to date.
  void compute_gear(const WorldState<Real>& state, const JointBodies<Real>& bodies,
                    const PreparedJoint& joint, JointOrdering<Real>& ordering,
                    const JointConstants& constants, bool relaxing);
  void warm_start(const PreparedJoint& joint, const JointPass<Real>& pass);
  void solve(const PreparedJoint& joint, const JointPass<Real>& pass);

 private:
  static void finish(CouplingRow& row, const JointConstants& constants, bool relaxing) noexcept;

  std::vector<CouplingRow> rows_;
};

/// The joint's pose with the bodies where they are now.
template <class Real>
[[nodiscard]] JointPose pose_of(const JointBodies<Real>& bodies, const PreparedJoint& joint);

}  // namespace takt
