#include "sim/comparison/state_path.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

namespace takt::sim {
namespace {

constexpr std::array<std::string_view, kStatePartCount> kPartNames{
    "settings", "bodies", "shapes", "contacts", "joints", "ropes", "movers", "sim", "game"};

// First words of the lists of visit_state() of world and SimState.
constexpr std::array<std::pair<std::string_view, StatePart>, 22> kLists{{
    {"world", StatePart::kSettings},   {"body", StatePart::kBodies},       {"target", StatePart::kBodies},
    {"shape", StatePart::kShapes},     {"hull", StatePart::kShapes},       {"surface", StatePart::kShapes},
    {"contact", StatePart::kContacts}, {"overlap", StatePart::kContacts},  {"grab", StatePart::kJoints},
    {"joint", StatePart::kJoints},     {"joint_axis", StatePart::kJoints}, {"rope", StatePart::kRopes},
    {"rope_node", StatePart::kRopes},  {"rope_pin", StatePart::kRopes},    {"mover", StatePart::kMovers},
    {"sim", StatePart::kSim},          {"player", StatePart::kSim},        {"owned", StatePart::kSim},
    {"force", StatePart::kSim},        {"shuttle", StatePart::kSim},       {"game", StatePart::kGame},
    {"game_name", StatePart::kGame},
}};

constexpr std::uint64_t kMaxBlock = 0xffffffffu / kRecordsPerBlock;  // lists count by u32

std::string part_names() {
  std::string text;
  for (std::string_view const name : kPartNames) text.append(text.empty() ? "" : ", ").append(name);
  return text;
}

// A word of a path for an error line: untrusted bytes, so only the first of them and only printable ones.
std::string quoted(std::string_view word) {
  std::string text = "'";
  for (char const letter : word.substr(0, kMaxListNameBytes))
    text += letter > ' ' && letter <= '~' ? letter : '?';
  return text + (word.size() > kMaxListNameBytes ? "...'" : "'");
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at <= text.size() && words.size() < 7;) {
    std::size_t const end = std::min(text.find('/', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

}  // namespace

std::string_view name_of(StatePart part) noexcept { return kPartNames[static_cast<std::size_t>(part)]; }

std::optional<StatePart> part_of(std::string_view list) noexcept {
  std::string_view const word = list.substr(0, list.find('.'));
  for (auto const& [name, part] : kLists)
    if (name == word) return part;
  return std::nullopt;
}

std::string path_text(const StatePath& path) {
  std::string text = "world";
  if (path.depth >= StateDepth::kPart) text.append("/").append(name_of(path.part));
  if (path.depth >= StateDepth::kBlock)
    text.append("/").append(path.list).append("/" + std::to_string(path.block));
  if (path.depth >= StateDepth::kRecord) text.append("/" + std::to_string(path.record));
  return text;
}

Result<StatePath, ComparisonError> parse_path(std::string_view text) {
  std::vector<std::string_view> const words = words_of(text);
  auto const wrong = [&](const std::string& what) {
    return ComparisonError{"path " + quoted(text) + ": " + what};
  };
  if (words[0] != "world") return wrong("it must begin with 'world', not " + quoted(words[0]));
  if (words.size() == 3) return wrong("a list needs the number of a block");
  if (words.size() > 5)
    return wrong("it has more than 5 words; the longest form is world/PART/LIST/BLOCK/RECORD");
  StatePath path;
  if (words.size() == 1) return path;
  auto const part = std::ranges::find(kPartNames, words[1]);
  if (part == kPartNames.end())
    return wrong("there is no part " + quoted(words[1]) + "; parts are " + part_names());
  path.depth = StateDepth::kPart;
  path.part = static_cast<StatePart>(part - kPartNames.begin());
  if (words.size() == 2) return path;
  if (!is_state_name(words[2]) || part_of(words[2]) != path.part)
    return wrong(quoted(words[2]) + " is no list of the part " + std::string(words[1]));
  std::optional<std::uint64_t> const block = parse_count(words[3], kMaxBlock);
  if (!block)
    return wrong("block " + quoted(words[3]) + " is no number from 0 to " + std::to_string(kMaxBlock));
  path.depth = StateDepth::kBlock;
  path.list = words[2];
  path.block = *block;
  if (words.size() == 4) return path;
  std::optional<std::uint64_t> const record = parse_count(words[4], kRecordsPerBlock - 1);
  if (!record) return wrong("record " + quoted(words[4]) + " is no number from 0 to 63");
  path.depth = StateDepth::kRecord;
  path.record = static_cast<std::uint32_t>(*record);
  return path;
}

std::optional<std::uint64_t> parse_count(std::string_view text, std::uint64_t max) noexcept {
  std::uint64_t value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  bool const is_canonical = text.size() == 1 || !text.starts_with('0');
  if (error != std::errc() || end != text.data() + text.size() || !is_canonical || value > max)
    return std::nullopt;
  return value;
}

bool is_state_name(std::string_view text) noexcept {
  return !text.empty() && text.size() <= kMaxListNameBytes && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '[' || c == ']';
  });
}

}  // namespace takt::sim
