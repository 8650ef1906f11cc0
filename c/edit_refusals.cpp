#include "c/edit_refusals.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "c/call.h"
#include "c/edit_values.h"
#include "takt/physics/bounds.h"

namespace takt::c {
namespace {

bool is_finite(double number) noexcept { return number - number == 0.0; }

double length_of(std::span<const double> numbers, bool is_binary32) noexcept {
  double square = 0;
  for (double const number : numbers) {
    double const part = is_binary32 ? static_cast<double>(narrow(number)) : number;
    square += part * part;
  }
  return std::sqrt(square);
}

// Refusals that a number may be the reason of.
bool is_about_number(sim::Refusal refusal) noexcept {
  switch (refusal) {
    case sim::Refusal::kNotFinite:
    case sim::Refusal::kOutOfRange:
    case sim::Refusal::kBadSoftness:
    case sim::Refusal::kBadCoupling: return true;
    default: return false;
  }
}

takt_status status_of(sim::Refusal refusal) noexcept {
  return TAKT_ERROR_REFUSED + static_cast<takt_status>(refusal);
}

}  // namespace

FailureLine& FailureLine::operator<<(std::string_view text) noexcept {
  std::size_t const count = std::min(text.size(), text_.size() - used_);
  std::copy_n(text.data(), count, text_.data() + used_);
  used_ += count;
  return *this;
}

FailureLine& FailureLine::operator<<(double number) noexcept {
  if (number != number) return *this << "nan";
  if (number == kInfinite || number == -kInfinite) return *this << (number > 0 ? "infinity" : "-infinity");
  std::array<char, 32> text{};
  char const* const end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  return *this << std::string_view(text.data(), end);
}

FailureLine& FailureLine::operator<<(std::uint64_t number) noexcept {
  std::array<char, 24> text{};
  char const* const end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  return *this << std::string_view(text.data(), end);
}

bool NumberRange::name_outside(FailureLine& line) const noexcept {
  auto const value_of = [&](double number) {
    return is_binary32 ? static_cast<double>(narrow(number)) : number;
  };
  auto const name_number = [&](std::size_t i, double value) {
    line << name;
    if (numbers.size() > 1) line << "[" << std::uint64_t{i} << "]";
    line << " is " << value << ": allowed is ";
  };
  if (numbers.empty()) return false;
  if (rule == Rule::kLength || rule == Rule::kUnit) {
    double const length = length_of(numbers, is_binary32);
    // The tolerance is that of the rules of commands: a published speed at its limit is above it by rounding.
    double const square = length * length;
    bool const is_inside = rule == Rule::kUnit
                               ? square >= 0.99 * 0.99 * (1.0 - 1e-6) && square <= 1.01 * 1.01 * (1.0 + 1e-6)
                               : square <= high * high * (1.0 + 1e-6);
    if (is_inside) return false;
    auto const wrong =
        std::ranges::find_if(numbers, [&](double number) { return !is_finite(value_of(number)); });
    if (wrong != numbers.end())
      name_number(static_cast<std::size_t>(wrong - numbers.begin()), *wrong);
    else
      line << name << " is " << length << " long: allowed is ";
    if (rule == Rule::kUnit)
      line << "a length of 1 within 1 %";
    else
      line << "a length of at most " << high;
    return true;
  }
  auto const is_inside = [&](double value) {
    bool const is_in_range =
        is_at_most(value, high) && (rule == Rule::kAbove ? value > low : is_at_least(value, low));
    return (is_in_range && !(rule == Rule::kNotZero && value == 0.0)) || value == also;
  };
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    double const value = value_of(numbers[i]);
    if (is_inside(value)) continue;
    // A number may be outside by its rounding alone, as one that rounds to 0: the text then shows that.
    name_number(i, is_inside(numbers[i]) ? value : numbers[i]);
    if (rule == Rule::kAbove)
      line << "above " << low;
    else
      line << low;
    if (high < kInfinite)
      line << (rule == Rule::kAbove ? " and at most " : " to ") << high;
    else if (rule != Rule::kAbove)
      line << " or more";
    if (rule == Rule::kNotZero) line << " without 0";
    if (also == also) line << ", or " << also;
    return true;
  }
  return false;
}

takt_status refuse(sim::Refusal refusal, std::initializer_list<NumberRange> ranges,
                   std::string_view otherwise) noexcept {
  if (!is_about_number(refusal)) return fail(refusal);
  FailureLine line;
  for (const NumberRange& range : ranges) {
    if (range.name_outside(line)) return refuse(refusal, line);
  }
  return otherwise.empty() ? fail(refusal) : fail(status_of(refusal), otherwise);
}

takt_status refuse(sim::Refusal refusal, const FailureLine& line) noexcept {
  return fail(status_of(refusal), line.text());
}

FailureLine whole_outside(std::string_view name, std::uint64_t value, std::uint64_t low,
                          std::uint64_t high) noexcept {
  FailureLine line;
  line << name << " is " << value << ": allowed is " << low << " to " << high;
  return line;
}

takt_status check_whole(std::string_view name, std::uint64_t value, std::uint64_t low, std::uint64_t high,
                        std::string_view names) noexcept {
  if (value >= low && value <= high) return TAKT_OK;
  FailureLine line = whole_outside(name, value, low, high);
  if (!names.empty()) line << ", " << names;
  return fail(TAKT_ERROR_RANGE, line.text());
}

takt_status read_position(std::string_view name, const double* p, Position& out,
                          const std::size_t* row) noexcept {
  if (read_position(p, out)) return TAKT_OK;
  FailureLine named;
  named << name;
  if (row != nullptr) named << "[" << std::uint64_t{*row} << "]";
  FailureLine line;
  (void)each_within(named.text(), p, 3, static_cast<double>(sim::kMaxCommandCoordinateM)).name_outside(line);
  return fail(TAKT_ERROR_RANGE, line.text());
}

}  // namespace takt::c
