// A chronicle: what a run was at every tick (size of the state's encoding, hash, and a digest chained over
// all hashes so far), and the golden tables on disk that runs are held to. Two chronicles are compared so
// that the first bad tick is named, and a change of encoding is told from one of values.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "takt/sim/simulation.h"

namespace takt::determinism {

/// Golden rows stand this many ticks apart.
inline constexpr std::uint64_t kRowTicks = 50;

struct Mark {
  std::uint64_t tick = 0;
  std::uint64_t bytes = 0;   ///< of the saved image; 0 = not taken at this tick
  std::uint64_t hash = 0;    ///< of the state
  std::uint64_t chain = 0;   ///< digest of the chain before, this hash and these events
  std::uint64_t events = 0;  ///< digest of what the last step reported, in its order; 0 = nothing
};

class Chronicle {
 public:
  /// Adds the state that `simulation` is in and the events of the step that led there. Ticks must come in
  /// order, without gaps.
  void note(const sim::Simulation& simulation);
  /// Formats numbers the same way, for tables.
  void note(std::uint64_t tick, std::uint64_t hash, std::uint64_t bytes, std::uint64_t events = 0);

  [[nodiscard]] const std::vector<Mark>& marks() const noexcept { return marks_; }
  [[nodiscard]] std::uint64_t ticks() const noexcept { return marks_.empty() ? 0 : marks_.back().tick; }

 private:
  std::vector<Mark> marks_;
};

/// Empty when `run` agrees with `expected` over the ticks that both have; else one line that names the first
/// bad tick and what is wrong there.
[[nodiscard]] std::string first_difference(const Chronicle& expected, const Chronicle& run);

/// A golden table: rows of (tick, bytes, chained digest) and, for the ticks between, the last 16 bits of each
/// hash.
struct GoldenRow {
  std::uint64_t tick = 0;
  std::uint64_t bytes = 0;
  std::uint64_t chain = 0;
  std::vector<std::uint16_t> fingerprints;  ///< of the ticks after the row before, up to this one
};
struct GoldenTable {
  std::uint64_t scene_hash = 0;
  std::vector<GoldenRow> rows;
};

/// The text of a golden file. `name` goes into its first line.
[[nodiscard]] std::string to_text(const GoldenTable& table, std::string_view name);
/// None when the text is not a golden file.
[[nodiscard]] std::optional<GoldenTable> parse_golden(std::string_view text);
[[nodiscard]] GoldenTable to_golden(const Chronicle& run, std::uint64_t scene_hash);
/// As first_difference, against a table: rows past the end of `run` are not looked at.
[[nodiscard]] std::string first_difference(const GoldenTable& expected, const Chronicle& run);

}  // namespace takt::determinism
