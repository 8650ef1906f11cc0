// Which item goes into which lane of which block, once it has a colour (colouring.h). A pure function of the items' order, their colours and the width.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "physics/colouring.h"

namespace takt {

/// Ranges of blocks that may be solved side by side.
struct BlockRange {
  std::size_t first = 0;
  std::size_t end = 0;
};

/// What place_in_blocks found.
struct BlockLayout {
  std::uint32_t colour_count = 0;
  std::uint32_t overflow_count = 0;
  std::size_t first_special = 0;  ///< block
};

/// In an order: a lane without an item.
inline constexpr std::uint32_t kEmptyLane = 0xffffffffu;

/// Item order[i] takes lane i % lanes of block i / lanes. Blocks of special items stand behind all others; the ranges follow the colours, and items past the last colour
/// have a range each, in their order. Items of kNoColour are left out.
template <class ColourAt, class IsSpecial>
[[nodiscard]] BlockLayout place_in_blocks(std::size_t count, std::uint32_t lanes, const ColourAt& colour_at, const IsSpecial& is_special,
                                          std::vector<std::uint32_t>& order, std::vector<BlockRange>& ranges) {
  // Sizes and then next places, without and with extras. Of the colours only those that are there are gone through: small worlds have few.
  std::uint32_t sizes[2][kColourCount + 1] = {};
  std::uint64_t used = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint8_t const colour = colour_at(i);
    if (colour == kNoColour) continue;
    ++sizes[is_special(i) ? 1 : 0][colour];
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
  ranges.clear();
  for_used([&](std::uint32_t colour) {
    for (int kind = 0; kind < 2; ++kind) {
      if (sizes[kind][colour] == 0) continue;
      std::uint32_t const first = places[kind][colour];
      ranges.push_back({first / lanes, (first + padded(sizes[kind][colour])) / lanes});
    }
    ++layout.colour_count;
  });
  layout.overflow_count = sizes[0][kOverflowColour] + sizes[1][kOverflowColour];
  order.assign(total, kEmptyLane);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint8_t const colour = colour_at(i);
    if (colour == kNoColour) continue;
    std::uint32_t& place = places[is_special(i) ? 1 : 0][colour];
    order[place] = static_cast<std::uint32_t>(i);
    if (colour == kOverflowColour) ranges.push_back({place / lanes, place / lanes + 1});  // one by one, in their order
    place += colour == kOverflowColour ? lanes : 1;
  }
  return layout;
}

}  // namespace takt
