// HashKernels is a table of two functions of XXH3 (library xxHash): one-shot hash and stream update.
// hash_kernels_baseline(), hash_kernels_avx2() and hash_kernels_avx512() each return a table, compiled for
// that instruction set on x86-64 and for the baseline elsewhere. A caller must not call functions of a table
// whose instruction set the CPU lacks. hash.cpp, which implements takt/core/hash.h, calls the table of the
// widest instruction set that this CPU supports. All tables compute equal values.
#pragma once

#include <cstddef>
#include <cstdint>

namespace takt {

struct HashKernels {
  std::uint64_t (*hash)(const void* bytes, std::size_t count,
                        std::uint64_t seed) noexcept;  ///< seed 0 = XXH3-64 without a seed
  void (*update)(void* state, const void* bytes, std::size_t count) noexcept;  ///< `state` is an XXH3_state_t
};

[[nodiscard]] HashKernels hash_kernels_baseline() noexcept;  // hash.cpp
[[nodiscard]] HashKernels hash_kernels_avx2() noexcept;      // hash_kernels_avx2.cpp
[[nodiscard]] HashKernels hash_kernels_avx512() noexcept;    // hash_kernels_avx512.cpp

}  // namespace takt
