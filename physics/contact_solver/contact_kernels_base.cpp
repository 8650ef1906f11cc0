// Contact kernels of one and four lanes for the baseline CPU, portable eight and sixteen lanes for CPUs
// without AVX, and the choice of a width at run time.
#include "physics/contact_solver/contact_blocks.h"
#include "physics/contact_solver/contact_kernels.h"
#include "physics/contact_solver/fixed_lane_fallback.h"
#include "physics/contact_solver/prepare_contacts.h"
#include "physics/contact_solver/store_impulses.h"
#include "physics/simd/cpu_dispatch.h"
#include "physics/simd/fixed_lanes.h"
#include "physics/simd/float_lanes.h"

namespace takt {

// contact_kernels_avx2.cpp
ContactKernels<float> contact_kernels_1() noexcept;
ContactKernels<float> contact_kernels_8() noexcept;
ContactKernels<float> contact_kernels_16() noexcept;  // contact_kernels_avx512.cpp
/// contact_kernels_ifma.cpp; does nothing where that file is built for another processor.
void set_fixed_kernels_8(ContactKernels<Fixed>& table) noexcept;

namespace {

/// From this many contacts on fixed mode fills eight lanes. Costs time, never a bit.
constexpr std::size_t kMinContactsForEightFixed = 8;

/// Selects block_at() and extras_at() of eight fixed lanes.
struct EightFixedBlocks {
  static constexpr int kWidth = kFixedLanes;
  using Real = Fixed;
};

template <class Real, int W>
ContactKernels<Real> with_loops(ContactKernels<Real> table) {
  table.fill = &prepare_blocks<Real, W>;
  table.store_impulses = &store_block_impulses<Real, W>;
  return table;
}

const LaneTables<ContactKernels<float>>& float_tables() noexcept {
  static const LaneTables<ContactKernels<float>> kTables{
      with_loops<float, 1>(has_avx2() ? contact_kernels_1() : full_contact_kernels<ScalarLanes>()),
      with_loops<float, 4>(full_contact_kernels<WideLanes<4>>()),
      with_loops<float, 8>(has_avx2() ? contact_kernels_8() : full_contact_kernels<WideLanes<8>>()),
      with_loops<float, 16>(has_avx512() ? contact_kernels_16() : full_contact_kernels<WideLanes<16>>())};
  return kTables;
}

}  // namespace

template <>
const ContactKernels<float>& contact_kernels<float>(std::uint32_t lanes, std::size_t contact_count) noexcept {
  return float_tables().choose(lanes, contact_count);
}

namespace {

/// Copies each contact of a block into a block of one lane, calls run(its memory), and copies its impulses
/// back.
template <class Run>
void run_one_by_one(const BlockMemory& memory, std::size_t index, const Run& run) {
  FixedBlock& wide = block_at<EightFixedBlocks>(memory.blocks, index);
  bool const special = index >= memory.first_special;
  FixedExtras* const extras = special ? extras_at<EightFixedBlocks, true>(memory, index) : nullptr;
  for (int lane = 0; lane < wide.filled; ++lane) {
    BlockLane one(wide, extras, lane);
    run(BlockMemory{reinterpret_cast<std::byte*>(&one.block), reinterpret_cast<std::byte*>(&one.extras),
                    special ? std::size_t{0} : std::size_t{1}});
    one.store_impulses(wide, extras, lane);
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
  ContactKernels<Fixed> one = with_loops<Fixed, 1>(full_contact_kernels<FixedLanes>());
  ContactKernels<Fixed> eight = with_loops<Fixed, kFixedLanes>(eight_lanes());

 private:
  static ContactKernels<Fixed> eight_lanes() {
    ContactKernels<Fixed> table;
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
template <>
const ContactKernels<Fixed>& contact_kernels<Fixed>(std::uint32_t lanes, std::size_t contact_count) noexcept {
  static const FixedTables kTables;
  static const bool kHasEight = has_ifma();
  bool const eight =
      lanes == 0 ? kHasEight && contact_count >= kMinContactsForEightFixed : lanes >= kFixedLanes;
  return eight ? kTables.eight : kTables.one;
}

}  // namespace takt
