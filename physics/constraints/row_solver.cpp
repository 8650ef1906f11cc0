#include "takt/physics/row_solver.h"

#include <optional>
#include <vector>

#include "physics/base/solver_constants.h"
#include "physics/constraints/constraint_row.h"
#include "physics/math/block_ldlt.h"
#include "physics/math/is_finite.h"
#include "takt/core/assert.h"
#include "takt/physics/float_control.h"

namespace takt {
namespace {

std::optional<PhysicsError> check(std::span<const RowSolverBody> bodies, std::span<const ConstraintRow> rows,
                                  bool limited) {
  for (const RowSolverBody& body : bodies) {
    if (!is_finite(body.inverse_mass) || !is_finite(body.linear_velocity) ||
        !is_finite(body.angular_velocity))
      return PhysicsError::kNotFinite;
    for (double const entry : body.inverse_inertia) {
      if (!is_finite(entry)) return PhysicsError::kNotFinite;
    }
    if (body.inverse_mass < 0.0 || body.inverse_inertia[0] < 0.0 || body.inverse_inertia[1] < 0.0 ||
        body.inverse_inertia[2] < 0.0)
      return PhysicsError::kOutOfRange;
  }
  for (const ConstraintRow& row : rows) {
    for (std::uint32_t const body : {row.body_a, row.body_b}) {
      if (body != kNoRowBody && body >= bodies.size()) return PhysicsError::kUnknownBody;
    }
    bool const sound = is_finite(row.linear_a) && is_finite(row.angular_a) && is_finite(row.linear_b) &&
                       is_finite(row.angular_b) && is_finite(row.bias) && is_finite(row.gamma) &&
                       is_finite(row.impulse) && row.lower == row.lower && row.upper == row.upper;
    if (!sound) return PhysicsError::kNotFinite;
    if (row.gamma < 0.0 || row.lower > row.upper || row.lower == kUnbounded || row.upper == -kUnbounded)
      return PhysicsError::kOutOfRange;
    if (!limited && (row.lower > -kUnbounded || row.upper < kUnbounded)) return PhysicsError::kOutOfRange;
  }
  if (!limited && rows.size() > kMaxDirectRows) return PhysicsError::kOutOfRange;
  return std::nullopt;
}

struct Sides {
  RowSide a;
  RowSide b;
};

RowSide side_of(std::span<const RowSolverBody> bodies, std::uint32_t body, Vec3<double> linear,
                Vec3<double> angular) {
  RowBody of;
  of.body = body;
  of.moves = body != kNoRowBody;
  if (of.moves) {
    double const inverse = bodies[body].inverse_mass;
    of.inverse_mass = {inverse, inverse, inverse};
    of.inverse_inertia = bodies[body].inverse_inertia;
  }
  return of.side(linear, angular);
}

std::vector<Sides> sides_of(std::span<const RowSolverBody> bodies, std::span<const ConstraintRow> rows) {
  std::vector<Sides> sides;
  sides.reserve(rows.size());
  for (const ConstraintRow& row : rows) {
    sides.push_back({side_of(bodies, row.body_a, row.linear_a, row.angular_a),
                     side_of(bodies, row.body_b, row.linear_b, row.angular_b)});
  }
  return sides;
}

double coupling(const Sides& effect, const Sides& cause) noexcept {
  return side_coupling(effect.a, cause.a) + side_coupling(effect.a, cause.b) +
         side_coupling(effect.b, cause.a) + side_coupling(effect.b, cause.b);
}

/// The row's residual: J v + bias + gamma lambda.
double residual(std::span<const RowSolverBody> bodies, const Sides& sides,
                const ConstraintRow& row) noexcept {
  double sum = row.bias + row.gamma * row.impulse;
  for (const RowSide* const side : {&sides.a, &sides.b}) {
    if (side->moves)
      sum += dot(side->linear, bodies[side->body].linear_velocity) +
             dot(side->angular, bodies[side->body].angular_velocity);
  }
  return sum;
}

void push(std::span<RowSolverBody> bodies, const Sides& sides, double impulse) noexcept {
  for (const RowSide* const side : {&sides.a, &sides.b}) {
    if (!side->moves) continue;
    TAKT_ASSERT(side->body < bodies.size());
    bodies[side->body].linear_velocity += side->linear_change * impulse;
    bodies[side->body].angular_velocity += side->angular_change * impulse;
  }
}

}  // namespace

Result<Unit, PhysicsError> solve_rows_directly(std::span<RowSolverBody> bodies,
                                               std::span<ConstraintRow> rows) {
  FloatControlGuard const guard;
  if (auto const error = check(bodies, rows, false)) return *error;
  std::vector<Sides> const sides = sides_of(bodies, rows);
  std::size_t const n = rows.size();
  BlockPattern pattern;
  pattern.add_node(static_cast<std::uint32_t>(n), {});
  pattern.finish();
  BlockFactor factor;
  std::span<double> const matrix = factor.blocks(pattern);
  std::vector<double> values(n);
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t c = 0; c <= r; ++c) {
      matrix[r * n + c] = coupling(sides[r], sides[c]) + (r == c ? rows[r].gamma : 0.0);
      matrix[c * n + r] = matrix[r * n + c];
    }
    values[r] = -residual(bodies, sides[r], rows[r]);
  }
  factor.factor(pattern, 0, pattern.nodes(), kMinPivot);
  factor.solve(pattern, 0, pattern.nodes(), values);
  TAKT_ASSERT(values.size() == rows.size() && sides.size() == rows.size());
  for (std::size_t r = 0; r < n; ++r) {
    rows[r].impulse += values[r];
    push(bodies, sides[r], values[r]);
  }
  return Unit{};
}

Result<Unit, PhysicsError> solve_rows_in_sequence(std::span<RowSolverBody> bodies,
                                                  std::span<ConstraintRow> rows, std::uint32_t passes) {
  FloatControlGuard const guard;
  if (auto const error = check(bodies, rows, true)) return *error;
  std::vector<Sides> const sides = sides_of(bodies, rows);
  for (std::uint32_t pass = 0; pass < passes; ++pass) {
    for (std::size_t r = 0; r < rows.size(); ++r) {
      ConstraintRow& row = rows[r];
      double const compliance = coupling(sides[r], sides[r]) + row.gamma;
      if (!(compliance > 0.0)) continue;
      double const wanted = row.impulse - residual(bodies, sides[r], row) / compliance;
      double const held = wanted < row.lower ? row.lower : wanted > row.upper ? row.upper : wanted;
      push(bodies, sides[r], held - row.impulse);
      row.impulse = held;
      TAKT_VALIDATE(!(held < row.lower) && !(held > row.upper));
    }
  }
  return Unit{};
}

}  // namespace takt
