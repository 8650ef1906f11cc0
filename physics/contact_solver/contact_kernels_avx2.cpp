// Eight lanes. Built with -mavx2 on x86-64 (never -mfma), as portable vector code elsewhere.
#include "physics/simd/float_lanes.h"

namespace takt {

ContactKernels<float> contact_kernels_8() noexcept { return kernels_of<WideLanes<8>>(); }

}  // namespace takt
