// ByteWriter and ByteReader encode and decode integers, bool, float, double and ids, value by value, in
// little-endian order. Saved states, hashes, and the heads of recording chunks and datagrams are encoded so.
// FlatBuffers encodes most messages and the payloads of recordings. ByteWriter appends to a caller's vector.
// ByteReader never reads past its end: such a read returns zero, and ok() is false from then on.
// store_little_endian() and load_little_endian() convert one value. is_printable() says whether a text of
// foreign bytes may reach a terminal, a log or another program as it is.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "takt/core/id.h"

namespace takt {

template <class T>
concept LittleEndianEncodable = std::integral<T> || std::same_as<T, float> || std::same_as<T, double>;

namespace detail {
template <std::size_t Bytes>
struct UintOf;
template <>
struct UintOf<1> {
  using type = std::uint8_t;
};
template <>
struct UintOf<2> {
  using type = std::uint16_t;
};
template <>
struct UintOf<4> {
  using type = std::uint32_t;
};
template <>
struct UintOf<8> {
  using type = std::uint64_t;
};

template <class T>
inline constexpr bool kIsId = false;
template <class Tag>
inline constexpr bool kIsId<Id<Tag>> = true;

template <std::unsigned_integral U>
constexpr U to_little_endian(U value) noexcept {
  if constexpr (std::endian::native == std::endian::little || sizeof(U) == 1) {
    return value;
  } else if constexpr (sizeof(U) == 2) {
    return __builtin_bswap16(value);
  } else if constexpr (sizeof(U) == 4) {
    return __builtin_bswap32(value);
  } else {
    return __builtin_bswap64(value);
  }
}
}  // namespace detail

/// Stores `value` in the sizeof(T) bytes at `to`, in little-endian order and without alignment. A float is
/// stored by its bits, a bool as one byte 0 or 1.
template <LittleEndianEncodable T>
inline void store_little_endian(std::byte* to, T value) noexcept {
  using U = typename detail::UintOf<sizeof(T)>::type;
  U const bits = detail::to_little_endian(std::bit_cast<U>(value));
  std::memcpy(to, &bits, sizeof bits);
}

/// Loads a value from the sizeof(T) bytes at `from`, the inverse of store_little_endian. A bool is true for
/// any byte but 0.
template <LittleEndianEncodable T>
[[nodiscard]] inline T load_little_endian(const std::byte* from) noexcept {
  using U = typename detail::UintOf<sizeof(T)>::type;
  U bits;
  std::memcpy(&bits, from, sizeof bits);
  bits = detail::to_little_endian(bits);
  if constexpr (std::same_as<T, bool>) {
    return bits != 0;
  } else {
    return std::bit_cast<T>(bits);
  }
}

/// Appends values to a byte vector that the caller owns and that must outlive the writer.
class ByteWriter {
 public:
  explicit ByteWriter(std::vector<std::byte>& out) noexcept : out_(&out) {}

  template <LittleEndianEncodable T>
  void put(T value) {
    std::size_t const at = out_->size();
    out_->resize(at + sizeof(T));
    store_little_endian(out_->data() + at, value);
  }
  /// Appends eight bytes, Id::to_u64().
  template <class Tag>
  void put(Id<Tag> id) {
    put(id.to_u64());
  }
  /// Appends the bytes without a length. `bytes` must not lie in the writer's own vector.
  void put_bytes(std::span<const std::byte> bytes) { out_->insert(out_->end(), bytes.begin(), bytes.end()); }

  /// Size of the vector, with the bytes that it had before this writer.
  [[nodiscard]] std::size_t size() const noexcept { return out_->size(); }

 private:
  std::vector<std::byte>* out_;
};

/// Reads values from bytes that the caller owns and that must outlive the reader. The first read past the end
/// moves the reader to the end: ok() stays false, remaining() is 0, and every later read returns zero.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) noexcept : bytes_(bytes) {}

  template <LittleEndianEncodable T>
  [[nodiscard]] T get() noexcept {
    if (sizeof(T) > remaining()) {
      fail();
      return T{};
    }
    T const value = load_little_endian<T>(bytes_.data() + at_);
    at_ += sizeof(T);
    return value;
  }
  /// get<BodyId>() reads an id that put() wrote. A read past the end returns the null id.
  template <class T>
  requires detail::kIsId<T>
  [[nodiscard]] T get() noexcept { return T::from_u64(get<std::uint64_t>()); }
  /// Returns the next `count` bytes. With fewer left, returns an empty span and ok() becomes false.
  [[nodiscard]] std::span<const std::byte> get_bytes(std::size_t count) noexcept {
    if (count > remaining()) {
      fail();
      return {};
    }
    auto const part = bytes_.subspan(at_, count);
    at_ += count;
    return part;
  }

  [[nodiscard]] bool ok() const noexcept { return ok_; }
  /// Number of bytes before the next read.
  [[nodiscard]] std::size_t offset() const noexcept { return at_; }
  [[nodiscard]] std::size_t remaining() const noexcept { return bytes_.size() - at_; }

 private:
  void fail() noexcept {
    ok_ = false;
    at_ = bytes_.size();
  }
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  bool ok_ = true;
};

/// True for valid UTF-8 without control characters (U+0000 to U+001F, U+007F to U+009F). Names of players on
/// the wire and in tokens are checked with it; printable_text() of protocol/messages/message.h removes
/// characters.
[[nodiscard]] bool is_printable(std::string_view text) noexcept;

}  // namespace takt
