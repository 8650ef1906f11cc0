#include "sim/scene/scene_files.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace takt::sim {
namespace {

constexpr std::size_t kMaxNameBytes = 255;

/// Relative, '/' between its parts, none of them "..", nothing that a shell or a message would stumble over.
bool is_inside(std::string_view name) noexcept {
  if (name.empty() || name.size() > kMaxNameBytes || name.front() == '/') return false;
  if (!std::ranges::all_of(name, [](char c) { return c >= ' ' && c != '\\' && c != 0x7f; })) return false;
  for (std::size_t begin = 0; begin <= name.size();) {
    std::size_t const end = std::min(name.find('/', begin), name.size());
    if (name.substr(begin, end - begin) == "..") return false;
    begin = end + 1;
  }
  return true;
}

/// A string of JSON, with its quotes.
void append_quoted(std::string_view bytes, std::string& out) {
  constexpr char kDigits[] = "0123456789abcdef";
  out += '"';
  for (char const c : bytes) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default:
        // Anything else that is not plain ASCII stands in comments and names, where any mark will do; it may
        // not be sound UTF-8.
        if (c >= ' ' && c <= '~') {
          out += c;
        } else {
          auto const byte = static_cast<unsigned char>(c);
          out += {'\\', 'u', '0', '0', kDigits[byte >> 4], kDigits[byte & 15]};
        }
    }
  }
  out += '"';
}

class FileInserter final : public JsonVisitor {
 public:
  FileInserter(std::string_view text, const SceneFiles& files) : text_(text), files_(&files) {}

  bool enter(std::span<const JsonSegment> path, JsonKind kind, std::string_view token,
             std::uint32_t line) override {
    bool const is_name = kind == JsonKind::kString && path.size() >= 2 && path.back().name == "obj" &&
                         path[path.size() - 2].name == "mesh";
    return !is_name || insert(path, token, line);
  }
  bool leave(std::span<const JsonSegment>, JsonKind, std::uint32_t, std::uint32_t) override { return true; }

  Result<std::string, JsonFault> finish() && {
    if (fault_) return *std::move(fault_);
    out_ += text_.substr(copied_);
    return std::move(out_);
  }

 private:
  bool insert(std::span<const JsonSegment> path, std::string_view name, std::uint32_t line) {
    if (!is_inside(name))
      return fail(path, line,
                  "expected the name of a file in the scene's folder or below, such as \"meshes/hill.obj\"");
    auto const bytes = files_->read(name, kMaxSceneTextBytes);
    if (!bytes) return fail(path, line, message(bytes.error()));
    auto const end =
        static_cast<std::size_t>(name.data() - text_.data()) + name.size() + 1;  // behind the closing quote
    out_ += text_.substr(copied_, end - copied_);
    copied_ = end;
    out_ += ", \"obj_text\": ";
    append_quoted(*bytes, out_);
    if (out_.size() + (text_.size() - copied_) <= kMaxSceneTextBytes) return true;
    return fail(
        path, line,
        "the scene and its files are larger than " + std::to_string(kMaxSceneTextBytes) + " bytes together");
  }

  bool fail(std::span<const JsonSegment> path, std::uint32_t line, const std::string& text) {
    fault_ = JsonFault{line, to_string(path) + ": " + text};
    return false;
  }

  std::string_view text_;
  const SceneFiles* files_;
  std::size_t copied_ = 0;
  std::string out_;
  std::optional<JsonFault> fault_;
};

}  // namespace

Result<std::string, JsonFault> with_files(std::string_view text, const SceneFiles& files) {
  FileInserter inserter(text, files);
  (void)walk_json(text, inserter);
  return std::move(inserter).finish();
}

}  // namespace takt::sim
