#include "physics/block_layout.h"

#include "physics/colouring.h"

namespace takt {

template <class Real>
BlockLayout lay_out_blocks(DerivedState<Real>& derived, std::uint32_t lanes) {
  std::size_t const count = derived.found.outlines.size();
  derived.colour_masks.assign(derived.bodies.size(), 0);
  derived.colours.resize(count);
  auto const pair_at = [&derived](std::size_t i) {
    return derived.loads.takes(i) ? ColouredPair{kNoBody, kNoBody} : derived.found.outlines[i].pushed;
  };
  colour_pairs(count, pair_at, derived.colour_masks, derived.colours);

  auto const colour_at = [&derived](std::size_t i) { return derived.loads.takes(i) ? kNoColour : derived.colours[i]; };
  auto const is_special = [&derived](std::size_t i) { return derived.found.outlines[i].special; };
  return place_in_blocks(count, lanes, colour_at, is_special, derived.order, derived.ranges);
}

template BlockLayout lay_out_blocks(DerivedState<float>&, std::uint32_t);
template BlockLayout lay_out_blocks(DerivedState<Fixed>&, std::uint32_t);

}  // namespace takt
