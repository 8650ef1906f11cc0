// One and four lanes, built for the baseline CPU; portable eight and sixteen lanes for CPUs without AVX; and the choice at run time.
#include "physics/contact_read_back.h"
#include "physics/lanes.h"

namespace takt {

ContactKernels<float> contact_kernels_8() noexcept;   // contact_kernels_avx2.cpp
ContactKernels<float> contact_kernels_16() noexcept;  // contact_kernels_avx512.cpp

namespace {

// Up to so many contacts a block of several lanes would be nearly empty; from so many on their colours fill blocks of 16. Costs time only, never a bit.
constexpr std::size_t kContactsForOne = 3;
[[maybe_unused]] constexpr std::size_t kContactsForSixteen = 512;

#if defined(__x86_64__)
bool has_avx2() noexcept { return __builtin_cpu_supports("avx2") != 0; }
// Every extension that contact_kernels_avx512.cpp is built for.
bool has_avx512() noexcept {
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
         __builtin_cpu_supports("avx512bw") != 0;
}
#else
bool has_avx2() noexcept { return true; }  // those files hold portable code here
bool has_avx512() noexcept { return true; }
#endif

template <class Real, int W>
ContactKernels<Real> with_loops(ContactKernels<Real> table) {
  table.fill = &fill_blocks<Real, W>;
  table.read_back = &read_back_blocks<Real, W>;
  return table;
}

struct FloatTables {
  ContactKernels<float> one = with_loops<float, 1>(kernels_of<ScalarLanes>());
  ContactKernels<float> four = with_loops<float, 4>(kernels_of<WideLanes<4>>());
  ContactKernels<float> eight = with_loops<float, 8>(has_avx2() ? contact_kernels_8() : kernels_of<WideLanes<8>>());
  ContactKernels<float> sixteen = with_loops<float, 16>(has_avx512() ? contact_kernels_16() : kernels_of<WideLanes<16>>());
};

}  // namespace

template <>
const ContactKernels<float>& contact_kernels<float>(std::uint32_t lanes, std::size_t contact_count) noexcept {
  static const FloatTables kTables;
  switch (lanes) {
    case 1: return kTables.one;
    case 4: return kTables.four;
    case 8: return kTables.eight;
    case 16: return kTables.sixteen;
    default: break;
  }
  if (contact_count <= kContactsForOne) return kTables.one;
#if defined(__x86_64__)
  if (contact_count >= kContactsForSixteen && has_avx512()) return kTables.sixteen;
  return has_avx2() ? kTables.eight : kTables.four;
#else
  return kTables.four;
#endif
}

template <>
const ContactKernels<Fixed>& contact_kernels<Fixed>(std::uint32_t, std::size_t) noexcept {
  static const ContactKernels<Fixed> kOne = with_loops<Fixed, 1>(kernels_of<FixedLanes>());
  return kOne;
}

}  // namespace takt
