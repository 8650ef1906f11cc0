// Texts of refused edits. A NumberRange has the numbers of an argument of takt.h and the range that the rules
// of commands (sim/commands) and the engine check. refuse() names the first number that is outside of its
// range, with its place, value and range. The rules decide; a NumberRange is read after a refusal and changes
// the text alone. The checks of whole numbers and positions are here too, because commands cannot hold wrong
// ones.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string_view>

#include "takt/c/takt.h"
#include "takt/physics/vector.h"
#include "takt/sim/error.h"

namespace takt::c {

/// A line of text in a buffer of its own: a failure needs no memory of the heap. It cuts what is too long.
class FailureLine {
 public:
  FailureLine& operator<<(std::string_view text) noexcept;
  /// The shortest text of the number; independent of the locale.
  FailureLine& operator<<(double number) noexcept;
  FailureLine& operator<<(std::uint64_t number) noexcept;
  [[nodiscard]] std::string_view text() const noexcept { return {text_.data(), used_}; }

 private:
  std::array<char, 256> text_{};
  std::size_t used_ = 0;
};

inline constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinite = std::numeric_limits<double>::infinity();

struct NumberRange {
  enum class Rule : std::uint8_t {
    kWithin,   ///< low <= number <= high
    kAbove,    ///< low < number <= high
    kNotZero,  ///< as kWithin, and not 0
    kLength,   ///< the length of the vector is at most high
    kUnit,     ///< the length of the quaternion is 1 within 1 %
  };
  std::string_view name;            ///< as in takt.h
  std::span<const double> numbers;  ///< as the caller gave them; empty = none was given
  double low = -kInfinite;
  double high = kInfinite;
  Rule rule = Rule::kWithin;
  double also = kNoNumber;   ///< a number beside the range: infinity for no bound, 0 for a rigid softness
  bool is_binary32 = false;  ///< the command has the rounded number

  /// Writes which number is outside and what is allowed; false when all are inside.
  [[nodiscard]] bool name_outside(FailureLine& line) const noexcept;
};

[[nodiscard]] inline NumberRange within(std::string_view name, const double& value, double low,
                                        double high) noexcept {
  return {name, std::span(&value, 1), low, high};
}
[[nodiscard]] inline NumberRange above(std::string_view name, const double& value, double low,
                                       double high) noexcept {
  return {name, std::span(&value, 1), low, high, NumberRange::Rule::kAbove};
}
/// Each of `count` numbers within +-high. Null `values` are none.
[[nodiscard]] inline NumberRange each_within(std::string_view name, const double* values, std::size_t count,
                                             double high) noexcept {
  return {name, std::span(values, values == nullptr ? 0 : count), -high, high};
}
/// A vector of a command of binary32 numbers. Null `values` are none.
[[nodiscard]] inline NumberRange length_within(std::string_view name, const double* values,
                                               double high) noexcept {
  std::span const numbers(values, values == nullptr ? 0u : 3u);
  return {name, numbers, 0, high, NumberRange::Rule::kLength, kNoNumber, true};
}
/// A quaternion. Null `values` are none.
[[nodiscard]] inline NumberRange unit_length(std::string_view name, const double* values) noexcept {
  return {name, std::span(values, values == nullptr ? 0u : 4u), 1, 1, NumberRange::Rule::kUnit};
}
/// A frequency or damping ratio of a Softness.
[[nodiscard]] inline NumberRange softness_within(std::string_view name, const double& value) noexcept {
  return {name, std::span(&value, 1), 1e-12, 1e15, NumberRange::Rule::kWithin, 0.0};
}
/// The range, or none when its numbers were not given.
[[nodiscard]] inline NumberRange if_given(bool is_given, NumberRange range) noexcept {
  if (!is_given) range.numbers = {};
  return range;
}
/// The range of a command of binary32 numbers.
[[nodiscard]] inline NumberRange binary32(NumberRange range) noexcept {
  range.is_binary32 = true;
  return range;
}

/// Returns the status of the refusal, TAKT_OK for kNone, with the text of the first number outside of its
/// range. Without one the text is `otherwise`, or that of message() when it is empty.
takt_status refuse(sim::Refusal refusal, std::initializer_list<NumberRange> ranges,
                   std::string_view otherwise = {}) noexcept;
/// Returns the status of the refusal with the text of `line`.
takt_status refuse(sim::Refusal refusal, const FailureLine& line) noexcept;

/// Writes "<name> is <value>: allowed is <low> to <high>".
[[nodiscard]] FailureLine whole_outside(std::string_view name, std::uint64_t value, std::uint64_t low,
                                        std::uint64_t high) noexcept;
/// Fails with TAKT_ERROR_RANGE for a whole number outside of [low, high]. `names` follows the range:
/// "TAKT_BODY_STATIC to TAKT_BODY_DYNAMIC".
[[nodiscard]] takt_status check_whole(std::string_view name, std::uint64_t value, std::uint64_t low,
                                      std::uint64_t high, std::string_view names = {}) noexcept;
/// Fails with TAKT_ERROR_RANGE for a coordinate that is not finite or beyond the limit of commands. `row` is
/// the index of the position in a list.
[[nodiscard]] takt_status read_position(std::string_view name, const double* p, Position& out,
                                        const std::size_t* row = nullptr) noexcept;

}  // namespace takt::c
