// solve_rows_directly() and solve_rows_in_sequence() solve a small set of constraint rows (ConstraintRow)
// among bodies (RowSolverBody) outside of a world (CONSTRAINTS 2.2 and 2.3). Both functions change the
// velocities of the bodies and the impulses of the rows in place. They serve to compare the two methods on
// one problem, to check one's own formula of a joint, and to teach. World calls neither function. Numbers are
// binary64, with equal bits on every machine.
//
// A row requires J v + bias + gamma lambda = 0. Here lambda is the row's accumulated impulse, within its
// bounds.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "takt/core/result.h"
#include "takt/physics/error.h"
#include "takt/physics/joint.h"
#include "takt/physics/vector.h"

namespace takt {

/// Body index of a side that is the world, which does not move.
inline constexpr std::uint32_t kNoRowBody = 0xffffffffu;
/// Maximum number of rows of one direct solve; its cost is cubic in that number.
inline constexpr std::size_t kMaxDirectRows = 1024;

struct RowSolverBody {
  double inverse_mass = 0.0;                ///< 1/kg, >= 0; 0 = does not move
  std::array<double, 6> inverse_inertia{};  ///< 1/(kg m^2), in the world's axes: xx, yy, zz, xy, xz, yz
  Vec3<double> linear_velocity{};           ///< m/s; changed by the solvers
  Vec3<double> angular_velocity{};          ///< rad/s
};

struct ConstraintRow {
  std::uint32_t body_a = kNoRowBody;  ///< index of a body, or kNoRowBody
  std::uint32_t body_b = kNoRowBody;
  Vec3<double> linear_a{};  ///< the Jacobian: J v = linear_a . v_a + angular_a . w_a + linear_b . v_b +
                            ///< angular_b . w_b
  Vec3<double> angular_a{};
  Vec3<double> linear_b{};
  Vec3<double> angular_b{};
  double bias = 0.0;           ///< m/s or rad/s
  double gamma = 0.0;          ///< velocity per impulse, >= 0; 0 = rigid
  double lower = -kUnbounded;  ///< N s or N m s, of the whole impulse; lower <= upper
  double upper = kUnbounded;
  double impulse = 0.0;  ///< the whole impulse lambda. In: the part that the bodies' velocities already
                         ///< contain (0 without warm start). Out: the new impulse
};

/// Solves all rows at once by L D L^T: A d = -(J v + bias + gamma lambda) with A = J M^-1 J^T + gamma. The
/// impulses lambda grow by d. Redundant rows get no impulse of their own. Errors (then nothing has changed):
/// kUnknownBody, a row names no body of `bodies`; kNotFinite; kOutOfRange, a negative mass, inertia or gamma,
/// a bounded row (use solve_rows_in_sequence), or more than kMaxDirectRows.
Result<Unit, PhysicsError> solve_rows_directly(std::span<RowSolverBody> bodies,
                                               std::span<ConstraintRow> rows);

/// Projected Gauss-Seidel: solves row after row, `passes` times, and clamps each row's whole impulse to its
/// bounds. Errors as above, except that bounds are allowed; kOutOfRange when they cross.
Result<Unit, PhysicsError> solve_rows_in_sequence(std::span<RowSolverBody> bodies,
                                                  std::span<ConstraintRow> rows, std::uint32_t passes);

}  // namespace takt
