#include "physics/contact_solver/block_layout.h"

#include "physics/constraints/graph_colouring.h"

namespace takt {

template <class Real>
BlockLayout assign_blocks(DerivedState<Real>& derived, std::uint32_t lanes) {
  std::size_t const count = derived.found.contact_bodies.size();
  derived.colour_masks.assign(derived.bodies.size(), 0);
  derived.colours.resize(count);
  auto const pair_at = [&derived](std::size_t i) {
    return derived.direct_contacts.takes(i) ? ColouredPair{kNoBody, kNoBody}
                                            : derived.found.contact_bodies[i].pushed;
  };
  colour_pairs(count, pair_at, derived.colour_masks, derived.colours);

  auto const colour_at = [&derived](std::size_t i) {
    return derived.direct_contacts.takes(i) ? kNoColour : derived.colours[i];
  };
  auto const is_special = [&derived](std::size_t i) { return derived.found.contact_bodies[i].special; };
  return assign_to_blocks(count, lanes, colour_at, is_special, derived.order, derived.ranges);
}

template BlockLayout assign_blocks(DerivedState<float>&, std::uint32_t);
template BlockLayout assign_blocks(DerivedState<Fixed>&, std::uint32_t);

}  // namespace takt
