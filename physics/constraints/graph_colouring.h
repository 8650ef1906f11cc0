// colour_pairs() assigns constraints (contacts, batched point joints) to at most 64 graph colours;
// constraints of one colour share no body that impulses move. A colour may therefore be solved in any order,
// in SIMD lanes or by several threads, with equal bits. A constraint without a free colour is solved by
// itself, after all colours (kOverflowColour). assign_to_blocks() then distributes the constraints of each
// colour to blocks of several lanes. Both functions depend on their arguments alone: the sorted constraints,
// then their colours and the lane count. The sizes of the colours are not balanced.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "takt/core/assert.h"

namespace takt {

/// One bit of a 64-bit mask each. A change changes results.
inline constexpr std::uint32_t kColourCount = 64;
/// No colour was free: the constraint is solved by itself, after all colours, in the order of the
/// constraints.
inline constexpr std::uint8_t kOverflowColour = 64;

/// Solver indices of the two bodies of a constraint; kNoBody for a body that impulses do not move.
struct ColouredPair {
  std::uint32_t body_a;
  std::uint32_t body_b;
};
inline constexpr std::uint32_t kNoBody = 0xffffffffu;

/// Assigns to each pair, in order, the lowest colour that neither body has. A pair with one moving body gets
/// the highest such colour, so it is solved last, and static bodies win. At least one body of each pair
/// moves. `masks` has one zeroed word per solver body; `colours` has one entry per pair.
template <class PairAt>
void colour_pairs(std::size_t count, PairAt pair_at, std::span<std::uint64_t> masks,
                  std::span<std::uint8_t> colours) {
  TAKT_ASSERT(colours.size() >= count);
  for (std::size_t i = 0; i < count; ++i) {
    ColouredPair const pair = pair_at(i);
    TAKT_VALIDATE(pair.body_a == kNoBody || pair.body_a < masks.size());
    TAKT_VALIDATE(pair.body_b == kNoBody || pair.body_b < masks.size());
    bool const two = pair.body_a != kNoBody && pair.body_b != kNoBody;
    std::uint64_t const used = (pair.body_a != kNoBody ? masks[pair.body_a] : 0u) |
                               (pair.body_b != kNoBody ? masks[pair.body_b] : 0u);
    if (~used == 0) {
      colours[i] = kOverflowColour;
      continue;
    }
    auto const colour = two ? static_cast<unsigned>(__builtin_ctzll(~used))
                            : 63u - static_cast<unsigned>(__builtin_clzll(~used));
    std::uint64_t const bit = std::uint64_t{1} << colour;
    if (pair.body_a != kNoBody) masks[pair.body_a] |= bit;
    if (pair.body_b != kNoBody) masks[pair.body_b] |= bit;
    colours[i] = static_cast<std::uint8_t>(colour);
  }
}

/// Blocks [first, end), which may be solved concurrently.
struct BlockRange {
  std::size_t first = 0;
  std::size_t end = 0;
};

/// Result of assign_to_blocks().
struct BlockLayout {
  std::uint32_t colour_count = 0;    ///< colours with an item
  std::uint32_t overflow_count = 0;  ///< items of kOverflowColour
  std::size_t first_special = 0;     ///< index of the first block of special items; the block count if none
};

/// Entry of an order for a lane without an item.
inline constexpr std::uint32_t kEmptyLane = 0xffffffffu;

/// Assigns items to lanes: lane i % lanes of block i / lanes has item order[i], or none if that is
/// kEmptyLane. A block has items of one colour, all special or all plain. Blocks of special items follow all
/// others. A colour has a range of plain and a range of special blocks, in ascending order of colours. Then
/// each item of kOverflowColour has a block and a range of its own, in item order. colour_at(i) returns a
/// colour, is_special(i) a bool; `lanes` is above 0.
template <class ColourAt, class IsSpecial>
[[nodiscard]] BlockLayout assign_to_blocks(std::size_t count, std::uint32_t lanes, const ColourAt& colour_at,
                                           const IsSpecial& is_special, std::vector<std::uint32_t>& order,
                                           std::vector<BlockRange>& ranges) {
  // Sizes, then next indices: plain items, special items. The loops visit used colours only: small worlds
  // have few.
  TAKT_ASSERT(lanes > 0);
  std::uint32_t sizes[2][kColourCount + 1] = {};
  std::uint64_t used = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint8_t const colour = colour_at(i);
    TAKT_VALIDATE(colour <= kOverflowColour);
    ++sizes[is_special(i) ? 1 : 0][colour];
    if (colour != kOverflowColour) used |= std::uint64_t{1} << colour;
  }
  auto const padded = [lanes](std::uint32_t size) { return (size + lanes - 1) / lanes * lanes; };
  auto const for_used = [used](auto&& visit) {
    for (std::uint64_t left = used; left != 0; left &= left - 1)
      visit(static_cast<std::uint32_t>(__builtin_ctzll(left)));
  };
  std::uint32_t total = 0;
  std::uint32_t indices[2][kColourCount + 1];
  BlockLayout layout;
  for (int kind = 0; kind < 2; ++kind) {
    if (kind == 1) layout.first_special = total / lanes;
    for_used([&](std::uint32_t colour) {
      indices[kind][colour] = total;
      total += padded(sizes[kind][colour]);
    });
    indices[kind][kOverflowColour] = total;
    total += sizes[kind][kOverflowColour] * lanes;
  }
  ranges.clear();
  for_used([&](std::uint32_t colour) {
    for (int kind = 0; kind < 2; ++kind) {
      if (sizes[kind][colour] == 0) continue;
      std::uint32_t const first = indices[kind][colour];
      ranges.push_back({first / lanes, (first + padded(sizes[kind][colour])) / lanes});
    }
    ++layout.colour_count;
  });
  layout.overflow_count = sizes[0][kOverflowColour] + sizes[1][kOverflowColour];
  order.assign(total, kEmptyLane);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint8_t const colour = colour_at(i);
    std::uint32_t& index = indices[is_special(i) ? 1 : 0][colour];
    order[index] = static_cast<std::uint32_t>(i);
    if (colour == kOverflowColour)
      ranges.push_back({index / lanes, index / lanes + 1});  // one by one, in their order
    index += colour == kOverflowColour ? lanes : 1;
  }
  return layout;
}

}  // namespace takt
