// Which contact goes into which lane of which block: colours, then places. A pure function of the sorted
// contacts and the width.
#pragma once

#include "physics/constraints/graph_colouring.h"
#include "physics/step/step.h"

namespace takt {

/// Fills derived.colours, derived.order and derived.ranges. Blocks of special contacts stand behind all
/// others; the ranges follow the colours. Contacts of load groups are left out.
template <class Real>
[[nodiscard]] BlockLayout assign_blocks(DerivedState<Real>& derived, std::uint32_t lanes);

}  // namespace takt
