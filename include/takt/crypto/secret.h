// Secret<Bytes> owns secret bytes: keys, mostly. The bytes lie in pages of their own between guard pages,
// locked in memory and left out of core dumps where the system allows it, and are wiped before they are
// freed. A Secret moves and does not copy, so the number of copies is visible in the code. It compares in
// constant time and has no operator<<. It makes no random bytes: the caller passes them in and wipes its own
// copy with wipe(). A Secret takes two pages of memory (8 kB), so a class with several keys holds one Secret.
// Library: libsodium's sodium_malloc.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "takt/core/assert.h"

namespace takt::crypto {

namespace detail {
/// Throws std::bad_alloc if the system has no memory.
[[nodiscard]] std::byte* allocate_secret(std::size_t bytes);
void free_secret(std::byte* secret) noexcept;
void copy_secret(std::byte* to, const std::byte* from, std::size_t bytes) noexcept;
}  // namespace detail

/// Overwrites bytes with zeros; the compiler keeps the writes.
void wipe(std::span<std::byte> bytes) noexcept;

/// Compares in a time that depends on the sizes alone. Spans of different sizes differ.
[[nodiscard]] bool equal_in_constant_time(std::span<const std::byte> a,
                                          std::span<const std::byte> b) noexcept;

template <std::size_t Bytes>
class Secret {
 public:
  static constexpr std::size_t kBytes = Bytes;

  /// Copies `bytes`. Throws std::bad_alloc if the system has no memory.
  explicit Secret(std::span<const std::byte, Bytes> bytes) : bytes_(detail::allocate_secret(Bytes)) {
    detail::copy_secret(bytes_, bytes.data(), Bytes);
  }
  Secret(const Secret&) = delete;
  Secret& operator=(const Secret&) = delete;
  Secret(Secret&& other) noexcept : bytes_(std::exchange(other.bytes_, nullptr)) {}
  Secret& operator=(Secret&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Secret() { detail::free_secret(bytes_); }

  /// A second copy, on purpose.
  [[nodiscard]] Secret clone() const { return Secret(reveal()); }

  /// The bytes themselves, for a function that computes with them. A moved-from Secret has none (asserted).
  [[nodiscard]] std::span<const std::byte, Bytes> reveal() const {
    TAKT_ASSERT(bytes_ != nullptr);
    return std::span<const std::byte, Bytes>(bytes_, Bytes);
  }
  /// The bytes for a function that replaces them in place.
  [[nodiscard]] std::span<std::byte, Bytes> reveal_for_writing() {
    TAKT_ASSERT(bytes_ != nullptr);
    return std::span<std::byte, Bytes>(bytes_, Bytes);
  }

  /// Constant time.
  friend bool operator==(const Secret& a, const Secret& b) {
    return equal_in_constant_time(a.reveal(), b.reveal());
  }

 private:
  std::byte* bytes_;
};

/// A key of ChaCha20-Poly1305, XChaCha20-Poly1305, X25519 or BLAKE2b.
using SecretKey = Secret<32>;

/// The two keys of a session. A datagram that is sent back to its sender does not open: the keys differ.
struct SessionKeys {
  SecretKey client_to_server;
  SecretKey server_to_client;
};

/// A short-lived copy of session keys, client to server first. Its owner wipes it.
using SessionKeyBytes = std::array<std::byte, 2 * SecretKey::kBytes>;

}  // namespace takt::crypto
