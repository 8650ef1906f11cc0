// The rules of docs/STYLE.md for sentences that a program can check: line lengths, sentences that begin
// without their subject, and references in comments and documents that lead nowhere. It reads no grammar: a
// sentence is found by its full stop, a reference by its form.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/tidy/house_rules.h"
#include "tests/tidy/source_file.h"

namespace takt::tidy {

/// Lines of code, schemas, style sheets, comments and documents over 110 columns. Table rows, and lines that
/// hold one unbreakable token such as a link, are exempt; so are lines that are long because of a literal.
[[nodiscard]] std::vector<Finding> check_line_length(const SourceFile& file);

/// One comment block, Markdown paragraph or cell of a Markdown table: its text on one line, and where it
/// begins.
struct Paragraph {
  std::string text;
  int line = 0;
};
[[nodiscard]] std::vector<Paragraph> paragraphs_of(const SourceFile& file);

/// Sentences of comments, paragraphs, cells and headings that begin with What, Which, Whether, Of, Those, The
/// same, Say, Let, Leave, Take or Hold.
[[nodiscard]] std::vector<Finding> check_openers(const SourceFile& file);

/// The names that references may lead to.
struct ReferenceIndex {
  std::set<std::string> paths;                              ///< files and folders, from the root
  std::set<std::string> file_names;                         ///< without their folder
  std::map<std::string, std::set<std::string>> sections;    ///< by document ("DESIGN"): numbers and headings
  std::map<std::string, std::set<std::string>> test_cases;  ///< by suite
};
[[nodiscard]] ReferenceIndex make_reference_index(std::span<const SourceFile> files);

/// Files, numbered sections, ADRs, tests and test suites that a comment or a document names and that do not
/// exist.
[[nodiscard]] std::vector<Finding> check_references(const SourceFile& file, const ReferenceIndex& index);

}  // namespace takt::tidy
