// XXH3's long loops as one CPU's instructions allow: each source that includes this (hash.cpp,
// hash_kernels_*.cpp) has a copy of the library of its own, with internal linkage. All give the same values.
// It includes nothing of which an inline function could be picked by the linker for the whole program.
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/hash_kernels.h"

namespace takt {
namespace {

constexpr HashKernels kXxh3Kernels{
    [](const void* bytes, std::size_t count, std::uint64_t seed) noexcept -> std::uint64_t {
      return XXH3_64bits_withSeed(bytes, count, seed);
    },
    [](void* state, const void* bytes, std::size_t count) noexcept {
      (void)XXH3_64bits_update(static_cast<XXH3_state_t*>(state), bytes, count);
    },
};

}  // namespace
}  // namespace takt
