// These functions write parts of the JSON text of a random scene: decimal numbers, vectors and fields.
// Lengths are whole millimetres, and other integers are thousandths of their unit, so decimal() does not
// round. The functions escape no characters in strings.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace takt::sim {

/// A vector of thousandths: mm, mm/s, mrad/s or 1/1000 degree.
struct Milli3 {
  std::int64_t x = 0;
  std::int64_t y = 0;
  std::int64_t z = 0;
  friend bool operator==(const Milli3&, const Milli3&) = default;
};
[[nodiscard]] constexpr Milli3 operator+(const Milli3& a, const Milli3& b) noexcept {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}

/// The number of thousandths in its unit: -1250 becomes "-1.25".
[[nodiscard]] std::string decimal(std::int64_t thousandths);
/// A number in [0, 1e12), rounded to millionths by correctly rounded operations alone.
[[nodiscard]] std::string decimal_of(double value);
/// "[1, 2.5, -3]" for {1000, 2500, -3000}.
[[nodiscard]] std::string vector_text(const Milli3& v);
/// The name in quotes, a colon and the value: "name": value.
[[nodiscard]] std::string field(std::string_view name, std::string_view value);
/// field() with quotes about the value.
[[nodiscard]] std::string text_field(std::string_view name, std::string_view value);

}  // namespace takt::sim
