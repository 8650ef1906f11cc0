// LaneTables has one table of kernels per float lane width (1, 4, 8, 16). choose() returns the table of the
// requested width; width 0 leaves the width to the CPU and the number of contacts or joints. Contacts, point
// joints and joint trees of float mode each own such tables. has_avx2(), has_avx512() and has_ifma() check
// that the CPU can run the sources compiled for these extensions. widest_lanes() returns the widest float
// lanes that this CPU runs well.
#pragma once

#include <cstddef>
#include <cstdint>

#include "takt/core/assert.h"

namespace takt {

// On x86-64: true if the CPU has every extension that the kernel sources of that name are built for
// (physics/CMakeLists.txt). Elsewhere those sources hold portable vector code: has_avx2() and has_avx512()
// are true, has_ifma() is false.
[[nodiscard]] bool has_avx2() noexcept;
[[nodiscard]] bool has_avx512() noexcept;
[[nodiscard]] bool has_ifma() noexcept;

/// Up to this many contacts or joints are solved in one lane: blocks of several lanes would be nearly empty.
/// A change of it costs time, never a bit.
inline constexpr std::size_t kMaxItemsForOneLane = 3;
/// From this many contacts or joints on, colours fill blocks of 16 lanes. A change of it costs time, never a
/// bit.
inline constexpr std::size_t kMinItemsForSixteenLanes = 512;

/// The widest float lanes, at most `max`, that this CPU runs well: 4, 8 or 16. `max` is 4, 8 or 16
/// (asserted). CPUs other than x86-64 get 4.
[[nodiscard]] std::uint32_t widest_lanes(std::uint32_t max) noexcept;

/// One table of kernels per float lane width.
template <class Table>
struct LaneTables {
  Table one;
  Table four;
  Table eight;
  Table sixteen;

  /// Null for other widths than 1, 4, 8 and 16.
  [[nodiscard]] const Table* of_width(std::uint32_t lanes) const noexcept {
    switch (lanes) {
      case 1: return &one;
      case 4: return &four;
      case 8: return &eight;
      case 16: return &sixteen;
      default: return nullptr;
    }
  }
  /// The table of width `lanes` (1, 4, 8 or 16), or for 0 the widest that suits `count` contacts or joints.
  /// Other widths fail a validation, and count as 0 without it.
  [[nodiscard]] const Table& choose(std::uint32_t lanes, std::size_t count) const noexcept {
    if (const Table* const table = of_width(lanes)) return *table;
    TAKT_VALIDATE(lanes == 0);
    if (count <= kMaxItemsForOneLane) return one;
    const Table* const widest = of_width(widest_lanes(count >= kMinItemsForSixteenLanes ? 16 : 8));
    TAKT_VALIDATE(widest != nullptr);
    return *widest;
  }
};

}  // namespace takt
