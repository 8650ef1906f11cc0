#include "sim/scene/scene_setting.h"

#include <algorithm>

#include "sim/scene/json_walker.h"

namespace takt::sim {
namespace {

// Finds the value of a path, or the deepest object on the way to it.
class Finder final : public JsonVisitor {
 public:
  Finder(std::string_view text, std::string_view wanted) : text_(text), wanted_(wanted) {}

  bool enter(std::span<const JsonSegment> path, JsonKind kind, std::string_view token,
             std::uint32_t) override {
    std::string const here = to_string(path);
    auto const begin = static_cast<std::size_t>(token.data() - text_.data());
    if (here == wanted_) {
      bool const is_string = kind == JsonKind::kString;
      begin_ = is_string ? begin - 1 : begin;  // with its quotes
      bool const is_container = kind == JsonKind::kObject || kind == JsonKind::kArray;
      end_ = is_container ? end_of_container(begin) : begin + token.size() + (is_string ? 1 : 0);
      return false;
    }
    bool const is_above = here.empty() || (wanted_.starts_with(here) && wanted_[here.size()] == '.');
    if (kind == JsonKind::kObject && is_above) {
      begin_ = end_ = begin + 1;  // behind its bracket
      rest_ = wanted_.substr(here.empty() ? 0 : here.size() + 1);
    }
    return true;
  }
  bool leave(std::span<const JsonSegment>, JsonKind, std::uint32_t, std::uint32_t) override { return true; }

  [[nodiscard]] std::size_t begin() const noexcept { return begin_; }
  [[nodiscard]] std::size_t end() const noexcept { return end_; }
  /// Names of objects that are absent, and of the field; empty when the value was found.
  [[nodiscard]] std::string_view rest() const noexcept { return end_ == begin_ ? rest_ : std::string_view(); }

 private:
  // Brackets in strings and comments do not count. The visited text up to here is sound; an end that is
  // missing makes the rest one value, which the reader refuses.
  [[nodiscard]] std::size_t end_of_container(std::size_t at) const {
    std::size_t depth = 0;
    for (; at < text_.size(); ++at) {
      char const c = text_[at];
      if (text_.substr(at).starts_with("//")) {
        at = std::min(text_.find('\n', at), text_.size() - 1);
      } else if (text_.substr(at).starts_with("/*")) {
        at = std::min(text_.find("*/", at + 2), text_.size() - 2) + 1;
      } else if (c == '"') {
        for (++at; at < text_.size() && text_[at] != '"'; ++at) at += text_[at] == '\\' ? 1 : 0;
      } else if (c == '{' || c == '[') {
        ++depth;
      } else if ((c == '}' || c == ']') && --depth == 0) {
        return at + 1;
      }
    }
    return text_.size();
  }

  std::string_view text_;
  std::string_view wanted_;
  std::string_view rest_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

class Nobody final : public JsonVisitor {
 public:
  bool enter(std::span<const JsonSegment>, JsonKind, std::string_view, std::uint32_t) override {
    return true;
  }
  bool leave(std::span<const JsonSegment>, JsonKind, std::uint32_t, std::uint32_t) override { return true; }
};

// True for // or /* outside of the strings of sound JSON.
bool has_comment(std::string_view json) {
  for (std::size_t at = 0; at < json.size(); ++at) {
    if (json[at] == '"') {
      for (++at; at < json.size() && json[at] != '"'; ++at) at += json[at] == '\\' ? 1 : 0;
    } else if (json[at] == '/') {
      return true;
    }
  }
  return false;
}

// JSON as it is, another text as a string. JSON with a comment counts as text: behind the value, the comment
// would hide the rest of the scene's line.
Result<std::string, SettingFault> json_of(const std::string& value) {
  Nobody nobody;
  if (!walk_json(value, nobody) && !has_comment(value)) return value;
  if (std::ranges::any_of(
          value, [](char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < ' '; }))
    return SettingFault{"the value is neither JSON without comments nor a plain text"};
  return '"' + value + '"';
}

bool is_path(std::string_view path) {
  return !path.empty() && path.front() != '[' && path.front() != '.' && path.back() != '.' &&
         path.find("..") == std::string_view::npos && path.find_first_of("\"\\ ") == std::string_view::npos;
}

}  // namespace

Result<std::string, SettingFault> with_setting(std::string_view json, const SceneSetting& setting) {
  if (!is_path(setting.path))
    return SettingFault{"expected a path such as world.gravity or bodies[3].position"};
  Result<std::string, SettingFault> value = json_of(setting.value);
  if (!value) return value.error();
  Finder finder(json, setting.path);
  if (std::optional<JsonFault> const fault = walk_json(json, finder))
    return std::string(json);  // for its reader
  std::string added = *std::move(value);
  std::string_view rest = finder.rest();
  if (rest.find('[') != std::string_view::npos)
    return SettingFault{"the scene writes no " + setting.path + "; set the whole list"};
  for (bool is_field = true; !rest.empty(); is_field = false) {
    std::size_t const dot = rest.rfind('.');
    std::string_view const name = rest.substr(dot == std::string_view::npos ? 0 : dot + 1);
    rest = dot == std::string_view::npos ? std::string_view() : rest.substr(0, dot);
    std::string const inner = is_field ? added : '{' + added + '}';
    added = '"' + std::string(name) + "\": " + inner;
    if (rest.empty()) added += ", ";
  }
  return std::string(json.substr(0, finder.begin())).append(added).append(json.substr(finder.end()));
}

}  // namespace takt::sim
