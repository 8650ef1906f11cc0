#include "tests/tidy/source_file.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace takt::tidy {
namespace {

void blank(std::string& text, std::size_t begin, std::size_t end) {
  for (std::size_t at = begin; at < std::min(end, text.size()); ++at) {
    if (text[at] != '\n') text[at] = ' ';
  }
}

// The offset just past a literal whose opening quote stands at `begin`.
std::size_t end_of_literal(std::string_view text, std::size_t begin) {
  for (std::size_t at = begin + 1; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == text[begin] || text[at] == '\n') {
      return at + 1;
    }
  }
  return text.size();
}

// The offset just past R"tag(...)tag" whose quote stands at `quote`.
std::size_t end_of_raw_literal(std::string_view text, std::size_t quote) {
  std::size_t const open = text.find('(', quote);
  if (open == std::string_view::npos) return text.size();
  std::string const closing = ")" + std::string(text.substr(quote + 1, open - quote - 1)) + "\"";
  std::size_t const close = text.find(closing, open);
  return close == std::string_view::npos ? text.size() : close + closing.size();
}

bool is_word(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool on_include_line(std::string_view text, std::size_t at) {
  std::size_t const newline = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  std::size_t const begin = newline == std::string_view::npos ? 0 : newline + 1;
  std::string_view line = text.substr(begin, at - begin);
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  if (!line.starts_with('#')) return false;
  line.remove_prefix(1);
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return line.starts_with("include");
}

// True if the slash at `at` begins a regular expression of JavaScript and no division: an operator, a bracket
// or nothing stands before it.
bool begins_pattern(std::string_view text, std::size_t at) {
  std::size_t const before = at == 0 ? std::string_view::npos : text.find_last_not_of(" \n", at - 1);
  return before == std::string_view::npos ||
         std::string_view("(,=:[!&|?{};>").find(text[before]) != std::string_view::npos;
}

// The offset just past the regular expression that begins at `begin`; a slash inside brackets does not end
// it.
std::size_t end_of_pattern(std::string_view text, std::size_t begin) {
  bool in_class = false;
  for (std::size_t at = begin + 1; at < text.size() && text[at] != '\n'; ++at) {
    if (text[at] == '\\')
      ++at;
    else if (text[at] == '[')
      in_class = true;
    else if (text[at] == ']')
      in_class = false;
    else if (text[at] == '/' && !in_class)
      return at + 1;
  }
  return begin + 1;
}

// The template literals of JavaScript around an offset: for each, the open braces of the expression inside
// it.
class Templates {
 public:
  // The literal's text begins at `begin`. Returns the offset just past its end or past the "${" of an
  // expression.
  std::size_t enter(std::string_view text, std::size_t begin) {
    for (std::size_t at = begin; at < text.size(); ++at) {
      if (text[at] == '\\') {
        ++at;
      } else if (text[at] == '`') {
        return at + 1;
      } else if (text.substr(at, 2) == "${") {
        open_braces_.push_back(0);
        return at + 2;
      }
    }
    return text.size();
  }
  // Counts a brace. True if it ends the expression, so that the text of the literal goes on.
  bool count(char c) {
    if (open_braces_.empty()) return false;
    if (c == '{') ++open_braces_.back();
    if (c != '}' || open_braces_.back()-- > 0) return false;
    open_braces_.pop_back();
    return true;
  }

 private:
  std::vector<int> open_braces_;
};

// A copy of the text in which comments and the insides of literals are blank; the path of an #include stays.
std::string strip(std::string_view text, bool is_script) {
  std::string code(text);
  Templates templates;
  for (std::size_t at = 0; at < text.size();) {
    if (text.substr(at, 2) == "//") {
      std::size_t const end = std::min(text.find('\n', at), text.size());
      blank(code, at, end);
      at = end;
    } else if (text.substr(at, 2) == "/*") {
      std::size_t const close = text.find("*/", at + 2);
      std::size_t const end = close == std::string_view::npos ? text.size() : close + 2;
      blank(code, at, end);
      at = end;
    } else if (is_script && text[at] == '/' && begins_pattern(text, at)) {
      std::size_t const end = end_of_pattern(text, at);
      blank(code, at + 1, end - 1);
      at = end;
    } else if (is_script && (text[at] == '`' || templates.count(text[at]))) {
      std::size_t const end = templates.enter(text, at + 1);
      blank(code, at + 1, end - 1);
      at = end;
    } else if (!is_script && text[at] == '"' && at > 0 && text[at - 1] == 'R') {
      std::size_t const end = end_of_raw_literal(text, at);
      blank(code, at + 1, end - 1);
      at = end;
    } else if (text[at] == '"') {
      std::size_t const end = end_of_literal(text, at);
      if (!on_include_line(text, at)) blank(code, at + 1, end - 1);
      at = end;
    } else if (text[at] == '\'' &&
               (at == 0 || !is_word(text[at - 1]))) {  // after a word character it separates digits
      std::size_t const end = end_of_literal(text, at);
      blank(code, at + 1, end - 1);
      at = end;
    } else {
      ++at;
    }
  }
  return code;
}

std::vector<Include> includes_of(std::string_view code) {
  std::vector<Include> found;
  int line = 1;
  for (std::size_t begin = 0; begin < code.size(); ++line) {
    std::size_t const end = std::min(code.find('\n', begin), code.size());
    if (on_include_line(code, end)) {
      std::string_view const text = code.substr(begin, end - begin);
      std::size_t const open = text.find_first_of("<\"");
      std::size_t const close = open == std::string_view::npos ? open : text.find_first_of(">\"", open + 1);
      if (close != std::string_view::npos) {
        found.push_back({std::string(text.substr(open + 1, close - open - 1)), text[open] == '<', line});
      }
    }
    begin = end + 1;
  }
  return found;
}

bool is_project_text(const std::filesystem::path& path) {
  static constexpr std::array kExtensions{".h",    ".cpp",   ".c",    ".js",   ".mjs", ".ts",
                                          ".fbs",  ".cmake", ".txt",  ".in",   ".md",  ".sh",
                                          ".json", ".yml",   ".yaml", ".html", ".css"};
  static constexpr std::array kNames{"dev",           "run",         "Dockerfile",
                                     ".clang-format", ".clang-tidy", ".gitignore"};
  return std::ranges::count(kExtensions, path.extension().string()) > 0 ||
         std::ranges::count(kNames, path.filename().string()) > 0;
}

}  // namespace

