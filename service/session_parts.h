// Session::ReplyParts is what the answer to a request has so far, and the functions here read parts of a
// request. session.cpp and session_edits.cpp share them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "service/session.h"
#include "service/wire/values.h"

namespace takt::service {

using flatbuffers::Offset;
using flatbuffers::Vector;

inline const char* text_of(const Vector<std::uint8_t>* bytes) {
  return bytes == nullptr ? nullptr : reinterpret_cast<const char*>(bytes->data());
}
inline std::size_t size_of(const Vector<std::uint8_t>* bytes) { return bytes == nullptr ? 0 : bytes->size(); }

// An array of doubles from a struct of a message; null for null.
class Numbers {
 public:
  explicit Numbers(const wire::Vec3* v) : is_set_(v != nullptr) {
    if (is_set_) from_wire(*v, values_.data());
  }
  explicit Numbers(const wire::Quat* q) : is_set_(q != nullptr) {
    if (is_set_) from_wire(*q, values_.data());
  }
  [[nodiscard]] const double* get() const noexcept { return is_set_ ? values_.data() : nullptr; }
  void put(double* out, std::size_t count) const noexcept { std::copy_n(values_.data(), count, out); }

 private:
  std::array<double, 4> values_{};
  bool is_set_;
};

// The elements of a vector of a message in the order of the machine; null for an empty one.
template <class T>
std::vector<T> copied(const Vector<T>* from) {
  if (from == nullptr) return {};
  return {from->begin(), from->end()};
}
template <class T>
const T* data_of(const std::vector<T>& rows) noexcept {
  return rows.empty() ? nullptr : rows.data();
}

struct Session::ReplyParts {
  std::uint32_t handle = 0;
  std::uint32_t worlds = 0;
  std::uint64_t tick = 0;
  double value = 0;
  double rate = 0;
  Offset<Vector<std::uint64_t>> ids;
  Offset<Vector<std::uint8_t>> bytes;
  Offset<wire::WorldInfo> info;
  Offset<wire::Observation> observation;
  Offset<Vector<const wire::AnswerItem*>> answers;
  Offset<Vector<const wire::HitItem*>> hits;
  Offset<Vector<const wire::ContactItem*>> contacts;
  Offset<Vector<const wire::EventItem*>> events;
  RecordedPart recorded;
};

}  // namespace takt::service
