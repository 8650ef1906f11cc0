#include "sim/random_scene/scene_text.h"

namespace takt::sim {
namespace {

std::string fraction_text(std::uint64_t digits, std::size_t width) {
  std::string text = std::to_string(digits);
  text.insert(0, width - text.size(), '0');
  while (text.back() == '0') text.pop_back();
  return '.' + text;
}

}  // namespace

std::string decimal(std::int64_t thousandths) {
  auto const size = static_cast<std::uint64_t>(thousandths < 0 ? -thousandths : thousandths);
  std::string text = thousandths < 0 ? "-" : "";
  text += std::to_string(size / 1000);
  if (size % 1000 != 0) text += fraction_text(size % 1000, 3);
  return text;
}

std::string decimal_of(double value) {
  double const scaled = value * 1e6;
  auto millionths = static_cast<std::uint64_t>(scaled);
  if (scaled - static_cast<double>(millionths) >= 0.5) ++millionths;
  std::string text = std::to_string(millionths / 1'000'000);
  if (millionths % 1'000'000 != 0) text += fraction_text(millionths % 1'000'000, 6);
  return text;
}

std::string vector_text(const Milli3& v) {
  return '[' + decimal(v.x) + ", " + decimal(v.y) + ", " + decimal(v.z) + ']';
}

std::string field(std::string_view name, std::string_view value) {
  std::string text = "\"";
  text += name;
  text += "\": ";
  text += value;
  return text;
}

std::string text_field(std::string_view name, std::string_view value) {
  return field(name, '"' + std::string(value) + '"');
}

}  // namespace takt::sim
