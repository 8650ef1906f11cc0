// A file of the tree as the house rules see it: its text, its code without comments and literals, and its
// includes. This is no parser of C++ or JavaScript; it knows comments, literals (string, raw string,
// character, template, regular expression) and #include lines, and nothing else.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace takt::tidy {

struct Include {
  std::string path;  ///< as written between the quotes or brackets
  bool angled = false;
  int line = 0;  ///< counts from 1
};

struct SourceFile {
  std::string path;  ///< from the root of the tree, with '/'
  std::string text;
  std::string code;  ///< of has_code(): as long as text; comments and the insides of literals are blanks,
                     ///< line ends stay
  std::vector<Include> includes;

  [[nodiscard]] bool is_header() const { return path.ends_with(".h"); }
  [[nodiscard]] bool is_code() const { return is_header() || path.ends_with(".cpp") || path.ends_with(".c"); }
  [[nodiscard]] bool is_script() const {
    return path.ends_with(".ts") || path.ends_with(".mjs") || path.ends_with(".js");
  }
  [[nodiscard]] bool is_schema() const { return path.ends_with(".fbs"); }
  [[nodiscard]] bool has_code() const { return is_code() || is_script() || is_schema(); }
};

/// Takes a text apart. `path` decides nothing here; the rules read it.
[[nodiscard]] SourceFile make_source_file(std::string path, std::string text);

/// Every text file of the project under `root`: sources, CMake, scripts, documents, schemas. Skips build
/// trees and version control; path order.
[[nodiscard]] std::vector<SourceFile> load_tree(const std::filesystem::path& root);

/// The line, counted from 1, on which the character at `offset` stands.
[[nodiscard]] int line_of(std::string_view text, std::size_t offset);

/// The lines of a text without their ends; the last one is empty if the text ends in a newline.
[[nodiscard]] std::vector<std::string_view> lines_of(std::string_view text);

/// The text without blanks at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);

}  // namespace takt::tidy
