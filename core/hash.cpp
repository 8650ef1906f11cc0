#include "takt/core/hash.h"

#include "core/xxh3_kernels.h"

namespace takt {
namespace {

/// Selects the widest table that this CPU supports.
const HashKernels& kernels() noexcept {
  static const HashKernels kKernels = [] {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") != 0) return hash_kernels_avx512();
    if (__builtin_cpu_supports("avx2") != 0) return hash_kernels_avx2();
#endif
    return hash_kernels_baseline();
  }();
  return kKernels;
}

}  // namespace

HashKernels hash_kernels_baseline() noexcept { return kXxh3Kernels; }

std::uint64_t hash_bytes(std::span<const std::byte> bytes) noexcept { return hash_bytes(bytes, 0); }

std::uint64_t hash_bytes(std::span<const std::byte> bytes, std::uint64_t seed) noexcept {
  return kernels().hash(bytes.data(), bytes.size(), seed);
}

struct StreamHasher::State {
  XXH3_state_t xxh;
};

StreamHasher::StreamHasher() : state_(std::make_unique<State>()) { reset(); }
StreamHasher::~StreamHasher() = default;
StreamHasher::StreamHasher(StreamHasher&&) noexcept = default;
StreamHasher& StreamHasher::operator=(StreamHasher&&) noexcept = default;

void StreamHasher::reset() noexcept { XXH3_64bits_reset(&state_->xxh); }

void StreamHasher::update(std::span<const std::byte> bytes) noexcept {
  kernels().update(&state_->xxh, bytes.data(), bytes.size());
}

std::uint64_t StreamHasher::digest() const noexcept { return XXH3_64bits_digest(&state_->xxh); }

}  // namespace takt
