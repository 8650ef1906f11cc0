#include "cli/number_option.h"

#include <charconv>
#include <string_view>

namespace takt::cli {
namespace {

std::string shortest(double value) {
  char buffer[400];
  auto const end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed);
  return {buffer, end.ptr};
}

// True when the whole text is a number.
template <class... Base>
bool parse(std::string_view text, auto& value, Base... base) {
  auto const [end, code] = std::from_chars(text.data(), text.data() + text.size(), value, base...);
  return code == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string range_text(std::uint64_t min, std::uint64_t max) {
  return std::to_string(min) + " to " + std::to_string(max);
}

std::string range_text(double min, double max) { return shortest(min) + " to " + shortest(max); }

std::string check_number(std::string& text, std::uint64_t min, std::uint64_t max) {
  bool const is_hex = text.starts_with("0x") || text.starts_with("0X");
  std::uint64_t value = 0;
  bool const is_number = is_hex ? parse(std::string_view(text).substr(2), value, 16) : parse(text, value);
  if (!is_number || value < min || value > max) return "allowed is " + range_text(min, max) + ", not " + text;
  text = std::to_string(value);
  return {};
}

std::string check_number(std::string& text, double min, double max) {
  double value = 0;
  bool const is_in = parse(text, value) && value >= min && value <= max;  // false for NaN
  return is_in ? std::string() : "allowed is " + range_text(min, max) + ", not " + text;
}

}  // namespace takt::cli
