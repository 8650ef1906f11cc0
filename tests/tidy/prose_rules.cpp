#include "tests/tidy/prose_rules.h"

#include <algorithm>
#include <array>
#include <regex>

#include "tests/tidy/document.h"

namespace takt::tidy {
namespace {

constexpr std::size_t kColumns = 110;  // docs/STYLE.md, Sentences

bool is_markdown(const SourceFile& file) { return file.path.ends_with(".md"); }
bool has_columns(const SourceFile& file) {
  return file.has_code() || is_markdown(file) || file.path.ends_with(".css");
}

// The content of the comment on a line, without its slashes and stars.
struct Comment {
  bool found = false;
  bool is_trailing = false;  // code stands before it on the line
  std::string_view text;
};
Comment comment_of(std::string_view line, std::string_view code_line) {
  if (trimmed(code_line).empty() && (trimmed(line).starts_with("/*") || trimmed(line).starts_with('*'))) {
    std::string_view text = trimmed(line);
    text.remove_prefix(std::min(text.find_first_not_of("/*"), text.size()));
    if (text.ends_with("*/")) text.remove_suffix(2);
    return {true, false, trimmed(text)};
  }
  // In `code` comments are blanks, so the comment begins where the text has a slash and the code a blank.
  for (std::size_t at = line.find("//"); at != std::string_view::npos; at = line.find("//", at + 1)) {
    if (at < code_line.size() && code_line[at] != ' ') continue;
    // Inside a literal the code is blank as well, but an odd number of quotes stands before it.
    if (std::ranges::count(code_line.substr(0, std::min(at, code_line.size())), '"') % 2 != 0) continue;
    std::string_view text = line.substr(at);
    text.remove_prefix(std::min(text.find_first_not_of('/'), text.size()));
    if (text.starts_with('<')) text.remove_prefix(1);
    return {true, !trimmed(line.substr(0, at)).empty(), trimmed(text)};
  }
  return {};
}

void flush(std::vector<Paragraph>& out, Paragraph& paragraph) {
  if (!paragraph.text.empty()) out.push_back(std::move(paragraph));
  paragraph = {};
}
void append(Paragraph& paragraph, std::string_view text, int line) {
  if (paragraph.text.empty()) {
    paragraph.line = line;
  } else {
    paragraph.text += ' ';
  }
  paragraph.text += text;
}

std::vector<Paragraph> comment_paragraphs(const SourceFile& file) {
  std::vector<Paragraph> out;
  Paragraph paragraph;
  auto const texts = lines_of(file.text);
  auto const codes = lines_of(file.code);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    Comment const comment = comment_of(texts[i], codes[i]);
    if (!comment.found || comment.is_trailing || comment.text.empty()) flush(out, paragraph);
    if (comment.found && !comment.text.empty()) append(paragraph, comment.text, static_cast<int>(i) + 1);
  }
  flush(out, paragraph);
  return out;
}

std::vector<Paragraph> markdown_paragraphs(const SourceFile& file) {
  std::vector<Paragraph> out;
  Paragraph paragraph;
  bool in_fence = false;
  int number = 0;
  for (std::string_view const line : lines_of(file.text)) {
    ++number;
    std::string_view text = trimmed(line);
    if (text.starts_with("```")) in_fence = !in_fence;
    bool const begins = text.starts_with('#') || text.starts_with("- ") || text.starts_with("* ");
    if (text.empty() || text.starts_with('|') || begins || in_fence) flush(out, paragraph);
    if (text.empty() || text.starts_with("```") || in_fence) continue;
    if (text.starts_with('|')) {
      if (is_table_rule(text)) continue;
      for (std::string_view const cell : cells_of(text))
        if (!cell.empty()) out.push_back({std::string(cell), number});
      continue;
    }
    text.remove_prefix(std::min(text.find_first_not_of("#-*> "), text.size()));
    append(paragraph, text, number);
    if (line.starts_with('#')) flush(out, paragraph);
  }
  flush(out, paragraph);
  return out;
}

std::size_t code_points(std::string_view line) {
  return static_cast<std::size_t>(std::ranges::count_if(line, [](char c) { return (c & 0xC0) != 0x80; }));
}

// True for a line of a literal, such as JSON in a test: all but 40 columns are blank in the code, and no
// comment stands there.
bool is_mostly_literal(std::string_view line, std::string_view code_line) {
  if (comment_of(line, code_line).found) return false;
  return std::ranges::count_if(code_line, [](char c) { return c != ' '; }) < 40;
}

}  // namespace

