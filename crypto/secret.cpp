#include "takt/crypto/secret.h"

#include <sodium.h>

#include <cstring>
#include <new>

#include "crypto/sodium.h"

namespace takt::crypto {

namespace detail {

std::byte* allocate_secret(std::size_t bytes) {
  start_sodium();
  void* const memory = sodium_malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return static_cast<std::byte*>(memory);
}

void free_secret(std::byte* secret) noexcept { sodium_free(secret); }

void copy_secret(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  std::memcpy(to, from, bytes);
}

}  // namespace detail

void wipe(std::span<std::byte> bytes) noexcept { sodium_memzero(bytes.data(), bytes.size()); }

bool equal_in_constant_time(std::span<const std::byte> a, std::span<const std::byte> b) noexcept {
  return a.size() == b.size() && sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace takt::crypto
