// The functions of this file append values to a row of CSV text. Numbers are the shortest text that reads
// back as the same value, independent of the locale. BodyTable and the table of `takt batch` use them.
#pragma once

#include <charconv>
#include <string>

#include "takt/physics/world_def.h"

namespace takt::cli {

/// Returns the field of a text, quoted as RFC 4180 does if it has a comma, a quote or a line end.
[[nodiscard]] std::string csv_text(const std::string& text);

/// Appends a number without a comma.
template <class Number>
void append_number(std::string& row, Number value) {
  char buffer[32];
  auto const end = std::to_chars(buffer, buffer + sizeof buffer, value);
  row.append(buffer, end.ptr);
}

/// Appends a comma and a number.
template <class Number>
void append_column(std::string& row, Number value) {
  row += ',';
  append_number(row, value);
}

/// Appends a comma and a number of a world. A float of float mode has a shorter text than its double.
void append_real(std::string& row, double value, NumbersMode numbers);

/// Metres of a coordinate in Q31.32. The conversion rounds to 53 bits.
[[nodiscard]] constexpr double metres_of(std::int64_t raw) { return static_cast<double>(raw) * 0x1p-32; }

}  // namespace takt::cli
