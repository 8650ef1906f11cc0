// Result<T, E> holds a value or an error. Functions return a Result where bad input or the environment can
// make them fail. Result throws nothing, and allocates nothing besides what T and E allocate. Reading the
// absent side is a bug of the caller and asserts. Unit is the T of a Result without a value.
//
// The compiler warns about a Result that a caller drops. It accepts a dropped IgnorableResult, which calls
// return whose failure changes nothing and leaves nothing open, such as a push of a body that is gone.
#pragma once

#include <utility>
#include <variant>

#include "takt/core/assert.h"

namespace takt {

/// The value type of a Result that returns nothing on success.
struct Unit {
  friend bool operator==(Unit, Unit) = default;
};

/// Holds a T or an E, which must be different types. Dropping one is a bug. Where an error cannot occur, use
/// value(), which asserts it.
template <class T, class E>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: implicit on purpose
  Result(E error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit on purpose

  [[nodiscard]] bool ok() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }

  /// Returns the value. Asserts that there is one, so a call for the assertion alone is fine.
  T& value() & {
    TAKT_ASSERT(ok());
    return *std::get_if<0>(&state_);
  }
  const T& value() const& {
    TAKT_ASSERT(ok());
    return *std::get_if<0>(&state_);
  }
  T&& value() && {
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

/// A Result that a caller may drop. It converts to and from Result.
template <class T, class E>
class IgnorableResult : public Result<T, E> {
 public:
  using Result<T, E>::Result;
  IgnorableResult(Result<T, E> result) : Result<T, E>(std::move(result)) {}  // NOLINT: implicit on purpose
};

}  // namespace takt
