// The rows of a load group's contacts in binary64: what each row does to its two bodies, and how two rows
// couple. Rows come from blocks of one lane, so both number modes and every width of the other blocks give
// the same ones.
#pragma once

#include <cstdint>
#include <vector>

#include "physics/constraints/constraint_row.h"
#include "physics/contact_solver/contact_constraint.h"

namespace takt {

enum class DirectRowKind : std::uint8_t { kNormal, kTangent, kTwist };

/// A contact's rows follow one another: its normal rows, both tangents, the twist if it has one.
struct DirectRow {
  std::uint32_t contact = 0;  ///< place in the blocks
  std::uint32_t part = 0;     ///< which normal row or tangent
  DirectRowKind kind = DirectRowKind::kNormal;
  RowSide a;
  RowSide b;
};

/// Appends the rows of a block; `contact` is its place.
template <class Real>
void append_direct_rows(const ContactBlock<Real, 1>& block, std::uint32_t contact,
                        std::vector<DirectRow>& rows);

/// What an impulse of 1 N s of `cause` does to the velocity of `effect`: an entry of J M^-1 J^T.
[[nodiscard]] double coupling(const DirectRow& effect, const DirectRow& cause) noexcept;
[[nodiscard]] bool share_a_body(const DirectRow& first, const DirectRow& second) noexcept;

/// The row's velocity, and how far its bodies have moved along it in this tick.
template <class Real>
[[nodiscard]] double row_velocity(const DirectRow& row, const SolverBody<Real>* bodies) noexcept;
template <class Real>
[[nodiscard]] double row_displacement(const DirectRow& row, const SolverBody<Real>* bodies) noexcept;

}  // namespace takt
