// Eight lanes of fixed mode. Built with -mavx512ifma and its companions on x86-64; elsewhere there are none,
// and eight lanes go one by one.
#if defined(__AVX512IFMA__)
#include "physics/contact_solver/prepare_contacts_ifma.h"
#else
#include "physics/contact_solver/contact_constraint.h"
#endif

namespace takt {

void set_fixed_kernels_8([[maybe_unused]] ContactKernels<Fixed>& table) noexcept {
#if defined(__AVX512IFMA__)
  table.begin = &begin_eight;
  table.warm_start = &warm_start_eight;
  table.solve = &solve_eight;
#endif
}

}  // namespace takt
