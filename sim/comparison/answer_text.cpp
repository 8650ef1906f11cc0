#include "sim/comparison/answer_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace takt::sim {
namespace {

constexpr std::array<std::string_view, 13> kKindNames{"",    "bool", "u8",  "u16", "u32", "u64", "i8",
                                                      "i16", "i32",  "i64", "f32", "f64", "text"};
constexpr std::size_t kMaxTextBytes = 256;  // of a text field: names of players

std::string hex_digits(std::uint64_t value, unsigned count) {
  std::string digits(count, '0');
  for (auto at = digits.rbegin(); at != digits.rend(); ++at, value >>= 4u)
    *at = "0123456789abcdef"[value & 15u];
  return digits;
}

std::optional<std::uint64_t> parse_hex(std::string_view text, std::size_t digit_count) noexcept {
  bool const is_lower = std::ranges::none_of(text, [](char c) { return c >= 'A' && c <= 'F'; });
  std::uint64_t value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (text.size() != digit_count || !is_lower || error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

// "name:kind:bits", in which a text is the digits of its bytes.
std::string field_word(const ListedField& field) {
  std::string word = field.name + ':' + std::string(kKindNames[static_cast<std::size_t>(field.kind)]) + ':';
  if (field.kind != FieldKind::kText) return word + hex_digits(field.bits, width_bits(field.kind) / 4);
  for (char const letter : field.text) word += hex_digits(static_cast<unsigned char>(letter), 2);
  return word;
}

std::optional<ListedField> parse_field(std::string_view word) {
  std::size_t const first = word.find(':');
  std::size_t const second = word.find(':', first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos) return std::nullopt;
  std::string_view const name = word.substr(0, first);
  std::string_view const value = word.substr(second + 1);
  auto const kind =
      std::ranges::find(kKindNames.begin() + 1, kKindNames.end(), word.substr(first + 1, second - first - 1));
  if (!is_state_name(name) || kind == kKindNames.end()) return std::nullopt;
  ListedField field{std::string(name), static_cast<FieldKind>(kind - kKindNames.begin()), 0, {}};
  if (field.kind == FieldKind::kText) {
    if (value.size() % 2 != 0 || value.size() > 2 * kMaxTextBytes) return std::nullopt;
    for (std::size_t at = 0; at < value.size(); at += 2) {
      std::optional<std::uint64_t> const byte = parse_hex(value.substr(at, 2), 2);
      if (!byte) return std::nullopt;
      field.text += static_cast<char>(*byte);
    }
    return field;
  }
  std::optional<std::uint64_t> const bits = parse_hex(value, width_bits(field.kind) / 4);
  if (!bits) return std::nullopt;
  field.bits = *bits;
  return field;
}

// "name:count:hash,hash", with "-" in place of the count for a record that is no element of a list.
std::string list_word(const AnsweredList& list) {
  std::string word = list.name + ':' + (list.is_list ? std::to_string(list.record_count) : "-") + ':';
  for (std::size_t i = 0; i < list.block_hashes.size(); ++i)
    word.append(i == 0 ? "" : ",").append(hash_word(list.block_hashes[i]));
  return word;
}

std::optional<AnsweredList> parse_list(StatePart part, std::string_view word) {
  std::size_t const first = word.find(':');
  std::size_t const second = word.find(':', first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos) return std::nullopt;
  std::string_view const count = word.substr(first + 1, second - first - 1);
  AnsweredList list{std::string(word.substr(0, first)), count != "-", 1, {}};
  if (!is_state_name(list.name) || part_of(list.name) != part) return std::nullopt;
  if (list.is_list) {
    std::optional<std::uint64_t> const number = parse_count(count, 0xffffffffu);
    if (!number || *number == 0) return std::nullopt;
    list.record_count = *number;
  }
  for (std::string_view rest = word.substr(second + 1); !rest.empty();) {
    std::size_t const end = std::min(rest.find(','), rest.size());
    std::optional<std::uint64_t> const hash = parse_hash_word(rest.substr(0, end));
    if (!hash || end + 1 == rest.size()) return std::nullopt;
    list.block_hashes.push_back(*hash);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  std::uint64_t const blocks = (list.record_count + kRecordsPerBlock - 1) / kRecordsPerBlock;
  if (list.block_hashes.size() != blocks) return std::nullopt;
  return list;
}

// Parses one word into the list of the answer that the path needs; returns what was expected if it cannot.
const char* parse_word(const StatePath& path, std::string_view word, StateAnswer& answer) {
  if (path.depth == StateDepth::kPart) {
    std::optional<AnsweredList> list = parse_list(path.part, word);
    if (!list || std::ranges::find(answer.lists, list->name, &AnsweredList::name) != answer.lists.end())
      return "LIST:COUNT:HASH,... of a list of the part, one HASH for 64 records";
    answer.lists.push_back(*std::move(list));
  } else if (path.depth == StateDepth::kRecord) {
    std::optional<ListedField> field = parse_field(word);
    if (!field || answer.fields.size() == kMaxAnsweredFields) return "FIELD:KIND:BITS";
    answer.fields.push_back(*std::move(field));
  } else {
    std::optional<std::uint64_t> const hash = parse_hash_word(word);
    bool const is_world = path.depth == StateDepth::kWorld;
    if (!hash || answer.hashes.size() == (is_world ? kStatePartCount : kRecordsPerBlock))
      return is_world ? "9 hashes, 0x and 16 digits each" : "at most 64 hashes, 0x and 16 digits each";
    answer.hashes.push_back(*hash);
  }
  return nullptr;
}

}  // namespace

std::string hash_word(std::uint64_t hash) { return "0x" + hex_digits(hash, 16); }

std::optional<std::uint64_t> parse_hash_word(std::string_view word) noexcept {
  return word.starts_with("0x") ? parse_hex(word.substr(2), 16) : std::nullopt;
}

std::vector<std::string_view> words_of_line(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at <= line.size();) {
    std::size_t const end = std::min(line.find(' ', at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

std::string answer_text(const StateAnswer& answer) {
  std::string text;
  auto const add = [&text](const std::string& word) { text.append(text.empty() ? "" : " ").append(word); };
  for (std::uint64_t const hash : answer.hashes) add(hash_word(hash));
  for (const AnsweredList& list : answer.lists) add(list_word(list));
  for (const ListedField& field : answer.fields) add(field_word(field));
  return text;
}

Result<StateAnswer, ComparisonError> parse_answer(const StatePath& path, std::string_view text) {
  StateAnswer answer;
  auto const wrong = [&](std::size_t word, const std::string& expected) {
    return ComparisonError{"answer to '" + path_text(path) + "': word " + std::to_string(word) + " is not " +
                           expected};
  };
  if (!text.empty()) {
    std::vector<std::string_view> const words = words_of_line(text);
    for (std::size_t i = 0; i < words.size(); ++i)
      if (char const* const expected = parse_word(path, words[i], answer)) return wrong(i + 1, expected);
  }
  if (path.depth == StateDepth::kWorld && answer.hashes.size() != kStatePartCount)
    return wrong(answer.hashes.size() + 1, "one of 9 hashes; the line ends there");
  return answer;
}

}  // namespace takt::sim
