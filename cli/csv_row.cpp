#include "cli/csv_row.h"

namespace takt::cli {

std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (char const c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

void append_real(std::string& row, double value, NumbersMode numbers) {
  if (numbers == NumbersMode::kFloat) {
    append_column(row, static_cast<float>(value));
  } else {
    append_column(row, value);
  }
}

}  // namespace takt::cli
