// Contact kernels of sixteen lanes. Built with -mavx512f and its companions on x86-64 (contraction off), as
// portable vector code elsewhere.
#include "physics/contact_solver/prepare_contacts.h"
#include "physics/contact_solver/store_impulses.h"
#include "physics/simd/float_lanes.h"

namespace takt {

ContactKernels<float> contact_kernels_16() noexcept { return full_contact_kernels<WideLanes<16>>(); }

}  // namespace takt