std::vector<Finding> check_line_length(const SourceFile& file) {
  std::vector<Finding> findings;
  if (!has_columns(file)) return findings;
  int number = 0;
  bool in_fence = false;
  auto const codes = lines_of(file.code);
  for (std::string_view const line : lines_of(file.text)) {
    ++number;
    if (is_markdown(file) && trimmed(line).starts_with("```")) in_fence = !in_fence;
    std::size_t const columns = code_points(line);
    if (columns <= kColumns) continue;
    std::string_view text = trimmed(line);
    if (is_markdown(file) && text.starts_with('|')) continue;
    if (text.starts_with("#include")) continue;
    if (file.is_code() && is_mostly_literal(line, codes[static_cast<std::size_t>(number) - 1])) continue;
    // A token that cannot be broken, behind a list or comment mark at most.
    std::size_t const space = text.find(' ');
    if (!in_fence && (space == std::string_view::npos || text.find(' ', space + 1) == std::string_view::npos))
      continue;
    findings.push_back(
        {file.path, number, std::to_string(columns) + " columns; the limit is " + std::to_string(kColumns)});
  }
  return findings;
}

std::vector<Paragraph> paragraphs_of(const SourceFile& file) {
  if (is_markdown(file)) return markdown_paragraphs(file);
  if (file.has_code()) return comment_paragraphs(file);
  return {};
}

std::vector<Finding> check_openers(const SourceFile& file) {
  std::vector<Finding> findings;
  static const std::regex kOpener(
      "(^|[.!?] )(What|Which|Whether|Of|Those|The same|Say|Let|Leave|Take|Hold)(?=[ ,:])");
  for (const Paragraph& paragraph : paragraphs_of(file))
    for (std::sregex_iterator at(paragraph.text.begin(), paragraph.text.end(), kOpener), end; at != end; ++at)
      findings.push_back(
          {file.path, paragraph.line,
           "a sentence begins with \"" + (*at)[2].str() + "\"; its subject goes first (docs/STYLE.md)"});
  return findings;
}

ReferenceIndex make_reference_index(std::span<const SourceFile> files) {
  ReferenceIndex index;
  static const std::regex kHeading("^#+ +(.*)$");
  // A row of a table is a section only with a dotted number: other rows begin with offsets and values.
  static const std::regex kNumber(
      "^(?:#+ +([0-9]+(?:\\.[0-9]+)*)|\\| *([0-9]+(?:\\.[0-9]+)+))\\.?(?:[ |]|$)");
  static const std::regex kTest(
      "\\b(?:TYPED_TEST_P|TYPED_TEST|TEST_P|TEST_F|TEST)\\s*\\(\\s*(\\w+)\\s*,\\s*(\\w+)");
  for (const SourceFile& file : files) {
    index.paths.insert(file.path);
    for (std::size_t at = file.path.find('/'); at != std::string::npos; at = file.path.find('/', at + 1))
      index.paths.insert(file.path.substr(0, at));
    std::string const name = file.path.substr(file.path.rfind('/') + 1);
    index.file_names.insert(name);
    if (is_markdown(file)) {
      auto& sections = index.sections[name.substr(0, name.size() - 3)];
      for (std::string_view const line : lines_of(file.text)) {
        std::cmatch found;
        if (std::regex_search(line.data(), line.data() + line.size(), found, kNumber))
          sections.insert(found[1].matched ? found[1] : found[2]);
        if (std::regex_match(line.data(), line.data() + line.size(), found, kHeading))
          sections.insert(found[1]);
      }
    }
    if (file.path.starts_with("tests/"))
      for (std::sregex_iterator at(file.code.begin(), file.code.end(), kTest), end; at != end; ++at)
        index.test_cases[(*at)[1]].insert((*at)[2]);
  }
  return index;
}

// Documents and scripts that name files from a folder of their own.
struct HomeFolder {
  std::string_view prefix;  // of the paths of the documents and scripts
  std::string_view folder;
};
constexpr std::array<HomeFolder, 2> kHomeFolders{{
    {"docs/CONSTRAINTS.md", "physics/"},   // as its introduction states
    {"client_sdk/js/", "client_sdk/js/"},  // the root of the package
}};

// The folders, each with its slash, from which a comment or a document may name a file.
std::vector<std::string> folders_for(const SourceFile& file) {
  std::vector<std::string> folders{"", "include/", "docs/", file.path.substr(0, file.path.rfind('/') + 1)};
  for (const HomeFolder& home : kHomeFolders)
    if (file.path.starts_with(home.prefix)) folders.emplace_back(home.folder);
  return folders;
}

