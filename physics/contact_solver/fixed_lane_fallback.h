// One lane of a block of fixed mode as a block of its own: what the kernels of one lane do for a lane that
// those of eight leave alone (fixed_lanes_ifma.h).
#pragma once

#include "physics/contact_solver/contact_constraint.h"

namespace takt {

/// Whether a block is of several lanes of fixed mode, what is done once a tick is done one contact at a time.
template <class Real, int W>
inline constexpr bool kIsOneByOne = std::is_same_v<Real, Fixed>&& W > 1;

inline constexpr int kFixedLanes = 8;
using FixedBlock = ContactBlock<Fixed, kFixedLanes>;
using FixedExtras = ContactExtras<Fixed, kFixedLanes>;

/// Lanes are filled from the first on.
inline void set_points(FixedBlock& block, int lane, std::uint32_t count) noexcept {
  block.filled = static_cast<std::uint8_t>(lane + 1);
  block.points = static_cast<std::uint16_t>(block.points | (count - 1) << (2 * lane));
}

/// Whether everything constant in the block is within the bounds of fixed_lanes_ifma.h.
[[nodiscard]] bool has_small_numbers(const FixedBlock& block) noexcept;

/// One contact, as the kernels of one lane take it.
struct BlockLane {
  ContactBlock<Fixed, 1> block;
  ContactExtras<Fixed, 1> extras;

  /// A copy of the lane. `extras` is null for blocks that have none.
  BlockLane(const FixedBlock& wide, const FixedExtras* extras, int lane) noexcept;
  /// Writes what the kernels change back into the lane.
  void give_back(FixedBlock& wide, FixedExtras* extras, int lane) const noexcept;
};

// What eight lanes do where they have no kernel of their own, by those of one lane. In contact_kernels.cpp,
// for every CPU.
void warm_start_one_by_one(const BlockMemory& memory, std::size_t index, SolverBody<Fixed>* bodies);
void solve_one_by_one(const BlockMemory& memory, std::size_t index, SolverBody<Fixed>* bodies,
                      const ContactParameters<Fixed>& parameters, bool use_bias);

}  // namespace takt
