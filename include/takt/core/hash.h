// hash_bytes() computes XXH3-64 of bytes at once, with seed 0 unless a seed is given. StreamHasher computes
// XXH3-64 with seed 0 of bytes that arrive in pieces. Equal bytes and seeds give equal values on every
// machine, whatever its byte order. Saved states, scenes and chunks of recordings are hashed so, among
// others. XXH3 is a checksum, not a cryptographic hash. Source: Y. Collet, xxHash, algorithm XXH3 (library
// xxHash >= 0.8).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace takt {

[[nodiscard]] std::uint64_t hash_bytes(std::span<const std::byte> bytes) noexcept;
[[nodiscard]] std::uint64_t hash_bytes(std::span<const std::byte> bytes, std::uint64_t seed) noexcept;

/// Hashes bytes that arrive in pieces. digest() may be called at any time and does not end the stream.
class StreamHasher {
 public:
  StreamHasher();
  ~StreamHasher();
  StreamHasher(StreamHasher&&) noexcept;
  StreamHasher& operator=(StreamHasher&&) noexcept;

  void reset() noexcept;
  void update(std::span<const std::byte> bytes) noexcept;
  [[nodiscard]] std::uint64_t digest() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace takt
