// hash_bytes() computes XXH3-64 of one span of bytes, with seed 0 unless a seed is given. StreamHasher
// computes XXH3-64 with seed 0 of bytes that arrive in pieces. Equal bytes and seeds give equal values on
// every machine, whatever its byte order; the boundaries of the pieces do not matter. Takt hashes saved
// states, scenes and chunks of recordings with XXH3. XXH3 is a checksum, not a cryptographic hash. Source: Y.
// Collet, xxHash, algorithm XXH3 (library xxHash >= 0.8).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace takt {

[[nodiscard]] std::uint64_t hash_bytes(std::span<const std::byte> bytes) noexcept;
[[nodiscard]] std::uint64_t hash_bytes(std::span<const std::byte> bytes, std::uint64_t seed) noexcept;

/// Hashes bytes that arrive in pieces. A hasher that was moved from may only be destroyed or assigned to.
class StreamHasher {
 public:
  StreamHasher();
  ~StreamHasher();
  StreamHasher(StreamHasher&&) noexcept;
  StreamHasher& operator=(StreamHasher&&) noexcept;

  /// Forgets all bytes. A new hasher is in this state.
  void reset() noexcept;
  /// Appends bytes to the stream.
  void update(std::span<const std::byte> bytes) noexcept;
  /// Returns hash_bytes() of all bytes since the last reset. The stream may go on afterwards.
  [[nodiscard]] std::uint64_t digest() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace takt
