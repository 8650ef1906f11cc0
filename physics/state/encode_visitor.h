// EncodeVisitor, a visitor of visit_state() (state_visitor.h), writes the bytes of a world's saved state into
// the caller's memory. world_image.cpp writes them in one piece; state_hash.cpp takes them in pieces for the
// hash. On a little-endian host the visitor copies runs of adjacent fields as they are in memory (visit_run).
// A contact then takes three copies instead of fifty-five stores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "takt/core/assert.h"
#include "takt/core/bytes.h"

namespace takt {

/// Writes into the caller's memory at `at`, which must have room for all that is written until the next call
/// of `next`. After each element of a list, writing continues at the address that `next(end of the element)`
/// returns.
template <class Next>
class EncodeVisitor {
 public:
  EncodeVisitor(std::byte* at, Next next) noexcept : at_(at), next_(next) {}
  template <class T>
  void value(const char*, T& field) noexcept {
    store_little_endian(at_, std::remove_const_t<T>(field));
    at_ += sizeof(T);
  }
  /// Copies fields whose memory equals their encoding.
  void bytes(const std::byte* from, std::size_t count) noexcept {
    // The compiler learns the count too late to inline one memcpy: it would call the library for nine bytes.
    for (; count >= 64; count -= 64) take<64>(from);
    if ((count & 32u) != 0) take<32>(from);
    if ((count & 16u) != 0) take<16>(from);
    if ((count & 8u) != 0) take<8>(from);
    if ((count & 4u) != 0) take<4>(from);
    if ((count & 2u) != 0) take<2>(from);
    if ((count & 1u) != 0) take<1>(from);
  }
  template <class F>
  void group(const char*, F fields) {
    fields();
  }
  template <class List, class F>
  void list(const char*, List& elements, F visit) {
    TAKT_ASSERT(elements.size() <= 0xffffffffu);
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
  /// Address past the last byte written.
  [[nodiscard]] std::byte* at() const noexcept { return at_; }

 private:
  template <std::size_t kBytes>
  void take(const std::byte*& from) noexcept {
    std::memcpy(at_, from, kBytes);
    at_ += kBytes;
    from += kBytes;
  }

  std::byte* at_;
  Next next_;
};

}  // namespace takt
