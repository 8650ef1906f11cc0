// DirectLimit is a rigid limit along a line (a distance or a linear coordinate) of a joint in a tree. While
// the limit acts, its row is one of the equality rows that JointEquality solves directly, so that a chain of
// rope joints carries a load as a chain of rods does. While the limit does not act, its row is zero: its
// pivot excludes it. JointEquality finds the set of acting limits (an active set); the functions below decide
// about one limit. Limits outside trees, soft limits and limits of angles are in joint_limits.h.
//
//   acts at the lower bound    s = 1,   gap g = C - lower         C        coordinate, m
//   acts at the upper bound    s = -1,  gap g = upper - C         J v      its velocity, m/s
//   allowed velocity           s J v >= -max(g, 0) / h            lambda   accumulated impulse, N s
//   pushes, never pulls        s lambda >= 0                      h        substep, s
//
// A limit that acts before its bound is reached (g > 0) is a soft row of bias rate 1 / h and no compliance:
// the coordinate ends the substep at the bound. Past the bound the row is rigid and corrects drift. The sign
// of the stored impulse is the active set of the next tick; no other state lasts. Source of the method: J.
// Nocedal, S. Wright, Numerical Optimization (2006), 16.5.
#pragma once

#include <cstdint>

#include "physics/joints/joint_rows.h"

namespace takt {

struct DirectLimit {
  EqualityRowOf<double> direction;  ///< Jacobian and inertias; the row has them while the limit acts
  std::uint32_t row = 0;            ///< index of the equality row
  double lower = 0.0;               ///< bounds, m; infinite without
  double upper = 0.0;
  double lower_gap = 0.0;  ///< m
  double upper_gap = 0.0;
  double mobility = 0.0;  ///< J M^-1 J^T, 1/kg
  int flips = 0;          ///< changes of side in the present pass
  int side = 0;           ///< 1: acts at the lower bound, -1: at the upper bound, 0: does not act
};

/// The limit of `def` at equality row `index`, with the impulse of the last tick.
[[nodiscard]] DirectLimit make_direct_limit(const JointAxisDef& def, std::uint32_t index,
                                            double impulse) noexcept;
/// Writes the limit's row: its Jacobian and error while it acts, else zeros. The impulse stays.
void write_row(const DirectLimit& limit, double substep_s, EqualityRow& row) noexcept;
/// True when `impulse` of a limit that acts has the wrong sign, by more than rounding.
[[nodiscard]] bool has_wrong_sign(const DirectLimit& limit, double impulse) noexcept;
/// Side at which a limit must act that does not act, at these velocities of both bodies; 0: at none. A limit
/// that has not changed in this pass is taken at its bound too, or a chain would become taut one link a
/// round.
[[nodiscard]] int violated_side(const DirectLimit& limit, const VelocityOf<double>& a,
                                const VelocityOf<double>& b, double substep_s) noexcept;

}  // namespace takt
