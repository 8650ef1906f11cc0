// Which contact goes into which lane of which block: colours, then places. A pure function of the sorted contacts and the width.
#pragma once

#include "physics/step.h"

namespace takt {

/// What lay_out_blocks found.
struct BlockLayout {
  std::uint32_t colour_count = 0;
  std::uint32_t overflow_count = 0;
  std::size_t first_special = 0;  ///< block
};

/// Fills derived.colours, derived.order and derived.ranges. Blocks of special contacts stand behind all others; the ranges follow the colours. Contacts of load groups
/// are left out.
template <class Real>
[[nodiscard]] BlockLayout lay_out_blocks(DerivedState<Real>& derived, std::uint32_t lanes);

}  // namespace takt
