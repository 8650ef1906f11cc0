// A state as records of fields, for tools that compare states. World::list_fields() and
// Simulation::list_fields() pass a state to a FieldSink. RecordHasher computes one hash per record,
// RecordLister collects the fields of chosen records, and compare_records() returns the fields in which two
// states differ as StateDifferences. Only records with different hashes are listed, so equal states cost two
// passes and little memory. Records are matched by list and index. Steps use nothing of this header.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "takt/core/bytes.h"

namespace takt {

/// Type of a field of the state. The values are frozen: hashes of records cover them.
enum class FieldKind : std::uint8_t {
  kBool = 1,
  kU8 = 2,
  kU16 = 3,
  kU32 = 4,
  kU64 = 5,
  kI8 = 6,
  kI16 = 7,
  kI32 = 8,
  kI64 = 9,
  kF32 = 10,
  kF64 = 11,
  kText = 12,
};

/// One field of a record. Its texts are borrowed for the duration of the call.
struct StateField {
  std::string_view name;  ///< in the record: "linear_velocity.y"
  FieldKind kind = FieldKind::kU32;
  std::uint64_t bits = 0;  ///< the field's bytes, little-endian, zeros above its width; 0 of a text
  std::string_view text;   ///< of kText
};

/// Index of a record that is no element of a list, such as the settings of the world.
inline constexpr std::uint64_t kNotInList = ~std::uint64_t{0};

/// Receives a state as records of fields, in the order of the canonical encoding. A record may begin within
/// another one: the elements of a list inside of a record are records of a list of their own, which counts
/// through all of its parents ("hull.corner").
class FieldSink {
 public:
  FieldSink() = default;
  FieldSink(const FieldSink&) = delete;
  FieldSink& operator=(const FieldSink&) = delete;
  virtual ~FieldSink() = default;

  /// `list` is a name such as "body.record". `index` counts its records from 0, or is kNotInList.
  virtual void begin_record(std::string_view list, std::uint64_t index) = 0;
  virtual void field(const StateField& field) = 0;
  virtual void end_record() = 0;
};

/// One field in which two states differ.
struct StateDifference {
  std::string path;  ///< record and field, such as "body.record[17].linear_velocity.y"
  std::string left;  ///< the field's value, decimal; "absent" where the state lacks the field
  std::string right;
  double by = 0.0;                    ///< right - left as a number; NaN where the field is not a number
  std::string left_bits;              ///< "0x3f9df3b6"; empty for a text, a count or an absent field
  std::string right_bits;             ///< as left_bits
  std::optional<std::uint64_t> ulps;  ///< floats between the two values, both finite; else none
};

/// "<path>: <left> (<bits>) != <right> (<bits>), 1 ULP"
[[nodiscard]] std::string message(const StateDifference& difference);

template <class T>
[[nodiscard]] constexpr FieldKind field_kind_of() noexcept {
  if constexpr (std::is_same_v<T, bool>) {
    return FieldKind::kBool;
  } else if constexpr (std::is_floating_point_v<T>) {
    return sizeof(T) == 4 ? FieldKind::kF32 : FieldKind::kF64;
  } else {
    constexpr int kWidth = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    constexpr FieldKind kFirst = std::is_unsigned_v<T> ? FieldKind::kU8 : FieldKind::kI8;
    return static_cast<FieldKind>(static_cast<int>(kFirst) + kWidth);
  }
}

/// The field of a number, an integer or a bool.
template <LittleEndianEncodable T>
[[nodiscard]] StateField number_field(std::string_view name, T value) noexcept {
  std::array<std::byte, 8> bytes{};
  store_little_endian(bytes.data(), value);
  return {name, field_kind_of<T>(), load_little_endian<std::uint64_t>(bytes.data()), {}};
}

struct RecordList {
  std::string name;
  bool is_list = true;                ///< false: one record that is no element, such as the settings
  std::vector<std::uint64_t> hashes;  ///< of each record: XXH3-64 over kind and value of its fields
};

/// Lists in the order of their first records; a list without records is absent.
class RecordHasher final : public FieldSink {
 public:
  void begin_record(std::string_view list, std::uint64_t index) override;
  void field(const StateField& field) override;
  void end_record() override;
  [[nodiscard]] const std::vector<RecordList>& lists() const noexcept { return lists_; }

 private:
  struct OpenRecord {
    std::size_t list = 0;
    std::size_t index = 0;
    std::vector<std::byte> bytes;
  };
  std::vector<RecordList> lists_;
  std::vector<OpenRecord> open_;  // records within records
  std::size_t depth_ = 0;         // of open_ in use
};

/// A record's field with a text of its own. A name that occurs several times in a record has the number of
/// its occurrence: "feature[2]", "position[2].y".
struct ListedField {
  std::string name;
  FieldKind kind = FieldKind::kU32;
  std::uint64_t bits = 0;
  std::string text;
  friend bool operator==(const ListedField&, const ListedField&) = default;
};

struct ListedRecord {
  std::string list;
  std::uint64_t index = 0;  ///< kNotInList outside of lists
  std::vector<ListedField> fields;
};

/// Fields of the records that its user chose, in the user's order; a record that the state lacks has none.
class RecordLister final : public FieldSink {
 public:
  explicit RecordLister(std::vector<ListedRecord> chosen) : records_(std::move(chosen)) {}
  void begin_record(std::string_view list, std::uint64_t index) override;
  void field(const StateField& field) override;
  void end_record() override;
  [[nodiscard]] const std::vector<ListedRecord>& records() const noexcept { return records_; }

 private:
  std::vector<ListedRecord> records_;
  std::vector<ListedRecord*> open_;  // null: not chosen
};

/// Bits that a field of this kind has room for; 0 of a text.
[[nodiscard]] unsigned width_bits(FieldKind kind) noexcept;

/// "contact[12]", or "world" outside of lists.
[[nodiscard]] std::string record_path(std::string_view list, std::uint64_t index);

/// Appends the fields in which two records differ until `out` has `max` entries.
void compare_fields(const std::string& record, std::span<const ListedField> left,
                    std::span<const ListedField> right, std::size_t max, std::vector<StateDifference>& out);

/// Appends the different lengths of a list; `name` is that of the list.
void compare_counts(const std::string& name, std::size_t left, std::size_t right,
                    std::vector<StateDifference>& out);

/// Passes a state to the sink; equal on each call.
using FieldSource = std::function<void(FieldSink&)>;

/// The first `max` fields in which two states differ.
[[nodiscard]] std::vector<StateDifference> compare_records(const FieldSource& left, const FieldSource& right,
                                                           std::size_t max);

}  // namespace takt
