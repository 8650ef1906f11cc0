#include "takt/core/state_fields.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <limits>
#include <utility>

#include "takt/core/assert.h"
#include "takt/core/bytes.h"
#include "takt/core/hash.h"

namespace takt {
namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

template <class T>
std::string digits(T value) {
  std::array<char, 64> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

float float_of(std::uint64_t bits) noexcept { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }

std::string value_text(const ListedField& field) {
  switch (field.kind) {
    case FieldKind::kBool:
    case FieldKind::kU8:
    case FieldKind::kU16:
    case FieldKind::kU32:
    case FieldKind::kU64: return digits(field.bits);
    case FieldKind::kI8: return digits(static_cast<int>(static_cast<std::int8_t>(field.bits)));
    case FieldKind::kI16: return digits(static_cast<int>(static_cast<std::int16_t>(field.bits)));
    case FieldKind::kI32: return digits(static_cast<std::int32_t>(field.bits));
    case FieldKind::kI64: return digits(static_cast<std::int64_t>(field.bits));
    case FieldKind::kF32: return digits(float_of(field.bits));
    case FieldKind::kF64: return digits(std::bit_cast<double>(field.bits));
    case FieldKind::kText: break;
  }
  return '"' + field.text + '"';
}

double number_of(const ListedField& field) noexcept {
  switch (field.kind) {
    case FieldKind::kBool:
    case FieldKind::kU8:
    case FieldKind::kU16:
    case FieldKind::kU32:
    case FieldKind::kU64: return static_cast<double>(field.bits);
    case FieldKind::kI8: return static_cast<double>(static_cast<std::int8_t>(field.bits));
    case FieldKind::kI16: return static_cast<double>(static_cast<std::int16_t>(field.bits));
    case FieldKind::kI32: return static_cast<double>(static_cast<std::int32_t>(field.bits));
    case FieldKind::kI64: return static_cast<double>(static_cast<std::int64_t>(field.bits));
    case FieldKind::kF32: return static_cast<double>(float_of(field.bits));
    case FieldKind::kF64: return std::bit_cast<double>(field.bits);
    case FieldKind::kText: break;
  }
  return kNotANumber;
}

// The difference in exact integers where both are integers of 64 bits, whose doubles may be equal.
double difference_of(const ListedField& left, const ListedField& right) noexcept {
  if (left.kind == FieldKind::kI64 && right.kind == FieldKind::kI64)
    return static_cast<double>(static_cast<std::int64_t>(right.bits - left.bits));
  return number_of(right) - number_of(left);
}

std::string bits_text(const ListedField& field) {
  unsigned const digit_count = width_bits(field.kind) / 4;
  if (digit_count == 0) return {};
  std::string text = "0x" + std::string(digit_count, '0');
  std::uint64_t bits = field.bits;
  for (auto at = text.rbegin(); bits != 0 && *at != 'x'; ++at, bits >>= 4u)
    *at = "0123456789abcdef"[bits & 15u];
  return text;
}

// Position of a float in the order of all floats of its width; none if it is not finite.
std::optional<std::int64_t> float_rank(const ListedField& field) noexcept {
  bool const is_single = field.kind == FieldKind::kF32;
  if (!is_single && field.kind != FieldKind::kF64) return std::nullopt;
  double const value = number_of(field);
  if (!(value - value == 0.0)) return std::nullopt;
  std::uint64_t const sign = is_single ? 0x80000000u : std::uint64_t{1} << 63u;
  auto const size = static_cast<std::int64_t>(field.bits & (sign - 1));
  return (field.bits & sign) != 0 ? -size : size;
}

std::optional<std::uint64_t> ulps_of(const ListedField& left, const ListedField& right) noexcept {
  std::optional<std::int64_t> const l = float_rank(left);
  std::optional<std::int64_t> const r = float_rank(right);
  if (left.kind != right.kind || !l || !r) return std::nullopt;
  std::uint64_t const distance = static_cast<std::uint64_t>(*r) - static_cast<std::uint64_t>(*l);
  return *r < *l ? 0 - distance : distance;
}

StateDifference difference_between(const std::string& record, const ListedField* left,
                                   const ListedField* right) {
  StateDifference out;
  out.path = record + '.' + (left != nullptr ? left : right)->name;
  out.left = left != nullptr ? value_text(*left) : "absent";
  out.right = right != nullptr ? value_text(*right) : "absent";
  if (left != nullptr) out.left_bits = bits_text(*left);
  if (right != nullptr) out.right_bits = bits_text(*right);
  out.by = kNotANumber;
  if (left != nullptr && right != nullptr) {
    out.by = difference_of(*left, *right);
    out.ulps = ulps_of(*left, *right);
  }
  return out;
}

// Adds the number of its occurrence to each name that occurs more than once.
void number_repeated_names(std::vector<ListedField>& fields) {
  std::vector<std::string> names;
  names.reserve(fields.size());
  for (ListedField& field : fields) names.push_back(field.name);
  for (std::size_t i = 0; i < names.size(); ++i) {
    auto const at = names.begin() + static_cast<std::ptrdiff_t>(i);
    auto const before = std::count(names.begin(), at, names[i]);
    if (before == 0 && std::find(at + 1, names.end(), names[i]) == names.end()) continue;
    std::string& name = fields[i].name;
    name.insert(std::min(name.find('.'), name.size()), '[' + std::to_string(before) + ']');
  }
}

const RecordList* find_list(std::span<const RecordList> lists, std::string_view name) noexcept {
  auto const found = std::ranges::find(lists, name, &RecordList::name);
  return found == lists.end() ? nullptr : &*found;
}

std::size_t count_of(const RecordList* list) noexcept { return list != nullptr ? list->hashes.size() : 0; }

// Chooses the records of a list that differ until `chosen` has `max`.
void choose_different(const std::string& name, const RecordList* left, const RecordList* right,
                      std::size_t max, std::vector<ListedRecord>& chosen) {
  bool const is_list = (left != nullptr ? left : right)->is_list;
  std::size_t const both = std::min(count_of(left), count_of(right));
  std::size_t const end = std::max(count_of(left), count_of(right));
  for (std::size_t i = 0; i < end && chosen.size() < max; ++i) {
    if (i < both && left->hashes[i] == right->hashes[i]) continue;
    chosen.push_back({name, is_list ? i : kNotInList, {}});
  }
}

}  // namespace

unsigned width_bits(FieldKind kind) noexcept {
  switch (kind) {
    case FieldKind::kBool:
    case FieldKind::kU8:
    case FieldKind::kI8: return 8;
    case FieldKind::kU16:
    case FieldKind::kI16: return 16;
    case FieldKind::kU32:
    case FieldKind::kI32:
    case FieldKind::kF32: return 32;
    case FieldKind::kU64:
    case FieldKind::kI64:
    case FieldKind::kF64: return 64;
    case FieldKind::kText: break;
  }
  return 0;
}

std::string message(const StateDifference& difference) {
  auto const side = [](const std::string& value, const std::string& bits) {
    return bits.empty() ? value : value + " (" + bits + ')';
  };
  std::string text = difference.path + ": " + side(difference.left, difference.left_bits) +
                     " != " + side(difference.right, difference.right_bits);
  if (difference.ulps) text += ", " + std::to_string(*difference.ulps) + " ULP";
  return text;
}

void RecordHasher::begin_record(std::string_view list, std::uint64_t index) {
  auto found = std::ranges::find(lists_, list, &RecordList::name);
  if (found == lists_.end()) {
    lists_.push_back({std::string(list), index != kNotInList, {}});
    found = std::prev(lists_.end());
  }
  TAKT_ASSERT(index == found->hashes.size() || (index == kNotInList && found->hashes.empty()));
  if (depth_ == open_.size()) open_.emplace_back();
  OpenRecord& record = open_[depth_++];
  record.list = static_cast<std::size_t>(found - lists_.begin());
  record.index = found->hashes.size();
  record.bytes.clear();
  found->hashes.push_back(0);
}

void RecordHasher::field(const StateField& field) {
  std::vector<std::byte>& bytes = open_[depth_ - 1].bytes;
  bool const is_text = field.kind == FieldKind::kText;
  std::array<std::byte, 9> head{};
  head[0] = static_cast<std::byte>(field.kind);
  store_little_endian(head.data() + 1, is_text ? std::uint64_t{field.text.size()} : field.bits);
  bytes.insert(bytes.end(), head.begin(), head.end());
  for (char const letter : field.text) bytes.push_back(static_cast<std::byte>(letter));
}

void RecordHasher::end_record() {
  OpenRecord const& record = open_[--depth_];
  lists_[record.list].hashes[record.index] = hash_bytes(record.bytes);
}

void RecordLister::begin_record(std::string_view list, std::uint64_t index) {
  auto const found = std::ranges::find_if(
      records_, [&](const ListedRecord& record) { return record.index == index && record.list == list; });
  open_.push_back(found == records_.end() ? nullptr : &*found);
}

void RecordLister::field(const StateField& field) {
  if (open_.back() == nullptr) return;
  open_.back()->fields.push_back({std::string(field.name), field.kind, field.bits, std::string(field.text)});
}

void RecordLister::end_record() {
  if (open_.back() != nullptr) number_repeated_names(open_.back()->fields);
  open_.pop_back();
}

std::string record_path(std::string_view list, std::uint64_t index) {
  std::string path(list);
  return index == kNotInList ? path : path + '[' + std::to_string(index) + ']';
}

void compare_fields(const std::string& record, std::span<const ListedField> left,
                    std::span<const ListedField> right, std::size_t max, std::vector<StateDifference>& out) {
  std::size_t i = 0;
  std::size_t j = 0;
  while ((i < left.size() || j < right.size()) && out.size() < max) {
    if (i < left.size() && j < right.size() && left[i].name == right[j].name) {
      if (!(left[i] == right[j])) out.push_back(difference_between(record, &left[i], &right[j]));
      ++i;
      ++j;
      continue;
    }
    // The side whose field does not occur later on the other side has an extra field.
    bool const is_left_extra = i < left.size() && std::ranges::find(right.subspan(j), left[i].name,
                                                                    &ListedField::name) == right.end();
    if (is_left_extra) {
      out.push_back(difference_between(record, &left[i++], nullptr));
    } else {
      out.push_back(difference_between(record, nullptr, &right[j++]));
    }
  }
}

void compare_counts(const std::string& name, std::size_t left, std::size_t right,
                    std::vector<StateDifference>& out) {
  if (left == right) return;
  out.push_back({name + "_count",
                 std::to_string(left),
                 std::to_string(right),
                 static_cast<double>(right) - static_cast<double>(left),
                 {},
                 {},
                 std::nullopt});
}

std::vector<StateDifference> compare_records(const FieldSource& left, const FieldSource& right,
                                             std::size_t max) {
  RecordHasher left_hashes;
  RecordHasher right_hashes;
  left(left_hashes);
  right(right_hashes);
  std::vector<std::string> names;
  for (const RecordList& list : left_hashes.lists()) names.push_back(list.name);
  for (const RecordList& list : right_hashes.lists())
    if (find_list(left_hashes.lists(), list.name) == nullptr) names.push_back(list.name);

  std::vector<ListedRecord> chosen;
  for (const std::string& name : names)
    choose_different(name, find_list(left_hashes.lists(), name), find_list(right_hashes.lists(), name), max,
                     chosen);
  RecordLister left_fields(chosen);
  RecordLister right_fields(std::move(chosen));
  left(left_fields);
  right(right_fields);

  std::vector<StateDifference> differences;
  std::size_t next = 0;
  std::span const records(left_fields.records());
  for (const std::string& name : names) {
    if (differences.size() >= max) break;
    compare_counts(name, count_of(find_list(left_hashes.lists(), name)),
                   count_of(find_list(right_hashes.lists(), name)), differences);
    for (; next < records.size() && records[next].list == name; ++next)
      compare_fields(record_path(name, records[next].index), records[next].fields,
                     right_fields.records()[next].fields, max, differences);
  }
  return differences;
}

}  // namespace takt
