#include "physics/state_hash.h"

#include <array>
#include <cstddef>
#include <span>
#include <type_traits>

#include "physics/state_visitor.h"
#include "takt/core/assert.h"
#include "takt/core/bytes.h"

namespace takt {
namespace {

/// Hands the encoding on piece by piece, so that it stays in the first cache.
class HashVisitor {
 public:
  explicit HashVisitor(StreamHasher& hasher) noexcept : hasher_(&hasher) {}
  template <class T>
  void value(const char*, T& field) noexcept {
    TAKT_ASSERT(at_ + sizeof(T) <= buffer_.data() + buffer_.size());
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
      if (at_ > buffer_.data() + kPieceBytes) hand_on();
    }
  }
  template <class List, class F>
  void varied_list(const char* name, List& elements, F visit) {
    list(name, elements, visit);
  }
  void hand_on() noexcept {
    hasher_->update(std::span<const std::byte>(buffer_.data(), at_));
    at_ = buffer_.data();
  }

 private:
  static constexpr std::size_t kPieceBytes = 8192;
  static constexpr std::size_t kMostBetweenBytes = 4096;  ///< between the ends of two elements of any lists

  StreamHasher* hasher_;
  std::array<std::byte, kPieceBytes + kMostBetweenBytes> buffer_;  // NOLINT: written before it is read
  std::byte* at_ = buffer_.data();
};

}  // namespace

template <class Real>
std::uint64_t hash_state(const WorldState<Real>& state, StreamHasher& hasher) {
  hasher.reset();
  HashVisitor visitor(hasher);
  visit_state(visitor, state);
  visitor.hand_on();
  return hasher.digest();
}

template std::uint64_t hash_state(const WorldState<float>&, StreamHasher&);
template std::uint64_t hash_state(const WorldState<Fixed>&, StreamHasher&);

}  // namespace takt
