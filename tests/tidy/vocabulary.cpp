#include "tests/tidy/vocabulary.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <span>

#include "tests/tidy/document.h"

namespace takt::tidy {
namespace {

bool is_word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// A word of an identifier in lower case, and where it begins.
struct WordSpan {
  std::size_t begin = 0;
  std::string text;
};

std::vector<WordSpan> word_spans_of(std::string_view identifier) {
  std::vector<WordSpan> words;
  auto const is = [&](std::size_t i, int (*kind)(int)) {
    return i < identifier.size() && kind(static_cast<unsigned char>(identifier[i])) != 0;
  };
  bool fresh = true;
  for (std::size_t i = 0; i < identifier.size(); ++i) {
    if (identifier[i] == '_') {
      fresh = true;
      continue;
    }
    bool const after_lower =
        i > 0 && is(i, std::isupper) && (is(i - 1, std::islower) || is(i - 1, std::isdigit));
    bool const ends_run = i > 0 && is(i, std::isupper) && is(i - 1, std::isupper) && is(i + 1, std::islower);
    if (fresh || after_lower || ends_run) words.push_back({i, {}});
    fresh = false;
    words.back().text += static_cast<char>(std::tolower(static_cast<unsigned char>(identifier[i])));
  }
  if (words.size() > 1 && words.front().text == "k") words.erase(words.begin());
  return words;
}

bool names_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    std::size_t const end = at + word.size();
    bool const begins = at == 0 || std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0;
    bool const ends = end == text.size() || std::isalnum(static_cast<unsigned char>(text[end])) == 0;
    if (begins && ends) return true;
  }
  return false;
}

// The endings of inflections: `dropped` leaves the word before `added` follows.
struct Ending {
  std::string_view dropped;
  std::string_view added;
};
constexpr std::array<Ending, 9> kEndings{{
    {"", "s"},
    {"", "es"},
    {"", "d"},
    {"", "ed"},
    {"", "ing"},
    {"e", "ing"},
    {"y", "ies"},
    {"y", "ied"},
    {"f", "ves"},
}};

// Inflections that no ending forms.
struct Irregular {
  std::string_view word;
  std::string_view form;
};
constexpr std::array<Irregular, 7> kIrregulars{{
    {"beat", "beaten"},
    {"blow", "blew"},
    {"give", "gave"},
    {"give", "given"},
    {"hold", "held"},
    {"lay", "laid"},
    {"weave", "wove"},
}};

// A word and its inflections. Words of one or two letters have none.
std::set<std::string> forms_of(const std::string& word) {
  std::set<std::string> forms{word};
  if (word.size() < 3) return forms;
  for (const Ending& ending : kEndings) {
    if (!word.ends_with(ending.dropped)) continue;
    std::string const stem = word.substr(0, word.size() - ending.dropped.size());
    forms.insert(stem + std::string(ending.added));
    if (ending.dropped.empty()) forms.insert(stem + stem.back() + std::string(ending.added));  // stirred
  }
  for (const Irregular& irregular : kIrregulars)
    if (irregular.word == word) forms.emplace(irregular.form);
  return forms;
}

// The identifier with the words of a row in their plain form; nothing if the row's words do not occur in it.
// A form that the row's own term contains is another word: `staging` is not `stage`.
std::optional<std::string> in_plain_form(std::string_view identifier, std::span<const WordSpan> words,
                                         const RetiredWord& row, const Vocabulary& vocabulary) {
  auto const is_form = [&](const WordSpan& found, const std::string& word) {
    if (found.text == word) return true;
    auto const plain = vocabulary.words_by_form.find(found.text);
    return plain != vocabulary.words_by_form.end() && plain->second.contains(word) &&
           !names_word(row.term, found.text);
  };
  auto const first = std::search(words.begin(), words.end(), row.words.begin(), row.words.end(), is_form);
  if (first == words.end()) return std::nullopt;
  std::string plain(identifier);
  for (std::size_t i = row.words.size(); i-- > 0;) {
    const WordSpan& found = first[static_cast<std::ptrdiff_t>(i)];
    std::string word = row.words[i];
    if (word == found.text) continue;
    if (std::isupper(static_cast<unsigned char>(plain[found.begin])) != 0)
      word[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(word[0])));
    plain.replace(found.begin, found.text.size(), word);
  }
  return plain;
}

std::vector<std::string> code_spans_of(const std::string& cell) {
  static const std::regex kSpan("`([^`]+)`");
  std::vector<std::string> spans;
  for (std::sregex_iterator at(cell.begin(), cell.end(), kSpan), end; at != end; ++at)
    spans.push_back((*at)[1]);
  return spans;
}

