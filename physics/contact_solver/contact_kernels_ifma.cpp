// Contact kernels of eight lanes of fixed mode. Built with -mavx512ifma and its companions on x86-64.
// Elsewhere the lanes of a block are solved one by one (fixed_lane_fallback.h).
#include "physics/contact_solver/fixed_lane_fallback.h"
#if defined(__AVX512IFMA__)
#include "physics/contact_solver/contact_kernels.h"
#include "physics/contact_solver/prepare_contacts.h"
#include "physics/contact_solver/store_impulses.h"
#include "physics/simd/scaled_lanes_ifma.h"
#endif

namespace takt {

#if defined(__AVX512IFMA__)
namespace {

/// A copy of the impulses of a block: a pass writes them before its range check is complete.
class SavedImpulses {
 public:
  explicit SavedImpulses(const FixedBlock& block) {
    __builtin_memcpy(tangent_, block.tangent_impulse, sizeof tangent_);
    __builtin_memcpy(twist_, block.twist_impulse, sizeof twist_);
    for (std::uint32_t r = 0; r < block.row_count; ++r) {
      __builtin_memcpy(rows_[r], block.rows[r].impulse, sizeof rows_[r]);
      __builtin_memcpy(totals_[r], block.rows[r].total_impulse, sizeof totals_[r]);
    }
  }
  void restore(FixedBlock& block) const {
    __builtin_memcpy(block.tangent_impulse, tangent_, sizeof tangent_);
    __builtin_memcpy(block.twist_impulse, twist_, sizeof twist_);
    for (std::uint32_t r = 0; r < block.row_count; ++r) {
      __builtin_memcpy(block.rows[r].impulse, rows_[r], sizeof rows_[r]);
      __builtin_memcpy(block.rows[r].total_impulse, totals_[r], sizeof totals_[r]);
    }
  }

 private:
  std::int64_t tangent_[2][8];
  std::int64_t twist_[8];
  std::int64_t rows_[4][8];
  std::int64_t totals_[4][8];
};

inline void warm_start_eight(const BlockMemory& memory, std::size_t first, std::size_t end,
                             SolverBody<Fixed>* bodies) {
  using L = EightFixedLanes;
  for (std::size_t i = first; i < end; ++i) {
    auto& block = block_at<L>(memory.blocks, i);
    if (i + 1 < end) fetch_ahead(memory.blocks + (i + 1) * sizeof block, sizeof block);
    bool const done =
        i < memory.first_special && block.is_small && warm_start_block<L, false>(block, nullptr, bodies);
    if (!done) warm_start_one_by_one(memory, i, bodies);
  }
}

template <bool UseBias>
void solve_eight_with(const BlockMemory& memory, std::size_t first, std::size_t end,
                      SolverBody<Fixed>* bodies, const ContactParameters<Fixed>& parameters) {
  using L = EightFixedLanes;
  std::int64_t rate = 0;
  __builtin_memcpy(&rate, &parameters.inverse_substep, sizeof rate);
  for (std::size_t i = first; i < end; ++i) {
    auto& block = block_at<L>(memory.blocks, i);
    if (i + 1 < end) fetch_ahead(memory.blocks + (i + 1) * sizeof block, sizeof block);
    bool done = false;
    if (i < memory.first_special && block.is_small && rate <= kMaxRate) {
      SavedImpulses const old_impulses(block);
      done = solve_block<L, UseBias, false>(block, nullptr, bodies, parameters);
      if (!done) old_impulses.restore(block);
    }
    if (!done) solve_one_by_one(memory, i, bodies, parameters, UseBias);
  }
}
inline void solve_eight(const BlockMemory& memory, std::size_t first, std::size_t end,
                        SolverBody<Fixed>* bodies, const ContactParameters<Fixed>& parameters,
                        bool use_bias) {
  if (use_bias) {
    solve_eight_with<true>(memory, first, end, bodies, parameters);
  } else {
    solve_eight_with<false>(memory, first, end, bodies, parameters);
  }
}

bool prepare_eight(std::byte* memory, void* staging, const SolverBody<Fixed>* bodies) {
  using L = EightFixedMassLanes;
  if (!prepare_block<L>(memory, staging, bodies)) return false;
  invert_masses(block_at<L>(memory, 0));
  return true;
}
bool store_eight(std::byte* memory, void* staging, const SolverBody<Fixed>* bodies) {
  using L = EightFixedMassLanes;
  return block_at<L>(memory, 0).is_small && store_block<L>(memory, staging, bodies);
}

}  // namespace
#endif

void set_fixed_kernels_8([[maybe_unused]] ContactKernels<Fixed>& table) noexcept {
#if defined(__AVX512IFMA__)
  table.prepare_lanes = &prepare_eight;
  table.store_lanes = &store_eight;
  table.warm_start = &warm_start_eight;
  table.solve = &solve_eight;
#endif
}

}  // namespace takt
