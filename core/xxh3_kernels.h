// XXH3's long loops, compiled for one CPU's instructions. Each source that includes this (hash.cpp,
// hash_kernels_*.cpp) gets its own copy of the library with internal linkage. All copies give equal values.
// It includes no header with inline functions that the linker could choose for the whole program.
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
