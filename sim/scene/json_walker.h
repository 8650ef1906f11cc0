// walk_json() makes one pass over JSON text and calls a JsonVisitor for every value, with the value's path
// and line. Visitors check the text (schema_check.h) and insert files (scene_files.h); line_of_path() finds
// the line for a message. walk_json() also defines Takt's dialect: JSON with // and /* */ comments and
// trailing commas, where names and enum words are strings in double quotes. Extensions of the FlatBuffers
// parser, which runs afterwards, are refused: sin(1), hexadecimal, nan, unquoted names. walk_json() builds no
// tree and converts no number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace takt::sim {

/// Deepest nesting of arrays and objects; deeper text is a fault. A scene needs 8.
inline constexpr std::size_t kMaxJsonDepth = 32;

enum class JsonKind : std::uint8_t { kObject, kArray, kString, kNumber, kBoolean, kNull };

/// One step of a path: a name in an object or an index in an array.
struct JsonSegment {
  std::string_view name;    ///< as written, escapes included; empty in arrays
  std::uint32_t index = 0;  ///< counts from 0, in arrays
  bool in_array = false;
};

/// "bodies[3].shapes[0].density"; the whole text is "".
[[nodiscard]] std::string to_string(std::span<const JsonSegment> path);

struct JsonFault {
  std::uint32_t line = 1;  ///< counts from 1
  std::string text;
};

class JsonVisitor {
 public:
  virtual ~JsonVisitor() = default;
  /// A value begins on `line`. `token` is a part of the text: a string without its quotes, a number, boolean
  /// or null, or the bracket that begins an object or array. `path` is valid during the call. False
  /// ends the walk.
  virtual bool enter(std::span<const JsonSegment> path, JsonKind kind, std::string_view token,
                     std::uint32_t line) = 0;
  /// An object or array with `child_count` members ends on `line`. False ends the walk.
  virtual bool leave(std::span<const JsonSegment> path, JsonKind kind, std::uint32_t child_count,
                     std::uint32_t line) = 0;
};

/// Walks the text, which is one value. Returns the first syntax fault. Returns none when there is none, or
/// the visitor ended the walk before it.
[[nodiscard]] std::optional<JsonFault> walk_json(std::string_view text, JsonVisitor& visitor);

/// The line on which the value of `path` (in to_string's form) begins. Without that value the line of its
/// nearest ancestor in the text, at least 1.
[[nodiscard]] std::uint32_t line_of_path(std::string_view text, std::string_view path);

}  // namespace takt::sim
