// RowSide is one body's side of a constraint row in binary64: the Jacobian, and the velocity change by an
// impulse of 1 N s. RowBody has the inverse mass and inertia of a body and computes a RowSide from a
// Jacobian. Restitution, joints and row_solver.cpp use both types, in float mode and in fixed mode, and store
// the impulses themselves. SymMat64 is a symmetric 3x3 matrix in binary64; ropes use SymMat64 too.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "physics/constraints/solver_body.h"
#include "physics/math/mass.h"

namespace takt {

/// One body's part of a row. Rows are of two kinds: linear, with velocities in m/s and impulses in N s, and
/// angular, with rad/s and N m s.
struct RowSide {
  std::uint32_t body = 0;   ///< solver index; in row_solver.cpp an index of its bodies
  std::uint32_t local = 0;  ///< index among the bodies of the problem
  bool moves = false;       ///< under impulses; the changes are 0 otherwise
  Vec3<double> linear;      ///< row velocity = linear . v + angular . w, summed over both sides
  Vec3<double> angular;
  Vec3<double> linear_change;   ///< of the linear velocity, m/s, by an impulse of 1 in the row's unit
  Vec3<double> angular_change;  ///< of the angular velocity, rad/s, likewise
};

/// Symmetric 3x3 matrix: xx, yy, zz, xy, xz, yz. to_sym_mat64() converts without rounding in float mode.
using SymMat64 = std::array<double, 6>;
[[nodiscard]] inline SymMat64 to_sym_mat64(const FloatSymMat& matrix) noexcept {
  SymMat64 m{};
  for (std::size_t i = 0; i < 6; ++i) m[i] = static_cast<double>(matrix.m[i]);
  return m;
}
[[nodiscard]] inline SymMat64 to_sym_mat64(const FixedSymMat& matrix) noexcept {
  SymMat64 m{};
  for (std::size_t i = 0; i < 6; ++i)
    m[i] = std::ldexp(static_cast<double>(matrix.mantissa[i]), matrix.exponent);
  return m;
}
/// R A R^T: a body-frame tensor in world axes.
[[nodiscard]] inline SymMat64 rotated(const SymMat64& a, const Mat3<double>& r) noexcept {
  // Columns of R A, then their products with the rows of R.
  Vec3<double> const x = r * Vec3<double>{a[0], a[3], a[4]};
  Vec3<double> const y = r * Vec3<double>{a[3], a[1], a[5]};
  Vec3<double> const z = r * Vec3<double>{a[4], a[5], a[2]};
  auto const entry = [](double x_part, double y_part, double z_part, Vec3<double> row) {
    return x_part * row.x + y_part * row.y + z_part * row.z;
  };
  Vec3<double> const row_x{r.x.x, r.y.x, r.z.x};
  Vec3<double> const row_y{r.x.y, r.y.y, r.z.y};
  Vec3<double> const row_z{r.x.z, r.y.z, r.z.z};
  return {entry(x.x, y.x, z.x, row_x), entry(x.y, y.y, z.y, row_y), entry(x.z, y.z, z.z, row_z),
          entry(x.x, y.x, z.x, row_y), entry(x.x, y.x, z.x, row_z), entry(x.y, y.y, z.y, row_z)};
}
/// m v.
[[nodiscard]] inline Vec3<double> multiply(const SymMat64& m, Vec3<double> v) noexcept {
  return {m[0] * v.x + m[3] * v.y + m[4] * v.z, m[3] * v.x + m[1] * v.y + m[5] * v.z,
          m[4] * v.x + m[5] * v.y + m[2] * v.z};
}

/// Mass properties of a body for its rows.
struct RowBody {
  std::uint32_t body = 0;      ///< as RowSide::body
  bool moves = false;          ///< under impulses
  Vec3<double> inverse_mass;   ///< 1/kg along the world's axes; 0 where locked
  SymMat64 inverse_inertia{};  ///< 1/(kg m^2), world axes

  /// The side of a row with this Jacobian. `local` is 0.
  [[nodiscard]] RowSide side(Vec3<double> linear, Vec3<double> angular) const noexcept {
    RowSide s{body, 0, moves, linear, angular, {}, {}};
    if (moves) {
      s.linear_change = {linear.x * inverse_mass.x, linear.y * inverse_mass.y, linear.z * inverse_mass.z};
      s.angular_change = multiply(inverse_inertia, angular);
    }
    return s;
  }
};

/// Returns the change of the velocity of row `effect` by an impulse of 1 of row `cause`, through one body.
/// The result is 0 for sides of different bodies or of one that does not move.
[[nodiscard]] inline double side_coupling(const RowSide& effect, const RowSide& cause) noexcept {
  if (!effect.moves || !cause.moves || effect.body != cause.body) return 0.0;
  return dot(effect.linear, cause.linear_change) + dot(effect.angular, cause.angular_change);
}

/// One body's contribution to the velocity of the row, m/s or rad/s. `bodies` is indexed by solver index; its
/// entry 0 is at rest.
template <class Real>
[[nodiscard]] double side_velocity(const RowSide& side, const SolverBody<Real>* bodies) noexcept {
  const SolverBody<Real>& body = bodies[side.body];
  return dot(side.linear, doubles_of(body.linear_velocity)) +
         dot(side.angular, doubles_of(body.angular_velocity));
}

}  // namespace takt
