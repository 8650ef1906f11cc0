// StatePath names a node of a state's hash tree (sim/comparison/hash_tree.h): the world, one of its nine
// parts, a block of 64 records of a list, or one record. parse_path() and path_text() convert it from and to
// text, such as "world/bodies/body.record/0/17". A path of the right form may name a node that a state lacks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "takt/core/result.h"

namespace takt::sim {

/// A path, an answer or a line that is malformed: the place, the text and the remedy.
struct ComparisonError {
  std::string text;
};
[[nodiscard]] inline const std::string& message(const ComparisonError& error) noexcept { return error.text; }

/// Children of the world, in the order of their hashes.
enum class StatePart : std::uint8_t {
  kSettings,
  kBodies,
  kShapes,
  kContacts,
  kJoints,
  kRopes,
  kMovers,
  kSim,
  kGame,
};
inline constexpr std::size_t kStatePartCount = 9;
inline constexpr std::size_t kRecordsPerBlock = 64;
inline constexpr std::size_t kMaxListNameBytes = 64;

[[nodiscard]] std::string_view name_of(StatePart part) noexcept;
/// The part that a list belongs to; none for a list that no state has. The part of a nested list is that of
/// its first word: "hull.corner" belongs to the shapes as "hull" does.
[[nodiscard]] std::optional<StatePart> part_of(std::string_view list) noexcept;

enum class StateDepth : std::uint8_t { kWorld, kPart, kBlock, kRecord };

struct StatePath {
  StateDepth depth = StateDepth::kWorld;
  StatePart part = StatePart::kSettings;  ///< below the world
  std::string list;                       ///< below a part
  std::uint64_t block = 0;                ///< below a part; records 64 x block to 64 x block + 63
  std::uint32_t record = 0;               ///< below a block: 0 to 63
  friend bool operator==(const StatePath&, const StatePath&) = default;
};

[[nodiscard]] std::string path_text(const StatePath& path);
/// Errors name the word that is wrong.
[[nodiscard]] Result<StatePath, ComparisonError> parse_path(std::string_view text);

/// A decimal number without sign and leading zeros, at most `max`.
[[nodiscard]] std::optional<std::uint64_t> parse_count(std::string_view text, std::uint64_t max) noexcept;
/// Lower-case letters, digits, '_', '.', '[' and ']'; at most kMaxListNameBytes and not empty.
[[nodiscard]] bool is_state_name(std::string_view text) noexcept;

}  // namespace takt::sim
