// start_sodium() prepares libsodium: it chooses the fastest implementations for this CPU. Without the call
// libsodium computes the same bytes, slower. Each entry point of crypto/ that calls libsodium calls it first.
// It opens libsodium's own random source, which crypto/ never uses: tests/tidy refuses its functions.
#pragma once

#include <cstddef>

namespace takt::crypto {

/// Any thread may call it, any number of times.
void start_sodium();

/// The form in which libsodium takes bytes.
[[nodiscard]] inline const unsigned char* sodium_bytes(const std::byte* bytes) noexcept {
  return reinterpret_cast<const unsigned char*>(bytes);
}
[[nodiscard]] inline unsigned char* sodium_bytes(std::byte* bytes) noexcept {
  return reinterpret_cast<unsigned char*>(bytes);
}

}  // namespace takt::crypto
