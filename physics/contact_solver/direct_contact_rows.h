// DirectRow is one row (a scalar velocity constraint) of the direct contact solver, in binary64. A row is a
// normal, tangent or twist (about the normal) row of a contact, with both bodies' Jacobians.
// append_direct_rows() makes the rows of one contact once a tick, from a constraint block that holds this
// contact only. coupling() returns an entry of the matrix J M^-1 J^T that DirectContactSolver factors.
// row_velocity() and row_displacement() evaluate a row at the bodies' present velocities and displacements.
// The SIMD width of other contacts has no effect on these rows.
#pragma once

#include <cstdint>
#include <vector>

#include "physics/constraints/constraint_row.h"
#include "physics/contact_solver/contact_constraint.h"

namespace takt {

enum class DirectRowKind : std::uint8_t { kNormal, kTangent, kTwist };

/// The rows of a contact are adjacent: normal rows, two tangents, and a twist if the contact has a radius.
struct DirectRow {
  std::uint32_t contact = 0;  ///< block index
  std::uint32_t part = 0;     ///< index of the normal row or tangent
  DirectRowKind kind = DirectRowKind::kNormal;
  RowSide a;
  RowSide b;
};

/// Appends the rows of a block. `contact` is its index.
template <class Real>
void append_direct_rows(const ContactBlock<Real, 1>& block, std::uint32_t contact,
                        std::vector<DirectRow>& rows);

/// An entry of J M^-1 J^T: the velocity change of row `effect` by an impulse of 1 N s of row `cause`.
[[nodiscard]] double coupling(const DirectRow& effect, const DirectRow& cause) noexcept;
[[nodiscard]] bool share_a_body(const DirectRow& first, const DirectRow& second) noexcept;

/// The row's velocity, and the displacement of its bodies along it in this tick.
template <class Real>
[[nodiscard]] double row_velocity(const DirectRow& row, const SolverBody<Real>* bodies) noexcept;
template <class Real>
[[nodiscard]] double row_displacement(const DirectRow& row, const SolverBody<Real>* bodies) noexcept;

}  // namespace takt
