// The two ways of solving rows of constraints (CONSTRAINTS 2.2 and 2.3), over any small set of rows, apart
// from a world: to compare them on the same problem, to check a joint of one's own, to teach. Binary64; the
// same bits on every machine.
//
// A row asks that J v + bias + gamma lambda = 0, lambda the whole impulse of the row, between its bounds.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "takt/core/result.h"
#include "takt/physics/error.h"
#include "takt/physics/joint.h"
#include "takt/physics/vector.h"

namespace takt {

/// A row's side that is the world: it does not move.
inline constexpr std::uint32_t kNoRowBody = 0xffffffffu;
/// Rows that one direct solve takes: it costs their number cubed.
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
  double impulse = 0.0;  ///< the whole impulse: what the bodies' velocities hold of this row already (0 when
                         ///< cold), and after a solve the new one
};

/// All rows at once: A lambda = -(J v + bias) with A = J M^-1 J^T + gamma, by L D L^T. Rows that only repeat
/// others get no impulse of their own. Errors (then nothing has changed): kUnknownBody, a row names no body
/// of `bodies`; kNotFinite; kOutOfRange, a negative mass, inertia or gamma, a row with bounds (those are for
/// solve_rows_in_sequence), or more than kMaxDirectRows.
Result<Unit, PhysicsError> solve_rows_directly(std::span<RowSolverBody> bodies,
                                               std::span<ConstraintRow> rows);

/// Projected Gauss-Seidel: row after row, `passes` times, each impulse clamped to its bounds as a whole.
/// Errors as above, but bounds are what it is for; kOutOfRange when they cross.
Result<Unit, PhysicsError> solve_rows_in_sequence(std::span<RowSolverBody> bodies,
                                                  std::span<ConstraintRow> rows, std::uint32_t passes);

}  // namespace takt
