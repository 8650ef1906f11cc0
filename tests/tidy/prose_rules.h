// The rules of docs/STYLE.md for words and sentences that a program can check: retired words, line lengths,
// sentences that begin without their subject, and references in comments and documents that lead nowhere. It
// reads no grammar: a sentence is found by its full stop, a reference by its form.
#pragma once

#include <map>
#include <regex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/tidy/house_rules.h"
#include "tests/tidy/source_file.h"

namespace takt::tidy {

/// One row of the table `retired | scope | term` of docs/GLOSSARY.md.
struct RetiredWord {
  std::vector<std::string> words;  ///< consecutive words of an identifier, lower case
  std::regex scope;                ///< matches whole identifiers that may not hold the words
  std::vector<std::string> prefixes;
  std::string term;  ///< the term that replaces it
};

/// One row of the table `kept | reason`: identifiers that hold the form of a retired word with another sense.
struct KeptName {
  std::string pattern;  ///< as the row has it
  std::regex names;     ///< matches whole identifiers
  std::vector<std::string> prefixes;
  int line = 0;  ///< of the row
};

struct Vocabulary {
  std::vector<RetiredWord> retired;
  std::vector<KeptName> kept;
  /// The words of the rows by each of their inflections: "ways" and "way" lead to way.
  std::map<std::string, std::set<std::string>, std::less<>> words_by_form;
};

/// The rows of both tables; a row that does not follow the grammar above them is a finding.
[[nodiscard]] Vocabulary read_vocabulary(const SourceFile& glossary, std::vector<Finding>& faults);

/// The words of an identifier in lower case: "kMaxLeverArm" is max, lever, arm.
[[nodiscard]] std::vector<std::string> words_of(std::string_view identifier);

/// Identifiers and file names that hold a retired word or an inflection of it.
[[nodiscard]] std::vector<Finding> check_words(const SourceFile& file, const Vocabulary& vocabulary);

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
