#include "sim/scene/schema_check.h"

namespace takt::sim {
namespace {

using flatbuffers::BaseType;
using flatbuffers::Type;

std::string in_quotes(std::string_view word) { return "\"" + std::string(word) + "\""; }

std::string field_names(const flatbuffers::StructDef& table) {
  std::string names;
  for (const flatbuffers::FieldDef* field : table.fields.vec) {
    if (field->deprecated) continue;
    if (!names.empty()) names += ", ";
    names += field->name;
  }
  return names.empty() ? "nothing" : names;
}

std::string words_of(const flatbuffers::EnumDef& words) {
  std::string names;
  for (const flatbuffers::EnumVal* value : words.Vals()) {
    if (!names.empty()) names += ", ";
    names += value->name;
  }
  return names;
}

Type element_of(const Type& vector) { return vector.VectorType(); }

bool is_struct_like(const Type& type) { return type.base_type == flatbuffers::BASE_TYPE_STRUCT; }

std::string expected_of(const Type& type) {
  if (is_struct_like(type))
    return type.struct_def->fixed ? "[numbers] or {" + field_names(*type.struct_def) + "}"
                                  : "an object {...}";
  if (type.base_type == flatbuffers::BASE_TYPE_VECTOR) return "an array [...]";
  if (type.base_type == flatbuffers::BASE_TYPE_STRING) return "text in double quotes";
  if (type.base_type == flatbuffers::BASE_TYPE_BOOL) return "true or false";
  if (type.enum_def != nullptr) return "one of " + words_of(*type.enum_def);
  return flatbuffers::IsFloat(type.base_type) ? "a number" : "a whole number";
}

bool is_expected(const Type& type, JsonKind kind) {
  if (is_struct_like(type))
    return kind == JsonKind::kObject || (kind == JsonKind::kArray && type.struct_def->fixed);
  if (type.base_type == flatbuffers::BASE_TYPE_VECTOR) return kind == JsonKind::kArray;
  if (type.base_type == flatbuffers::BASE_TYPE_STRING) return kind == JsonKind::kString;
  if (type.base_type == flatbuffers::BASE_TYPE_BOOL) return kind == JsonKind::kBoolean;
  if (type.enum_def != nullptr) return kind == JsonKind::kString;
  return kind == JsonKind::kNumber;
}

}  // namespace

SchemaCheck::SchemaCheck(flatbuffers::StructDef& root) : root_(&root) {}

bool SchemaCheck::fail(std::span<const JsonSegment> path, std::uint32_t line, const std::string& text) {
  std::string const where = to_string(path);
  fault_ = JsonFault{line, where.empty() ? text : where + ": " + text};
  return false;
}

// The type that the schema gives the value at `path`, from the level above it.
bool SchemaCheck::find_type(std::span<const JsonSegment> path, std::uint32_t line, Type& type) {
  if (path.empty()) {
    type = Type(flatbuffers::BASE_TYPE_STRUCT, root_);
    return true;
  }
  Level& above = levels_[path.size() - 1];
  JsonSegment const& last = path.back();
  auto const parent = path.first(path.size() - 1);
  if (last.in_array) {
    if (above.type.base_type == flatbuffers::BASE_TYPE_VECTOR) {
      type = element_of(above.type);
      return true;
    }
    auto const& members = above.type.struct_def->fields.vec;  // a struct written as an array
    if (last.index >= members.size()) {
      return fail(parent, above.line,
                  "too many numbers: expected " + std::to_string(members.size()) + " (" +
                      field_names(*above.type.struct_def) + ")");
    }
    type = members[last.index]->value.type;
    return true;
  }
  flatbuffers::StructDef const& table = *above.type.struct_def;
  flatbuffers::FieldDef const* const field = table.fields.Lookup(std::string(last.name));
  if (field == nullptr)
    return fail(parent, line,
                "unknown field " + in_quotes(last.name) + ": allowed here are " + field_names(table));
  if (!above.seen.insert(std::string(last.name)).second)
    return fail(parent, line, "field " + in_quotes(last.name) + " is set twice: once is allowed");
  type = field->value.type;
  return true;
}

bool SchemaCheck::check_value(std::span<const JsonSegment> path, const Type& type, JsonKind kind,
                              std::string_view token, std::uint32_t line) {
  if (!is_expected(type, kind)) return fail(path, line, "wrong kind of value: expected " + expected_of(type));
  if (type.enum_def != nullptr && kind == JsonKind::kString &&
      type.enum_def->Lookup(std::string(token)) == nullptr) {
    return fail(path, line, "unknown word " + in_quotes(token) + ": expected " + expected_of(type));
  }
  if (kind == JsonKind::kNumber && flatbuffers::IsInteger(type.base_type)) {
    if (token.find_first_of(".eE") != std::string_view::npos)
      return fail(path, line, std::string(token) + " is not whole: expected a whole number");
    bool const is_unsigned = flatbuffers::IsUnsigned(type.base_type);
    if (is_unsigned && token.starts_with('-'))
      return fail(path, line, std::string(token) + " is negative: expected a whole number from 0");
  }
  return true;
}

bool SchemaCheck::enter(std::span<const JsonSegment> path, JsonKind kind, std::string_view token,
                        std::uint32_t line) {
  levels_.resize(path.size());
  Type type;
  if (!find_type(path, line, type) || !check_value(path, type, kind, token, line)) return false;
  levels_.push_back(Level{type, line, {}});
  return true;
}

bool SchemaCheck::leave(std::span<const JsonSegment> path, JsonKind, std::uint32_t child_count,
                        std::uint32_t) {
  Level const& level = levels_[path.size()];
  if (!is_struct_like(level.type) || !level.type.struct_def->fixed) return true;
  flatbuffers::StructDef const& fields = *level.type.struct_def;
  if (child_count == fields.fields.vec.size()) return true;
  return fail(path, level.line,
              "expected " + std::to_string(fields.fields.vec.size()) + " numbers (" + field_names(fields) +
                  "), not " + std::to_string(child_count));
}

}  // namespace takt::sim
