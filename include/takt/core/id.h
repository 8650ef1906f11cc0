// Id is a typed handle: the index of a slot in a pool, and a generation that distinguishes the slot's present
// owner from earlier owners. The tag keeps ids of bodies, joints and others apart. The all-zero Id is null.
// The pools of a world (physics/base/slot_pool.h) are saved and hashed with it, so equal histories give equal
// ids on every machine.
#pragma once

#include <compare>
#include <cstdint>

namespace takt {

/// An index and a generation, typed by Tag so that ids of different kinds do not mix. Generations start at 1,
/// so a value-initialised id never names anything. Ids order by index, then generation.
template <class Tag>
struct Id {
  std::uint32_t index = 0;       ///< slot in the pool, counts from 0
  std::uint32_t generation = 0;  ///< 0 = null

  [[nodiscard]] constexpr bool is_null() const noexcept { return generation == 0; }
  explicit constexpr operator bool() const noexcept { return generation != 0; }

  /// Generation in the upper, index in the lower 32 bits; null is 0. The wire and every file use this form.
  [[nodiscard]] constexpr std::uint64_t to_u64() const noexcept {
    return (std::uint64_t{generation} << 32) | index;
  }
  [[nodiscard]] static constexpr Id from_u64(std::uint64_t bits) noexcept {
    return Id{static_cast<std::uint32_t>(bits), static_cast<std::uint32_t>(bits >> 32)};
  }

  friend constexpr auto operator<=>(const Id&, const Id&) = default;
};

}  // namespace takt
