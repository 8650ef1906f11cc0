// Normalisation of the rotations that definitions and states give in binary64.
#pragma once

#include "takt/physics/vector.h"

namespace takt {

/// q / |q|, by division in binary64. The caller ensures |q| > 0.
[[nodiscard]] Quat<double> unit(Quat<double> q) noexcept;

}  // namespace takt
