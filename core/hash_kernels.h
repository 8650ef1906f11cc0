// HashKernels is a table of the two hot functions of XXH3 (takt/core/hash.h): one-shot hash and stream
// update. One table is compiled per instruction set; hash.cpp selects the widest that this CPU supports.
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
