// kXxh3Kernels is the HashKernels table of the source that includes this header (hash.cpp,
// hash_kernels_*.cpp), compiled for that source's instruction set. Each such source gets its own copy of the
// XXH3 library with internal linkage. All copies give equal values. The header includes no header with inline
// functions that the linker could choose for the whole program.
#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/hash_kernels.h"

namespace takt {
namespace {

constexpr HashKernels kXxh3Kernels{
    // NOLINT(misc-definitions-in-headers): internal linkage on purpose
    [](const void* bytes, std::size_t count, std::uint64_t seed) noexcept -> std::uint64_t {
      return XXH3_64bits_withSeed(bytes, count, seed);
    },
    [](void* state, const void* bytes, std::size_t count) noexcept {
      (void)XXH3_64bits_update(static_cast<XXH3_state_t*>(state), bytes, count);
    },
};

}  // namespace
}  // namespace takt