bool lies_in(const SourceFile& file, std::span<const std::string> prefixes) {
  return std::ranges::any_of(prefixes, [&](const std::string& p) { return file.path.starts_with(p); });
}

}  // namespace

std::vector<std::string> words_of(std::string_view identifier) {
  std::vector<std::string> words;
  for (WordSpan& word : word_spans_of(identifier)) words.push_back(std::move(word.text));
  return words;
}

Vocabulary read_vocabulary(const SourceFile& glossary, std::vector<Finding>& faults) {
  static const std::regex kRetiredRow(
      "^\\| `([a-z0-9 ]+)` \\| `([^`]+)` ((?:`[^`]+`(?:, )?)+) \\| ([^|]+) \\|$");
  static const std::regex kKeptRow("^\\| `([^`]+)` ((?:`[^`]+`(?:, )?)+) \\| ([^|]+) \\|$");
  enum class Table { kNone, kRetired, kKept };
  Vocabulary vocabulary;
  Table table = Table::kNone;
  int number = 0;
  for (std::string_view const line : lines_of(glossary.text)) {
    ++number;
    bool const is_head = line.starts_with("| retired |") || line.starts_with("| kept |");
    if (!line.starts_with('|')) table = Table::kNone;
    if (is_head) table = line.starts_with("| kept |") ? Table::kKept : Table::kRetired;
    if (table == Table::kNone || is_head || is_table_rule(line)) continue;
    std::cmatch row;
    const std::regex& grammar = table == Table::kKept ? kKeptRow : kRetiredRow;
    if (!std::regex_match(line.data(), line.data() + line.size(), row, grammar)) {
      faults.push_back(
          {glossary.path, number, "a row of this table does not follow the grammar above the table"});
    } else if (table == Table::kKept) {
      vocabulary.kept.push_back({row[1], std::regex(row[1].str()), code_spans_of(row[2]), number});
    } else {
      RetiredWord& word = vocabulary.retired.emplace_back();
      for (WordSpan& part : word_spans_of(std::regex_replace(row[1].str(), std::regex(" "), "_")))
        word.words.push_back(std::move(part.text));
      word.scope = std::regex(row[2].str());
      word.prefixes = code_spans_of(row[3]);
      word.term = trimmed(row[4].str());
    }
  }
  for (const RetiredWord& row : vocabulary.retired)
    for (const std::string& word : row.words)
      for (const std::string& form : forms_of(word)) vocabulary.words_by_form[form].insert(word);
  return vocabulary;
}

std::vector<Finding> check_words(const SourceFile& file, const Vocabulary& vocabulary) {
  std::vector<Finding> findings;
  std::vector<const RetiredWord*> rows;
  for (const RetiredWord& row : vocabulary.retired)
    if (lies_in(file, row.prefixes)) rows.push_back(&row);
  if (rows.empty() || !file.has_code()) return findings;
  auto const is_kept = [&](const std::string& identifier) {
    return std::ranges::any_of(vocabulary.kept, [&](const KeptName& kept) {
      return lies_in(file, kept.prefixes) && std::regex_match(identifier, kept.names);
    });
  };
  std::set<std::string, std::less<>> seen;
  auto const check = [&](std::string_view identifier, int line) {
    if (!seen.emplace(identifier).second) return;
    std::vector<WordSpan> const words = word_spans_of(identifier);
    bool const may_match = std::ranges::any_of(
        words, [&](const WordSpan& word) { return vocabulary.words_by_form.contains(word.text); });
    if (!may_match || is_kept(std::string(identifier))) return;
    for (const RetiredWord* row : rows) {
      std::optional<std::string> const plain = in_plain_form(identifier, words, *row, vocabulary);
      if (!plain.has_value() || !std::regex_match(*plain, row->scope)) continue;
      findings.push_back(
          {file.path, line,
           std::string(identifier) + ": docs/GLOSSARY.md retires this word; the term is " + row->term});
    }
  };
  std::string_view name = std::string_view(file.path).substr(file.path.rfind('/') + 1);
  check(name.substr(0, name.find('.')), 0);
  int number = 0;
  for (std::string_view const line : lines_of(file.code)) {
    ++number;
    if (trimmed(line).starts_with("#include")) continue;
    for (std::size_t at = 0; at < line.size();) {
      if (!is_word_character(line[at])) {
        ++at;
        continue;
      }
      std::size_t const begin = at;
      while (at < line.size() && is_word_character(line[at])) ++at;
      bool const is_number = std::isdigit(static_cast<unsigned char>(line[begin])) != 0;
      std::string_view const before = line.substr(0, begin);
      bool const is_generated = before.ends_with("wire::") || before.ends_with("schema::");
      if (!is_number && !is_generated) check(line.substr(begin, at - begin), number);
    }
  }
  return findings;
}

}  // namespace takt::tidy
