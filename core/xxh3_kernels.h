// kXxh3Kernels is the table of XXH3 functions (HashKernels) of the source that includes this header:
// hash.cpp, hash_kernels_avx2.cpp or hash_kernels_avx512.cpp. Each of these sources compiles its own copy of
// the library xxHash, with internal linkage, for its own instruction set. All copies compute equal values.
// Headers whose inline functions have external linkage must not be included here. The linker could choose an
// AVX-512 copy of such a function for the whole program.
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/hash_kernels.h"

namespace takt {
namespace {

// Internal linkage is on purpose.
constexpr HashKernels kXxh3Kernels{
    // NOLINT(misc-definitions-in-headers)
    [](const void* bytes, std::size_t count, std::uint64_t seed) noexcept -> std::uint64_t {
      return XXH3_64bits_withSeed(bytes, count, seed);
    },
    [](void* state, const void* bytes, std::size_t count) noexcept {
      (void)XXH3_64bits_update(static_cast<XXH3_state_t*>(state), bytes, count);
    },
};

}  // namespace
}  // namespace takt
