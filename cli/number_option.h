// add_number() declares an option with a number and its range. A text outside of the range, or one that is no
// number, is refused with the range: "--hz: allowed is 1 to 1000, not 0". Integers are decimal, or
// hexadecimal with 0x; the help text shows the range. Options of all commands use add_number().
// check_number() is the check alone, for options that also take words such as "auto".
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>

namespace takt::cli {

/// Maximum number of ticks that an option takes: 580 years at 60 Hz. Sums of a few stay within 64 bits.
inline constexpr std::uint64_t kMaxTicks = std::uint64_t{1} << 40u;

/// Maximum duration in real time that an option takes: 31 years.
inline constexpr double kMaxSeconds = 1e9;

/// Returns an empty text if `text` is a number in [min, max]. Otherwise returns "allowed is <min> to <max>,
/// not <text>". The first form rewrites a good `text` in decimal without leading zeros.
[[nodiscard]] std::string check_number(std::string& text, std::uint64_t min, std::uint64_t max);
[[nodiscard]] std::string check_number(std::string& text, double min, double max);

/// Returns "<min> to <max>".
[[nodiscard]] std::string range_text(std::uint64_t min, std::uint64_t max);
[[nodiscard]] std::string range_text(double min, double max);

template <class T>
struct NumberIn {
  using Type = T;
};
template <class T>
struct NumberIn<std::optional<T>> {
  using Type = T;
};

/// Declares the option or positional `name`. Parsing stores its number in `value`, which must outlive the
/// parsing. `value` is a number or an optional number; without the option it stays as it is.
template <class Value>
CLI::Option* add_number(CLI::App& app, const std::string& name, Value& value,
                        typename NumberIn<Value>::Type min, typename NumberIn<Value>::Type max,
                        const std::string& description) {
  using T = typename NumberIn<Value>::Type;
  using Wide = std::conditional_t<std::is_floating_point_v<T>, double, std::uint64_t>;
  auto const check = [min, max](std::string& text) {
    return check_number(text, static_cast<Wide>(min), static_cast<Wide>(max));
  };
  std::string const range = range_text(static_cast<Wide>(min), static_cast<Wide>(max));
  return app.add_option(name, value, description)->transform(CLI::Validator(check, range, "range"));
}

}  // namespace takt::cli
