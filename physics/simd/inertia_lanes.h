// InertiaLanes is the memory layout of W inverse inertia tensors (world axes) in a contact block. The entries
// (xx, yy, zz, xy, xz, yz) follow one another, each with all lanes side by side. The layout of one lane in
// fixed mode is a plain FixedSymMat. set_inertia() writes one lane when a block is prepared; the lane types
// (vector_lanes.h) load all lanes in a pass.
#pragma once

#include <cstddef>
#include <cstdint>

#include "physics/math/mass.h"
#include "takt/core/assert.h"

namespace takt {

template <class Real, int W>
struct InertiaLanes;
template <int W>
struct InertiaLanes<float, W> {
  float m[6][W];
};
template <>
struct InertiaLanes<Fixed, 1> {
  FixedSymMat m[1];
};
template <int W>
struct InertiaLanes<Fixed, W> {
  std::int64_t mantissa[6][W];
  std::int64_t exponent[W];
};

template <int W>
void set_inertia(InertiaLanes<float, W>& to, int lane, const FloatSymMat& m) noexcept {
  TAKT_VALIDATE(lane >= 0 && lane < W);
  for (std::size_t i = 0; i < 6; ++i) to.m[i][lane] = m.m[i];
}
inline void set_inertia(InertiaLanes<Fixed, 1>& to, [[maybe_unused]] int lane,
                        const FixedSymMat& m) noexcept {
  TAKT_VALIDATE(lane == 0);
  to.m[0] = m;
}
template <int W>
void set_inertia(InertiaLanes<Fixed, W>& to, int lane, const FixedSymMat& m) noexcept {
  TAKT_VALIDATE(lane >= 0 && lane < W);
  for (std::size_t i = 0; i < 6; ++i) to.mantissa[i][lane] = m.mantissa[i];
  to.exponent[lane] = m.exponent;
}

}  // namespace takt
