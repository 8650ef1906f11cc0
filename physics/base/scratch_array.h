// ScratchArray is a fixed-size array on the stack whose elements are not initialised: each must be assigned
// before it is read. The narrow phase uses ScratchArray for arrays of which a pair of shapes fills a small
// part. Clearing such arrays took 14 % of a tick of 1,000 cylinders, boxes and capsules. The array and its
// elements begin their lifetimes with the bytes that hold them, since T is an implicit-lifetime type (C++20,
// [intro.object]/10 to 13).
#pragma once

#include <cstddef>
#include <new>
#include <span>
#include <type_traits>

#include "takt/core/assert.h"

namespace takt {

template <class T, std::size_t N>
class ScratchArray {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
  // An implicit-lifetime type: an aggregate or a type with a trivial constructor, and a trivial destructor.
  static_assert(std::is_scalar_v<T> || std::is_aggregate_v<T> || std::is_trivially_copy_constructible_v<T>);

 public:
  ScratchArray() noexcept {}  // NOLINT(modernize-use-equals-default): a default would clear the elements

  /// Element i, which must be below N; the index is not checked.
  [[nodiscard]] T& operator[](std::size_t i) noexcept { return values()[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept { return values()[i]; }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return N; }
  /// The first `count` elements, at most N, each of which must have been assigned.
  [[nodiscard]] std::span<const T> first(std::size_t count) const noexcept {
    TAKT_ASSERT(count <= N);
    return {values(), count};
  }

 private:
  [[nodiscard]] T* values() noexcept { return std::launder(reinterpret_cast<T*>(bytes_)); }
  [[nodiscard]] const T* values() const noexcept { return std::launder(reinterpret_cast<const T*>(bytes_)); }

  alignas(T) std::byte bytes_[N * sizeof(T)];
};

}  // namespace takt