// The numbers of a list such as "3, 4.1 and 8".
std::vector<std::string> numbers_in(std::string_view list) {
  std::vector<std::string> numbers;
  for (std::size_t at = 0; at < list.size();) {
    std::size_t const begin = list.find_first_of("0123456789", at);
    if (begin == std::string_view::npos) break;
    at = std::min(list.find_first_not_of("0123456789.", begin), list.size());
    numbers.emplace_back(list.substr(begin, at - begin));
  }
  return numbers;
}

// Names with the form of a test or a suite that are no tests of this tree.
struct ForeignName {
  std::string_view name;
  std::string_view why;
};
constexpr std::array<ForeignName, 2> kForeignNames{{
    {"Boost", "the libraries Boost.Asio and Boost.Beast"},
    {"GoogleTest", "the framework of the tests"},
}};
bool is_foreign(std::string_view name) {
  return std::ranges::find(kForeignNames, name, &ForeignName::name) != kForeignNames.end();
}

// A test may be named by its beginning: `TidyProse.Lines...` or `TidyProse.Lines*`.
bool has_test(const std::set<std::string>& tests, std::string_view name) {
  bool const is_beginning = name.ends_with('.') || name.ends_with('*');
  name = name.substr(0, name.find_first_of(".*"));
  return std::ranges::any_of(
      tests, [&](std::string_view test) { return is_beginning ? test.starts_with(name) : test == name; });
}

std::vector<Finding> check_references(const SourceFile& file, const ReferenceIndex& index) {
  std::vector<Finding> findings;
  static const std::regex kPath(
      "(?:^|[^\\w/.<*{-])((?:[\\w-]+/)*[\\w-]+\\.(?:h|cpp|fbs|md|cmake|ts|mjs))(?!\\w)(?!\\.\\w)");
  static const std::string kNumber = "[0-9]+(?:\\.[0-9]+)*";
  static const std::string kNumbers = "(" + kNumber + "(?:(?:, | and | to )" + kNumber + ")*)(?!,?[0-9])";
  // "DESIGN 3", "DESIGN.md, 3 and 4", "[DESIGN.md](docs/DESIGN.md), section 3"
  static const std::regex kSection("\\b([A-Z_]{2,})(?:\\.md(?:#[\\w-]+)?\\)?,?)? (?:section )?" + kNumbers);
  static const std::regex kAdr("\\b(?:adr/|ADR )([0-9]{1,4}(?:(?:, | and | to )[0-9]{1,4})*)\\b");
  static const std::regex kCase("\\b([A-Z]\\w+)\\.(\\*(?!\\*)|[A-Z]\\w*(?:\\.\\.\\.|\\*)?)");
  static const std::regex kSuite("\\b([A-Z]\\w*Tests?)\\b(?!\\.[\\w*])");
  std::vector<std::string> const folders = folders_for(file);
  for (const Paragraph& paragraph : paragraphs_of(file)) {
    std::string const& text = paragraph.text;
    auto const each = [&](const std::regex& pattern, auto&& visit) {
      for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at) visit(*at);
    };
    auto const missing = [&](std::string what) {
      findings.push_back({file.path, paragraph.line, std::move(what) + ", which does not exist"});
    };
    each(kPath, [&](const std::smatch& found) {
      std::string const path = found[1];
      std::size_t const slash = path.rfind('/');
      bool const exists = slash == std::string::npos
                              ? index.file_names.contains(path)
                              : std::ranges::any_of(folders, [&](const std::string& folder) {
                                  return index.paths.contains(folder + path);
                                });
      if (!exists) missing("names the file " + path);
    });
    each(kSection, [&](const std::smatch& found) {
      auto const document = index.sections.find(found[1]);
      if (document == index.sections.end()) return;
      for (const std::string& number : numbers_in(found[2].str()))
        if (!document->second.contains(number))
          missing("names section " + number + " of " + found[1].str() + ".md");
    });
    each(kAdr, [&](const std::smatch& found) {
      for (const std::string& digits : numbers_in(found[1].str())) {
        std::string const number = std::string(4 - digits.size(), '0') + digits;
        bool const exists = std::ranges::any_of(index.paths, [&](const std::string& path) {
          return path.starts_with("docs/adr/" + number + "-");
        });
        if (!exists) missing("names ADR " + number);
      }
    });
    each(kCase, [&](const std::smatch& found) {
      if (is_foreign(found[1].str())) return;
      auto const suite = index.test_cases.find(found[1]);
      if (suite == index.test_cases.end()) {
        missing("names the test suite " + found[1].str());
      } else if (!has_test(suite->second, found[2].str())) {
        missing("names the test " + found[0].str());
      }
    });
    each(kSuite, [&](const std::smatch& found) {
      if (!is_foreign(found[1].str()) && !index.test_cases.contains(found[1]))
        missing("names the test suite " + found[1].str());
    });
  }
  return findings;
}

}  // namespace takt::tidy
