// Result<T, E> holds a value or an error. Functions return a Result where bad input or the environment can
// make them fail. Result throws nothing and allocates nothing of its own. A read of the value of a failed
// Result, or of the error of a successful one, is a bug of the caller and asserts. Unit is the T of a Result
// without a value.
//
// The compiler warns about a Result that a caller drops, and accepts a dropped IgnorableResult. Functions
// whose failure changes nothing return an IgnorableResult: an impulse on a body that is gone, for example.
#pragma once

#include <utility>
#include <variant>

#include "takt/core/assert.h"

namespace takt {

/// The value type of a Result that returns nothing on success.
struct Unit {
  friend bool operator==(Unit, Unit) = default;
};

/// Holds a T or an E, which must be different types. A caller that expects no error calls value(), which
/// asserts success.
template <class T, class E>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: implicit on purpose
  Result(E error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit on purpose

  [[nodiscard]] bool ok() const noexcept { return state_.index() == 0; }
  explicit operator bool() const noexcept { return ok(); }

  /// Returns the value, and so do `*` and `->`. A Result with an error asserts. The return value may be
  /// dropped: value() as a statement asserts success.
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

/// A Result that a caller may drop. A Result converts to an IgnorableResult and back.
template <class T, class E>
class IgnorableResult : public Result<T, E> {
 public:
  using Result<T, E>::Result;
  IgnorableResult(Result<T, E> result) : Result<T, E>(std::move(result)) {}  // NOLINT: implicit on purpose
};

}  // namespace takt
