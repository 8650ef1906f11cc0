#include "physics/simd/cpu_dispatch.h"

#include "takt/core/assert.h"

namespace takt {

#if defined(__x86_64__)
bool has_avx2() noexcept { return __builtin_cpu_supports("avx2") != 0; }
bool has_avx512() noexcept {
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
         __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512bw") != 0;
}
bool has_ifma() noexcept {
  return has_avx512() && __builtin_cpu_supports("avx512cd") != 0 && __builtin_cpu_supports("avx512ifma") != 0;
}
#else
bool has_ifma() noexcept { return false; }
bool has_avx2() noexcept { return true; }
bool has_avx512() noexcept { return true; }
#endif

std::uint32_t widest_lanes([[maybe_unused]] std::uint32_t max) noexcept {
  TAKT_ASSERT(max == 4 || max == 8 || max == 16);
#if defined(__x86_64__)
  if (max >= 16 && has_avx512()) return 16;
  if (max >= 8 && has_avx2()) return 8;
#endif
  return 4;
}

}  // namespace takt
