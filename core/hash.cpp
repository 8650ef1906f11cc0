#include "takt/core/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace takt {

std::uint64_t hash_bytes(std::span<const std::byte> bytes) noexcept { return XXH3_64bits(bytes.data(), bytes.size()); }

std::uint64_t hash_bytes(std::span<const std::byte> bytes, std::uint64_t seed) noexcept {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

struct StreamHasher::State {
  XXH3_state_t xxh;
};

StreamHasher::StreamHasher() : state_(std::make_unique<State>()) { reset(); }
StreamHasher::~StreamHasher() = default;
StreamHasher::StreamHasher(StreamHasher&&) noexcept = default;
StreamHasher& StreamHasher::operator=(StreamHasher&&) noexcept = default;

void StreamHasher::reset() noexcept { XXH3_64bits_reset(&state_->xxh); }

void StreamHasher::update(std::span<const std::byte> bytes) noexcept { XXH3_64bits_update(&state_->xxh, bytes.data(), bytes.size()); }

std::uint64_t StreamHasher::digest() const noexcept { return XXH3_64bits_digest(&state_->xxh); }

}  // namespace takt
