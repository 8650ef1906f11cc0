// BlockLane is the fallback for fixed mode's blocks of eight lanes. BlockLane copies one lane into a block of
// one lane, which the kernels of one lane process; BlockLane then copies the results back.
// warm_start_one_by_one() and solve_one_by_one() do so for all lanes of a block; contact_blocks.cpp does so
// when it prepares or stores a block. Three cases need the fallback: values beyond the range of
// EightFixedLanes, passes over special blocks (ContactExtras), and CPUs without AVX-512 IFMA.
// has_small_numbers() tests the constants of a block; kernels test the values that change. The results have
// the bits of a block of one lane.
#pragma once

#include "physics/contact_solver/contact_constraint.h"
#include "takt/core/assert.h"

namespace takt {

/// True for blocks of several lanes of fixed mode. Only the kernels of these may return false (a value out of
/// range).
template <class Real, int W>
inline constexpr bool kIsFixedWide = std::is_same_v<Real, Fixed>&& W > 1;

inline constexpr int kFixedLanes = 8;
using FixedBlock = ContactBlock<Fixed, kFixedLanes>;
using FixedExtras = ContactExtras<Fixed, kFixedLanes>;

/// Stores the point count of a lane, 1 to 4. Call it for lanes 0, 1, ... in order: each call sets `filled`.
inline void set_points(FixedBlock& block, int lane, std::uint32_t count) noexcept {
  TAKT_ASSERT(lane >= 0 && lane < kFixedLanes && count >= 1 && count <= 4);
  block.filled = static_cast<std::uint8_t>(lane + 1);
  block.points = static_cast<std::uint16_t>(block.points | (count - 1) << (2 * lane));
}
[[nodiscard]] inline std::uint32_t point_count(const FixedBlock& block, int lane) noexcept {
  TAKT_VALIDATE(lane >= 0 && lane < block.filled);
  return (static_cast<std::uint32_t>(block.points) >> (2 * lane) & 3u) + 1;
}

/// True if every constant of the block is within the bounds of fixed_lanes_ifma_bounds.h.
[[nodiscard]] bool has_small_numbers(const FixedBlock& block) noexcept;

/// One contact in a block and extras of one lane.
struct BlockLane {
  ContactBlock<Fixed, 1> block;
  ContactExtras<Fixed, 1> extras;

  /// Copies the lane, which must have a contact. `extras` is null for blocks without extras.
  BlockLane(const FixedBlock& wide, const FixedExtras* extras, int lane) noexcept;
  /// Writes back what warm_start and solve change.
  void store_impulses(FixedBlock& wide, FixedExtras* extras, int lane) const noexcept;
  /// Writes back what prepare_block() changes.
  void store_prepared(FixedBlock& wide, int lane) const noexcept;
};

// Passes over block `index`, lane by lane in ascending order, built for every CPU (contact_kernels_base.cpp).
void warm_start_one_by_one(const BlockMemory& memory, std::size_t index, SolverBody<Fixed>* bodies);
void solve_one_by_one(const BlockMemory& memory, std::size_t index, SolverBody<Fixed>* bodies,
                      const ContactParameters<Fixed>& parameters, bool use_bias);

/// Replaces the inverse masses K that prepare_block() of EightFixedMassLanes leaves in a block by effective
/// masses, in all lanes with a contact.
void invert_masses(FixedBlock& block) noexcept;

}  // namespace takt
