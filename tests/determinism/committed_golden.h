// Reads the golden tables of the source tree, for tests.
#pragma once

#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "tests/determinism/chronicle.h"
#include "tests/determinism/golden_tables.h"

namespace takt::determinism {

/// The committed table; nothing when it is missing or is none.
inline std::optional<GoldenTable> read_golden(const Stage& stage, bool with_players) {
  std::ifstream in(std::string(TAKT_SOURCE_DIR) + "/tests/determinism/golden/" +
                   golden_name(stage, with_players));
  if (!in) return std::nullopt;
  std::string const text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  return parse_golden(text);
}

}  // namespace takt::determinism
