// FieldWriter and FieldReader encode and decode the fields of structs, one call for each field, with the same
// list of fields for both directions. Inputs (command.cpp) and SimState (state_encoding.cpp) are written and
// read so; scene_hash() uses FieldWriter alone. Numbers are little-endian (takt/core/bytes.h). FieldReader
// checks lengths and flags, not values. Code that frames the bytes adds version and checksum
// (recording_chunk.h, simulation_image.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "takt/core/bytes.h"
#include "takt/core/id.h"
#include "takt/physics/body.h"
#include "takt/physics/joint.h"
#include "takt/physics/softness.h"
#include "takt/physics/vector.h"

namespace takt::sim {

/// Longest string of bytes that FieldReader accepts. It is above every limit of a command, so that a value
/// over a limit is recorded and replays as the refusal that it was.
inline constexpr std::size_t kMaxDecodedBytes = 64 * 1024;
/// Longest list that FieldReader accepts, above kMaxRopeNodes.
inline constexpr std::size_t kMaxDecodedElements = 8 * 1024;

/// A struct whose static fields() returns a tuple of references to its members (takt/sim/command.h).
template <class T>
concept HasFields = requires(T& value) {
  T::fields(value);
};

/// Appends fields to a ByteWriter, which must outlive it. Lengths are not checked.
class FieldWriter {
 public:
  explicit FieldWriter(ByteWriter& out) noexcept : out_(&out) {}

  template <LittleEndianEncodable T>
  void operator()(const T& value) {
    out_->put(value);
  }
  template <class E>
  requires std::is_enum_v<E>
  void operator()(const E& value) { out_->put(static_cast<std::underlying_type_t<E>>(value)); }
  template <class Tag>
  void operator()(const Id<Tag>& id) {
    out_->put(id);
  }
  template <LittleEndianEncodable T>
  void operator()(const Vec3<T>& v) {
    out_->put(v.x);
    out_->put(v.y);
    out_->put(v.z);
  }
  template <LittleEndianEncodable T>
  void operator()(const Quat<T>& q) {
    out_->put(q.x);
    out_->put(q.y);
    out_->put(q.z);
    out_->put(q.w);
  }
  void operator()(const Position& p) {
    out_->put(p.x_raw);
    out_->put(p.y_raw);
    out_->put(p.z_raw);
  }
  void operator()(const Softness& softness) {
    (*this)(softness.form());
    out_->put(softness.first());
    out_->put(softness.second());
  }
  /// A byte 0 or 1, then the value if 1.
  template <class T>
  void operator()(const std::optional<T>& value) {
    out_->put(value.has_value());
    if (value) (*this)(*value);
  }
  /// All members of T::fields(), in order.
  template <HasFields T>
  void operator()(const T& value) {
    std::apply([this](const auto&... field) { ((*this)(field), ...); }, T::fields(value));
  }
  void operator()(const JointFrame& frame) {
    (*this)(frame.position_m);
    (*this)(frame.rotation);
  }
  void operator()(const ShapeFilter& filter) {
    out_->put(filter.category);
    out_->put(filter.mask);
    out_->put(filter.group);
  }
  /// The number of elements, then each.
  template <class T>
  void operator()(const std::vector<T>& elements) {
    out_->put(static_cast<std::uint32_t>(elements.size()));
    for (const T& element : elements) (*this)(element);
  }
  void operator()(const std::vector<std::byte>& value) {
    out_->put(static_cast<std::uint32_t>(value.size()));
    out_->put_bytes(value);
  }
  void operator()(const std::string& value) { text(value, kMaxDecodedBytes); }
  void text(const std::string& value, std::size_t /*max*/) {
    out_->put(static_cast<std::uint32_t>(value.size()));
    out_->put_bytes(std::as_bytes(std::span(value)));
  }

 private:
  ByteWriter* out_;
};

/// Reads fields from a ByteReader, which must outlive it. Call ok() after the last field: a failed read
/// leaves 0 or an empty value.
class FieldReader {
 public:
  explicit FieldReader(ByteReader& in) noexcept : in_(&in) {}

  /// False once the bytes ended within a field, a flag was neither 0 nor 1, or a string was too long.
  [[nodiscard]] bool ok() const noexcept { return ok_ && in_->ok(); }

  template <LittleEndianEncodable T>
  void operator()(T& value) {
    value = in_->get<T>();
  }
  void operator()(bool& value) { value = flag(); }
  template <class E>
  requires std::is_enum_v<E>
  void operator()(E& value) {
    value = static_cast<E>(in_->get<std::underlying_type_t<E>>());  // any value: whoever uses it checks it
  }
  template <class Tag>
  void operator()(Id<Tag>& id) {
    id = in_->get<Id<Tag>>();
  }
  template <LittleEndianEncodable T>
  void operator()(Vec3<T>& v) {
    v.x = in_->get<T>();
    v.y = in_->get<T>();
    v.z = in_->get<T>();
  }
  template <LittleEndianEncodable T>
  void operator()(Quat<T>& q) {
    q.x = in_->get<T>();
    q.y = in_->get<T>();
    q.z = in_->get<T>();
    q.w = in_->get<T>();
  }
  void operator()(Position& p) {
    p.x_raw = in_->get<std::int64_t>();
    p.y_raw = in_->get<std::int64_t>();
    p.z_raw = in_->get<std::int64_t>();
  }
  void operator()(Softness& softness) {
    auto const form =
        static_cast<Softness::Form>(in_->get<std::uint8_t>());  // any value: is_valid() judges it
    auto const first = in_->get<double>();
    softness = Softness::from_parts(form, first, in_->get<double>());
  }
  template <class T>
  void operator()(std::optional<T>& value) {
    value.reset();
    if (flag())
      (*this)(
          value.emplace(T{}));  // clang does not take a nested type with defaults for default constructible
  }
  template <HasFields T>
  void operator()(T& value) {
    std::apply([this](auto&... field) { ((*this)(field), ...); }, T::fields(value));
  }
  void operator()(JointFrame& frame) {
    (*this)(frame.position_m);
    (*this)(frame.rotation);
  }
  void operator()(ShapeFilter& filter) {
    filter.category = in_->get<std::uint32_t>();
    filter.mask = in_->get<std::uint32_t>();
    filter.group = in_->get<std::int32_t>();
  }
  /// Ends with the bytes, so that a wrong number of elements allocates no more than the bytes need.
  template <class T>
  void operator()(std::vector<T>& elements) {
    elements.clear();
    auto const count = in_->get<std::uint32_t>();
    if (count > kMaxDecodedElements) ok_ = false;
    for (std::uint32_t i = 0; i < count && ok(); ++i) (*this)(elements.emplace_back());
  }
  void operator()(std::vector<std::byte>& value) {
    auto const part = counted(kMaxDecodedBytes);
    value.assign(part.begin(), part.end());
  }
  void operator()(std::string& value) { text(value, kMaxDecodedBytes); }
  void text(std::string& value, std::size_t max) {
    value.clear();
    for (std::byte const b : counted(max)) value.push_back(static_cast<char>(b));
  }

 private:
  // 0 or 1 only, so that one value has one encoding.
  bool flag() {
    auto const byte = in_->get<std::uint8_t>();
    if (byte > 1) ok_ = false;
    return byte == 1;
  }
  std::span<const std::byte> counted(std::size_t max) {
    auto const count = in_->get<std::uint32_t>();
    if (count > max) {
      ok_ = false;
      return {};
    }
    return in_->get_bytes(count);
  }

  ByteReader* in_;
  bool ok_ = true;
};

}  // namespace takt::sim
