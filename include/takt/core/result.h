// Result<T, E> holds a value or an error. Functions return a Result where bad input or the environment can
// make them fail. Result throws nothing, and allocates nothing besides what T and E allocate. Reading the
// absent side is a bug of the caller and asserts. Unit is the T of a Result without a value.
#pragma once

#include <utility>
#include <variant>

#include "takt/core/assert.h"

namespace takt {

/// The value type of a Result that returns nothing on success.
struct Unit {
  friend bool operator==(Unit, Unit) = default;
};

/// Holds either a T or an E. T and E must be different types.
template <class T, class E>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: implicit on purpose
  Result(E error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit on purpose

  [[nodiscard]] bool ok() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }

  /// Returns the value. Asserts that there is one.
  [[nodiscard]] T& value() & {
    TAKT_ASSERT(ok());
    return *std::get_if<0>(&state_);
  }
  [[nodiscard]] const T& value() const& {
    TAKT_ASSERT(ok());
    return *std::get_if<0>(&state_);
  }
  [[nodiscard]] T&& value() && {
    TAKT_ASSERT(ok());
    return std::move(*std::get_if<0>(&state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  /// Returns the error. Asserts that there is one.
  [[nodiscard]] const E& error() const& {
    TAKT_ASSERT(!ok());
    return *std::get_if<1>(&state_);
  }
  [[nodiscard]] E&& error() && {
    TAKT_ASSERT(!ok());
    return std::move(*std::get_if<1>(&state_));
  }

 private:
  std::variant<T, E> state_;
};

}  // namespace takt
