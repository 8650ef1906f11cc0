// Writes the canonical encoding, field by field: whole images (image.cpp), and piece by piece for the hash (state_hash.cpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "takt/core/bytes.h"

namespace takt {

/// Writes into memory of its owner. After each element of a list it goes on where `next(at)` says, which is told how far it has come.
template <class Next>
class EncodeVisitor {
 public:
  EncodeVisitor(std::byte* at, Next next) noexcept : at_(at), next_(next) {}
  template <class T>
  void value(const char*, T& field) noexcept {
    store_little_endian(at_, std::remove_const_t<T>(field));
    at_ += sizeof(T);
  }
  template <class F>
  void group(const char*, F fields) {
    fields();
  }
  template <class List, class F>
  void list(const char*, List& elements, F visit) {
    value("", static_cast<const std::uint32_t&>(static_cast<std::uint32_t>(elements.size())));
    for (auto& element : elements) {
      visit(element);
      at_ = next_(at_);
    }
  }
  template <class List, class F>
  void varied_list(const char* name, List& elements, F visit) {
    list(name, elements, visit);
  }
  [[nodiscard]] std::byte* at() const noexcept { return at_; }

 private:
  std::byte* at_;
  Next next_;
};

}  // namespace takt
