// DirectLimit is a rigid limit along a line (a distance or a linear coordinate without a drive) of a joint in
// a tree (elimination_forest.h). While the limit acts, its row is one of the equality rows that JointEquality
// solves directly. A chain of rope joints thus carries a load as a chain of rods does. While the limit does
// not act, its row is zero: its pivot excludes it. JointEquality finds the set of acting limits (an active
// set); the functions below decide about one limit. Limits outside trees, soft limits, limits of angles and
// limits beside a drive are in joint_limits.h.
//
//   acts at the lower bound    s = 1,   gap g = C - lower         C        coordinate, m
//   acts at the upper bound    s = -1,  gap g = upper - C         J v      its velocity, m/s
//   allowed velocity           s J v >= -max(g, 0) / h            lambda   accumulated impulse, N s
//   only away from the bound   s lambda >= 0                      h        substep, s
//
// A limit that acts before its bound is reached (g > 0) is a soft row of bias rate 1 / h. Its coordinate ends
// the substep at the bound. Past the bound the row is rigid, and the biased pass corrects its drift. In both
// cases the row has compliance only in groups with loops. The sign of the stored impulse is the active set of
// the next tick; no other state lasts. Source of the method: J. Nocedal, S. Wright, Numerical Optimization
// (2006), 16.5.
#pragma once

#include <cstdint>

#include "physics/joints/joint_rows.h"

namespace takt {

struct DirectLimit {
  EqualityRowOf<double> direction;  ///< Jacobian, and its product with the inverse inertias
  std::uint32_t row = 0;            ///< index in the equality rows of the tick
  double lower = 0.0;               ///< bound, m; -infinity without one
  double upper = 0.0;               ///< bound, m; infinity without one
  double lower_gap = 0.0;           ///< C - lower, m; infinity without a bound
  double upper_gap = 0.0;           ///< upper - C, m
  double mobility = 0.0;            ///< J M^-1 J^T, 1/kg
  int flips = 0;                    ///< changes of side in the present pass
  int side = 0;                     ///< 1: acts at the lower bound, -1: at the upper bound, 0: does not act
};

/// Makes the limit of `def` at equality row `index`. The sign of `impulse`, the last tick's, sets its side.
/// JointEquality::compute_limit() sets direction, gaps and mobility.
[[nodiscard]] DirectLimit make_direct_limit(const JointAxisDef& def, std::uint32_t index,
                                            double impulse) noexcept;
/// Writes all of the limit's row except the impulse: Jacobian, error and softness while the limit acts, else
/// zeros. A limit that does not act must have an impulse of 0 in its row.
void write_row(const DirectLimit& limit, double substep_s, EqualityRow& row) noexcept;
/// True when `impulse` has the wrong sign for the limit's side, by more than rounding (1e-8 m/s x effective
/// mass).
[[nodiscard]] bool has_wrong_sign(const DirectLimit& limit, double impulse) noexcept;
/// Returns the side (1 or -1) on which these velocities of the bodies violate a limit that does not act, or
/// 0. A limit with flips == 0 counts as violated at its allowed velocity too. Otherwise a chain would become
/// taut one link a round.
[[nodiscard]] int violated_side(const DirectLimit& limit, const VelocityOf<double>& a,
                                const VelocityOf<double>& b, double substep_s) noexcept;

}  // namespace takt
