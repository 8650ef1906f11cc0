// Joint kernels in eight lanes of float and four of double. Built with -mavx2 on x86-64 (never -mfma), as
// portable vector code elsewhere.
#include "physics/joints/point_joint_kernels.h"
#include "physics/joints/tree_batch_kernels.h"
#include "physics/simd/float_lanes.h"

namespace takt {

PointJointKernels<float> point_joint_kernels_8() noexcept { return point_joint_kernels_of<WideLanes<8>>(); }
TreeKernels<float> tree_kernels_8() noexcept { return tree_kernels_of<4>(); }

}  // namespace takt
