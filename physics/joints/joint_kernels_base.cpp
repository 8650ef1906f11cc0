// Kernels of point joints and joint trees for the baseline CPU, and the choice of a width at run time. The
// portable eight and sixteen lanes serve CPUs without AVX.
#include "physics/joints/point_joint_kernels.h"
#include "physics/joints/tree_batch_kernels.h"
#include "physics/simd/cpu_dispatch.h"
#include "physics/simd/fixed_lanes.h"
#include "physics/simd/float_lanes.h"

namespace takt {

// joint_kernels_avx2.cpp, joint_kernels_avx512.cpp
PointJointKernels<float> point_joint_kernels_8() noexcept;
PointJointKernels<float> point_joint_kernels_16() noexcept;
TreeKernels<float> tree_kernels_8() noexcept;
TreeKernels<float> tree_kernels_16() noexcept;

namespace {

struct FloatTables {
  LaneTables<PointJointKernels<float>> point_joints{
      point_joint_kernels_of<ScalarLanes>(), point_joint_kernels_of<WideLanes<4>>(),
      has_avx2() ? point_joint_kernels_8() : point_joint_kernels_of<WideLanes<8>>(),
      has_avx512() ? point_joint_kernels_16() : point_joint_kernels_of<WideLanes<16>>()};
  /// Half as many lanes, of doubles.
  LaneTables<TreeKernels<float>> trees{{},
                                       tree_kernels_of<2>(),
                                       has_avx2() ? tree_kernels_8() : tree_kernels_of<4>(),
                                       has_avx512() ? tree_kernels_16() : tree_kernels_of<8>()};
};
const FloatTables& float_tables() noexcept {
  static const FloatTables kTables;
  return kTables;
}

}  // namespace

template <>
const PointJointKernels<float>& point_joint_kernels<float>(std::uint32_t lanes, std::size_t count) noexcept {
  return float_tables().point_joints.choose(lanes, count);
}
template <>
const PointJointKernels<Fixed>& point_joint_kernels<Fixed>(std::uint32_t, std::size_t) noexcept {
  static const PointJointKernels<Fixed> kTable = point_joint_kernels_of<DoubleLanes>();
  return kTable;
}

template <>
const TreeKernels<float>& tree_kernels<float>(std::uint32_t lanes, std::size_t trees) noexcept {
  const LaneTables<TreeKernels<float>>& tables = float_tables().trees;
  if (lanes != 0) return tables.choose(lanes, 0);
  return *tables.of_width(widest_lanes(trees > 4 ? 16 : trees > 2 ? 8 : 4));
}
template <>
const TreeKernels<Fixed>& tree_kernels<Fixed>(std::uint32_t, std::size_t) noexcept {
  static const TreeKernels<Fixed> kNone;
  return kNone;
}

}  // namespace takt
