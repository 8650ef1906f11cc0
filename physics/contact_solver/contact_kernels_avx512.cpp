// Sixteen lanes. Built with -mavx512f and its companions on x86-64 (contraction off), as portable vector code
// elsewhere.
#include "physics/simd/float_lanes.h"

namespace takt {

ContactKernels<float> contact_kernels_16() noexcept { return kernels_of<WideLanes<16>>(); }

}  // namespace takt
