#include "physics/block_layout.h"

#include "physics/colouring.h"

namespace takt {

template <class Real>
BlockLayout lay_out_blocks(DerivedState<Real>& derived, std::uint32_t lanes) {
  std::size_t const count = derived.found.contacts.size();
  derived.colour_masks.assign(derived.bodies.size(), 0);
  derived.colours.resize(count);
  auto const pair_at = [&derived](std::size_t i) {
    const PreparedContact<Real>& contact = derived.found.contacts[i];
    if (derived.loads.takes(i)) return ColouredPair{kNoBody, kNoBody};
    return ColouredPair{contact.dynamic_a ? contact.body_a : kNoBody, contact.dynamic_b ? contact.body_b : kNoBody};
  };
  colour_pairs(count, pair_at, derived.colour_masks, derived.colours);

  // Sizes and then next places, without and with extras. Of the colours only those that are there are gone through: small worlds have few.
  std::uint32_t sizes[2][kColourCount + 1] = {};
  std::uint64_t used = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (derived.loads.takes(i)) continue;
    std::uint8_t const colour = derived.colours[i];
    ++sizes[derived.found.contacts[i].special ? 1 : 0][colour];
    if (colour != kOverflowColour) used |= std::uint64_t{1} << colour;
  }
  auto const padded = [lanes](std::uint32_t size) { return (size + lanes - 1) / lanes * lanes; };
  auto const for_used = [used](auto&& visit) {
    for (std::uint64_t left = used; left != 0; left &= left - 1) visit(static_cast<std::uint32_t>(__builtin_ctzll(left)));
  };
  std::uint32_t total = 0;
  std::uint32_t places[2][kColourCount + 1];
  BlockLayout layout;
  for (int kind = 0; kind < 2; ++kind) {
    if (kind == 1) layout.first_special = total / lanes;
    for_used([&](std::uint32_t colour) {
      places[kind][colour] = total;
      total += padded(sizes[kind][colour]);
    });
    places[kind][kOverflowColour] = total;
    total += sizes[kind][kOverflowColour] * lanes;
  }
  derived.ranges.clear();
  for_used([&](std::uint32_t colour) {
    for (int kind = 0; kind < 2; ++kind) {
      if (sizes[kind][colour] == 0) continue;
      std::uint32_t const first = places[kind][colour];
      derived.ranges.push_back({first / lanes, (first + padded(sizes[kind][colour])) / lanes});
    }
    ++layout.colour_count;
  });
  layout.overflow_count = sizes[0][kOverflowColour] + sizes[1][kOverflowColour];
  derived.order.assign(total, kNoContact);
  for (std::size_t i = 0; i < count; ++i) {
    if (derived.loads.takes(i)) continue;
    std::uint8_t const colour = derived.colours[i];
    std::uint32_t& place = places[derived.found.contacts[i].special ? 1 : 0][colour];
    derived.order[place] = static_cast<std::uint32_t>(i);
    if (colour == kOverflowColour) derived.ranges.push_back({place / lanes, place / lanes + 1});  // one by one, in the order of their keys
    place += colour == kOverflowColour ? lanes : 1;
  }
  return layout;
}

template BlockLayout lay_out_blocks(DerivedState<float>&, std::uint32_t);
template BlockLayout lay_out_blocks(DerivedState<Fixed>&, std::uint32_t);

}  // namespace takt
