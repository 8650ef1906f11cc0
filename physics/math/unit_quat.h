// unit() normalises a rotation in binary64. Rotations of definitions, queries and body poses are unit only
// within a tolerance; geometry in binary64 needs rotations exact to the rounding of doubles. Mass properties,
// queries, movers, ropes, soft contacts and continuous collision use unit().
#pragma once

#include "takt/physics/vector.h"

namespace takt {

/// q / |q|, by division in binary64. The caller ensures |q| > 0.
[[nodiscard]] Quat<double> unit(Quat<double> q) noexcept;

}  // namespace takt
