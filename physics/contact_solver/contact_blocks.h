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

/// Fills blocks [first, end) and their extras. Writes normal_velocity and hit_point of the contacts.
template <class Real, int W>
void prepare_blocks(const ContactKernels<Real>& self, const BlockMemory& memory, std::size_t first,
                    std::size_t end, const ContactTask<Real>& task,
                    const ContactParameters<Real>& parameters);

/// Stores impulses, friction anchors and the total impulse of blocks [first, end) into their contacts. Clears
/// the impulses of a contact that has a value that is not finite. Returns the number of contact points.
template <class Real, int W>
std::uint32_t store_block_impulses(const ContactKernels<Real>& self, const BlockMemory& memory,
                                   std::size_t first, std::size_t end, const ContactTask<Real>& task);

}  // namespace takt
