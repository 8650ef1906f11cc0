// One and four lanes, built for the baseline CPU; portable eight and sixteen lanes for CPUs without AVX; and
// the choice at run time.
#include "physics/contact_solver/store_impulses.h"
#include "physics/simd/float_lanes.h"

namespace takt {

ContactKernels<float> contact_kernels_8() noexcept;   // contact_kernels_avx2.cpp
ContactKernels<float> contact_kernels_16() noexcept;  // contact_kernels_avx512.cpp
/// contact_kernels_ifma.cpp; leaves the table as it is where that was built for another processor.
void set_fixed_kernels_8(ContactKernels<Fixed>& table) noexcept;

namespace {

// Up to so many contacts a block of several lanes would be nearly empty; from so many on their colours fill
// blocks of 16. Costs time only, never a bit.
constexpr std::size_t kContactsForOne = 3;
constexpr std::size_t kContactsForSixteen = 512;
constexpr std::size_t kContactsForEightFixed = 8;

#if defined(__x86_64__)
bool has_avx2() noexcept { return __builtin_cpu_supports("avx2") != 0; }
// Every extension that contact_kernels_avx512.cpp is built for.
bool has_avx512() noexcept {
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
         __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512bw") != 0;
}
bool has_ifma() noexcept {
  return has_avx512() && __builtin_cpu_supports("avx512cd") != 0 && __builtin_cpu_supports("avx512ifma") != 0;
}
#else
bool has_ifma() noexcept { return false; }
bool has_avx2() noexcept { return true; }  // those files hold portable code here
bool has_avx512() noexcept { return true; }
#endif

/// What names the blocks of fixed mode's eight lanes.
struct EightIndices {
  static constexpr int kWidth = kFixedLanes;
  using Real = Fixed;
};

template <class Real, int W>
ContactKernels<Real> with_loops(ContactKernels<Real> table) {
  table.fill = &fill_blocks<Real, W>;
  table.store_impulses = &store_block_impulses<Real, W>;
  return table;
}

struct FloatTables {
  ContactKernels<float> one = with_loops<float, 1>(kernels_of<ScalarLanes>());
  ContactKernels<float> four = with_loops<float, 4>(kernels_of<WideLanes<4>>());
  ContactKernels<float> eight =
      with_loops<float, 8>(has_avx2() ? contact_kernels_8() : kernels_of<WideLanes<8>>());
  ContactKernels<float> sixteen =
      with_loops<float, 16>(has_avx512() ? contact_kernels_16() : kernels_of<WideLanes<16>>());
};

const FloatTables& float_tables() noexcept {
  static const FloatTables kTables;
  return kTables;
}

/// The widest up to `most` lanes that this CPU runs well.
const ContactKernels<float>& widest([[maybe_unused]] std::uint32_t max) noexcept {
#if defined(__x86_64__)
  if (max >= 16 && has_avx512()) return float_tables().sixteen;
  if (max >= 8 && has_avx2()) return float_tables().eight;
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

namespace {

/// Runs the kernels of one lane, run(memory of one block), on each contact of a block.
template <class Run>
void run_one_by_one(const BlockMemory& memory, std::size_t index, const Run& run) {
  FixedBlock& wide = block_at<EightIndices>(memory.blocks, index);
  bool const special = index >= memory.first_special;
  FixedExtras* const extras = special ? extras_at<EightIndices, true>(memory, index) : nullptr;
  for (int lane = 0; lane < wide.filled; ++lane) {
    BlockLane one(wide, extras, lane);
    run(BlockMemory{reinterpret_cast<std::byte*>(&one.block), reinterpret_cast<std::byte*>(&one.extras),
                    special ? std::size_t{0} : std::size_t{1}});
    one.give_back(wide, extras, lane);
  }
}
void warm_start_all_one_by_one(const BlockMemory& memory, std::size_t first, std::size_t end,
                               SolverBody<Fixed>* bodies) {
  for (std::size_t i = first; i < end; ++i) warm_start_one_by_one(memory, i, bodies);
}
void solve_all_one_by_one(const BlockMemory& memory, std::size_t first, std::size_t end,
                          SolverBody<Fixed>* bodies, const ContactParameters<Fixed>& parameters,
                          bool use_bias) {
  for (std::size_t i = first; i < end; ++i) solve_one_by_one(memory, i, bodies, parameters, use_bias);
}

struct FixedTables {
  ContactKernels<Fixed> one = with_loops<Fixed, 1>(kernels_of<FixedLanes>());
  ContactKernels<Fixed> eight = with_loops<Fixed, kFixedLanes>(eight_lanes());

 private:
  ContactKernels<Fixed> eight_lanes() const {
    ContactKernels<Fixed> table = one;  // whatever has no lanes
    table.lanes = kFixedLanes;
    table.block_bytes = sizeof(FixedBlock);
    table.extra_bytes = sizeof(FixedExtras);
    table.warm_start = &warm_start_all_one_by_one;
    table.solve = &solve_all_one_by_one;
    if (has_ifma()) set_fixed_kernels_8(table);
    return table;
  }
};

}  // namespace

void warm_start_one_by_one(const BlockMemory& memory, std::size_t index, SolverBody<Fixed>* bodies) {
  run_one_by_one(memory, index,
                 [&](const BlockMemory& one) { warm_start_blocks<FixedLanes>(one, 0, 1, bodies); });
}
void solve_one_by_one(const BlockMemory& memory, std::size_t index, SolverBody<Fixed>* bodies,
                      const ContactParameters<Fixed>& parameters, bool use_bias) {
  run_one_by_one(memory, index, [&](const BlockMemory& one) {
    solve_blocks<FixedLanes>(one, 0, 1, bodies, parameters, use_bias);
  });
}
void clamp_to_cone_raw(std::int64_t& x, std::int64_t& y, std::int64_t limit) noexcept {
  Fixed along_x = Fixed::from_raw(x);
  Fixed along_y = Fixed::from_raw(y);
  FixedLanes::clamp_to_cone(along_x, along_y, Fixed::from_raw(limit));
  x = along_x.raw();
  y = along_y.raw();
}

template <>
const ContactKernels<Fixed>& contact_kernels<Fixed>(std::uint32_t lanes, std::size_t contact_count) noexcept {
  static const FixedTables kTables;
  static const bool kHasEight = has_ifma();
  bool const eight = lanes == 0 ? kHasEight && contact_count >= kContactsForEightFixed : lanes >= kFixedLanes;
  return eight ? kTables.eight : kTables.one;
}

}  // namespace takt
