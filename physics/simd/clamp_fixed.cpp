// The scalar cone clamp for lanes that EightFixedLanes cannot clamp by itself.
#include "physics/simd/fixed_lanes.h"
#include "physics/simd/fixed_lanes_ifma_bounds.h"
#include "takt/core/assert.h"

namespace takt {

void clamp_to_cone_raw(std::int64_t& x, std::int64_t& y, std::int64_t limit) noexcept {
  Fixed along_x = Fixed::from_raw(x);
  Fixed along_y = Fixed::from_raw(y);
  FixedLanes::clamp_to_cone(along_x, along_y, Fixed::from_raw(limit));
  // The clamp never enlarges a component. A limit below 0 comes from saturated impulses.
  TAKT_VALIDATE(limit < 0 || absolute(along_x) <= absolute(Fixed::from_raw(x)));
  TAKT_VALIDATE(limit < 0 || absolute(along_y) <= absolute(Fixed::from_raw(y)));
  x = along_x.raw();
  y = along_y.raw();
}

}  // namespace takt
