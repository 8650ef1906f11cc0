// Contact kernels of one and eight lanes. Built with -mavx2 on x86-64 (never -mfma), as portable vector code
// elsewhere.
#include "physics/contact_solver/prepare_contacts.h"
#include "physics/contact_solver/store_impulses.h"
#include "physics/simd/float_lanes.h"

namespace takt {

ContactKernels<float> contact_kernels_1() noexcept { return full_contact_kernels<ScalarLanes>(); }
ContactKernels<float> contact_kernels_8() noexcept { return full_contact_kernels<WideLanes<8>>(); }

}  // namespace takt
