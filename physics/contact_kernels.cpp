// One and four lanes, built for the baseline CPU; portable eight and sixteen lanes for CPUs without AVX; and the choice at run time.
#include "physics/contact_read_back.h"
#include "physics/lanes.h"

namespace takt {

ContactKernels<float> contact_kernels_8() noexcept;   // contact_kernels_avx2.cpp
ContactKernels<float> contact_kernels_16() noexcept;  // contact_kernels_avx512.cpp

namespace {

// Up to so many contacts a block of several lanes would be nearly empty; from so many on their colours fill blocks of 16. Costs time only, never a bit.
constexpr std::size_t kContactsForOne = 3;
constexpr std::size_t kContactsForSixteen = 512;

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

const FloatTables& float_tables() noexcept {
  static const FloatTables kTables;
  return kTables;
}

/// The widest up to `most` lanes that this CPU runs well.
const ContactKernels<float>& widest([[maybe_unused]] std::uint32_t most) noexcept {
#if defined(__x86_64__)
  if (most >= 16 && has_avx512()) return float_tables().sixteen;
  if (most >= 8 && has_avx2()) return float_tables().eight;
#endif
  return float_tables().four;
}

}  // namespace

template <>
const ContactKernels<float>& contact_kernels<float>(std::uint32_t lanes, std::size_t contact_count) noexcept {
  switch (lanes) {
    case 1: return float_tables().one;
    case 4: return float_tables().four;
    case 8: return float_tables().eight;
    case 16: return float_tables().sixteen;
    default: break;
  }
  if (contact_count <= kContactsForOne) return float_tables().one;
  return widest(contact_count >= kContactsForSixteen ? 16 : 8);
}

template <>
const TreeKernels<float>& tree_kernels<float>(std::uint32_t lanes, std::size_t trees) noexcept {
  if (lanes != 0) return contact_kernels<float>(lanes, 0).trees;
  return widest(trees > 4 ? 16 : trees > 2 ? 8 : 4).trees;
}
template <>
const TreeKernels<Fixed>& tree_kernels<Fixed>(std::uint32_t, std::size_t) noexcept {
  static const TreeKernels<Fixed> kNone;
  return kNone;
}

template <>
const ContactKernels<Fixed>& contact_kernels<Fixed>(std::uint32_t, std::size_t) noexcept {
  static const ContactKernels<Fixed> kOne = with_loops<Fixed, 1>(kernels_of<FixedLanes>());
  return kOne;
}

}  // namespace takt
