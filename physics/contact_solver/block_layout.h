// Assigns contacts to lanes of blocks: graph colours first, then lane indices. A pure function of the sorted
// contacts and the width.
#pragma once

#include "physics/constraints/graph_colouring.h"
#include "physics/step/step.h"

namespace takt {

/// Writes derived.colours, derived.order and derived.ranges. Special blocks come after all others; the ranges
/// follow the colours. Contacts of the direct solver get no block.
template <class Real>
[[nodiscard]] BlockLayout assign_blocks(DerivedState<Real>& derived, std::uint32_t lanes);

}  // namespace takt