int line_of(std::string_view text, std::size_t offset) {
  return 1 + static_cast<int>(std::ranges::count(text.substr(0, offset), '\n'));
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t begin = 0; begin <= text.size();) {
    std::size_t const end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::string_view trimmed(std::string_view text) {
  std::size_t const begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

SourceFile make_source_file(std::string path, std::string text) {
  SourceFile file{std::move(path), std::move(text), {}, {}};
  if (file.has_code()) file.code = strip(file.text, file.is_script());
  if (file.is_code()) file.includes = includes_of(file.code);
  return file;
}

std::vector<SourceFile> load_tree(const std::filesystem::path& root) {
  static constexpr std::array kSkipped{"build", ".git", ".ccache", "corpus", "dist", "node_modules"};
  std::vector<SourceFile> files;
  for (auto at = std::filesystem::recursive_directory_iterator(root);
       at != std::filesystem::recursive_directory_iterator(); ++at) {
    if (at->is_directory() && std::ranges::count(kSkipped, at->path().filename().string()) > 0)
      at.disable_recursion_pending();
    if (!at->is_regular_file() || !is_project_text(at->path())) continue;
    std::ifstream in(at->path(), std::ios::binary);
    if (!in) throw std::runtime_error("cannot read " + at->path().string());
    std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    files.push_back(make_source_file(at->path().lexically_relative(root).generic_string(), std::move(text)));
  }
  std::ranges::sort(files, {}, &SourceFile::path);
  return files;
}

}  // namespace takt::tidy
