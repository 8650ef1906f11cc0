// Id is a typed handle: the index of a slot in a pool, and a generation that distinguishes the slot's present
// owner from earlier owners. The tag keeps ids of bodies, joints and others apart. An Id of generation 0 is
// null. A world is saved and hashed with its pools of ids (physics/base/slot_pool.h). So equal histories give
// equal ids on every machine.
//
// ByteWriter and ByteReader (bytes.h) encode an Id as a number of 64 bits, and to_string() writes this number
// in decimal. std::hash makes an Id a key of unordered containers. A Game must not iterate over unordered
// containers: their order differs between standard libraries.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace takt {

/// An index and a generation, typed by Tag so that ids of different kinds do not mix. Pools begin with
/// generation 1, so a value-initialised Id is null. Ids order by index, then generation.
template <class Tag>
struct Id {
  std::uint32_t index = 0;       ///< slot in the pool, counts from 0
  std::uint32_t generation = 0;  ///< 0 = null

  [[nodiscard]] constexpr bool is_null() const noexcept { return generation == 0; }
  explicit constexpr operator bool() const noexcept { return generation != 0; }

  /// Returns the generation in the upper and the index in the lower 32 bits; Id{} gives 0. Wire messages and
  /// files use this form.
  [[nodiscard]] constexpr std::uint64_t to_u64() const noexcept {
    return (std::uint64_t{generation} << 32) | index;
  }
  /// The inverse of to_u64(), without a check: the Id may name nothing.
  [[nodiscard]] static constexpr Id from_u64(std::uint64_t bits) noexcept {
    return Id{static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)};
  }

  friend constexpr auto operator<=>(const Id&, const Id&) = default;
};

/// Returns to_u64() in decimal, as JSON, the tools and log lines have it: "4294967303" for index 7,
/// generation 1. Id{} gives "0". JSON has it as a string: JavaScript rounds numbers above 2^53.
template <class Tag>
[[nodiscard]] std::string to_string(Id<Tag> id) {
  return std::to_string(id.to_u64());
}

}  // namespace takt

namespace std {
/// Multiplicative hashing (Knuth, The Art of Computer Programming, volume 3, section 6.4), so that ids of one
/// index and ids of one generation spread over tables of any size. No saved or sent value depends on it.
template <class Tag>
struct hash<takt::Id<Tag>> {
  [[nodiscard]] constexpr size_t operator()(takt::Id<Tag> id) const noexcept {
    uint64_t const product = id.to_u64() * 0x9e3779b97f4a7c15u;  // 2^64 divided by the golden ratio
    return static_cast<size_t>(product ^ (product >> 32u));
  }
};
}  // namespace std
