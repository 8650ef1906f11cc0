// Joint kernels in sixteen lanes of float and eight of double. Built with -mavx512f and its companions on
// x86-64 (contraction off), as portable vector code elsewhere.
#include "physics/joints/point_joint_kernels.h"
#include "physics/joints/tree_batch_kernels.h"
#include "physics/simd/float_lanes.h"

namespace takt {

PointJointKernels<float> point_joint_kernels_16() noexcept { return point_joint_kernels_of<WideLanes<16>>(); }
TreeKernels<float> tree_kernels_16() noexcept { return tree_kernels_of<8>(); }

}  // namespace takt
