// Graph colours: groups of contacts that share no body that moves, so that a group can be solved in any order, in lanes or on several threads, with the same
// bits. A pure function of the sorted contact list. It does not balance groups.
#pragma once

#include <cstdint>
#include <span>

namespace takt {

inline constexpr std::uint32_t kColourCount = 64;
/// No colour was free: solved alone, after all colours, in key order.
inline constexpr std::uint8_t kOverflowColour = 64;
/// Not solved by colours at all.
inline constexpr std::uint8_t kNoColour = 65;

/// The bodies of one contact, by the solver's place; kNoBody for a side that does not move.
struct ColouredPair {
  std::uint32_t body_a;
  std::uint32_t body_b;
};
inline constexpr std::uint32_t kNoBody = 0xffffffffu;

/// Gives each pair the first colour that neither body has yet. Pairs with one moving body take colours from the far end, so that they are solved last and
/// what does not move wins. `masks` has one zeroed word per solver place; `colours` one place per pair.
template <class PairAt>
void colour_pairs(std::size_t count, PairAt pair_at, std::span<std::uint64_t> masks, std::span<std::uint8_t> colours) {
  for (std::size_t i = 0; i < count; ++i) {
    ColouredPair const pair = pair_at(i);
    bool const two = pair.body_a != kNoBody && pair.body_b != kNoBody;
    std::uint64_t const used = (pair.body_a != kNoBody ? masks[pair.body_a] : 0u) | (pair.body_b != kNoBody ? masks[pair.body_b] : 0u);
    if (~used == 0) {
      colours[i] = kOverflowColour;
      continue;
    }
    auto const colour = two ? static_cast<unsigned>(__builtin_ctzll(~used)) : 63u - static_cast<unsigned>(__builtin_clzll(~used));
    std::uint64_t const bit = std::uint64_t{1} << colour;
    if (pair.body_a != kNoBody) masks[pair.body_a] |= bit;
    if (pair.body_b != kNoBody) masks[pair.body_b] |= bit;
    colours[i] = static_cast<std::uint8_t>(colour);
  }
}

}  // namespace takt
