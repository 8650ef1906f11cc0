// prepare_blocks() fills constraint blocks (ContactBlock, ContactExtras) from the contacts of a tick, before
// its first pass. store_block_impulses() copies the results back into the contacts after the last pass.
// ContactSolver calls both functions through the table ContactKernels, in which contact_kernels_base.cpp
// enters them. Both are compiled once per lane width, for the baseline CPU; the lane kernels of
// prepare_contacts.h and store_impulses.h do the arithmetic of a block. Afterwards prepare_blocks() adds, one
// contact at a time, the parts without a lane kernel: rolling resistance, surface velocity, soft materials
// and locked axes.
#pragma once

#include "physics/contact_solver/contact_constraint.h"

namespace takt {

/// Fills blocks [first, end), and the extras of those from memory.first_special on. `self` is the table of
/// width W. The function sets normal_velocity and hit_point of the contacts.
template <class Real, int W>
void prepare_blocks(const ContactKernels<Real>& self, const BlockMemory& memory, std::size_t first,
                    std::size_t end, const ContactTask<Real>& task,
                    const ContactParameters<Real>& parameters);

/// Stores impulses, friction anchors and the total impulse of blocks [first, end) in their contacts. A total
/// impulse above 0 sets PreparedContact::touching. A contact with a value that is not finite gets 0 for all
/// of these. Returns the number of contact points of the blocks.
template <class Real, int W>
std::uint32_t store_block_impulses(const ContactKernels<Real>& self, const BlockMemory& memory,
                                   std::size_t first, std::size_t end, const ContactTask<Real>& task);

}  // namespace takt
