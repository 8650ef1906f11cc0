// SchemaCheck is a JsonVisitor that checks JSON against a FlatBuffers schema while walk_json() walks the
// text. Faults are unknown and repeated names, unknown words of an enum, the wrong kind of value, and the
// wrong number of elements of a struct. A fraction or minus sign that an integer field cannot have is a
// fault, too. Other ranges of numbers are not checked. parse_json() (schema_json.h) uses SchemaCheck before
// FlatBuffers' parser converts the text. Takt's JSON schemas have no unions, and SchemaCheck has no support
// for them.
#pragma once

#include <flatbuffers/idl.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/scene/json_walker.h"

namespace takt::sim {

class SchemaCheck final : public JsonVisitor {
 public:
  /// `root` is the type of the whole text; it must outlive the check. A SchemaCheck is for one walk.
  explicit SchemaCheck(flatbuffers::StructDef& root);

  bool enter(std::span<const JsonSegment> path, JsonKind kind, std::string_view token,
             std::uint32_t line) override;
  bool leave(std::span<const JsonSegment> path, JsonKind kind, std::uint32_t child_count,
             std::uint32_t line) override;

  /// The fault that ended the walk, with its line and path. None while the text fits the schema, or when
  /// walk_json() itself found a fault.
  [[nodiscard]] const std::optional<JsonFault>& fault() const noexcept { return fault_; }

 private:
  struct Level {
    flatbuffers::Type type;
    std::uint32_t line = 1;
    std::set<std::string, std::less<>> seen;  // names in an object
  };
  bool fail(std::span<const JsonSegment> path, std::uint32_t line, const std::string& text);
  bool find_type(std::span<const JsonSegment> path, std::uint32_t line, flatbuffers::Type& type);
  bool check_value(std::span<const JsonSegment> path, const flatbuffers::Type& type, JsonKind kind,
                   std::string_view token, std::uint32_t line);

  flatbuffers::StructDef* root_;
  std::vector<Level> levels_;  // one per step of the present path, the root first
  std::optional<JsonFault> fault_;
};

}  // namespace takt::sim
