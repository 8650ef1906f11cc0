// The words of docs/GLOSSARY.md: the table of retired words, the table of names that keep one, and the rule
// that finds retired words in identifiers and file names. It knows the inflections of English by their
// endings and a list of irregular forms.
#pragma once

#include <map>
#include <regex>
#include <set>
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

}  // namespace takt::tidy
