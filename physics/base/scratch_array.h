// ScratchArray is a fixed-size array on the stack whose elements are not initialised: each must be assigned
// before it is read. The narrow phase uses it for arrays of which a pair of shapes fills a small part; to
// clear them took 14 % of a tick of 1,000 cylinders, boxes and capsules.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>

#include "takt/core/assert.h"

namespace takt {

template <class T, std::size_t N>
class ScratchArray {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  ScratchArray() noexcept {}  // NOLINT(modernize-use-equals-default): a default would clear the elements

  [[nodiscard]] T& operator[](std::size_t i) noexcept { return values_[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return values_[i]; }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return N; }
  /// The first `count` elements, which must be assigned.
  [[nodiscard]] std::span<const T> first(std::size_t count) const noexcept {
    TAKT_ASSERT(count <= N);
    return {values_, count};
  }

 private:
  union {
    T values_[N];
  };
};

}  // namespace takt
