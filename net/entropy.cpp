#include "net/entropy.h"

#include <array>
#include <random>

namespace takt::net {
namespace {

// The operating system's generator. The default of some standard libraries is an instruction of the
// processor, and keys shall not hang on that alone.
constexpr const char* kSource = "/dev/urandom";

std::uint64_t draw(std::random_device& device) {
  std::uint64_t const upper = device();
  std::uint64_t const lower = device();
  return (upper << 32) | lower;
}

}  // namespace

protocol::SecretKey draw_secret_key() {
  std::random_device device(kSource);
  std::uint64_t const first = draw(device);
  std::uint64_t const second = draw(device);
  return {first, second};
}

crypto::SecretKey draw_seed() {
  std::array<std::byte, crypto::SecretKey::kBytes> bytes{};
  draw_bytes(bytes);
  crypto::SecretKey seed(bytes);
  crypto::wipe(bytes);
  return seed;
}

std::uint64_t draw_nonce() {
  std::random_device device(kSource);
  for (;;)
    if (std::uint64_t const nonce = draw(device); nonce != 0) return nonce;
}

void draw_bytes(std::span<std::byte> bytes) {
  std::random_device device(kSource);
  for (std::byte& b : bytes) b = static_cast<std::byte>(device());
}

}  // namespace takt::net
